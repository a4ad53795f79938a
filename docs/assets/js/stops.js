/** Sliders: the positions of a range are indices into its stops, a list of values that Python sends. */

/** @param {HTMLInputElement} range @returns {string[]} */
export const stopsOf = range => (range.dataset.stops ?? '').split(' ').filter(Boolean);

/** @type {WeakMap<HTMLInputElement, {text: string | undefined, stops: number[]}>} each range's stops as numbers, and the text they were parsed from */
const parsed = new WeakMap();

/** @param {HTMLInputElement} range @param {string | number} value @returns {number} the index of the last stop at or below the value */
export function positionOf(range, value) {
  const text = range.dataset.stops, number = Number(value);
  let known = parsed.get(range);
  if (!known || known.text !== text) parsed.set(range, known = { text, stops: stopsOf(range).map(Number) });
  const above = known.stops.findIndex(stop => stop > number);
  return above < 0 ? known.stops.length - 1 : Math.max(0, above - 1);
}

/** Move a range to a value. Only if it changes: a browser lays the slider out again at every assignment. @param {HTMLInputElement} range @param {string | number} value */
export function place(range, value) {
  const position = String(positionOf(range, value));
  if (range.value !== position) range.value = position;
}

/** @param {HTMLInputElement} range @param {(string | number)[]} stops */
export function setStops(range, stops) {
  const text = stops.join(' ');
  if (range.dataset.stops === text) return;
  range.dataset.stops = text;
  range.max = String(stopsOf(range).length - 1);
}
