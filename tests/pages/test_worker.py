"""The worker may die: it is started again and no change of the reader's is lost. Pages do not grow while they are used."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from site_hooks import hosting
from tests.pages.actions import READY_MS, OpenPage, box, move, updated, value
from tests.pages.booting import KEEP_WORKERS, SILENT_MS, shows_what_was_built

PER_SEQUENCE = 8192 * 327_680
TOLD_MS = 3_000
"""After this silence the page says that it waits; silence.js has the same."""

DAY_MS = 86_400_000

DIE = "() => window.workers.at(-1).onerror(new ErrorEvent('error', {message: 'out of memory'}))"

DRAG = """async ([from, to]) => {
  const range = document.querySelector('#lab input[type="range"][data-for="batch"]');
  for (let position = from; position < to; position++) {
    range.value = String(position);
    range.dispatchEvent(new Event('input', {bubbles: true}));
    await new Promise(requestAnimationFrame);
  }
}"""
LET_GO_REQUESTS = "() => { const held = window.held; window.held = null; held.forEach(post => post()); }"
LET_GO = """() => document.querySelector('#lab input[type="range"][data-for="batch"]')
  .dispatchEvent(new Event('change', {bubbles: true}))"""

FETCH = """address => fetch(address, {mode: 'no-cors'})
  .then(({type, status}) => `${type} ${status}`, error => error.name)"""
"""What an address answers. Without CORS, any host's answer would count: only a policy can keep it away."""

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
    """The whole cache, as the page shows it."""
    return int(value(page, "lab.cache_total") or 0)


def boot(page: Page) -> dict[str, object]:
    """How Python was started."""
    told: dict[str, object] = page.evaluate("() => window.explainer.boot")
    return told


def state(page: Page) -> str | None:
    """What the page says of its Python."""
    return page.locator("html").get_attribute("data-python")


@pytest.fixture
def mortal(context: BrowserContext, open_page: OpenPage) -> Page:
    """A page whose worker can be killed, and whose clock the test can move."""
    context.add_init_script(KEEP_WORKERS)
    context.clock.install()
    return open_page()


def test_the_worker_may_fetch_from_its_own_site_only(open_page: OpenPage, base_url: str, tmp_path: Path) -> None:
    """The page's policy binds it: the answer of another host, which would be there, does not come."""
    (worker,) = open_page().workers
    with hosting.hosted(tmp_path) as elsewhere:
        assert worker.evaluate(FETCH, elsewhere) == "TypeError"
    assert worker.evaluate(FETCH, f"{base_url}index.html") == "basic 200"


def test_a_worker_is_started_again_without_a_network(mortal: Page, context: BrowserContext) -> None:
    """Its script is kept; the files of the runtime come from the browser's cache."""
    context.route("**/worker.js", lambda route: route.abort())
    mortal.evaluate(DIE)
    move(mortal, "batch", "16")
    assert total(mortal) == 16 * PER_SEQUENCE
    assert (boot(mortal)["rung"], boot(mortal)["restarts"]) == ("delta", 1)


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param("self.close()", id="closed, as by a browser without memory"),
        pytest.param("for (;;);", id="endless loop"),
        pytest.param("throw new Error('out of memory')", id="error"),
    ],
)
def test_a_worker_killed_during_a_drag_is_started_again(mortal: Page, kill: str, console_errors: list[str]) -> None:
    mortal.evaluate(DRAG, [8, 12])
    mortal.workers[-1].evaluate(f"() => {{ setTimeout(() => {{ {kill} }}); }}")
    mortal.evaluate(DRAG, [12, 15])
    mortal.evaluate(LET_GO)
    if "throw" not in kill:  # the page is told of an error, and of nothing else
        mortal.clock.run_for(TOLD_MS)
        assert state(mortal) == "unanswered"
        assert mortal.locator('#kv-python [data-when="unanswered"]').is_visible()
        mortal.clock.run_for(SILENT_MS - TOLD_MS)
    updated(mortal)
    assert box(mortal, "batch").input_value() == "15"
    assert total(mortal) == 15 * PER_SEQUENCE
    assert boot(mortal)["restarts"] == 1
    assert boot(mortal)["rung"] == "delta"
    assert mortal.locator('#kv-python [data-when="ready"]').is_visible()
    console_errors.clear()


