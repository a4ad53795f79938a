"""Readers for dense families that descend from Llama: gated MLPs, RMS norms, attention to everything.

Each reads the fields its own code reads and takes that code's defaults. Sources: huggingface/transformers,
src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults, modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.families.common import Reader, layer_windows
from kvcore.families.decoder import always, decoder, dense, from_qwen, never
from kvcore.fields import Fields
from kvcore.shape import Shape

__all__ = ["LLAMA_LIKE"]


def _llama(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    mlp_bias = fields.flag("mlp_bias", default=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, mlps=dense(bias=mlp_bias))


def _mistral(fields: Fields) -> Shape:
    """All layers slide where there is a window; a config without the field means 4,096 (v0.1), null means none (v0.3)."""
    return decoder(
        fields,
        default_kv_heads=8,
        windows=lambda fields, layers: layer_windows(fields, layers, fields.tokens("sliding_window", 4096)),
    )


def _ministral3(fields: Fields) -> Shape:
    return decoder(fields, default_kv_heads=8, default_head_dim=128, windows=always)


def _qwen2(fields: Fields) -> Shape:
    """Biases on Q, K and V by design, none on the output."""
    return decoder(fields, default_kv_heads=32, windows=from_qwen, qkv_bias=True)


def _mimo(fields: Fields) -> Shape:
    """MiMo-7B: a Qwen2 whose multi-token prediction layers are left out here."""
    fields.require("attention_bias", expected=True, default=True)
    fields.ignore("num_nextn_predict_layers")
    return _qwen2(fields)


def _qwen3(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=32,
        default_head_dim=128,
        windows=from_qwen,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
    )


def _phi3(fields: Fields) -> Shape:
    """Q, K and V in one matrix, gate and up in another: the same count."""
    return decoder(fields, windows=always)


def _olmo(fields: Fields) -> Shape:
    """Norms that have no parameters."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, norms_per_layer=0, model_norms=0)


def _olmo2(fields: Fields) -> Shape:
    """Norms after each half of a layer instead of before, and over all queries and all keys."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm="all")


def _cohere(fields: Fields) -> Shape:
    """One norm a layer, its halves in parallel; tied. Each head has a norm of its own with `use_qk_norm`."""
    bias = fields.flag("attention_bias", default=False)
    norm = "all" if fields.flag("use_qk_norm", default=False) else "none"
    return decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm=norm, norms_per_layer=1, tied=True)


def _smollm3(fields: Fields) -> Shape:
    """Some layers leave out rotary positions, which changes no shape."""
    bias = fields.flag("attention_bias", default=False)
    fields.ignore("no_rope_layers", "no_rope_layer_interval")
    mlps = dense(bias=fields.flag("mlp_bias", default=False))
    return decoder(fields, default_kv_heads=4, windows=from_qwen, qkv_bias=bias, output_bias=bias, mlps=mlps, tied=True)


def _ernie(fields: Fields) -> Shape:
    bias = fields.flag("use_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=2,
        default_head_dim=128,
        qkv_bias=bias,
        output_bias=bias,
        mlps=dense(bias=bias),
        tied=True,
    )


def _glm(fields: Fields) -> Shape:
    """Biases on Q, K and V; GLM-4-0414 has two norms more, after each half of a layer."""
    four = fields.value("model_type") == "glm4"
    return decoder(
        fields,
        default_kv_heads=2,
        default_head_dim=128,
        qkv_bias=fields.flag("attention_bias", default=True),
        norms_per_layer=4 if four else 2,
    )


def _seed_oss(fields: Fields) -> Shape:
    return decoder(
        fields,
        default_kv_heads=8,
        default_head_dim=128,
        qkv_bias=fields.flag("attention_bias", default=True),
        output_bias=fields.flag("attention_out_bias", default=False),
        mlps=dense(bias=fields.flag("mlp_bias", default=False)),
    )


def _hunyuan(fields: Fields) -> Shape:
    """Hunyuan dense: norms of query and key heads."""
    bias = fields.flag("attention_bias", default=False)
    fields.ignore("use_qk_norm", "attention_head_dim")
    return decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm="head")


def _nemotron(fields: Fields) -> Shape:
    """Nemotron-4, Minitron: squared ReLU in plain MLPs, LayerNorms."""
    bias = fields.flag("attention_bias", default=False)
    mlps = dense(bias=fields.flag("mlp_bias", default=False), gated=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, mlps=mlps, norm_bias=True)


def _stablelm(fields: Fields) -> Shape:
    """LayerNorms; one a layer where its halves run in parallel."""
    fields.require("qk_layernorm", expected=False, default=False)
    parallel = fields.flag("use_parallel_residual", default=False)
    bias = fields.flag("use_qkv_bias", default=False)
    return decoder(
        fields, default_kv_heads=32, windows=never, qkv_bias=bias, norms_per_layer=1 if parallel else 2, norm_bias=True
    )


def _arcee(fields: Fields) -> Shape:
    """A Llama with squared ReLU in plain MLPs."""
    bias = fields.flag("attention_bias", default=False)
    mlps = dense(bias=fields.flag("mlp_bias", default=False), gated=False)
    return decoder(fields, default_kv_heads=32, qkv_bias=bias, output_bias=bias, mlps=mlps)


LLAMA_LIKE: Mapping[str, Reader] = MappingProxyType(
    {
        "arcee": _arcee,
        "cohere": _cohere,
        "ernie4_5": _ernie,
        "glm": _glm,
        "glm4": _glm,
        "granite": _llama,
        "hunyuan_v1_dense": _hunyuan,
        "llama": _llama,
        "mimo": _mimo,
        "ministral3": _ministral3,
        "mistral": _mistral,
        "nemotron": _nemotron,
        "olmo": _olmo,
        "olmo2": _olmo2,
        "phi3": _phi3,
        "qwen2": _qwen2,
        "qwen2_5_vl_text": _qwen2,
        "qwen2_vl_text": _qwen2,
        "qwen3": _qwen3,
        "qwen3_vl_text": _qwen3,
        "seed_oss": _seed_oss,
        "smollm3": _smollm3,
        "stablelm": _stablelm,
    }
)
"""model_type -> reader."""
