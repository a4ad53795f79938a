"""The state of the page in its address: read when the page is opened, written when a control has moved, copied by a button."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.pages.actions import (
    CLIFF_AT_32,
    OpenPage,
    arrive,
    controls,
    defaults,
    finish_pauses,
    move,
    numbers,
    problems,
    rung,
    text,
    updated,
    value,
)

OTHER = {
    "model": "llama-3-70b",
    "layers": "40",
    "query_heads": "32",
    "head_dim": "96",
    "attention": "mqa",
    "kv_heads": "1",
    "cache_dtype": "q8_0",
    "v_dtype": "q4_0",
    "weight_dtype": "int4",
    "context": "16384",
    "batch": "33",
    "average": "4096",
    "shared_prompt": "1024",
    "host_memory": "64",
    "gpu": "own",
    "gpu_memory": "48",
    "engine": "sglang",
    "mtp": "yes",
    "latents": "expanded",
    "units": "decimal",
    "scale": "log",
    "compare": "fp8",
    "tp": "16",
    "pp": "2",
    "dp": "3",
    "cp": "2",
    "ep": "2",
    "reserve": "7",
    "engine_block": "32",
    "strategy": "paged",
    "sequences": "20",
    "block_size": "16",
}
"""Every control of every form away from its default; `config` is for imported models, which have tests of their own, and `gpus`
is tp * pp * dp."""


def address(page: Page) -> str:
    found: str = page.evaluate("() => location.hash")
    return found


def test_every_control_has_another_value_here() -> None:
    assert set(OTHER) == set(defaults()) - {"config", "gpus"}
    assert all(OTHER[name] != default for name, default in defaults().items() if name in OTHER)


@pytest.mark.parametrize("name", OTHER)
def test_a_link_sets_a_control_and_the_address_names_it(lab: Page, name: str) -> None:
    extra = {"kv_heads": "attention=gqa&", "cp": "tp=16&", "gpu_memory": "gpu=own&"}.get(name, "")
    wanted = "4" if name == "kv_heads" else OTHER[name]
    arrive(lab, f"v2&{extra}{name}={wanted}&model=llama-3-70b" if name != "model" else f"v2&model={wanted}")
    assert controls(lab)[name] == wanted
    finish_pauses(lab)
    assert f"&{name}={wanted}" in address(lab)
    assert not problems(lab)


def test_a_link_with_every_control_survives_a_reload(open_page: OpenPage) -> None:
    page = open_page("index.html#v2&" + "&".join(f"{name}={wanted}" for name, wanted in OTHER.items()))
    updated(page)
    assert controls(page) == {**OTHER, "config": "", "gpus": "96"}
    shown = numbers(page)
    page.reload()
    assert rung(page) == "delta"
    updated(page)
    assert controls(page) == {**OTHER, "config": "", "gpus": "96"}
    assert numbers(page) == shown


def test_the_address_follows_the_controls_and_brings_the_state_back(lab: Page, open_page: OpenPage) -> None:
    move(lab, "batch", "32")
    finish_pauses(lab)
    assert address(lab) == "#v2&model=llama-3.1-70b&batch=32"
    page = open_page(f"index.html{address(lab)}")
    updated(page)
    assert controls(page)["batch"] == "32"
    assert value(page, "lab.cliff") == CLIFF_AT_32


def test_a_link_to_a_state_opens_at_the_lab_and_leads_back_to_the_defaults(open_page: OpenPage) -> None:
    page = open_page("index.html#v2&model=qwen3-32b&context=32768&batch=40")
    updated(page)
    expect(page.locator("#the-lab")).to_be_in_viewport()
    assert page.evaluate("() => document.querySelector('#the-lab').getBoundingClientRect().top") < 100
    assert "Qwen3 32B, 32,768 tokens, 40 users" in text(page, "page.linked")
    page.locator(".kv-linked a").click()
    updated(page)
    assert controls(page) == defaults()
    assert page.locator(".kv-linked").count() == 0


@pytest.mark.parametrize(
    "name", ["opening", "the-lab", "the-chart", "the-bar", "step-1", "step-6", "the-grid", "models", "corrections"]
)
def test_figures_steps_and_sections_have_an_address(lab: Page, name: str) -> None:
    arrive(lab, name)
    expect(lab.locator(f"#{name}")).to_be_in_viewport()


def test_an_anchor_in_the_address_is_left_alone(open_page: OpenPage) -> None:
    page = open_page("index.html#formula")
    updated(page)
    assert page.url.endswith("#formula")
    assert not problems(page)


def test_anchors_are_followed_and_leave_the_state_alone(lab: Page) -> None:
    arrive(lab, "v2&batch=32")
    for anchor in (
        "paged",
        "prelude",
        "formula",
        "lab-cliff",
        "try-this",
        "several-gpus",
        "models",
        "takeaway",
        "corrections",
    ):
        arrive(lab, anchor)
        expect(lab.locator(f"#{anchor}")).to_be_in_viewport()
        assert address(lab) == f"#{anchor}"
    assert controls(lab)["batch"] == "32"
    assert not problems(lab)


def test_an_anchor_is_not_overwritten_by_the_state_before_it(lab: Page) -> None:
    move(lab, "batch", "9")
    lab.evaluate("""async () => {
      const arrived = new Promise(resolve => addEventListener('hashchange', resolve, {once: true}));
      location.hash = 'prelude';
      await arrived;
    }""")
    finish_pauses(lab)
    assert address(lab) == "#prelude"


def test_the_button_copies_a_link_to_the_state(context: BrowserContext, open_page: OpenPage) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_page()
    move(page, "batch", "32")
    move(page, "strategy", "paged")
    page.locator("#kv-copy").click()
    expect(page.locator('#kv-copy ~ [data-when="copied"]')).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.endswith("index.html#v2&model=llama-3.1-70b&batch=32&strategy=paged")
    assert page.locator("#kv-link").is_hidden()


def test_the_link_is_shown_where_the_clipboard_is_closed(open_page: OpenPage, page: Page) -> None:
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new DOMException('NotAllowedError'));")
    open_page()
    page.locator("#kv-copy").click()
    expect(page.locator("#kv-link")).to_be_visible()
    assert page.locator("#kv-link").input_value().endswith("#v2&model=llama-3.1-70b")
    assert page.evaluate("() => getSelection().toString()").endswith("#v2&model=llama-3.1-70b")
