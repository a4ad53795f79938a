"""Build caching: a hash over a step's sources, and a context manager that creates the step's output folder atomically."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from site_hooks.environment import ROOT

DERIVED = {"__pycache__", "node_modules"}
"""Folders whose files are made from others, and are no sources."""


def digest(paths: Iterable[Path], *, base: Path = ROOT) -> str:
    """Sixteen hex digits of a SHA-256 over these files, and all source files in these folders: their bytes, and their paths from `base`."""
    total = hashlib.sha256()
    for path in sorted({file for given in paths for file in files(given)}):
        content = path.read_bytes()
        total.update(f"{path.relative_to(base).as_posix()}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]


def files(path: Path) -> list[Path]:
    """The file at this path, or every source file under the folder there; empty if nothing is there."""
    if not path.is_dir():
        return [path] if path.exists() else []
    return [file for file in path.rglob("*") if file.is_file() and not DERIVED.intersection(file.parts)]


@contextmanager
def making(folder: Path) -> Iterator[Path]:
    """Yield an empty folder to fill; when the block ends without an error, it is renamed to `folder`.

    A build that fails leaves nothing behind, and two builds at the same time do not see each other's files.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="making-") as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        yield made
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
