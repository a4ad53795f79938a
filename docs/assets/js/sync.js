/**
 * Keeps the page and Python at the same state: at most one question in flight, always about the newest
 * state, at most one a frame. Whatever the reader does meanwhile is in the next question.
 *
 * @typedef {import('./types').Answer} Answer
 * @typedef {object} Page
 * @property {() => Map<string, string>} read every named control, as text
 * @property {() => string} view the drawing of figures that is in sight
 * @property {() => string[]} opened the slots whose table is open
 * @property {unknown} hold what the built page already shows, as Python spelled it
 * @property {() => void} wanted there is something to ask, and nobody yet to ask it
 * @property {(answer: Answer, busy: Set<string>) => void} apply writes an answer; `busy` controls belong to the reader
 * @property {() => void} moved the reader has moved a control
 * @property {(answer: Answer) => void} settled an answer to anything but a step of a drag
 * @property {(error: unknown) => void} failed
 */

/** @returns {Promise<unknown>} the next frame, or a moment later where none is painted: a tab in the background */
const nextFrame = () => new Promise(resolve => {
  requestAnimationFrame(resolve);
  setTimeout(resolve, 100);
});

/** @param {Page} page */
export function makeSync(page) {
  /** @type {import('./types').Ask | null} */
  let ask = null;
  let stopped = false;
  let running = false;
  let dirty = false;       // something to ask about
  let moving = false;      // a range is being dragged
  /** @type {Promise<unknown>} */
  let frame = Promise.resolve();            // the first question after a rest goes out at once
  /** @type {string | null} */
  let fragment = null;
  /** @type {unknown} */
  let hold = page.hold;    // what Python wants to see again
  /** @type {unknown} */
  let more = null;
  /** @type {Record<string, string>} */
  let extra = {};          // what goes with the next question only
  let shown = page.read();                  // what the page and Python last agreed on
  /** @type {Set<string>} */
  let changed = new Set();                  // names moved since the last answered question, in order
  /** @type {(() => void)[]} */
  let waiting = [];

  const finish = () => {
    const resolves = waiting;
    waiting = [];
    resolves.forEach(resolve => resolve());
  };

  async function run() {
    if (!ask && !stopped) page.wanted();
    if (running || stopped || !ask) return;
    running = true;
    try {
      while (!stopped && (dirty || more !== null)) {
        await frame;
        frame = nextFrame();
        if (!stopped) await once();
      }
    } catch (error) {
      page.failed(error);
    }
    running = false;
    finish();
  }

  async function once() {
    const asked = changed, now = page.read(), arriving = fragment, settled = !moving, rest = more !== null && !dirty;
    const request = {
      ...Object.fromEntries(now),
      changed: arriving === null ? [...asked] : [],
      settled,
      view: page.view(),
      opened: page.opened(),
      hold,
      ...(arriving === null ? {} : { fragment: arriving }),
      ...(rest ? { more } : {}),
      ...extra,
    };
    extra = {};
    fragment = null;
    if (arriving === null) changed = new Set();
    dirty = arriving !== null && changed.size > 0;
    /** @type {Answer} */
    const answer = JSON.parse(await /** @type {import('./types').Ask} */ (ask)(JSON.stringify(request)));
    if (stopped) return;
    shown = now;
    more = answer.more ?? null;
    page.apply(answer, changed);
    for (const [name, value] of page.read()) if (!changed.has(name)) shown.set(name, value);
    hold = answer.hold ?? hold;
    if (settled && !rest) page.settled(answer);
  }

  return {
    /** @param {import('./types').Ask} askPython */
    start(askPython) {
      ask = askPython;
      dirty = dirty || changed.size > 0 || fragment !== null;
      run();
    },

    /**
     * The reader moved a control.
     * @param {string | null} name null: nothing moved, but a drag ended
     * @param {import('./types').Gesture} gesture
     */
    touch(name, gesture) {
      if (stopped) return;
      if (name !== null) {
        changed.delete(name);               // a control moved twice counts where it was moved last
        changed.add(name);
      }
      if (gesture !== 'end') page.moved();
      moving = gesture === 'drag';
      dirty = true;
      run();
    },

    /** @param {Record<string, string>} once what Python is to be told beside the controls */
    give(once) {
      extra = once;
      dirty = true;
      run();
    },

    /** @param {string} text the address names a state */
    arrive(text) {
      fragment = text;
      dirty = true;
      run();
    },

    /** @returns {Promise<void>} resolves when the page shows the state of its controls, script-made changes included */
    update() {
      for (const [name, value] of page.read()) {
        if (shown.get(name) !== value && !changed.has(name)) changed.add(name);
      }
      if (changed.size) {
        page.moved();
        dirty = true;
      }
      if (stopped || !(dirty || running || more !== null)) return Promise.resolve();
      /** @type {Promise<void>} */
      const done = new Promise(resolve => waiting.push(resolve));
      run();
      return done;
    },

    stop() {
      stopped = true;
      finish();
    },
  };
}
