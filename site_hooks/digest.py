"""What says that a step need not run again: one hash over its sources, and a folder that is there whole or not at all."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from site_hooks.environment import ROOT

DERIVED = {"__pycache__", "node_modules"}


def digest(paths: Iterable[Path], *, base: Path = ROOT) -> str:
    """Sixteen hex digits over the bytes of these files, and of all files in these folders, and their paths from `base`."""
    total = hashlib.sha256()
    for path in sorted({file for given in paths for file in files(given)}):
        content = path.read_bytes()
        total.update(f"{path.relative_to(base).as_posix()}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]


def files(path: Path) -> list[Path]:
    """The file at this path, or every file under the folder there that was not derived from another."""
    if not path.is_dir():
        return [path] if path.exists() else []
    return [file for file in path.rglob("*") if file.is_file() and not DERIVED.intersection(file.parts)]


@contextmanager
def making(folder: Path) -> Iterator[Path]:
    """An empty folder to fill, which becomes `folder` when all went well; two builds at once do not meet."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="making-") as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        yield made
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
