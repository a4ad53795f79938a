"""Tests of the page in Chromium, Firefox and WebKit, over http under a sub-path and from disk; they are in tests/browser_engines.

WebKit is WebKitGTK's MiniBrowser, the closest to Safari that runs on Linux, on a virtual screen.
"""

import os
import shutil
import sys
from pathlib import Path

from site_hooks import browser, build, environment, tools
from site_hooks.environment import ROOT, UnmetNeed

TESTS = ROOT / "tests" / "browser_engines"
PACKAGES = ("firefox-esr", "webkit2gtk-driver", "xvfb", "xauth")
_NONE = "the tests need {} (Debian's packages {}); install them, or run as root where apt-get can."


def firefox() -> Path | None:
    """Firefox: named by $FIREFOX, or found on PATH."""
    return _first(os.environ.get("FIREFOX"), shutil.which("firefox-esr"), shutil.which("firefox"))


def webkit() -> Path | None:
    """WebKit's WebDriver, which starts its browser itself: named by $WEBKIT_DRIVER, or found on PATH."""
    return _first(os.environ.get("WEBKIT_DRIVER"), shutil.which("WebKitWebDriver"))


def screen() -> Path | None:
    """xvfb-run, which runs a program on a virtual screen."""
    return _first(shutil.which("xvfb-run"))


def install() -> None:
    """Install the browsers that are missing.

    Raises:
        UnmetNeed: A browser is missing and cannot be installed.
    """
    browser.chromium()
    needs = {"Firefox": firefox, "WebKitWebDriver": webkit, "xvfb-run": screen}
    if all(found() for found in needs.values()):
        return
    if shutil.which("apt-get") and os.geteuid() == 0:
        print(f"site_hooks: installing {', '.join(PACKAGES)}", flush=True)
        tools.run(["apt-get", "update"])
        command = ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]
        tools.run(command, env={"DEBIAN_FRONTEND": "noninteractive"})
    if missing := [name for name, found in needs.items() if not found()]:
        raise UnmetNeed(_NONE.format(" and ".join(missing), ", ".join(PACKAGES)))


def _first(*paths: str | None) -> Path | None:
    return next((Path(path) for path in paths if path), None)


def main(arguments: list[str]) -> int:
    """Install what is missing, build the site and test it; arguments go to pytest."""
    install()
    build.fresh()
    return tools.show([sys.executable, "-m", "pytest", TESTS.relative_to(ROOT), *arguments])


if __name__ == "__main__":
    environment.step("site_hooks.browser_engines", main)
