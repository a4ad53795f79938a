"""The few commands of the WebDriver protocol that open a page, press a key and run a script."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

ARROW_RIGHT = "\ue014"
LIMIT_MS = 120_000
"""A limit for what never comes, not a measure."""


class Session:
    """One window of a browser."""

    def __init__(self, address: str) -> None:
        self._address = address
        capabilities = {"alwaysMatch": {"timeouts": {"script": LIMIT_MS, "pageLoad": LIMIT_MS}}}
        self._id = self._ask("POST", "", {"capabilities": capabilities})["sessionId"]

    def open(self, address: str) -> None:
        """Go to a page and wait until it is loaded."""
        self._ask("POST", f"/{self._id}/url", {"url": address})

    def press(self, key: str) -> None:
        """Press a key and let it go, wherever the focus is."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._ask("POST", f"/{self._id}/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def run(self, script: str) -> Any:
        """The value to which the promise of this expression resolves."""
        body = f"const done = arguments[0]; ({script}).then(done, error => done({{error: String(error)}}));"
        return self._ask("POST", f"/{self._id}/execute/async", {"script": body, "args": []})

    def close(self) -> None:
        """Close the window and the browser."""
        self._ask("DELETE", f"/{self._id}")

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}/session{path}", data, method=method)  # noqa: S310
        with urllib.request.urlopen(request, timeout=LIMIT_MS / 1000) as answer:  # noqa: S310 - the driver on this machine
            return json.load(answer)["value"]


@contextmanager
def webkit(driver: Path, screen: Path, port: int) -> Iterator[Session]:
    """A window of WebKitGTK's browser on a screen of its own."""
    command = [str(screen), "--auto-servernum", str(driver), f"--port={port}"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            session = _opened(f"http://127.0.0.1:{port}")
            try:
                yield session
            finally:
                session.close()
        finally:
            os.killpg(process.pid, signal.SIGTERM)  # the screen and the driver with it


def _opened(address: str) -> Session:
    """A session, as soon as the driver listens: it says so to nobody, so that it is asked again and again."""
    deadline = time.monotonic() + LIMIT_MS / 1000
    while True:
        try:
            return Session(address)
        except (OSError, HTTPException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
