"""Changes of several fields together, written by hand: rules for windows, and flags that mean something only together."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from site_hooks.oracle.variants import LEFT_OUT, Change

__all__ = ["BY_HAND"]

_HALF_SLIDE = ["sliding_attention", "full_attention"] * 4

_QWEN_WINDOWS: tuple[Change, ...] = (
    *({"use_sliding_window": True, "sliding_window": 16, "max_window_layers": first} for first in (LEFT_OUT, 0, 3, 8)),
    {"use_sliding_window": True, "sliding_window": None},
    {"use_sliding_window": False, "sliding_window": 16, "max_window_layers": 3},
    {"use_sliding_window": True, "sliding_window": 16, "layer_types": _HALF_SLIDE},
    {"use_sliding_window": False, "sliding_window": 16, "layer_types": _HALF_SLIDE},
    {"sliding_window": 16},
    {"sliding_window": 16, "max_window_layers": 3},
)

_ANY_DEPTH: tuple[Change, ...] = tuple(
    {"num_hidden_layers": layers, "sliding_window": 16, "layer_types": LEFT_OUT} for layers in (2, 3, 4, 5, 6, 7, 9)
)

_SHARED = {"num_hidden_layers": 12, "num_kv_shared_layers": 6}

BY_HAND: Mapping[str, tuple[dict[str, Any], ...]] = MappingProxyType(
    {
        "cohere": ({"use_qk_norm": True},),
        "cohere2": ({"sliding_window_pattern": 3}, *_ANY_DEPTH),
        "dots1": _QWEN_WINDOWS,
        "exaone4": (
            *_ANY_DEPTH,
            *({"sliding_window_pattern": pattern} for pattern in ("LLLG", "LG", 2, 3, 8, None)),
            *({"sliding_window_pattern": 4, "num_hidden_layers": layers} for layers in (2, 5, 6, 7)),
            {"sliding_window": None},
        ),
        "falcon": (
            {"new_decoder_architecture": True},
            {"new_decoder_architecture": True, "num_kv_heads": 8},
            {"new_decoder_architecture": True, "num_kv_heads": 8, "num_ln_in_parallel_attn": 1},
            {"new_decoder_architecture": True, "num_kv_heads": 8, "num_ln_in_parallel_attn": 2},
            {"new_decoder_architecture": True, "parallel_attn": False},
            {"multi_query": False},
            {"multi_query": False, "num_kv_heads": 4},
            {"multi_query": True, "num_kv_heads": 4},
            {"multi_query": None},
            {"parallel_attn": False},
            {"parallel_attn": None},
            {"bias": True},
            {"alibi": True},
            {"tie_word_embeddings": False},
        ),
        "falcon_h1": (
            {"mamba_proj_bias": True},
            {"projectors_bias": True},
            {"mamba_proj_bias": True, "projectors_bias": True},
            {"attention_bias": True},
            {"mamba_rms_norm": True},
            {"mamba_conv_bias": None},
        ),
        "gemma2": _ANY_DEPTH,
        "gemma3_text": ({"sliding_window_pattern": 3}, *_ANY_DEPTH),
        "gemma4_text": (
            _SHARED,
            {**_SHARED, "use_double_wide_mlp": True},
            {**_SHARED, "attention_k_eq_v": True},
            {"attention_k_eq_v": True},
            {"hidden_size_per_layer_input": 0},
            {
                "enable_moe_block": True,
                "num_experts": 8,
                "top_k_experts": 2,
                "moe_intermediate_size": 40,
                "hidden_size_per_layer_input": 0,
            },
        ),
        "glm4_moe": ({"use_qk_norm": True}, {"attention_bias": True}),
        "glm_moe_dsa": ({"indexer_types": ["full", "full", "shared", "full"] * 2},),
        "gpt2": ({"tie_word_embeddings": False}, {"n_inner": 96}, {"add_cross_attention": True}),
        "gpt_bigcode": ({"multi_query": False}, {"tie_word_embeddings": False}),
        "gpt_oss": _ANY_DEPTH,
        "granitemoehybrid": (
            {"num_local_experts": 0},
            {"layer_types": ["attention"] * 8},
            {"layer_types": LEFT_OUT},
            {"mamba_conv_bias": None},
        ),
        "hunyuan_v1_dense": ({"use_qk_norm": False}, {"use_cla": True, "cla_share_factor": 2}),
        "jamba": ({"attn_layer_offset": 3}, {"num_experts": 1}, {"expert_layer_period": 1, "expert_layer_offset": 0}),
        "kimi_linear": ({"tie_word_embeddings": True},),
        "lfm2": (
            {"layer_types": LEFT_OUT, "full_attn_idxs": [2, 5]},
            {"block_auto_adjust_ff_dim": False},
            {"conv_bias": True},
        ),
        "llama4_text": ({"no_rope_layers": []}, {"attention_chunk_size": None}, {"interleave_moe_layer_step": 2}),
        "mimo_v2_flash": (
            {"sliding_window_size": LEFT_OUT},
            {"swa_num_key_value_heads": LEFT_OUT},
            {"sliding_window": 16},
        ),
        "ministral": ({"sliding_window": None}, *_ANY_DEPTH),
        "mistral": ({"sliding_window": None}, {"sliding_window": LEFT_OUT}),
        "mixtral": ({"sliding_window": 16},),
        "nemotron_h": (
            {"mamba_proj_bias": True},
            {"attention_bias": True},
            {"use_bias": True},
            {"mlp_bias": True},
            {"tie_word_embeddings": True},
        ),
        "olmo3": _ANY_DEPTH,
        "opt": ({"do_layer_norm_before": False, "word_embed_proj_dim": 64}, {"enable_bias": False}),
        "phi3": ({"sliding_window": 16}, {"sliding_window": None}),
        "phimoe": ({"sliding_window": 16}, {"sliding_window": None}),
        "qwen2": _QWEN_WINDOWS,
        "qwen2_5_vl_text": _QWEN_WINDOWS,
        "qwen2_moe": (*_QWEN_WINDOWS, {"shared_expert_intermediate_size": 0}),
        "qwen2_vl_text": _QWEN_WINDOWS,
        "qwen3": _QWEN_WINDOWS,
        "qwen3_5_moe_text": ({"shared_expert_intermediate_size": 0},),
        "qwen3_moe": _QWEN_WINDOWS,
        "qwen3_next": ({"shared_expert_intermediate_size": 0}, {"decoder_sparse_step": 2}, {"mlp_only_layers": [1, 2]}),
        "qwen3_vl_moe_text": ({"sliding_window": 16},),
        "qwen3_vl_text": ({"sliding_window": 16},),
        "smollm3": (
            *_QWEN_WINDOWS,
            {"use_sliding_window": True, "sliding_window": 16, "no_rope_layers": [1, 1, 0, 0] * 2},
            {"use_sliding_window": True, "sliding_window": 16, "no_rope_layer_interval": 2, "no_rope_layers": LEFT_OUT},
        ),
        "stablelm": ({"use_parallel_residual": True}, {"qk_layernorm": True}, {"use_qkv_bias": True}),
        "starcoder2": ({"sliding_window": 16}, {"sliding_window": None}, {"use_bias": False}),
    }
)
"""model_type -> changes of its small config."""
