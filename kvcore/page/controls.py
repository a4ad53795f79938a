"""What a reader may set: names, defaults, stops, limits, and how the URL spells them.

A request carries every control as the reader left it, number boxes as typed text. `read` makes a value of each or
names what is wrong; what the values mean together (a model resets its shape, KV heads divide the query heads) is
the sections' business.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES, LAB_CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.errors import KvcoreError, short_repr
from kvcore.page import words
from kvcore.paging import STRATEGIES
from kvcore.spec import read_spec, spell_spec

type Value = int | str
type Values = Mapping[str, Value]

FRAGMENT = "v1"
"""The version that a fragment of ours begins with; any other fragment is an anchor and is left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A whole number that a reader drags along `stops` or types, from `low` to `high`."""

    name: str
    default: int
    stops: tuple[int, ...]
    low: int
    high: int

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The number that was typed, the nearest one allowed, or the fallback; with the problem, if any."""
        number = _whole(raw)
        if number is None:
            return fallback, words.not_a_number(self.name, short_repr(raw), self.low, self.high, int(fallback))
        if number < self.low:
            return self.low, words.too_small(self.name, short_repr(number), self.low, self.high)
        if number > self.high:
            return self.high, words.too_large(self.name, short_repr(number), self.low, self.high)
        return number, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of `options`; `style` says how a reader sees them: "radio" or "select"."""

    name: str
    default: str
    options: tuple[str, ...]
    style: str = "radio"

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The option named, or the fallback with the problem."""
        if isinstance(raw, str) and raw in self.options:
            return raw, None
        return fallback, words.not_an_option(self.name, short_repr(raw), self.options, str(fallback))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A shape that a reader brought, as a link spells it; empty while there is none."""

    name: str
    default: str = ""

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The spec, if it spells a shape, or the fallback with the problem."""
        if raw == "":
            return "", None
        try:
            return spell_spec(*read_spec(str(raw))), None
        except KvcoreError as error:
            return fallback, words.not_a_spec(str(error))


type Control = Number | Choice | Spec


def _whole(raw: object) -> int | None:
    """A whole number from a number or from text as people type it ("8,192", "8 192", "8192.0"), else None."""
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


_MOST_DIGITS = 30
"""Numbers longer than this are only "too large": Python refuses to read or print very long ones."""


def _between_powers(low: int, high: int) -> tuple[int, ...]:
    """Every power of two from low to high with three steps between: 1024, 1280, 1536, 1792, 2048 and so on."""
    steps = (power * quarter // 4 for power in _powers(low, high) for quarter in (4, 5, 6, 7))
    return tuple(step for step in steps if step <= high)


def _powers(low: int, high: int) -> Iterable[int]:
    while low <= high:
        yield low
        low *= 2


_LAYERS = (*range(1, 65), *range(66, 129, 2), *range(132, 257, 4))
_HEADS = (*range(1, 33), *range(34, 65, 2), 71, *range(72, 129, 4), *range(136, 257, 8))
_HEAD_DIMS = (*range(16, 129, 16), *range(160, 513, 32))
_BATCHES = (*range(1, 33), *range(34, 65, 2), *range(68, 129, 4), *range(136, 257, 8), *range(272, 513, 16))
_DEFAULT = catalog.MODELS["llama-3-70b"].shape

IMPORTED = "imported"
"""The model that stands for the shape a reader brought."""

LAB: tuple[Control, ...] = (
    Choice(name="model", default="llama-3-70b", options=(*catalog.MODELS, IMPORTED), style="select"),
    Spec(name="spec"),
    Number(name="layers", default=_DEFAULT.layers, stops=_LAYERS, low=1, high=256),
    Number(name="query_heads", default=_DEFAULT.query_heads, stops=tuple(sorted(_HEADS)), low=1, high=256),
    Number(name="head_dim", default=_DEFAULT.head_dim or 0, stops=_HEAD_DIMS, low=1, high=1024),
    Choice(name="attention", default="gqa", options=("mha", "gqa", "mqa")),
    Number(name="kv_heads", default=_DEFAULT.kv_heads or 0, stops=_HEADS, low=1, high=256),
    Choice(name="cache_dtype", default="fp16", options=LAB_CACHE_DTYPES),
    Choice(name="v_dtype", default="same", options=("same", *CACHE_DTYPES), style="select"),
    Choice(name="weight_dtype", default="fp16", options=tuple(WEIGHT_DTYPES)),
    Number(name="context", default=8192, stops=_between_powers(2**10, 2**20), low=2**10, high=2**20),
    Number(name="batch", default=8, stops=_BATCHES, low=1, high=512),
    Choice(name="gpu", default="h100-80gb", options=tuple(catalog.GPUS), style="select"),
    Choice(name="units", default="binary", options=("binary", "decimal")),
    Choice(name="scale", default="linear", options=("linear", "log")),
    Choice(name="compare", default="none", options=("none", "fp8", *catalog.MODELS), style="select"),
)
"""The controls of form #lab, in the order a reader meets them."""

SPLIT: tuple[Control, ...] = (
    Number(name="tp", default=2, stops=(1, 2, 4, 8, 16, 32, 64), low=1, high=1024),
    Number(name="pp", default=1, stops=(1, 2, 3, 4, 6, 8, 12, 16), low=1, high=256),
    Number(name="dp", default=1, stops=(1, 2, 4, 8, 16, 32, 64), low=1, high=1024),
    Number(name="reserve", default=10, stops=tuple(range(51)), low=0, high=90),
    Number(name="engine_block", default=1, stops=(1, 16, 32, 64, 128, 256), low=1, high=4096),
)
"""The controls of form #split: how GPUs share the Lab's model, and what an engine keeps back."""

PAGING: tuple[Control, ...] = (
    Choice(name="strategy", default="contiguous", options=STRATEGIES),
    Number(name="sequences", default=6, stops=tuple(range(1, 65)), low=1, high=64),
    Number(name="block_size", default=128, stops=(8, 16, 24, 32, 48, 64, 96, 128, 192, 256), low=8, high=256),
)
"""The controls of form #paging."""

FORMS: Mapping[str, tuple[Control, ...]] = MappingProxyType({"lab": LAB, "split": SPLIT, "paging": PAGING})
CONTROLS: Mapping[str, Control] = MappingProxyType(
    {control.name: control for form in FORMS.values() for control in form}
)


_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
"""A printable ASCII character as a program that passes a link on may spell it."""


def parse_fragment(fragment: str) -> tuple[dict[str, str], list[str]]:
    """What a URL fragment sets, and its problems: "v1&model=llama-3-70b&batch=32".

    Raises nothing: an unknown key or a part without a value is reported and passed over.
    """
    head, *parts = fragment.removeprefix("#").split("&")
    values: dict[str, str] = {}
    problems: list[str] = []
    if head != FRAGMENT:
        return values, [words.not_our_fragment(short_repr(head), FRAGMENT)]
    for part in parts:
        name, equals, value = _PERCENT.sub(lambda code: chr(int(code[1], 16)), part).partition("=")
        if name in CONTROLS and equals:
            values[name] = value
        elif part:
            problems.append(words.unknown_in_fragment(short_repr(name), tuple(CONTROLS)))
    return values, problems


def format_fragment(values: Values, implied: Values) -> str:
    """The fragment that leads back to these values: the model, and all that differs from what an empty fragment implies."""
    unused = {"spec"} if values["model"] != IMPORTED else set()
    parts = [
        f"{name}={values[name]}"
        for name in CONTROLS
        if name not in unused and (name == "model" or values[name] != implied[name])
    ]
    return "&".join((FRAGMENT, *parts))
