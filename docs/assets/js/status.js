/** The status line of Python and the page's live region. Their sentences stand in the article, not in this file. */

/**
 * @param {'waiting' | 'starting' | 'ready' | 'unanswered' | 'restarting' | 'outdated' | 'failed'} state
 * @param {string} [detail] the message of an error
 */
export function showState(state, detail) {
  document.documentElement.dataset.python = state;
  const line = document.getElementById('kv-python');
  if (!line) return;
  line.dataset.state = state;
  const code = line.querySelector(`[data-when="${state}"] code`);
  if (code && detail !== undefined) code.textContent = detail;
  if (state === 'failed' || state === 'outdated') announce(line.querySelector(`[data-when="${state}"]`)?.textContent ?? '');
}

// A link with data-reload loads the page again at the state in its address; by its empty href alone it would lose that.
document.addEventListener('click', event => {
  if (!(event.target instanceof Element && event.target.closest('[data-reload]'))) return;
  event.preventDefault();
  location.reload();
});

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
