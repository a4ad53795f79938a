/**
 * Python, beside the page: a classic worker that boots Pyodide from the vendored runtime and then answers requests.
 *
 * The page learns where the runtime is from <meta name="explainer-runtime" content="assets/runtime/HASH/">, relative to
 * itself, and starts `new Worker(runtime + "worker.js", {name: "delta api"})`: the name says which rungs to try, in order.
 *
 *   page -> worker    "{...}"                                  a request as JSON text, at any time
 *   worker -> page    {stage: "wasm" | ...}                    what is being waited for while booting
 *   worker -> page    {rung, timings, failures}                Python is ready; how it booted, and what did not
 *   worker -> page    "{...}"                                  the answer as JSON text, one for each request, in order
 *   worker -> page    {error, while: "boot" | "answer", fatal} instead of `rung`, or instead of an answer;
 *                                                              when fatal, this worker will answer nothing more
 *   worker -> page    {want: "snapshot.gzip"}                  from disk only: a file of the runtime is needed
 *   page -> worker    {name, base64}                           and this is it
 */
import {textChecksum} from './worker/delta.js';
import {RUNGS} from './worker/rungs.js';
import {limited, receive} from './worker/supplies.js';

/**
 * @typedef {import('./worker/rungs.js').Update} Update
 * @typedef {import('./worker/supplies.js').Manifest} Manifest
 */

/** @type {Manifest} */
// @ts-expect-error: esbuild replaces it
const manifest = MANIFEST;

/** A boot hangs when none of its steps ends for so long. */
const HUNG_MS = 120_000;

/** A browser compiles a function when it first runs, and better when it has run often: the first moves would wait for that. */
const WARM_UP = {answers: 60, after: 1000, pause: 15};

/**
 * One rung, timed, and held to give the answer that it gave when it was built.
 * @param {string} rung
 */
async function climb(rung) {
  /** @type {Record<string, number>} */
  const timings = {};
  let now = '', since = performance.now();
  /** @param {string} stage */
  const stage = stage => {
    if (now) timings[now] = performance.now() - since;
    since = performance.now();
    now = stage;
    self.postMessage({stage});
  };
  const start = RUNGS[rung];
  if (!start) throw new Error('no such rung');
  const update = await limited(start(manifest, stage), HUNG_MS, rung);
  stage('check');
  const {request, answer} = manifest.snapshot.check;
  if (textChecksum(update(request)) !== answer) throw new Error('another answer than when it was built');
  stage('');
  return {update, timings};
}

/** @returns {Promise<Update>} by the first rung that boots and answers */
async function boot() {
  const failures = [];
  for (const rung of (self.name || 'delta api').split(' ')) {
    try {
      const {update, timings} = await climb(rung);
      self.postMessage({rung, timings, failures});
      return update;
    } catch (error) {
      failures.push(`${rung}: ${said(error)}`);
    }
  }
  throw new Error(failures.join('; '));
}

/** @param {unknown} error */
function said(error) {
  return error instanceof Error ? error.message : String(error);
}

let asked = 0, answers = 0;

/**
 * Answer the check again and again while nobody asks anything else, until as much has been answered as makes Python quick.
 * @param {Update} update
 */
async function warmUp(update) {
  asked = performance.now();
  while (answers < WARM_UP.answers) {
    await new Promise(resolve => setTimeout(resolve, WARM_UP.pause));
    if (performance.now() - asked < WARM_UP.after) continue;
    update(manifest.snapshot.check.request);
    answers += 1;
  }
}

const ready = boot();
ready.then(warmUp).catch(() => {}); // whoever asks next will hear of it
ready.catch(error => self.postMessage({error: said(error), while: 'boot', fatal: true}));

self.onmessage = async ({data}) => {
  if (typeof data !== 'string') return receive(data.name, data.base64);
  const update = await ready.catch(() => undefined);
  if (!update) return; // the page has been told that there will be no answers
  asked = performance.now();
  answers += 1;
  try {
    self.postMessage(update(data));
  } catch (error) {
    const fatal = !(error instanceof Error && error.name === 'PythonError'); // an exception leaves Python well
    self.postMessage({error: said(error), while: 'answer', fatal});
  }
};
