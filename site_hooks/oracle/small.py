"""A small config of each model_type: eight layers (four where all are alike), and heads and widths that are no family's defaults.

With 64 query heads every usual default of KV heads (1, 2, 4, 8, 32, as many as query heads) divides them, so that a reader
with another default than transformers gives another number instead of a refusal.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

__all__ = ["ABSENT", "COMES_FROM", "PER_LAYER", "config_class", "opened", "small", "spelled"]

COMES_FROM: Mapping[str, str] = MappingProxyType({"kimi_k2": "deepseek_v3", "mimo": "qwen2"})
"""model_type of code that its makers publish beside the weights -> the model_type in transformers whose layers it has."""

ABSENT: Mapping[str, str] = MappingProxyType(
    {
        "gemma3n": "its encoder is in a package of its own, timm; its text model is asked about as gemma3n_text",
        "nemotron-nas": "its code is beside its weights, and no model_type of transformers has its layers",
    }
)
"""The model_types that are not asked about, and why."""

WINDOW = 16

_SIZES: Mapping[str, object] = MappingProxyType(
    dict.fromkeys(("hidden_size", "n_embd", "d_model", "word_embed_proj_dim"), 256)
    | dict.fromkeys(("num_attention_heads", "n_head", "n_heads"), 64)
    | dict.fromkeys(("num_key_value_heads", "num_kv_heads"), 16)
    | dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers"), 8)
    | dict.fromkeys(("intermediate_size", "ffn_dim", "ffn_hidden_size"), 96)
    | dict.fromkeys(("vocab_size", "vocab_size_per_layer_input"), 320)
    | dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len"), 256)
    | dict.fromkeys(("sliding_window", "attention_chunk_size"), WINDOW)
    | dict.fromkeys(("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts"), 8)
    | dict.fromkeys(("num_experts_per_tok", "num_experts_per_token", "moe_k", "num_key_value_groups"), 2)
    | dict.fromkeys(("n_group", "topk_group", "num_expert_group"), 1)
    | dict.fromkeys(("shared_expert_intermediate_size", "shared_intermediate_size"), 56)
    | dict.fromkeys(("mamba_n_heads", "mamba_num_heads", "num_heads"), 32)
    | dict.fromkeys(("mamba_d_head", "mamba_head_dim"), 16)
    | dict.fromkeys(("mamba_d_state", "ssm_state_size", "state_size"), 24)
    | dict.fromkeys(("mamba_n_groups", "n_groups"), 2)
    | dict.fromkeys(("mamba_chunk_size", "chunk_size", "block_size"), 16)
    | {
        "head_dim": 8, "moe_intermediate_size": 40, "intermediate_size_mlp": 200, "moe_shared_expert_intermediate_size": 56,
        "kv_lora_rank": 32, "q_lora_rank": 48, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 12, "qk_head_dim": 24,
        "index_n_heads": 4, "index_head_dim": 24, "index_topk": 64, "mamba_d_ssm": 512, "mamba_dt_rank": 8, "time_step_rank": 8,
        "linear_num_key_heads": 4, "linear_num_value_heads": 8, "linear_key_head_dim": 24, "linear_value_head_dim": 40,
        "hidden_size_per_layer_input": 32, "laurel_rank": 16, "num_kv_shared_layers": 2, "first_k_dense_replace": 2,
        "num_dense_layers": 2, "moe_layer_end_index": -1, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }
)  # fmt: skip
"""Field -> its value in a small config, for every model_type that has the field."""

_SET_WHERE_NULL = ("num_key_value_heads", "head_dim", "n_routed_experts", "num_experts_per_tok")
"""Fields that are set although a family's default is null."""

