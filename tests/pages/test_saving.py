"""Who asked the browser to save data pays for Python when there is something to ask it, and not before."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.pages.bringing import CONFIG, drop
from tests.pages.conftest import CLIFF, CLIFF_AT_32, READY_MS, SAVES_DATA, rung, updated

type OpenPage = Callable[..., Page]
type Ask = Callable[[Page], None]

TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

RANGE = '#lab input[type="range"][data-for="batch"]'


@pytest.fixture
def saving(context: BrowserContext, open_page: OpenPage) -> OpenPage:
    """Open a page in a browser that was asked to save data."""
    context.add_init_script(SAVES_DATA)
    return lambda path="index.html": open_page(path, ready=False)


def shows(page: Page, slot: str, number: str) -> None:
    """Before long the page shows a number there, and nobody asked it once more: what it was asked first is not lost."""
    expect(page.locator(f'[data-slot="{slot}"] data').first).to_have_attribute("value", number, timeout=READY_MS)


def is_spared(page: Page, requests: list[Request]) -> None:
    """Two frames later the page has still not begun to get Python, and says so."""
    page.evaluate(TWO_FRAMES)
    assert not [one.url for one in requests if "/assets/runtime/" in one.url]
    assert page.workers == []
    assert page.locator("html").get_attribute("data-python") == "waiting"
    assert page.locator('#kv-python [data-when="waiting"]').is_visible()


def starts(page: Page) -> None:
    """The page waits no longer, and then Python is there."""
    page.wait_for_function("() => document.documentElement.dataset.python !== 'waiting'")
    assert rung(page) == "delta"


def test_to_read_costs_no_python(saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    is_spared(page, requests)
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    is_spared(page, requests)
    page.locator("h1").click()
    page.locator("#how-it-runs summary").click()
    page.locator("#kv-copy").focus()
    is_spared(page, requests)
    page.evaluate("() => { location.hash = 'several-gpus'; }")
    updated(page)
    is_spared(page, requests)


def test_the_focus_of_a_control_is_enough(saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    is_spared(page, requests)
    page.locator(RANGE).focus()
    starts(page)
    shows(page, "lab.cliff", CLIFF)
    page.locator(RANGE).fill("31")  # the stops begin at 1
    shows(page, "lab.cliff", CLIFF_AT_32)


def moved(page: Page) -> None:
    page.locator(RANGE).fill("31")


def pressed(page: Page) -> None:
    page.get_by_role("button", name="32 users").click()


def set_by_a_script(page: Page) -> None:
    page.evaluate(
        """() => {
          document.querySelector('#lab [name="batch"]').value = '32';
          window.explainer.update();
        }"""
    )


def linked(page: Page) -> None:
    page.evaluate("() => { location.hash = 'v1&batch=32'; }")


@pytest.mark.parametrize("ask", [moved, pressed, set_by_a_script, linked])
def test_what_is_asked_first_starts_python_and_is_answered(ask: Ask, saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    is_spared(page, requests)
    ask(page)
    starts(page)
    shows(page, "lab.cliff", CLIFF_AT_32)
    assert page.locator('#lab [name="batch"]').input_value() == "32"


def test_a_link_to_a_state_shows_that_state(saving: OpenPage) -> None:
    page = saving("index.html#v1&batch=32")
    starts(page)
    shows(page, "lab.cliff", CLIFF_AT_32)


def test_a_config_that_is_dropped_is_read(saving: OpenPage, requests: list[Request]) -> None:
    page = saving()
    is_spared(page, requests)
    drop(page, json.dumps(CONFIG))
    starts(page)
    shows(page, "lab.bytes_per_token", "131072")
