import pytest

from site_hooks import slots
from site_hooks.slots import SlotError, Telling, contents, fill, placeholders

TOLD = Telling(
    slots={"lab.total": '<data value="5">5 B</data>', "lab.chart": "<svg><g></g></svg><div>a<div>b</div></div>"},
    form=lambda name: {"lab": '<form id="lab"></form>'}[name],
    blocks=frozenset({"lab.chart"}),
)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        pytest.param('{{ slot("lab.total") }}', '<span data-slot="lab.total"></span>', id="a phrase is a span"),
        pytest.param('{{ slot("lab.chart") }}', '<div data-slot="lab.chart"></div>', id="a block is a div"),
        pytest.param("{{slot('lab.total')}}", '<span data-slot="lab.total"></span>', id="single quotes, no spaces"),
        pytest.param('{{ form("lab") }}', '<div data-form="lab"></div>', id="a form"),
        pytest.param("{{ other }} text", "{{ other }} text", id="other braces are left alone"),
    ],
)
def test_markdown_names_become_empty_elements(markdown: str, html: str) -> None:
    assert placeholders(markdown, TOLD.blocks) == html


def test_a_call_of_something_else_is_refused_by_name() -> None:
    with pytest.raises(SlotError, match="solt"):
        placeholders('{{ solt("lab.total") }}')


def test_a_slot_is_filled_to_the_byte() -> None:
    html = fill('<p><span data-slot="lab.total"></span></p><div data-slot="lab.chart"></div>', TOLD)
    assert contents(html) == {name: [text] for name, text in TOLD.slots.items()}


def test_a_form_takes_the_place_of_its_element() -> None:
    assert fill('<div data-form="lab"></div>', TOLD) == '<form id="lab"></form>'


@pytest.mark.parametrize(
    ("html", "named"),
    [
        pytest.param(
            '<span data-slot="lab.no"></span>', 'no slot "lab.no"; there are: lab.chart, lab.total', id="slot"
        ),
        pytest.param('<div data-form="no"></div>', 'no form "no"', id="form"),
        pytest.param("<code>&lt;span data-slot=&quot;lab.total&quot;&gt;", "stands in code", id="in code"),
    ],
)
def test_what_cannot_be_filled_is_refused_by_name(html: str, named: str) -> None:
    with pytest.raises(SlotError, match=named):
        fill(html, TOLD)


def test_kvcore_is_asked_through_the_browsers_door() -> None:
    told = slots.telling()
    assert 'value="327680"' in told.slots["lab.bytes_per_token"]
    assert told.form("lab").startswith("<form")
    assert told.blocks <= told.slots.keys()


def test_what_no_control_changes_is_printed_beside_it() -> None:
    told = slots.telling()
    assert told.slots["models.count"].startswith("<data value=")
    assert "models.catalog" in told.blocks


def test_a_refusal_to_print_stops_the_build_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise ValueError("record: 7 is not one that differs")

    monkeypatch.setattr("kvcore.page.printed.PRINTED", {"evidence.plain": refuse})
    with pytest.raises(SlotError, match="record: 7"):
        slots.telling()
