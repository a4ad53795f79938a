/** The state of the page in its address: `#v2&model=...`. Any other fragment is an anchor and is left alone. */

/** Safari allows a page 100 changes of its address in 30 seconds; this makes at most 60. */
const PAUSE_MS = 500;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** The state that the page shows. @type {string} */
let current = '';

/** The state that the address names or will name after the pause; null where the reader went to an anchor. @type {string | null} */
let inAddress = '';

/** Whether Python has answered for a state, so that `current` is newer than what the address named when the page was opened. */
let answered = false;

/** Whether the reader has moved a control since the page was opened or an anchor was gone to. */
let following = false;

/** Whether the page has gone to a state that its address names. */
let arrived = false;

/** @returns {string | null} the fragment without its #, if it names a state */
export function stateInAddress() {
  const text = location.hash.slice(1);
  return /^v\d+(&|$)/.test(text) ? text : null;
}

/** Show the Lab, for which the address names a state; not when the page is loaded again or returned to, where the browser keeps the place. */
export function showLab() {
  const [how] = performance.getEntriesByType('navigation');
  const returned = !arrived && how instanceof PerformanceNavigationTiming && how.type !== 'navigate';
  arrived = true;
  if (!returned) document.getElementById('the-lab')?.scrollIntoView();
}

// Unlike hashchange, popstate comes before any other task, and also when a reader goes again to the anchor where they are.
addEventListener('popstate', () => {
  clearTimeout(timer);
  if (stateInAddress() !== null) return;
  following = false;
  inAddress = null;
});

/** From now on the address follows the state: the reader has moved a control, imported a model, or opened a link to a state. */
export function followState() {
  following = true;
}

/** @param {string} fragment the state that the page shows now, without the # */
export function showFragment(fragment) {
  current = fragment;
  answered = true;
  if (!following || fragment === inAddress) return;
  inAddress = fragment;
  clearTimeout(timer);
  timer = setTimeout(() => write(fragment), PAUSE_MS);
}

/** @param {string} fragment */
function write(fragment) {
  try {
    history.replaceState(history.state, '', `#${fragment}`);
  } catch {
    // Some browsers forbid this for pages opened from disk; the page works without its state in the address.
  }
}

/**
 * Put controls that Python never answered for into the address, so that they are set when the page is loaded again.
 * @param {[string, string][]} moves their names and values
 */
export function keepMoves(moves) {
  if (!moves.length) return;
  clearTimeout(timer);
  const base = answered ? current : stateInAddress() ?? current;
  write([base, ...moves.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)].join('&'));
}

/**
 * Enables the button that copies a link to this state. If the clipboard is not available, the link is shown, selected, to be copied by hand.
 * @param {string} fragment the state that the built page shows
 */
export function offerLink(fragment) {
  current = inAddress = fragment;
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
