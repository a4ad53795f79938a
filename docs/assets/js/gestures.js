/** What hands do to the controls, told as "this name moved", from one set of listeners on the document. */
import { boxOf, isDragging, positionOf, rangeOf, setDragged, setWriting, stopsOf } from './controls.js';

/** @type {Record<string, number>} stops to go at a key press in a number box */
const STRIDES = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 };

/**
 * @typedef {object} Hands
 * @property {(name: string | null, gesture: import('./types').Gesture) => void} touch
 * @property {(name: string, value: string) => boolean} set
 */

/** @param {EventTarget | null} target @returns {HTMLInputElement | null} the element, when it is a range of ours */
const asRange = target => target instanceof HTMLInputElement && target.dataset.for ? target : null;

/** @param {EventTarget | null} target @returns {HTMLInputElement | null} the element, when it is a number box of ours */
const asBox = target => target instanceof HTMLInputElement && target.classList.contains('kv-number') ? target : null;

/** @param {EventTarget | null} target @returns {string | null} the name of the control it is part of */
const nameOf = target => (target instanceof HTMLInputElement || target instanceof HTMLSelectElement)
  && target.closest('form.kv-controls') ? target.name || target.dataset.for || null : null;

/** @param {HTMLInputElement} box @param {number} stride moves a typed value to a stop; from between two stops, to the nearer side */
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

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** @param {Hands} hands */
export function listen({ touch, set }) {
  /** @param {Event} event */
  const letGo = event => {
    if (!isDragging()) return;
    setDragged(null);
    touch(event.type === 'change' ? nameOf(event.target) : null, 'end');
  };

  document.addEventListener('input', ({ target }) => {
    const name = nameOf(target), range = asRange(target);
    if (name === null) return;
    if (range) {
      setDragged(name);
      const box = boxOf(name);
      if (box) box.value = stopsOf(range)[Number(range.value)] ?? box.value;
    } else if (asBox(target)) {
      setWriting(name);
    }
    touch(name, range ? 'drag' : 'move');
  });

  document.addEventListener('change', event => {
    const name = nameOf(event.target);
    if (name === null) return;
    setWriting(null);
    if (asRange(event.target)) letGo(event);
    else touch(name, 'end');      // `input` told of the new value
  });

  // A drag that ends where it began fires no change: the end of the gesture counts as well.
  for (const type of ['pointerup', 'pointercancel', 'focusout']) document.addEventListener(type, letGo);

  document.addEventListener('keydown', event => {
    const box = asBox(event.target);
    if (!box || event.altKey || event.ctrlKey || event.metaKey) return;
    const stride = STRIDES[event.key];
    if (stride === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (stride !== undefined) step(box, stride);
    setWriting(null);
    touch(box.name, 'move');
  });

  document.addEventListener('focusout', event => {
    if (asBox(event.target)) setWriting(null);
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
    if (lab && !lab.contains(button)) lab.scrollIntoView({ block: 'start', behavior: calm() ? 'auto' : 'smooth' });
  });
}
