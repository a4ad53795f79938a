// node pyodide_tests.mjs ROOT COUNT ARGUMENT... WHEEL...: pytest over ROOT/tests/kvcore inside Pyodide, with these wheels.
import {readFileSync} from 'node:fs';
import {loadPyodide} from 'pyodide';

const [root, count, ...rest] = process.argv.slice(2);
const given = rest.slice(0, Number(count));
const wheels = rest.slice(Number(count));

const python = await loadPyodide({env: {PYTHONDONTWRITEBYTECODE: '1', HOME: '/project'}});
const packages = python.runPython('import sysconfig; sysconfig.get_path("purelib")');
for (const wheel of wheels) {
  // A Node Buffer is a view that Pyodide does not know: copy it into a plain array. Without a folder it unpacks here.
  python.unpackArchive(new Uint8Array(readFileSync(wheel)), 'wheel', {extractDir: packages});
}
// Only the tests and the settings are there: kvcore itself must come out of its wheel.
python.FS.mkdirTree('/project/tests/kvcore');
python.mountNodeFS('/project/tests/kvcore', `${root}/tests/kvcore`);
python.FS.writeFile('/project/pyproject.toml', readFileSync(`${root}/pyproject.toml`, 'utf8'));

const run = python.runPython(`
import importlib, os, sys
def run(arguments):
    os.chdir("/project")
    importlib.invalidate_caches()
    import pytest
    return int(pytest.main(["-p", "no:cacheprovider", "-q", "tests/kvcore", *arguments]))
run
`);
process.exit(run(python.toPy(given)));
