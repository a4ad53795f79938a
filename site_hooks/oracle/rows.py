"""The file of answers: a head, and for each model_type its configs and what transformers said about each change of them.

Every line is JSON. The head names the versions and the day. A line with "model_type" has the configs that were asked about, by
name. Each line after it is one answer, with the changes of those configs that all have this answer: a field's name alone
says that it is left out, `{}` that nothing is changed.

    params, biases, scalars     as `parameters` counts them; what is 0 is left out
    cache, index, state         as `caches` measures them; not there if only parameters were counted
    stops                       the error with which the model stopped when it was run
    refuses                     the error with which transformers refused the config
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from site_hooks.oracle.variants import LEFT_OUT, Change

__all__ = ["Answer", "Block", "lines", "short", "split"]

type Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """All answers about one model_type: its configs by name, and (config's name, change, answer) in the order asked."""

    model_type: str
    configs: Mapping[str, Mapping[str, Any]]
    answers: list[tuple[str, Change, Answer]] = field(default_factory=list)


def lines(block: Block) -> Iterator[str]:
    """The block as lines of JSON; changes with the same answer are on one line."""
    yield _text({"model_type": block.model_type, "configs": block.configs})
    alike: dict[str, tuple[Answer, dict[str, list[Any]]]] = {}
    for name, change, answer in block.answers:
        _, changes = alike.setdefault(_text(answer), (answer, {}))
        changes.setdefault(name, []).append(short(change))
    for answer, changes in alike.values():
        yield _text({"answer": answer, "changes": changes})


def split(text: str) -> dict[str, str]:
    """The parts of a file that was written: "" is its head, all others are named by their model_type."""
    parts: dict[str, str] = {}
    name = ""
    for line in text.splitlines(keepends=True):
        if line.startswith('{"model_type":'):
            name = json.loads(line)["model_type"]
        parts[name] = parts.get(name, "") + line
    return parts


def short(change: Change) -> object:
    """A change in few characters.

    >>> short({"a": LEFT_OUT}), short({"a": LEFT_OUT, "b": 1}), short({})
    ('a', {'b': 1, '-': ['a']}, {})
    """
    left_out = [key for key, value in change.items() if isinstance(value, str) and value == LEFT_OUT]
    if len(change) == len(left_out) == 1:
        return left_out[0]
    rest = {key: value for key, value in change.items() if key not in left_out}
    return {**rest, "-": left_out} if left_out else rest


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
