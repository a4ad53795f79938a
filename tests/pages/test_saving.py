"""For a reader who asked the browser to save data, Python is loaded when there is something to ask it, not before."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.pages.actions import CLIFF, CLIFF_AT_32, READY_MS, SAVES_DATA, OpenPage, rung, updated
from tests.pages.importing import CONFIG, drop

type Ask = Callable[[Page], None]

TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

RANGE = '#lab input[type="range"][data-for="batch"]'


@pytest.fixture
def saving(context: BrowserContext, open_page: OpenPage) -> OpenPage:
    """Open a page in a browser that was asked to save data."""
    context.add_init_script(SAVES_DATA)
    return lambda path="index.html": open_page(path, ready=False)


def shows(page: Page, slot: str, number: str) -> None:
    """Wait until the page shows a number, without asking it again: what it was asked first is not lost."""
    expect(page.locator(f'[data-slot="{slot}"] data').first).to_have_attribute("value", number, timeout=READY_MS)


def has_not_asked_for_python(page: Page, requests: list[Request]) -> None:
    """Two frames later the page has still not begun to load Python, and says so."""
    page.evaluate(TWO_FRAMES)
    assert not [one.url for one in requests if "/assets/runtime/" in one.url]
    assert page.workers == []
    assert page.locator("html").get_attribute("data-python") == "waiting"
    assert page.locator('#kv-python [data-when="waiting"]').is_visible()


def starts(page: Page) -> None:
    """The page stops waiting, and Python is loaded."""
    page.wait_for_function("() => document.documentElement.dataset.python !== 'waiting'")
    assert rung(page) == "delta"


def test_reading_loads_no_python(saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    has_not_asked_for_python(page, requests)
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    has_not_asked_for_python(page, requests)
    page.locator("h1").click()
    page.locator("#how-it-runs summary").click()
    page.locator("#kv-copy").focus()
    has_not_asked_for_python(page, requests)
    page.evaluate("() => { location.hash = 'several-gpus'; }")
    updated(page)
    has_not_asked_for_python(page, requests)


def test_the_focus_of_a_control_loads_python(saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    has_not_asked_for_python(page, requests)
    page.locator(RANGE).focus()
    starts(page)
    shows(page, "lab.cliff", CLIFF)
    page.locator(RANGE).fill("31")  # the stops begin at 1
    shows(page, "lab.cliff", CLIFF_AT_32)


def moved(page: Page) -> None:
    page.locator(RANGE).fill("31")


def pressed(page: Page) -> None:
    page.locator(""".kv-try button[data-set*='"batch":"32"']""").click()


def set_by_a_script(page: Page) -> None:
    page.evaluate(
        """() => {
          document.querySelector('#lab [name="batch"]').value = '32';
          window.explainer.update();
        }"""
    )


def linked(page: Page) -> None:
    page.evaluate("() => { location.hash = 'v2&batch=32'; }")


@pytest.mark.parametrize("ask", [moved, pressed, set_by_a_script, linked])
def test_the_first_change_loads_python_and_is_answered(ask: Ask, saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    has_not_asked_for_python(page, requests)
    ask(page)
    starts(page)
    shows(page, "lab.cliff", CLIFF_AT_32)
    assert page.locator('#lab [name="batch"]').input_value() == "32"


def test_a_link_to_a_state_shows_that_state(saving: OpenPage) -> None:
    page = saving("index.html#v2&batch=32")
    starts(page)
    shows(page, "lab.cliff", CLIFF_AT_32)


def test_a_dropped_config_loads_python_and_is_read(saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    has_not_asked_for_python(page, requests)
    drop(page, json.dumps(CONFIG))
    starts(page)
    shows(page, "lab.bytes_per_token", "131072")
