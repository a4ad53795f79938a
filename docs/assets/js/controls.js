/**
 * The controls: named elements hold the state, ranges without a name follow them.
 *
 * @typedef {HTMLInputElement | HTMLSelectElement} Named
 */

/** @type {Map<HTMLFormElement, string>} the forms as they were built */
const built = new Map();

const forms = () => /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll('form.kv-controls')]);

/** @returns {Named[]} */
const named = () => /** @type {Named[]} */ ([...document.querySelectorAll('form.kv-controls :is(input, select)[name]')]);

/** @param {string} name @returns {Named[]} one box or select, or every radio of a choice */
const partsOf = name => named().filter(part => part.name === name);

/** @param {string} name @returns {HTMLInputElement | null} */
export const rangeOf = name => document.querySelector(`form.kv-controls input[data-for="${CSS.escape(name)}"]`);

/** @param {string} name @returns {HTMLInputElement | null} */
export const boxOf = name => document.querySelector(`form.kv-controls input.kv-number[name="${CSS.escape(name)}"]`);

/** @param {HTMLInputElement} range @returns {string[]} */
export const stopsOf = range => (range.dataset.stops ?? '').split(' ').filter(Boolean);

/** @param {HTMLInputElement} range @param {string | number} value @returns {number} the last stop at or below the value */
export function positionOf(range, value) {
  const above = stopsOf(range).findIndex(stop => Number(stop) > Number(value));
  return above < 0 ? stopsOf(range).length - 1 : Math.max(0, above - 1);
}

/** The box whose text the reader is still writing: it is not rewritten. @type {string | null} */
let writing = null;
/** The range under the reader's finger. @type {string | null} */
let dragged = null;

/** @param {string | null} name */
export const setWriting = name => { writing = name; };
/** @param {string | null} name */
export const setDragged = name => { dragged = name; };
export const isDragging = () => dragged !== null;

/** @returns {Map<string, string>} */
export function readControls() {
  const values = new Map();
  for (const part of named()) {
    if (part.type !== 'radio' || /** @type {HTMLInputElement} */ (part).checked) values.set(part.name, part.value);
  }
  return values;
}

/** @param {string} name @param {string} value @returns {boolean} whether the page has such a control */
export function setControl(name, value) {
  const parts = partsOf(name);
  for (const part of parts) {
    if (part.type === 'radio') /** @type {HTMLInputElement} */ (part).checked = part.value === value;
    else if (part.value !== value) part.value = value;
  }
  const range = rangeOf(name);
  if (range && name !== dragged && value.trim() !== '' && Number.isFinite(Number(value))) {
    range.value = String(positionOf(range, value));
  }
  return parts.length > 0;
}

/**
 * @param {Record<string, import('./types').ControlState>} controls
 * @param {Set<string>} busy controls that the reader has moved since the question: their values are newer than the answer
 */
export function applyControls(controls, busy) {
  for (const [name, state] of Object.entries(controls)) {
    const range = rangeOf(name);
    if (range && state.stops?.length && name !== dragged) {
      range.dataset.stops = state.stops.join(' ');
      range.max = String(state.stops.length - 1);
    }
    if (state.value !== undefined && !busy.has(name)) {
      if (name !== writing) setControl(name, String(state.value));
      else if (range) range.value = String(positionOf(range, state.value));
    }
    if (range && state.text !== undefined) range.setAttribute('aria-valuetext', state.text);
    for (const part of [...partsOf(name), ...(range ? [range] : [])]) {
      if (state.disabled !== undefined) part.disabled = state.disabled;
    }
    const control = document.querySelector(`form.kv-controls [data-control="${CSS.escape(name)}"]`);
    control?.classList.toggle('kv-off', Boolean(state.disabled));
    const note = control?.querySelector('.kv-note');
    if (note && state.note !== undefined && note.textContent !== state.note) note.textContent = state.note;
  }
}

/** The forms are built locked, so that nobody moves what nothing answers. */
export function unlockForms() {
  for (const form of forms()) {
    built.set(form, form.innerHTML);
    form.querySelectorAll(':scope > fieldset').forEach(set => set.removeAttribute('disabled'));
  }
}

/** Back to the defaults that the rest of the page shows, and locked. */
export function restoreForms() {
  for (const [form, html] of built) form.innerHTML = html;
  writing = dragged = null;
}
