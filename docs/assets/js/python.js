/** The worker that runs Python, behind two promises; when it dies it is started again, and who has asked does not notice. */
import { startWorker } from './disk.js';

/** An answer takes milliseconds. After this long without one, nobody is there: a worker that is killed does not say so. */
const SILENT_MS = 10_000;
/** The worker gives up on a boot by itself, rung by rung; this is for one that died over it. */
const BOOT_MS = 300_000;
/** The first time it died by chance, the second by the snapshot; the third time it is what was asked. */
const DEATHS = 3;

/**
 * @typedef {object} Boot how Python was started, for whoever wants to know: window.explainer.boot
 * @property {string} rung empty until it is decided
 * @property {Record<string, number>} timings milliseconds of each stage
 * @property {string[]} failures what went wrong, in technical terms
 * @property {number} restarts
 */

/**
 * @param {URL} runtime the folder with worker.js
 * @param {object} told
 * @param {(error: unknown) => void} told.died called when Python cannot be had any more, after it was ready
 * @param {(state: 'restarting' | 'ready') => void} told.changed
 * @returns {{ready: Promise<string>, ask: import('./types').Ask, boot: Boot}}
 */
export function connect(runtime, { died, changed }) {
  /** @type {Boot} */
  const boot = { rung: '', timings: {}, failures: [], restarts: 0 };
  /** @type {Worker | undefined} */
  let worker;
  /** @type {{request: string, answered: (answer: string) => void} | null} */
  let open = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let up = false, stopped = false, deaths = 0;
  /** @type {(rung: string) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  /** @type {Promise<string>} */
  const ready = new Promise((yes, no) => { [resolve, reject] = [yes, no]; });

  /** @param {number} milliseconds */
  const expect = milliseconds => {
    clearTimeout(timer);
    timer = setTimeout(() => broke(new Error(`no sign of life for ${milliseconds / 1000} s`)), milliseconds);
  };

  const post = () => {
    if (!open || !up) return;
    worker?.postMessage(open.request);
    expect(SILENT_MS);
  };

  async function start() {
    expect(BOOT_MS);
    try {
      const started = await startWorker(runtime, deaths < 2 ? 'delta api' : 'api');
      if (stopped) return started.terminate();
      worker = started;
      worker.onerror = event => {
        event.preventDefault();
        broke(new Error(['worker.js', event.message].filter(Boolean).join(': ')));
      };
      worker.addEventListener('message', ({ data }) => heard(data));
    } catch (error) {
      broke(error);
    }
  }

  /** @param {any} data */
  function heard(data) {
    if (typeof data === 'string') {
      clearTimeout(timer);
      deaths = 0;
      const answered = open?.answered;
      open = null;
      answered?.(data);
    } else if (data.error) {
      broke(new Error(data.error));
    } else if (data.rung) {
      clearTimeout(timer);
      up = true;
      boot.rung = data.rung;
      boot.timings = data.timings;
      boot.failures.push(...data.failures);
      resolve(data.rung);
      changed('ready');
      post();
    } else {
      expect(BOOT_MS);
    }
  }

  /** @param {unknown} error */
  function broke(error) {
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
      reject(error);
    }
  }

  start();
  return {
    ready,
    boot,
    ask: request => new Promise(answered => {
      open = { request, answered };
      post();
    }),
  };
}
