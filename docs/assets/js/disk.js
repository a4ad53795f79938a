/**
 * A page opened from disk may fetch nothing and start no worker from a file, but scripts of its own folder run. So the
 * runtime's files stand there a second time, each in a script; they are loaded from disk only, and only when asked for.
 */
const fromDisk = location.protocol === 'file:';

/** @type {{explainerDisk?: Record<string, string>}} where the scripts leave what they hold */
const table = /** @type {any} */ (globalThis);

/** @param {URL} runtime @param {string} name @returns {Promise<string>} the file, in base64 */
function read(runtime, name) {
  const script = document.createElement('script');
  script.src = new URL(`disk/${name}.js`, runtime).href;
  return new Promise((resolve, reject) => {
    const missing = () => reject(new Error(`${name}: not on this disk`));
    script.onerror = missing;
    script.onload = () => {
      const text = table.explainerDisk?.[name];
      if (table.explainerDisk) delete table.explainerDisk[name]; // it is megabytes long
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
 * @param {string} name what the worker learns about itself: the rungs to try
 * @returns {Promise<Worker>}
 */
export async function startWorker(runtime, name) {
  if (!fromDisk) return new Worker(new URL('worker.js', runtime), { name });
  const script = decoded('worker.js', await read(runtime, 'worker.js'));
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(address, { name });
  worker.addEventListener('message', async ({ data }) => {
    if (data.want) worker.postMessage({ name: data.want, base64: await read(runtime, data.want).catch(() => null) });
  });
  return worker;
}
