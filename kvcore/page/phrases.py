"""Phrases that several parts of a page use: counts with their nouns, and the problems of a request.

Each part has its own phrases in its `words` module. A translation needs these modules and the Markdown files, nothing
else. Numbers arrive as integers or as text that `kvcore.units` has formatted; nothing here computes.
"""

from collections.abc import Sequence
from types import MappingProxyType

from kvcore.units import format_count

SLIDER = "slider"


def _range(low: int, high: int) -> str:
    return f"a whole number from {format_count(low)} to {format_count(high)}"


def not_a_number(label: str, raw: str, low: int, high: int, kept: int) -> str:
    return f"{label}: {raw} is not {_range(low, high)}. {format_count(kept)} is kept."


def too_small(label: str, raw: str, low: int, high: int) -> str:
    return f"{label}: {raw} is too small; expected {_range(low, high)}. {format_count(low)} is used."


def too_large(label: str, raw: str, low: int, high: int) -> str:
    return f"{label}: {raw} is too large; expected {_range(low, high)}. {format_count(high)} is used."


MOST_NAMED = 10
"""The most names that an error message lists; of a longer list it gives only the length."""


def not_an_option(label: str, raw: str, options: Sequence[str], kept: str) -> str:
    known = (
        ", ".join(options) if len(options) <= MOST_NAMED else f"the {len(options)} in the list, such as {options[0]}"
    )
    return f"{label}: {raw} is not one of {known}. {kept} is kept."


def unknown_control(name: str) -> str:
    return f"{name} is not a control of this page."


def unknown_in_fragment(name: str, known: Sequence[str]) -> str:
    return f"The link sets {name}, which this page does not know; expected {', '.join(known)}."


def unreadable_in_fragment(name: str, error: str) -> str:
    return f"The link's {name} cannot be read: {error}."


def not_our_fragment(head: str, expected: str) -> str:
    return f"The link begins with {head}; this page reads links that begin with {expected}."


def fault(kind: str, message: str) -> str:
    return f"This state cannot be computed, which is our fault ({kind}: {message}). The last one is kept."


def not_json(error: str) -> str:
    return f"The request is not JSON ({error}); expected an object of controls."


def not_an_object(kind: str) -> str:
    return f"The request is {kind}; expected an object of controls."


def bandwidth(value: str) -> str:
    return f"{value} TB/s"


def params_at(dtype: str) -> str:
    return f"parameters at {dtype}"


def load(context: int, batch: int, shared: int = 0) -> str:
    text = f"{format_count(context)} tokens \N{MULTIPLICATION SIGN} {users(batch)}"
    return f"{text}, the first {format_count(shared)} stored once" if shared else text


def sequences(count: int) -> str:
    return "1 sequence" if count == 1 else f"{format_count(count)} sequences"


def kept(attention: str) -> str:
    """What a model with this kind of attention keeps of a sequence: a cache, a recurrent state, or both."""
    return {"recurrent": "state", "hybrid": "cache and state"}.get(attention, "cache")


def users(count: int) -> str:
    return "1 user" if count == 1 else f"{format_count(count)} users"


_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_words(count: int) -> str:
    return _SMALL[count] if count < len(_SMALL) else format_count(count)


def gpu_count(count: int) -> str:
    return "1 GPU" if count == 1 else f"{format_count(count)} GPUs"


def gpus(count: int, label: str) -> str:
    return f"{in_words(count)} {label} GPU" if count == 1 else f"{in_words(count)} GPUs of {label}"


def tokens(count: int) -> str:
    return f"{format_count(count)} token" if count == 1 else f"{format_count(count)} tokens"


def past_limit(limit: int) -> str:
    return f"past the model's own limit of {tokens(limit)}"


def times(ratio: str) -> str:
    return f"{ratio}\N{MULTIPLICATION SIGN}"


def percent(value: str) -> str:
    return f"{value}\N{NO-BREAK SPACE}%"


ATTENTION_SHORT = MappingProxyType(
    {"mha": "MHA", "gqa": "GQA", "mqa": "MQA", "mla": "MLA", "hybrid": "hybrid", "recurrent": "none", "mixed": "mixed"}
)

UNKNOWN = "\N{EN DASH}"

NOTHING_TO_FIT = "any: sequences cost nothing"
