"""Elements to text: HTML and SVG are built here, and escaped here and nowhere else.

Output is ASCII (anything else becomes a character reference: one other character makes the transfer out of
Python fifty times slower) and byte-stable: the same input gives the same text on every machine.
"""

import re
from collections.abc import Callable, Iterable, Sequence

_VOID = frozenset({"input", "br", "wbr", "col"})
_SHAPES = frozenset({"line", "rect", "circle", "path", "use"})
_SPECIAL = re.compile("[^ !#-%(-;=?-~]")
"""Any character but the printable ASCII ones that mean nothing in markup: all but & ' " < > and the rest of Unicode."""
_NEEDS_ESCAPE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


class Html(str):
    """Text that is markup already and is written as it stands."""

    __slots__ = ()


type Child = Html | str | int | None
type Attribute = str | int | float | bool | None

NOTHING = Html("")

_MARK = 0xE000
"""The first of the characters that stand for nothing: places to be filled."""

_SPELLED: dict[str, str] = {}
"""How attribute names are spelled, as they are met: a table that only saves time."""


def escape(text: str) -> Html:
    """Make text safe inside elements and quoted attributes, in ASCII."""
    if isinstance(text, Html):
        return text
    if _SPECIAL.search(text):
        text = text.translate(_NEEDS_ESCAPE).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return Html(text)


def number(value: float) -> str:
    """Write a coordinate with at most one decimal, never "-0" and never an exponent."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def el(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """Build an element out of its children and attributes.

    The letter L in italics is ``el("i", "L", class_="symbol")``. A trailing underscore of an attribute's name is dropped, other underscores become hyphens (viewBox keeps its
    case). None and False leave an attribute out; True writes it bare. Children that are not Html are escaped.
    """
    parts = ["<", name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        spelled = _SPELLED.get(key) or _SPELLED.setdefault(key, key.rstrip("_").replace("_", "-"))
        if value is True:
            parts += (" ", spelled)
        elif isinstance(value, str):
            parts += (" ", spelled, '="', escape(value), '"')
        else:
            parts += (" ", spelled, '="', number(value) if isinstance(value, float) else str(value), '"')
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


def join(pieces: Iterable[Html], between: str = "") -> Html:
    """Put markup together, with escaped text between the pieces."""
    return Html(escape(between).join(pieces))


def filled(phrase: Callable[..., str], *parts: Html) -> Html:
    """A phrase with markup in the places of its arguments: the words are escaped, the parts are not."""
    marks = [chr(_MARK + index) for index in range(len(parts))]
    text = escape(phrase(*marks))
    for mark, part in zip(marks, parts, strict=True):
        text = Html(text.replace(escape(mark), part))
    return text


def data(value: float | None, text: str) -> Html:
    """The slot contract's number: the exact value for machines, the text for readers; None has an empty value."""
    return Html(f'<data value="{"" if value is None else repr(value)}">{escape(text)}</data>')


def small(text: str) -> Html:
    """What a number counts, beside it."""
    return Html(f"<small>{escape(text)}</small>")


def label_text(text: str, class_: str, x: float, y: float, anchor: str = "start") -> Html:
    """A line of text in a figure; a class of ours and an anchor need no escaping, and there are many of these."""
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return Html(f'<text class="{class_}" x="{number(x)}" y="{number(y)}"{anchored}>{escape(text)}</text>')


def with_note(number: Html, text: str) -> Html:
    """A number, and in small type what it counts."""
    return Html(f"{number} {small(text)}")


def figure(drawing: Html, caption: Html) -> Html:
    """A drawing with its caption."""
    return el("figure", drawing, el("figcaption", caption), class_="kv-figure")


def folded(summary: str, heads: Sequence[str], rows: Iterable[Sequence[Html | str]]) -> Html:
    """A figure's numbers as a table that is folded away: its name is what the reader opens."""
    return el("details", el("summary", summary), table(summary, heads, rows), class_="kv-table")


def table(name: str, heads: Sequence[str], rows: Iterable[Sequence[Html | str]], class_: str = "kv-data") -> Html:
    """A table whose first column names its rows; it scrolls sideways where it must, and keys reach it."""
    head = join(Html(f'<th scope="col">{escape(text)}</th>') for text in heads)
    body = []
    for first, *cells in rows:
        rest = "".join([f"<td>{escape(cell)}</td>" for cell in cells])
        body.append(f'<tr><th scope="row">{escape(first)}</th>{rest}</tr>')
    inner = Html(f'<table class="{class_}"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>')
    return el("div", inner, class_="kv-scroll", role="region", tabindex="0", aria_label=name)


def problem_list(problems: Iterable[str]) -> Html:
    """What was wrong with a request, a line each; nothing where nothing was."""
    lines = [el("li", problem) for problem in problems]
    return el("ul", *lines, class_="kv-problem-list") if lines else NOTHING
