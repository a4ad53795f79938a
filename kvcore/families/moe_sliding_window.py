"""Readers for mixtures of experts in which some layers have a window or chunks: gpt-oss, Llama 4, MiMo-V2.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.families.common import (
    Reader,
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
    period = 4 if rope else fields.integer("no_rope_layer_interval", 4)
    local = [bool(flag) for flag in rope] if rope else [(layer + 1) % period != 0 for layer in range(layers)]
    windows = layer_windows(fields, layers, chunk, local, local="chunked_attention", window_key="attention_chunk_size")
    step = fields.integer("interleave_moe_layer_step", 1, high=4096)
    routed = [(layer + 1) % step == 0 for layer in range(layers)]
    if fields.has("moe_layers"):
        named = fields.layer_indices("moe_layers", layers)
        routed = [layer in named for layer in range(layers)]
    bias = fields.flag("attention_bias", default=False)
    fields.ignore("use_qk_norm", why="its norm of Q and K has no parameters")
    fields.ignore("attn_temperature_tuning", "floor_scale", why="factors on queries")
    fields.ignore("no_rope_layer_interval", why="no_rope_layers says it layer by layer, or it is read")
    fields.ignore("for_llm_compressor", why="how the file was quantised")
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
    fields.only("add_full_attention_sink_bias", False, why="only layers with a window have sinks")
    fields.only(
        "add_swa_attention_sink_bias",
        True,
        why="layers with a window have sinks in transformers 5.24, whatever it says",
    )
    pattern = _mimo_pattern(fields, layers)
    window = _mimo_window(fields)
    kv_heads, dim, value_dim = (
        fields.integer("num_key_value_heads"), fields.integer("head_dim"), fields.integer("v_head_dim"),
    )  # fmt: skip
    local_heads = fields.integer("swa_num_attention_heads", heads)
    full = LayerGroup(layers=1, kv_heads=kv_heads, key_dim=dim, value_dim=value_dim)
    local = LayerGroup(
        kind="sliding",
        layers=1,
        kv_heads=fields.integer("swa_num_key_value_heads", 2 * kv_heads),
        key_dim=fields.integer("swa_head_dim", dim),
        value_dim=fields.integer("swa_v_head_dim", value_dim),
        window=window,
        query_heads=local_heads if local_heads != heads else None,
        extra_tensors=(Tensor("sinks", (local_heads,), "attention"),),
    )
    checked_heads(fields, "num_key_value_heads", kv_heads, heads)
    checked_heads(fields, "swa_num_key_value_heads", local.kv_heads, local_heads)
    fields.ignore("attention_projection_layout", why="in which order a checkpoint holds Q, K and V")
    fields.only(
        "first_k_dense_replace", 1, why="the first layer is dense, or moe_layer_freq or mlp_layer_types say which"
    )
    types = fields.strings("mlp_layer_types", layers, ("dense", "sparse"))
    routes = None if types else fields.integers("moe_layer_freq", layers, (0, 1))
    if types:
        fields.ignore("moe_layer_freq", why="mlp_layer_types says it layer by layer")
    if not types and not routes:
        fields.assume("mlp_layer_types", f"sparse in {layers - 1} of {layers} layers")
    routed = (
        [kind == "sparse" for kind in types] if types else [bool(flag) for flag in routes or [0] + [1] * (layers - 1)]
    )
    width = fields.integer("moe_intermediate_size")
    fields.only("n_shared_experts", 0, why="there are no shared experts")
    counted = ((full, pattern.count(0)), (local, pattern.count(1)))
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=tuple(replace(group, layers=count) for group, count in counted if count),
        mlps=routed_mlps(
            routed, width, fields.integer("intermediate_size"),
            experts=fields.integer("n_routed_experts"), router_bias=True,
        ),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
    )  # fmt: skip


def _mimo_pattern(fields: Fields, layers: int) -> list[int]:
    """1 for each layer with a window: `layer_types`, or `hybrid_layer_pattern`, or all but the first and every sixth."""
    pattern = fields.integers("hybrid_layer_pattern", layers, (0, 1))
    types = fields.strings("layer_types", layers, ("full_attention", "sliding_attention"))
    named = None if types is None else [int(kind == "sliding_attention") for kind in types]
    if named is not None and pattern is not None and named != pattern:
        raise Invalid(fields.name("layer_types"), types, "what hybrid_layer_pattern says")
    if named is not None or pattern is not None:
        return named or pattern or []
    found = [int(layer > 0 and (layer + 1) % 6 != 0) for layer in range(layers)]
    fields.assume("layer_types", f"sliding_attention in {sum(found)} of {layers} layers")
    return found


def _mimo_window(fields: Fields) -> int:
    """The window of MiMo-V2-Flash in tokens, the newest included: 129 for the published `sliding_window_size` of 128.

    The code that the model was published for, SGLang's, hands `sliding_window_size` to its kernels as it is, and there that is
    the number of tokens before the newest (sgl-project/sglang 0a41b3b, models/mimo_v2_flash.py; models that count the newest
    hand over one less, as in models/gemma2.py). huggingface/transformers 5.24 follows it (configuration_mimo_v2_flash.py:
    sliding_window_size + 1). vLLM takes the newest as one of the 128 (vllm-project/vllm 01ed47b, models/mimo_v2_flash.py), so
    it keeps one token less. Without `sliding_window_size`, `sliding_window` is the window itself.
    """
    if not fields.has("sliding_window_size"):
        window = fields.integer("sliding_window")
        fields.only("attention_chunk_size", window, why="it is the window again")
        return window
    size = fields.integer("sliding_window_size")
    if fields.has("sliding_window") and fields.integer("sliding_window") not in {size, size + 1}:
        raise Invalid(fields.name("sliding_window"), fields.value("sliding_window"), f"{size} or {size + 1}")
    fields.only("attention_chunk_size", size, why="it is sliding_window_size again")
    return size + 1


MOE_SLIDING_WINDOW: Mapping[str, Reader] = MappingProxyType(
    {"gpt_oss": _gpt_oss, "llama4_text": _llama4, "mimo_v2_flash": _mimo_v2}
)
"""model_type -> reader."""
