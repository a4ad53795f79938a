"""The worker may die: it is started again, nothing the reader set is lost, and pages do not grow while they are used."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page

from tests.pages.conftest import updated

type OpenPage = Callable[..., Page]

PER_SEQUENCE = 8192 * 327_680

KEEP_HOLD_OF_WORKERS = """
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      window.workers.push(this);
    }
  };
"""
"""So that a test can end a worker as a browser does that runs out of memory: without a word to the page."""

DRAG = """async ([from, to]) => {
  const range = document.querySelector('#lab input[type="range"][data-for="batch"]');
  for (let position = from; position < to; position++) {
    range.value = String(position);
    range.dispatchEvent(new Event('input', {bubbles: true}));
    await new Promise(requestAnimationFrame);
  }
}"""
LET_GO = """() => document.querySelector('#lab input[type="range"][data-for="batch"]')
  .dispatchEvent(new Event('change', {bubbles: true}))"""

UPDATES = """async count => {
  const range = document.querySelector('#lab input[type="range"][data-for="batch"]');
  for (let step = 0; step < count; step++) {
    range.value = String(step % 32);
    range.dispatchEvent(new Event('input', {bubbles: true}));
    if (step % 10 === 9) await window.explainer.update();
  }
  range.dispatchEvent(new Event('change', {bubbles: true}));
  await window.explainer.update();
}"""
"""Ten events for an answer, as a hand on a slider makes several in a frame."""


def total(page: Page) -> int:
    """The cache in all, as the page shows it."""
    return int(page.locator('[data-slot="lab.cache_total"] data').first.get_attribute("value") or 0)


def boot(page: Page) -> dict[str, object]:
    """How Python was started."""
    told: dict[str, object] = page.evaluate("() => window.explainer.boot")
    return told


@pytest.fixture
def mortal(context: BrowserContext, open_page: OpenPage) -> Page:
    """A page whose worker can be killed."""
    context.add_init_script(KEEP_HOLD_OF_WORKERS)
    return open_page()


def test_a_worker_killed_in_the_middle_of_a_drag_is_started_again(mortal: Page) -> None:
    mortal.evaluate(DRAG, [8, 12])
    mortal.evaluate("() => window.workers.at(-1).terminate()")
    mortal.evaluate(DRAG, [12, 15])
    mortal.evaluate(LET_GO)
    updated(mortal)
    assert mortal.locator('#lab [name="batch"]').input_value() == "15"
    assert total(mortal) == 15 * PER_SEQUENCE
    assert boot(mortal)["restarts"] == 1
    assert boot(mortal)["rung"] == "delta"
    assert mortal.locator('#kv-python [data-when="ready"]').is_visible()


def test_while_it_is_started_again_the_reader_is_told(mortal: Page) -> None:
    mortal.evaluate("() => window.workers.at(-1).onerror(new ErrorEvent('error', {message: 'out of memory'}))")
    assert mortal.locator("html").get_attribute("data-python") == "restarting"
    mortal.locator('#lab [name="batch"]').fill("16")
    mortal.locator('#lab [name="batch"]').press("Enter")
    updated(mortal)
    assert total(mortal) == 16 * PER_SEQUENCE
    assert mortal.locator("html").get_attribute("data-python") == "ready"


def test_what_kills_it_every_time_ends_in_the_page_as_it_was_built(
    context: BrowserContext, open_page: OpenPage
) -> None:
    context.add_init_script(
        "const post = Worker.prototype.postMessage;"
        "Worker.prototype.postMessage = function (data) {"
        "  if (String(data).includes('\"99\"')) this.onerror(new ErrorEvent('error', {message: 'fatal'}));"
        "  else post.call(this, data);"
        "};"
    )
    page = open_page()
    page.locator('#lab [name="batch"]').fill("99")
    page.locator('#lab [name="batch"]').press("Enter")
    page.wait_for_function("() => document.documentElement.dataset.python === 'failed'")
    updated(page)
    assert total(page) == 8 * PER_SEQUENCE
    assert page.locator('#lab [name="batch"]').is_disabled()
    assert boot(page)["restarts"] == 2


def test_ten_thousand_updates_leave_nothing_behind(open_page: OpenPage, context: BrowserContext) -> None:
    page = open_page()
    devtools = context.new_cdp_session(page)
    page.evaluate(UPDATES, 1_000)
    before = _weighed(devtools)
    page.evaluate(UPDATES, 10_000)
    after = _weighed(devtools)
    assert total(page) == (1 + (10_000 - 1) % 32) * PER_SEQUENCE
    assert after["JSEventListeners"] <= before["JSEventListeners"]
    assert after["Nodes"] <= before["Nodes"] * 1.05
    assert after["JSHeapUsedSize"] <= before["JSHeapUsedSize"] * 1.2 + 1_000_000


def _weighed(devtools: CDPSession) -> dict[str, float]:
    devtools.send("Performance.enable")
    for _ in range(2):
        devtools.send("HeapProfiler.collectGarbage")
    return {metric["name"]: metric["value"] for metric in devtools.send("Performance.getMetrics")["metrics"]}
