"""Says which values were assumed for fields that a config.json does not give, in the terminal and on the page.

A program gets every one of them (`Reading.assumed`, and `--json`). A reader does not see a bias or a norm that is taken
as absent, since that adds nothing to any number; all else is shown, a false flag too: without `tie_word_embeddings` there is a
second table of the vocabulary, without `use_sliding_window` no layer has a window.
"""

import json
from collections.abc import Mapping

from kvcore.units import format_count

__all__ = ["assumptions"]

_ADDS_NOTHING_IF_ABSENT = ("bias", "norm")


def assumptions(assumed: Mapping[str, object]) -> tuple[str, ...]:
    """The assumed values that a reader sees, sorted by the full name of their fields, and spelled as in a config.

    assumed: field -> value, as in `kvcore.config.Reading`.

    >>> assumptions({"sliding_window": 4096, "attention_bias": False, "tie_word_embeddings": False})
    ('sliding_window 4,096', 'tie_word_embeddings false')
    """
    return tuple(
        f"{name} {_spelled(value)}" for name, value in sorted(assumed.items()) if not _adds_nothing(name, value)
    )


def _adds_nothing(name: str, value: object) -> bool:
    return value is False and any(word in name for word in _ADDS_NOTHING_IF_ABSENT)


def _spelled(value: object) -> str:
    return format_count(value) if type(value) is int else json.dumps(value)
