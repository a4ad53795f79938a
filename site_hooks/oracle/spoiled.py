"""Real configs, and small ones of every family, with one field spoiled: what kvcore still reads must be right.

A field is left out, null, 0, negative, a string, a list, or its name has a letter too many. Where kvcore reads the result,
transformers must give the same numbers. Where transformers refuses it or cannot run it, kvcore's answer must be the one without the change: it
then knows that the field has no part in it. Real models are made narrow first, so that they can be run: fewer experts, narrow MLPs and a small
vocabulary; heads, layers and their kinds stay.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kvcore.config import read_config
from kvcore.errors import KvcoreError
from kvcore.families import NESTED
from site_hooks.oracle.ask import Asked
from site_hooks.oracle.variants import CACHED
from tests.kvcore.transformers_said import differences

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
_DROPPED = ("vision_config", "quantization_config", "torch_dtype", "dtype", "rope_scaling", "_source")


def narrow(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config whose model is small enough to run."""
    made = {key: value for key, value in config.items() if key not in _DROPPED and not key.endswith("token_id")}
    if isinstance(made.get("text_config"), dict):
        return {**made, "text_config": narrow(made["text_config"])}
    made |= {key: value for key, value in _NARROW.items() if made.get(key)}
    if (made.get("head_dim") or made.get("kv_lora_rank")) and not any(key.startswith("mamba") for key in made):
        made["hidden_size"] = 64
    return {**made, "dtype": "float32"}


def configs() -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the config of each of the tests' real models, narrow, and of each small one that they count."""
    for path in sorted((_TESTS / "configs").glob("*.json")):
        yield path.stem, narrow(json.loads(path.read_text("utf-8")))
    for number, row in enumerate(json.loads((_TESTS / "counted.json").read_text("utf-8"))):
        yield f"counted {number} {row['config']['model_type']}", {**row["config"], "dtype": "float32"}


def spoilt(config: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The config with each of its fields spoiled in each way, and what was done."""
    for key, value in config.items():
        if key in ("model_type", "dtype"):
            continue
        if key == "text_config":
            for what, inner in spoilt(value):
                yield f"{key}.{what}", {**config, key: inner}
            continue
        rest = {name: other for name, other in config.items() if name != key}
        yield f"{key} left out", rest
        yield f"{key} renamed", {**rest, key + "x": value}
        for other in (None, 0, -1, str(value), [value]):
            if other != value:
                yield f"{key} = {json.dumps(other)}", {**rest, key: other}


def compared(name: str, config: Mapping[str, Any]) -> tuple[Counter[str], list[str]]:
    """How often kvcore refuses a spoiled config, agrees with transformers about it, or is rightly indifferent; and where it is wrong."""
    asked, tally, wrong = Asked(), Counter[str](), []
    try:
        whole = read_config(config).shape
    except KvcoreError:
        return Counter(unread=1), []
    for what, spoiled in (("nothing", dict(config)), *spoilt(config)):
        try:
            shape = read_config(spoiled).shape
        except KvcoreError:
            tally["refused"] += 1
            continue
        nested = spoiled["model_type"] in NESTED
        answer = asked.answer(spoiled, run=what == "nothing" or (any(word in what for word in CACHED) and not nested))
        differ = differences(spoiled, dict(answer))
        if not differ:
            tally["equal"] += 1
        elif "accepted" in differ and shape == whole:
            tally["unchanged"] += 1
        else:
            tally["wrong"] += 1
            wrong.append(f"{name}: {what}: {differ}")
    return tally, wrong
