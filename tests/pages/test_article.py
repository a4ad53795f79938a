"""What stands around the Lab: the split, the grid, steps to try, cards, the table of models, links. Numbers are worked out by hand.

Llama-3 70B costs 327,680 B a token; its weights are 141,107,412,992 B. The grid's six requests store 669 + 80 + 175 + 571 + 473 + 100 tokens.
"""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from kvcore.page.pages import ARTICLE
from tests.pages.conftest import updated, value

type OpenPage = Callable[..., Page]

CONTROLS = ARTICLE.controls
FORM = {
    control.name: form for form, (_, groups) in ARTICLE.forms.items() for group in groups for control in group.controls
}


def controls(page: Page) -> dict[str, str]:
    """Every named control of the page."""
    found: dict[str, str] = page.evaluate(
        "() => Object.assign({}, ...[...document.querySelectorAll('form.kv-controls')].map(form => Object.fromEntries(new FormData(form))))"
    )
    return found


def frame(page: Page, name: str) -> Locator:
    return page.locator(f'[data-control="{name}"]')


def move(page: Page, name: str, to: str) -> None:
    """Set a control of any form as a reader does, and wait for the page."""
    field = page.locator(f"#{FORM[name]}-{name}")
    if field.count() == 0:
        frame(page, name).locator(f'input[value="{to}"]').check()
    elif field.evaluate("element => element.localName") == "select":
        field.select_option(to)
    else:
        field.fill(to)
        field.press("Enter")
    updated(page)


def arrive(page: Page, state: str) -> None:
    page.evaluate("state => { location.hash = `v1&${state}`; }", state)
    updated(page)


# the other forms


@pytest.mark.parametrize(
    ("name", "moved", "slot", "expected"),
    [
        pytest.param("tp", "4", "split.bytes_per_token", "81920", id="tp: two of eight KV heads each"),
        pytest.param("tp", "16", "split.bytes_per_token", "40960", id="tp: more GPUs than KV heads copy them"),
        pytest.param("tp", "1", "split.fits", str(76_968_728_985 - 141_107_412_992 - 21_474_836_480), id="tp: none"),
        pytest.param("pp", "2", "split.bytes_per_token", "81920", id="pp: half of the layers"),
        pytest.param("dp", "2", "split.cache", str(4 * 8192 * 163_840), id="dp: half of the sequences"),
        pytest.param("reserve", "0", "split.max_batch", "11", id="reserve: batch"),
        pytest.param("reserve", "50", "split.max_batch", "0", id="reserve: too little left for the weights"),
        pytest.param("strategy", "paged", "paging.reserved", str(19 * 128), id="strategy"),
        pytest.param("strategy", "paged", "paging.utilisation", str(2068 / 2432), id="strategy: utilisation"),
        pytest.param("sequences", "1", "paging.used", "669", id="sequences: used"),
        pytest.param("sequences", "64", "paging.reserved", str(64 * 2048), id="sequences: reserved"),
        pytest.param("block_size", "256", "paging.reserved", str(6 * 2048), id="block size: a row stays a row"),
        pytest.param("v_dtype", "fp8", "lab.bytes_per_token", str(80 * 8 * 128 * 3), id="V in one byte, K in two"),
        pytest.param("v_dtype", "q4_0", "lab.bytes_per_token", str(80 * 8 * (128 * 2 + 4 * 18)), id="V in q4_0"),
    ],
)
def test_a_control_changes_what_it_should(lab: Page, name: str, moved: str, slot: str, expected: str) -> None:
    move(lab, name, moved)
    assert value(lab, slot) == expected


def test_the_engines_block_rounds_each_sequence_up(lab: Page) -> None:
    move(lab, "context", "8193")
    assert value(lab, "split.cache") == str(8 * 8193 * 163_840)
    move(lab, "engine_block", "16")
    assert value(lab, "split.cache") == str(8 * 8208 * 163_840)


def test_a_split_that_cannot_be_is_said_at_its_control(lab: Page) -> None:
    move(lab, "pp", "81")
    assert frame(lab, "pp").locator(".kv-note").inner_text().strip()
    assert value(lab, "split.cache") == ""
    move(lab, "pp", "1")
    assert value(lab, "split.cache") == "10737418240"


