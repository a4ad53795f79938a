"""Importing a model: pasted, dropped, opened, or fetched by its id; the test answers in the place of Hugging Face."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, Route, expect

from kvcore.page import update
from tests.pages.actions import (
    OpenPage,
    arrive,
    box,
    finish_pauses,
    frame,
    move,
    numbers,
    problems,
    rung,
    updated,
    value,
)
from tests.pages.importing import CONFIG, drop, paste, unfold

TEXT = json.dumps(CONFIG)
HUB = "https://huggingface.co/"


def reason(**request: str) -> str:
    """What kvcore answers to a config that is refused."""
    answered = update(request)["problems"]
    assert isinstance(answered, list)
    return " ".join(answered)


def note(page: Page) -> str:
    return page.locator("#kv-import .kv-note").inner_text().strip()


def shows_the_imported_model(page: Page) -> None:
    """The page shows the model that CONFIG describes."""
    assert box(page, "model").input_value() == "imported"
    assert value(page, "lab.bytes_per_token") == "131072"
    assert value(page, "lab.params") == "8030261248"
    assert value(page, "lab.weights") == "16060522496"
    assert not problems(page)


def is_unchanged(page: Page) -> None:
    """The Lab shows what it showed: a refused config changes nothing."""
    assert box(page, "model").input_value() == "llama-3.1-70b"
    assert box(page, "batch").input_value() == "32"
    assert value(page, "lab.cache_total") == "85899345920"


@pytest.fixture
def busy(lab: Page) -> Page:
    """The Lab with a batch of 32, so that a reset would show."""
    arrive(lab, "v2&batch=32")
    return lab


# the ways in


def test_pasted(busy: Page) -> None:
    paste(busy, TEXT)
    shows_the_imported_model(busy)
    assert box(busy, "batch").input_value() == "32", "the load is kept"
    assert box(busy, "model").evaluate("select => select.selectedOptions[0].textContent").strip()


def test_opened(busy: Page, tmp_path: Path) -> None:
    file = tmp_path / "my-llama.json"
    file.write_text(TEXT, encoding="utf-8")
    unfold(busy)
    busy.locator("#kv-config-file").set_input_files(file)
    expect(box(busy, "model")).to_have_value("imported")
    updated(busy)
    shows_the_imported_model(busy)
    assert "my-llama" in busy.locator('[data-slot="lab.chart"]').inner_text(), "named by its file"


def test_dropped(busy: Page) -> None:
    unfold(busy)
    drop(busy, TEXT)
    expect(box(busy, "model")).to_have_value("imported")
    updated(busy)
    shows_the_imported_model(busy)
    assert "kv-over" not in (busy.locator("#kv-import").get_attribute("class") or "")


# from Hugging Face


@pytest.fixture
def hub(busy: Page, requests: list[Request], console_errors: list[str]) -> Iterator[Page]:
    """The Lab with a batch of 32; the test answers its requests to Hugging Face, and nothing else may leave the site."""
    unfold(busy)
    yield busy
    busy.unroute_all()
    asked = to_hub(requests)
    assert all("cookie" not in one.headers and "referer" not in one.headers for one in asked)
    requests[:] = [one for one in requests if one not in asked]
    console_errors[:] = [error for error in console_errors if "Failed to load resource" not in error]


def to_hub(requests: list[Request]) -> list[Request]:
    return [one for one in requests if one.url.startswith(HUB)]


def answer(page: Page, status: int = 200, body: str = TEXT) -> None:
    page.route(
        f"{HUB}**",
        lambda route: route.fulfill(status=status, body=body, headers={"access-control-allow-origin": "*"}),
    )


def fetch(page: Page, name: str) -> None:
    page.locator("#kv-config-id").fill(name)
    page.locator("#kv-config-fetch").click()


@pytest.mark.parametrize("typed", ["acme/small-llama", f" {HUB}acme/small-llama/tree/main "])
@pytest.mark.parametrize("by", ["button", "Enter"])
def test_fetched_by_its_id(hub: Page, requests: list[Request], typed: str, by: str) -> None:
    answer(hub)
    hub.locator("#kv-config-id").fill(typed)
    assert not to_hub(requests), "nothing is requested before the reader asks"
    if by == "button":
        hub.locator("#kv-config-fetch").click()
    else:
        hub.locator("#kv-config-id").press("Enter")
    expect(box(hub, "model")).to_have_value("imported")
    updated(hub)
    shows_the_imported_model(hub)
    assert [one.url for one in to_hub(requests)] == [f"{HUB}acme/small-llama/resolve/main/config.json"]
    assert "small-llama" in hub.locator('[data-slot="lab.chart"]').inner_text()


@pytest.mark.parametrize(
    ("status", "failed"),
    [
        pytest.param(404, "missing", id="no such model"),
        pytest.param(401, "gated", id="gated"),
        pytest.param(403, "gated", id="gated: terms not accepted"),
        pytest.param(503, "503", id="out of order"),
    ],
)
def test_the_page_says_why_hugging_face_refuses(hub: Page, status: int, failed: str) -> None:
    answer(hub, status, "no")
    fetch(hub, "acme/small-llama")
    expect(hub.locator("#kv-import .kv-note")).to_have_text(
        reason(config_failed=failed, config_name="acme/small-llama")
    )
    is_unchanged(hub)


def test_the_page_says_that_there_is_no_network(hub: Page) -> None:
    hub.route(f"{HUB}**", lambda route: route.abort())
    fetch(hub, "acme/small-llama")
    expect(hub.locator("#kv-import .kv-note")).to_have_text(
        reason(config_failed="network", config_name="acme/small-llama")
    )
    is_unchanged(hub)


@pytest.mark.parametrize("typed", ["llama", "", "acme/", "../../etc/passwd", "acme/<b>", "javascript:alert(1)"])
def test_text_that_is_no_model_id_is_refused_without_a_request(busy: Page, requests: list[Request], typed: str) -> None:
    unfold(busy)
    fetch(busy, typed)
    updated(busy)
    assert problems(busy) == reason(config_failed="id", config_name=typed)
    assert not to_hub(requests)
    is_unchanged(busy)


def test_an_answer_that_comes_late_is_still_used(hub: Page) -> None:
    held: list[Route] = []
    hub.route(f"{HUB}**", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    with hub.expect_request(f"{HUB}**"):
        fetch(hub, "acme/small-llama")
    move(hub, "batch", "16")
    let_go(hub, held, 0)
    expect(box(hub, "model")).to_have_value("imported")
    updated(hub)
    assert box(hub, "batch").input_value() == "16"
    shows_the_imported_model(hub)


def hold_answers(page: Page) -> list[Route]:
    """From now on Hugging Face's answers are held in this list, until a test lets one go."""
    held: list[Route] = []
    page.route(f"{HUB}**", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    return held


def let_go(page: Page, held: list[Route], number: int) -> None:
    """Let a held answer go, once Playwright has handed its request over, which can be after it has spoken of it."""
    while len(held) <= number:
        page.evaluate("() => new Promise(requestAnimationFrame)")
    held[number].fulfill(body=TEXT, headers={"access-control-allow-origin": "*"})


def test_a_newer_import_replaces_one_that_is_still_on_its_way(hub: Page) -> None:
    held = hold_answers(hub)
    with hub.expect_request(f"{HUB}**"):
        fetch(hub, "acme/slow-llama")
    with hub.expect_request(f"{HUB}**"), hub.expect_event("requestfailed"):
        fetch(hub, "acme/fast-llama")
    let_go(hub, held, 1)
    expect(box(hub, "model")).to_have_value("imported")
    updated(hub)
    shows_the_imported_model(hub)
    assert "fast-llama" in hub.locator('[data-slot="lab.chart"]').inner_text()


@pytest.mark.parametrize("by", ["select", "link", "button"])
def test_a_newer_choice_of_model_is_kept(hub: Page, by: str) -> None:
    hold_answers(hub)
    with hub.expect_request(f"{HUB}**"):
        fetch(hub, "acme/slow-llama")
    with hub.expect_event("requestfailed"):  # the page ends it, so that no answer can come
        if by == "select":
            move(hub, "model", "llama-2-7b")
        elif by == "link":
            arrive(hub, "v2&model=llama-2-7b")
        else:
            hub.locator(".kv-try button[data-set]").first.click()
    updated(hub)
    assert box(hub, "model").input_value() == ("llama-3.1-70b" if by == "button" else "llama-2-7b")
    expect(hub.locator("#kv-config-waiting")).to_be_hidden()
    assert not problems(hub)


def test_a_pasted_config_is_not_used_if_a_model_is_chosen_before_python_is_there(
    open_page: OpenPage, page: Page
) -> None:
    held: list[Route] = []
    page.route("**/pyodide.asm.wasm*", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    with page.expect_request("**/pyodide.asm.wasm*"):
        open_page(ready=False)
    unfold(page)
    page.locator("#kv-config-text").fill(TEXT)
    page.locator("#kv-config-use").click()
    box(page, "model").select_option("llama-2-7b")
    for route in held:
        route.continue_()
    assert rung(page) == "delta"
    updated(page)
    assert box(page, "model").input_value() == "llama-2-7b"
    assert value(page, "lab.bytes_per_token") == "524288"


def test_while_it_fetches_the_page_says_so_and_can_be_stopped(hub: Page) -> None:
    waiting = hub.locator("#kv-config-waiting")
    expect(waiting).to_be_hidden()
    hold_answers(hub)
    with hub.expect_request(f"{HUB}**"):
        fetch(hub, "acme/slow-llama")
    expect(waiting).to_be_visible()
    with hub.expect_event("requestfailed"):
        waiting.get_by_role("button").click()
    expect(waiting).to_be_hidden()
    expect(hub.locator("#kv-config-fetch")).to_be_focused()
    updated(hub)
    assert not problems(hub)
    is_unchanged(hub)


def test_an_answer_that_never_comes_is_waited_for_half_a_minute(hub: Page) -> None:
    hold_answers(hub)
    with hub.expect_request(f"{HUB}**"):
        fetch(hub, "acme/slow-llama")
    hub.clock.fast_forward(30_000)
    expect(hub.locator("#kv-import .kv-note")).to_have_text(reason(config_failed="late", config_name="acme/slow-llama"))
    expect(hub.locator("#kv-config-waiting")).to_be_hidden()
    is_unchanged(hub)


ENDLESS = """() => {
  const real = window.fetch;
  window.ended = new Promise(ended => {
    window.fetch = async () => {
      window.fetch = real;
      const pull = controller => controller.enqueue(new Uint8Array(1_000_000).fill(32));
      return new Response(new ReadableStream({pull, cancel: ended}));
    };
  });
}"""


def test_an_answer_without_an_end_is_ended_at_the_limit(busy: Page) -> None:
    unfold(busy)
    busy.evaluate(ENDLESS)
    fetch(busy, "acme/endless")
    busy.evaluate("() => window.ended")
    expect(busy.locator("#kv-import .kv-note")).to_have_text(reason(config_failed="size", config_name="acme/endless"))
    is_unchanged(busy)


# what cannot be imported


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("hello", "hello", id="not JSON"),
        pytest.param("[1, 2]", "", id="not an object"),
        pytest.param(TEXT[:-1], "", id="cut short"),
        pytest.param('{"a":' * 65 + "1" + "}" * 65, "", id="one level too deep"),
        pytest.param("[" * 5_000, "", id="5,000 levels"),
        pytest.param("[" * 490_000 + "]" * 490_000, "", id="490,000 levels"),
        pytest.param(json.dumps({**CONFIG, "pad": "x" * 8_000_001}), "", id="long"),
        pytest.param(json.dumps({**CONFIG, "model_type": "whale"}), "whale", id="unknown architecture"),
        pytest.param(json.dumps({**CONFIG, "num_hidden_layers": -3}), "num_hidden_layers", id="negative"),
        pytest.param(json.dumps({**CONFIG, "num_hidden_layers": None}), "num_hidden_layers", id="null"),
        pytest.param(json.dumps({**CONFIG, "hidden_size": "many"}), "hidden_size", id="text for a number"),
        pytest.param(json.dumps({**CONFIG, "hidden_size": 1e400}), "hidden_size", id="infinite"),
        pytest.param(json.dumps({**CONFIG, "model_type": "<img src=x onerror=alert(1)>"}), "img", id="markup"),
    ],
)
def test_a_config_that_cannot_be_read_is_refused_and_changes_nothing(busy: Page, text: str, names: str) -> None:
    paste(busy, text)
    assert problems(busy)
    assert names in problems(busy)
    assert names in note(busy)
    assert busy.locator("#kv-import img, .kv-problem-list img").count() == 0
    assert "kv-invalid" in (busy.locator("#kv-import").get_attribute("class") or "")
    is_unchanged(busy)
    paste(busy, TEXT)
    shows_the_imported_model(busy)
    assert not note(busy)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(
            {"attention_dropout": float("inf"), "extra": [[{"deep": ["["]}]]}, id="Infinity in an unused field"
        ),
        pytest.param({"chat_template": "{%" + '"{[\\"' * 200}, id="brackets inside a string"),
    ],
)
def test_a_config_that_only_looks_wrong_is_read(busy: Page, fields: dict[str, object]) -> None:
    paste(busy, json.dumps({**CONFIG, **fields}))
    shows_the_imported_model(busy)