_ALSO: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "bamba": {"attn_layer_indices": [2, 5]},
        "dots1": {"n_shared_experts": 2},
        "falcon": {"num_kv_heads": 64},
        "falcon_mamba": {"intermediate_size": 512},
        "gemma3n_text": {"activation_sparsity_pattern": [0.0] * 8, "intermediate_size": [96] * 8, "num_kv_shared_layers": 3},
        "gemma4_text": {"num_hidden_layers": 6, "num_kv_shared_layers": 0},
        "glm": {"hidden_size": 512},
        "gpt_neox": {"hidden_size": 512},
        "gptj": {"rotary_dim": 4},
        "granitemoehybrid": {"layer_types": ["mamba", "mamba", "attention", "mamba"] * 2},
        "jamba": {"attn_layer_period": 4, "attn_layer_offset": 2},
        "kimi_linear": {
            "linear_attn_config": {
                "full_attn_layers": [4, 8], "kda_layers": [1, 2, 3, 5, 6, 7], "num_heads": 8, "head_dim": 16,
                "short_conv_kernel_size": 4,
            }
        },
        "lfm2": {"layer_types": ["conv", "full_attention"] * 4},
        "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 4},
        "mamba": {"intermediate_size": 512},
        "mamba2": {"head_dim": 16},
        "mimo_v2_flash": {
            "n_shared_experts": None, "hybrid_layer_pattern": [0, 1, 1, 1, 0, 1, 1, 1],
            "moe_layer_freq": [0, 1, 1, 1, 1, 1, 1, 1], "swa_num_key_value_heads": 32, "sliding_window_size": WINDOW,
        },
        "nemotron_h": {
            "layers_block_type": ["mamba", "moe", "mamba", "attention", "mamba", "moe", "mamba", "attention"],
            "moe_latent_size": None,
        },
        "nemotron": {"hidden_size": 512},
        "phi": {"hidden_size": 512},
        "qwen2_5_vl_text": {"hidden_size": 512, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 1, 1]}},
        "qwen2_vl_text": {"hidden_size": 512, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 1, 1]}},
        "qwen3_vl_moe_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 1, 1]}},
        "qwen3_vl_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 1, 1]}},
        "stablelm": {"hidden_size": 512},
    }
)  # fmt: skip
"""What a family needs besides, or instead."""

PER_LAYER = frozenset(
    """layer_types mlp_layer_types no_rope_layers layers_block_type indexer_types moe_layers attn_type_list
    hybrid_layer_pattern attn_layer_indices full_attn_idxs activation_sparsity_pattern per_layer_config""".split()  # noqa: SIM905 - names
)
"""Fields with an entry for each layer. With them a config says itself which layers slide, without them a rule decides."""


_RULES = ("max_window_layers", "attn_layer_period", "expert_layer_period", "decoder_sparse_step", "linear_attn_config")
_DEPTHS = ("num_hidden_layers", "n_layer", "n_layers")


def config_class(model_type: str) -> Any:
    """Transformers' class of configs for a model_type, or for the one it comes from."""
    return CONFIG_MAPPING[COMES_FROM.get(model_type, model_type)]


def small(model_type: str) -> dict[str, Any]:
    """The small config with no more than sizes: all other fields are left to the family's defaults."""
    defaults = config_class(model_type)().to_dict()
    sizes = {}
    for key, value in _SIZES.items():
        given = defaults.get(key)
        known = given is not None or (key in defaults and key in _SET_WHERE_NULL)
        if known and (key == "eos_token_id" or not isinstance(given, dict | str | list)):
            sizes[key] = 32 if key == "num_key_value_heads" and given == value else value
    if not any(key in defaults for key in (*PER_LAYER, *_RULES)):
        sizes |= {key: 4 for key in _DEPTHS if key in sizes}
    if "kv_lora_rank" in defaults:  # latent attention has as many KV heads as query heads, of a width that follows
        sizes.pop("head_dim", None)
        sizes["num_key_value_heads"] = 64
    if model_type in ("qwen3_moe", "qwen3_vl_moe_text"):  # as their makers call it
        sizes["num_experts"] = sizes.pop("num_local_experts")
    if model_type == "gpt_bigcode":  # multi_query decides
        sizes.pop("num_key_value_heads", None)
    return {"model_type": model_type, **sizes, **_ALSO.get(model_type, {}), "dtype": "float32"}


def spelled(model_type: str, *, only_changes: bool = False) -> dict[str, Any]:
    """The small config as transformers saves it: every field, or (`only_changes`) those that are not its defaults."""
    sizes = {key: value for key, value in small(model_type).items() if key != "model_type"}
    text = config_class(model_type)(**sizes).to_json_string(use_diff=only_changes)
    return {**json.loads(text, object_hook=_infinite), "model_type": model_type}


def opened(model_type: str) -> dict[str, Any]:
    """The small config with every field but those that say a thing for each layer, which rules then decide."""
    rest = {
        key: value for key, value in spelled(model_type).items() if key not in PER_LAYER and key != "rope_parameters"
    }
    return {**rest, **small(model_type)}


def _infinite(found: dict[str, Any]) -> Any:
    """Transformers writes an infinite number as an object, and reads it so."""
    return float(found["__float__"]) if "__float__" in found else found
