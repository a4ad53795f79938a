/**
 * The boot methods: two ways to start Python. Both call `loadPyodide`; they differ in what Python's memory begins with.
 *
 * - delta: a snapshot in which kvcore is imported and has answered everything once, so that nothing is left to import
 * - api: Pyodide's public interface only: a new interpreter, a standard library that was compiled at build time, and kvcore's wheel
 */
import createPyodideModule from 'pyodide/pyodide.asm.mjs';
import {loadPyodide} from 'pyodide/pyodide.mjs';
import {restore} from './delta.js';
import {load, withTimeout} from './load.js';

/**
 * @typedef {(request: string) => string} Update kvcore.page.update
 * @typedef {import('./load.js').Manifest} Manifest
 * @typedef {(stage: string) => void} Stage called when the next stage of a boot begins
 * @typedef {Parameters<NonNullable<NonNullable<Parameters<typeof loadPyodide>[0]>['createPyodideModule']>>[0]} Settings
 */

/** Longer than a step of a boot takes on any computer still in use; downloads have their own limit. */
const STEP_MS = 30_000;

const EMPTY_ZIP = new Uint8Array([80, 75, 5, 6, ...new Array(18).fill(0)]);
const FLAGS = {PYTHONOPTIMIZE: '2', PYTHONNODEBUGRANGES: '1'};

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiling;

/**
 * CPython, compiled here and not by Pyodide: if that fails, Pyodide only writes a warning to the console and waits for ever.
 * Both boot methods share it; after a failure it is forgotten, so that the next one asks for the file again.
 * @param {Manifest} manifest
 */
const compile = manifest => compiling ??= load(manifest, 'pyodide.asm.wasm.gzip').then(WebAssembly.compile).catch(error => {
  compiling = undefined;
  throw error;
});

/**
 * Runs `work` while `fetch` and `WebAssembly.instantiateStreaming` are replaced, so that Pyodide gets the files and the compiled
 * module that are already here instead of downloading them.
 * @template T
 * @param {WebAssembly.Module} wasm
 * @param {(address: string) => BodyInit | undefined} fileAt
 * @param {() => Promise<T>} work
 */
async function withoutNetwork(wasm, fileAt, work) {
  const {fetch} = self, {instantiateStreaming} = WebAssembly;
  self.fetch = async input => new Response(fileAt(String(input)));
  WebAssembly.instantiateStreaming = async (_, imports) =>
    ({module: wasm, instance: await WebAssembly.instantiate(wasm, imports)});
  try {
    return await work();
  } finally {
    self.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/** @param {string} address */
const fileName = address => address.slice(address.lastIndexOf('/') + 1);

/** Nothing is fetched from this address, but Pyodide requires one. */
const base = 'https://runtime.invalid/';
const addresses = {indexURL: base, packageBaseUrl: base, stdLibURL: `${base}library.zip`};

/** @param {Manifest} manifest @param {Stage} stage @returns {Promise<Update>} */
async function bootDelta(manifest, stage) {
  const {header, kept} = manifest.snapshot;
  const snapshot = load(manifest, 'snapshot.gzip'); // downloaded while the wasm is compiled and the memory initialised
  snapshot.catch(() => {});
  stage('wasm');
  const wasm = await compile(manifest);
  stage('memory');
  /** @param {Settings} settings */
  const create = async settings => {
    const module = await withTimeout(createPyodideModule(settings), STEP_MS, 'memory');
    stage('snapshot');
    const delta = new Uint8Array(await snapshot);
    stage('python');
    module.API.restoreSnapshot = () => {
      restore(/** @type {typeof module & import('./delta.js').Memory} */ (module), delta, kept);
      return header;
    };
    return module;
  };
  const python = await withoutNetwork(wasm, () => EMPTY_ZIP, () => loadPyodide({
    ...addresses, lockFileContents: {info: manifest.python, packages: {}}, createPyodideModule: create,
    // With this private option Pyodide does not start an interpreter, but passes the bytes given here to API.restoreSnapshot.
    // They should be a whole snapshot, all 30 MB of memory. Ours is a difference, which only the function in `create` can restore,
    // and it takes it from `delta`: so these 16 bytes are never read. They only switch Pyodide to restoring.
    _loadSnapshot: new Uint8Array(16),
  }));
  return python.pyimport('kvcore.page').update;
}

/** @param {Manifest} manifest @param {Stage} stage @returns {Promise<Update>} */
async function bootApi(manifest, stage) {
  const wheels = Object.keys(manifest.files).filter(name => name.endsWith('.whl'));
  const loading = Promise.all(['library.zip.gzip', 'pyodide-lock.json', ...wheels].map(name => load(manifest, name)));
  loading.catch(() => {});
  stage('wasm');
  const wasm = await compile(manifest);
  stage('library');
  const [library, lock, ...packages] = await loading; // the wheels too: Pyodide would go on without one that cannot be loaded
  const lockFileContents = new TextDecoder().decode(lock);
  const files = new Map([['library.zip', library], ...wheels.map((name, index) => /** @type {const} */ ([name, packages[index]]))]);
  return withoutNetwork(wasm, address => files.get(fileName(address)), async () => {
    stage('python');
    const python = await withTimeout(
      loadPyodide({...addresses, lockFileContents, env: FLAGS, createPyodideModule}), STEP_MS, 'python');
    stage('kvcore');
    await python.loadPackage('kvcore', {messageCallback: () => {}});
    return python.pyimport('kvcore.page').update;
  });
}

/** @type {Record<string, (manifest: Manifest, stage: Stage) => Promise<Update>>} the boot methods by name, the fastest first */
export const BOOT_METHODS = {delta: bootDelta, api: bootApi};
