"""Builds HTML and SVG as text. Escaping happens in this module and nowhere else.

The output is ASCII: other characters become character references, because one character outside of ASCII makes the
transfer of a text out of Pyodide fifty times slower. The same input gives the same bytes on every machine.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

_VOID = frozenset({"input", "br", "wbr", "col"})
_SHAPES = frozenset({"line", "rect", "circle", "path", "use"})
_SPECIAL = re.compile("[^ !#-%(-;=?-~]")
"""A character that `escape` must replace: & ' " < >, a control character, or one outside of ASCII."""
_NEEDS_ESCAPE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


class Html(str):
    """Text that is markup already: `escape` and `el` leave it as it is."""

    __slots__ = ()


type Child = Html | str | int | None
type Attribute = str | int | float | bool | None

NOTHING = Html("")

_FIRST_PLACEHOLDER = 0xE000
"""The first private-use character of Unicode; `filled` passes them to a phrase as placeholders for markup."""


def escape(text: str) -> Html:
    """Make text safe inside elements and quoted attributes, in ASCII.

    >>> escape("2 × 8 < 17")
    '2 &#215; 8 &lt; 17'
    """
    if isinstance(text, Html):
        return text
    if _SPECIAL.search(text):
        text = text.translate(_NEEDS_ESCAPE).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return Html(text)


def number(value: float) -> str:
    """Write a coordinate with at most one decimal, never "-0" and never an exponent.

    >>> number(12.0), number(12.345), number(-0.01)
    ('12', '12.3', '0')
    """
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def el(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """Build an element out of its children and attributes.

    In an attribute's name a trailing underscore is dropped and other underscores become hyphens. None and False leave
    the attribute out, True writes its name alone. Children that are not Html are escaped; None is no child.

    >>> el("i", "n < L", class_="symbol", aria_hidden="true")
    '<i class="symbol" aria-hidden="true">n &lt; L</i>'
    """
    parts = ["<", name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = _attribute_name(key)
        if value is True:
            parts += (" ", attribute)
        elif isinstance(value, str):
            parts += (" ", attribute, '="', escape(value), '"')
        else:
            parts += (" ", attribute, '="', number(value) if isinstance(value, float) else str(value), '"')
    if name in _VOID:
        parts.append(">")
    elif name in _SHAPES and not children:
        parts.append("/>")
    else:
        parts.append(">")
        for child in children:
            if child is not None:
                parts.append(child if isinstance(child, Html) else escape(str(child)))
        parts += ("</", name, ">")
    return Html("".join(parts))


@cache  # there are a few dozen names, and thousands of attributes in an answer
def _attribute_name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def join(pieces: Iterable[Html], between: str = "") -> Html:
    """Concatenate pieces of markup, with the text `between`, escaped, between them.

    >>> join([el("b", "K"), el("b", "V")], " & ")
    '<b>K</b> &amp; <b>V</b>'
    """
    return Html(escape(between).join(pieces))


def filled(phrase: Callable[..., str], *parts: Html) -> Html:
    """A phrase whose arguments are markup: the phrase's own words are escaped, the parts are not.

    The phrase is called with a placeholder character for each part; each placeholder is then replaced by its part.

    >>> filled(lambda size: f"{size} & more", el("b", "8"))
    '<b>8</b> &amp; more'
    """
    placeholders = [chr(_FIRST_PLACEHOLDER + index) for index in range(len(parts))]
    text = escape(phrase(*placeholders))
    for placeholder, part in zip(placeholders, parts, strict=True):
        text = Html(text.replace(escape(placeholder), part))
    return text


def data(value: float | None, text: str) -> Html:
    """A number in a <data> element: `value` is exact, for programs, and `text` is for readers; None has an empty value.

    >>> data(327_680, "320 KiB"), data(None, "never")
    ('<data value="327680">320 KiB</data>', '<data value="">never</data>')
    """
    return Html(f'<data value="{"" if value is None else repr(value)}">{escape(text)}</data>')


def small(text: str) -> Html:
    """Text in small type."""
    return Html(f"<small>{escape(text)}</small>")


def label_text(text: str, class_: str, x: float, y: float, anchor: str = "start") -> Html:
    """A line of text in a figure: (x, y) is the point of its baseline that `anchor` names ("start", "middle", "end").

    Figures have many of these, so this is faster than `el`; `class_` and `anchor` are not escaped.
    """
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return Html(f'<text class="{class_}" x="{number(x)}" y="{number(y)}"{anchored}>{escape(text)}</text>')


def with_note(number: Html, text: str) -> Html:
    """A number, followed by a text in small type that says what it counts."""
    return Html(f"{number} {small(text)}")


def figure(drawing: Html, caption: Html) -> Html:
    """A <figure> of a drawing and its caption."""
    return el("figure", drawing, el("figcaption", caption), class_="kv-figure")


def folded(summary: str, heads: Sequence[str], rows: Iterable[Sequence[Html | str]]) -> Html:
    """A table inside a <details> element, closed at first: the reader opens it by its `summary`."""
    return el("details", el("summary", summary), table(summary, heads, rows), class_="kv-table")


def table(name: str, heads: Sequence[str], rows: Iterable[Sequence[Html | str]], class_: str = "kv-data") -> Html:
    """A table whose first column holds the row headers, in a region that scrolls sideways and takes keyboard focus.

    `name` is what a screen reader calls the region. Cells that are not Html are escaped.
    """
    head = join(Html(f'<th scope="col">{escape(text)}</th>') for text in heads)
    body = []
    for first, *cells in rows:
        rest = "".join([f"<td>{escape(cell)}</td>" for cell in cells])
        body.append(f'<tr><th scope="row">{escape(first)}</th>{rest}</tr>')
    inner = Html(f'<table class="{class_}"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>')
    return el("div", inner, class_="kv-scroll", role="region", tabindex="0", aria_label=name)


def problem_list(problems: Iterable[str]) -> Html:
    """A list with one line for each problem of a request; empty if there are no problems."""
    lines = [el("li", problem) for problem in problems]
    return el("ul", *lines, class_="kv-problem-list") if lines else NOTHING