def test_the_split_and_the_grid_follow_the_labs_model(lab: Page) -> None:
    move(lab, "model", "llama-2-7b")
    assert value(lab, "split.bytes_per_token") == "262144"
    assert "1.01 GiB" in lab.locator('[data-slot="paging.used"]').inner_text(), "2,068 x 524,288 B"


@pytest.mark.parametrize("strategy", ["contiguous", "paged"])
@pytest.mark.parametrize("sequences", ["1", "6", "20", "64"])
@pytest.mark.parametrize("block", ["8", "16", "128", "256"])
def test_the_grid_wastes_what_its_strategy_does(lab: Page, strategy: str, sequences: str, block: str) -> None:
    arrive(lab, f"strategy={strategy}&sequences={sequences}&block_size={block}")
    used, reserved = int(value(lab, "paging.used") or 0), int(value(lab, "paging.reserved") or 0)
    assert reserved % int(block) == 0
    if strategy == "contiguous":
        assert reserved == int(sequences) * 2048
    else:
        assert 0 <= reserved - used < int(sequences) * int(block)
    assert (lab.locator('[data-slot="paging.grid"] svg.kv-wide .kv-free').count() == 1) == (strategy == "paged")


@pytest.mark.parametrize(
    ("compared", "cliff"),
    [
        pytest.param("mistral-7b-v0.3", "13,825", id="a model: 14,496,047,104 / (8 x 131,072)"),
        pytest.param("fp8", "107,657", id="its FP8 cache: 141,107,412,992 / (8 x 163,840)"),
    ],
)
def test_what_is_compared_stands_in_the_chart_and_its_caption(lab: Page, compared: str, cliff: str) -> None:
    chart = lab.locator('[data-slot="lab.chart"]')
    assert chart.locator("svg.kv-wide .kv-compared").count() == 0
    move(lab, "compare", compared)
    assert chart.locator("svg.kv-wide .kv-compared").count() == 1
    expect(chart.locator("figcaption")).to_contain_text(cliff)
    assert value(lab, "lab.cliff") == "53829", "the Lab's own numbers stay"


# named states


