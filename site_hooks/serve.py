"""The site on this machine while it is written: built again, and the page loaded again, after each change."""

import argparse
import sys

from site_hooks import environment, tools


def main(arguments: list[str]) -> int:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(prog="python -m site_hooks serve", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="the port on this machine (default: 8000)")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    chosen = parser.parse_args(arguments)
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{chosen.port}"]
    return tools.show([*command, "--open"] if chosen.open else command)


if __name__ == "__main__":
    environment.step("site_hooks.serve", main)
