"""Readers for mixtures of experts in which some layers have a window or chunks: gpt-oss, Llama 4, MiMo-V2.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from kvcore.errors import Unsupported
from kvcore.families.common import (
    Reader,
    after_the_first,
    attention_groups,
    checked_heads,
    layer_windows,
    routed_mlps,
    usual_sizes,
)
from kvcore.families.decoder import decoder, every
from kvcore.fields import Fields
from kvcore.layers import LayerGroup
from kvcore.shape import Mlp, Shape
from kvcore.tensors import Tensor

__all__ = ["MOE_SLIDING_WINDOW"]


def _gpt_oss(fields: Fields) -> Shape:
    """gpt-oss: sliding-window and full-attention layers alternate, starting with sliding; biases; a sink logit per query head."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        width, count = fields.integer("intermediate_size"), fields.integer("num_local_experts", 128)
        return (Mlp(layers=layers, intermediate_size=width, gated=True, bias=True, experts=count, router_bias=True),)

    bias = fields.flag("attention_bias", default=True)
    return decoder(
        fields,
        default_kv_heads=8,
        default_head_dim=64,
        windows=every(2, 128),
        mlps=mlps,
        qkv_bias=bias,
        output_bias=bias,
        sinks=True,
    )


def _llama4(fields: Fields) -> Shape:
    """Llama 4: chunked attention in three layers of four; full attention in those without rotary positions (`no_rope_layers`).

    Experts stand in each `interleave_moe_layer_step`-th layer, or those that `moe_layers` names, beside a shared one of
    the same width; the others are dense, `intermediate_size_mlp` wide. Norms of Q and K have no parameters.
    """
    hidden, heads, layers = usual_sizes(fields)
    kv_heads = fields.integer("num_key_value_heads", 8, null=heads)
    checked_heads(fields, "num_key_value_heads", kv_heads, heads)
    chunk = fields.tokens("attention_chunk_size", 8192)
    rope = fields.integers("no_rope_layers", layers, (0, 1))
    period = fields.integer("no_rope_layer_interval", 4, null=4)
    local = [bool(flag) for flag in rope] if rope else [(layer + 1) % period != 0 for layer in range(layers)]
    windows = layer_windows(fields, layers, chunk, local, local="chunked_attention", window_key="attention_chunk_size")
    step = fields.integer("interleave_moe_layer_step", 1, high=4096)
    named = fields.layer_indices("moe_layers", layers)
    routed = [layer in named if named else (layer + 1) % step == 0 for layer in range(layers)]
    bias = fields.flag("attention_bias", default=False)
    fields.ignore("use_qk_norm", "attn_temperature_tuning", "attn_scale", "floor_scale", "for_llm_compressor")
    width = fields.integer("intermediate_size")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=attention_groups(windows, kv_heads, fields.integer("head_dim", 128), local="chunked"),
        mlps=routed_mlps(
            routed, width, fields.integer("intermediate_size_mlp", 16384),
            experts=fields.integer("num_local_experts", 16), shared_size=width,
        ),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=bias,
        output_bias=bias,
    )  # fmt: skip


def _mimo_v2(fields: Fields) -> Shape:
    """MiMo-V2: sliding-window layers have their own head counts and widths (`swa_...`) and sinks; V is narrower than K."""
    hidden, heads, layers = usual_sizes(fields)
    fields.require("attention_bias", expected=False, default=False)
    fields.require("add_full_attention_sink_bias", expected=False, default=False)
    sinks = fields.flag("add_swa_attention_sink_bias", default=True)
    pattern = fields.integers("hybrid_layer_pattern", layers, (0, 1))
    if pattern is None:
        raise Unsupported(fields.name("hybrid_layer_pattern"), None, "a list of 0 (sees everything) and 1 (slides)")
    window = fields.integer("sliding_window")
    for key in ("sliding_window_size", "attention_chunk_size"):
        fields.require(key, expected=window, default=window)
    kv_heads, dim, value_dim = (
        fields.integer("num_key_value_heads"), fields.integer("head_dim"), fields.integer("v_head_dim"),
    )  # fmt: skip
    local_heads = fields.integer("swa_num_attention_heads", heads)
    full = LayerGroup(layers=1, kv_heads=kv_heads, key_dim=dim, value_dim=value_dim)
    local = LayerGroup(
        kind="sliding",
        layers=1,
        kv_heads=fields.integer("swa_num_key_value_heads", kv_heads),
        key_dim=fields.integer("swa_head_dim", dim),
        value_dim=fields.integer("swa_v_head_dim", value_dim),
        window=window,
        query_heads=local_heads if local_heads != heads else None,
        extra_tensors=(Tensor("sinks", (local_heads,), "attention"),) if sinks else (),
    )
    checked_heads(fields, "num_key_value_heads", kv_heads, heads)
    checked_heads(fields, "swa_num_key_value_heads", local.kv_heads, local_heads)
    routes = fields.integers("moe_layer_freq", layers, (0, 1))
    routed = [bool(flag) for flag in routes] if routes else after_the_first(fields, layers, 1)
    width = fields.integer("moe_intermediate_size")
    shared = fields.integer("n_shared_experts", null=0, low=0, high=1024) * width
    counted = ((full, pattern.count(0)), (local, pattern.count(1)))
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=tuple(replace(group, layers=count) for group, count in counted if count),
        mlps=routed_mlps(
            routed, width, fields.integer("intermediate_size"),
            experts=fields.integer("n_routed_experts"), shared_size=shared, router_bias=True,
        ),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
    )  # fmt: skip


MOE_SLIDING_WINDOW: Mapping[str, Reader] = MappingProxyType(
    {"gpt_oss": _gpt_oss, "llama4_text": _llama4, "mimo_v2_flash": _mimo_v2}
)
"""model_type -> reader."""
