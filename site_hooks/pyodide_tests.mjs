// node pyodide_tests.mjs ROOT COUNT ARGUMENT... WHEEL...: pytest over ROOT/tests/kvcore inside Pyodide, with these wheels.
import {readFileSync} from 'node:fs';
import {loadPyodide} from 'pyodide';

const RUN = `
import importlib, os

def run(arguments):
    os.chdir("/project")
    importlib.invalidate_caches()
    import pytest
    return int(pytest.main(["-p", "no:cacheprovider", "-q", "tests/kvcore", *arguments]))

run
`;

/** @returns {Promise<number>} pytest's exit status */
async function main([root, count, ...rest]) {
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
  return python.runPython(RUN)(python.toPy(given));
}

// An error is told in its own words: Node would first print the line it came from, and that is all of Pyodide.
process.exitCode = await main(process.argv.slice(2)).catch(error => {
  console.error(`tests/kvcore inside Pyodide: ${error.message}`);
  return 1;
});
