"""A host like GitHub Pages, on a link of a chosen speed: it compresses text and lets the browser cache everything.

All responses share one link, as at a reader's. The speed is limited here, because a browser's own emulation does not
apply to the requests of a service worker. The bytes sent are counted, by path.
"""

import functools
import gzip
import hashlib
import mimetypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

CHUNK = 16 * 1024
BURST_S = 0.01
"""Idle time that the link may catch up on, in seconds: as long as a sleep may be late."""

COMPRESSED_BY_HOST = {".html", ".js", ".mjs", ".css", ".json", ".svg", ".wasm", ".txt", ".py", ".map"}
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".whl": "application/zip"}


class Link:
    """The link that all responses share: `megabits` a second, or as fast as the machine can if that is None."""

    def __init__(self) -> None:
        self.megabits: float | None = None
        self.sent: dict[str, int] = {}
        self._free = 0.0
        self._lock = threading.Lock()

    def carry(self, path: str, count: int) -> None:
        """Wait until the link can carry `count` more bytes; they count as bytes of this path."""
        with self._lock:
            self.sent[path] = self.sent.get(path, 0) + count
            if self.megabits is None:
                return
            self._free = max(self._free, time.monotonic() - BURST_S) + count * 8 / (self.megabits * 1e6)
            until = self._free
        while (left := until - time.monotonic()) > 0:
            time.sleep(left)


@functools.cache
def _content(path: Path) -> tuple[bytes, str, bool]:
    """A file's bytes as the host sends them, its ETag, and whether it is compressed. Files do not change while the bench runs."""
    content = path.read_bytes()
    squeeze = path.suffix in COMPRESSED_BY_HOST
    return gzip.compress(content, 6) if squeeze else content, hashlib.sha256(content).hexdigest()[:16], squeeze


class _Handler(BaseHTTPRequestHandler):
    """Serves the files of a folder; every other path is 404."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, folder: Path, link: Link, *arguments: object) -> None:
        self._folder, self._link = folder, link
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with the file, or with 304 if the browser has the same version of it."""
        path = self._folder / unquote(urlsplit(self.path).path).lstrip("/")
        if not path.is_file() or not path.resolve().is_relative_to(self._folder):
            self.send_error(404)
            return
        body, tag, squeezed = _content(path)
        known = self.headers.get("If-None-Match") == f'"{tag}"'
        self.send_response(304 if known else 200)
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("ETag", f'"{tag}"')
        if not known:
            kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if squeezed:
                self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        for start in range(0, 0 if known else len(body), CHUNK):
            chunk = body[start : start + CHUNK]
            self._link.carry(urlsplit(self.path).path, len(chunk))
            self.wfile.write(chunk)

    def handle_one_request(self) -> None:
        """Handle a request; a browser that closes the connection during the response is no error."""
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Log nothing: a line for each request would hide the bench's own output."""


def warm(folder: Path) -> None:
    """Compress every file now, so that no measured request waits for it."""
    for path in folder.rglob("*"):
        if path.is_file():
            _content(path)


@contextmanager
def hosted(folder: Path) -> Iterator[tuple[str, Link]]:
    """Serve the folder while the block runs; yields its address and the link to it."""
    link = Link()
    warm(folder.resolve())
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, folder.resolve(), link))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", link
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
