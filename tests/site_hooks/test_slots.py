import pytest

from site_hooks import slots
from site_hooks.slots import SlotError, Slots, contents, fill, placeholders

SLOTS = Slots(
    html={"lab.total": '<data value="5">5 B</data>', "lab.chart": "<svg><g></g></svg><div>a<div>b</div></div>"},
    form=lambda name: {"lab": '<form id="lab"></form>'}[name],
    handle=lambda name: {"batch": '<form class="kv-handle"></form>'}[name],
    blocks=frozenset({"lab.chart"}),
)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        pytest.param('{{ slot("lab.total") }}', '<span data-slot="lab.total"></span>', id="a phrase is a span"),
        pytest.param('{{ slot("lab.chart") }}', '<div data-slot="lab.chart"></div>', id="a block is a div"),
        pytest.param("{{slot('lab.total')}}", '<span data-slot="lab.total"></span>', id="single quotes, no spaces"),
        pytest.param('{{ form("lab") }}', '<div data-form="lab"></div>', id="a form"),
        pytest.param('{{ handle("batch") }}', '<div data-handle="batch"></div>', id="a second slider"),
        pytest.param("{{ other }} text", "{{ other }} text", id="other braces are left alone"),
    ],
)
def test_names_in_markdown_become_empty_elements(markdown: str, html: str) -> None:
    assert placeholders(markdown, SLOTS.blocks) == html


def test_a_misspelled_call_is_named() -> None:
    with pytest.raises(SlotError, match="solt"):
        placeholders('{{ solt("lab.total") }}')


def test_fill_writes_the_content_of_a_slot_unchanged() -> None:
    html = fill('<p><span data-slot="lab.total"></span></p><div data-slot="lab.chart"></div>', SLOTS)
    assert contents(html) == {name: [text] for name, text in SLOTS.html.items()}


def test_a_form_replaces_its_placeholder() -> None:
    assert fill('<div data-form="lab"></div>', SLOTS) == '<form id="lab"></form>'


def test_a_second_slider_replaces_its_placeholder() -> None:
    assert fill('<div data-handle="batch"></div>', SLOTS) == '<form class="kv-handle"></form>'


@pytest.mark.parametrize(
    ("html", "named"),
    [
        pytest.param(
            '<span data-slot="lab.no"></span>', 'no slot "lab.no"; there are: lab.chart, lab.total', id="slot"
        ),
        pytest.param('<div data-form="no"></div>', 'no form "no"', id="form"),
        pytest.param('<div data-handle="no"></div>', 'no handle "no"', id="handle"),
        pytest.param("<code>&lt;span data-slot=&quot;lab.total&quot;&gt;", "stands in code", id="in code"),
    ],
)
def test_a_placeholder_that_cannot_be_filled_is_named(html: str, named: str) -> None:
    with pytest.raises(SlotError, match=named):
        fill(html, SLOTS)


def test_the_build_gets_slots_and_forms_from_kvcore() -> None:
    found = slots.from_kvcore()
    assert 'value="327680"' in found.html["lab.bytes_per_token"]
    assert found.form("lab").startswith("<form")
    assert 'data-for="batch"' in found.handle("batch")
    assert found.blocks <= found.html.keys()


def test_slots_that_depend_on_no_control_are_included() -> None:
    found = slots.from_kvcore()
    assert found.html["models.count"].startswith("<data value=")
    assert "models.catalog" in found.blocks


def test_an_error_while_printing_a_slot_stops_the_build_and_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise ValueError("record: 7 is not one that differs")

    monkeypatch.setattr("kvcore.page.printed.PRINTED", {"evidence.plain": refuse})
    with pytest.raises(SlotError, match="record: 7"):
        slots.from_kvcore()
