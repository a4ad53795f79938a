"""The built site in a real browser, served from a sub-path as its host serves it.

A page that a test opens may ask only for what lies under that sub-path, and may write no error into the console: a
test fails when its page did. A test that provokes one takes it out of `console_errors` and looks at it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from site_hooks import browser as browsers
from site_hooks import build, hosting

READY_MS = 60_000
"""Time for Python to boot on a busy machine: a limit for what never comes, not a measure."""

SAVES_DATA = (
    "Object.defineProperty(Navigator.prototype, 'connection', {configurable: true, get: () => ({saveData: true})});"
)
"""A script to begin a page with: its reader has asked the browser to save data."""

CLIFF, CLIFF_AT_32 = "53829", "13458"
"""Where the Lab's cliff is: the weights, 141,107,412,992 B, over 327,680 B a token, for a batch of 8 and of 32."""

type OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site, built now if the sources changed."""
    return build.fresh()


@pytest.fixture(scope="session")
def base_url(site: Path) -> Iterator[str]:
    """The address of the site, under a sub-path."""
    with hosting.hosted(site) as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the session; every test gets a context of its own."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browsers.chromium(), args=browsers.ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def console_errors() -> Iterator[list[str]]:
    """What the pages of this test wrote into the console as errors, and their uncaught exceptions."""
    errors: list[str] = []
    yield errors
    _no_errors(errors)


@pytest.fixture
def requests(base_url: str) -> Iterator[list[Request]]:
    """Every request of this test's pages; none may lead out of the sub-path."""
    made: list[Request] = []
    yield made
    _none_outside(made, base_url)


@pytest.fixture
def context_options() -> dict[str, object]:
    """What a test may change of its browser context: `@pytest.mark.parametrize`, or a fixture of the same name."""
    return {"viewport": {"width": 1280, "height": 900}, "service_workers": "block"}


@pytest.fixture
def context(
    chromium: Browser, context_options: dict[str, object], console_errors: list[str], requests: list[Request]
) -> Iterator[BrowserContext]:
    """A cold browser context: nothing cached, its errors and requests recorded."""
    made = chromium.new_context(**context_options)  # type: ignore[arg-type]
    _record(made, console_errors, requests)
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
            assert rung(page) == "delta"
        return page

    return opened


@pytest.fixture(scope="module")
def _booted(chromium: Browser, base_url: str) -> Iterator[tuple[Page, list[str], list[Request]]]:
    """One page for a module's tests, so that Python boots once for all of them."""
    errors: list[str] = []
    made: list[Request] = []
    context = chromium.new_context(service_workers="block")
    _record(context, errors, made)
    page = context.new_page()
    page.goto(f"{base_url}index.html")
    assert rung(page) == "delta"
    yield page, errors, made
    context.close()


@pytest.fixture
def lab(_booted: tuple[Page, list[str], list[Request]], base_url: str) -> Iterator[Page]:
    """The article with Python ready and every control at its default; shared by a module's tests, so it is quick.

    Its errors and requests are held to the same rules. A test that needs a cold page uses `open_page`.
    """
    page, errors, made = _booted
    errors.clear()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    page.evaluate("() => { location.hash = ''; location.hash = 'v1&'; }")
    updated(page)
    yield page
    _no_errors(errors)
    _none_outside(made, base_url)


def updated(page: Page) -> None:
    """Wait until the page shows the state of its controls."""
    page.evaluate("() => window.explainer.update()")


def value(page: Page, slot: str) -> str | None:
    """A slot's number, exactly, as the page shows it."""
    return page.locator(f'[data-slot="{slot}"] data').first.get_attribute("value")


def rung(page: Page) -> str:
    """How the page's Python was booted, once it is decided; "static" where it was not."""
    answer: dict[str, str] = page.evaluate("() => window.explainer.ready")
    return answer["rung"]


def _record(context: BrowserContext, errors: list[str], requests: list[Request]) -> None:
    context.set_default_timeout(READY_MS)
    context.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - it cannot be a built-in
    context.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: errors.append(str(error.error)))


def _no_errors(errors: list[str]) -> None:
    assert not errors, f"the page reported errors: {errors}"


def _none_outside(requests: list[Request], base_url: str) -> None:
    outside = [one.url for one in requests if not one.url.startswith((base_url, "data:", "blob:"))]
    assert not outside, f"the page asked for things outside its folder: {outside}"
