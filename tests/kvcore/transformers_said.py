"""Reads oracle.jsonl: configs, and what Hugging Face transformers' own models say about each.

`make oracle` writes the file; site_hooks/oracle/rows.py says how.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kvcore.config import read_config
from kvcore.dtypes import cache_dtype
from kvcore.latent import LatentGroup

__all__ = ["LEFT_OUT", "Question", "absent", "asked", "changed", "differences", "numbers", "spelled"]

type Config = dict[str, Any]
type Answer = dict[str, Any]

BYTE = cache_dtype("fp8")  # a byte for each value: bytes of cache are values
CONTEXTS = (5, 40)
LEFT_OUT = "(left out)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A config, what was changed to make it from which other one, and what transformers says about it.

    `change` has LEFT_OUT in the place of a value that was left out.
    """

    before: Config
    change: Config
    config: Config
    answer: Answer


@cache
def _lines() -> tuple[Config, ...]:
    text = (Path(__file__).parent / "oracle.jsonl").read_text("ascii")
    return tuple(json.loads(line) for line in text.splitlines())


def absent() -> list[str]:
    """The model_types that transformers was not asked about."""
    return list(_lines()[0]["absent"])


def asked(model_type: str) -> list[Question]:
    """The configs of a model_type that transformers was asked about, and its answers."""
    found: list[Question] = []
    configs: Config = {}
    mine = False
    for line in _lines()[1:]:
        if "model_type" in line:
            configs, mine = line["configs"], line["model_type"] == model_type
        elif mine:
            for name, changes in line["changes"].items():
                before = configs[name]
                found += [
                    Question(before=before, change=change, config=changed(before, change), answer=line["answer"])
                    for change in map(spelled, changes)
                ]
    return found


def spelled(change: str | Config) -> Config:
    """A change as the file has it, in full: a name alone is a field that is left out, "-" names such fields."""
    if isinstance(change, str):
        return {change: LEFT_OUT}
    values = {path: value for path, value in change.items() if path != "-"}
    return {**values, **dict.fromkeys(change.get("-", ()), LEFT_OUT)}


def changed(config: Config, change: Config) -> Config:
    """The config after a change."""
    done = {key: dict(value) if key == "text_config" else value for key, value in config.items()}
    for path, value in change.items():
        outer, dot, inner = path.partition(".")
        target, key = (done[outer], inner) if dot else (done, path)
        target.pop(key, None)
        if value != LEFT_OUT:
            target[key] = value
    return done


def numbers(config: Config) -> dict[str, Any]:
    """What kvcore says about a config; raises as `read_config` does."""
    shape = read_config(config).shape
    latent = [group for group in shape.groups if isinstance(group, LatentGroup)]
    values = sum(group.layers * group.index_dim for group in latent)
    stored = sum(group.layers * group.index_bytes for group in latent)
    return {
        "params": shape.params,
        "cache": [shape.cache_bytes(context, BYTE) - stored * context for context in CONTEXTS],
        "index": [values * context for context in CONTEXTS],
        "state": shape.state_bytes,
    }


def differences(config: Config, answer: Answer) -> dict[str, tuple[Any, Any]]:
    """What kvcore and transformers disagree about: name -> (kvcore's number, transformers'); raises as `read_config` does.

    "accepted" is a config that transformers refuses, or whose model stops when it is run. Transformers' own count of parameters
    leaves out correction biases of routers where they are buffers; checkpoints hold them.
    """
    mine = numbers(config)
    theirs: dict[str, Any] = {}
    if "refuses" in answer or "stops" in answer:
        mine["accepted"], theirs["accepted"] = True, answer.get("refuses") or answer["stops"]
    if "params" in answer:
        theirs["params"] = answer["params"] + answer.get("biases", 0)
    if "cache" in answer:
        index, state = answer.get("index", [0] * len(CONTEXTS)), answer.get("state", 0)
        theirs |= {"cache": list(answer["cache"]), "index": list(index), "state": state}
    return {name: (mine[name], number) for name, number in theirs.items() if mine[name] != number}
