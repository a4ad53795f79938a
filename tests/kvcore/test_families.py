"""Parameters of small models of each family, as the family's own code makes them.

counted.json was written once by building each config with huggingface/transformers 5.24.0 (on torch's meta device, so that
nothing is allocated) and adding up its parameters, correction biases of routers included. A reader whose count agrees
has read heads, widths, norms, biases and MLPs of every layer as the family's code does.
"""

import json
from pathlib import Path

import pytest

from kvcore.config import shape_from_config
from kvcore.families import FAMILIES

COUNTED = json.loads((Path(__file__).parent / "counted.json").read_text("utf-8"))
UNCOUNTED = {
    # Read by the reader of a family that is counted, or with a table of published counts of their own.
    "bloom", "falcon", "gpt2", "gpt_bigcode", "gpt_neox", "gptj", "kimi_k2", "mimo", "mimo_v2_flash", "mpt", "nemotron-nas",
    "opt", "phi", "qwen2_5_vl_text", "qwen2_vl_text", "qwen3_vl_moe_text", "qwen3_vl_text", "starcoder2", "mistral4",
}  # fmt: skip


@pytest.mark.parametrize("row", COUNTED, ids=lambda row: row["config"]["model_type"])
def test_parameters_are_those_of_the_family_s_own_code(row):
    assert shape_from_config(row["config"]).params == row["params"]


def test_every_family_is_counted_here_or_said_not_to_be():
    assert {row["config"]["model_type"] for row in COUNTED} | UNCOUNTED == set(FAMILIES)
