"""Readers for hybrids of attention with linear attention or short convolutions: Qwen3-Next, Kimi Linear, LFM2, MiniMax.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.families.common import (
    MTP,
    Reader,
    after_the_first,
    mtp_count,
    routed_mlps,
    usual_sizes,
    with_mtp_layers,
)
from kvcore.families.decoder import Mlps, decoder, dense
from kvcore.families.latent_attention import latent_layer
from kvcore.families.mixture_of_experts import qwen_experts
from kvcore.families.recurrent_layers import (
    all_full,
    delta_net,
    gated_convolution,
    kimi_delta,
    split_layers,
    weight_dtype,
)
from kvcore.fields import Fields
from kvcore.layers import MOST_WIDTH, LayerGroup
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Mlp, Shape
from kvcore.tensors import Tensor

__all__ = ["LINEAR_ATTENTION"]


def _attending(fields: Fields, layers: int, default: Sequence[bool], words: tuple[str, ...]) -> list[bool]:
    """Which layers are attention layers: those whose `layer_types` entry is the first of `words`; `default` without the field."""
    types = fields.strings("layer_types", layers, words)
    if types is None:
        fields.assume("layer_types", f"{words[0]} in {sum(default)} of {layers} layers")
        return list(default)
    return [kind == words[0] for kind in types]


def _qwen_hybrid(fields: Fields, mlps: Mlps, *, mtp: int, kv_heads: int = 2) -> Shape:
    """One attention layer in four, with an output gate as wide as its queries; the others are gated delta-nets.

    Of the MTP layers, `mtp` of them, all are attention layers, and one matrix makes their inputs.
    """
    fields.require("attention_bias", expected=False, default=False)
    fields.only("attn_output_gate", True, why="the gate is always there")
    fields.only("mtp_use_dedicated_embeddings", False, why="MTP layers use the model's own embedding")
    shape = decoder(
        fields, default_kv_heads=kv_heads, default_head_dim=256, mlps=mlps, qk_norm="head", windows=all_full
    )
    layers, hidden = shape.layers, shape.hidden_size
    step = 4
    if fields.has("layer_types"):
        fields.ignore("full_attention_interval", why="layer_types says it layer by layer")
    else:
        step = fields.integer("full_attention_interval", 4)
    by_step = [(layer + 1) % step == 0 for layer in range(layers)]
    attending = sum(_attending(fields, layers, by_step, ("full_attention", "linear_attention")))
    head_dim = fields.integer("head_dim", 256)
    (group,) = shape.groups
    if isinstance(group, LayerGroup):
        gate = Tensor("q_proj.gate", (shape.query_heads * head_dim, hidden), "attention")
        shape = replace(shape, groups=(replace(group, extra_tensors=(gate,)),))
    others = [delta_net(fields, layers - attending, hidden)] if attending < layers else []
    attention = shape.groups[0]
    return with_mtp_layers(split_layers(shape, attending, others), mtp if attending else 0, attention, projections=1)


def _qwen3_next(fields: Fields) -> Shape:
    """Qwen3-Next, with one MTP layer: its config does not say so, and the checkpoint has it (vllm-project/vllm, qwen3_next_mtp.py)."""
    fields.ignore("mtp_num_hidden_layers", why="Qwen3.5's name of the field")
    mtp = mtp_count(fields, default=1)
    return _qwen_hybrid(fields, qwen_experts(experts=512, width=512, dense=5632, shared=512), mtp=mtp)


def _qwen3_5(fields: Fields) -> Shape:
    fields.layer_indices("mlp_only_layers", fields.layers("num_hidden_layers"))
    return _qwen_hybrid(fields, dense(), kv_heads=4, mtp=mtp_count(fields, "mtp_num_hidden_layers"))


def _qwen3_5_moe(fields: Fields) -> Shape:
    mtp = mtp_count(fields, "mtp_num_hidden_layers")
    return _qwen_hybrid(fields, qwen_experts(experts=256, width=512, dense=None, shared=512), mtp=mtp)


def _kimi_linear(fields: Fields) -> Shape:
    """Kimi Linear: layers of latent attention (MLA) and of Kimi delta attention; nothing is tied, as in transformers."""
    hidden, heads, layers = usual_sizes(fields)
    fields.require("tie_word_embeddings", expected=False, default=False)
    attending, size, kernel = _kimi_layers(fields, layers)
    delta = kimi_delta(hidden, max(1, layers - attending), size, kernel, weight_dtype(fields))
    latent = replace(latent_layer(fields, hidden, heads, direct=0), layers=max(1, attending))
    fields.ignore("mla_use_nope", why="positions have no parameters")
    fields.ignore("num_nextn_predict_layers", why=MTP)
    width = fields.integer("moe_intermediate_size")
    shared = fields.integer("num_shared_experts", 1, null=0, low=0, high=1024) * width
    fields.ignore("num_expert_group", "use_grouped_topk", why="which experts a token is sent to")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=(*([latent] if attending else []), *([delta] if attending < layers else [])),
        mlps=routed_mlps(
            after_the_first(fields, layers, 1), width, fields.integer("intermediate_size"),
            experts=fields.integer("num_experts"), shared_size=shared, router_bias=True,
        ),
        vocab_size=fields.integer("vocab_size"),
        tied=False,
        context_limit=fields.tokens("model_max_length"),
    )  # fmt: skip


def _kimi_layers(fields: Fields, layers: int) -> tuple[int, tuple[int, int], int]:
    """How many layers attend, heads and width of the delta attention, and the kernel of its convolution.

    The published file lists the layers in `linear_attn_config`, by numbers from 1. Files that transformers 5.24 saves have
    `layer_types` and `linear_...` beside or in place of it; where both are there they must agree.
    """
    types = fields.strings("layer_types", layers, ("full_attention", "linear_attention"))
    named = None if types is None else {layer for layer, kind in enumerate(types) if kind == "full_attention"}
    keys = ("linear_num_heads", "linear_head_dim", "linear_conv_kernel_dim")
    if not fields.has("linear_attn_config"):
        if named is None:
            raise Invalid(
                fields.name("linear_attn_config"),
                None,
                "an object that lists the layers of each kind, and there is no layer_types",
            )
        heads, dim, kernel = (fields.integer(key, high=1024 if "kernel" in key else MOST_WIDTH) for key in keys)
        return len(named), (heads, dim), kernel
    inner = fields.inside("linear_attn_config")
    attending = {layer - 1 for layer in inner.layer_indices("full_attn_layers", layers + 1)}
    linear = {layer - 1 for layer in inner.layer_indices("kda_layers", layers + 1)}
    if attending & linear or attending | linear != set(range(layers)):
        raise Invalid(inner.name("kda_layers"), sorted(linear), "the layers that full_attn_layers leaves, from 1")
    if named is not None and named != attending:
        raise Invalid(fields.name("layer_types"), types, "what linear_attn_config says")
    size = (inner.integer("num_heads"), inner.integer("head_dim"))
    kernel = inner.integer("short_conv_kernel_size", high=1024)
    for key, value in zip(keys, (*size, kernel), strict=True):
        fields.agree(key, value)
    inner.finish()
    return len(attending), size, kernel


def _lfm2(fields: Fields) -> Shape:
    """LFM2: short convolutions, with attention in the layers that `layer_types` or `full_attn_idxs` name."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        if fields.value("model_type") == "lfm2":
            return (Mlp(layers=layers, intermediate_size=_lfm2_width(fields), gated=True),)
        first = fields.integer("num_dense_layers", 2, low=0)
        fields.require("use_expert_bias", expected=True, default=True)
        return routed_mlps(
            [layer >= first for layer in range(layers)], fields.integer("moe_intermediate_size", 1792),
            fields.integer("intermediate_size"), experts=fields.integer("num_experts", 32), router_bias=True,
        )  # fmt: skip

    shape = decoder(fields, default_kv_heads=8, mlps=mlps, windows=all_full, qk_norm="head", tied=True)
    layers = shape.layers
    named = frozenset(range(layers))
    if fields.has("layer_types"):
        fields.ignore("full_attn_idxs", why="layer_types says it layer by layer")
    elif fields.has("full_attn_idxs"):
        named = fields.layer_indices("full_attn_idxs", layers)
    elif fields.value("model_type") == "lfm2_moe":
        raise Invalid(fields.name("layer_types"), None, "a list of full_attention and conv, one entry a layer")
    attending = sum(_attending(fields, layers, [layer in named for layer in range(layers)], ("full_attention", "conv")))
    for key in ("conv_dim", "conv_dim_out"):
        fields.agree(key, shape.hidden_size)
    fields.ignore("conv_use_xavier_init", why="how weights are drawn before training")
    if attending == layers:
        fields.ignore("conv_L_cache", "conv_bias", why="no layer has a convolution")
        return shape
    convolution = gated_convolution(
        shape.hidden_size, layers - attending, fields.integer("conv_L_cache", 3, high=1024), weight_dtype(fields),
        bias=fields.flag("conv_bias", default=False),
    )  # fmt: skip
    return split_layers(shape, attending, [convolution])


