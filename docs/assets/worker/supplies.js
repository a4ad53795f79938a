/**
 * The runtime's files, by name: from the folder the worker lies in, or, where the worker is a Blob because the page was
 * opened from disk and nothing can be fetched there, from the page, which has copies of them in scripts.
 *
 * @typedef {object} Manifest what site_hooks/runtime.py says of them; esbuild puts it in the place of MANIFEST
 * @property {Record<string, {bytes: number, sha256: string}>} files
 * @property {{header: {hiwireKeys: any[], immortalKeys: string[]}, kept: number, check: {request: string, answer: number}}} snapshot
 * @property {{arch: "wasm32", abi_version: string, platform: string, version: string, python: string}} python Pyodide's version, as a lock file names it
 */

/** A line on which nothing arrives for so long is dead. */
const STALLED_MS = 20_000;

const fromDisk = self.location.protocol === 'blob:';
const network = self.fetch.bind(self); // while Pyodide boots, another stands in its place

/** @type {Map<string, (base64: string | null) => void>} what the page has been asked for */
const wanted = new Map();

/** @param {string} name @param {string | null} base64 null: the page has no such file */
export function receive(name, base64) {
  wanted.get(name)?.(base64);
}

/**
 * The value of a promise, or an error when it takes too long: a promise may never settle.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} milliseconds
 * @param {string} what
 * @returns {Promise<T>}
 */
export async function limited(promise, milliseconds, what) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing for ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} name @returns {AsyncGenerator<Uint8Array<ArrayBuffer>>} the file as it arrives */
async function* arriving(name) {
  if (fromDisk) {
    /** @type {Promise<string | null>} */
    const asked = new Promise(resolve => wanted.set(name, resolve));
    self.postMessage({want: name});
    const base64 = await limited(asked, STALLED_MS, name);
    if (base64 === null) throw new Error(`${name}: not on this disk`);
    yield Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    return;
  }
  const response = await limited(network(new URL(name, self.location.href), {priority: 'low'}), STALLED_MS, name);
  if (!response.ok || !response.body) throw new Error(`${name}: status ${response.status}`);
  const reader = response.body.getReader();
  for (;;) {
    const {done, value} = await limited(reader.read(), STALLED_MS, name);
    if (done) return;
    yield value;
  }
}

/**
 * A file, whole, inflated while it arrives, and the one that was built: by its hash where the browser has one to offer
 * (it has not on an address without TLS), and else by its length and gzip's own checksum.
 * @param {Manifest} manifest
 * @param {string} name
 * @returns {Promise<ArrayBuffer>}
 */
export async function supply({files}, name) {
  const file = files[name];
  if (!file) throw new Error(`${name}: not in the manifest`);
  const pipe = name.endsWith('.gzip') ? new DecompressionStream('gzip') : new TransformStream();
  const content = new Response(pipe.readable).arrayBuffer();
  content.catch(() => {}); // it is awaited below; until then a failure is not an unhandled one
  const writer = pipe.writable.getWriter();
  /** @type {Promise<void>[]} */
  const written = [];
  const packed = new Uint8Array(file.bytes);
  let length = 0;
  for await (const chunk of arriving(name)) {
    if (length + chunk.length <= packed.length) packed.set(chunk, length);
    length += chunk.length;
    written.push(writer.write(chunk));
  }
  written.push(writer.close());
  const [digest] = await Promise.all([self.crypto.subtle?.digest('SHA-256', packed), ...written]);
  if (length !== file.bytes || (digest && hex(digest) !== file.sha256)) throw new Error(`${name}: not as it was built`);
  return content;
}

/** @param {ArrayBuffer} bytes */
const hex = bytes => [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('');
