"""Every test: kvcore on this Python, the build, the pages in a browser, and kvcore again inside Pyodide."""

import subprocess
import sys
from tempfile import TemporaryFile

from site_hooks import browser, build, environment, pyodide_tests, tools

PYTEST = (sys.executable, "-m", "pytest")


def main(arguments: list[str]) -> int:
    """Build what is tested and test it; arguments go to pytest, and then only pytest runs."""
    if not arguments:
        browser.chromium()  # before all tests, not in the middle of them
    build.fresh()
    if arguments:
        return tools.show([*PYTEST, *arguments])
    return _everything()


def _everything() -> int:
    """All tests, those of the pages beside the others: a browser leaves half of a small machine idle."""
    with TemporaryFile() as told:
        others = subprocess.Popen(
            [*PYTEST, "tests/kvcore", "tests/site_hooks"],
            cwd=environment.ROOT,
            env=environment.variables(),
            stdout=told,
            stderr=subprocess.STDOUT,
        )
        failed = tools.show([*PYTEST, "tests/pages"])
        failed = others.wait() or failed
        told.seek(0)
        sys.stdout.write(told.read().decode("utf-8", "replace"))
        sys.stdout.flush()
    return pyodide_tests.main([]) or failed


if __name__ == "__main__":
    environment.step("site_hooks.testing", main)
