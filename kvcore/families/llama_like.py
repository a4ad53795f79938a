"""Readers for dense families like Llama: gated MLPs, RMS norms, full attention or one window for all layers.

Each reads the fields its own code reads and takes that code's defaults. Sources: huggingface/transformers,
src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults, modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kvcore.families.common import Reader, layer_windows, mtp_count, with_mtp_layers
from kvcore.families.decoder import Windows, always, decoder, dense, from_qwen, if_used, never
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
    fields.ignore(
        "dual_chunk_attention_config", why="how long contexts are computed in chunks; every token stays cached"
    )
    return decoder(fields, default_kv_heads=32, windows=from_qwen(28), qkv_bias=True)


def _qwen2_vl(fields: Fields) -> Shape:
    """The text model of Qwen2-VL and Qwen2.5-VL: Qwen2 with other defaults."""
    return decoder(fields, default_kv_heads=8, windows=from_qwen(80), qkv_bias=True)


def _mimo(fields: Fields) -> Shape:
    """MiMo-7B is a Qwen2 with MTP layers beside it."""
    fields.require("attention_bias", expected=True, default=True)
    return with_mtp_layers(_qwen2(fields), mtp_count(fields))


def _qwen3(fields: Fields, windows: Windows | None = None) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=32,
        default_head_dim=128,
        windows=windows or from_qwen(28),
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
    )


def _qwen3_vl(fields: Fields) -> Shape:
    """The text model of Qwen3-VL has no windows: its config class lacks Qwen3's three fields for them."""
    fields.only("use_sliding_window", False, why="Qwen3-VL has no windows")
    fields.ignore("max_window_layers", why="there are no windows")
    return _qwen3(fields, never)


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
    """SmolLM3 leaves rotary positions out of some layers; with `use_sliding_window` those have the window, and no others."""

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        rotary = fields.integers("no_rope_layers", layers, (0, 1))
        if rotary is None:
            step = fields.integer("no_rope_layer_interval", 4)
            rotary = [int((layer + 1) % step != 0) for layer in range(layers)]
        return layer_windows(fields, layers, fields.tokens("sliding_window"), [not flag for flag in rotary])

    fields.ignore("no_rope_layers", "no_rope_layer_interval", why="positions have no parameters; no layer has a window")
    fields.ignore("max_window_layers", why="SmolLM3Config has no such field")
    bias = fields.flag("attention_bias", default=False)
    mlps = dense(bias=fields.flag("mlp_bias", default=False))
    return decoder(
        fields, default_kv_heads=4, windows=if_used(windows), qkv_bias=bias, output_bias=bias, mlps=mlps, tied=True
    )


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
    """Hunyuan dense: a norm over each query and key head.

    Published files also hold the fields of Tencent's larger models. `use_cla` would let layers share one cache, and
    transformers' code has no such layers; `use_qk_norm` false is honoured by vLLM (hunyuan_v1.py) and not by transformers.
    """
    bias = fields.flag("attention_bias", default=False)
    fields.require("use_qk_norm", expected=True, default=True)
    for key in ("use_cla", "use_mla", "use_mixed_mlp_moe", "mlp_bias"):
        fields.only(key, False, why="HunYuanDenseV1 has plain attention and plain MLPs")
    for key in ("num_experts", "num_shared_expert"):
        fields.only(key, 1, why="a dense model has one MLP a layer")
    fields.ignore("cla_share_factor", why="read only with use_cla")
    fields.ignore("org_vocab_size", "num_media_embeds", why="vocab_size is the number of rows, these are parts of it")
    fields.ignore(
        "mask_init_id",
        "moe_random_routing_dropped_token",
        "moe_drop_tokens",
        "moe_layer_num_skipped",
        why="how experts drop tokens, and there is one expert",
    )
    shape = decoder(fields, qkv_bias=bias, output_bias=bias, qk_norm="head")
    fields.agree("attention_head_dim", shape.head_dim)
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
    return decoder(fields, qkv_bias=bias, output_bias=bias, mlps=mlps)


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
        "qwen2_5_vl_text": _qwen2_vl,
        "qwen2_vl_text": _qwen2_vl,
        "qwen3": _qwen3,
        "qwen3_vl_text": _qwen3_vl,
        "seed_oss": _seed_oss,
        "smollm3": _smollm3,
        "stablelm": _stablelm,
    }
)
"""model_type -> reader."""
