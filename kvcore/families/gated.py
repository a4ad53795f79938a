"""Readers for the families of gated, RMS-normed decoders that descend from Llama.

Each reads the fields its own code reads and takes that code's defaults. Sources: huggingface/transformers,
src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults, modeling_FAMILY.py for the matrices.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from kvcore.families.parts import Reader, attention_groups, checked_heads, head_width, layer_windows
from kvcore.fields import Fields
from kvcore.shape import Mlp, Shape

__all__ = ["GATED"]


def _gated(
    fields: Fields,
    *,
    default_kv_heads: int | None = None,
    default_head_dim: int | None = None,
    windows: Callable[[Fields, int], Sequence[int | None]] = lambda fields, layers: layer_windows(fields, layers, None),
    mlps: Callable[[Fields, int], tuple[Mlp, ...]] | None = None,
    qkv_bias: bool = False,
    output_bias: bool = False,
    mlp_bias: bool = False,
    qk_norm: str = "none",
    norms_per_layer: int = 2,
    tied: bool = False,
) -> Shape:
    """A decoder of gated MLPs, from the field names that all these families use.

    `default_kv_heads` None means as many as query heads; `default_head_dim` None means hidden_size / query heads.
    """
    hidden = fields.count("hidden_size")
    heads = fields.count("num_attention_heads")
    layers = fields.layers("num_hidden_layers")
    kv_heads = fields.count("num_key_value_heads", default_kv_heads or heads, null=heads)
    checked_heads(fields, "num_key_value_heads", kv_heads, heads)
    if default_head_dim is None:
        head_dim = head_width(fields, hidden, heads)
    else:
        head_dim = fields.count("head_dim", default_head_dim)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=attention_groups(windows(fields, layers), kv_heads, head_dim),
        mlps=mlps(fields, layers) if mlps else _dense(fields, layers, bias=mlp_bias),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", tied),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=qkv_bias,
        output_bias=output_bias,
        qk_norm=qk_norm,
        norms_per_layer=norms_per_layer,
    )


def _dense(fields: Fields, layers: int, *, bias: bool = False) -> tuple[Mlp, ...]:
    return (Mlp(layers=layers, intermediate_size=fields.count("intermediate_size"), gated=True, bias=bias),)


def _llama(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return _gated(fields, qkv_bias=bias, output_bias=bias, mlp_bias=fields.flag("mlp_bias", default=False))


def _mistral(fields: Fields) -> Shape:
    """All layers slide where there is a window; a config without the field means 4,096 (v0.1), null means none (v0.3)."""
    return _gated(
        fields,
        default_kv_heads=8,
        windows=lambda fields, layers: layer_windows(fields, layers, fields.tokens("sliding_window", 4096)),
    )


def _mixtral(fields: Fields) -> Shape:
    def experts(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        width, count = fields.count("intermediate_size"), fields.count("num_local_experts", 8)
        return (Mlp(layers=layers, intermediate_size=width, gated=True, experts=count),)

    return _gated(fields, default_kv_heads=8, windows=_always, mlps=experts)


def _always(fields: Fields, layers: int) -> Sequence[int | None]:
    return layer_windows(fields, layers, fields.tokens("sliding_window"))


def _qwen_windows(fields: Fields, layers: int) -> Sequence[int | None]:
    """Layers from `max_window_layers` on slide, and only if `use_sliding_window` says so."""
    if not fields.flag("use_sliding_window", default=False):
        fields.raw("sliding_window")
        fields.raw("max_window_layers")
        return layer_windows(fields, layers, None)
    window = fields.tokens("sliding_window", 4096)
    first = fields.count("max_window_layers", 28, low=0)
    return layer_windows(fields, layers, window, [layer >= first for layer in range(layers)])


def _qwen2(fields: Fields) -> Shape:
    """Biases on Q, K and V by design, none on the output."""
    return _gated(fields, default_kv_heads=32, windows=_qwen_windows, qkv_bias=True)


def _qwen3(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return _gated(
        fields,
        default_kv_heads=32,
        default_head_dim=128,
        windows=_qwen_windows,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
    )


def _qwen3_moe(fields: Fields) -> Shape:
    """Dense where `mlp_only_layers` or `decoder_sparse_step` says so, routed elsewhere."""

    def experts(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        dense = fields.indices("mlp_only_layers", layers)
        step = fields.count("decoder_sparse_step", 1)
        count = fields.count("num_experts", 128)
        routed = sum((layer + 1) % step == 0 and layer not in dense for layer in range(layers))
        width, plain = fields.count("moe_intermediate_size", 768), fields.count("intermediate_size", 6144)
        parts = []
        if routed:
            parts.append(Mlp(layers=routed, intermediate_size=width, gated=True, experts=count))
        if layers - routed:
            parts.append(Mlp(layers=layers - routed, intermediate_size=plain, gated=True))
        return tuple(parts)

    bias = fields.flag("attention_bias", default=False)
    return _gated(
        fields,
        default_kv_heads=4,
        windows=_qwen_windows,
        mlps=experts,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
    )


def _gemma(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    return _gated(fields, default_kv_heads=16, default_head_dim=256, qkv_bias=bias, output_bias=bias, tied=True)


def _gemma2(fields: Fields) -> Shape:
    """Layers slide and see everything in turn, the first slides; a norm before and after both halves of a layer."""

    def alternating(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", 4096)
        return layer_windows(fields, layers, window, [layer % 2 == 0 for layer in range(layers)])

    bias = fields.flag("attention_bias", default=False)
    return _gated(
        fields,
        default_kv_heads=4,
        default_head_dim=256,
        windows=alternating,
        qkv_bias=bias,
        output_bias=bias,
        norms_per_layer=4,
        tied=True,
    )


def _phi3(fields: Fields) -> Shape:
    """Q, K and V in one matrix, gate and up in another: the same count."""
    return _gated(fields, windows=_always)


def _olmo2(fields: Fields) -> Shape:
    """Norms after each half of a layer instead of before, and over all queries and all keys."""
    bias = fields.flag("attention_bias", default=False)
    return _gated(fields, qkv_bias=bias, output_bias=bias, qk_norm="all")


def _cohere(fields: Fields) -> Shape:
    """One norm a layer, its halves in parallel; tied."""
    bias = fields.flag("attention_bias", default=False)
    norm = "all" if fields.flag("use_qk_norm", default=False) else "none"
    return _gated(fields, qkv_bias=bias, output_bias=bias, qk_norm=norm, norms_per_layer=1, tied=True)


GATED: Mapping[str, Reader] = MappingProxyType(
    {
        "cohere": _cohere,
        "gemma": _gemma,
        "gemma2": _gemma2,
        "granite": _llama,
        "llama": _llama,
        "mistral": _mistral,
        "mixtral": _mixtral,
        "olmo2": _olmo2,
        "phi3": _phi3,
        "qwen2": _qwen2,
        "qwen3": _qwen3,
        "qwen3_moe": _qwen3_moe,
    }
)
"""model_type -> reader."""
