"""The runtime: all that the page's worker loads, in one folder named by its content, so that old never meets new.

- worker.js: our worker with Pyodide's two scripts, bundled as one classic script
- pyodide.asm.wasm, python_stdlib.zip: CPython and its standard library
- kvcore-*.whl: kvcore as it was built and tested
- pyodide-lock.json: what may be loaded: kvcore alone, with its sha256
"""

import json
import shutil
from pathlib import Path

from site_hooks import environment, tools, wheel
from site_hooks.digest import digest, making
from site_hooks.environment import BIN, CACHE, HERE, NODE_MODULES, ROOT

PYODIDE = NODE_MODULES / "pyodide"
WORKER = ROOT / "docs" / "assets" / "worker.js"
NOT_A_CLASSIC_WORKER = "self.importScripts = () => { throw new TypeError('classic worker'); };"
"""Pyodide refuses classic workers, and knows one by `importScripts`. It needs nothing that a module worker has, since
everything is bundled, and module workers do not work from disk: so the probe is made to fail, before Pyodide looks."""


def build() -> Path:
    """The folder with the runtime's files, assembled only if it was not assembled from the same sources before."""
    folder = CACHE / "runtime" / digest([*wheel.SOURCES, WORKER, HERE / "package-lock.json", Path(__file__)])
    if not folder.is_dir():
        with making(folder) as made:
            _assemble(made)
    return folder


def address(folder: Path) -> str:
    """Where the files of this folder stand in the site: another content, another address."""
    return f"assets/runtime/{digest([folder], base=folder)}/"


def _assemble(folder: Path) -> None:
    for name in ("pyodide.asm.wasm", "python_stdlib.zip"):
        shutil.copyfile(PYODIDE / name, folder / name)
    package = folder / wheel.build().name
    shutil.copyfile(wheel.build(), package)
    lock(package, folder / "pyodide-lock.json")
    bundle(folder / "worker.js")


def lock(package: Path, made: Path) -> None:
    """Write the lock file that names Pyodide's own version and this wheel, by pyodide-build's own tool."""
    pyodide = json.loads((PYODIDE / "pyodide-lock.json").read_text("utf-8"))
    bare = made.with_name("bare-lock.json")
    bare.write_text(json.dumps({"info": pyodide["info"], "packages": {}}), encoding="utf-8")
    tools.run([BIN / "pyodide", "lockfile", "add-wheels", "--input", bare, "--output", made, package])
    bare.unlink()


def bundle(made: Path) -> None:
    """Bundle the worker with Pyodide's scripts; what they import under Node is never reached in a browser."""
    options = [
        "--bundle",
        "--format=iife",
        "--platform=browser",
        "--target=es2022",
        "--minify",
        "--legal-comments=none",
    ]
    tools.node(
        tools.ESBUILD,
        WORKER,
        *options,
        "--external:node:*",
        "--external:ws",
        f"--banner:js={NOT_A_CLASSIC_WORKER}",
        "--log-level=warning",
        f"--outfile={made}",
        env={"NODE_PATH": str(NODE_MODULES)},
    )


def main(_: list[str]) -> int:
    """Say where it is."""
    print(address(build()))
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.runtime", main)
