"""The article before Python answers, and where it never will: whole, right, and asking nobody else."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from kvcore.page import update
from site_hooks.slots import contents
from tests.pages.actions import DEFAULT_TOTAL, READY_MS, OpenPage, box, controls, rung, slider, updated, value
from tests.pages.booting import shows_what_was_built


def test_every_slot_in_the_file_is_what_kvcore_answers_to_the_byte(site: Path) -> None:
    answered = json.loads(update("{}"))["slots"]
    written = contents((site / "index.html").read_text("utf-8"))
    assert written
    for name, texts in written.items():
        assert set(texts) == {answered[name]}, name


@pytest.mark.parametrize("context_options", [{"java_script_enabled": False}], ids=["no JavaScript"])
def test_without_javascript_the_page_shows_everything_and_says_so(open_page: OpenPage) -> None:
    page = open_page(ready=False)
    shows_what_was_built(page)
    assert page.locator("#kv-python noscript").is_visible()
    assert page.locator("#kv-python .kv-scripted").is_hidden()


@pytest.fixture
def held(context: BrowserContext, page: Page, open_page: OpenPage) -> list[Route]:
    """The requests for the interpreter of an opened page, unanswered: Python is starting."""
    routes: list[Route] = []
    context.route("**/pyodide.asm.wasm*", lambda route: routes.append(route))  # noqa: PLW0108 - it cannot be a built-in
    with page.expect_request("**/pyodide.asm.wasm*"):
        open_page(ready=False)
    expect(page.locator("#kv-python")).to_have_attribute("data-state", "starting")
    return routes


def test_what_is_moved_before_python_is_there_is_applied_in_order(held: list[Route], page: Page) -> None:
    box(page, "model").select_option("llama-2-7b")
    stops = (slider(page, "batch").get_attribute("data-stops") or "").split()
    slider(page, "batch").fill(str(stops.index("16")))
    assert box(page, "batch").input_value() == "16", "a slider writes its box at once"
    box(page, "layers").fill("16")
    box(page, "layers").press("Enter")
    assert value(page, "lab.bytes_per_token") == "327680"
    for route in held:
        route.continue_()
    assert rung(page) == "delta"
    updated(page)
    assert value(page, "lab.bytes_per_token") == "262144", "Llama-2 7B with half of its 32 layers"
    assert controls(page)["batch"] == "16"
    expect(page.locator("#kv-python")).to_have_attribute("data-state", "ready")


def test_a_control_moved_twice_counts_where_it_was_moved_last(held: list[Route], page: Page) -> None:
    """A model brings its own layers, so the order matters: layers, the model, and layers once more."""
    box(page, "layers").fill("40")
    box(page, "layers").press("Enter")
    box(page, "model").select_option("llama-2-7b")
    box(page, "layers").fill("16")
    box(page, "layers").press("Enter")
    for route in held:
        route.continue_()
    updated(page)
    assert controls(page)["layers"] == "16"
    assert value(page, "lab.bytes_per_token") == "262144", "Llama-2 7B with half of its 32 layers"


SET_EARLY = """
  new MutationObserver((_, observer) => {
    const box = document.querySelector('#lab [name="batch"]');
    if (!box) return;
    observer.disconnect();
    box.value = '16';
  }).observe(document, {childList: true, subtree: true});
"""
"""A browser or an extension that fills in a form does so before the page's script runs."""


def test_a_value_set_before_the_pages_script_runs_is_asked_about(context: BrowserContext, open_page: OpenPage) -> None:
    context.add_init_script(SET_EARLY)
    page = open_page()
    total = page.locator('[data-slot="lab.cache_total"] data').first
    expect(total).to_have_attribute("value", str(2 * DEFAULT_TOTAL), timeout=READY_MS)
    assert box(page, "batch").input_value() == "16"


def test_what_was_moved_is_set_again_when_the_page_is_loaded_again(
    held: list[Route], page: Page, console_errors: list[str]
) -> None:
    box(page, "batch").fill("16")
    page.route("**/pyodide.asm.wasm*", lambda route: route.abort())
    for route in held:
        route.abort()
    assert rung(page) == "static"
    shows_what_was_built(page)
    page.unroute_all()
    page.context.unroute_all()
    with page.expect_event("load"):
        page.locator('#kv-python [data-when="failed"] [data-reload]').click()
    assert rung(page) == "delta"
    updated(page)
    assert value(page, "lab.cache_total") == str(2 * DEFAULT_TOTAL)
    assert box(page, "batch").input_value() == "16"
    console_errors.clear()


def test_without_wasm_the_page_shows_what_was_built_and_says_so(
    held: list[Route], page: Page, console_errors: list[str]
) -> None:
    box(page, "batch").fill("64")  # nothing fails before the reader has moved something
    page.route(
        "**/pyodide.asm.wasm*", lambda route: route.fulfill(status=404, body="gone")
    )  # where it is asked for again
    for route in held:
        route.fulfill(status=404, body="gone")
    assert rung(page) == "static"
    shows_what_was_built(page)
    assert page.locator('#kv-python [data-when="failed"]').is_visible()
    assert page.locator("#kv-python code").inner_text().strip()
    updated(page)
    console_errors.clear()


def test_the_page_fetches_the_interpreter_from_its_own_folder_only(
    open_page: OpenPage, requests: list[Request]
) -> None:
    open_page()  # `requests` allows no other folder
    assert [one.url for one in requests if one.url.endswith("pyodide.asm.wasm.gzip")]


def test_the_policy_blocks_a_script_that_is_not_the_pages(open_page: OpenPage, console_errors: list[str]) -> None:
    page = open_page(ready=False)
    page.evaluate("""() => {
      const script = document.createElement('script');
      script.textContent = 'window.smuggled = true';
      document.body.append(script);
    }""")
    assert page.evaluate("() => window.smuggled") is None
    blocked = [error for error in console_errors if "Content Security Policy" in error]
    assert len(blocked) == 1
    console_errors.clear()
