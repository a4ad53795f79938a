"""How Python is started: from the snapshot, else by Pyodide's public interface, else not at all; the page never hangs."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Route

from tests.pages.actions import DEFAULT_TOTAL, OpenPage, answers, box, rung, updated, value
from tests.pages.booting import KEEP_WORKERS, NEXT_MESSAGE, SILENT_MS, failures, has_no_python

type Break = Callable[[Route, Path], None]
type Breaking = Callable[..., str]


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


def empty(route: Route, _: Path) -> None:
    """As some proxies answer: all is well, and there is nothing."""
    route.fulfill(body="")


def lost(route: Route, _: Path) -> None:
    """As a connection that is reset before the first byte."""
    route.abort()


def page_text(route: Route, _: Path) -> None:
    """As a host answers that shows its front page in the place of a missing file."""
    route.fulfill(body="<!doctype html><title>Welcome</title>", content_type="text/html")


@pytest.fixture
def breaking(context: BrowserContext, site: Path, console_errors: list[str]) -> Iterator[Breaking]:
    """Make a file of the runtime arrive broken, always or only some times; returns its whole name."""

    def broken(name: str, how: Break, times: int | None = None) -> str:
        (file,) = site.glob(f"assets/runtime/*/{name}")
        context.route(f"**/assets/runtime/*/{file.name}", lambda route: how(route, file), times=times)
        return file.name

    yield broken
    console_errors.clear()  # what the browser writes about the broken file


@pytest.mark.parametrize("how", [lost, altered, empty, missing])
@pytest.mark.parametrize("name", ["pyodide.asm.wasm.gzip", "snapshot.gzip"])
def test_a_file_that_fails_once_is_asked_for_again_by_the_same_boot_method(
    name: str, how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    breaking(name, how, times=1)
    page = open_page()
    assert failures(page) == []
    assert answers(page)


@pytest.mark.parametrize("how", [lost, empty, missing])
def test_a_workers_script_that_fails_once_is_asked_for_again(
    how: Break, breaking: Breaking, open_page: OpenPage
) -> None:
    name = breaking("worker.js", how, times=1)
    page = open_page()
    assert answers(page)
    (failure,) = failures(page)
    assert failure.startswith(f"{name}: ")


@pytest.mark.parametrize("name", ["library.zip.gzip", "pyodide-lock.json", "*.whl"])
def test_a_file_of_the_library_that_is_lost_once_is_asked_for_again(
    name: str, breaking: Breaking, open_page: OpenPage
) -> None:
    breaking("snapshot.gzip", missing)
    breaking(name, lost, times=1)
    page = open_page(ready=False)
    assert rung(page) == "api"
    assert answers(page)


def test_a_boot_method_does_not_inherit_the_failed_download_of_another(breaking: Breaking, open_page: OpenPage) -> None:
    name = breaking("pyodide.asm.wasm.gzip", lost, times=2)  # both times that the first method asks for it
    page = open_page(ready=False)
    assert rung(page) == "api"
    assert answers(page)
    (failure,) = failures(page)
    assert failure.startswith(f"delta: {name}: ")


def test_what_is_moved_while_a_file_is_asked_for_again_is_applied(breaking: Breaking, open_page: OpenPage) -> None:
    breaking("pyodide.asm.wasm.gzip", lost, times=1)
    page = open_page(ready=False)
    box(page, "batch").fill("16")
    box(page, "batch").press("Enter")
    assert rung(page) == "delta"
    updated(page)
    assert value(page, "lab.cache_total") == str(2 * DEFAULT_TOTAL)


MUTE = """
  window.workers = [];
  window.Worker = class extends EventTarget {
    constructor() { super(); window.workers.push(this); }
    postMessage() {}
    terminate() {}
  };
"""
"""A worker that never says anything, as of an empty script or of a login page's."""


def test_a_worker_that_never_says_anything_is_given_up(context: BrowserContext, open_page: OpenPage) -> None:
    context.add_init_script(MUTE)
    context.clock.install()
    page = open_page(ready=False)
    page.wait_for_function("() => window.workers.length === 1")
    page.clock.run_for(SILENT_MS)
    page.wait_for_function("() => window.workers.length === 2")
    page.clock.run_for(SILENT_MS)
    has_no_python(page, "the worker was silent")


def test_a_worker_that_says_it_is_alive_is_waited_for(context: BrowserContext, open_page: OpenPage) -> None:
    """A slow network takes minutes for the interpreter, and Python, while it starts, says nothing: a worker that booted is waited for."""
    context.add_init_script(KEEP_WORKERS)
    context.clock.install()
    held: list[Route] = []
    context.route("**/pyodide.asm.wasm*", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    page = open_page(ready=False)
    page.wait_for_function("() => window.workers.length === 1")
    for _ in range(4):
        page.evaluate(NEXT_MESSAGE)
        page.clock.run_for(2 * SILENT_MS)
    for route in held:
        route.continue_()
    assert rung(page) == "delta"
    assert page.evaluate("() => window.workers.length") == 1


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
        *(("worker.js", how) for how in (missing, truncated, altered, page_text, empty, lost)),
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
    sentence = page.locator('#kv-python [data-when="static"]').inner_text()
    assert "load the page again" in sentence
    assert "JavaScript" not in sentence, "it is on"
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
