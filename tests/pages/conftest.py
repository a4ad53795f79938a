"""The built site in a real browser, served from a sub-path as its host serves it.

A page that a test opens may ask only for what lies under that sub-path, and may write no error into the console: a
test fails when its page did. A test that provokes one takes it out of `console_errors` and looks at it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    WebError,
    expect,
    sync_playwright,
)

from site_hooks import browser as browsers
from site_hooks import build, hosting
from tests.pages.actions import READY_MS, OpenPage, rung
from tests.pages.shared import SharedPage

expect.set_options(timeout=READY_MS)  # as all other waits: a busy machine is no failure

DISABLED_BY_PLAYWRIGHT = (
    "AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints",
    "PaintHolding,PreconnectToSearch,TcpPortRandomizationWin,ThirdPartyStoragePartitioning",
)
"""Features of Chromium that Playwright disables by itself; our switch replaces its own, so it must name them again."""

SEARCH_POPUPS = ("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup")
"""Hidden pages of the address bar: Chromium loads them for each new window, at almost the cost of booting Python."""


WITHOUT_GPU = ("--disable-gpu", "--in-process-gpu")
"""No process for graphics: without a graphics card it only draws what nobody sees."""


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
    """One browser for the session."""
    with sync_playwright() as playwright:
        disabled = ",".join((*DISABLED_BY_PLAYWRIGHT, *SEARCH_POPUPS))
        started = playwright.chromium.launch(
            executable_path=browsers.chromium(),
            args=[*browsers.ARGUMENTS, *WITHOUT_GPU, f"--disable-features={disabled}"],
        )
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
    return {"viewport": {"width": 1280, "height": 900}, "service_workers": "block"}


@pytest.fixture
def context(
    chromium: Browser, context_options: dict[str, object], console_errors: list[str], requests: list[Request]
) -> Iterator[BrowserContext]:
    """A cold browser context: nothing cached, its errors and requests recorded."""
    made = chromium.new_context(**context_options)  # type: ignore[arg-type]
    made.set_default_timeout(READY_MS)
    with _recording(made, console_errors, requests):
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


@pytest.fixture(scope="session")
def shared_page(chromium: Browser, base_url: str) -> Iterator[SharedPage]:
    """One page for all tests that need no page of their own, so that Python boots once for them."""
    context = chromium.new_context(service_workers="block")
    context.set_default_timeout(READY_MS)
    yield SharedPage(context.new_page(), f"{base_url}index.html")
    context.close()


@pytest.fixture
def lab(shared_page: SharedPage, console_errors: list[str], requests: list[Request]) -> Iterator[Page]:
    """The article with Python ready and everything as it was when it was opened, in a window 1280 pixels wide.

    Tests share the page, so it is quick to get; its errors and requests are recorded as those of any other page. A test
    that needs a page just opened, or breaks one, uses `open_page`. Its clock is Playwright's (see `finish_pauses`), and
    its reader wants no motion, so that no test waits for one to end.
    """
    with _recording(shared_page.page.context, console_errors, requests):
        yield shared_page.reset()


@contextmanager
def _recording(context: BrowserContext, errors: list[str], requests: list[Request]) -> Iterator[None]:
    def message(written: ConsoleMessage) -> None:
        if written.type == "error":
            errors.append(written.text)

    def error(raised: WebError) -> None:
        errors.append(str(raised.error))

    def request(made: Request) -> None:
        requests.append(made)

    context.on("console", message)
    context.on("weberror", error)
    context.on("request", request)
    yield
    context.remove_listener("console", message)
    context.remove_listener("weberror", error)
    context.remove_listener("request", request)
