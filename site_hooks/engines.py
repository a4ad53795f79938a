"""The page in every browser engine: Chromium, Firefox and WebKit, over http under a sub-path and from disk; tests/engines says how.

WebKit is WebKitGTK's own small browser, the nearest to Safari that runs here, on a screen that is not there.
"""

import os
import shutil
import sys
from pathlib import Path

from site_hooks import browser, build, environment, tools
from site_hooks.environment import UnmetNeed

PACKAGES = ("firefox-esr", "webkit2gtk-driver", "xvfb", "xauth")
_NONE = "the engines' test needs {} (Debian's packages {}); install them, or run as root where apt-get can."


def firefox() -> Path | None:
    """Firefox, as named by $FIREFOX or found on PATH."""
    return _first(os.environ.get("FIREFOX"), shutil.which("firefox-esr"), shutil.which("firefox"))


def webkit() -> Path | None:
    """WebKit's driver, as named by $WEBKIT_DRIVER or found on PATH; it starts its browser by itself."""
    return _first(os.environ.get("WEBKIT_DRIVER"), shutil.which("WebKitWebDriver"))


def screen() -> Path | None:
    """What gives a program a screen where there is none."""
    return _first(shutil.which("xvfb-run"))


def install() -> None:
    """Install the browsers that are not here.

    Raises:
        UnmetNeed: Some are not, and may not be installed.
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
    """Install what is missing, build, and test; arguments go to pytest."""
    install()
    build.fresh()
    return tools.show([sys.executable, "-m", "pytest", "tests/engines", *arguments])


if __name__ == "__main__":
    environment.step("site_hooks.engines", main)
