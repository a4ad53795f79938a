/** The connection to the worker that runs Python. A worker that dies is started again and gets the open request once more. */
import { startWorker } from './disk.js';
import { deferred } from './promises.js';

/** An answer takes milliseconds. After this time the worker is taken for dead: a browser that kills one does not tell the page. */
const SILENT_MS = 10_000;
/** The worker limits the time of each boot method itself; this is for a worker that dies during the boot. */
const BOOT_MS = 300_000;
/** It is restarted after a first death, and after a second one without the snapshot. A third means that the request itself kills it. */
const DEATHS = 3;

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
 * @param {(state: 'restarting' | 'ready') => void} handlers.changed
 * @returns {{ready: Promise<string>, ask: import('./types').Ask, boot: Boot}}
 */
export function connect(runtime, { died, changed }) {
  /** @type {Boot} */
  const boot = { rung: '', timings: {}, failures: [], restarts: 0 };
  /** @type {Worker | undefined} */
  let worker;
  /** @type {{request: string, answered: (answer: string) => void} | null} the request that has no answer yet */
  let open = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let up = false, stopped = false, deaths = 0;
  /** @type {ReturnType<typeof deferred<string>>} */
  const ready = deferred();

  /** @param {number} milliseconds */
  const expectMessageWithin = milliseconds => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(new Error(`the worker was silent for ${milliseconds / 1000} s`)), milliseconds);
  };

  const post = () => {
    if (!open || !up) return;
    worker?.postMessage(open.request);
    expectMessageWithin(SILENT_MS);
  };

  async function start() {
    expectMessageWithin(BOOT_MS);
    try {
      const started = await startWorker(runtime, deaths < 2 ? 'delta api' : 'api');
      if (stopped) return started.terminate();
      worker = started;
      worker.onerror = event => {
        event.preventDefault();
        fail(new Error(['worker.js', event.message].filter(Boolean).join(': ')));
      };
      worker.addEventListener('message', ({ data }) => receive(data));
    } catch (error) {
      fail(error);
    }
  }

  /** A message of the worker; worker.js lists them. @param {any} data */
  function receive(data) {
    if (typeof data === 'string') {
      clearTimeout(timer);
      deaths = 0;
      const answered = open?.answered;
      open = null;
      answered?.(data);
    } else if (data.error) {
      fail(new Error(data.error));
    } else if (data.rung) {
      clearTimeout(timer);
      up = true;
      boot.rung = data.rung;
      boot.timings = data.timings;
      boot.failures.push(...data.failures);
      ready.resolve(data.rung);
      changed('ready');
      post();
    } else {
      expectMessageWithin(BOOT_MS);
    }
  }

  /** The worker is of no more use: start another, or give up. @param {unknown} error */
  function fail(error) {
    clearTimeout(timer);
    worker?.terminate();
    if (stopped) return;
    boot.failures.push(error instanceof Error ? error.message : String(error));
    deaths += 1;
    const again = up && deaths < DEATHS;
    up = false;
    if (again) {
      boot.restarts += 1;
      changed('restarting');
      start();
    } else {
      stopped = true;
      boot.rung = 'static';
      if (boot.restarts) died(error);
      ready.reject(error);
    }
  }

  start();
  return {
    ready: ready.promise,
    boot,
    ask: request => new Promise(answered => {
      open = { request, answered };
      post();
    }),
  };
}
