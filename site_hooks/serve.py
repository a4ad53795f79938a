"""Serves the site on this machine while it is being edited: after each change it is rebuilt and the browser reloads."""

import argparse
import socket
import sys

from site_hooks import environment, tools
from site_hooks.environment import UnmetNeed

FIRST_PORT = 8000
PORTS_TRIED = 20


def main(arguments: list[str]) -> int:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(prog="python -m site_hooks serve", description=__doc__)
    parser.add_argument(
        "--port", type=int, help=f"the port on this machine (default: {FIRST_PORT}, or the next free one)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    chosen = parser.parse_args(arguments)
    port = free_port([chosen.port] if chosen.port else range(FIRST_PORT, FIRST_PORT + PORTS_TRIED))
    command = [sys.executable, "-m", "mkdocs", "serve", "--livereload", "--dev-addr", f"127.0.0.1:{port}"]
    return tools.show([*command, "--open"] if chosen.open else command)


def free_port(ports: range | list[int]) -> int:
    """The first of these ports that is free.

    Raises:
        UnmetNeed: All are in use.
    """
    for port in ports:
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise UnmetNeed(f"port {ports[0]} is in use on this machine; name another with --port.")


if __name__ == "__main__":
    environment.step("site_hooks.serve", main)
