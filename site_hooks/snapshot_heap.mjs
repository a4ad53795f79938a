// node snapshot_heap.mjs FOLDER SCENARIOS.py: Python's memory with kvcore imported and all it can be asked asked once.
// From FOLDER/everything.zip. Into FOLDER: snapshot.bin; more modules into modules.json.
import {readFileSync, writeFileSync} from 'node:fs';
import {loadPyodide} from 'pyodide';

// An error is told in its own words: Node would first print the line it came from, and that is all of Pyodide.
process.on('uncaughtException', error => {
  console.error(error.message);
  process.exit(1);
});

/** The memory that WebAssembly starts with. A snapshot of more cannot be restored into it. */
const HEAP = 31_457_280;

// The same sources shall give the same bytes: no clock, no chance, and no word of the folder this lies in.
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

/** Python's words for an error are made by modules that only an error needs. */
function stumble() {
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
stumble();
const told = JSON.parse(python.runPython(EXERCISE));
stumble();
python.runPython('del source, exercise');
const heap = python._module.HEAP8.length;
const snapshot = python.makeMemorySnapshot();
const [, heapAt] = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 4);
if (heap !== HEAP || snapshot.length - heapAt !== HEAP) {
  throw new Error(`Python's memory has grown to ${heap} bytes; only ${HEAP} can be restored`);
}
writeFileSync(`${folder}/snapshot.bin`, snapshot);
writeFileSync(modules, JSON.stringify([...new Set([...JSON.parse(readFileSync(modules, 'utf8')), ...told.modules])].sort()));
writeFileSync(`${folder}/answer.json`, told.answer);
