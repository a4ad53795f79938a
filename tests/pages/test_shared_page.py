"""The page that tests share: whatever a test did to it, the next one finds it as it was opened."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.pages.actions import box, controls, defaults, move, updated, value
from tests.pages.importing import CONFIG, paste
from tests.pages.shared import SharedPage


def moved_controls(page: Page) -> None:
    for name, to in (("model", "llama-2-7b"), ("batch", "33"), ("units", "decimal"), ("strategy", "paged")):
        move(page, name, to)


def left_typing(page: Page) -> None:
    box(page, "context").fill("many")


def imported_a_model(page: Page) -> None:
    paste(page, json.dumps(CONFIG))


def searched(page: Page) -> None:
    page.locator("#kv-find").fill("llama")


def opened_tables(page: Page) -> None:
    page.locator('[data-slot="lab.chart_table"] summary').click()


def scrolled(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator('[data-slot="models.table"] .kv-scroll').evaluate("box => { box.scrollLeft = 50; }")
    page.locator("#models").scroll_into_view_if_needed()


def went_to_an_anchor(page: Page) -> None:
    page.evaluate("() => { location.hash = 'formula'; }")


def moved_and_did_not_wait(page: Page) -> None:
    page.evaluate("() => { document.querySelector('#lab [name=batch]').value = '64'; window.explainer.update(); }")


@pytest.mark.parametrize(
    "leave",
    [
        moved_controls,
        left_typing,
        imported_a_model,
        searched,
        opened_tables,
        scrolled,
        went_to_an_anchor,
        moved_and_did_not_wait,
    ],
)
def test_what_a_test_left_behind_is_undone_without_loading_the_page_again(
    lab: Page, shared_page: SharedPage, leave: Callable[[Page], None]
) -> None:
    lab.evaluate("() => { window.stillThere = true; }")
    leave(lab)
    shared_page.reset()
    assert lab.evaluate("() => window.stillThere")
    assert controls(lab) == defaults()
    assert value(lab, "lab.cache_total") == "21474836480"
    assert lab.locator("details[open]").count() == 0
    assert lab.evaluate("() => [scrollX, scrollY, document.activeElement.localName, location.hash]") == [
        0,
        0,
        "body",
        "",
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param("() => document.querySelector('#models').append('!')", id="text"),
        pytest.param("() => document.querySelector('[data-slot=\"lab.cliff\"] data').value = '1'", id="number"),
        pytest.param("() => document.querySelector('#lab [name=batch]').title = 'spoiled'", id="attribute"),
        pytest.param(
            "() => document.querySelector('[data-slot=\"models.table\"] .kv-sort').click()", id="order of a table"
        ),
    ],
)
def test_a_page_that_cannot_be_brought_back_is_loaded_again(lab: Page, shared_page: SharedPage, spoil: str) -> None:
    lab.evaluate("() => { window.stillThere = true; }")
    lab.evaluate(spoil)
    shared_page.reset()
    assert not lab.evaluate("() => window.stillThere")
    updated(lab)
    assert controls(lab) == defaults()
