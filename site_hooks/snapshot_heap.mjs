// node snapshot_heap.mjs FOLDER SCENARIOS.py
// Imports kvcore from FOLDER/everything.zip, answers every request of SCENARIOS.py once, and writes into FOLDER:
// - snapshot.bin: Python's memory after that, as Pyodide saves it
// - modules.json: the modules that were there already, and those imported now
// - answer.json: the answer for the default state, to compare with that of the restored snapshot
import {readFileSync, writeFileSync} from 'node:fs';
import {loadPyodide} from 'pyodide';

// Print only an error's message: Node would first print the source line, and Pyodide's script is one line of a megabyte.
process.on('uncaughtException', error => {
  console.error(error.message);
  process.exit(1);
});

/** The size of memory that WebAssembly starts with, in bytes: the snapshot must fit into it. */
const HEAP = 31_457_280;

// The same sources must give the same bytes: so no clock, no random numbers, and no path of this machine in the memory.
const [folder, scenarios] = process.argv.slice(2);
process.argv[1] = 'python';
Date.now = () => 1_577_836_800_000;
performance.now = () => 0;
globalThis.crypto.getRandomValues = array => array.fill(4);

const EXERCISE = `
def exercise():
    import gc, json, sys, traceback
    from kvcore.page import update
    scenarios = {"__name__": "scenarios"}
    exec(source, scenarios)
    for request, answer in scenarios["exchange"](update):
        pass
    answer = update("{}")
    sys.path_importer_cache.clear()
    gc.collect()
    return json.dumps({"modules": sorted(sys.modules), "answer": answer})
exercise()
`;

const modules = `${folder}/modules.json`;
const {info} = JSON.parse(readFileSync(`${folder}/pyodide-lock.json`, 'utf8'));
const python = await loadPyodide({
  _makeSnapshot: true, stdLibURL: `${folder}/everything.zip`, lockFileContents: {info, packages: {}},
  env: {PYTHONHASHSEED: '0', PYTHONNODEBUGRANGES: '1', PYTHONOPTIMIZE: '2'},
});

/** Raises errors of several kinds, so that the modules that Python imports to report errors are in the snapshot too. */
function raiseErrors() {
  for (const wrong of ['1/0', 'import kvcore.no_such_module', 'def f(n): return f(n + 1)\nf(0)', '(']) {
    try {
      python.runPython(wrong);
    } catch {}
  }
  const update = python.pyimport('kvcore.page').update;
  try {
    update(1);
  } catch {}
  update.destroy();
}

python.globals.set('source', readFileSync(scenarios, 'utf8'));
raiseErrors();
const result = JSON.parse(python.runPython(EXERCISE));
raiseErrors();
python.runPython('del source, exercise');
const heap = python._module.HEAP8.length;
const snapshot = python.makeMemorySnapshot();
const [, heapAt] = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 4);
if (heap !== HEAP || snapshot.length - heapAt !== HEAP) {
  throw new Error(`Python's memory has grown to ${heap} bytes; only ${HEAP} can be restored`);
}
writeFileSync(`${folder}/snapshot.bin`, snapshot);
writeFileSync(modules, JSON.stringify([...new Set([...JSON.parse(readFileSync(modules, 'utf8')), ...result.modules])].sort()));
writeFileSync(`${folder}/answer.json`, result.answer);
