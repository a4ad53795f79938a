"""The tensors of a model: worked by hand for some, adding up to the parameters for all."""

import json
from math import prod
from pathlib import Path

import pytest

from kvcore.catalog import MODELS
from kvcore.config import shape_from_config
from kvcore.errors import KvcoreError
from kvcore.layers import LayerGroup
from kvcore.shape import Shape
from kvcore.tensors import TENSOR_KINDS, Tensor

COUNTED = json.loads((Path(__file__).parent / "counted.json").read_text("utf-8"))
SHAPES = [
    *(pytest.param(lambda name=name: MODELS[name].shape, id=name) for name in MODELS),
    *(
        pytest.param(lambda row=row: shape_from_config(row["config"]), id=f"counted {row['config']['model_type']}")
        for row in COUNTED
    ),
]


def listed(name):
    """Tensor name -> (shape, how many in all layers) of a model of the catalog, in which a name has one shape."""
    return sizes(MODELS[name].shape)


def sizes(shape):
    """Tensor name -> (shape, how many in all layers); for names whose tensors are all alike."""
    found = {}
    for tensor in shape.tensors:
        known, count = found.get(tensor.name, (tensor.shape, 0))
        if known == tensor.shape:
            found[tensor.name] = (known, count + tensor.count)
    return found


def test_the_tensors_of_llama_3_70b_are_those_of_its_checkpoint():
    """Llama-3 70B: hidden 8,192, 64 query heads and 8 KV heads of 128, MLPs of 28,672, 80 layers, 128,256 tokens."""
    assert listed("llama-3-70b") == {
        "embed_tokens": ((128_256, 8192), 1),
        "q_proj": ((8192, 8192), 80),
        "k_proj": ((1024, 8192), 80),
        "v_proj": ((1024, 8192), 80),
        "o_proj": ((8192, 8192), 80),
        "gate_proj": ((28_672, 8192), 80),
        "up_proj": ((28_672, 8192), 80),
        "down_proj": ((8192, 28_672), 80),
        "layer_norms": ((8192,), 160),
        "norm": ((8192,), 1),
        "lm_head": ((128_256, 8192), 1),
    }


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        pytest.param(
            "llama-3-70b",
            {
                "embedding": 128_256 * 8192,
                "attention": 80 * (2 * 8192 * 8192 + 2 * 1024 * 8192),
                "mlp": 80 * 3 * 28_672 * 8192,
                "norm": 161 * 8192,
                "output": 128_256 * 8192,
            },
            id="llama-3-70b",
        ),
        pytest.param(
            "mixtral-8x7b",
            {
                "embedding": 32_000 * 4096,
                "attention": 32 * (2 * 4096 * 4096 + 2 * 1024 * 4096),
                "expert": 32 * 8 * 3 * 14_336 * 4096,
                "router": 32 * 8 * 4096,
                "norm": 65 * 4096,
                "output": 32_000 * 4096,
            },
            id="mixtral-8x7b: experts apart from their router",
        ),
        pytest.param(
            "deepseek-v3",
            {
                "embedding": 129_280 * 7168,
                "attention": 61 * (1536 * 7168 + 128 * 192 * 1536 + 576 * 7168 + 128 * 256 * 512 + 7168 * 128 * 128),
                "mlp": 3 * 3 * 18_432 * 7168 + 58 * 3 * 2048 * 7168,
                "expert": 58 * 256 * 3 * 2048 * 7168,
                "router": 58 * (256 * 7168 + 256),
                "norm": 61 * (1536 + 512) + 123 * 7168,
                "output": 129_280 * 7168,
            },
            id="deepseek-v3: three dense MLPs, 58 with a shared expert, and the latent's two norms",
        ),
    ],
)
def test_the_parameters_of_each_kind_are_worked_by_hand(model, kinds):
    assert MODELS[model].shape.params_by_kind() == kinds


