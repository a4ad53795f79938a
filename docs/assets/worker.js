/**
 * The worker that runs Python: a classic worker that boots Pyodide from the vendored runtime and then answers requests.
 *
 * The page reads the runtime's folder from <meta name="explainer-runtime" content="assets/runtime/HASH/">, relative to
 * the page, and starts this script from a Blob, under the page's policy (js/disk.js). The worker's name, "delta api", lists the boot
 * methods to try, in order.
 *
 *   page -> worker    "{...}"                                  a request as JSON text, at any time
 *   worker -> page    {stage: "wasm" | ...}                    the stage of the boot that begins
 *   worker -> page    {alive: true}                            every second of the boot, and in answer to {ping}: the worker is alive
 *   page -> worker    {ping: true}                             asks for it, where the browser may have ended the worker
 *   worker -> page    {rung, timings, failures}                Python is ready: by which boot method, and why earlier ones failed
 *   worker -> page    "{...}"                                  the answer as JSON text, one for each request, in order
 *   worker -> page    {error, while: "boot" | "answer", fatal} instead of `rung`, or instead of an answer;
 *                                                              if fatal, this worker answers nothing more
 *   worker -> page    {load: "snapshot.gzip"}                  only if opened from disk: the worker needs a file of the runtime
 *   page -> worker    {name, base64}                           and this is the file, or null for base64 if there is none
 */
import {progressed, whileAlive} from './worker/alive.js';
import {BOOT_METHODS} from './worker/boot.js';
import {textChecksum} from './worker/delta.js';
import {receive} from './worker/load.js';

/**
 * @typedef {import('./worker/boot.js').Update} Update
 * @typedef {import('./worker/load.js').Manifest} Manifest
 */

/** @type {Manifest} */
// @ts-expect-error: esbuild replaces it
const manifest = MANIFEST;

/** Browsers compile a function when it first runs, and optimise it when it has run often. These answers do that before the reader moves anything. */
const WARM_UP = {answers: 60, after: 1000, pause: 15};

/**
 * Boot by one method, time its stages, and check that Python answers as it did at build time.
 * @param {string} rung the boot method
 */
async function bootBy(rung) {
  /** @type {Record<string, number>} */
  const timings = {};
  let current = '', since = performance.now();
  /** @param {string} next */
  const stage = next => {
    if (current) timings[current] = performance.now() - since;
    since = performance.now();
    current = next;
    progressed();
    self.postMessage({stage: next});
  };
  const start = BOOT_METHODS[rung];
  if (!start) throw new Error('no such boot method');
  const update = await whileAlive(start(manifest, stage), rung);
  stage('check');
  const {request, answer} = manifest.snapshot.check;
  if (textChecksum(update(request)) !== answer) throw new Error('another answer than when it was built');
  stage('');
  return {update, timings};
}

/** @returns {Promise<Update>} by the first boot method that succeeds */
async function boot() {
  const failures = [];
  for (const rung of (self.name || 'delta api').split(' ')) {
    try {
      const {update, timings} = await bootBy(rung);
      self.postMessage({rung, timings, failures});
      return update;
    } catch (error) {
      failures.push(`${rung}: ${message(error)}`);
    }
  }
  throw new Error(failures.join('; '));
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}

let lastRequest = 0, answers = 0;

/**
 * Answer the check request again and again while the page asks nothing, until enough answers have been given to warm up Python.
 * @param {Update} update
 */
async function warmUp(update) {
  lastRequest = performance.now();
  while (answers < WARM_UP.answers) {
    await new Promise(resolve => setTimeout(resolve, WARM_UP.pause));
    if (performance.now() - lastRequest < WARM_UP.after) continue;
    update(manifest.snapshot.check.request);
    answers += 1;
  }
}

const ready = boot();
ready.then(warmUp).catch(() => {}); // an error of Python's is reported when the next request fails by it
ready.catch(error => self.postMessage({error: message(error), while: 'boot', fatal: true}));

self.onmessage = async ({data}) => {
  if (data.ping) return self.postMessage({alive: true});
  if (typeof data !== 'string') return receive(data.name, data.base64);
  const update = await ready.catch(() => undefined);
  if (!update) return; // the page was told when the boot failed
  lastRequest = performance.now();
  answers += 1;
  try {
    self.postMessage(update(data));
  } catch (error) {
    const fatal = !(error instanceof Error && error.name === 'PythonError'); // after a Python exception the interpreter is fine
    self.postMessage({error: message(error), while: 'answer', fatal});
  }
};
