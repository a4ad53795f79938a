"""What the page costs a reader, measured in a browser; tests/bench says how. Tests never assert times: this does not either."""

import sys

from site_hooks import browser, build, environment, tools


def main(arguments: list[str]) -> int:
    """Build, and measure what was built."""
    browser.chromium()
    build.fresh()
    return tools.show([sys.executable, "-m", "tests.bench", *arguments])


if __name__ == "__main__":
    environment.step("site_hooks.bench", main)
