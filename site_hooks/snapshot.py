"""Makes the snapshot: Python's memory after kvcore was imported and has answered everything once. The browser restores it.

Four programs make it, run by Node: `snapshot_library` compiles the standard library with Pyodide's own Python (once for each
version of Pyodide), `snapshot_modules` imports kvcore from its wheel, `snapshot_heap` answers all `scenarios`, and `snapshot_delta`
reduces the memory to its difference from freshly initialised memory. They run again when kvcore or Pyodide has changed.
"""

import json
import shutil
import zipfile
from pathlib import Path

from site_hooks import environment, tools, wheel
from site_hooks.build_cache import digest, making
from site_hooks.environment import BIN, CACHE, HERE, NODE_MODULES, ROOT

PYODIDE = NODE_MODULES / "pyodide"
SCENARIOS = HERE / "scenarios.py"
DELTA = ROOT / "docs" / "assets" / "worker" / "delta.js"
ABSENT = HERE / "snapshot_absent.py"
_LIBRARY = HERE / "snapshot_library.mjs"
_STEPS = tuple(HERE / f"snapshot_{step}.mjs" for step in ("modules", "heap", "delta"))
SOURCES = (*wheel.SOURCES, SCENARIOS, ABSENT, DELTA, _LIBRARY, *_STEPS, HERE / "package-lock.json", Path(__file__))

SAME_EVERYWHERE = {"TZ": "UTC", "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8"}
"""The time zone and the language that Python's memory is made under: both are in it."""


def build() -> Path:
    """The folder with the files, from the build cache if the sources have not changed.

    - delta.bin: the difference; snapshot.json: what the worker needs to restore it
    - library.zip: the modules that any boot method imports, compiled
    - kvcore-*.whl, pyodide-lock.json: kvcore's wheel, and the lock file that names it
    """
    folder = CACHE / "snapshot" / digest(SOURCES)
    if not folder.is_dir():
        print("site_hooks: making the snapshot of Python", flush=True)
        with making(folder) as made:
            _make(made)
    return folder


def _make(folder: Path) -> None:
    package = folder / wheel.build().name
    shutil.copyfile(wheel.build(), package)
    lock(package, folder / "pyodide-lock.json")
    modules, heap, delta = _STEPS
    tools.node(modules, folder, library(), ABSENT)
    tools.node(heap, folder, SCENARIOS, env=SAME_EVERYWHERE)
    tools.node(delta, folder, env=SAME_EVERYWHERE)
    trim(library(), json.loads((folder / "modules.json").read_text("utf-8")), folder / "library.zip")
    for name in ("everything.zip", "snapshot.bin", "empty.zip", "modules.json", "answer.json"):
        (folder / name).unlink()


def library() -> Path:
    """Pyodide's standard library, compiled by its own Python; from the build cache unless Pyodide has changed."""
    folder = CACHE / "library" / digest([_LIBRARY, HERE / "package-lock.json"])
    if not folder.is_dir():
        with making(folder) as made:
            tools.node(_LIBRARY, made / "library.zip")
    return folder / "library.zip"


def trim(whole: Path, modules: list[str], made: Path) -> None:
    """Write a library that has only these modules of the whole one."""
    paths = {module.replace(".", "/") for module in modules}
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(made, "w") as trimmed:
        for entry in source.infolist():
            if entry.filename.removeprefix("site-packages/").removesuffix(".pyc").removesuffix("/__init__") in paths:
                trimmed.writestr(zipfile.ZipInfo(entry.filename), source.read(entry))


def lock(package: Path, made: Path) -> None:
    """Write a lock file for Pyodide's version with this wheel alone in it, by pyodide-build's own tool."""
    pyodide = json.loads((PYODIDE / "pyodide-lock.json").read_text("utf-8"))
    bare = made.with_name("bare-lock.json")
    bare.write_text(json.dumps({"info": pyodide["info"], "packages": {}}), encoding="utf-8")
    tools.run([BIN / "pyodide", "lockfile", "add-wheels", "--input", bare, "--output", made, package])
    bare.unlink()


def main(_: list[str]) -> int:
    """Print the folder."""
    print(build())
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.snapshot", main)
