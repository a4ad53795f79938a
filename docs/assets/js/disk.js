/**
 * Starts the worker. A page opened from disk may not fetch files or start a worker from one, but it may run scripts of its own
 * folder. So the runtime has a copy of each file in the form of a script, loaded only from disk, and only when the worker asks for it.
 */
const fromDisk = location.protocol === 'file:';

/** @type {{explainerDisk?: Record<string, string>}} the global variable in which the scripts put the files */
const table = /** @type {any} */ (globalThis);

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

/** @param {string} name @param {string} base64 */
function decoded(name, base64) {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  } catch {
    throw new Error(`${name}: not as it was built`);
  }
}

/**
 * @param {URL} runtime
 * @param {string} name the boot methods to try, which the worker reads as its own name
 * @returns {Promise<Worker>}
 */
export async function startWorker(runtime, name) {
  if (!fromDisk) return new Worker(new URL('worker.js', runtime), { name });
  const script = decoded('worker.js', await readFromDisk(runtime, 'worker.js'));
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(address, { name });
  worker.addEventListener('message', async ({ data }) => {
    if (data.load) worker.postMessage({ name: data.load, base64: await readFromDisk(runtime, data.load).catch(() => null) });
  });
  return worker;
}
