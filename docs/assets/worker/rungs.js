/**
 * The two ways to Python. Both go through `loadPyodide`; they differ in what Python's memory begins as.
 *
 * - delta: a snapshot in which kvcore is imported and has answered everything once; nothing is left to import
 * - api: an interpreter that starts, a standard library compiled beforehand, and kvcore's wheel: public interfaces only
 */
import createPyodideModule from 'pyodide/pyodide.asm.mjs';
import {loadPyodide} from 'pyodide/pyodide.mjs';
import {restore} from './delta.js';
import {limited, supply} from './supplies.js';

/**
 * @typedef {(request: string) => string} Update kvcore.page.update
 * @typedef {import('./supplies.js').Manifest} Manifest
 * @typedef {(stage: string) => void} Stage told what is waited for now
 * @typedef {Parameters<NonNullable<NonNullable<Parameters<typeof loadPyodide>[0]>['createPyodideModule']>>[0]} Settings
 */

/** Longer than any computer still in use takes for a step of a boot; what is downloaded has its own limit. */
const STEP_MS = 30_000;

const NOTHING = new Uint8Array([80, 75, 5, 6, ...new Array(18).fill(0)]); // a zip file with no entries
const FLAGS = {PYTHONOPTIMIZE: '2', PYTHONNODEBUGRANGES: '1'};

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiling;

/**
 * CPython, compiled here, where a failure is an error: Pyodide only warns of one in the console, and waits for ever.
 * @param {Manifest} manifest
 */
const compiled = manifest => compiling ??= supply(manifest, 'pyodide.asm.wasm.gzip').then(WebAssembly.compile);

/**
 * Do some work while Pyodide finds what it would fetch in our hands: the wasm compiled, and files by their address.
 * @template T
 * @param {WebAssembly.Module} wasm
 * @param {(address: string) => BodyInit | undefined} file
 * @param {() => Promise<T>} work
 */
async function supplied(wasm, file, work) {
  const {fetch} = self, {instantiateStreaming} = WebAssembly;
  self.fetch = async input => new Response(file(String(input)));
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
const nameIn = address => address.slice(address.lastIndexOf('/') + 1);

/** Nothing is fetched from here; Pyodide only asks for an address that looks like one. */
const base = 'https://runtime.invalid/';
const addresses = {indexURL: base, packageBaseUrl: base, stdLibURL: `${base}library.zip`};

/** @param {Manifest} manifest @param {Stage} stage @returns {Promise<Update>} */
async function bootDelta(manifest, stage) {
  const {header, kept} = manifest.snapshot;
  const snapshot = supply(manifest, 'snapshot.gzip'); // it arrives while wasm is compiled and memory initialised
  snapshot.catch(() => {});
  stage('wasm');
  const wasm = await compiled(manifest);
  stage('memory');
  /** @param {Settings} settings */
  const create = async settings => {
    const module = await limited(createPyodideModule(settings), STEP_MS, 'memory');
    stage('snapshot');
    const delta = new Uint8Array(await snapshot);
    stage('python');
    module.API.restoreSnapshot = () => {
      restore(/** @type {typeof module & import('./delta.js').Memory} */ (module), delta, kept);
      return header;
    };
    return module;
  };
  const python = await supplied(wasm, () => NOTHING, () => loadPyodide({
    ...addresses, lockFileContents: {info: manifest.python, packages: {}},
    createPyodideModule: create, _loadSnapshot: new Uint8Array(16), // of 16 bytes, to take that way; ours comes above
  }));
  return python.pyimport('kvcore.page').update;
}

/** @param {Manifest} manifest @param {Stage} stage @returns {Promise<Update>} */
async function bootApi(manifest, stage) {
  const wheels = Object.keys(manifest.files).filter(name => name.endsWith('.whl'));
  const arriving = Promise.all(['library.zip.gzip', 'pyodide-lock.json', ...wheels].map(name => supply(manifest, name)));
  arriving.catch(() => {});
  stage('wasm');
  const wasm = await compiled(manifest);
  stage('library');
  const [library, lock, ...packed] = await arriving; // the wheels too: Pyodide goes on without one that does not come
  const lockFileContents = new TextDecoder().decode(lock);
  const files = new Map([['library.zip', library], ...wheels.map((name, index) => /** @type {const} */ ([name, packed[index]]))]);
  return supplied(wasm, address => files.get(nameIn(address)), async () => {
    stage('python');
    const python = await limited(
      loadPyodide({...addresses, lockFileContents, env: FLAGS, createPyodideModule}), STEP_MS, 'python');
    stage('kvcore');
    await python.loadPackage('kvcore', {messageCallback: () => {}});
    return python.pyimport('kvcore.page').update;
  });
}

/** @type {Record<string, (manifest: Manifest, stage: Stage) => Promise<Update>>} the fastest first */
export const RUNGS = {delta: bootDelta, api: bootApi};
