"""Serves a folder for the tests as GitHub Pages does: under a sub-path, with no headers of our own."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

PREFIX = "/explainer/"


class _Handler(SimpleHTTPRequestHandler):
    """Serves the folder under PREFIX, and 404 for any other path."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm", ".js": "text/javascript"}

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Remove PREFIX from the path and serve it; answer 404 if the path has no such prefix."""
        if not urlsplit(self.path).path.startswith(PREFIX):
            self.send_error(404)
            return None
        self.path = self.path[len(PREFIX) - 1 :]
        return super().send_head()

    def log_message(self, *_: object) -> None:
        """Log nothing: the tests record the requests themselves."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """Serve the folder while the block runs; yields the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{PREFIX}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
