"""Real configs, and small ones of every family, with one field spoiled: what kvcore still reads must be right.

A field is left out, null, 0, negative, a string, a list, or its name has a letter too many. Where kvcore reads the result,
transformers must give the same numbers, or the table of disputes a reason. Where transformers refuses it or cannot run it, kvcore's answer may
be the one without the change: it then knows that the field has no part in it. Real models are made narrow first, so that they can be run: fewer experts, narrow MLPs and a small
vocabulary; heads, layers and their kinds stay.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kvcore.config import read_config
from kvcore.errors import KvcoreError
from site_hooks.oracle.ask import Asked
from site_hooks.oracle.small import ABSENT
from site_hooks.oracle.variants import CACHED, LEFT_OUT, Change, changed
from tests.kvcore.oracle_disputes import reasons
from tests.kvcore.transformers_said import Question, differences

__all__ = ["compared", "configs", "narrow", "spoilt"]

_TESTS = Path(__file__).resolve().parents[2] / "tests" / "kvcore"

_NARROW: Mapping[str, int] = (
    dict.fromkeys(("vocab_size", "vocab_size_per_layer_input"), 320)
    | dict.fromkeys(
        (
            "intermediate_size", "intermediate_size_mlp", "moe_intermediate_size", "shared_expert_intermediate_size",
            "moe_shared_expert_intermediate_size", "moe_latent_size",
        ),
        32,
    )
    | dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 4)
    | dict.fromkeys(("num_experts_per_tok", "top_k_experts", "experts_per_token"), 2)
    | dict.fromkeys(("n_group", "topk_group"), 1)
    | dict.fromkeys(("sliding_window", "attention_chunk_size"), 16)
)  # fmt: skip
_TOKENS: Mapping[str, Any] = {"dtype": "float32", "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_DROPPED = ("vision_config", "quantization_config", "torch_dtype", "dtype", "rope_scaling", "_source")


def narrow(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config whose model is small enough to run."""
    config = config.get("text_config", config)  # what is around it has no other fields that kvcore reads
    made = {key: value for key, value in config.items() if key not in _DROPPED and not key.endswith("token_id")}
    made |= {key: value for key, value in _NARROW.items() if made.get(key)}
    if (made.get("head_dim") or made.get("kv_lora_rank")) and not any(key.startswith("mamba") for key in made):
        made["hidden_size"] = 256  # a head of an even width, should the config's own be left out
    return {**made, **_TOKENS}


def configs() -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the config of each of the tests' real models, narrow, and of each small one that they count."""
    for path in sorted((_TESTS / "configs").glob("*.json")):
        config = json.loads(path.read_text("utf-8"))
        if config["model_type"] not in ABSENT:
            yield path.stem, narrow(config)
    for number, row in enumerate(json.loads((_TESTS / "counted.json").read_text("utf-8"))):
        yield f"counted {number} {row['config']['model_type']}", {**row["config"], **_TOKENS}


def spoilt(config: Mapping[str, Any]) -> Iterator[tuple[str, Change, dict[str, Any]]]:
    """The config with each of its fields spoiled in each way: what was done, the change, and what came of it."""
    for key, value in config.items():
        if key == "model_type" or key in _TOKENS:
            continue
        yield f"{key} left out", {key: LEFT_OUT}, changed(config, {key: LEFT_OUT})
        yield f"{key} renamed", {key: LEFT_OUT}, changed(config, {key: LEFT_OUT, key + "x": value})
        for other in (None, 0, -1, str(value), [value]):
            if other != value:
                yield f"{key} = {json.dumps(other)[:60]}", {key: other}, changed(config, {key: other})


def compared(name: str, config: dict[str, Any]) -> tuple[Counter[str], list[str]]:
    """How many spoiled configs kvcore refuses, and how many it reads rightly, for a reason in the table, or wrongly; and the last of them."""
    asked, tally, wrong = Asked(), Counter[str](), []
    try:
        whole = read_config(config).shape
    except KvcoreError:
        return Counter(unread=1), []
    for what, change, spoiled in (("nothing", {}, config), *spoilt(config)):
        try:
            shape = read_config(spoiled).shape
        except KvcoreError:
            tally["refused"] += 1
            continue
        run = not change or any(word in key for key in change for word in CACHED)
        answer = dict(asked.answer(spoiled, run=run))
        differ = differences(spoiled, answer)
        question = Question(before=config, change=change, config=spoiled, answer=answer)
        if not differ:
            tally["equal"] += 1
        elif reasons(config["model_type"], question, differ):
            tally["for a reason"] += 1
        elif "accepted" in differ and shape == whole:
            tally["unchanged"] += 1
        else:
            tally["wrong"] += 1
            wrong.append(f"{name}: {what}: {differ}")
    return tally, wrong
