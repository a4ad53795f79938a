"""A folder served as the site's host serves it: under a sub-path, with nothing beside it, and no header of its own."""

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
    """The folder under PREFIX, and 404 for any other path."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm", ".js": "text/javascript"}

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer the head of a request for a path under PREFIX as if PREFIX were the root."""
        if not urlsplit(self.path).path.startswith(PREFIX):
            self.send_error(404)
            return None
        self.path = self.path[len(PREFIX) - 1 :]
        return super().send_head()

    def log_message(self, *_: object) -> None:
        """Say nothing: who asks knows what they asked for."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address at which the folder is served, for as long as the block runs."""
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
