"""How Python is started: from the snapshot, else by Pyodide's public interface, else not at all; the page never hangs."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Route

from tests.pages.actions import DEFAULT_TOTAL, OpenPage, answers, box, rung, value
from tests.pages.booting import failures, has_no_python

type Break = Callable[[Route, Path], None]
type Breaking = Callable[[str, Break], str]


def missing(route: Route, _: Path) -> None:
    """As a host answers for a file that is not there."""
    route.fulfill(status=404, body="gone")


def truncated(route: Route, file: Path) -> None:
    """As a connection leaves it that breaks."""
    route.fulfill(body=file.read_bytes()[:-1000])


def altered(route: Route, file: Path) -> None:
    """One byte in the middle is another."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    route.fulfill(body=bytes(content))


def foreign(route: Route, file: Path) -> None:
    """What another build would have made: a valid file, but not the one that this page expects."""
    route.fulfill(body=gzip.compress(gzip.decompress(file.read_bytes())[::-1]))


def page_text(route: Route, _: Path) -> None:
    """As a host answers that shows its front page in the place of a missing file."""
    route.fulfill(body="<!doctype html><title>Welcome</title>", content_type="text/html")


@pytest.fixture
def breaking(context: BrowserContext, site: Path, console_errors: list[str]) -> Iterator[Breaking]:
    """Make a file of the runtime arrive broken; returns its whole name."""

    def broken(name: str, how: Break) -> str:
        (file,) = site.glob(f"assets/runtime/*/{name}")
        context.route(f"**/assets/runtime/*/{file.name}", lambda route: how(route, file))
        return file.name

    yield broken
    console_errors.clear()  # what the browser writes about the broken file


@pytest.mark.parametrize("how", [missing, truncated, altered, foreign, page_text])
def test_with_a_broken_snapshot_python_starts_by_pyodides_public_interface(
    how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    name = breaking("snapshot.gzip", how)
    page = open_page(ready=False)
    assert rung(page) == "api"
    assert answers(page)
    (failure,) = failures(page)
    assert failure.startswith(f"delta: {name}: ")
    panel = page.locator("#how-it-runs")
    panel.locator("summary").click()
    assert panel.locator('[data-rung="api"]').is_visible()
    assert failure in panel.inner_text()


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *(("pyodide.asm.wasm.gzip", how) for how in (missing, truncated, altered, page_text)),
        *(("worker.js", how) for how in (missing, truncated, altered, page_text)),
    ],
)
def test_without_an_interpreter_the_page_shows_what_was_built(
    name: str, how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    broken = breaking(name, how)
    has_no_python(open_page(ready=False), broken)


@pytest.mark.parametrize("how", [missing, truncated, altered, page_text])
@pytest.mark.parametrize("name", ["library.zip.gzip", "pyodide-lock.json", "*.whl"])
def test_when_snapshot_and_library_fail_the_page_shows_what_was_built(
    name: str, how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    breaking("snapshot.gzip", missing)
    broken = breaking(name, how)
    has_no_python(open_page(ready=False), broken)


@pytest.mark.parametrize("pattern", ["**/*.css", "**/javascripts/*", "**/katex/fonts/*"])
def test_without_styles_and_fonts_the_page_still_answers(
    pattern: str, context: BrowserContext, open_page: OpenPage, console_errors: list[str]
) -> None:
    context.route(pattern, lambda route: route.fulfill(status=404, body="gone"))
    assert answers(open_page())
    console_errors.clear()


def test_without_its_script_the_page_shows_what_was_built(
    context: BrowserContext, open_page: OpenPage, console_errors: list[str]
) -> None:
    context.route("**/assets/page.*.js", lambda route: route.fulfill(status=404, body="gone"))
    page = open_page(ready=False)
    assert value(page, "lab.cache_total") == str(DEFAULT_TOTAL)
    assert box(page, "batch").is_disabled()
    console_errors.clear()


def test_the_library_is_not_fetched_when_the_snapshot_works(open_page: OpenPage, requests: list[object]) -> None:
    open_page()
    names = {str(getattr(request, "url", "")).rpartition("/")[2] for request in requests}
    assert {"worker.js", "pyodide.asm.wasm.gzip", "snapshot.gzip"} <= names
    assert not [name for name in names if name.startswith(("library", "pyodide-lock", "kvcore"))]


def test_the_panel_says_how_python_was_started(open_page: OpenPage) -> None:
    page = open_page()
    boot = page.evaluate("() => window.explainer.boot")
    assert (boot["rung"], boot["failures"], boot["restarts"]) == ("delta", [], 0)
    assert {"wasm", "memory", "snapshot", "python", "check"} == set(boot["timings"])
    panel = page.locator("#how-it-runs")
    panel.locator("summary").click()
    assert panel.locator('[data-rung="delta"]').is_visible()
    assert not panel.locator('[data-rung="static"]').is_visible()
    assert panel.locator('[data-boot="wasm"]').inner_text().isdigit()
