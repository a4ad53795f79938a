"""What tests of the boot ask of a page: what failed, and whether it shows what it was built with."""

import re

from playwright.sync_api import Page

from kvcore.page import update
from tests.pages.actions import box, rung

SILENT_MS = 20_000
"""How long a worker may be silent before the page takes it for dead; silence.js has the same."""

KEEP_WORKERS = """
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      window.workers.push(this);
    }
    postMessage(...given) {
      if (window.held) window.held.push(() => super.postMessage(...given));
      else super.postMessage(...given);
    }
  };
"""
"""So that a test can end a worker as a browser does that runs out of memory: without a word to the page; or hold what it is asked."""

NEXT_MESSAGE = (
    "() => new Promise(heard => window.workers.at(-1).addEventListener('message', heard, {once: true})).then(() => {})"
)


def failures(page: Page) -> list[str]:
    """What went wrong while Python was started."""
    told: list[str] = page.evaluate("() => window.explainer.boot.failures")
    return told


def shows_what_was_built(page: Page) -> None:
    """Every slot has the numbers that kvcore answers for the defaults, the figures are drawn, and every control is locked."""
    answered = update({})["slots"]
    assert isinstance(answered, dict)
    expected = {name: re.findall(r'<data value="([^"]*)"', html) for name, html in answered.items()}
    shown = page.locator("[data-slot]").evaluate_all(
        "all => all.map(slot => [slot.dataset.slot, [...slot.querySelectorAll('data')].map(one => one.getAttribute('value'))])"
    )
    assert shown
    for name, numbers in shown:
        assert numbers == expected[name], name
    for figure in ("lab.chart", "lab.footprint"):
        assert page.locator(f'[data-slot="{figure}"] svg.kv-wide').is_visible()
    locked = page.locator("form.kv-controls :is(input, select)").evaluate_all(
        "all => all.map(one => one.matches(':disabled'))"
    )
    assert locked
    assert all(locked)
    assert box(page, "batch").input_value() == "8"


def has_no_python(page: Page, broken: str) -> None:
    """Python could not be started, the page shows what it was built with, and a sentence names the broken file and a way on."""
    assert rung(page) == "static"
    shows_what_was_built(page)
    sentence = page.locator('#kv-python [data-when="failed"]')
    assert sentence.is_visible()
    assert broken in sentence.locator("code").inner_text()
    assert sentence.locator("[data-reload]").is_visible()
