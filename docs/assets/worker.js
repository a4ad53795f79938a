/**
 * Python, beside the page: a classic worker that boots Pyodide from the vendored runtime and then answers requests.
 *
 * The page learns where the runtime is from <meta name="explainer-runtime" content="assets/runtime/HASH/">, relative to
 * itself, and starts `new Worker(runtime + "worker.js")`. The worker boots at once from the folder it lies in. Then:
 *
 *   page -> worker    "{...}"                                              a request as JSON text, at any time
 *   worker -> page    {stage: "wasm" | "python" | "kvcore"}                what is being waited for while booting
 *   worker -> page    {rung: "api"}                                        Python is ready, and this is how it booted
 *   worker -> page    "{...}"                                              the answer as JSON text, one for each request, in order
 *   worker -> page    {error: "...", while: "boot" | "answer", fatal}      instead of `rung`, or instead of an answer;
 *                                                                          when fatal, this worker will answer nothing more
 */
import createPyodideModule from 'pyodide/pyodide.asm.mjs';
import {loadPyodide} from 'pyodide/pyodide.mjs';

/** No stage may take longer than this without the page being told. */
const PATIENCE_MS = 60_000;

/** @typedef {(request: string) => string} Update kvcore.page.update */

const network = self.fetch.bind(self);

/**
 * The value of a promise, or an error that names the stage when it takes too long: a promise may never settle.
 * @template T
 * @param {string} stage
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function during(stage, work) {
  self.postMessage({stage});
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${stage}: not done after ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work(), /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {URL} url */
async function download(url) {
  const response = await network(url);
  if (!response.ok) throw new Error(`${url.pathname}: status ${response.status}`);
  return response;
}

/**
 * Compiled here, where a failure is an error: Pyodide only warns of one in the console, and then waits for ever.
 * @param {URL} url
 */
async function compile(url) {
  const response = await download(url);
  const streams = response.headers.get('Content-Type') === 'application/wasm';
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Boot through Pyodide's public interface.
 * @param {URL} runtime
 * @returns {Promise<Update>}
 */
async function bootApi(runtime) {
  const wasmUrl = new URL('pyodide.asm.wasm', runtime);
  const libraryUrl = new URL('python_stdlib.zip', runtime);
  const library = download(libraryUrl);
  library.catch(() => {}); // it is awaited below; until then a failure is not an unhandled one
  const [wasm, lock] = await during('wasm', () =>
    Promise.all([compile(wasmUrl), download(new URL('pyodide-lock.json', runtime)).then(response => response.json())]));
  const fetched = new Map([[wasmUrl.href, new Response()], [libraryUrl.href, await during('python', () => library)]]);
  const {fetch} = self, {instantiateStreaming} = WebAssembly;
  self.fetch = async (input, init) => fetched.get(String(input)) ?? network(input, init);
  WebAssembly.instantiateStreaming = async (_, imports) =>
    ({module: wasm, instance: await WebAssembly.instantiate(wasm, imports)});
  try {
    const base = runtime.href;
    const python = await during('python', () => loadPyodide({
      indexURL: base, packageBaseUrl: base, lockFileContents: lock, createPyodideModule: createPyodideModule,
    }));
    return await during('kvcore', async () => {
      await python.loadPackage('kvcore', {messageCallback: () => {}, checkIntegrity: true}); // by the sha256 in the lock
      return python.pyimport('kvcore.page').update;
    });
  } finally {
    self.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/** The ways to boot, the fastest first; each is tried when the one before it fails. */
const RUNGS = {api: bootApi};

/**
 * The first rung that boots and answers.
 * @param {URL} runtime
 * @returns {Promise<Update>}
 */
async function boot(runtime) {
  const failures = [];
  for (const [rung, start] of Object.entries(RUNGS)) {
    try {
      const update = await start(runtime);
      self.postMessage({rung});
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

const ready = boot(new URL('.', self.location.href));
ready.catch(error => self.postMessage({error: said(error), while: 'boot', fatal: true}));

self.onmessage = async ({data}) => {
  const update = await ready.catch(() => undefined);
  if (!update) return; // the page has been told that there will be no answers
  try {
    self.postMessage(update(data));
  } catch (error) {
    const fatal = !(error instanceof Error && error.name === 'PythonError'); // an exception leaves Python well
    self.postMessage({error: said(error), while: 'answer', fatal});
  }
};
