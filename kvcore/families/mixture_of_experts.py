"""Readers for mixtures of experts with K and V heads: Mixtral, Qwen MoE, GLM-4.5, MiniMax-M2 and others.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices. A correction bias of a router is in the checkpoints and counts as parameters.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.families.common import Reader, after_the_first, routed_mlps
from kvcore.families.decoder import Mlps, always, decoder, from_qwen
from kvcore.fields import REQUIRED, Fields
from kvcore.shape import Mlp, Shape

__all__ = ["MIXTURE_OF_EXPERTS", "qwen_experts"]


def _all_routed(default: int | None, *, shared: str | None = None, **more: bool) -> Mlps:
    """Experts in every layer, `num_local_experts` of them, each as wide as `intermediate_size`."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        count = fields.integer("num_local_experts") if default is None else fields.integer("num_local_experts", default)
        width = fields.integer(shared, 0, null=0, low=0) if shared else 0
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

    `shared` is the default width of the shared expert, which has a gate; None if the family has no shared expert.
    """

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        plain = fields.layer_indices("mlp_only_layers", layers)
        step = fields.integer("decoder_sparse_step", 1)
        routed = [(layer + 1) % step == 0 and layer not in plain for layer in range(layers)]
        beside = 0 if shared is None else fields.integer("shared_expert_intermediate_size", shared, low=0)
        usual = width
        if all(routed):
            fields.ignore("intermediate_size")
        else:
            usual = fields.integer("intermediate_size", REQUIRED if dense is None else dense)
        return routed_mlps(
            routed,
            fields.integer("moe_intermediate_size", width),
            usual,
            experts=fields.integer("num_experts", experts),
            shared_size=beside,
            shared_gate=beside > 0,
        )

    return mlps


def _qwen2_moe(fields: Fields) -> Shape:
    bias = fields.flag("qkv_bias", default=True)
    mlps = qwen_experts(experts=60, width=1408, dense=5632, shared=5632)
    return decoder(fields, default_kv_heads=16, windows=from_qwen, mlps=mlps, qkv_bias=bias)


def _qwen3_moe(fields: Fields) -> Shape:
    fields.require("use_qk_norm", expected=True, default=True)
    fields.require("shared_expert_intermediate_size", expected=0, default=0)
    fields.require("qkv_bias", expected=False, default=False)
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=4,
        windows=from_qwen,
        mlps=qwen_experts(experts=128, width=768, dense=6144),
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
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


def _corrected(first: int, shared: str = "n_shared_experts") -> Mlps:
    """Dense MLPs in the first layers, then experts whose router has a correction bias, and shared experts."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        routed = after_the_first(fields, layers, first)
        width = fields.integer("moe_intermediate_size")
        beside = fields.integer(shared, null=0, low=0, high=1024) * width
        key = "num_experts" if shared == "num_shared_experts" else "n_routed_experts"
        dense_width = (
            width if all(routed) and not fields.has("intermediate_size") else fields.integer("intermediate_size")
        )
        return routed_mlps(
            routed, width, dense_width, experts=fields.integer(key), shared_size=beside, router_bias=True
        )

    return mlps


def _glm4_moe(fields: Fields) -> Shape:
    """GLM-4.5 to 4.7: biases on Q, K and V; `use_qk_norm` in the larger models; the multi-token prediction layer is left out."""
    fields.ignore("num_nextn_predict_layers")
    return decoder(
        fields,
        default_kv_heads=8,
        mlps=_corrected(1),
        qkv_bias=fields.flag("attention_bias", default=False),
        qk_norm="head" if fields.flag("use_qk_norm", default=False) else "none",
    )


def _dots1(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, windows=from_qwen, mlps=_corrected(0), qkv_bias=bias, output_bias=bias, qk_norm="head")


def _ernie_moe(fields: Fields) -> Shape:
    """ERNIE 4.5: experts in every `moe_layer_interval`-th layer from `moe_layer_start_index` to `moe_layer_end_index`."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        first, step = fields.integer("moe_layer_start_index", 1, low=0), fields.integer("moe_layer_interval", 1)
        last = fields.integer("moe_layer_end_index", layers - 1, null=layers - 1, low=-1)
        last = layers - 1 if last == -1 else last
        routed = [(layer + 1) % step == 0 and first <= layer <= last for layer in range(layers)]
        width = fields.integer("moe_intermediate_size", 1536)
        shared = fields.integer("moe_num_shared_experts", 2, null=0, low=0, high=1024)
        fields.ignore("moe_k", "moe_norm_min", "moe_capacity", "moe_use_aux_free", "moe_gate", "moe_layer_group")
        return routed_mlps(
            routed, width, fields.integer("intermediate_size"),
            experts=fields.integer("moe_num_experts", 64), shared_size=shared * width, router_bias=True,
        )  # fmt: skip

    fields.require("use_bias", expected=False, default=False)
    return decoder(fields, default_kv_heads=4, mlps=mlps, tied=True)


def _minimax_m2(fields: Fields) -> Shape:
    """MiniMax-M2: one norm over all query heads and one over all key heads; multi-token modules are left out."""
    fields.require("use_qk_norm", expected=True, default=True)
    fields.require("qk_norm_type", expected="per_layer", default="per_layer")
    fields.require("shared_intermediate_size", expected=0, default=0)
    fields.require("use_routing_bias", expected=True, default=True)
    fields.ignore("num_mtp_modules", "mtp_transformer_layers", "layernorm_full_attention_beta", "attn_type_list")
    mlps = _all_routed(256, router_bias=True)
    return decoder(fields, default_kv_heads=8, default_head_dim=128, windows=_never, mlps=mlps, qk_norm="all")


def _never(fields: Fields, layers: int) -> list[int | None]:
    fields.require("sliding_window", expected=None, default=None)
    return [None] * layers


def _solar_open(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, default_kv_heads=8, default_head_dim=128, mlps=_corrected(0), qkv_bias=bias)


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
        "qwen3_vl_moe_text": _qwen3_moe,
        "solar_open": _solar_open,
    }
)
"""model_type -> reader."""
