"""A reader who goes to an anchor keeps it in the address until they move a control again, however late Python answers.

Answers of the worker are held back by the test, and the browser's clock is moved past the pause before the address is written.
"""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from tests.pages.actions import READY_MS, updated, value
from tests.pages.importing import CONFIG

type OpenPage = Callable[..., Page]
type Move = Callable[[Page], None]

HOLD_ANSWERS = """
  window.answers = {holding: false, held: []};
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', event => {
        if (!window.answers.holding || typeof event.data !== 'string') return;
        event.stopImmediatePropagation();
        window.answers.held.push(() => this.dispatchEvent(new MessageEvent('message', {data: event.data})));
      });
    }
  };
"""
"""While `answers.holding`, the page does not hear what its worker answers."""

RELEASE = """() => {
  window.answers.holding = false;
  for (const answer of window.answers.held.splice(0)) answer();
}"""

DRAG_TO = """position => {
  const range = document.querySelector('#lab input[type="range"][data-for="batch"]');
  range.value = String(position);
  range.dispatchEvent(new Event('input', {bubbles: true}));
}"""

END_DRAG = """() => document.querySelector('#lab input[type="range"][data-for="batch"]')
  .dispatchEvent(new Event('change', {bubbles: true}))"""

SEQUENCE = 8192 * 327_680
"""The cache of one sequence on the page as built: 8,192 tokens of 327,680 B."""


@pytest.fixture
def patient(context: BrowserContext, page: Page, open_page: OpenPage) -> Page:
    """A page whose answers the test can hold back, and whose clock it can move."""
    context.add_init_script(HOLD_ANSWERS)
    page.clock.install()
    return open_page()


def typed(page: Page) -> None:
    page.locator('#lab [name="batch"]').fill("32")
    page.locator('#lab [name="batch"]').press("Enter")


def typed_without_enter(page: Page) -> None:
    page.locator('#lab [name="batch"]').fill("32")


def dragged(page: Page) -> None:
    page.evaluate(DRAG_TO, 31)  # the stops begin at 1


def dragged_and_ended(page: Page) -> None:
    dragged(page)
    page.evaluate(END_DRAG)


def opened_a_link(page: Page) -> None:
    page.evaluate("() => new Promise(done => { addEventListener('hashchange', done); location.hash = 'v2&batch=32'; })")


def pressed_a_button(page: Page) -> None:
    page.get_by_role("button", name="32 users").click()


def go_to(page: Page, anchor: str) -> None:
    """Follow a link to an anchor of the page, as a click on it does."""
    page.evaluate(
        """anchor => {
          const link = document.createElement('a');
          link.href = '#' + anchor;
          document.body.append(link);
          link.click();
          link.remove();
        }""",
        anchor,
    )
    page.wait_for_function("anchor => location.hash === '#' + anchor", arg=anchor)


def hold(page: Page) -> None:
    page.evaluate("() => { window.answers.holding = true; }")


def release(page: Page) -> None:
    """Let the page hear the answers that were held back, and wait until it shows the state of its controls."""
    page.wait_for_function("() => window.answers.held.length > 0")
    page.evaluate(RELEASE)
    updated(page)


def address(page: Page) -> str:
    """The fragment of the address after any pause is over."""
    page.clock.fast_forward(5_000)
    fragment: str = page.evaluate("() => location.hash")
    return fragment


MOVES = [typed, typed_without_enter, dragged, dragged_and_ended, opened_a_link, pressed_a_button]


@pytest.mark.parametrize("move", MOVES)
def test_an_answer_that_comes_after_the_jump_leaves_the_anchor(move: Move, patient: Page) -> None:
    hold(patient)
    move(patient)
    go_to(patient, "paged")
    release(patient)
    patient.evaluate(END_DRAG)  # a drag that goes on over the jump ends; without a drag it says nothing new
    updated(patient)
    assert value(patient, "lab.cache_total") == str(32 * SEQUENCE)
    assert address(patient) == "#paged"


@pytest.mark.parametrize("move", MOVES)
def test_without_a_jump_the_address_names_the_state(move: Move, patient: Page) -> None:
    hold(patient)
    move(patient)
    release(patient)
    patient.evaluate(END_DRAG)
    updated(patient)
    assert re.fullmatch(r"#v2&model=llama-3(\.1)?-70b&batch=32", address(patient))


def test_a_jump_to_the_anchor_in_the_address_counts_too(patient: Page) -> None:
    go_to(patient, "paged")
    hold(patient)
    typed(patient)
    go_to(patient, "paged")
    release(patient)
    assert address(patient) == "#paged"


def test_a_write_that_waits_at_the_jump_is_dropped(patient: Page) -> None:
    """The browser's clock stands still, so that the write is still waiting however slow the test is."""
    patient.clock.pause_at(patient.evaluate("() => Date.now() / 1000 + 1"))
    typed_without_enter(patient)
    total = patient.locator('[data-slot="lab.cache_total"] data').first
    expect(total).to_have_attribute("value", str(32 * SEQUENCE), timeout=READY_MS)
    patient.evaluate("() => { location.hash = 'paged'; }")
    expect(patient).to_have_url(re.compile("#paged$"))
    assert address(patient) == "#paged"


def test_a_drag_that_goes_on_after_the_jump_moves_the_control_again(patient: Page) -> None:
    patient.evaluate(DRAG_TO, 30)
    go_to(patient, "paged")
    patient.evaluate(DRAG_TO, 31)
    patient.evaluate(END_DRAG)
    updated(patient)
    assert address(patient) == "#v2&model=llama-3.1-70b&batch=32"


def test_the_next_move_of_a_control_writes_the_address_again(patient: Page) -> None:
    typed(patient)
    updated(patient)
    go_to(patient, "paged")
    patient.locator('#lab [name="batch"]').press("Enter")  # the same value, entered once more
    updated(patient)
    assert address(patient) == "#v2&model=llama-3.1-70b&batch=32"


def test_a_config_that_arrives_after_the_jump_leaves_the_anchor(patient: Page, requests: list[Request]) -> None:
    held: list[Route] = []
    patient.route("https://huggingface.co/**", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    patient.locator("#kv-import summary").click()
    patient.locator("#kv-config-id").fill("acme/small-llama")
    with patient.expect_request("https://huggingface.co/**"):
        patient.locator("#kv-config-fetch").click()
    go_to(patient, "paged")
    held[0].fulfill(body=json.dumps(CONFIG), headers={"access-control-allow-origin": "*"})
    expect(patient.locator("#lab-model")).to_have_value("imported")
    updated(patient)
    assert address(patient) == "#paged"
    requests[:] = [one for one in requests if not one.url.startswith("https://huggingface.co/")]


def test_at_an_anchor_the_button_still_copies_a_link_to_the_state(context: BrowserContext, patient: Page) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    hold(patient)
    typed(patient)
    go_to(patient, "paged")
    release(patient)
    patient.locator("#kv-copy").click()
    expect(patient.locator('#kv-copy ~ [data-when="copied"]')).to_be_visible()
    copied = patient.evaluate("() => navigator.clipboard.readText()")
    assert copied.endswith("index.html#v2&model=llama-3.1-70b&batch=32")
    assert address(patient) == "#paged"
