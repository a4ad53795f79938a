/** The state of the page in its address: `#v1&model=...`. Anything else after the # is an anchor and none of ours. */

/** Safari allows a page 100 changes of its address in 30 seconds; this makes at most 60. */
const PAUSE_MS = 500;

/** @returns {string | null} the fragment, without its #, when it names a state */
export function arrivedFragment() {
  const text = location.hash.slice(1);
  return /^v\d+(&|$)/.test(text) ? text : null;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

// Whoever goes to an anchor, or writes another state, is not sent back to the state before it.
addEventListener('hashchange', () => clearTimeout(timer));

/** The state that the page shows now, as an address spells it. @type {string} */
let current = '';

/** @param {string} fragment without its # @param {boolean} inAddress whether the address follows: it does once a reader has moved something */
export function showFragment(fragment, inAddress) {
  const moved = fragment !== current;
  current = fragment;
  if (!inAddress || !moved) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    try {
      history.replaceState(history.state, '', `#${fragment}`);
    } catch {
      // A browser may forbid it, as some do for files; the page works without an address of its state.
    }
  }, PAUSE_MS);
}

/**
 * The button that copies an address of this state; where the clipboard is closed, the address is shown, ready to be copied by hand.
 * @param {string} fragment what the built page shows
 */
export function offerLink(fragment) {
  current = fragment;
  const button = document.getElementById('kv-copy'), field = document.getElementById('kv-link');
  if (!(button instanceof HTMLButtonElement) || !(field instanceof HTMLInputElement)) return;
  button.disabled = false;
  button.addEventListener('click', async () => {
    field.value = `${location.href.split('#')[0]}#${current}`;
    try {
      await navigator.clipboard.writeText(field.value);
      button.dataset.state = 'copied';
    } catch {
      field.hidden = false;
      field.select();
      button.dataset.state = 'shown';
    }
  });
  button.addEventListener('blur', () => { delete button.dataset.state; });
}
