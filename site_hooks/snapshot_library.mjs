// node snapshot_library.mjs MADE.zip
// Compiles every module of Pyodide's standard library by Pyodide's own Python: compiling them takes four fifths of a plain boot.
// The files in MADE.zip are not compressed, since the whole is compressed later.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {loadPyodide} from 'pyodide';

// Print only an error's message: Node would first print the source line, and Pyodide's script is one line of a megabyte.
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
            content = bytes(external._code_to_hash_pyc(code, bytes(8), False))  # unchecked: Python does not look for the source
            entry = zipfile.ZipInfo(entry.filename + "c")
        made.writestr(entry, content, zipfile.ZIP_STORED)
`;

// Without debug ranges the library is a quarter smaller; tracebacks name lines, but no columns.
const python = await loadPyodide({env: {PYTHONNODEBUGRANGES: '1', PYTHONHASHSEED: '0'}});
const sources = fileURLToPath(import.meta.resolve('pyodide/python_stdlib.zip'));
python.FS.writeFile('/tmp/sources.zip', new Uint8Array(readFileSync(sources)));
python.runPython(COMPILE);
writeFileSync(process.argv[2], python.FS.readFile('/tmp/made.zip'));