STEPS = [
    pytest.param("One user", {"lab.cliff": "430626", "lab.cache_total": "2684354560"}, id="batch 1"),
    pytest.param("32 users", {"lab.cliff": "13458", "lab.cache_total": "85899345920"}, id="batch 32"),
    pytest.param("53 users", {"lab.cliff": "8126", "lab.cliff_batch": "53"}, id="batch 53"),
    pytest.param("128 users", {"lab.cliff": "3365", "lab.gpus": "6"}, id="batch 128"),
    pytest.param("53 users, as MHA", {"lab.cliff": "1151", "lab.params": "79948947456"}, id="MHA"),
    pytest.param("53 users, INT8 cache", {"lab.cliff": "16251", "lab.bytes_per_token": "163840"}, id="INT8"),
]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(("name", "expected"), STEPS)
def test_a_step_to_try_sets_its_state_and_brings_the_lab_into_view(
    lab: Page, name: str, expected: dict[str, str], width: int
) -> None:
    lab.set_viewport_size({"width": width, "height": 844})
    lab.emulate_media(reduced_motion="reduce")
    lab.locator(".kv-try button", has_text=re.compile(f"^{name}$")).click()
    updated(lab)
    assert {slot: value(lab, slot) for slot in expected} == expected
    assert controls(lab)["model"] == "llama-3.1-70b"
    assert controls(lab)["context"] == "8192"
    expect(lab.locator('[data-slot="lab.cache_total"]').first).to_be_in_viewport()
    expect(lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible')).to_be_in_viewport(ratio=0.9)


def test_the_steps_are_all_of_them_and_in_any_order(lab: Page) -> None:
    names = lab.locator(".kv-try button").all_inner_texts()
    assert names == ["One user", "32 users", "53 users", "128 users", "53 users, as MHA", "53 users, INT8 cache"]
    move(lab, "v_dtype", "q4_0")
    move(lab, "layers", "40")
    for name in reversed(names):
        lab.locator(".kv-try button", has_text=re.compile(f"^{name}$")).click()
    updated(lab)
    assert value(lab, "lab.cliff") == "430626"
    assert controls(lab)["cache_dtype"] == "fp16"


def test_every_button_of_the_cards_does_what_it_says(lab: Page) -> None:
    def press(card: str, number: int = 0) -> None:
        lab.locator(f'[data-slot="hatches.{card}"] button').nth(number).click()
        updated(lab)

    press("heads")
    assert value(lab, "lab.bytes_per_token") == "2621440"
    press("heads")
    assert value(lab, "lab.bytes_per_token") == "327680"
    press("dtype")
    assert value(lab, "lab.bytes_per_token") == "163840"
    press("dtype")
    assert value(lab, "lab.bytes_per_token") == "327680"
    press("paging")
    assert value(lab, "paging.reserved") == "2432"
    expect(lab.locator('[data-slot="paging.grid"] svg.kv-svg:visible')).to_be_in_viewport(ratio=0.9)
    press("paging")
    assert value(lab, "paging.reserved") == "12288"
    for card in ("layers", "latent"):
        arrive(lab, "model=llama-3-70b")
        count = lab.locator(f'[data-slot="hatches.{card}"] button').count()
        assert count
        for number in range(count):
            arrive(lab, "model=llama-3-70b")
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


# the table of models


def test_every_row_loads_its_model(lab: Page) -> None:
    rows = lab.locator('[data-slot="models.table"] tbody tr')
    assert rows.count() >= 20
    for index in range(rows.count()):
        cells = rows.nth(index).locator("th, td")
        name, token = cells.nth(0).inner_text(), cells.nth(3).locator("data").get_attribute("value")
        cells.nth(0).locator("button").click()
        updated(lab)
        assert value(lab, "lab.bytes_per_token") == token, name
        assert value(lab, "lab.weights") == cells.nth(8).locator("data").get_attribute("value"), name
        assert value(lab, "lab.cliff_batch") == cells.nth(9).locator("data").get_attribute("value"), name


@pytest.mark.parametrize(
    ("name", "token", "weights"),
    [
        pytest.param("Llama-3 70B", "327680", "141107412992", id="as built"),
        pytest.param("Llama-3 70B, if it were MHA", "2621440", "159897894912", id="twin: MHA"),
        pytest.param("Llama-3 70B, if it were MQA", "40960", "138758602752", id="twin: MQA"),
        pytest.param("Llama-2 7B", "524288", "13476831232", id="Llama-2 7B"),
        pytest.param("Mistral 7B v0.3", "131072", "14496047104", id="Mistral 7B"),
        pytest.param("Falcon 7B", "8192", None, id="one KV head of 64 in 32 layers"),
    ],
)
def test_a_row_says_what_was_worked_out_by_hand(lab: Page, name: str, token: str, weights: str | None) -> None:
    row = lab.locator('[data-slot="models.table"] tr', has=lab.get_by_role("button", name=name, exact=True))
    assert row.locator("th, td").nth(3).locator("data").get_attribute("value") == token
    if weights:
        assert row.locator("th, td").nth(8).locator("data").get_attribute("value") == weights
    row.locator("button").click()
    updated(lab)
    assert value(lab, "lab.bytes_per_token") == token


def column(page: Page, index: int) -> list[float | str]:
    """What a column of the table sorts by, from the top: an empty value is above every number."""
    found: list[float | str] = []
    for cell in page.locator(f'[data-slot="models.table"] tbody tr > :nth-child({index + 1})').all():
        number = cell.locator("data")
        if number.count():
            raw = number.first.get_attribute("value")
            found.append(float(raw) if raw else float("inf"))
        else:
            found.append(cell.inner_text().strip().lower())
    return found


def head(page: Page, index: int) -> Locator:
    return page.locator('[data-slot="models.table"] thead th').nth(index)


@pytest.mark.parametrize("index", range(10))
def test_a_click_sorts_by_a_column_and_another_turns_it(lab: Page, index: int) -> None:
    before = sorted(column(lab, index), key=str)
    head(lab, index).get_by_role("button").click()
    first = head(lab, index).get_attribute("aria-sort")
    one = column(lab, index)
    assert one == sorted(one, reverse=first == "descending")
    head(lab, index).get_by_role("button").click()
    assert {first, head(lab, index).get_attribute("aria-sort")} == {"ascending", "descending"}
    other = column(lab, index)
    assert other == sorted(other, reverse=first == "ascending")
    assert sorted(other, key=str) == before
    assert lab.locator('[data-slot="models.table"] [aria-sort]').count() == 1


def test_the_keyboard_sorts_and_the_order_outlives_other_units(lab: Page) -> None:
    head(lab, 8).get_by_role("button").focus()
    lab.keyboard.press("Enter")
    if head(lab, 8).get_attribute("aria-sort") == "ascending":
        lab.keyboard.press("Space")
    order = column(lab, 8)
    assert order == sorted(order, reverse=True)
    focused = "() => document.activeElement.closest('th')?.cellIndex"
    assert lab.evaluate(focused) == 8
    frame(lab, "units").locator('input[value="decimal"]').evaluate("radio => { radio.checked = true; }")
    updated(lab)
    assert "GB" in lab.locator('[data-slot="models.table"] tbody').inner_text()
    assert column(lab, 8) == order
    assert head(lab, 8).get_attribute("aria-sort") == "descending"
    assert lab.evaluate(focused) == 8, "the focus stays on the head"


def test_the_table_scrolls_by_keyboard_on_a_phone(lab: Page) -> None:
    lab.set_viewport_size({"width": 390, "height": 844})
    box = lab.locator('[data-slot="models.table"] .kv-scroll')
    box.focus()
    assert box.evaluate("element => element === document.activeElement && element.scrollWidth > element.clientWidth")
    lab.keyboard.press("ArrowRight")
    lab.wait_for_function("() => document.querySelector('[data-slot=\"models.table\"] .kv-scroll').scrollLeft > 0")


# finding a model


def test_what_is_typed_leaves_the_models_that_match_and_enter_takes_the_first(lab: Page) -> None:
    find, select = lab.locator("#kv-find"), lab.locator("#lab-model")
    find.fill("mistral v0.1")
    assert select.locator("optgroup option:not([hidden])").all_inner_texts() == ["Mistral 7B v0.1"]
    assert int(select.get_attribute("size") or 0) > 1, "the select is the list of what was found"
    find.press("Enter")
    updated(lab)
    assert controls(lab)["model"] == "mistral-7b-v0.1"
    assert value(lab, "lab.bytes_per_token") == "131072"
    assert find.input_value() == ""
    assert select.get_attribute("size") is None
    assert select.locator("option[hidden]").count() <= 1, "but for the one that stands for an import"


def test_a_search_that_finds_nothing_or_is_left_changes_nothing(lab: Page) -> None:
    find = lab.locator("#kv-find")
    find.fill("no such model")
    find.press("Enter")
    assert find.input_value() == "no such model"
    find.press("Escape")
    assert find.input_value() == ""
    find.fill("falcon")
    lab.locator("#lab-batch").focus()
    assert find.input_value() == ""
    assert lab.locator("#lab-model").get_attribute("size") is None
    updated(lab)
    assert controls(lab)["model"] == "llama-3-70b"


def test_the_arrow_key_leads_from_the_search_into_its_list(lab: Page) -> None:
    find = lab.locator("#kv-find")
    find.fill("llama-2")
    find.press("ArrowDown")
    assert lab.evaluate("() => document.activeElement.id") == "lab-model"
    lab.locator("#lab-model").select_option("llama-2-13b")
    updated(lab)
    assert value(lab, "lab.bytes_per_token") == "819200"
    lab.keyboard.press("Enter")
    assert lab.locator("#lab-model").get_attribute("size") is None


# links


OTHER = {
    "model": "llama-3.1-70b",
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
    "gpu": "rtx-4090",
    "units": "decimal",
    "scale": "log",
    "compare": "fp8",
    "tp": "8",
    "pp": "2",
    "dp": "3",
    "reserve": "7",
    "engine_block": "32",
    "strategy": "paged",
    "sequences": "20",
    "block_size": "16",
}
"""Every control of every form away from its default; `config` is for imported models, which have tests of their own."""


def test_every_control_has_another_value_here() -> None:
    assert set(OTHER) == set(CONTROLS) - {"config"}
    assert all(OTHER[name] != str(CONTROLS[name].default) for name in OTHER)


@pytest.mark.parametrize("name", OTHER)
def test_a_link_sets_a_control_and_the_address_names_it(lab: Page, name: str) -> None:
    extra = {"kv_heads": "attention=gqa&"}.get(name, "")
    wanted = "4" if name == "kv_heads" else OTHER[name]
    arrive(lab, f"{extra}{name}={wanted}")
    assert controls(lab)[name] == wanted
    lab.wait_for_function("name => new RegExp(`[&]${name}=`).test(location.hash)", arg=name)
    assert not lab.locator('[data-slot="lab.problems"]').inner_text().strip()


def test_a_link_with_everything_outlives_a_reload(open_page: OpenPage) -> None:
    fragment = "&".join(f"{name}={wanted}" for name, wanted in OTHER.items())
    page = open_page(f"index.html#v1&{fragment}")
    updated(page)
    assert controls(page) == {**OTHER, "config": ""}
    numbers = page.locator("[data-slot] data").evaluate_all("all => all.map(one => one.value)")
    page.wait_for_function("() => location.hash.includes('kv_heads') || location.hash.includes('attention')")
    page.reload()
    page.evaluate("() => window.explainer.ready")
    updated(page)
    assert controls(page) == {**OTHER, "config": ""}
    assert page.locator("[data-slot] data").evaluate_all("all => all.map(one => one.value)") == numbers


def test_unknown_keys_are_named_and_the_rest_is_used(lab: Page) -> None:
    arrive(lab, "batch=32&colour=orange&sequences=20")
    assert "colour" in lab.locator('[data-slot="lab.problems"]').inner_text()
    assert (controls(lab)["batch"], controls(lab)["sequences"]) == ("32", "20")


def test_anchors_work_beside_states(lab: Page) -> None:
    arrive(lab, "batch=32")
    lab.evaluate("() => { location.hash = 'paged'; }")
    updated(lab)
    expect(lab.locator("#paged")).to_be_in_viewport()
    assert controls(lab)["batch"] == "32"
    for anchor in ("prelude", "formula", "lab-cliff", "try-this", "several-gpus", "models", "takeaway", "corrections"):
        lab.evaluate("anchor => { location.hash = anchor; }", anchor)
        expect(lab.locator(f"#{anchor}")).to_be_in_viewport()
    assert not lab.locator('[data-slot="lab.problems"]').inner_text().strip()


def test_the_button_copies_a_link_to_the_state(context: BrowserContext, open_page: OpenPage) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_page()
    move(page, "batch", "32")
    move(page, "strategy", "paged")
    page.locator("#kv-copy").click()
    expect(page.locator('.kv-shared[data-when="copied"]')).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.endswith("index.html#v1&model=llama-3-70b&batch=32&strategy=paged")
    assert page.locator("#kv-link").is_hidden()


def test_where_the_clipboard_is_closed_the_link_is_shown(open_page: OpenPage, page: Page) -> None:
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new DOMException('NotAllowedError'));")
    open_page()
    page.locator("#kv-copy").click()
    expect(page.locator("#kv-link")).to_be_visible()
    assert page.locator("#kv-link").input_value().endswith("#v1&model=llama-3-70b")
    assert page.evaluate("() => getSelection().toString()").endswith("#v1&model=llama-3-70b")


