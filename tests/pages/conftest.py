"""The built site in a real browser, served from a sub-path as its host serves it.

A page that a test opens may ask only for what lies under that sub-path, and may write no error into the console: a
test fails when its page did. A test that provokes one takes it out of `console_errors` and looks at it.
"""

import functools
import os
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from site_hooks import browser as browsers
from site_hooks import build

PREFIX = "/explainer/"
READY_MS = 60_000
"""Time for Python to boot on a busy machine: a limit for what never comes, not a measure."""

type OpenPage = Callable[..., Page]


class _Handler(SimpleHTTPRequestHandler):
    """The folder under PREFIX, and nothing beside it."""

    protocol_version = "HTTP/1.1"

    def send_head(self):  # type: ignore[no-untyped-def]
        path = urlsplit(self.path).path
        if not path.startswith(PREFIX):
            return self.send_error(404)
        self.path = self.path[len(PREFIX) - 1 :]
        return super().send_head()

    def log_message(self, *_: object) -> None:
        """Say nothing: the tests say what they asked for."""


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site, built now if the sources changed."""
    return build.fresh()


@pytest.fixture(scope="session")
def base_url(site: Path) -> Iterator[str]:
    """The address of the site, under a sub-path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(site)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}{PREFIX}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the session; every test gets a context of its own."""
    arguments = ["--disable-background-networking", "--disable-component-update"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # root has no sandbox to be in
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browsers.chromium(), args=arguments)
        yield started
        started.close()


@pytest.fixture
def console_errors() -> Iterator[list[str]]:
    """What the pages of this test wrote into the console as errors, and their uncaught exceptions."""
    errors: list[str] = []
    yield errors
    assert not errors, f"the page reported errors: {errors}"


@pytest.fixture
def requests(base_url: str) -> Iterator[list[Request]]:
    """Every request of this test's pages; none may lead out of the sub-path."""
    made: list[Request] = []
    yield made
    outside = [one.url for one in made if not one.url.startswith((base_url, "data:", "blob:"))]
    assert not outside, f"the page asked for things outside its folder: {outside}"


@pytest.fixture
def context_options() -> dict[str, object]:
    """What a test may change of its browser context: `@pytest.mark.parametrize`, or a fixture of the same name."""
    return {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture
def context(
    chromium: Browser, context_options: dict[str, object], console_errors: list[str], requests: list[Request]
) -> Iterator[BrowserContext]:
    """A cold browser context: nothing cached, its errors and requests recorded."""
    made = chromium.new_context(**context_options)  # type: ignore[arg-type]
    made.set_default_timeout(READY_MS)
    made.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - it cannot be a built-in
    made.on("console", lambda message: console_errors.append(message.text) if message.type == "error" else None)
    made.on("weberror", lambda error: console_errors.append(str(error.error)))
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page."""
    return context.new_page()


@pytest.fixture
def open_page(page: Page, base_url: str) -> OpenPage:
    """Open a page of the site and wait until Python answers there.

    open_page(path="index.html", ready=True, dark=False, narrow=False)
    """

    def opened(path: str = "index.html", *, ready: bool = True, dark: bool = False, narrow: bool = False) -> Page:
        page.emulate_media(color_scheme="dark" if dark else "light")
        if narrow:
            page.set_viewport_size({"width": 390, "height": 844})
        page.goto(base_url + path)
        if ready:
            assert rung(page) == "api"
        return page

    return opened


def rung(page: Page) -> str:
    """How the page's Python was booted, once it is decided; "static" where it was not."""
    answer: dict[str, str] = page.evaluate("() => window.explainer.ready")
    return answer["rung"]
