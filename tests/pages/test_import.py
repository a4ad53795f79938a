"""Bringing a model: pasted, dropped, opened, or fetched by its id, with Hugging Face played by the test."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.pages.bringing import CONFIG, drop
from tests.pages.conftest import updated, value

type OpenPage = Callable[..., Page]

TEXT = json.dumps(CONFIG)
HUB = "https://huggingface.co/"


def problems(page: Page) -> str:
    return page.locator('[data-slot="lab.problems"]').first.inner_text().strip()


def unfold(page: Page) -> None:
    if page.locator("#kv-import").get_attribute("open") is None:
        page.locator("#kv-import summary").click()


def paste(page: Page, text: str) -> None:
    unfold(page)
    page.locator("#kv-config-text").evaluate("(area, text) => { area.value = text; }", text)
    page.locator("#kv-config-use").click()
    updated(page)


def is_brought(page: Page) -> None:
    """The page shows the model that CONFIG describes."""
    assert page.locator("#lab-model").input_value() == "imported"
    assert value(page, "lab.bytes_per_token") == "131072"
    assert value(page, "lab.params") == "8030261248"
    assert value(page, "lab.weights") == "16060522496"
    assert not problems(page)


def is_untouched(page: Page) -> None:
    """The Lab stands as it stood: what was refused took nothing away."""
    assert page.locator("#lab-model").input_value() == "llama-3-70b"
    assert page.locator("#lab-batch").input_value() == "32"
    assert value(page, "lab.cache_total") == "85899345920"


@pytest.fixture
def busy(lab: Page) -> Page:
    """The Lab with a batch of 32, so that a reset would show."""
    lab.evaluate("() => { location.hash = 'v1&batch=32'; }")
    updated(lab)
    return lab


# the ways in


def test_pasted(busy: Page) -> None:
    paste(busy, TEXT)
    is_brought(busy)
    assert busy.locator("#lab-batch").input_value() == "32", "the load is kept"
    assert "Imported model" in busy.locator('[data-slot="lab.chart"]').inner_text()
    chosen = busy.locator("#lab-model").evaluate("select => select.selectedOptions[0].textContent")
    assert chosen.strip()


def test_opened(busy: Page, tmp_path: Path) -> None:
    file = tmp_path / "my-llama.json"
    file.write_text(TEXT, encoding="utf-8")
    unfold(busy)
    busy.locator("#kv-config-file").set_input_files(file)
    expect(busy.locator("#lab-model")).to_have_value("imported")
    updated(busy)
    is_brought(busy)
    assert "my-llama" in busy.locator('[data-slot="lab.chart"]').inner_text(), "named by its file"


def test_dropped(busy: Page) -> None:
    unfold(busy)
    drop(busy, TEXT)
    expect(busy.locator("#lab-model")).to_have_value("imported")
    updated(busy)
    is_brought(busy)
    assert "kv-over" not in (busy.locator("#kv-import").get_attribute("class") or "")


@pytest.fixture
def hub(open_page: OpenPage, requests: list[Request], console_errors: list[str]) -> Iterator[Page]:
    """A page of its own whose requests to Hugging Face the test answers; nothing else may leave the site."""
    page = open_page("index.html#v1&batch=32")
    updated(page)
    unfold(page)
    yield page
    asked = [one for one in requests if one.url.startswith(HUB)]
    assert all("cookie" not in one.headers and "referer" not in one.headers for one in asked)
    requests[:] = [one for one in requests if one not in asked]
    console_errors[:] = [error for error in console_errors if "Failed to load resource" not in error]


def answer(page: Page, status: int = 200, body: str = TEXT) -> None:
    page.route(
        f"{HUB}**",
        lambda route: route.fulfill(status=status, body=body, headers={"access-control-allow-origin": "*"}),
    )


@pytest.mark.parametrize("typed", ["acme/small-llama", f" {HUB}acme/small-llama/tree/main "])
@pytest.mark.parametrize("by", ["button", "Enter"])
def test_fetched_by_its_id(hub: Page, requests: list[Request], typed: str, by: str) -> None:
    answer(hub)
    hub.locator("#kv-config-id").fill(typed)
    assert not [one for one in requests if one.url.startswith(HUB)], "nothing is asked before it is asked for"
    if by == "button":
        hub.locator("#kv-config-fetch").click()
    else:
        hub.locator("#kv-config-id").press("Enter")
    expect(hub.locator("#lab-model")).to_have_value("imported")
    updated(hub)
    is_brought(hub)
    assert [one.url for one in requests if one.url.startswith(HUB)] == [
        f"{HUB}acme/small-llama/resolve/main/config.json"
    ]
    assert "small-llama" in hub.locator('[data-slot="lab.chart"]').inner_text()


@pytest.mark.parametrize(
    ("status", "says"),
    [
        pytest.param(404, "no config.json for", id="no such model"),
        pytest.param(401, "gated", id="gated"),
        pytest.param(403, "gated", id="gated: terms not accepted"),
        pytest.param(503, "status 503", id="out of order"),
    ],
)
def test_what_the_hub_refuses_is_said(hub: Page, status: int, says: str) -> None:
    answer(hub, status, "no")
    hub.locator("#kv-config-id").fill("acme/small-llama")
    hub.locator("#kv-config-fetch").click()
    note = hub.locator("#kv-import .kv-note")
    expect(note).to_contain_text(says)
    expect(note).to_contain_text("acme/small-llama")
    is_untouched(hub)


def test_no_network_is_said(hub: Page) -> None:
    hub.route(f"{HUB}**", lambda route: route.abort())
    hub.locator("#kv-config-id").fill("acme/small-llama")
    hub.locator("#kv-config-fetch").click()
    expect(hub.locator("#kv-import .kv-note")).to_contain_text("cannot be reached")
    is_untouched(hub)


@pytest.mark.parametrize("typed", ["llama", "", "acme/", "../../etc/passwd", "acme/<b>", "javascript:alert(1)"])
def test_what_is_no_id_is_not_asked_for(busy: Page, typed: str) -> None:
    unfold(busy)
    busy.locator("#kv-config-id").fill(typed)
    busy.locator("#kv-config-fetch").click()
    updated(busy)
    assert "not a model id" in problems(busy)
    is_untouched(busy)


def test_an_answer_that_comes_late_is_still_used(hub: Page) -> None:
    held: list[Route] = []
    hub.route(f"{HUB}**", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    hub.locator("#kv-config-id").fill("acme/small-llama")
    with hub.expect_request(f"{HUB}**"):
        hub.locator("#kv-config-fetch").click()
    hub.locator("#lab-batch").fill("16")
    hub.locator("#lab-batch").press("Enter")
    updated(hub)
    held[0].fulfill(body=TEXT, headers={"access-control-allow-origin": "*"})
    expect(hub.locator("#lab-model")).to_have_value("imported")
    updated(hub)
    assert hub.locator("#lab-batch").input_value() == "16"
    is_brought(hub)


# what cannot be imported


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("hello", "hello", id="not JSON"),
        pytest.param("[1, 2]", "", id="not an object"),
        pytest.param(TEXT[:-1], "", id="cut short"),
        pytest.param('{"a":' * 65 + "1" + "}" * 65, "nested at most 64 levels deep", id="one level too deep"),
        pytest.param("[" * 5_000, "nested at most 64 levels deep", id="5,000 levels"),
        pytest.param("[" * 490_000 + "]" * 490_000, "nested at most 64 levels deep", id="490,000 levels"),
        pytest.param(json.dumps({**CONFIG, "pad": "x" * 1_000_001}), "too large", id="long"),
        pytest.param(json.dumps({**CONFIG, "model_type": "whale"}), "whale", id="unknown architecture"),
        pytest.param(json.dumps({**CONFIG, "num_hidden_layers": -3}), "num_hidden_layers", id="negative"),
        pytest.param(json.dumps({**CONFIG, "num_hidden_layers": None}), "num_hidden_layers", id="null"),
        pytest.param(json.dumps({**CONFIG, "hidden_size": "many"}), "hidden_size", id="text for a number"),
        pytest.param(json.dumps({**CONFIG, "hidden_size": 1e400}), "hidden_size", id="infinite"),
        pytest.param(json.dumps({**CONFIG, "model_type": "<img src=x onerror=alert(1)>"}), "img", id="markup"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_and_takes_nothing_away(busy: Page, text: str, says: str) -> None:
    paste(busy, text)
    assert says in problems(busy)
    assert problems(busy)
    note = busy.locator("#kv-import .kv-note")
    assert says in note.inner_text()
    assert busy.locator("#kv-import img, .kv-problem-list img").count() == 0
    assert "kv-invalid" in (busy.locator("#kv-import").get_attribute("class") or "")
    is_untouched(busy)
    paste(busy, TEXT)
    is_brought(busy)
    assert not note.inner_text().strip()


def test_infinity_in_a_field_nobody_reads_is_no_problem(busy: Page) -> None:
    paste(busy, json.dumps({**CONFIG, "attention_dropout": float("inf"), "extra": [[{"deep": ["["]}]]}))
    is_brought(busy)


def test_text_that_only_looks_deep_is_read(busy: Page) -> None:
    paste(busy, json.dumps({**CONFIG, "chat_template": "{%" + '"{[\\"' * 200}))
    is_brought(busy)


# and then


def test_an_imported_model_is_edited_shared_and_comes_back(busy: Page, open_page: OpenPage) -> None:
    paste(busy, TEXT)
    busy.locator("#lab-layers").fill("16")
    busy.locator("#lab-layers").press("Enter")
    updated(busy)
    assert value(busy, "lab.bytes_per_token") == "65536"
    busy.wait_for_url(re.compile("layers=16"))
    numbers = busy.locator("[data-slot] data").evaluate_all("all => all.map(one => one.value)")
    link = busy.url.split("/")[-1]
    page = open_page(link)
    updated(page)
    assert page.locator("[data-slot] data").evaluate_all("all => all.map(one => one.value)") == numbers
    page.reload()
    page.evaluate("() => window.explainer.ready")
    updated(page)
    assert page.locator("[data-slot] data").evaluate_all("all => all.map(one => one.value)") == numbers
    page.locator(".kv-reset").click()
    updated(page)
    assert value(page, "lab.bytes_per_token") == "131072"


def test_another_model_can_be_chosen_and_the_imported_one_again(busy: Page) -> None:
    paste(busy, TEXT)
    busy.locator("#lab-model").select_option("llama-2-7b")
    updated(busy)
    assert value(busy, "lab.bytes_per_token") == "524288"
    assert busy.locator('#lab-model option[value="imported"]').get_attribute("hidden") is None, "offered from now on"
    busy.locator("#lab-model").select_option("imported")
    updated(busy)
    is_brought(busy)


@pytest.mark.parametrize("config", ["", "x", "a.b.c", "%3Cb%3E", "9" * 500])
def test_a_link_with_a_broken_import_is_named_and_the_page_goes_on(busy: Page, config: str) -> None:
    busy.evaluate("config => { location.hash = `v1&model=imported&config=${config}&batch=32`; }", config)
    updated(busy)
    assert problems(busy)
    is_untouched(busy)
