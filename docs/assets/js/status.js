/** The status line of Python and the page's live region. Their sentences stand in the article, not in this file. */

/** @param {'waiting' | 'starting' | 'ready' | 'restarting' | 'outdated' | 'failed'} state @param {string} [detail] the message of an error */
export function showState(state, detail) {
  document.documentElement.dataset.python = state;
  const line = document.getElementById('kv-python');
  if (!line) return;
  line.dataset.state = state;
  const code = line.querySelector(`[data-when="${state}"] code`);
  if (code && detail !== undefined) code.textContent = detail;
  if (state === 'failed' || state === 'outdated') announce(line.querySelector(`[data-when="${state}"]`)?.textContent ?? '');
}

/** After the last of several key presses, one announcement is made. */
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
