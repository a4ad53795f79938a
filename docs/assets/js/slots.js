/** Slots: the places in the article that Python fills. */
import { sortTables } from './sort.js';

/** @type {Map<string, string>} what the built page said, kept for the day Python fails */
const printed = new Map();

/** @type {Map<string, string>} what was last written: most of an answer says the same again */
const written = new Map();

/** @type {Map<string, HTMLElement[]> | null} slots by name: they stand where the built page put them */
let known = null;

/** @param {string} name @returns {HTMLElement[]} */
function places(name) {
  if (!known) {
    known = new Map();
    for (const slot of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-slot]'))) {
      const key = slot.dataset.slot ?? '';
      known.set(key, [...(known.get(key) ?? []), slot]);
    }
  }
  return known.get(name) ?? [];
}

/** @param {Element} element @returns {string} how to find its successor after the slot is rewritten */
const trail = element => element.id ? `#${CSS.escape(element.id)}`
  : element instanceof HTMLElement && element.dataset.key ? `[data-key="${CSS.escape(element.dataset.key)}"]`
  : element.localName;

/** What a reader can move in a slot, or hold: where there is none of it, before or after, writing is all there is to do. */
const HELD = /<(?:a|button|details|input|table)\b/;

/** @param {HTMLElement} slot @param {string} html */
function write(slot, html) {
  const name = slot.dataset.slot ?? '', before = written.get(name) ?? slot.innerHTML;
  if (!printed.has(name)) printed.set(name, before);
  if (HELD.test(html) || HELD.test(before)) rewrite(slot, html);
  else slot.innerHTML = html;
}

/** @param {HTMLElement} slot @param {string} html put there, with the reader's focus and all that was opened and scrolled left as it is */
function rewrite(slot, html) {
  const focused = document.activeElement;
  const inside = focused && focused !== slot && slot.contains(focused) ? focused : null;
  const back = inside ? trail(inside) : null, place = inside ? [...slot.querySelectorAll(inside.localName)].indexOf(inside) : -1;
  const open = [...slot.querySelectorAll('details')].map(details => details.open);
  const boxes = () => [...slot.querySelectorAll(':is([open], [data-slot]) > .kv-scroll')];      // asking a folded one would cost a layout for nothing
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
    places(name).forEach(slot => write(slot, html));
    written.set(name, html);
  }
}

/** @type {HTMLElement[] | null} slots that hold a table which the reader may open */
let folds = null;

/** @returns {string[]} the slots whose table is open: the others can wait */
export function openedTables() {
  folds ??= [...document.querySelectorAll('[data-slot] > details')].map(details => /** @type {HTMLElement} */ (details.parentElement));
  return folds.filter(slot => slot.querySelector(':scope > details[open]')).map(slot => slot.dataset.slot ?? '');
}

/** @type {string | null} */
let sight = null;
addEventListener('resize', () => { sight = null; });

/** @returns {string} which drawing of a figure the style sheet shows now: the other one can wait */
export function drawingInSight() {
  if (sight === null) {
    const wide = document.querySelector('svg.kv-wide');
    sight = wide && getComputedStyle(wide).display !== 'none' ? 'wide' : 'narrow';
  }
  return sight;
}

/** Puts back what the page was built with. */
export function restoreSlots() {
  written.clear();
  for (const [name, html] of printed) places(name).forEach(slot => { slot.innerHTML = html; });
}