def test_a_slow_answer_is_waited_for_and_the_page_says_so(mortal: Page) -> None:
    mortal.evaluate("() => { window.held = []; }")
    mortal.evaluate(DRAG, [8, 12])
    mortal.clock.run_for(SILENT_MS // 2)
    assert state(mortal) == "unanswered"
    mortal.evaluate(LET_GO_REQUESTS)
    updated(mortal)
    assert total(mortal) == 12 * PER_SEQUENCE
    assert state(mortal) == "ready"
    assert boot(mortal)["restarts"] == 0


def test_a_tab_that_slept_for_a_day_does_not_take_its_worker_for_dead(mortal: Page) -> None:
    """Its timers are late, all at once; so is its worker, which then answers."""
    mortal.evaluate("() => { window.held = []; }")
    mortal.evaluate(DRAG, [8, 12])
    mortal.clock.fast_forward(DAY_MS)
    assert boot(mortal)["restarts"] == 0
    mortal.evaluate(LET_GO_REQUESTS)
    updated(mortal)
    assert total(mortal) == 12 * PER_SEQUENCE
    assert boot(mortal)["restarts"] == 0


SHOWN_AGAIN = "() => { window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true})); }"
"""The reader went back to the page, and the browser had kept it; Playwright's Chromium keeps none by itself."""


def test_a_page_shown_again_whose_worker_is_gone_starts_another_before_it_is_asked(mortal: Page) -> None:
    move(mortal, "batch", "16")
    mortal.evaluate("() => window.workers.at(-1).terminate()")
    mortal.evaluate(SHOWN_AGAIN)
    mortal.clock.run_for(SILENT_MS)
    expect(mortal.locator("html")).to_have_attribute("data-python", "ready", timeout=READY_MS)
    assert boot(mortal)["restarts"] == 1
    assert total(mortal) == 16 * PER_SEQUENCE
    move(mortal, "batch", "32")
    assert total(mortal) == 32 * PER_SEQUENCE


def test_a_page_shown_again_whose_worker_was_kept_goes_on(mortal: Page) -> None:
    move(mortal, "batch", "16")
    heard = "heard = window.workers.at(-1); const answer = new Promise(done => heard.addEventListener('message', done, {once: true}))"
    mortal.evaluate(f"async () => {{ const {heard}; ({SHOWN_AGAIN})(); await answer; }}")
    mortal.clock.run_for(2 * SILENT_MS)
    assert boot(mortal)["restarts"] == 0
    assert state(mortal) == "ready"
    move(mortal, "batch", "32")
    assert total(mortal) == 32 * PER_SEQUENCE


DRAG_QUERY_HEADS = """async () => {
  const range = document.querySelector('#lab input[type="range"][data-for="query_heads"]');
  range.value = String(range.dataset.stops.split(' ').indexOf('60'));
  range.dispatchEvent(new Event('input', {bubbles: true}));
  await window.explainer.update();
}"""

ASKS = """() => Promise.race([
  new Promise(asked => { window.held = {push: () => asked(true)}; }),
  window.explainer.update().then(() => false),
])"""


def test_what_an_answer_sets_was_not_moved_and_is_not_asked_again(mortal: Page) -> None:
    """60 query heads do not divide by the 8 KV heads: the answer sets 6, and the page then shows its state."""
    mortal.evaluate(DRAG_QUERY_HEADS)
    assert box(mortal, "kv_heads").input_value() == "6"
    assert not mortal.evaluate(ASKS)


def test_while_it_is_started_again_the_page_says_so(mortal: Page) -> None:
    mortal.evaluate(DIE)
    assert state(mortal) == "restarting"
    move(mortal, "batch", "16")
    assert total(mortal) == 16 * PER_SEQUENCE
    assert state(mortal) == "ready"


def test_deaths_between_answers_are_not_added_up(mortal: Page) -> None:
    """Three deaths without an answer are final; three of a long visit are not."""
    for death, batch in enumerate(("16", "32", "64"), start=1):
        mortal.evaluate(DIE)
        move(mortal, "batch", batch)
        assert total(mortal) == int(batch) * PER_SEQUENCE
        assert boot(mortal)["restarts"] == death
    assert boot(mortal)["rung"] == "delta"


def test_a_request_that_kills_every_worker_ends_with_what_was_built(
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
    move(page, "batch", "99")
    expect(page.locator("html")).to_have_attribute("data-python", "failed", timeout=READY_MS)
    updated(page)
    shows_what_was_built(page)
    assert boot(page)["restarts"] == 2


def test_a_worker_that_cannot_be_started_again_ends_with_what_was_built(mortal: Page) -> None:
    move(mortal, "batch", "32")
    mortal.evaluate("""() => {
      const gone = worker => worker.dispatchEvent(new MessageEvent('message', {data: {error: 'gone'}})), Real = Worker;
      window.Worker = class extends Real { constructor(...all) { super(...all); setTimeout(() => gone(this)); } };
      gone(window.workers.at(-1));
    }""")
    expect(mortal.locator("html")).to_have_attribute("data-python", "failed", timeout=READY_MS)
    shows_what_was_built(mortal)
    assert mortal.locator("#kv-python code").inner_text() == "gone"


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
