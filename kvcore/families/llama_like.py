"""Readers for dense families like Llama: gated MLPs, RMS norms, full attention or one window for all layers.

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
    """All layers have the window: 4,096 if the config leaves the field out (v0.1), none if it is null (v0.3)."""
    return decoder(
        fields,
        default_kv_heads=8,
        windows=lambda fields, layers: layer_windows(fields, layers, fields.tokens("sliding_window", 4096)),
    )


def _ministral3(fields: Fields) -> Shape:
    return decoder(fields, default_kv_heads=8, default_head_dim=128, windows=always)


def _qwen2(fields: Fields) -> Shape:
    """Qwen2 has biases on Q, K and V, whatever the config says, and none on the output projection."""
    return decoder(fields, default_kv_heads=32, windows=from_qwen, qkv_bias=True)


def _mimo(fields: Fields) -> Shape:
    """MiMo-7B is a Qwen2 with multi-token prediction layers, which are left out here."""
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
    """Phi-3 fuses Q, K and V into one matrix, and gate and up into another: the parameters are the same."""
    return decoder(fields, windows=always)


def _olmo(fields: Fields) -> Shape:
    """OLMo's norms have no parameters."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, norms_per_layer=0, model_norms=0)


def _olmo2(fields: Fields) -> Shape:
    """OLMo 2 has its norms after attention and MLP, and one over all query heads and one over all key heads."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm="all")


def _cohere(fields: Fields) -> Shape:
    """Attention and MLP run in parallel after one norm; embeddings are tied. `use_qk_norm` adds a norm over all Q and all K."""
    bias = fields.flag("attention_bias", default=False)
    norm = "all" if fields.flag("use_qk_norm", default=False) else "none"
    return decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm=norm, norms_per_layer=1, tied=True)


def _smollm3(fields: Fields) -> Shape:
    """SmolLM3 leaves rotary positions out of some layers, which changes no shape."""
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
    """Biases on Q, K and V; GLM-4-0414 adds norms after attention and after the MLP."""
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
    """Hunyuan dense: a norm over each query and key head."""
    bias = fields.flag("attention_bias", default=False)
    fields.ignore("use_qk_norm")
    shape = decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm="head")
    fields.require("attention_head_dim", expected=shape.head_dim, default=shape.head_dim)
    return shape


def _nemotron(fields: Fields) -> Shape:
    """Nemotron-4, Minitron: MLPs of two matrices with squared ReLU, and LayerNorm."""
    bias = fields.flag("attention_bias", default=False)
    mlps = dense(bias=fields.flag("mlp_bias", default=False), gated=False)
    return decoder(fields, qkv_bias=bias, output_bias=bias, mlps=mlps, norm_bias=True)


def _stablelm(fields: Fields) -> Shape:
    """StableLM: LayerNorm; one a layer if attention and MLP run in parallel (`use_parallel_residual`), else two."""
    fields.require("qk_layernorm", expected=False, default=False)
    parallel = fields.flag("use_parallel_residual", default=False)
    bias = fields.flag("use_qkv_bias", default=False)
    return decoder(
        fields, default_kv_heads=32, windows=never, qkv_bias=bias, norms_per_layer=1 if parallel else 2, norm_bias=True
    )


def _arcee(fields: Fields) -> Shape:
    """Arcee: Llama with MLPs of two matrices and squared ReLU."""
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
