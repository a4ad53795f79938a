"""Every test: kvcore on this Python, the build, the pages in a browser, and kvcore again inside Pyodide."""

import sys

from site_hooks import browser, build, environment, pyodide_tests, tools


def main(arguments: list[str]) -> int:
    """Build what is tested and test it; arguments go to pytest, and then only pytest runs."""
    if not arguments:
        browser.chromium()  # before all tests, not in the middle of them
    build.fresh()
    status = tools.show([sys.executable, "-m", "pytest", *arguments])
    return status if status or arguments else pyodide_tests.main([])


if __name__ == "__main__":
    environment.step("site_hooks.testing", main)
