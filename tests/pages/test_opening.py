"""The first screen: title, figure and its slider, which is a second handle of the Lab's batch.

A user of Llama-3.1 70B at 8,192 tokens takes 2,684,354,560 B; 53 outweigh its weights.
"""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pages.actions import controls, move, slider, updated, value

ONE_USER = 2_684_354_560


def handle(page: Page) -> Locator:
    return page.locator('.kv-opening input[data-for="batch"]')


def put(page: Page, users: str) -> None:
    stops = (handle(page).get_attribute("data-stops") or "").split()
    handle(page).fill(str(stops.index(users)))
    updated(page)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (360, 740)])
def test_the_first_screen_has_the_title_the_figure_and_its_slider(lab: Page, width: int, height: int) -> None:
    lab.set_viewport_size({"width": width, "height": height})
    lab.evaluate("() => scrollTo(0, 0)")
    for part in (lab.locator("h1"), lab.locator(".kv-opening svg"), handle(lab)):
        expect(part).to_be_in_viewport(ratio=1)


def test_the_slider_of_the_first_screen_moves_the_labs_batch(lab: Page) -> None:
    put(lab, "32")
    assert controls(lab)["batch"] == "32"
    assert value(lab, "opening.sentence") == value(lab, "lab.cache_total") == str(32 * ONE_USER)
    assert slider(lab, "batch").input_value() == handle(lab).input_value()
    assert handle(lab).get_attribute("aria-valuetext") == "32 users"


def test_the_labs_batch_moves_the_slider_of_the_first_screen(lab: Page) -> None:
    move(lab, "batch", "16")
    assert value(lab, "opening.sentence") == str(16 * ONE_USER)
    assert handle(lab).input_value() == slider(lab, "batch").input_value()


def test_the_slider_of_the_first_screen_is_moved_by_keys_and_says_what_it_is(lab: Page) -> None:
    expect(lab.get_by_role("slider", name="Users at 8,192 tokens")).to_have_count(1)
    handle(lab).press("ArrowRight")
    updated(lab)
    assert value(lab, "opening.users") == "9"
    expect(handle(lab)).to_be_focused()


def test_the_first_screen_leads_to_the_lab(lab: Page) -> None:
    lab.locator(".kv-jump a").click()
    expect(lab.locator('[data-slot="lab.verdict"]')).to_be_in_viewport()
