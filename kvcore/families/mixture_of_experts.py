"""Readers for mixtures of experts with K and V heads: Mixtral, Qwen MoE, GLM-4.5, MiniMax-M2 and others.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices. A correction bias of a router is in the checkpoints and counts as parameters.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.families.common import (
    MTP,
    Reader,
    after_the_first,
    layer_windows,
    mtp_count,
    routed_mlps,
    with_mtp_layers,
)
from kvcore.families.decoder import Mlps, Windows, always, decoder, from_layer, if_used, never
from kvcore.fields import REQUIRED, Fields
from kvcore.shape import Mlp, Shape

__all__ = ["MIXTURE_OF_EXPERTS", "qwen_experts"]


def _all_routed(default: int | None, *, shared: str | None = None, **more: bool) -> Mlps:
    """Experts in every layer, `num_local_experts` of them, each as wide as `intermediate_size`."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        count = fields.integer("num_local_experts") if default is None else fields.integer("num_local_experts", default)
        width = fields.integer(shared, 0, low=0) if shared else 0
        return (
            Mlp(
                layers=layers, intermediate_size=fields.integer("intermediate_size"), gated=True, experts=count,
                shared_size=width, **more,
            ),
        )  # fmt: skip

    return mlps


def _mixtral(fields: Fields) -> Shape:
    return decoder(fields, default_kv_heads=8, windows=always, mlps=_all_routed(8))


def qwen_experts(*, experts: int, width: int, dense: int | None, shared: int | None = None) -> Mlps:
    """Qwen's rule: dense MLPs in `mlp_only_layers`, and in layers that `decoder_sparse_step` passes over; experts elsewhere.

    `shared` is the default width of the shared expert, None if the family has none. Its gate is there even where the width is 0.
    """

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        plain = fields.layer_indices("mlp_only_layers", layers)
        step = fields.integer("decoder_sparse_step", 1)
        routed = [(layer + 1) % step == 0 and layer not in plain for layer in range(layers)]
        beside = 0 if shared is None else fields.integer("shared_expert_intermediate_size", shared, low=0)
        usual = width
        if all(routed):
            fields.ignore("intermediate_size", why="the width of dense MLPs, and every layer has experts")
        else:
            usual = fields.integer("intermediate_size", REQUIRED if dense is None else dense)
        return routed_mlps(
            routed,
            fields.integer("moe_intermediate_size", width),
            usual,
            experts=fields.integer("num_experts", experts),
            shared_size=beside,
            shared_gate=shared is not None,
        )

    return mlps


def _qwen2_moe(fields: Fields) -> Shape:
    bias = fields.flag("qkv_bias", default=True)
    mlps = qwen_experts(experts=60, width=1408, dense=5632, shared=5632)
    return decoder(fields, default_kv_heads=16, windows=if_used(_every_second), mlps=mlps, qkv_bias=bias)


def _every_second(fields: Fields, layers: int) -> Sequence[int | None]:
    """Qwen2-MoE's rule (Qwen2MoeConfig in transformers 5.24): of the layers below `max_window_layers`, every second slides."""
    window = fields.tokens("sliding_window", 4096)
    if window is None:
        raise Invalid(fields.name("sliding_window"), None, "a number, as use_sliding_window is true")
    below = fields.integer("max_window_layers", 28, low=0)
    return layer_windows(fields, layers, window, [layer % 2 == 0 and layer < below for layer in range(layers)])


def _all_layers(fields: Fields, layers: int) -> Sequence[int | None]:
    """Qwen3-MoE's rule: all layers slide. Qwen3MoeConfig has no `max_window_layers` (transformers 5.24)."""
    fields.ignore("max_window_layers", why="Qwen3MoeConfig has no such field")
    return layer_windows(fields, layers, fields.tokens("sliding_window", 4096))


def _qwen3_moe(fields: Fields) -> Shape:
    return _qwen3_experts(
        fields, kv_heads=4, mlps=qwen_experts(experts=128, width=768, dense=6144), windows=if_used(_all_layers)
    )


def _qwen3_vl_moe(fields: Fields) -> Shape:
    """The text model of Qwen3-VL-MoE: other defaults than Qwen3-MoE's, and no windows.

    Alone it ties its embeddings unless it says otherwise; inside the whole model that model's class decides, and takes false.
    """
    alone = fields.name("") == ""
    fields.only("use_sliding_window", False, why="Qwen3-VL-MoE has no windows")
    fields.ignore("max_window_layers", why="there are no windows")
    return _qwen3_experts(
        fields, kv_heads=16, mlps=qwen_experts(experts=60, width=1408, dense=5632), windows=never, tied=alone
    )


def _qwen3_experts(fields: Fields, *, kv_heads: int, mlps: Mlps, windows: Windows, tied: bool = False) -> Shape:
    fields.only("use_qk_norm", True, why="the norms are always there")
    fields.only("shared_expert_intermediate_size", 0, why="there is no shared expert")
    fields.only("qkv_bias", False, why="attention_bias is the field for biases")
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=kv_heads,
        windows=windows,
        mlps=mlps,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
        tied=tied,
    )


def _olmoe(fields: Fields) -> Shape:
    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        width, count = fields.integer("intermediate_size"), fields.integer("num_experts", 64)
        return (Mlp(layers=layers, intermediate_size=width, gated=True, experts=count),)

    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, mlps=mlps, qkv_bias=bias, output_bias=bias, qk_norm="all")


