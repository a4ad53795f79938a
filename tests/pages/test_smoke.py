"""The page as a reader meets it: whole without scripts, answering with them, asking nobody else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request

from kvcore.page import update
from site_hooks.slots import contents
from tests.pages.conftest import updated

type OpenPage = Callable[..., Page]


def test_every_slot_in_the_file_is_what_kvcore_answers_to_the_byte(site: Path) -> None:
    answered = json.loads(update("{}"))["slots"]
    written = contents((site / "index.html").read_text("utf-8"))
    assert written
    for name, texts in written.items():
        assert set(texts) == {answered[name]}, name


def test_python_answers_in_the_page(lab: Page) -> None:
    total = lab.locator('[data-slot="lab.cache_total"] data').first
    assert total.get_attribute("value") == str(8 * 8192 * 327_680)
    lab.locator('#lab [name="batch"]').fill("16")
    lab.locator('#lab [name="batch"]').press("Enter")
    updated(lab)
    assert total.get_attribute("value") == str(16 * 8192 * 327_680)


def test_the_shared_page_is_at_its_defaults_again(lab: Page) -> None:
    assert lab.locator('#lab [name="batch"]').input_value() == "8"


def test_the_page_asks_for_the_runtime_from_its_own_folder_only(open_page: OpenPage, requests: list[Request]) -> None:
    open_page()
    assert [one.url for one in requests if one.url.endswith("pyodide.asm.wasm.gzip")]


@pytest.mark.parametrize("context_options", [{"java_script_enabled": False}], ids=["no JavaScript"])
def test_without_scripts_every_number_is_there(open_page: OpenPage) -> None:
    page = open_page(ready=False)
    assert page.locator('[data-slot="lab.bytes_per_token"] data').first.get_attribute("value") == "327680"
    assert page.locator('[data-slot="lab.chart"] svg').first.is_visible()


def test_the_policy_stops_what_the_page_did_not_bring(open_page: OpenPage, console_errors: list[str]) -> None:
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
