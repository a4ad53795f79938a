/** Slots: the elements of the page whose content Python writes. A slot may stand in several places. */
import { sortTables } from './sort.js';

/** @type {Map<string, string>} the content of each slot as it was built, to be restored if Python fails */
const built = new Map();

/** @type {Map<string, string>} the content that was last written into each slot, so that the same is not written again */
const written = new Map();

/** @type {Map<string, HTMLElement[]> | null} the elements of each slot by its name; the page never adds or removes any */
let cached = null;

/** @param {string} name @returns {HTMLElement[]} */
function elements(name) {
  if (!cached) {
    cached = new Map();
    for (const slot of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-slot]'))) {
      const key = slot.dataset.slot ?? '';
      cached.set(key, [...(cached.get(key) ?? []), slot]);
    }
  }
  return cached.get(name) ?? [];
}

/** @param {Element} element @returns {string} a selector that finds the same element after the slot is rewritten */
const selectorOf = element => element.id ? `#${CSS.escape(element.id)}`
  : element instanceof HTMLElement && element.dataset.key ? `[data-key="${CSS.escape(element.dataset.key)}"]`
  : element.localName;

/** Elements with a state of the reader's (focus, open, scrolled). If neither the old nor the new content has any, plain innerHTML will do. */
const STATEFUL = /<(?:a|button|details|input|table)\b/;

/** @param {HTMLElement} slot @param {string} html */
function write(slot, html) {
  const name = slot.dataset.slot ?? '', before = written.get(name) ?? slot.innerHTML;
  if (!built.has(name)) built.set(name, before);
  if (STATEFUL.test(html) || STATEFUL.test(before)) writeKeepingState(slot, html);
  else slot.innerHTML = html;
}

/** Write a slot, and restore the reader's focus, opened details and scroll positions in it. @param {HTMLElement} slot @param {string} html */
function writeKeepingState(slot, html) {
  const focused = document.activeElement;
  const inside = focused && focused !== slot && slot.contains(focused) ? focused : null;
  const back = inside ? selectorOf(inside) : null, place = inside ? [...slot.querySelectorAll(inside.localName)].indexOf(inside) : -1;
  const open = [...slot.querySelectorAll('details')].map(details => details.open);
  const boxes = () => [...slot.querySelectorAll(':is([open], [data-slot]) > .kv-scroll')];      // not in closed details: reading scrollLeft there costs a layout
  const scrolled = boxes().map(box => box.scrollLeft);
  slot.innerHTML = html;
  slot.querySelectorAll('details').forEach((details, index) => { details.open = open[index] ?? details.open; });
  if (scrolled.some(Boolean)) boxes().forEach((box, index) => { box.scrollLeft = scrolled[index] ?? 0; });
  if (slot.querySelector('table.kv-sortable')) sortTables();
  const successor = inside && back ? slot.querySelector(back) ?? slot.querySelectorAll(inside.localName)[place] : null;
  if (successor instanceof HTMLElement) successor.focus({ preventScroll: true });
}

/** @param {Record<string, string>} slots */
export function applySlots(slots) {
  for (const [name, html] of Object.entries(slots)) {
    if (written.get(name) === html) continue;
    elements(name).forEach(slot => write(slot, html));
    written.set(name, html);
  }
}

/** @type {HTMLElement[] | null} the slots with a table that the reader may open */
let foldedSlots = null;

/** @returns {string[]} the slots whose table is open; Python draws the others later */
export function openedTables() {
  foldedSlots ??= [...document.querySelectorAll('[data-slot] > details')].map(details => /** @type {HTMLElement} */ (details.parentElement));
  return foldedSlots.filter(slot => slot.querySelector(':scope > details[open]')).map(slot => slot.dataset.slot ?? '');
}

/** @type {string | null} */
let width = null;
addEventListener('resize', () => { width = null; });

/** @returns {string} which of a figure's two drawings, wide or narrow, the style sheet shows; Python draws the other later */
export function visibleWidth() {
  if (width === null) {
    const wide = document.querySelector('svg.kv-wide');
    width = wide && getComputedStyle(wide).display !== 'none' ? 'wide' : 'narrow';
  }
  return width;
}

/** Restore the content that the page was built with. */
export function restoreSlots() {
  written.clear();
  for (const [name, html] of built) elements(name).forEach(slot => { slot.innerHTML = html; });
}
