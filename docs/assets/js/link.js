/** The state of the page in its address: `#v1&model=...`. Anything else after the # is an anchor and none of ours. */

/** Safari allows a page 100 changes of its address in 30 seconds; this makes at most 60. */
const PAUSE_MS = 500;

/** @returns {string | null} the fragment, without its #, when it names a state */
export function arrivedFragment() {
  const text = location.hash.slice(1);
  return text === 'v1' || text.startsWith('v1&') ? text : null;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} fragment without its # */
export function showFragment(fragment) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try {
      history.replaceState(history.state, '', `#${fragment}`);
    } catch {
      // A browser may forbid it, as some do for files; the page works without an address of its state.
    }
  }, PAUSE_MS);
}
