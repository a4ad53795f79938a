"""A browser to test in: an installed Chromium or Chrome first, then Debian's, then Playwright's own.

Nothing is installed where one is found, and nothing without the right to: then a sentence says what to install.
"""

import os
import shutil
from pathlib import Path

from site_hooks import environment, tools
from site_hooks.environment import UnmetNeed

INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
_NONE = "the tests need a browser and none could be installed; install Chromium or Chrome, or name one in $CHROMIUM."
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),  # root has no sandbox to be in
]


def chromium() -> Path:
    """The browser's executable, installed now if there was none.

    Raises:
        UnmetNeed: There is none, and none could be installed.
    """
    return found() or _from_debian() or _from_playwright()


def found() -> Path | None:
    """An executable that is here already: the one named by $CHROMIUM, on PATH, an application, or Playwright's."""
    if named := os.environ.get("CHROMIUM"):
        return Path(named)
    on_path = (shutil.which(name) for name in INSTALLED)
    candidates = [Path(path) for path in on_path if path] + [path for path in APPLICATIONS if path.exists()]
    return candidates[0] if candidates else _playwrights()


def _playwrights() -> Path | None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it takes a while, and is seldom asked

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def _from_debian() -> Path | None:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return None
    print("site_hooks: installing chromium", flush=True)
    try:
        tools.run(["apt-get", "update"])
        tools.run(["apt-get", "install", "-y", "chromium"], env={"DEBIAN_FRONTEND": "noninteractive"})
    except UnmetNeed:
        return None
    return found()


def _from_playwright() -> Path:
    try:
        tools.python("-m", "playwright", "install", "chromium")
    except UnmetNeed as problem:
        raise UnmetNeed(_NONE) from problem
    if not (path := found()):
        raise UnmetNeed(_NONE)
    return path


def main(_: list[str]) -> int:
    """Say which browser the tests use."""
    print(chromium())
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.browser", main)
