/**
 * The browser's side of the slot contract: read the controls, ask Python, write its answer into the page.
 * These files hold no text for readers, and compute nothing about models.
 */
import { showBoot } from './js/boot_panel.js';
import { applyControls, builtControls, readControls, restoreForms, setControl, unlockForms } from './js/controls.js';
import { offerCopies } from './js/copy.js';
import { prepareWorker } from './js/disk.js';
import { listenForSearch } from './js/find.js';
import { listenForGestures } from './js/gestures.js';
import { listenForImports } from './js/import.js';
import { followState, keepMoves, offerLink, showFragment, showLab, stateInAddress } from './js/link.js';
import { isOutdated, keepOffline } from './js/offline.js';
import { deferred, firstPaint } from './js/promises.js';
import { connect } from './js/python.js';
import { applySlots, openedTables, restoreSlots, visibleWidth } from './js/slots.js';
import { sortTables } from './js/sort.js';
import { announce, showState } from './js/status.js';
import { makeSync } from './js/sync.js';

/** `explainer.ready` resolves after this time at the latest: a reader who saves data may never need Python. */
const LIMIT_MS = 600_000;

const savesData = Boolean(/** @type {{connection?: {saveData?: boolean}}} */ (navigator).connection?.saveData);

/**
 * Start Python in a worker after the first paint; for a reader who saves data, not before it is needed.
 * @param {string} folder the runtime's
 * @param {Promise<void>} needed
 * @param {Parameters<typeof connect>[1]} handlers
 */
async function startPython(folder, needed, handlers) {
  if (savesData) await needed;
  const runtime = new URL(folder, document.baseURI);
  prepareWorker(runtime);
  await firstPaint();
  return connect(runtime, handlers);
}

/**
 * Connect the forms of this page with Python.
 * @param {HTMLElement} form one with the state that the page was built with
 * @param {string} folder the runtime's
 * @returns {{update: () => Promise<void>, ready: Promise<{rung: string}>}}
 */
function makeLive(form, folder) {
  /** @type {ReturnType<typeof deferred<void>>} */
  const needed = deferred();
  const sync = makeSync({
    built: builtControls(),
    read: readControls,
    view: visibleWidth,
    opened: openedTables,
    hold: JSON.parse(form.dataset.hold ?? 'null'),
    needed: () => needed.resolve(),
    moved(name) {
      followState();
      if (name === 'model') imports.drop(); // choosing another model withdraws an import
    },
    apply(answer, newer) {
      applySlots(answer.slots ?? {});
      applyControls(answer.controls ?? {}, newer);
    },
    settled(answer) {
      announce([answer.announce, ...(answer.problems ?? [])].filter(Boolean).join(' '));
      if (answer.fragment) showFragment(answer.fragment);
    },
    failed: fail,
  });

  /** Show the page as it was built, with the error. @param {unknown} error */
  async function fail(error) {
    keepMoves(sync.unsent());
    sync.stop();
    restoreSlots();
    restoreForms();
    showState('failed', error instanceof Error && error.message ? error.message : String(error));
    if (await isOutdated(folder)) showState('outdated');
  }

  /** Go to the state in the address, if it names one. */
  function openLink() {
    const fragment = stateInAddress();
    if (fragment === null) return;
    followState();
    imports.drop();
    sync.arrive(fragment);
    showLab();
  }

  /** @param {ReturnType<typeof startPython>} starting @returns {Promise<{rung: string}>} */
  async function waitForPython(starting) {
    const python = await starting;
    explainer.boot = python.boot;
    if (!python.boot.rung) showState('starting');
    try {
      const rung = await python.ready;
      sync.start(python.ask);
      if (!savesData) keepOffline();
      addEventListener('pageshow', ({ persisted }) => { if (persisted) python.check(); });
      return { rung };
    } catch (error) {
      await fail(error);
      return { rung: 'static' };
    } finally {
      showBoot(python.boot);
    }
  }

  showState(savesData ? 'waiting' : 'starting');
  const starting = startPython(folder, needed.promise, { died: fail, changed: showState });
  if (savesData) {
    // Python can start a little before a control moves: when the control gets the focus.
    document.addEventListener('focusin', ({ target }) => {
      if (target instanceof Element && target.closest('.kv-controls, [data-set]')) needed.resolve();
    });
  }
  unlockForms();
  offerLink(form.dataset.fragment ?? '');
  offerCopies();
  listenForGestures({ touch: sync.touch, set: setControl });
  const imports = listenForImports({ give: sync.give, withdraw: sync.withdraw, started: followState });
  listenForSearch(name => sync.touch(name, 'move'));
  addEventListener('hashchange', openLink);
  openLink();
  sync.update();
  return { update: sync.update, ready: waitForPython(starting) };
}

const folder = document.querySelector('meta[name="explainer-runtime"]')?.getAttribute('content');
const form = document.querySelector('form[data-hold]');

/** For tests and other scripts on the page. */
const explainer = {
  /** @type {() => Promise<void>} resolves when the page shows the state of its controls; a page without Python does so from the start */
  update: () => Promise.resolve(),
  /** @type {import('./js/python.js').Boot | null} */
  boot: null,
  /** @type {Promise<{rung: string}>} resolves when it is decided how Python was started, or that it was not */
  ready: Promise.resolve({ rung: 'static' }),
};
if (folder && form instanceof HTMLElement) {
  const live = makeLive(form, folder);
  /** @type {Promise<{rung: string}>} */
  const limit = new Promise(resolve => setTimeout(() => resolve({ rung: 'static' }), LIMIT_MS));
  explainer.update = live.update;
  explainer.ready = Promise.race([live.ready, limit]);
}
sortTables();
Object.assign(window, { explainer });
