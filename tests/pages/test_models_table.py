"""The article's table of models: each row loads its model, each column sorts."""

import pytest
from playwright.sync_api import Locator, Page

from tests.pages.actions import frame, updated, value

TABLE = '[data-slot="models.table"]'


def cell(row: Locator, column: int) -> str | None:
    """The number of a cell of a row."""
    return row.locator("th, td").nth(column).locator("data").get_attribute("value")


def test_every_row_loads_its_model(lab: Page) -> None:
    rows = lab.locator(f"{TABLE} tbody tr")
    assert rows.count() >= 20
    for row in rows.all():
        button = row.locator("button").first
        model = button.get_attribute("data-set")
        token, weights, cliff = cell(row, 3), cell(row, 8), cell(row, 9)
        button.click()
        updated(lab)
        assert value(lab, "lab.bytes_per_token") == token, model
        assert value(lab, "lab.weights") == weights, model
        assert value(lab, "lab.cliff_batch") == cliff, model


@pytest.mark.parametrize(
    ("loads", "token", "weights"),
    [
        pytest.param('{"model":"llama-3-70b"}', "327680", "141107412992", id="as built"),
        pytest.param('{"model":"llama-3-70b","attention":"mha"}', "2621440", "159897894912", id="twin: MHA"),
        pytest.param('{"model":"llama-3-70b","attention":"mqa"}', "40960", "138758602752", id="twin: MQA"),
        pytest.param('{"model":"llama-2-7b"}', "524288", "13476831232", id="Llama-2 7B"),
        pytest.param('{"model":"mistral-7b-v0.3"}', "131072", "14496047104", id="Mistral 7B"),
        pytest.param('{"model":"falcon-7b"}', "8192", None, id="one KV head of 64 in 32 layers"),
    ],
)
def test_a_row_has_the_numbers_worked_out_by_hand(lab: Page, loads: str, token: str, weights: str | None) -> None:
    row = lab.locator(f"{TABLE} tr", has=lab.locator(f"button[data-set='{loads}']"))
    assert cell(row, 3) == token
    if weights:
        assert cell(row, 8) == weights


def column(page: Page, index: int) -> list[float | str]:
    """What a column of the table sorts by, from the top: an empty value is above every number."""
    found: list[str | None] = page.locator(f"{TABLE} tbody tr > :nth-child({index + 1})").evaluate_all(
        "all => all.map(cell => cell.querySelector('data')?.getAttribute('value') ?? ` ${cell.textContent.trim().toLowerCase()}`)"
    )
    return [text[1:] if text[:1] == " " else float(text or "inf") for text in map(str, found)]


def head(page: Page, index: int) -> Locator:
    return page.locator(f"{TABLE} thead th").nth(index)


def test_a_click_sorts_by_a_column_and_another_reverses_it(lab: Page) -> None:
    for index in range(10):
        before = sorted(column(lab, index), key=str)
        head(lab, index).get_by_role("button").click()
        first = head(lab, index).get_attribute("aria-sort")
        one = column(lab, index)
        assert one == sorted(one, reverse=first == "descending"), index
        head(lab, index).get_by_role("button").click()
        assert {first, head(lab, index).get_attribute("aria-sort")} == {"ascending", "descending"}
        other = column(lab, index)
        assert other == sorted(other, reverse=first == "ascending"), index
        assert sorted(other, key=str) == before, index
        assert lab.locator(f"{TABLE} [aria-sort]").count() == 1


def test_the_keyboard_sorts_and_the_order_survives_other_units(lab: Page) -> None:
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
    assert "GB" in lab.locator(f"{TABLE} tbody").inner_text()
    assert column(lab, 8) == order
    assert head(lab, 8).get_attribute("aria-sort") == "descending"
    assert lab.evaluate(focused) == 8, "the focus stays on the head"


def test_the_table_scrolls_by_keyboard_on_a_phone(lab: Page) -> None:
    lab.set_viewport_size({"width": 390, "height": 844})
    region = lab.locator(f"{TABLE} .kv-scroll")
    region.focus()
    assert region.evaluate("element => element === document.activeElement && element.scrollWidth > element.clientWidth")
    lab.keyboard.press("ArrowRight")
    lab.wait_for_function("table => document.querySelector(`${table} .kv-scroll`).scrollLeft > 0", arg=TABLE)
