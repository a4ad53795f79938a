"""The pages of models and of evidence: complete without scripts, and their wide tables scroll, by keys too."""

import pytest

from tests.pages.actions import OpenPage


@pytest.mark.parametrize(("path", "rows"), [("models.html", 60), ("evidence.html", 131)], ids=["models", "evidence"])
@pytest.mark.parametrize("context_options", [{"java_script_enabled": False}], ids=["no JavaScript"])
def test_without_scripts_every_row_is_there(path: str, rows: int, open_page: OpenPage) -> None:
    page = open_page(path, ready=False)
    assert page.locator("table.kv-data tbody tr").count() >= rows


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", ["models.html", "evidence.html"])
def test_tables_scroll_and_the_page_does_not(path: str, width: int, open_page: OpenPage) -> None:
    page = open_page(path, ready=False, narrow=width == 390)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.locator(".kv-scroll").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.kv-scroll').scrollLeft > 0")


def test_pages_link_to_each_other(open_page: OpenPage) -> None:
    page = open_page("index.html", ready=False)
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_role("link", name="Evidence", exact=True).click()
    assert page.url.endswith("evidence.html")
