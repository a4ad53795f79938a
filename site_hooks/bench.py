"""Measures in a browser what the page costs a reader; the code is in tests/bench. It reports times and asserts none."""

import sys

from site_hooks import browser, build, environment, tools


def main(arguments: list[str]) -> int:
    """Build the site if it is out of date, and measure it."""
    browser.chromium()
    build.fresh()
    return tools.show([sys.executable, "-m", "tests.bench", *arguments])


if __name__ == "__main__":
    environment.step("site_hooks.bench", main)
