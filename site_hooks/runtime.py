"""The runtime: all files that the page's worker loads, in one folder named by a hash, so that a page never mixes two versions.

- worker.js: our worker with Pyodide's two scripts, bundled as one classic script; it contains the manifest
- manifest.json: size and SHA-256 of the files below, and what the worker needs to restore the snapshot
- pyodide.asm.wasm.gzip, snapshot.gzip: the interpreter, and its memory with kvcore imported: all that the boot method "delta" needs
- library.zip.gzip, pyodide-lock.json, kvcore-*.whl: for the boot method "api", the compiled standard library, and kvcore's wheel,
  named with its SHA-256 in the lock file
- disk/: copies in the form of scripts, for a page that was opened from disk and cannot fetch

Files are compressed here and decompressed by the browser's DecompressionStream. Their names end in .gzip, because servers
add headers of their own for .gz and .wasm. libdeflate's highest level stays within 0.2 % of zopfli's size (2,833 KB against
2,830 for the snapshot) in a twentieth of the time, so every build can afford it.
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
"""Makes a classic worker look like a module worker to Pyodide.

Pyodide refuses classic workers and recognizes one by calling `importScripts`. Module workers cannot be started from disk, and
since everything is bundled, Pyodide needs nothing that only they have."""

DISK = "disk"
DISK_TABLE = "explainerDisk"
"""The global variable in which the scripts for pages from disk put the files."""


def build() -> Path:
    """The folder with the runtime's files, from the build cache if the sources have not changed."""
    folder = (
        CACHE / "runtime" / digest([*snapshot.SOURCES, WORKER, WORKERS_MODULES, Path(__file__), Path(tools.__file__)])
    )
    if not folder.is_dir():
        with making(folder) as made:
            _assemble(made)
    return folder


def address(folder: Path) -> str:
    """The address of this folder in the site; it contains a hash of the files."""
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
    """Size and SHA-256 of a file, by which the worker checks what it loaded."""
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def squeeze(source: Path, made: Path) -> None:
    """Compress a file by gzip at libdeflate's highest level, or take the result from the build cache."""
    import deflate  # noqa: PLC0415 - this module is imported before anything is installed

    content = source.read_bytes()
    squeezed = CACHE / "gzip" / hashlib.sha256(content).hexdigest()
    if not squeezed.is_file():
        squeezed.parent.mkdir(parents=True, exist_ok=True)
        part = squeezed.with_suffix(f".{os.getpid()}")
        part.write_bytes(deflate.gzip_compress(content, 12))
        part.replace(squeezed)
    shutil.copyfile(squeezed, made)


def bundle(made: Path, manifest: str) -> None:
    """Bundle the worker with Pyodide's scripts. Modules that those import under Node only stay out: a browser never reaches them."""
    options = ("--external:node:*", "--external:ws", f"--banner:js={NOT_A_CLASSIC_WORKER}")
    made.write_text(tools.bundle(WORKER, *options, MANIFEST=manifest), encoding="utf-8", newline="\n")


def _put_on_disk(folder: Path) -> None:
    """Write copies of the other files as scripts: a page from disk may run scripts of its folder, but fetch nothing."""
    sources = [path for path in sorted(folder.iterdir()) if path.name != "manifest.json"]
    (folder / DISK).mkdir()
    for path in sources:
        text = base64.b64encode(path.read_bytes()).decode("ascii")
        script = f'(globalThis.{DISK_TABLE} ??= {{}})["{path.name}"] = "{text}";\n'
        (folder / DISK / f"{path.name}.js").write_text(script, encoding="ascii")


def main(_: list[str]) -> int:
    """Print its address in the site."""
    print(address(build()))
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.runtime", main)
