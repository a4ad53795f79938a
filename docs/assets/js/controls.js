/**
 * The controls: named elements hold the state, ranges without a name follow them.
 *
 * @typedef {HTMLInputElement | HTMLSelectElement} Named
 */

/** @type {Map<HTMLFormElement, string>} the forms as they were built */
const built = new Map();

const forms = () => /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll('form.kv-controls')]);

/**
 * What a control is made of: one box or select, or every radio of a choice; a range beside a box; its frame and note.
 *
 * @typedef {{parts: Named[], range: HTMLInputElement | null, frame: Element | null, note: Element | null}} Control
 * @type {Map<string, Control> | null}
 */
let known = null;

/** @returns {Map<string, Control>} every control by its name, looked up once */
function controls() {
  if (known) return known;
  known = new Map();
  for (const part of /** @type {Named[]} */ ([...document.querySelectorAll('form.kv-controls :is(input, select)[name]')])) {
    const frame = part.closest('[data-control]'), control = known.get(part.name);
    if (control) control.parts.push(part);
    else known.set(part.name, { parts: [part], range: frame?.querySelector('.kv-range') ?? null, frame, note: frame?.querySelector('.kv-note') ?? null });
  }
  return known;
}

/** @param {string} name @returns {HTMLInputElement | null} */
export const rangeOf = name => controls().get(name)?.range ?? null;

/** @param {string} name @returns {Named | null} the box beside a range */
export const boxOf = name => controls().get(name)?.parts[0] ?? null;

/** @param {HTMLInputElement} range @returns {string[]} */
export const stopsOf = range => (range.dataset.stops ?? '').split(' ').filter(Boolean);

/** @type {WeakMap<HTMLInputElement, {text: string | undefined, stops: number[]}>} what each range's stops were last read as */
const numbers = new WeakMap();

/** @param {HTMLInputElement} range @param {string | number} value @returns {number} the last stop at or below the value */
export function positionOf(range, value) {
  const text = range.dataset.stops, wanted = Number(value);
  let read = numbers.get(range);
  if (read?.text !== text || !read) numbers.set(range, read = { text, stops: stopsOf(range).map(Number) });
  const above = read.stops.findIndex(stop => stop > wanted);
  return above < 0 ? read.stops.length - 1 : Math.max(0, above - 1);
}

/** @param {HTMLInputElement} range @param {string | number} value puts it there; the browser works even where nothing moves */
function place(range, value) {
  const position = String(positionOf(range, value));
  if (range.value !== position) range.value = position;
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
  for (const [name, { parts }] of controls()) {
    for (const part of parts) {
      if (part.type !== 'radio' || /** @type {HTMLInputElement} */ (part).checked) values.set(name, part.value);
    }
  }
  return values;
}

/** @param {HTMLInputElement} radio @param {boolean} on */
function check(radio, on) {
  if (radio.checked !== on) radio.checked = on;
}

/** @param {string} name @param {string} value @returns {boolean} whether the page has such a control */
export function setControl(name, value) {
  const control = controls().get(name);
  for (const part of control?.parts ?? []) {
    if (part.type === 'radio') check(/** @type {HTMLInputElement} */ (part), part.value === value);
    else if (part.value !== value) part.value = value;
  }
  if (control?.range && name !== dragged && value.trim() !== '' && Number.isFinite(Number(value))) {
    place(control.range, value);
  }
  return control !== undefined;
}

let imported = false;

/** @param {boolean} there whether there is a shape of the reader's own among the models */
function offerImported(there) {
  if (imported === there) return;
  imported = there;
  for (const form of forms()) form.querySelectorAll('option[value="imported"]').forEach(option => option.toggleAttribute('hidden', !there));
}

/**
 * @param {Record<string, import('./types').ControlState>} states
 * @param {Set<string>} busy controls that the reader has moved since the question: their values are newer than the answer
 */
export function applyControls(states, busy) {
  for (const [name, state] of Object.entries(states)) {
    const control = controls().get(name);
    if (!control) continue;
    const { parts, range, frame, note } = control;
    const stops = state.stops?.join(' ');
    if (range && stops && name !== dragged && range.dataset.stops !== stops) {
      range.dataset.stops = stops;
      range.max = String(stopsOf(range).length - 1);
    }
    if (state.value !== undefined && !busy.has(name)) {
      if (name !== writing) setControl(name, String(state.value));
      else if (range) place(range, state.value);
    }
    if (range && state.text !== undefined && range.getAttribute('aria-valuetext') !== state.text) range.setAttribute('aria-valuetext', state.text);
    for (const part of range ? [...parts, range] : parts) {
      if (state.disabled !== undefined && part.disabled !== state.disabled) part.disabled = state.disabled;
    }
    frame?.classList.toggle('kv-off', Boolean(state.disabled));
    if (frame && state.invalid !== undefined && frame.classList.contains('kv-invalid') !== state.invalid) {
      frame.classList.toggle('kv-invalid', state.invalid);
      const first = parts[0];
      if (first?.type !== 'radio') first?.setAttribute('aria-invalid', String(state.invalid));
    }
    if (name === 'config') offerImported(Boolean(state.value));
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
  known = writing = dragged = null;
  imported = false;
}
