"""The kinds of controls that a page may have, and how each reads what the reader typed or chose.

A request carries the raw content of every control; that of a number box is the typed text. `read` turns it into a
value, or returns a fallback and a sentence that says what is wrong. Rules between several controls (a model sets its
shape, KV heads divide the query heads) belong to the part that has these controls: see `lab/rules.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from kvcore.errors import short_repr
from kvcore.page import phrases
from kvcore.page.html import Html
from kvcore.units import format_count, split_suffix

type Value = int | str
type Values = Mapping[str, Value]

_MOST_DIGITS = 30
"""Longer typed numbers are read as this many nines: Python refuses to convert very long numbers."""


class Control(Protocol):
    """A named value that the reader sets."""

    @property
    def name(self) -> str:
        """Its name in requests, in links and in the form."""

    @property
    def label(self) -> str:
        """Its label on the page."""

    @property
    def default(self) -> Value:
        """Its value before the reader sets another."""

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The value that `raw` means, and None; or a value to use instead, and the problem in a sentence."""

    def spoken(self, value: Value) -> str:
        """The text that a screen reader speaks for a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A whole number from `low` to `high`, with a number box and a slider.

    symbol: its symbol in the formula. unit: what it counts. stops: the values that the slider can reach, in order; the
    box takes any number of the range. in_words: the text that a screen reader speaks for a value.
    """

    name: str
    label: str
    symbol: str = ""
    unit: str = ""
    default: int
    stops: tuple[int, ...]
    low: int
    high: int
    in_words: Callable[[int], str] = format_count

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The number that was typed, the nearest end of the range, or the fallback; and the problem, if any."""
        number = parse_number(raw)
        if number is None:
            return fallback, phrases.not_a_number(self.label, short_repr(raw), self.low, self.high, int(fallback))
        if number < self.low:
            return self.low, phrases.too_small(self.label, short_repr(number), self.low, self.high)
        if number > self.high:
            return self.high, phrases.too_large(self.label, short_repr(number), self.low, self.high)
        return number, None

    def of(self, values: Values) -> int:
        """This control's value among those of all controls."""
        return int(values[self.name])

    def spoken(self, value: Value) -> str:
        """The text that a screen reader speaks for a value, by `in_words`."""
        return self.in_words(int(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of several options.

    symbol: its symbol in the formula. options: value -> the option's text. style: "radio" for radio buttons, "select"
    for a list. A list may also have groups (group_of: value -> the group's name), options that stay hidden until a
    script shows them (hidden), and a search box (search: its placeholder).
    """

    name: str
    label: str
    symbol: str = ""
    default: str
    options: Mapping[str, str]
    style: str = "radio"
    group_of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    hidden: frozenset[str] = frozenset()
    search: str = ""

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The option that `raw` names, or the fallback and the problem."""
        if isinstance(raw, str) and raw in self.options:
            return raw, None
        return fallback, phrases.not_an_option(self.label, short_repr(raw), tuple(self.options), str(fallback))

    def of(self, values: Values) -> str:
        """This control's value among those of all controls."""
        return str(values[self.name])

    def spoken(self, value: Value) -> str:
        """The value itself: a screen reader speaks the text of the radio button or option without our help."""
        return str(value)


class Drawn(Control, Protocol):
    """A control of its own kind, which renders its own HTML."""

    def html(self, ident: str, note: Html) -> Html:
        """Its HTML: `ident` is the id of its input, `note` the line under it."""


def parse_number(raw: object) -> int | None:
    """Read a whole number from a number or from typed text ("8,192", "8 192", "8192.0", "8K", "1.5M"); None if it is not one.

    Typed text of 30 digits or more is read as a number of thirty nines, which is too large for every control.

    >>> parse_number("8,192"), parse_number("8192.0"), parse_number("8192.5"), parse_number("32K"), parse_number("1.5k")
    (8192, 8192, None, 32768, 1536)
    """
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    if isinstance(raw, float):
        return int(raw) if raw.is_integer() else None
    return _parse_text(raw) if isinstance(raw, str) else None


def _parse_text(raw: str) -> int | None:
    """Read a whole number from typed text; None if it is not one."""
    text = raw.strip().replace(",", "").replace("_", "").replace(" ", "").removeprefix("+")
    text, scale = split_suffix(text)
    whole, _, part = text.partition(".")
    digits, part = whole.removeprefix("-"), part.rstrip("0")
    if (
        not (digits.isascii() and digits.isdigit() and f"0{part}".isascii() and f"0{part}".isdigit())
        or len(part) > _MOST_DIGITS
    ):
        return None
    if len(digits) >= _MOST_DIGITS:
        return int(whole[: len(whole) - len(digits)] + "9" * _MOST_DIGITS)
    number = Fraction(f"{whole}.{part or 0}") * scale
    return number.numerator if number.denominator == 1 else None


def is_value(raw: object, value: Value) -> bool:
    """Whether the raw content of a control is this value, as itself or as typed text.

    >>> is_value("8", 8), is_value(8, 8), is_value("8.0", 8)
    (True, True, False)
    """
    return raw == str(value) or (type(raw) is type(value) and raw == value)


def quarter_steps(low: int, high: int) -> tuple[int, ...]:
    """Every power of two from `low` (itself a power of two) to `high`, and three even steps between two of them.

    >>> quarter_steps(1024, 2048)
    (1024, 1280, 1536, 1792, 2048)
    """
    powers = (1 << exponent for exponent in range(low.bit_length() - 1, high.bit_length()))
    steps = (power * quarter // 4 for power in powers for quarter in (4, 5, 6, 7))
    return tuple(step for step in steps if step <= high)
