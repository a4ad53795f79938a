"""The kinds of controls a page may have, and how what a reader typed or chose is read.

A request carries every control as the reader left it, number boxes as typed text. `read` makes a value of it, or keeps
another one and says what is wrong. What values mean together (a model sets its shape, KV heads divide the query heads)
is for the part that has them: see its `rules`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from kvcore.errors import short_repr
from kvcore.page import phrases
from kvcore.page.html import Html
from kvcore.units import format_count

type Value = int | str
type Values = Mapping[str, Value]

_MOST_DIGITS = 30
"""Numbers longer than this are only "too large": Python refuses to read or print very long ones."""


class Control(Protocol):
    """A named value that a reader sets, with the words for it."""

    @property
    def name(self) -> str:
        """The name in requests, in links and in the form."""

    @property
    def label(self) -> str:
        """What the reader sees beside it."""

    @property
    def default(self) -> Value:
        """The value of a page that nobody has touched."""

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The value of what was sent, or `fallback` and the problem."""

    def spoken(self, value: Value) -> str:
        """The value as a screen reader says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A whole number from `low` to `high` that a reader drags along `stops` or types; `unit` is what it counts."""

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
        """The number that was typed, the nearest one allowed, or the fallback; with the problem, if any."""
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
        """The value as a screen reader says it, with its unit where `in_words` names one."""
        return self.in_words(int(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of `options` (value -> its text); `style` says how a reader sees them: "radio" or "select".

    A select may have a `group_of` each option (value -> the group's name), options that are `hidden` until a script shows them,
    and a search box whose placeholder is `search`.
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
        """The option named, or the fallback with the problem."""
        if isinstance(raw, str) and raw in self.options:
            return raw, None
        return fallback, phrases.not_an_option(self.label, short_repr(raw), tuple(self.options), str(fallback))

    def of(self, values: Values) -> str:
        """This control's value among those of all controls."""
        return str(values[self.name])

    def spoken(self, value: Value) -> str:
        """The value itself: a screen reader reads a radio's or an option's text by itself."""
        return str(value)


class Drawn(Control, Protocol):
    """A control that is neither a number nor a choice, and draws itself."""

    def html(self, ident: str, note: Html) -> Html:
        """Its elements: `ident` is the id of its input, `note` the line under it."""


def parse_number(raw: object) -> int | None:
    """A whole number from a number or from text as people type it ("8,192", "8 192", "8192.0"), else None.

    >>> parse_number("8,192"), parse_number("8192.0"), parse_number("8192.5")
    (8192, 8192, None)
    """
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    if isinstance(raw, float):
        return int(raw) if raw.is_integer() else None
    if not isinstance(raw, str):
        return None
    text = raw.strip().replace(",", "").replace("_", "").replace(" ", "").removeprefix("+")
    whole, point, part = text.partition(".")
    digits = whole.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (point and part.strip("0")):
        return None
    return int(whole) if len(digits) < _MOST_DIGITS else int(whole[: len(whole) - len(digits)] + "9" * _MOST_DIGITS)


def says(raw: object, value: Value) -> bool:
    """Whether what was sent is this very value, typed or not."""
    return raw == str(value) or (type(raw) is type(value) and raw == value)


def quarter_steps(low: int, high: int) -> tuple[int, ...]:
    """Every power of two from `low`, itself one, to `high`, with three steps between two of them.

    >>> quarter_steps(1024, 2048)
    (1024, 1280, 1536, 1792, 2048)
    """
    powers = (1 << exponent for exponent in range(low.bit_length() - 1, high.bit_length()))
    steps = (power * quarter // 4 for power in powers for quarter in (4, 5, 6, 7))
    return tuple(step for step in steps if step <= high)
