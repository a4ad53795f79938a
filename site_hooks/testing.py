"""Every test: kvcore on this Python, the build, the pages in browsers, and kvcore again inside Pyodide.

pytest runs in as many processes as there are processors, each with a browser of its own; a process that has nothing left
takes tests from another. Pyodide, which is one process, runs at the same time.
"""

import subprocess
import sys
from tempfile import TemporaryFile

from site_hooks import browser, build, environment, tools

PYTEST = (sys.executable, "-m", "pytest")
SUITES = ("tests/pages", "tests/site_hooks", "tests/kvcore")  # the slowest first: what is quick fills the end
IN_PARALLEL = ("--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal")  # a browser takes some 500 MiB


def main(arguments: list[str]) -> int:
    """Build what is tested and test it; arguments go to pytest, and then only pytest runs."""
    if not arguments:
        browser.chromium()  # before all tests, not in the middle of them
    build.fresh()
    if arguments:
        return tools.show([*PYTEST, *arguments])
    return _everything()


def _everything() -> int:
    """Run all suites; what Pyodide's wrote is shown when pytest is done."""
    with TemporaryFile() as written:
        in_pyodide = subprocess.Popen(
            [sys.executable, "-m", "site_hooks.pyodide_tests"],
            cwd=environment.ROOT,
            env=environment.variables(),
            stdout=written,
            stderr=subprocess.STDOUT,
        )
        failed = tools.show([*PYTEST, *IN_PARALLEL, *SUITES])
        failed = in_pyodide.wait() or failed
        written.seek(0)
        sys.stdout.write(written.read().decode("utf-8", "replace"))
        sys.stdout.flush()
    return failed


if __name__ == "__main__":
    environment.step("site_hooks.testing", main)
