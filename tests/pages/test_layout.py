"""The Lab in the window: nothing scrolls sideways, and what a control moves is in view beside it."""

import pytest
from playwright.sync_api import Page, expect

from tests.pages.actions import box, move, slider
from tests.pages.test_controls import NUMBERS


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1600])
def test_nothing_scrolls_sideways_and_one_chart_is_shown(lab: Page, width: int) -> None:
    lab.set_viewport_size({"width": width, "height": 844})
    for model in ("llama-3-70b", "mistral-7b-v0.1"):
        move(lab, "model", model)
        assert lab.evaluate("() => document.documentElement.scrollWidth") == width
    drawn = lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible')
    assert drawn.count() == 1
    smallest = drawn.evaluate(
        "svg => Math.min(...[...svg.querySelectorAll('text')].map(text => "
        "parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a))"
    )
    assert smallest >= 11


def test_on_a_phone_readouts_and_chart_stay_above_the_control_in_use(lab: Page) -> None:
    lab.set_viewport_size({"width": 390, "height": 844})
    box(lab, "kv_heads").focus()
    for part in (
        lab.locator(".kv-reads"),
        lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible'),
        box(lab, "kv_heads"),
    ):
        expect(part).to_be_in_viewport(ratio=0.99)


def test_at_1280_pixels_the_controls_and_what_they_move_are_in_one_view(lab: Page) -> None:
    lab.evaluate("() => document.querySelector('.kv-lab').scrollIntoView()")
    parts = [slider(lab, name) for name in NUMBERS]
    figures = [lab.locator(f'[data-slot="{name}"] svg.kv-svg:visible') for name in ("lab.chart", "lab.footprint")]
    for part in (*parts, *figures, lab.locator(".kv-reads"), lab.locator(".kv-formula")):
        expect(part).to_be_in_viewport(ratio=0.99)
