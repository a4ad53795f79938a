/** The line that says how Python is doing, and the one live region. Both hold words of the article, none of ours. */

/** @param {'waiting' | 'starting' | 'ready' | 'restarting' | 'outdated' | 'failed'} state @param {string} [detail] a technical message */
export function showState(state, detail) {
  document.documentElement.dataset.python = state;
  const line = document.getElementById('kv-python');
  if (!line) return;
  line.dataset.state = state;
  const code = line.querySelector(`[data-when="${state}"] code`);
  if (code && detail !== undefined) code.textContent = detail;
  if (state === 'failed' || state === 'outdated') announce(line.querySelector(`[data-when="${state}"]`)?.textContent ?? '');
}

/** Long enough that a burst of key presses is announced once. */
const PAUSE_MS = 400;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} text */
export function announce(text) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const region = document.getElementById('kv-live');
    if (region && text && region.textContent !== text) region.textContent = text;
  }, PAUSE_MS);
}
