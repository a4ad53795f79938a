"""The commands: `python -m site_hooks serve|build|test|engines|bench|oracle|check`.

This module and `environment` run before anything is installed, under any Python 3: they use the standard library only, and
no syntax that an old Python cannot parse.
"""

from __future__ import annotations

import importlib
import sys

from site_hooks import environment

USAGE = """usage: python -m site_hooks COMMAND [arguments]

  serve    build the site, serve it on this machine, and rebuild it after each change (--port N)
  build    build the site into site/
  test     build the site and run every test (arguments go to pytest)
  engines  test the page in Chromium, Firefox and WebKit, over http and from disk
  bench    measure the built site in a browser, against plain Pyodide and PyScript
  oracle   ask Hugging Face transformers' own models what kvcore is tested against (downloads some gigabytes)
  check    check lint, formatting and types of Python and JavaScript
"""
MODULES = {
    "serve": "serve",
    "build": "build",
    "test": "testing",
    "engines": "browser_engines",
    "bench": "bench",
    "oracle": "oracle.command",
    "check": "check",
}


def main(arguments: list[str]) -> int:
    """Run `main` of the command's module."""
    return int(importlib.import_module("site_hooks." + MODULES[arguments[0]]).main(arguments[1:]))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in MODULES:
        asked = sys.argv[1:2] in (["-h"], ["--help"], ["help"])
        (sys.stdout if asked else sys.stderr).write(USAGE)
        sys.exit(0 if asked else 2)
    environment.step("site_hooks", main)
