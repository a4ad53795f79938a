"""What cannot be used is named where it was given, and the page goes on."""

import re

import pytest
from playwright.sync_api import Page

from tests.pages.actions import arrive, box, controls, defaults, move, note, problems, unfold, updated, value
from tests.pages.test_controls import CHOICES, NUMBERS

WRONG = ("many", "NaN", "-5", "0", "1e9", "3.5", "9" * 40, "  ", "<b>8</b>")


@pytest.mark.parametrize("name", NUMBERS)
def test_a_bad_number_is_named_and_the_page_goes_on(lab: Page, name: str) -> None:
    for typed in WRONG:
        box(lab, name).fill(typed)
        updated(lab)
        assert box(lab, name).input_value() == typed, "not rewritten while it is being typed"
        assert problems(lab), typed
        assert note(lab, name).inner_text().strip(), typed
        box(lab, name).blur()
        updated(lab)
        assert re.fullmatch(r"\d+", box(lab, name).input_value()), typed
        assert int(value(lab, "lab.cache_total") or 0) > 0, typed
        move(lab, "layers", "80")
        assert not problems(lab), typed
        arrive(lab, "v2&")


@pytest.mark.parametrize("name", ["tp", "reserve", "engine_block", "sequences", "block_size", "batch"])
def test_a_control_with_a_bad_value_is_marked_until_the_value_is_good(lab: Page, name: str) -> None:
    def colour() -> str:
        found: str = note(lab, name).evaluate("element => getComputedStyle(element).color")
        return found

    unfold(lab, name)
    box(lab, name).fill("many")
    updated(lab)
    assert box(lab, name).get_attribute("aria-invalid") == "true"
    wrong = lab.evaluate("() => getComputedStyle(document.querySelector('.kv-problem-list')).color")
    assert colour() == wrong
    assert "many" in note(lab, name).inner_text()
    move(lab, name, defaults()[name])
    assert box(lab, name).get_attribute("aria-invalid") == "false"
    assert colour() != wrong


@pytest.mark.parametrize("name", CHOICES)
def test_an_unknown_choice_in_a_link_is_named_and_the_default_is_kept(lab: Page, name: str) -> None:
    arrive(lab, f"v2&{name}=purple")
    assert "purple" in problems(lab)
    assert controls(lab) == defaults()
    assert value(lab, "lab.cache_total") == "21474836480"


@pytest.mark.parametrize(
    ("fragment", "named"),
    [
        pytest.param("v2&batch=many", "many", id="text"),
        pytest.param("v2&batch=NaN", "NaN", id="NaN"),
        pytest.param("v2&batch=-3", "-3", id="negative"),
        pytest.param("v2&context=" + "9" * 400, "99999999", id="huge"),
        pytest.param("v2&colour=orange", "colour", id="unknown key"),
        pytest.param("v2&model=gpt-9", "gpt-9", id="unknown model"),
        pytest.param("v2&batch", "batch", id="no value"),
        pytest.param("v2&batch=<img src=x onerror=alert(1)>", "img", id="markup"),
        pytest.param("v2&%", "%", id="broken escape"),
    ],
)
def test_a_bad_link_is_named_and_the_page_goes_on(lab: Page, fragment: str, named: str) -> None:
    arrive(lab, fragment)
    assert named in problems(lab)
    assert lab.locator('[data-slot="page.problems"] img').count() == 0
    move(lab, "batch", "16")
    assert value(lab, "lab.bytes_per_token") == "327680"


def test_an_unknown_key_is_named_and_the_rest_of_the_link_is_used(lab: Page) -> None:
    arrive(lab, "v2&batch=32&colour=orange&sequences=20")
    assert "colour" in problems(lab)
    assert (controls(lab)["batch"], controls(lab)["sequences"]) == ("32", "20")
