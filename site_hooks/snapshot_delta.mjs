// node snapshot_delta.mjs FOLDER
// Reads FOLDER/snapshot.bin, writes its difference from freshly initialised memory as FOLDER/delta.bin, restores that once to check
// it, and writes what the worker needs to restore it as FOLDER/snapshot.json.
import {readFileSync, writeFileSync} from 'node:fs';
import {loadPyodide} from 'pyodide';
import createPyodideModule from 'pyodide/pyodide.asm.mjs';
import {BLOCK, KEEP, WRITE, ZERO, keptChecksum, restore, textChecksum} from '../docs/assets/worker/delta.js';

// Print only an error's message: Node would first print the source line, and Pyodide's script is one line of a megabyte.
process.on('uncaughtException', error => {
  console.error(error.message);
  process.exit(1);
});

const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);

/** Environments to start with: fresh memory depends on the reader's language and a little on chance. Only blocks that are the same in all are left out. */
const STARTS = [{}, {LANG: 'de.UTF-8'}, {LANG: 'zh-Hant-TW.UTF-8', X: '1'.repeat(50)}, {X: '1'.repeat(150)}];

const [folder] = process.argv.slice(2);
const {info} = JSON.parse(readFileSync(`${folder}/pyodide-lock.json`, 'utf8'));
const snapshot = readFileSync(`${folder}/snapshot.bin`);
const [, heapAt, headerLength] = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 4);
const header = JSON.parse(snapshot.subarray(48, 48 + headerLength).toString());
const heap = snapshot.subarray(heapAt);
writeFileSync(`${folder}/empty.zip`, EMPTY_ZIP);

/**
 * @param {Record<string, string>} env
 * @param {(module: any) => void} started called when memory is initialised, before the interpreter is
 */
const start = (env, started) => loadPyodide({
  stdLibURL: `${folder}/empty.zip`, lockFileContents: {info, packages: {}}, env, _loadSnapshot: new Uint8Array(snapshot),
  createPyodideModule: async settings => {
    const module = await createPyodideModule(settings);
    started(module);
    return module;
  },
});

const fresh = [];
for (const env of STARTS) await start(env, module => fresh.push(Buffer.from(module.HEAPU8)));

const kinds = new Uint8Array(heap.length / BLOCK), written = [];
for (let block = 0; block < kinds.length; block++) {
  const from = block * BLOCK, bytes = heap.subarray(from, from + BLOCK);
  kinds[block] = bytes.every(byte => byte === 0) ? ZERO
    : fresh.every(memory => bytes.equals(memory.subarray(from, from + BLOCK))) ? KEEP : WRITE;
  if (kinds[block] === WRITE) written.push(bytes);
}
const delta = Buffer.concat([kinds, ...written]);
const kept = keptChecksum({HEAP32: new Int32Array(new Uint8Array(heap).buffer)}, kinds);

const python = await start({}, module => {
  module.API.restoreSnapshot = () => {
    restore(module, delta, kept);
    return header;
  };
});
const {update} = python.pyimport('kvcore.page');
const whole = update('{}');
if (whole !== readFileSync(`${folder}/answer.json`, 'utf8')) throw new Error('the restored snapshot gives a different answer');

/** The request by which the worker checks Python: one step of a drag, since that is quicker than the whole page. */
const request = JSON.stringify({batch: '9', changed: ['batch'], settled: false, view: 'narrow', hold: JSON.parse(whole).hold});
const check = {request, answer: textChecksum(update(request))};

writeFileSync(`${folder}/delta.bin`, delta);
writeFileSync(`${folder}/snapshot.json`, JSON.stringify({header, kept, check}));
