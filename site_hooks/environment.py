"""A place to build in, made from Python alone: .venv with the pinned packages, node_modules with the pinned scripts.

`stand` may be called at any time and by any Python. It finds one that is new enough, makes .venv with it, goes on
inside .venv, and installs what pyproject.toml and package-lock.json pin, but only when the pins changed since the
last time. Node itself comes from a Python package, so nothing has to be set up by hand.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "site_hooks"
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
NODE_MODULES = HERE / "node_modules"

OLDEST = (3, 12)
WANTED = ("3.13", "3.14", "3.12")  # in this order: 3.13 is where the pins were made


class UnmetNeed(Exception):  # noqa: N818 - it is a sentence for people, not a defect
    """Something that the build needs is not there and cannot be had; the message says what, and what to do."""


def step(module: str, main: Callable[[list[str]], int]) -> None:
    """Run a step as a program: stand the environment up, then `main` with the arguments; a need unmet is a sentence."""
    try:
        stand(module, sys.argv[1:])
        sys.exit(main(sys.argv[1:]))
    except UnmetNeed as problem:
        sys.exit("site_hooks: " + str(problem))
    except KeyboardInterrupt:
        sys.exit(130)


def stand(module: str, arguments: list[str]) -> None:
    """Return inside a complete .venv; anywhere else, make it and start `python -m module arguments` over in there."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        install()
        return
    python = BIN / "python"
    if not _runs(python):
        _make_venv()
    command = [str(python), "-m", module, *arguments]
    if os.name == "nt":  # Windows has no exec: it would return to the prompt at once
        sys.exit(subprocess.call(command, cwd=ROOT))
    os.chdir(ROOT)
    os.execv(python, command)  # noqa: S606 - no shell is wanted


def install() -> None:
    """Install the pinned packages and scripts, each only when its pins are not the ones installed last."""
    constraints = HERE / "constraints.txt"
    wanted = requirements()
    with _unless_done(VENV / "installed", *wanted, constraints.read_text("utf-8"), sys.version) as due:
        if due:
            _say("installing the pinned packages into .venv")
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            _quietly(*pip, "--constraint", str(constraints), *wanted)
            _quietly(*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    pins = [(HERE / name).read_text("utf-8") for name in ("package.json", "package-lock.json")]
    with _unless_done(NODE_MODULES / ".installed", *pins) as due:
        if due:
            _say("installing the pinned scripts into site_hooks/node_modules")
            _quietly(str(BIN / "npm"), "ci", "--no-audit", "--no-fund", cwd=HERE)


def requirements() -> list[str]:
    """The pinned packages of every dependency group in pyproject.toml."""
    import tomllib  # noqa: PLC0415 - only .venv's Python is sure to have it

    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return sorted({requirement for group in groups.values() for requirement in group})


def variables() -> dict[str, str]:
    """The environment variables under which a tool of .venv runs: Node is found, and it is .venv's."""
    path = str(BIN) + os.pathsep + os.environ.get("PATH", "")
    return {**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"}


class _unless_done:  # noqa: N801 - it reads as a statement
    """A step that is due unless it was done with the same pins; it counts as done only when it did not raise."""

    def __init__(self, stamp: Path, *pins: str) -> None:
        self._stamp = stamp
        self._digest = hashlib.sha256("\0".join(pins).encode()).hexdigest()

    def __enter__(self) -> bool:
        return not self._stamp.is_file() or self._stamp.read_text("utf-8") != self._digest

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._stamp.write_text(self._digest, encoding="utf-8")


def _make_venv() -> None:
    python = _new_enough()
    _say("making .venv with " + python)
    try:
        _quietly(python, "-m", "venv", "--clear", str(VENV))
    except UnmetNeed as problem:
        raise UnmetNeed(
            f"Python at {python} cannot make a virtual environment (on Debian: apt-get install python3-venv): {str(problem).strip().splitlines()[-1]}"
        ) from None


def _new_enough() -> str:
    """A Python that is new enough: this one, or one on PATH, or one of pyenv's."""
    if sys.version_info >= OLDEST:
        return sys.executable
    candidates = [shutil.which("python" + version) for version in WANTED]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += [str(path) for version in WANTED for path in sorted(pyenv.glob(version + ".*/bin/python"))[::-1]]
    for candidate in candidates:
        if candidate and _runs(Path(candidate)):
            return candidate
    raise UnmetNeed(
        "this is Python {}.{} and no newer one was found; install Python 3.12 or newer.".format(*sys.version_info)
    )


def _runs(python: Path) -> bool:
    """Whether there is a Python at this path that starts and is new enough (a pyenv shim may stand for nothing)."""
    test = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    try:
        return subprocess.run([str(python), "-c", test], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _quietly(*command: str, cwd: Path = ROOT) -> None:
    """Run a command, showing what it wrote only when it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=variables(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        wrote = done.stdout.decode("utf-8", "replace").strip()
        raise UnmetNeed("`{}` failed; it wrote:\n{}".format(" ".join(command[:4]), wrote))


def _say(words: str) -> None:
    print("site_hooks: " + words, flush=True)


if __name__ == "__main__":
    step("site_hooks.environment", lambda _: 0)
