import pytest

from kvcore.page.html import Html, data, el, escape, join, number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain", "plain", id="nothing to do"),
        pytest.param("a < b & c > d", "a &lt; b &amp; c &gt; d", id="markup"),
        pytest.param('"it\'s"', "&quot;it&#39;s&quot;", id="quotes"),
        pytest.param('only "double"', "only &quot;double&quot;", id="double quotes alone"),
        pytest.param("8\N{MULTIPLICATION SIGN}", "8&#215;", id="not ASCII"),
        pytest.param("]]>", "]]&gt;", id="the end of a CDATA section"),
        pytest.param("a\nb\x7f", "a&#10;b&#127;", id="control characters"),
    ],
)
def test_text_is_made_safe_and_ascii(text, expected):
    escaped = escape(text)
    assert escaped.isascii()
    assert escaped.replace("\n", "&#10;").replace("\x7f", "&#127;") == expected


def test_children_and_attributes_are_escaped_and_markup_is_not():
    built = el("p", "<img onerror=x>", Html("<b>"), title='a"b', data_set='{"x":1}')
    assert built == '<p title="a&quot;b" data-set="{&quot;x&quot;:1}">&lt;img onerror=x&gt;<b></p>'


def test_attributes_are_spelled_as_html_spells_them():
    built = el("input", class_="c", aria_label="l", checked=True, disabled=False, value=None, min=0, x=1.50)
    assert built == '<input class="c" aria-label="l" checked min="0" x="1.5">'


def test_empty_shapes_close_themselves_and_cells_do_not():
    assert el("path", d="M0,0") == '<path d="M0,0"/>'
    assert el("td") == "<td></td>"


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, "1"), (-0.04, "0"), (1.25, "1.2"), (1e6, "1000000"), (-3.21, "-3.2")]
)
def test_coordinates_have_one_decimal_at_most(value, expected):
    assert number(value) == expected


def test_a_number_carries_its_exact_value_and_none_an_empty_one():
    assert data(327_680, "320 KiB") == '<data value="327680">320 KiB</data>'
    assert data(0.1 + 0.2, "0.3") == '<data value="0.30000000000000004">0.3</data>'
    assert data(None, "never") == '<data value="">never</data>'


def test_what_stands_between_is_escaped():
    assert join([el("b", "1"), el("b", "2")], " & ") == "<b>1</b> &amp; <b>2</b>"
