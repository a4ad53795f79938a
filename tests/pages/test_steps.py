"""Buttons that set a state: the steps to try, and the cards of techniques. Numbers are worked out by hand."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pages.actions import arrive, controls, move, updated, value

STEPS = {
    "batch=1": {"lab.cliff": "430626", "lab.cache_total": "2684354560"},
    "batch=32": {"lab.cliff": "13458", "lab.cache_total": "85899345920"},
    "batch=53": {"lab.cliff": "8126", "lab.cliff_batch": "53"},
    "batch=128": {"lab.cliff": "3365", "lab.gpus": "8"},
    "batch=53 attention=mha": {"lab.cliff": "1151", "lab.params": "79948947456"},
    "batch=53 cache_dtype=int8": {"lab.cliff": "16251", "lab.bytes_per_token": "163840"},
}
"""What each step sets, apart from what all of them set, and some of what the page must show then."""

ALL = {
    "model": "llama-3.1-70b",
    "context": "8192",
    "cache_dtype": "fp16",
    "v_dtype": "same",
    "weight_dtype": "fp16",
}


def steps(page: Page) -> dict[str, Locator]:
    """The buttons of the steps, by what each of them sets apart from `ALL`."""
    found = {}
    for button in page.locator(".kv-try button").all():
        sets = json.loads(button.get_attribute("data-set") or "{}")
        own = sorted((name, str(to)) for name, to in sets.items() if ALL.get(name) != to)
        found[" ".join(f"{name}={to}" for name, to in sorted(own, key=lambda one: one[0] != "batch"))] = button
    return found


def test_there_is_a_button_for_every_step(lab: Page) -> None:
    assert set(steps(lab)) == set(STEPS)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_sets_its_state_and_brings_the_lab_into_view(lab: Page, step: str, width: int) -> None:
    lab.set_viewport_size({"width": width, "height": 844})
    steps(lab)[step].click()
    updated(lab)
    assert {slot: value(lab, slot) for slot in STEPS[step]} == STEPS[step]
    assert controls(lab)["model"] == "llama-3.1-70b"
    assert controls(lab)["context"] == "8192"
    expect(lab.locator('[data-slot="lab.cache_total"]').first).to_be_in_viewport()
    expect(lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible')).to_be_in_viewport(ratio=0.9)


def test_steps_set_the_same_state_in_any_order(lab: Page) -> None:
    move(lab, "v_dtype", "q4_0")
    move(lab, "layers", "40")
    buttons = steps(lab)
    for step in ("batch=53 cache_dtype=int8", "batch=53 attention=mha", "batch=128", "batch=1"):
        buttons[step].click()
    updated(lab)
    assert {slot: value(lab, slot) for slot in STEPS["batch=1"]} == STEPS["batch=1"]
    assert controls(lab)["cache_dtype"] == "fp16"


def press(page: Page, card: str) -> None:
    page.locator(f'[data-slot="hatches.{card}"] button').first.click()
    updated(page)


@pytest.mark.parametrize(
    ("card", "slot", "pressed", "again"),
    [
        ("heads", "lab.bytes_per_token", "2621440", "327680"),
        ("dtype", "lab.bytes_per_token", "163840", "327680"),
        ("paging", "paging.reserved", "2432", "12288"),
    ],
)
def test_a_card_applies_its_technique_and_takes_it_back(
    lab: Page, card: str, slot: str, pressed: str, again: str
) -> None:
    lab.emulate_media(reduced_motion="no-preference")  # the way to the grid is scrolled smoothly
    press(lab, card)
    assert value(lab, slot) == pressed
    if card == "paging":
        expect(lab.locator('[data-slot="paging.grid"] svg.kv-svg:visible')).to_be_in_viewport(ratio=0.9)
    press(lab, card)
    assert value(lab, slot) == again


@pytest.mark.parametrize("card", ["layers", "latent"])
def test_a_card_loads_the_models_that_use_its_technique(lab: Page, card: str) -> None:
    count = lab.locator(f'[data-slot="hatches.{card}"] button').count()
    assert count
    for number in range(count):
        arrive(lab, "v2&model=llama-3.1-70b")
        button = lab.locator(f'[data-slot="hatches.{card}"] button').nth(number)
        wanted = json.loads(button.get_attribute("data-set") or "{}")["model"]
        button.click()
        updated(lab)
        assert controls(lab)["model"] == wanted


def test_a_card_keeps_the_focus_of_its_button(lab: Page) -> None:
    lab.locator('[data-slot="hatches.dtype"] button').focus()
    lab.keyboard.press("Enter")
    updated(lab)
    assert lab.evaluate("() => document.activeElement.closest('[data-slot]')?.dataset.slot") == "hatches.dtype"
