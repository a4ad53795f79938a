/**
 * The page's side of the slot contract: collect the controls, ask Python, write what it answers.
 * No sentence a reader sees and no arithmetic on a quantity stands in these files.
 */
import { applyControls, readControls, restoreForms, setControl, unlockForms } from './js/controls.js';
import { listenForSearch } from './js/find.js';
import { listen } from './js/gestures.js';
import { listenForImports } from './js/import.js';
import { followState, offerLink, showFragment, stateInAddress } from './js/link.js';
import { isOutdated, keepOffline } from './js/offline.js';
import { connect } from './js/python.js';
import { showBoot } from './js/runs.js';
import { applySlots, drawingInSight, openedTables, restoreSlots } from './js/slots.js';
import { sortTables } from './js/sort.js';
import { announce, showState } from './js/status.js';
import { makeSync } from './js/sync.js';

/** A reader who saves data may never want Python; whoever waits for Python is not kept for longer. */
const LIMIT_MS = 600_000;

/** @returns {Promise<unknown>} when something is painted, or a moment later where nothing is: a tab in the background */
const painted = () => new Promise(resolve => {
  if (performance.getEntriesByType('paint').length) resolve(undefined);
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 1000);
});

const savesData = Boolean(/** @type {{connection?: {saveData?: boolean}}} */ (navigator).connection?.saveData);

/** Called when there is something to ask. */
let want = () => {};
/** A reader who saves data pays for Python only then, or a little before: a control has the focus before it moves. */
const wanted = new Promise(resolve => {
  want = () => resolve(undefined);
  if (savesData) document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('.kv-controls, [data-set]')) want();
  });
});

/** @returns {Promise<{rung: string}>} */
async function main() {
  const folder = document.querySelector('meta[name="explainer-runtime"]')?.getAttribute('content');
  const starting = folder ? start(folder) : null;
  sortTables();
  const form = document.querySelector('form[data-hold]');
  return folder && starting && form instanceof HTMLElement ? talk(form, folder, starting) : { rung: 'static' };
}

/**
 * Python, begun in a worker as soon as that is in nobody's way.
 * @param {string} folder
 */
async function start(folder) {
  document.documentElement.dataset.python = savesData ? 'waiting' : 'starting';
  if (savesData) await wanted;
  await painted();
  const python = connect(new URL(folder, document.baseURI), { died: error => died(error), changed: showState });
  explainer.boot = python.boot;
  return python;
}

/** @type {(error: unknown) => void} */
let died = () => {};

/**
 * @param {HTMLElement} form
 * @param {string} folder the runtime's
 * @param {ReturnType<typeof start>} starting
 * @returns {Promise<{rung: string}>}
 */
async function talk(form, folder, starting) {
  const sync = makeSync({
    read: readControls,
    view: drawingInSight,
    opened: openedTables,
    hold: JSON.parse(form.dataset.hold ?? 'null'),
    wanted: want,
    apply(answer, busy) {
      applySlots(answer.slots ?? {});
      applyControls(answer.controls ?? {}, busy);
    },
    moved: followState,
    settled(answer) {
      announce([answer.announce, ...(answer.problems ?? [])].filter(Boolean).join(' '));
      if (answer.fragment) showFragment(answer.fragment);
    },
    failed: fail,
  });
  update = sync.update;

  /** @param {unknown} error */
  function fail(error) {
    sync.stop();
    restoreSlots();
    restoreForms();
    for (const button of document.querySelectorAll('button[data-set]')) button.setAttribute('disabled', '');
    showState('failed', error instanceof Error && error.message ? error.message : String(error));
  }

  unlockForms();
  offerLink(form.dataset.fragment ?? '');
  listen({ touch: sync.touch, set: setControl });
  listenForImports({ give: sync.give, started: followState });
  listenForSearch(name => sync.touch(name, 'move'));
  const arrive = () => {
    const fragment = stateInAddress();
    if (fragment === null) return;
    followState();
    sync.arrive(fragment);
  };
  addEventListener('hashchange', arrive);
  arrive();

  showState(savesData ? 'waiting' : 'starting');
  const python = await starting;
  died = fail;
  if (!python.boot.rung) showState('starting');
  try {
    const rung = await python.ready;
    sync.start(python.ask);
    if (!savesData) keepOffline();
    return { rung };
  } catch (error) {
    fail(error);
    if (await isOutdated(folder)) showState('outdated');
    return { rung: 'static' };
  } finally {
    showBoot(python.boot);
  }
}

/** Before there is anyone to ask, the page shows what it was built with, and that is up to date. */
let update = () => Promise.resolve();

/** What tests and other scripts on the page may wait for, and read. */
const explainer = {
  update: () => update(),
  /** @type {import('./js/python.js').Boot | null} */
  boot: null,
  ready: Promise.resolve({ rung: 'static' }),
};
explainer.ready = Promise.race([main(), new Promise(resolve => setTimeout(() => resolve({ rung: 'static' }), LIMIT_MS))]);
Object.assign(window, { explainer });
