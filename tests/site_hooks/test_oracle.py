"""`make oracle` itself is not run here; these are its parts that need no torch, and the file that it wrote."""

import json
from pathlib import Path

import pytest

from kvcore.families import FAMILIES, NESTED
from site_hooks.environment import ROOT, UnmetNeed
from site_hooks.oracle import command, rows, variants
from site_hooks.oracle.by_hand import BY_HAND
from site_hooks.oracle.rows import Block
from site_hooks.oracle.variants import LEFT_OUT
from tests.kvcore.transformers_said import changed, spelled

FILE = ROOT / "tests" / "kvcore" / "oracle.jsonl"


def test_a_number_is_left_out_null_zero_and_doubled() -> None:
    changes = list(variants.changes({"model_type": "llama", "head_dim": 8, "dtype": "float32"}))
    assert changes == [{"head_dim": value} for value in (LEFT_OUT, None, 0, 16)]


def test_a_flag_is_left_out_null_and_flipped() -> None:
    assert list(variants.changes({"multi_query": True})) == [
        {"multi_query": value} for value in (LEFT_OUT, None, False)
    ]


def test_a_null_becomes_numbers_and_a_flag() -> None:
    assert list(variants.changes({"sliding_window": None})) == [
        {"sliding_window": value} for value in (LEFT_OUT, 4, True)
    ]


def test_layers_of_another_kind_are_tried_and_a_list_that_is_too_short() -> None:
    config = {"num_hidden_layers": 3, "layer_types": ["full_attention", "full_attention", "sliding_attention"]}
    tried = [
        change["layer_types"] for change in variants.of_layers(config) if isinstance(change.get("layer_types"), list)
    ]
    assert ["sliding_attention"] * 3 in tried
    assert ["sliding_attention", "sliding_attention", "full_attention"] in tried
    assert ["full_attention", "full_attention"] in tried


@pytest.mark.parametrize(
    ("change", "left"),
    [
        pytest.param({}, {"a": 1, "text_config": {"b": 2}}, id="nothing"),
        pytest.param({"a": LEFT_OUT}, {"text_config": {"b": 2}}, id="left out"),
        pytest.param({"a": None}, {"a": None, "text_config": {"b": 2}}, id="null"),
        pytest.param({"text_config.b": LEFT_OUT}, {"a": 1, "text_config": {}}, id="left out inside"),
        pytest.param({"text_config.b": 3, "a": LEFT_OUT}, {"text_config": {"b": 3}}, id="two"),
    ],
)
def test_a_change_is_read_from_the_file_as_it_was_made(change: dict[str, object], left: dict[str, object]) -> None:
    config = {"a": 1, "text_config": {"b": 2}}
    assert variants.changed(config, change) == left
    assert changed(config, spelled(rows.short(change))) == left
    assert config == {"a": 1, "text_config": {"b": 2}}


def test_changes_with_the_same_answer_are_on_one_line() -> None:
    block = Block(
        model_type="llama",
        configs={"small": {"heads": 8}},
        answers=[
            ("small", {}, {"params": 1}),
            ("small", {"heads": LEFT_OUT}, {"params": 1}),
            ("small", {"heads": 4}, {"params": 2}),
        ],
    )
    assert [json.loads(line) for line in rows.lines(block)] == [
        {"model_type": "llama", "configs": {"small": {"heads": 8}}},
        {"answer": {"params": 1}, "changes": {"small": [{}, "heads"]}},
        {"answer": {"params": 2}, "changes": {"small": [{"heads": 4}]}},
    ]


def test_the_file_has_every_model_type_and_was_written_with_the_pinned_versions() -> None:
    parts = rows.split(FILE.read_text("ascii"))
    head = json.loads(parts.pop(""))
    assert {*parts, *head["absent"]} == {*FAMILIES, *NESTED}
    pins = command.REQUIREMENTS.read_text("utf-8").split()
    assert {f"{name}=={head[name]}" for name in ("torch", "transformers")} <= set(pins)


def test_changes_are_written_by_hand_for_known_model_types_only() -> None:
    assert BY_HAND.keys() <= FAMILIES.keys()


def test_a_python_that_is_asked_for_and_not_named_is_missed() -> None:
    with pytest.raises(UnmetNeed, match="--python needs the path"):
        command.main(["--python"])


def test_a_python_that_is_named_is_asked_with_the_other_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[object]] = []
    monkeypatch.setattr("site_hooks.tools.show", lambda words: called.append(list(words)) or 0)
    assert command.main(["--only", "llama", "--python", "py"]) == 0
    assert called == [[Path("py"), "-B", "-m", "site_hooks.oracle", "--only", "llama"]]