# what cannot be used


@pytest.mark.parametrize("name", ["tp", "reserve", "engine_block", "sequences", "block_size", "batch"])
def test_a_control_that_holds_what_cannot_be_used_is_marked_until_it_does_not(lab: Page, name: str) -> None:
    field = lab.locator(f"#{FORM[name]}-{name}")
    field.fill("many")
    updated(lab)
    assert field.get_attribute("aria-invalid") == "true"
    note = frame(lab, name).locator(".kv-note")
    wrong = lab.evaluate("() => getComputedStyle(document.querySelector('.kv-problem-list')).color")
    assert note.evaluate("element => getComputedStyle(element).color") == wrong
    assert "many" in note.inner_text()
    move(lab, name, str(CONTROLS[name].default))
    assert field.get_attribute("aria-invalid") == "false"
    assert frame(lab, name).locator(".kv-note").evaluate("element => getComputedStyle(element).color") != wrong


def test_an_anchor_is_not_overwritten_by_the_state_before_it(lab: Page) -> None:
    lab.fill("[name=batch]", "9")
    updated(lab)
    lab.evaluate("() => { location.hash = 'prelude'; }")
    lab.evaluate("() => new Promise(resolve => setTimeout(resolve, 700))")  # the address follows after 500
    assert lab.evaluate("() => location.hash") == "#prelude"
