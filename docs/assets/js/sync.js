/**
 * Keeps the page and Python in the same state. At most one request is in flight and at most one is sent a frame; each has the
 * newest state, so what the reader does while one is in flight goes into the next.
 */
import { nextFrame } from './promises.js';

/** @param {import('./types').Page} page */
export function makeSync(page) {
  /** @type {import('./types').Ask | null} */
  let ask = null;
  let stopped = false;
  let running = false;
  let dirty = false;                        // there is something to ask
  let dragging = false;
  /** @type {Promise<unknown>} */
  let frame = Promise.resolve();            // so the first request after a pause is sent at once
  /** @type {string | null} */
  let fragment = null;                      // the state that the address named, until it is sent
  let hold = page.hold;
  /** @type {unknown} */
  let more = null;                          // the token to ask for the rest of the last answer
  /** @type {Record<string, string>} */
  let extra = {};                           // fields of the next request only
  let shown = page.built;                   // the values of the controls that Python knows
  /** @type {Set<string>} */
  let changed = new Set();                  // controls moved since the last request was sent, in the order in which they moved
  /** @type {(() => void)[]} */
  const waiting = [];                       // functions to call when the page is up to date
  const finish = () => waiting.splice(0).forEach(resolve => resolve());

  async function run() {
    if (!ask && !stopped) page.needed();
    if (running || stopped || !ask) return;
    running = true;
    try {
      while (!stopped && (dirty || more !== null)) {
        await frame;
        frame = nextFrame();
        if (!stopped) await exchange(ask);
      }
    } catch (error) {
      page.failed(error);
    }
    running = false;
    finish();
  }

  /** Send one request, and write its answer. @param {import('./types').Ask} ask */
  async function exchange(ask) {
    const values = page.read(), link = fragment, settled = !dragging, rest = more !== null && !dirty;
    const request = {
      ...Object.fromEntries(values),
      changed: link === null ? [...changed] : [],
      settled,
      view: page.view(),
      opened: page.opened(),
      hold,
      ...(link === null ? {} : { fragment: link }),
      ...(rest ? { more } : {}),
      ...extra,
    };
    extra = {};
    fragment = null;
    if (link === null) changed = new Set();
    dirty = link !== null && changed.size > 0;
    /** @type {import('./types').Answer} */
    const answer = JSON.parse(await ask(JSON.stringify(request)));
    if (stopped) return;
    shown = values;
    more = answer.more ?? null;
    page.apply(answer, changed);
    for (const [name, value] of page.read()) if (!changed.has(name)) shown.set(name, value);
    hold = answer.hold ?? hold;
    if (settled && !rest) page.settled(answer);
  }

  return {
    /** Python is ready. @param {import('./types').Ask} askPython */
    start(askPython) {
      ask = askPython;
      dirty ||= changed.size > 0 || fragment !== null;
      run();
    },

    /**
     * The reader did something to a control.
     * @param {string | null} name null: a drag ended at the value of its last step
     * @param {import('./types').Gesture} gesture
     */
    touch(name, gesture) {
      if (stopped) return;
      if (name !== null) {
        changed.delete(name);               // so that a control that moves again is the last in order
        changed.add(name);
        if (gesture !== 'end') page.moved(name);
      }
      dragging = gesture === 'drag';
      dirty = true;
      run();
    },

    /** @param {Record<string, string>} fields to send with the next request, such as a config */
    give(fields) {
      extra = fields;
      dirty = true;
      run();
    },

    /** What was given and is not sent yet is no longer wanted. */
    withdraw() {
      extra = {};
    },

    /** @param {string} text the state that the address names */
    arrive(text) {
      fragment = text;
      dirty = true;
      run();
    },

    /** @returns {Promise<void>} resolves when the page shows the state of its controls, including values set by a script */
    update() {
      for (const [name, value] of page.read()) {
        if (shown.get(name) === value || changed.has(name)) continue;
        changed.add(name);
        page.moved(name);
      }
      dirty ||= changed.size > 0;
      if (stopped || !(dirty || running || more !== null)) return Promise.resolve();
      /** @type {Promise<void>} */
      const done = new Promise(resolve => waiting.push(resolve));
      run();
      return done;
    },

    /** @returns {[string, string][]} the controls that have moved since the last request was sent, with their values */
    unsent: () => [...page.read()].filter(([name]) => changed.has(name)),

    stop() {
      stopped = true;
      finish();
    },
  };
}
