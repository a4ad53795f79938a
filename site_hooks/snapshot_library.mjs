// node snapshot_library.mjs MADE.zip: every module of Pyodide's standard library, compiled by Pyodide's own Python.
// Four fifths of a plain boot are spent compiling these sources. Stored, not deflated: the whole is compressed once, later.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {loadPyodide} from 'pyodide';

// An error is told in its own words: Node would first print the line it came from, and that is all of Pyodide.
process.on('uncaughtException', error => {
  console.error(error.message);
  process.exit(1);
});

const COMPILE = `
import importlib._bootstrap_external as external, zipfile

with zipfile.ZipFile("/tmp/sources.zip") as sources, zipfile.ZipFile("/tmp/made.zip", "w") as made:
    for entry in sources.infolist():
        content = sources.read(entry)
        if entry.filename.endswith(".py"):
            code = compile(content, "/lib/python314.zip/" + entry.filename, "exec", dont_inherit=True, optimize=2)
            content = bytes(external._code_to_hash_pyc(code, bytes(8), False))  # 8 zeros: no source will be looked for
            entry = zipfile.ZipInfo(entry.filename + "c")
        made.writestr(entry, content, zipfile.ZIP_STORED)
`;

// Without debug ranges a traceback names lines and not columns, and the library is a quarter smaller.
const python = await loadPyodide({env: {PYTHONNODEBUGRANGES: '1', PYTHONHASHSEED: '0'}});
const sources = fileURLToPath(import.meta.resolve('pyodide/python_stdlib.zip'));
python.FS.writeFile('/tmp/sources.zip', new Uint8Array(readFileSync(sources)));
python.runPython(COMPILE);
writeFileSync(process.argv[2], python.FS.readFile('/tmp/made.zip'));
