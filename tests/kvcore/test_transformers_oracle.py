"""kvcore says what Hugging Face transformers' own models say, about thousands of configs of every model_type.

`make oracle` builds each model on torch's meta device to count its parameters, runs it to measure its cache, and writes
oracle.jsonl. A config that kvcore reads must come to the same numbers. What differs for a reason is in oracle_disputes.py;
kvcore may refuse what it does not know, but no more than oracle_totals.json says.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kvcore.errors import KvcoreError
from kvcore.families import FAMILIES, NESTED
from tests.kvcore.oracle_disputes import DISPUTES, READ_LIKE, reasons
from tests.kvcore.transformers_said import absent, asked, differences

TYPES = sorted({*FAMILIES, *NESTED})
TOTALS = json.loads((Path(__file__).parent / "oracle_totals.json").read_text("ascii"))
"""model_type -> the least number of configs that are compared and equal, and the most that kvcore may refuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of all questions about a model_type: how many of each kind, the reasons that were needed, and what is wrong."""

    tally: Counter[str] = field(default_factory=Counter)
    reasons: set[str] = field(default_factory=set)
    wrong: list[Any] = field(default_factory=list)


@cache
def outcome(model_type: str) -> Outcome:
    """Compare every answer about a model_type."""
    found = Outcome()
    for question in asked(model_type):
        try:
            differ = differences(question.config, question.answer)
        except KvcoreError:
            found.tally["refused"] += 1
            continue
        named = reasons(model_type, question, differ) if differ else set()
        found.tally["equal" if not differ else "disputed" if named else "wrong"] += 1
        found.reasons.update(named)
        if differ and not named:
            found.wrong.append((differ, question.change, question.config))
    return found


@pytest.mark.parametrize("model_type", TYPES)
def test_every_config_that_is_read_comes_to_what_transformers_says(model_type: str) -> None:
    found = outcome(model_type)
    assert not found.wrong
    least, most = TOTALS[model_type]
    assert found.tally["equal"] >= least, f"fewer configs are compared: {dict(found.tally)}"
    assert found.tally["refused"] <= most, f"more configs are refused: {dict(found.tally)}"


def test_every_reason_is_needed() -> None:
    needed = set[str]().union(*(outcome(model_type).reasons for model_type in TYPES))
    assert {row.reason for row in (*DISPUTES, *READ_LIKE)} - needed == set(), "nothing differs for this reason any more"


def test_totals_are_held_of_every_model_type_that_was_asked_about() -> None:
    assert TOTALS.keys() == set(TYPES)
    assert {model_type for model_type in TYPES if not asked(model_type)} == set(absent())
