"""The pages of models and of evidence: whole without scripts, wide tables that scroll and that keys reach."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

type OpenPage = Callable[..., Page]

PAGES = pytest.mark.parametrize(
    ("path", "rows"), [("models.html", 60), ("evidence.html", 95)], ids=["models", "evidence"]
)


@PAGES
@pytest.mark.parametrize("context_options", [{"java_script_enabled": False}], ids=["no JavaScript"])
def test_without_scripts_every_row_is_there(path: str, rows: int, open_page: OpenPage) -> None:
    page = open_page(path, ready=False)
    assert page.locator("table.kv-data tbody tr").count() >= rows


@PAGES
@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_tables_scroll_and_the_page_does_not(path: str, rows: int, narrow: bool, open_page: OpenPage) -> None:
    page = open_page(path, ready=False, narrow=narrow)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= (390 if narrow else 1280)
    region = page.locator(".kv-scroll").first
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.kv-scroll').scrollLeft > 0")
    assert rows


def test_pages_lead_to_each_other(open_page: OpenPage) -> None:
    page = open_page("index.html", ready=False)
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_role("link", name="Evidence", exact=True).click()
    assert page.url.endswith("evidence.html")
