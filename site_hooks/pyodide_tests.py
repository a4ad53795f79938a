"""The tests of kvcore a second time, where a reader runs it: on the built wheel, inside Pyodide, under Node.

pytest and what it needs are pure Python and come as wheels; numpy does not, so the tests whose oracle it is are skipped
there by `pytest.importorskip`, and run on the ordinary Python only.
"""

from pathlib import Path

from site_hooks import environment, tools, wheel
from site_hooks.build_cache import digest, making
from site_hooks.environment import CACHE, HERE, ROOT

PACKAGES = ("pytest", "hypothesis")
PYTHON = "3.14"


def wheels() -> list[Path]:
    """The wheels of the pinned test packages, downloaded once."""
    pins = HERE / "constraints.txt"
    folder = CACHE / "pyodide-wheels" / digest([pins])
    if not folder.is_dir():
        print("site_hooks: fetching the wheels of pytest for Pyodide", flush=True)
        platform = ["--only-binary=:all:", "--platform=any", f"--python-version={PYTHON}"]
        with making(folder) as made:
            command = ["-m", "pip", "download", "--quiet", *platform, "--constraint", str(pins), "--dest", str(made)]
            tools.python(*command, *PACKAGES)
    return sorted(folder.glob("*.whl"))


def main(arguments: list[str]) -> int:
    """Run pytest inside Pyodide; arguments go to it."""
    print("site_hooks: tests/kvcore inside Pyodide", flush=True)
    runner: list[str | Path] = ["node", HERE / "pyodide_tests.mjs", ROOT, str(len(arguments)), *arguments]
    return tools.show([*runner, wheel.build(), *wheels()])


if __name__ == "__main__":
    environment.step("site_hooks.pyodide_tests", main)
