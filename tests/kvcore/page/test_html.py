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
def test_escaped_text_is_ascii_without_markup(text, expected):
    escaped = escape(text)
    assert escaped.isascii()
    assert escaped.replace("\n", "&#10;").replace("\x7f", "&#127;") == expected


def test_children_and_attributes_are_escaped_unless_they_are_html():
    built = el("p", "<img onerror=x>", Html("<b>"), title='a"b', data_set='{"x":1}')
    assert built == '<p title="a&quot;b" data-set="{&quot;x&quot;:1}">&lt;img onerror=x&gt;<b></p>'


def test_attribute_names_have_hyphens_and_booleans_have_no_value():
    built = el("input", class_="c", aria_label="l", checked=True, disabled=False, value=None, min=0, x=1.50)
    assert built == '<input class="c" aria-label="l" checked min="0" x="1.5">'


def test_empty_svg_shapes_are_self_closing_and_other_elements_are_not():
    assert el("path", d="M0,0") == '<path d="M0,0"/>'
    assert el("td") == "<td></td>"


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, "1"), (-0.04, "0"), (1.25, "1.2"), (1e6, "1000000"), (-3.21, "-3.2")]
)
def test_coordinates_have_at_most_one_decimal(value, expected):
    assert number(value) == expected


def test_a_data_element_has_the_exact_value_and_an_empty_one_for_none():
    assert data(327_680, "320 KiB") == '<data value="327680">320 KiB</data>'
    assert data(0.1 + 0.2, "0.3") == '<data value="0.30000000000000004">0.3</data>'
    assert data(None, "never") == '<data value="">never</data>'


def test_join_escapes_the_text_between_the_pieces():
    assert join([el("b", "1"), el("b", "2")], " & ") == "<b>1</b> &amp; <b>2</b>"