def _phimoe(fields: Fields) -> Shape:
    """Phi-3.5-MoE: LayerNorms, and biases where its config says so."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=8,
        windows=always,
        mlps=_all_routed(16),
        qkv_bias=bias,
        output_bias=bias,
        norm_bias=True,
        lm_head_bias=fields.flag("lm_head_bias", default=False),
    )


def _granitemoe(fields: Fields) -> Shape:
    """Granite MoE, and granitemoeshared, which adds a shared MLP."""
    bias = fields.flag("attention_bias", default=False)
    shared = "shared_intermediate_size" if fields.value("model_type") == "granitemoeshared" else None
    return decoder(fields, mlps=_all_routed(8, shared=shared), qkv_bias=bias, output_bias=bias)


def _corrected(first: int, shared: int = REQUIRED) -> Mlps:
    """Dense MLPs in the `first` layers, then experts whose router has a correction bias, and `shared` experts; both by default."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        routed = after_the_first(fields, layers, first)
        width = fields.integer("moe_intermediate_size")
        beside = fields.integer("n_shared_experts", shared, low=0, high=1024) * width
        dense_width = (
            width if all(routed) and not fields.has("intermediate_size") else fields.integer("intermediate_size")
        )
        return routed_mlps(
            routed, width, dense_width, experts=fields.integer("n_routed_experts"), shared_size=beside, router_bias=True
        )

    return mlps


def _glm4_moe(fields: Fields) -> Shape:
    """GLM-4.5 to 4.7: biases on Q, K and V; `use_qk_norm` in the larger models."""
    fields.ignore("num_mtp_layers", why="another name of num_nextn_predict_layers")
    shape = decoder(
        fields,
        default_kv_heads=8,
        mlps=_corrected(1, shared=1),
        qkv_bias=fields.flag("attention_bias", default=False),
        qk_norm="head" if fields.flag("use_qk_norm", default=False) else "none",
    )
    return with_mtp_layers(shape, mtp_count(fields))


def _dots1(fields: Fields) -> Shape:
    """dots.llm1: where there is a window, the layers from `max_window_layers` on have it, whatever `use_sliding_window` says."""
    bias = fields.flag("attention_bias", default=False)
    fields.ignore("use_sliding_window", why="Dots1Config has no such field (transformers 5.24)")
    return decoder(
        fields,
        default_kv_heads=32,
        windows=from_layer("max_window_layers", 62),
        mlps=_corrected(0),
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
    )


def _ernie_moe(fields: Fields) -> Shape:
    """ERNIE 4.5: experts in every `moe_layer_interval`-th layer from `moe_layer_start_index` to `moe_layer_end_index`."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        first, step = fields.integer("moe_layer_start_index", 1, low=0), fields.integer("moe_layer_interval", 1)
        last = fields.integer("moe_layer_end_index", layers - 1, low=-1)
        last = layers - 1 if last == -1 else last
        routed = [(layer + 1) % step == 0 and first <= layer <= last for layer in range(layers)]
        width = fields.integer("moe_intermediate_size", 1536)
        shared = fields.integer("moe_num_shared_experts", 2, low=0, high=1024)
        fields.ignore(
            "moe_k",
            "moe_norm_min",
            "moe_capacity",
            "moe_use_aux_free",
            "moe_gate",
            why="which experts a token is sent to; transformers' router has its bias whatever they say",
        )
        return routed_mlps(
            routed, width, fields.integer("intermediate_size"),
            experts=fields.integer("moe_num_experts", 64), shared_size=shared * width, router_bias=True,
        )  # fmt: skip

    fields.require("use_bias", expected=False, default=False)
    return decoder(fields, default_kv_heads=4, mlps=mlps, tied=True)


def _minimax_m2(fields: Fields) -> Shape:
    """MiniMax-M2: one norm over all query heads and one over all key heads; multi-token modules are left out."""
    fields.only("use_qk_norm", True, why="the norms are always there")
    fields.only("qk_norm_type", "per_layer", why="one norm over all heads")
    fields.only("shared_intermediate_size", 0, why="there is no shared expert")
    fields.only("use_routing_bias", True, why="the router always has its bias")
    fields.ignore("num_mtp_modules", "mtp_transformer_layers", "use_mtp", why=MTP)
    fields.ignore(
        "layernorm_full_attention_beta",
        "layernorm_linear_attention_beta",
        "layernorm_mlp_beta",
        why="factors on values",
    )
    fields.ignore(
        "mlp_intermediate_size", "shared_moe_mode", why="of dense MLPs and of a shared expert, and there are none"
    )
    fields.integers(
        "attn_type_list", fields.layers("num_hidden_layers"), (1,)
    )  # 0 is linear attention in MiniMax-Text-01
    mlps = _all_routed(256, router_bias=True)
    return decoder(fields, default_kv_heads=8, default_head_dim=128, windows=never, mlps=mlps, qk_norm="all")


def _solar_open(fields: Fields) -> Shape:
    """Solar Open: experts in every layer."""
    bias = fields.flag("attention_bias", default=False)
    fields.only("first_k_dense_replace", 0, why="SolarOpenConfig has no such field, and every layer has experts")
    return decoder(fields, default_kv_heads=8, default_head_dim=128, mlps=_corrected(0, shared=1), qkv_bias=bias)


MIXTURE_OF_EXPERTS: Mapping[str, Reader] = MappingProxyType(
    {
        "dots1": _dots1,
        "ernie4_5_moe": _ernie_moe,
        "glm4_moe": _glm4_moe,
        "granitemoe": _granitemoe,
        "granitemoeshared": _granitemoe,
        "minimax_m2": _minimax_m2,
        "mixtral": _mixtral,
        "olmoe": _olmoe,
        "phimoe": _phimoe,
        "qwen2_moe": _qwen2_moe,
        "qwen3_moe": _qwen3_moe,
        "qwen3_vl_moe_text": _qwen3_vl_moe,
        "solar_open": _solar_open,
    }
)
"""model_type -> reader."""
