/**
 * Starts the worker, always from a Blob. A worker from a network address would be bound by no policy, because the page's own is a
 * meta tag; a worker from a Blob inherits it, so that Python too may ask for files of its own site only. And the script is here
 * before it runs, so it can be checked against the hash that the page was built with.
 *
 * A page opened from disk may not fetch files, but it may run scripts of its own folder. So the runtime has a copy of each file in
 * the form of a script, loaded only from disk, and only when the worker asks for it.
 */
import { download } from './download.js';

const fromDisk = location.protocol === 'file:';

/** @type {{explainerDisk?: Record<string, string>}} the global variable in which the scripts put the files */
const table = /** @type {any} */ (globalThis);

/** @type {Promise<string> | undefined} the address of the worker's Blob: a worker that is started again needs no network */
let script;

/** Called with every chunk of the script that arrives. */
let heard = () => {};

/** @param {URL} runtime @param {string} name @returns {Promise<string>} the file, in base64 */
function readFromDisk(runtime, name) {
  const script = document.createElement('script');
  script.src = new URL(`disk/${name}.js`, runtime).href;
  return new Promise((resolve, reject) => {
    const missing = () => reject(new Error(`${name}: not on this disk`));
    script.onerror = missing;
    script.onload = () => {
      const text = table.explainerDisk?.[name];
      if (table.explainerDisk) delete table.explainerDisk[name]; // megabytes that nobody needs twice
      script.remove();
      if (text) resolve(text);
      else missing();
    };
    document.head.append(script);
  });
}

const NOT_AS_BUILT = 'worker.js: not as it was built';

/** @param {string} base64 */
function decoded(base64) {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0)).buffer;
  } catch {
    throw new Error(NOT_AS_BUILT);
  }
}

/** Throws unless this is the script that the page was built with. Without TLS a browser offers no hash, and then nothing is checked. @param {ArrayBuffer} bytes */
async function check(bytes) {
  const expected = /** @type {HTMLElement | null} */ (document.querySelector('meta[name="explainer-runtime"]'))?.dataset.workerSha256;
  const digest = await crypto.subtle?.digest('SHA-256', bytes);
  if (!digest) return;
  const found = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('');
  if (found !== expected) throw new Error(NOT_AS_BUILT);
}

/** @param {URL} runtime @param {RequestCache} cache @returns {Promise<string>} */
async function readScript(runtime, cache) {
  const bytes = fromDisk
    ? decoded(await readFromDisk(runtime, 'worker.js'))
    : await download(new URL('worker.js', runtime), { heard: () => heard(), cache });
  await check(bytes);
  // A Blob has no folder, so the worker is told where its files are; from disk there is no address that it could fetch from.
  const head = fromDisk ? '' : `self.explainerRuntime = ${JSON.stringify(runtime.href)};\n`;
  return URL.createObjectURL(new Blob([head, bytes], { type: 'text/javascript' }));
}

/** @param {URL} runtime @param {RequestCache} cache @returns {Promise<string>} the address of the worker's Blob; after a failure the next call tries again */
function workerScript(runtime, cache = 'default') {
  script ??= readScript(runtime, cache).catch(error => {
    script = undefined;
    throw error;
  });
  return script;
}

/** Ask for the worker's script before the worker is needed; a failure is reported when it is. @param {URL} runtime */
export function prepareWorker(runtime) {
  if (!fromDisk) workerScript(runtime).catch(() => {}); // from disk it would delay the first paint
}

/**
 * @param {URL} runtime
 * @param {object} options
 * @param {string} options.name the boot methods to try, which the worker reads as its own name
 * @param {() => void} options.heard called with every chunk of the worker's script that arrives
 * @param {boolean} options.again whether the last worker said nothing: then its script is asked for again, past the browser's cache
 * @returns {Promise<Worker>}
 */
export async function startWorker(runtime, options) {
  heard = options.heard;
  if (options.again) script = undefined;
  const worker = new Worker(await workerScript(runtime, options.again ? 'reload' : 'default'), { name: options.name });
  if (fromDisk) {
    worker.addEventListener('message', async ({ data }) => {
      if (data.load) worker.postMessage({ name: data.load, base64: await readFromDisk(runtime, data.load).catch(() => null) });
    });
  }
  return worker;
}
