/** Slots: the places in the article that Python fills. */

/** @type {Map<string, string>} what the built page said, kept for the day Python fails */
const printed = new Map();

/** @param {string} name @returns {HTMLElement[]} */
const places = name => [...document.querySelectorAll(`[data-slot="${CSS.escape(name)}"]`)]
  .filter(place => place instanceof HTMLElement);

/** @param {Element} element @returns {string} how to find its successor after the slot is rewritten */
const trail = element => element.id ? `#${CSS.escape(element.id)}`
  : element instanceof HTMLElement && element.dataset.key ? `[data-key="${CSS.escape(element.dataset.key)}"]`
  : element.localName;

/** @param {HTMLElement} slot @param {string} html */
function write(slot, html) {
  const name = slot.dataset.slot ?? '';
  if (!printed.has(name)) printed.set(name, slot.innerHTML);
  const focused = document.activeElement;
  const back = focused && focused !== slot && slot.contains(focused) ? trail(focused) : null;
  const open = [...slot.querySelectorAll('details')].map(details => details.open);
  const scrolled = [...slot.querySelectorAll('.md-typeset__scrollwrap, .kv-scroll')].map(box => box.scrollLeft);
  slot.innerHTML = html;
  slot.querySelectorAll('details').forEach((details, index) => { details.open = open[index] ?? details.open; });
  slot.querySelectorAll('.md-typeset__scrollwrap, .kv-scroll').forEach((box, index) => { box.scrollLeft = scrolled[index] ?? 0; });
  const successor = back === null ? null : slot.querySelector(back);
  if (successor instanceof HTMLElement) successor.focus({ preventScroll: true });
}

/** @param {Record<string, string>} slots */
export function applySlots(slots) {
  for (const [name, html] of Object.entries(slots)) places(name).forEach(slot => write(slot, html));
}

/** Puts back what the page was built with. */
export function restoreSlots() {
  for (const [name, html] of printed) places(name).forEach(slot => { slot.innerHTML = html; });
}