@pytest.mark.parametrize(
    ("model", "tensor", "shape", "count"),
    [
        pytest.param("deepseek-v3", "kv_a_proj_with_mqa", (576, 7168), 61, id="a latent and its rotary key"),
        pytest.param("deepseek-v3", "q_b_proj", (128 * 192, 1536), 61, id="queries of a rank of their own"),
        pytest.param("deepseek-v3", "experts.down_proj", (7168, 2048), 58 * 256, id="an expert"),
        pytest.param("deepseek-v3", "router.bias", (256,), 58, id="a correction bias"),
        pytest.param("deepseek-v3.2", "indexer.wk", (128, 7168), 61, id="an indexer's key"),
        pytest.param("codestral-mamba-7b", "A_log", (128,), 64, id="a Mamba-2 decay, one a head"),
        pytest.param("codestral-mamba-7b", "in_proj", (2 * 8192 + 2 * 8 * 128 + 128, 4096), 64, id="gate, x, B, C, dt"),
        pytest.param("qwen3-next-80b", "q_proj.gate", (16 * 256, 2048), 12, id="a gate beside the queries"),
        pytest.param("qwen3-next-80b", "conv1d", (2 * 2048 + 4096, 1, 4), 36, id="a delta-net's convolution"),
        pytest.param("gpt-oss-120b", "sinks", (64,), 36, id="a learned logit a query head"),
        pytest.param("gpt-oss-120b", "experts.gate_proj.bias", (2880,), 36 * 128, id="biases of experts"),
        pytest.param("gpt-3-175b", "embed_positions", (2048, 12_288), 1, id="learned positions"),
    ],
)
def test_a_tensor_has_the_shape_that_the_family_s_code_gives_it(model, tensor, shape, count):
    assert listed(model)[tensor] == (shape, count)


def test_gemma_3n_lists_what_it_adds_to_every_layer():
    """Hidden size 64, 6 layers, 4 AltUp inputs, LAuReL of rank 4, a per-layer embedding of 8 values and 50 rows."""
    (config, *_) = (row["config"] for row in COUNTED if row["config"]["model_type"] == "gemma3n_text")
    found = sizes(shape_from_config(config))
    assert {name: found[name] for name in found if "altup" in name or "laurel" in name or "per_layer" in name} == {
        "laurel.linear_left": ((4, 64), 6),
        "laurel.linear_right": ((64, 4), 6),
        "laurel.post_laurel_norm": ((64,), 6),
        "altup.prediction_coefs": ((16, 4), 6),
        "altup.correction_coefs": ((4, 4), 6),
        "altup.modality_router": ((4, 64), 6),
        "altup.router_norm": ((64,), 6),
        "altup.correct_output_scale": ((64,), 6),
        "altup_projections": ((64, 64), 3),
        "altup_unembed_projections": ((64, 64), 3),
        "embed_tokens_per_layer": ((50, 48), 1),
        "per_layer_model_projection": ((48, 64), 1),
        "per_layer_projection_norm": ((8,), 1),
        "per_layer_input_gate": ((8, 64), 6),
        "per_layer_projection": ((64, 8), 6),
        "post_per_layer_input_norm": ((64,), 6),
    }


def test_a_model_whose_v_is_made_by_the_projection_of_k_lists_no_v_there():
    shape = MODELS["gemma-4-26b-a4b"].shape
    wide, local = sorted(shape.groups, key=lambda group: group.key_dim, reverse=True)
    projections = [tensor for tensor in shape.tensors if tensor.name in {"k_proj", "v_proj"}]
    assert {(tensor.name, tensor.count) for tensor in projections} == {
        ("k_proj", wide.layers), ("k_proj", local.layers), ("v_proj", local.layers)
    }  # fmt: skip


@pytest.mark.parametrize("make", SHAPES)
def test_every_tensor_is_a_tensor_and_together_they_are_the_parameters(make):
    shape = make()
    assert shape.params == sum(tensor.count * prod(tensor.shape) for tensor in shape.tensors)
    assert sum(shape.params_by_kind().values()) == shape.params
    for tensor in shape.tensors:
        assert tensor.kind in TENSOR_KINDS
        assert tensor.count >= 1
        assert tensor.shape
        assert all(width >= 1 for width in tensor.shape)


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(Tensor("gate", (0, 4), "attention"), id="no rows"),
        pytest.param(Tensor("gate", (4, -1), "attention"), id="a negative width"),
        pytest.param(Tensor("gate", (4, True), "attention"), id="a bool"),
        pytest.param(Tensor("gate", (4, 4), "attention", 0), id="none of it"),
        pytest.param(Tensor("gate", (4, 4), "furniture"), id="a kind there is not"),
    ],
)
def test_what_is_no_tensor_is_refused_by_name(tensor):
    group = {"layers": 1, "kv_heads": 1, "key_dim": 4, "value_dim": 4}
    with pytest.raises(KvcoreError) as caught:
        LayerGroup(**group, extra_tensors=(tensor,))
    assert caught.value.field == "tensor"
    with pytest.raises(KvcoreError):
        Shape(
            hidden_size=4, query_heads=1, groups=(LayerGroup(**group),), mlps=(), vocab_size=4, tied=True,
            other_tensors=(tensor,),
        )  # fmt: skip