# and then


def test_an_imported_model_is_edited_and_its_link_brings_it_back(busy: Page, open_page: OpenPage) -> None:
    paste(busy, TEXT)
    move(busy, "layers", "16")
    assert value(busy, "lab.bytes_per_token") == "65536"
    finish_pauses(busy)
    link = busy.evaluate("() => location.href").split("/")[-1]
    assert re.search("layers=16", link)
    shown = numbers(busy)
    page = open_page(link)
    updated(page)
    assert numbers(page) == shown
    page.reload()
    assert rung(page) == "delta"
    updated(page)
    assert numbers(page) == shown
    page.locator(".kv-reset").click()
    updated(page)
    assert value(page, "lab.bytes_per_token") == "131072"


def test_another_model_can_be_chosen_and_the_imported_one_again(busy: Page) -> None:
    paste(busy, TEXT)
    move(busy, "model", "llama-2-7b")
    assert value(busy, "lab.bytes_per_token") == "524288"
    assert frame(busy, "model").locator('option[value="imported"]').get_attribute("hidden") is None, (
        "offered from now on"
    )
    move(busy, "model", "imported")
    shows_the_imported_model(busy)


@pytest.mark.parametrize("config", ["", "x", "a.b.c", "%3Cb%3E", "9" * 500])
def test_a_link_with_a_broken_import_is_named_and_the_page_goes_on(busy: Page, config: str) -> None:
    arrive(busy, f"v2&model=imported&config={config}&batch=32")
    assert problems(busy)
    is_unchanged(busy)
