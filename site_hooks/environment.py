"""The build environment, made with nothing but Python: .venv with the pinned packages, node_modules with the pinned scripts.

`uv sync` and `uv run` do most of this, but uv would have to be installed first, and Python is all that a contributor must
have. So this uses venv, pip and the pins in pyproject.toml and constraints.txt; Node comes from a Python package.

`ensure` may be called at any time and by any Python 3. It finds a Python that is new enough, makes .venv with it, continues
inside .venv, and installs what pyproject.toml and package-lock.json pin if the pins have changed since the last time.
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
PREFERRED = ("3.13", "3.14", "3.12")  # 3.13 first: the pins were made with it


class UnmetNeed(Exception):  # noqa: N818 - its message is shown alone, without a traceback
    """The build lacks something that it cannot get itself, or a tool failed; the message says what, and what to do."""


def step(module: str, main: Callable[[list[str]], int]) -> None:
    """Run a step as a program: ensure the environment, then call `main` with the arguments. UnmetNeed exits with its message."""
    try:
        ensure(module, sys.argv[1:])
        sys.exit(main(sys.argv[1:]))
    except UnmetNeed as problem:
        sys.exit("site_hooks: " + str(problem))
    except KeyboardInterrupt:
        sys.exit(130)


def ensure(module: str, arguments: list[str]) -> None:
    """Return if this is .venv's Python, after installing what is missing; else make .venv and run `python -m module arguments` there."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        install()
        return
    python = BIN / "python"
    if not _runs(python):
        _make_venv()
    command = [str(python), "-m", module, *arguments]
    if os.name == "nt":  # on Windows exec returns to the prompt at once
        sys.exit(subprocess.call(command, cwd=ROOT))
    os.chdir(ROOT)
    os.execv(python, command)  # noqa: S606 - no shell is wanted


def install() -> None:
    """Install the pinned packages and scripts, each only if its pins have changed since they were installed."""
    constraints = HERE / "constraints.txt"
    needed = requirements()
    with _unless_done(VENV / "installed", *needed, constraints.read_text("utf-8"), sys.version) as due:
        if due:
            _report("installing the pinned packages into .venv")
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            _quietly(*pip, "--constraint", str(constraints), *needed)
            _quietly(*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    pins = [(HERE / name).read_text("utf-8") for name in ("package.json", "package-lock.json")]
    with _unless_done(NODE_MODULES / ".installed", *pins) as due:
        if due:
            _report("installing the pinned scripts into site_hooks/node_modules")
            _quietly(str(BIN / "npm"), "ci", "--no-audit", "--no-fund", cwd=HERE)


def requirements() -> list[str]:
    """The pinned packages of every dependency group in pyproject.toml."""
    import tomllib  # noqa: PLC0415 - Python before 3.11 lacks it, and must be able to read this module

    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return sorted({requirement for group in groups.values() for requirement in group})


def variables() -> dict[str, str]:
    """The environment variables for a tool of .venv, with .venv's Node first on PATH."""
    path = str(BIN) + os.pathsep + os.environ.get("PATH", "")
    return {**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"}


class _unless_done:  # noqa: N801 - used as a statement: `with _unless_done(...) as due`
    """Yields whether a step is due: it is, unless it was done with the same pins. A block that raises leaves it due."""

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
    _report("making .venv with " + python)
    try:
        _quietly(python, "-m", "venv", "--clear", str(VENV))
    except UnmetNeed as problem:
        raise UnmetNeed(
            f"Python at {python} cannot make a virtual environment (on Debian: apt-get install python3-venv): {str(problem).strip().splitlines()[-1]}"
        ) from None


def _new_enough() -> str:
    """A Python that is new enough: this one, else one on PATH, else one of pyenv's."""
    if sys.version_info >= OLDEST:
        return sys.executable
    candidates = [shutil.which("python" + version) for version in PREFERRED]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += [str(path) for version in PREFERRED for path in sorted(pyenv.glob(version + ".*/bin/python"))[::-1]]
    for candidate in candidates:
        if candidate and _runs(Path(candidate)):
            return candidate
    raise UnmetNeed(
        "this is Python {}.{} and no newer one was found; install Python 3.12 or newer.".format(*sys.version_info)
    )


def _runs(python: Path) -> bool:
    """Whether the Python at this path starts and is new enough (a pyenv shim may name a version that is not installed)."""
    test = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    try:
        return subprocess.run([str(python), "-c", test], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _quietly(*command: str, cwd: Path = ROOT) -> None:
    """Run a command without showing its output.

    Raises:
        UnmetNeed: It failed; the message is its output.
    """
    done = subprocess.run(
        command, cwd=cwd, env=variables(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        wrote = done.stdout.decode("utf-8", "replace").strip()
        raise UnmetNeed("`{}` failed; it wrote:\n{}".format(" ".join(command[:4]), wrote))


def _report(words: str) -> None:
    print("site_hooks: " + words, flush=True)


if __name__ == "__main__":
    step("site_hooks.environment", lambda _: 0)
