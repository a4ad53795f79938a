// node snapshot_modules.mjs FOLDER LIBRARY.zip ABSENT.py
// Boots as the boot method "api" does, from the wheel and the lock file in FOLDER, and writes into FOLDER:
// - modules.json: the modules that were imported
// - everything.zip: the library without the modules of ABSENT.py, and kvcore, all compiled: the snapshot is made from it, so
//   that no compiler leaves garbage in the memory
import {readFileSync, writeFileSync} from 'node:fs';
import {loadPyodide} from 'pyodide';

// Print only an error's message: Node would first print the source line, and Pyodide's script is one line of a megabyte.
process.on('uncaughtException', error => {
  console.error(error.message);
  process.exit(1);
});

const PACK = `
import importlib._bootstrap_external as external, pathlib, sysconfig, zipfile

packages = pathlib.Path(sysconfig.get_path("purelib"))
exec(absent, absence := {})
missing, stand_ins = absence["MISSING"], absence["STAND_INS"]

def module(name):
    return name.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".")

def compiled(source, name):
    return bytes(external._code_to_hash_pyc(compile(source, name, "exec", dont_inherit=True, optimize=2), bytes(8), False))

with zipfile.ZipFile("/tmp/library.zip") as library, zipfile.ZipFile("/tmp/everything.zip", "w") as everything:
    for entry in library.infolist():
        name = module(entry.filename)
        if name not in stand_ins and not any(name == one or name.startswith(one + ".") for one in missing):
            everything.writestr(zipfile.ZipInfo(entry.filename), library.read(entry))
    for name, source in stand_ins.items():
        everything.writestr(zipfile.ZipInfo(name.replace(".", "/") + ".pyc"), compiled(source, name))
    for path in sorted(packages.joinpath("kvcore").rglob("*")):
        name = path.relative_to(packages).as_posix()
        if path.suffix == ".py":
            everything.writestr(zipfile.ZipInfo(name + "c"), compiled(path.read_bytes(), name))
        elif path.is_file() and path.suffix != ".pyc":
            everything.writestr(zipfile.ZipInfo(name), path.read_bytes())
`;

const [folder, library, absent] = process.argv.slice(2);
const python = await loadPyodide({
  stdLibURL: library, packageBaseUrl: `${folder}/`, packageCacheDir: folder,
  lockFileContents: readFileSync(`${folder}/pyodide-lock.json`, 'utf8'),
  env: {PYTHONNODEBUGRANGES: '1', PYTHONOPTIMIZE: '2', PYTHONDONTWRITEBYTECODE: '1'},
});
await python.loadPackage('kvcore', {messageCallback: () => {}});
python.pyimport('kvcore.page').update('{}');
writeFileSync(`${folder}/modules.json`, python.runPython('import json, sys; json.dumps(sorted(sys.modules))'));
python.FS.writeFile('/tmp/library.zip', new Uint8Array(readFileSync(library)));
python.globals.set('absent', readFileSync(absent, 'utf8'));
python.runPython(PACK);
writeFileSync(`${folder}/everything.zip`, python.FS.readFile('/tmp/everything.zip'));