def _lfm2_width(fields: Fields) -> int:
    """The MLP's width: two thirds of what the config says, scaled and rounded up, if `block_auto_adjust_ff_dim`."""
    key = "block_ff_dim" if fields.has("block_ff_dim") else "intermediate_size"
    width, multiple = fields.integer(key), fields.integer("block_multiple_of", 256)
    if fields.has("intermediate_size"):
        fields.integer("intermediate_size")
    fields.agree("block_dim", fields.integer("hidden_size"))
    fields.only("block_use_swiglu", True, why="its MLPs are gated")
    for name in ("mlp_init_scale", "out_init_scale", "norm_eps", "use_xavier_init"):
        fields.ignore(f"block_{name}", why="how weights are drawn before training, or the small number in a norm")
    fields.require("block_ffn_dim_multiplier", expected=1.0, default=1.0)
    if not fields.flag("block_auto_adjust_ff_dim", default=True):
        return width
    return -(-(2 * width // 3) // multiple) * multiple


def _minimax(fields: Fields) -> Shape:
    """MiniMax-Text-01: lightning (linear) attention, with full attention in every second layer or where `layer_types` says."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        count = fields.integer("num_local_experts", 8)
        return (Mlp(layers=layers, intermediate_size=fields.integer("intermediate_size"), gated=True, experts=count),)

    shape = decoder(fields, default_kv_heads=8, mlps=mlps, windows=all_full)
    layers, hidden, heads = shape.layers, shape.hidden_size, shape.query_heads
    by_turns = [bool((layer + 1) % 2) for layer in range(layers)]
    attending = sum(_attending(fields, layers, by_turns, ("full_attention", "linear_attention")))
    fields.ignore("block_size", why="how many tokens are computed at once; the state has one size")
    factors = [f"{kind}_{name}_factor" for kind in ("full_attn", "linear_attn", "mlp") for name in ("alpha", "beta")]
    fields.ignore(*factors, why="factors on values")
    if attending == layers:
        return shape
    dim = shape.head_dim or 0
    wide = heads * dim
    group = RecurrentGroup(
        name="lightning attention",
        layers=layers - attending,
        states=(State(role="state", parts=heads, values=dim * dim, dtype=weight_dtype(fields)),),
        tensors=(
            Tensor("qkv_proj", (3 * wide, hidden), "recurrent"),
            Tensor("output_gate", (wide, hidden), "recurrent"),
            Tensor("norm", (wide,), "norm"),
            Tensor("out_proj", (hidden, wide), "recurrent"),
        ),
    )
    return split_layers(shape, attending, [group])


LINEAR_ATTENTION: Mapping[str, Reader] = MappingProxyType(
    {
        "kimi_linear": _kimi_linear,
        "lfm2": _lfm2,
        "lfm2_moe": _lfm2,
        "minimax": _minimax,
        "qwen3_5_moe_text": _qwen3_5_moe,
        "qwen3_5_text": _qwen3_5,
        "qwen3_next": _qwen3_next,
    }
)
"""model_type -> reader."""
