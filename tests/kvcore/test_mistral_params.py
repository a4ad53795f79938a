"""Mistral's own params.json: published files, what they come to, and what is refused."""

import copy

import pytest

from kvcore.config import read_config, shape_from_config
from kvcore.dtypes import cache_dtype
from kvcore.errors import Invalid, KvcoreError, Unsupported

FP16 = cache_dtype("fp16")

SEVEN = {
    "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8, "norm_eps": 1e-05,
    "sliding_window": 4096, "vocab_size": 32000,
}  # fmt: skip
"""Mistral 7B v0.1, as mistralai/mistral-inference's README and ml-explore/mlx-examples (llms/mistral) print it."""

MIXTRAL = {key: value for key, value in SEVEN.items() if key != "sliding_window"} | {
    "rope_theta": 1e6, "moe": {"num_experts_per_tok": 2, "num_experts": 8},
}  # fmt: skip
"""Mixtral 8x7B."""

LARGE = {
    "dim": 7168, "head_dim": 192, "hidden_dim": 16384, "kv_lora_rank": 512,
    "llama_4_scaling": {"beta": 0.1, "original_max_position_embeddings": 8192}, "max_position_embeddings": 294912,
    "moe": {
        "expert_hidden_dim": 4096, "expert_model_parallel": 1, "expert_parallel": 1, "first_k_dense_replace": 3,
        "num_expert_groups": 1, "num_expert_groups_per_tok": 1, "num_experts": 128, "num_experts_per_tok": 4,
        "num_shared_experts": 1, "route_every_n": 1, "routed_scale": 1.0,
    },
    "n_heads": 128, "n_kv_heads": 128, "n_layers": 61, "norm_eps": 1e-06, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "quantization_config": {"quant_method": "compressed-tensors"}, "rope_theta": 10000.0,
    "tied_embeddings": False, "v_head_dim": 128, "vocab_size": 131072,
    "yarn": {"alpha": 1, "apply_scale": False, "beta": 32, "factor": 36, "original_max_position_embeddings": 8192},
    "vision_encoder": {"hidden_size": 1664, "num_hidden_layers": 48},
}  # fmt: skip
"""mistralai/Mistral-Large-3-675B-Instruct-2512, as unslothai/unsloth@dfbef2f copies it (LARGE3_PARAMS in its tests)."""


@pytest.mark.parametrize(
    ("params", "count", "per_token", "later"),
    [
        # the published counts of the config.json models: the two files lie side by side
        pytest.param(SEVEN, 7_241_732_096, 131_072, 0, id="Mistral 7B v0.1: a window in all layers"),
        pytest.param(MIXTRAL, 46_702_792_704, 131_072, 131_072, id="Mixtral 8x7B"),
        # 61 layers of latent attention, 187,105,280 + 2,048 in norms each; 3 dense MLPs of 3 x 7,168 x 16,384; 58 x (129 experts
        # of 3 x 7,168 x 4,096 and a router of 128 x 7,168); two tables of 131,072 x 7,168; 123 norms. The card says 673B.
        pytest.param(LARGE, 673_421_089_792, 61 * 576 * 2, 61 * 576 * 2, id="Mistral Large 3"),
    ],
)
def test_a_published_params_json_comes_to_its_model(params, count, per_token, later):
    shape = shape_from_config(params)
    assert shape.params == count
    assert shape.bytes_per_token(FP16) == per_token
    assert shape.asymptotic_bytes_per_token(FP16) == later


def test_it_reads_like_the_config_json_of_the_same_model():
    config = {
        "model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "sliding_window": 4096, "vocab_size": 32000, "head_dim": 128,
    }  # fmt: skip
    assert shape_from_config(SEVEN) == shape_from_config(config)


def test_the_latent_cache_is_the_one_of_deepseek_v3_without_a_correction_bias():
    config = {
        "model_type": "mistral4", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
        "intermediate_size": 16384, "moe_intermediate_size": 4096, "n_routed_experts": 128, "n_shared_experts": 1,
        "first_k_dense_replace": 3, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "vocab_size": 131072, "max_position_embeddings": 294912,
    }  # fmt: skip
    assert shape_from_config(LARGE) == shape_from_config(config)


def test_a_list_of_windows_repeats_over_the_layers():
    shape = shape_from_config(SEVEN | {"sliding_window": [None, 1024, 1024, 1024]})
    assert [(group.kind, group.layers, group.window) for group in shape.groups] == [
        ("full", 8, None),
        ("sliding", 24, 1024),
    ]


def test_a_default_that_was_taken_is_assumed():
    assumed = read_config({key: value for key, value in SEVEN.items() if key != "sliding_window"}).assumed
    assert assumed == {"sliding_window": None, "tied_embeddings": False, "max_seq_len": None}


@pytest.mark.parametrize("key", ["dim", "n_layers", "hidden_dim", "n_heads", "n_kv_heads", "head_dim", "vocab_size"])
@pytest.mark.parametrize("value", [0, -1, None, "8", 8.0, True, [8]])
def test_a_size_that_is_none_is_refused_by_its_own_name(key, value):
    with pytest.raises(Invalid) as caught:
        shape_from_config(SEVEN | {key: value})
    assert caught.value.field == key


def changed(params, key, value):
    """The file with this value in `moe` where the key is `moe.something`."""
    params = copy.deepcopy(params)
    target = params["moe"] if key.startswith("moe.") else params
    target[key.removeprefix("moe.")] = value
    return params


@pytest.mark.parametrize(
    ("params", "key", "value"),
    [
        pytest.param(SEVEN, "sliding_window", [None, 1024, 512, 1024], id="two windows in one list"),
        pytest.param(SEVEN, "sliding_window", [None] * 5, id="a list that does not divide the layers"),
        pytest.param(SEVEN, "n_kv_heads", 5, id="KV heads that do not divide"),
        pytest.param(SEVEN, "global_attn_layers", [1], id="a field nobody reads"),
        pytest.param(MIXTRAL, "moe.num_shared_experts", 1, id="shared experts beside plain attention"),
        pytest.param(LARGE, "sliding_window", 4096, id="a window beside latent attention"),
        pytest.param(LARGE, "moe.route_every_n", 2, id="experts in every second layer"),
        pytest.param(LARGE, "moe.use_load_balancing_bias", True, id="a bias of the router"),
        pytest.param(LARGE, "moe.num_shared_experts", 0, id="latent attention without shared experts"),
        pytest.param(LARGE, "moe.first_k_dense_replace", 61, id="no layer left for the experts"),
    ],
)
def test_what_has_no_formula_is_refused_by_its_own_name(params, key, value):
    with pytest.raises(KvcoreError) as caught:
        shape_from_config(changed(params, key, value))
    assert caught.value.field == key


def test_mistral_s_mamba_and_meta_s_params_json_are_refused():
    with pytest.raises(Unsupported, match="model_type"):
        shape_from_config({"model_type": "mamba_params", "dim": 4096, "n_layers": 64})
    meta = {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-05, "vocab_size": -1}
    with pytest.raises(Invalid, match="hidden_dim"):
        shape_from_config(meta)
