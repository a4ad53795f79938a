"""The runtime: all that the page's worker loads, in one folder named by its content, so that old never meets new.

- worker.js: our worker with Pyodide's two scripts, bundled as one classic script; the manifest is in it too
- manifest.json: what the files below are: bytes and sha256, and what the worker must know to restore the snapshot
- pyodide.asm.wasm.gzip, snapshot.gzip: the interpreter, and its memory with kvcore in it; the first rung needs no more
- library.zip.gzip, pyodide-lock.json, kvcore-*.whl: for the second rung, the library, compiled, and kvcore as it was
  built and tested, entered in the lock file with its sha256
- disk/: copies as scripts, for a page that was opened from disk and can fetch nothing else

Files are compressed once, here, and inflated by the browser's own DecompressionStream. Their names end in .gzip, since
servers think that they know what .gz and .wasm are. libdeflate's highest level stays within 0.2 % of zopfli's size (for
the snapshot 2,833 KB to 2,830) in a twentieth of the time, so that there is one way of building and not a quick one and a good one.
"""

import base64
import hashlib
import json
import os
import shutil
from pathlib import Path

from site_hooks import environment, snapshot, tools
from site_hooks.build_cache import digest, making
from site_hooks.environment import CACHE, ROOT

WORKER = ROOT / "docs" / "assets" / "worker.js"
WORKERS_MODULES = WORKER.with_suffix("")
NOT_A_CLASSIC_WORKER = "self.importScripts = () => { throw new TypeError('classic worker'); };"
"""Pyodide refuses classic workers, and knows one by `importScripts`. It needs nothing that a module worker has, since
everything is bundled, and module workers do not work from disk: so the probe is made to fail, before Pyodide looks."""

DISK = "disk"
DISK_TABLE = "explainerDisk"
"""The name under which the scripts for pages from disk leave what they hold."""


def build() -> Path:
    """The folder with the runtime's files, assembled only if it was not assembled from the same sources before."""
    folder = (
        CACHE / "runtime" / digest([*snapshot.SOURCES, WORKER, WORKERS_MODULES, Path(__file__), Path(tools.__file__)])
    )
    if not folder.is_dir():
        with making(folder) as made:
            _assemble(made)
    return folder


def address(folder: Path) -> str:
    """Where the files of this folder stand in the site: another content, another address."""
    return f"assets/runtime/{digest([folder], base=folder)}/"


def _assemble(folder: Path) -> None:
    made = snapshot.build()
    squeeze(snapshot.PYODIDE / "pyodide.asm.wasm", folder / "pyodide.asm.wasm.gzip")
    squeeze(made / "delta.bin", folder / "snapshot.gzip")
    squeeze(made / "library.zip", folder / "library.zip.gzip")
    for path in (made / "pyodide-lock.json", next(made.glob("*.whl"))):
        shutil.copyfile(path, folder / path.name)
    manifest = json.dumps(
        {
            "files": {path.name: fingerprint(path) for path in sorted(folder.iterdir())},
            "snapshot": json.loads((made / "snapshot.json").read_text("utf-8")),
            "python": json.loads((made / "pyodide-lock.json").read_text("utf-8"))["info"],
        }
    )
    (folder / "manifest.json").write_text(manifest, encoding="utf-8")
    bundle(folder / "worker.js", manifest)
    _put_on_disk(folder)


def fingerprint(path: Path) -> dict[str, str | int]:
    """What tells this file from any other."""
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def squeeze(source: Path, made: Path) -> None:
    """Compress a file as small as gzip's format lets it be; what is squeezed already is taken from the cache."""
    import deflate  # noqa: PLC0415 - this module is read before anything is installed

    content = source.read_bytes()
    squeezed = CACHE / "gzip" / hashlib.sha256(content).hexdigest()
    if not squeezed.is_file():
        squeezed.parent.mkdir(parents=True, exist_ok=True)
        part = squeezed.with_suffix(f".{os.getpid()}")
        part.write_bytes(deflate.gzip_compress(content, 12))
        part.replace(squeezed)
    shutil.copyfile(squeezed, made)


def bundle(made: Path, manifest: str) -> None:
    """Bundle the worker with Pyodide's scripts; what they import under Node is never reached in a browser."""
    options = ("--external:node:*", "--external:ws", f"--banner:js={NOT_A_CLASSIC_WORKER}")
    made.write_text(tools.bundle(WORKER, *options, MANIFEST=manifest), encoding="utf-8", newline="\n")


def _put_on_disk(folder: Path) -> None:
    """Scripts that hold the other files: a page from disk may run scripts from its folder, and fetch nothing."""
    sources = [path for path in sorted(folder.iterdir()) if path.name != "manifest.json"]
    (folder / DISK).mkdir()
    for path in sources:
        text = base64.b64encode(path.read_bytes()).decode("ascii")
        script = f'(globalThis.{DISK_TABLE} ??= {{}})["{path.name}"] = "{text}";\n'
        (folder / DISK / f"{path.name}.js").write_text(script, encoding="ascii")


def main(_: list[str]) -> int:
    """Say where it is."""
    print(address(build()))
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.runtime", main)
