"""How Python comes to the page: by the snapshot, else by its public interface, else not at all, and never a hang."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from tests.pages.booting import DEFAULT_TOTAL, failures, is_as_built
from tests.pages.conftest import rung, updated, value

type OpenPage = Callable[..., Page]
type Break = Callable[[Route, Path], None]
type Breaking = Callable[[str, Break], str]


def missing(route: Route, _: Path) -> None:
    """As a host answers for a file that is not there."""
    route.fulfill(status=404, body="gone")


def truncated(route: Route, file: Path) -> None:
    """As a line that breaks leaves it."""
    route.fulfill(body=file.read_bytes()[:-1000])


def altered(route: Route, file: Path) -> None:
    """One byte in the middle is another."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    route.fulfill(body=bytes(content))


def foreign(route: Route, file: Path) -> None:
    """What another build would have made: sound in itself, and not what this page expects."""
    route.fulfill(body=gzip.compress(gzip.decompress(file.read_bytes())[::-1]))


def page_text(route: Route, _: Path) -> None:
    """As a host answers that shows its front page for whatever it does not have."""
    route.fulfill(body="<!doctype html><title>Welcome</title>", content_type="text/html")


@pytest.fixture
def breaking(context: BrowserContext, site: Path, console_errors: list[str]) -> Iterator[Breaking]:
    """Have a file of the runtime arrive broken; answers its whole name."""

    def broken(name: str, how: Break) -> str:
        (file,) = site.glob(f"assets/runtime/*/{name}")
        context.route(f"**/assets/runtime/*/{file.name}", lambda route: how(route, file))
        return file.name

    yield broken
    console_errors.clear()  # the browser's own words on what the test withheld


def answers(page: Page) -> bool:
    """Whether a control moves what the page shows."""
    page.locator('#lab [name="batch"]').fill("16")
    page.locator('#lab [name="batch"]').press("Enter")
    updated(page)
    return value(page, "lab.cache_total") == str(2 * DEFAULT_TOTAL)


@pytest.mark.parametrize("how", [missing, truncated, altered, foreign, page_text])
def test_a_broken_snapshot_leaves_the_public_way(how: Break, breaking: Breaking, open_page: OpenPage) -> None:
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
        *(("worker.js", how) for how in (missing, truncated, page_text)),
    ],
)
def test_without_an_interpreter_the_page_stays_as_it_was_built(
    name: str, how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    broken = breaking(name, how)
    is_as_built(open_page(ready=False), broken)


@pytest.mark.parametrize("how", [missing, truncated, altered, page_text])
@pytest.mark.parametrize("name", ["library.zip.gzip", "pyodide-lock.json", "*.whl"])
def test_without_both_ways_the_page_stays_as_it_was_built(
    name: str, how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    breaking("snapshot.gzip", missing)
    broken = breaking(name, how)
    is_as_built(open_page(ready=False), broken)


@pytest.mark.parametrize("what", ["**/*.css", "**/javascripts/*", "**/katex/fonts/*"])
def test_without_looks_the_page_still_answers(
    what: str, context: BrowserContext, open_page: OpenPage, console_errors: list[str]
) -> None:
    context.route(what, lambda route: route.fulfill(status=404, body="gone"))
    assert answers(open_page())
    console_errors.clear()


def test_without_its_script_the_page_stays_as_it_was_built(
    context: BrowserContext, open_page: OpenPage, console_errors: list[str]
) -> None:
    context.route("**/assets/page.*.js", lambda route: route.fulfill(status=404, body="gone"))
    page = open_page(ready=False)
    assert value(page, "lab.cache_total") == str(DEFAULT_TOTAL)
    assert page.locator('#lab [name="batch"]').is_disabled()
    console_errors.clear()


def test_what_the_second_rung_needs_is_not_asked_for_when_the_first_holds(
    open_page: OpenPage, requests: list[object]
) -> None:
    open_page()
    names = {str(getattr(request, "url", "")).rpartition("/")[2] for request in requests}
    assert {"worker.js", "pyodide.asm.wasm.gzip", "snapshot.gzip"} <= names
    assert not [name for name in names if name.startswith(("library", "pyodide-lock", "kvcore"))]


def test_the_page_says_how_it_runs(open_page: OpenPage) -> None:
    page = open_page()
    boot = page.evaluate("() => window.explainer.boot")
    assert (boot["rung"], boot["failures"], boot["restarts"]) == ("delta", [], 0)
    assert {"wasm", "memory", "snapshot", "python", "check"} == set(boot["timings"])
    panel = page.locator("#how-it-runs")
    panel.locator("summary").click()
    assert panel.locator('[data-rung="delta"]').is_visible()
    assert not panel.locator('[data-rung="static"]').is_visible()
    assert panel.locator('[data-boot="wasm"]').inner_text().isdigit()
