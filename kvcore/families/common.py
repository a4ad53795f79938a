"""Functions that the readers of several families share: KV heads, the window of each layer, MLPs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kvcore.errors import Invalid
from kvcore.fields import Fields
from kvcore.layers import MOST_LAYERS, LayerGroup
from kvcore.shape import Group, Mlp, MtpLayers, Shape

__all__ = [
    "MTP",
    "Reader",
    "after_the_first",
    "attention_groups",
    "checked_heads",
    "full_attention",
    "head_width",
    "layer_windows",
    "mtp_count",
    "plain_mlps",
    "routed_mlps",
    "usual_sizes",
    "with_mtp_layers",
]

Reader = Callable[[Fields], Shape]
"""What reads the configs of one model_type."""

MTP = "layers that predict further tokens: engines load them only to guess ahead, and they are left out here"
"""Why fields about multi-token prediction are ignored where the layers are not known."""

_MOST_MTP_LAYERS = 64

_FULL, _SLIDING = "full_attention", "sliding_attention"


def checked_heads(fields: Fields, key: str, kv_heads: int, query_heads: int) -> int:
    """Check that the KV heads (n_kv) divide the query heads, and return them."""
    if query_heads % kv_heads:
        raise Invalid(fields.name(key), kv_heads, f"a divisor of the {query_heads} query heads")
    return kv_heads


def head_width(fields: Fields, hidden_size: int, query_heads: int, hidden_key: str = "hidden_size") -> int:
    """Read the head width (d_h): `head_dim` if the config has it, else hidden size / query heads, which must be an integer."""
    if fields.has("head_dim"):
        return fields.integer("head_dim")
    if hidden_size % query_heads:
        expected = f"a multiple of the {query_heads} query heads, and there is no head_dim"
        raise Invalid(fields.name(hidden_key), hidden_size, expected)
    return fields.integer("head_dim", hidden_size // query_heads, null=hidden_size // query_heads)


def layer_windows(
    fields: Fields,
    layers: int,
    window: int | None,
    slides: Sequence[bool] | None = None,
    *,
    local: str = _SLIDING,
    window_key: str = "sliding_window",
) -> list[int | None]:
    """The sliding window of each layer, None for full attention.

    `layer_types` decides where the config has it; otherwise layers slide where `slides` says, all of them by default,
    if there is a `window` at all. `local` is the type of a layer with a window, `window_key` the field that has it.
    """
    types = fields.strings("layer_types", layers, (_FULL, local))
    if types is None:
        slides = list(slides or [True] * layers)
        if window is not None and not all(slides):
            fields.assume("layer_types", f"{local} in {sum(slides)} of {layers} layers")
        return [window if sliding else None for sliding in slides]
    if window is None and local in types:
        raise Invalid(fields.name(window_key), None, f"the window that the {local} layers of layer_types need")
    return [window if kind == local else None for kind in types]


def attention_groups(
    windows: Sequence[int | None], kv_heads: int, head_dim: int, *, local: str = "sliding"
) -> tuple[LayerGroup, ...]:
    """One group for each window size among the layers, in the order in which the sizes first appear; all have the same heads."""
    return tuple(
        LayerGroup(
            kind="full" if window is None else local,
            layers=windows.count(window),
            kv_heads=kv_heads,
            key_dim=head_dim,
            value_dim=head_dim,
            window=window,
        )
        for window in dict.fromkeys(windows)
    )


def usual_sizes(fields: Fields) -> tuple[int, int, int]:
    """Hidden size, query heads and layers, under the names that most families use."""
    return fields.integer("hidden_size"), fields.integer("num_attention_heads"), fields.layers("num_hidden_layers")


def full_attention(
    fields: Fields,
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int | None = None,
    *,
    hidden_key: str = "hidden_size",
) -> tuple[LayerGroup, ...]:
    """One group of full-attention layers, with as many KV heads as query heads unless `kv_heads` is given."""
    windows = layer_windows(fields, layers, None)
    return attention_groups(windows, kv_heads or heads, head_width(fields, hidden, heads, hidden_key))


def routed_mlps(routed: Sequence[bool], width: int, dense_width: int, **more: Any) -> tuple[Mlp, ...]:
    """Gated MLPs: experts in the layers where `routed` is true, dense elsewhere; `more` are further fields of the experts' Mlp."""
    parts = []
    if any(routed):
        parts.append(Mlp(layers=sum(routed), intermediate_size=width, gated=True, **more))
    if not all(routed):
        dense = len(routed) - sum(routed)
        parts.append(Mlp(layers=dense, intermediate_size=dense_width, gated=True))
    return tuple(parts)


def after_the_first(fields: Fields, layers: int, default: int) -> list[bool]:
    """Which layers have experts: those from `first_k_dense_replace` on, or the "sparse" ones of `mlp_layer_types`."""
    types = fields.strings("mlp_layer_types", layers, ("dense", "sparse"))
    fields.only("moe_layer_freq", 1, why="experts in every layer after the first ones")
    if types is not None:
        fields.ignore("first_k_dense_replace", why="mlp_layer_types says it layer by layer")
        return [kind == "sparse" for kind in types]
    first = fields.integer("first_k_dense_replace", default, low=0, high=MOST_LAYERS)
    return [layer >= first for layer in range(layers)]


def plain_mlps(layers: int, width: int, *, bias: bool = True) -> tuple[Mlp, ...]:
    """One MLP of two matrices (no gate) in every layer."""
    return (Mlp(layers=layers, intermediate_size=width, gated=False, bias=bias),)


def mtp_count(fields: Fields, key: str = "num_nextn_predict_layers", default: int = 0) -> int:
    """Read the number of MTP layers that are published beside the model; a default is no assumption about the model itself."""
    return fields.integer(key, low=0, high=_MOST_MTP_LAYERS) if fields.has(key) else default


def with_mtp_layers(shape: Shape, count: int, group: Group | None = None, *, projections: int | None = None) -> Shape:
    """Publish `count` MTP layers beside a model: like its last layer, whose group is `group` if the model has several.

    projections: how many matrices make the layers' inputs; by default one for each.
    """
    if not count:
        return shape
    attention, mlp = group or shape.groups[-1], _last_mlp(shape)
    layers = MtpLayers(
        groups=(replace(attention, layers=count),), mlps=(replace(mlp, layers=count),), projections=projections or count
    )
    return replace(shape, mtp=layers)


def _last_mlp(shape: Shape) -> Mlp:
    """The MLP of the last layer: where some layers are dense and some have experts, one with experts."""
    return next((mlp for mlp in shape.mlps if mlp.experts), shape.mlps[-1])
