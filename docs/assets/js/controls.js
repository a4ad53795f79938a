/**
 * The controls of the forms. Named elements hold the state; a range has no name and follows its number box. A control may have a second
 * range elsewhere on the page.
 *
 * @typedef {HTMLInputElement | HTMLSelectElement} Named
 */
import { place, setStops } from './stops.js';

/** @type {Map<HTMLFormElement, string>} the HTML of each form as it was built */
const built = new Map();

const forms = () => /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll('form.kv-controls')]);

/**
 * The elements of a control: one box or select, or all radios of a choice; the ranges of a box, the one beside it first; its frame and its note.
 *
 * @typedef {{parts: Named[], ranges: HTMLInputElement[], frame: Element | null, note: Element | null}} Control
 * @type {Map<string, Control> | null}
 */
let cached = null;

/** @returns {Map<string, Control>} every control by its name, looked up once */
function controls() {
  if (cached) return cached;
  cached = new Map();
  for (const part of /** @type {Named[]} */ ([...document.querySelectorAll('form.kv-controls :is(input, select)[name]')])) {
    const frame = part.closest('[data-control]'), control = cached.get(part.name);
    if (control) control.parts.push(part);
    else cached.set(part.name, { parts: [part], ranges: [], frame, note: frame?.querySelector('.kv-note') ?? null });
  }
  const ranges = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('form.kv-controls .kv-range')]);
  for (const range of ranges) {
    const found = cached.get(range.dataset.for ?? '')?.ranges;
    if (range.closest('[data-control]')) found?.unshift(range);
    else found?.push(range);
  }
  return cached;
}

/** @param {string} name @returns {HTMLInputElement | null} the range beside the box */
export const rangeOf = name => controls().get(name)?.ranges[0] ?? null;

/** @param {string} name @returns {Named | null} the box beside a range */
export const boxOf = name => controls().get(name)?.parts[0] ?? null;

/** The name of the box in which the reader is typing: its text is not replaced meanwhile. @type {string | null} */
let typing = null;
/** The range that is being dragged. @type {HTMLInputElement | null} */
let dragged = null;

/** @param {string | null} name */
export const setTyping = name => { typing = name; };
/** @param {HTMLInputElement | null} range */
export const setDragged = range => { dragged = range; };
export const isDragging = () => dragged !== null;

/** @returns {Map<string, string>} the value of every control */
export function readControls() {
  const values = new Map();
  for (const [name, { parts }] of controls()) {
    for (const part of parts) {
      if (part.type !== 'radio' || /** @type {HTMLInputElement} */ (part).checked) values.set(name, part.value);
    }
  }
  return values;
}

/** @returns {Map<string, string>} the value of every control as the page was built, whatever has been set since */
export function builtControls() {
  const values = new Map();
  for (const [name, { parts }] of controls()) {
    for (const part of parts) {
      if (part instanceof HTMLSelectElement) {
        const options = [...part.options];
        values.set(name, (options.find(option => option.defaultSelected) ?? options[0])?.value ?? '');
      } else if (part.type !== 'radio' || part.defaultChecked) {
        values.set(name, part.defaultValue);
      }
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
  if (value.trim() !== '' && Number.isFinite(Number(value))) placeAll(control?.ranges ?? [], value);
  return control !== undefined;
}

/** Move the ranges of a control to a value, except the one that the reader drags. @param {HTMLInputElement[]} ranges @param {string | number} value */
function placeAll(ranges, value) {
  for (const range of ranges) if (range !== dragged) place(range, value);
}

let offersImported = false;

/** Show or hide the option for the imported model. @param {boolean} imported whether there is one */
function offerImported(imported) {
  if (offersImported === imported) return;
  offersImported = imported;
  for (const form of forms()) form.querySelectorAll('option[value="imported"]').forEach(option => option.toggleAttribute('hidden', !imported));
}

/**
 * @param {Record<string, import('./types').ControlState>} states
 * @param {Set<string>} newer controls that the reader has moved since the request: their values are newer than the answer
 */
export function applyControls(states, newer) {
  for (const [name, state] of Object.entries(states)) {
    const control = controls().get(name);
    if (!control) continue;
    const { parts, ranges, frame, note } = control;
    for (const range of ranges) if (state.stops?.length && range !== dragged) setStops(range, state.stops);
    if (state.value !== undefined && !newer.has(name)) {
      if (name !== typing) setControl(name, String(state.value));
      else placeAll(ranges, state.value);
    }
    for (const range of ranges) {
      if (state.text !== undefined && range.getAttribute('aria-valuetext') !== state.text) range.setAttribute('aria-valuetext', state.text);
    }
    for (const part of [...parts, ...ranges]) {
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

/** Forms are built disabled, because nothing answers them without Python. This enables them. */
export function unlockForms() {
  for (const form of forms()) {
    built.set(form, form.innerHTML);
    form.querySelectorAll(':scope > fieldset').forEach(set => set.removeAttribute('disabled'));
  }
}

/** Bring the forms back to their built state: default values, and disabled; the buttons that set controls too. */
export function restoreForms() {
  for (const [form, html] of built) form.innerHTML = html;
  for (const button of document.querySelectorAll('button[data-set]')) button.setAttribute('disabled', '');
  cached = typing = dragged = null;
  offersImported = false;
}
