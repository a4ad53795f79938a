/** The connection to the worker that runs Python. A worker that dies is started again and gets the open request once more. */
import { startWorker } from './disk.js';
import { deferred } from './promises.js';
import { BOOTING, watchSilence } from './silence.js';

/** It is restarted after a first death, and after a second one without the snapshot. A third means that the request itself kills it. */
const DEATHS = 3;
/** A worker that never said anything is started once more: its script was lost, or is none of ours. */
const DEATHS_UNHEARD = 2;

/**
 * @typedef {object} Boot how Python was started; window.explainer.boot
 * @property {string} rung the boot method, or "static" if none succeeded; empty until it is decided
 * @property {Record<string, number>} timings milliseconds of each stage
 * @property {string[]} failures what went wrong, in technical terms
 * @property {number} restarts
 */

/**
 * @param {URL} runtime the folder with worker.js
 * @param {object} handlers
 * @param {(error: unknown) => void} handlers.died called when Python was ready once, and cannot be started again
 * @param {(state: 'restarting' | 'unanswered' | 'ready') => void} handlers.changed
 * @returns {{ready: Promise<string>, ask: import('./types').Ask, check: () => void, boot: Boot}}
 */
export function connect(runtime, { died, changed }) {
  /** @type {Boot} */
  const boot = { rung: '', timings: {}, failures: [], restarts: 0 };
  /** @type {Worker | undefined} */
  let worker;
  /** @type {{request: string, answered: (answer: string) => void} | null} the request that has no answer yet */
  let open = null;
  let up = false, wasUp = false, heard = false, stopped = false, deaths = 0, starts = 0;
  /** @type {ReturnType<typeof deferred<string>>} */
  const ready = deferred();
  const silence = watchSilence({
    waits: waiting => { if (up) changed(waiting ? 'unanswered' : 'ready'); },
    dead: fail,
  });

  const post = () => {
    if (!open || !up) return;
    worker?.postMessage(open.request);
    silence.start();
  };

  async function start() {
    const again = starts > 0 && !heard, current = ++starts;
    const isCurrent = () => current === starts && !stopped;
    heard = false;
    silence.start();
    try {
      const started = await startWorker(runtime, { name: deaths < 2 ? 'delta api' : 'api', heard: silence.heard, again });
      if (!isCurrent()) return started.terminate();
      worker = started;
      worker.onerror = event => {
        event.preventDefault();
        if (isCurrent()) fail(new Error(['worker.js', event.message].filter(Boolean).join(': ')));
      };
      worker.addEventListener('message', ({ data }) => { if (isCurrent()) receive(data); });
    } catch (error) {
      if (isCurrent()) fail(error);
    }
  }

  /** A message of the worker; worker.js lists them. @param {any} data */
  function receive(data) {
    if (!heard) silence.start(BOOTING);
    heard = true;
    silence.heard();
    if (typeof data === 'string') {
      deaths = 0;
      const answered = open?.answered;
      open = null;
      silence.stop();
      answered?.(data);
    } else if (data.error) {
      fail(new Error(data.error), data.while === 'boot');
    } else if (data.rung) {
      up = wasUp = true;
      boot.rung = data.rung;
      boot.timings = data.timings;
      boot.failures.push(...data.failures);
      silence.stop();
      ready.resolve(data.rung);
      changed('ready');
      post();
    } else if (up && !open) {
      silence.stop();
    }
  }

  /**
   * The worker is of no more use: start another, or give up.
   * @param {unknown} error
   * @param {boolean} [final] whether the worker has already tried everything
   */
  function fail(error, final = false) {
    const restarts = up;
    up = false;
    silence.stop();
    worker?.terminate();
    if (stopped) return;
    boot.failures.push(error instanceof Error ? error.message : String(error));
    deaths += 1;
    if (!final && deaths < (heard ? DEATHS : DEATHS_UNHEARD)) {
      boot.restarts += 1;
      if (restarts) changed('restarting');
      start();
      return;
    }
    stopped = true;
    boot.rung = 'static';
    if (wasUp) died(error);
    else ready.reject(error);
  }

  start();
  return {
    ready: ready.promise,
    boot,
    /** Find out whether the worker is still there. */
    check() {
      if (!up || open) return;
      worker?.postMessage({ ping: true });
      silence.start();
    },
    ask: request => new Promise(answered => {
      open = { request, answered };
      post();
    }),
  };
}
