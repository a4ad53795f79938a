/** Turns the events of the controls into "this control moved", with one set of listeners on the document. */
import { boxOf, isDragging, rangeOf, setDragged, setTyping } from './controls.js';
import { positionOf, stopsOf } from './stops.js';

/** @type {Record<string, number>} the number of stops to move by, for each key in a number box */
const STRIDES = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 };

/**
 * @typedef {object} Handlers
 * @property {(name: string | null, gesture: import('./types').Gesture) => void} touch
 * @property {(name: string, value: string) => boolean} set sets a control; returns whether the page has it
 */

/** @param {EventTarget | null} target @returns {HTMLInputElement | null} the element, if it is the range of a control */
const asRange = target => target instanceof HTMLInputElement && target.dataset.for ? target : null;

/** @param {EventTarget | null} target @returns {HTMLInputElement | null} the element, if it is the number box of a control */
const asBox = target => target instanceof HTMLInputElement && target.classList.contains('kv-number') ? target : null;

/** @param {EventTarget | null} target @returns {string | null} the name of its control */
const nameOf = target => (target instanceof HTMLInputElement || target instanceof HTMLSelectElement)
  && target.closest('form.kv-controls') ? target.name || target.dataset.for || null : null;

/** Move a number box by some stops; a value between two stops first moves to the next one in that direction. @param {HTMLInputElement} box @param {number} stride */
function step(box, stride) {
  const range = rangeOf(box.name);
  if (!range) return;
  const stops = stopsOf(range), typed = box.value.replace(/[\s,_]/g, '');
  const from = typed !== '' && Number.isFinite(Number(typed)) ? positionOf(range, typed) : Number(range.value);
  const between = stride < 0 && Number(stops[from]) < Number(typed) ? 1 : 0;
  const to = Math.min(stops.length - 1, Math.max(0, from + stride + between));
  box.value = stops[to] ?? box.value;
  range.value = String(to);
}

const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** @param {Handlers} handlers */
export function listenForGestures({ touch, set }) {
  /** @param {Event} event */
  const endDrag = event => {
    if (!isDragging()) return;
    setDragged(null);
    touch(event.type === 'change' ? nameOf(event.target) : null, 'end');
  };

  document.addEventListener('input', ({ target }) => {
    const name = nameOf(target), range = asRange(target);
    if (name === null) return;
    if (range) {
      setDragged(range);
      const box = boxOf(name);
      if (box) box.value = stopsOf(range)[Number(range.value)] ?? box.value;
    } else if (asBox(target)) {
      setTyping(name);
    }
    touch(name, range ? 'drag' : 'move');
  });

  document.addEventListener('change', event => {
    const name = nameOf(event.target);
    if (name === null) return;
    setTyping(null);
    if (asRange(event.target)) endDrag(event);
    else touch(name, 'end');      // the new value came with the event `input`
  });

  // A drag that ends where it began fires no `change`, so these events end a drag too.
  for (const type of ['pointerup', 'pointercancel', 'focusout']) document.addEventListener(type, endDrag);

  document.addEventListener('keydown', event => {
    const box = asBox(event.target);
    if (!box || event.altKey || event.ctrlKey || event.metaKey) return;
    const stride = STRIDES[event.key];
    if (stride === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (stride !== undefined) step(box, stride);
    setTyping(null);
    touch(box.name, 'move');
  });

  document.addEventListener('focusout', event => {
    if (asBox(event.target)) setTyping(null);
  });

  document.addEventListener('submit', event => {
    if (event.target instanceof Element && event.target.matches('form.kv-controls')) event.preventDefault();
  });

  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-set]') : null;
    if (!(button instanceof HTMLElement)) return;
    const sets = Object.entries(JSON.parse(button.dataset.set ?? '{}'));
    for (const [name, value] of sets) {
      if (set(name, String(value))) touch(name, 'move');
    }
    const lab = boxOf(sets[0]?.[0] ?? '')?.closest('.kv-lab');
    if (lab && !lab.contains(button)) lab.scrollIntoView({ block: 'start', behavior: reducedMotion() ? 'auto' : 'smooth' });
  });
}
