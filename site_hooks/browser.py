"""Finds a browser for the tests: an installed Chromium or Chrome, else Debian's, else Playwright's own.

Chromium without its windows (the headless shell) is preferred: its pages are the same and cost half the time.

A browser is installed only if none is found and this user may install one; else the error says what to install.
"""

import os
import shutil
from pathlib import Path

from site_hooks import environment, tools
from site_hooks.environment import UnmetNeed

SHELL = "chromium-headless-shell"
INSTALLED = (
    SHELL,
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
APPLICATIONS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
_NONE = "the tests need a browser and none could be installed; install Chromium or Chrome, or name one in $CHROMIUM."
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    *(
        ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    ),  # Chromium refuses to run as root with its sandbox
]


def chromium() -> Path:
    """The browser's executable; a browser is installed now if there is none.

    Raises:
        UnmetNeed: There is none, and none could be installed.
    """
    return found() or _from_debian() or _from_playwright()


def found() -> Path | None:
    """A browser that is installed already: named by $CHROMIUM, on PATH, among the applications of macOS, or Playwright's."""
    if named := os.environ.get("CHROMIUM"):
        return Path(named)
    on_path = (shutil.which(name) for name in INSTALLED)
    candidates = [Path(path) for path in on_path if path] + [path for path in APPLICATIONS if path.exists()]
    return candidates[0] if candidates else _playwrights()


def _playwrights() -> Path | None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the import is slow, and rarely needed

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def _from_debian() -> Path | None:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return None
    print("site_hooks: installing chromium", flush=True)
    try:
        tools.run(["apt-get", "update"])
        tools.run(["apt-get", "install", "-y", _debians()], env={"DEBIAN_FRONTEND": "noninteractive"})
    except UnmetNeed:
        return None
    return found()


def _debians() -> str:
    """The package of the headless shell; older releases have only the whole Chromium."""
    try:
        tools.run(["apt-cache", "show", SHELL])
    except UnmetNeed:
        return "chromium"
    return SHELL


def _from_playwright() -> Path:
    try:
        tools.python("-m", "playwright", "install", "chromium")
    except UnmetNeed as problem:
        raise UnmetNeed(_NONE) from problem
    if not (path := found()):
        raise UnmetNeed(_NONE)
    return path


def main(_: list[str]) -> int:
    """Print which browser the tests use."""
    print(chromium())
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.browser", main)
