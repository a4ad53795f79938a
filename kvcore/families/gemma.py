"""Readers for the Gemma family: sliding-window layers alternate with full-attention ones; its smallest models share caches.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from kvcore.errors import Invalid, Unsupported
from kvcore.families.common import Reader, checked_heads, usual_sizes
from kvcore.families.decoder import decoder, every
from kvcore.fields import Fields
from kvcore.layers import LayerGroup
from kvcore.shape import Mlp, Shape
from kvcore.tensors import Tensor

__all__ = ["GEMMA"]


_BOTH_WAYS = "which tokens of a prompt see each other; as many are cached"


def _gemma(fields: Fields) -> Shape:
    fields.ignore("use_bidirectional_attention", why=_BOTH_WAYS)
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, default_kv_heads=16, default_head_dim=256, qkv_bias=bias, output_bias=bias, tied=True)


def _gemma2(fields: Fields) -> Shape:
    """Sliding-window and full-attention layers alternate, starting with sliding; norms before and after attention and MLP."""
    fields.ignore("use_bidirectional_attention", why=_BOTH_WAYS)
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_kv_heads=4,
        default_head_dim=256,
        windows=every(2, 4096),
        qkv_bias=bias,
        output_bias=bias,
        norms_per_layer=4,
        tied=True,
    )


def _gemma3(fields: Fields) -> Shape:
    """Five sliding-window layers, then one of full attention (`sliding_window_pattern`); a norm over each query and key head."""
    fields.only("use_bidirectional_attention", False, why="true would halve the window")
    fields.ignore(
        "_sliding_window_pattern", why="what transformers 4 wrote beside layer_types; neither is read from it"
    )
    bias = fields.flag("attention_bias", default=False)
    return decoder(
        fields,
        default_heads=8,
        default_kv_heads=4,
        default_head_dim=256,
        default_vocab=262_208,
        windows=every(6, 4096, "sliding_window_pattern"),
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
        norms_per_layer=4,
        tied=True,
    )


def _sharing(fields: Fields, layers: int, windows: list[int | None], default: int) -> list[bool]:
    """Which layers read another layer's cache: the last `num_kv_shared_layers`. An earlier layer of the same window must exist."""
    shared = fields.integer("num_kv_shared_layers", default, null=0, low=0, high=layers)
    own = windows[: layers - shared]
    if shared and set(windows) != set(own):
        raise Invalid(
            fields.name("num_kv_shared_layers"),
            shared,
            "small enough that one layer of each window keeps a cache of its own",
        )
    return [layer >= layers - shared for layer in range(layers)]


def _gemma3n(fields: Fields) -> Shape:
    """Gemma 3n: shared caches, per-layer embeddings, LAuReL and AltUp matrices (Gemma 3n's modeling code)."""
    shape = _gemma3n_layers(fields)
    hidden, layers = shape.hidden_size, shape.layers
    per_layer = fields.integer("hidden_size_per_layer_input", 256)
    rows = fields.integer("vocab_size_per_layer_input", 262_144)
    inputs = fields.integer("altup_num_inputs", 4, high=64)
    laurel = fields.integer("laurel_rank", 64)
    fields.ignore(
        "altup_active_idx", "altup_correct_scale", why="which of AltUp's inputs is used; its matrices are all there"
    )
    fields.ignore("activation_sparsity_pattern", why="how many activations are set to zero; the MLPs keep their widths")
    tensors: tuple[Tensor, ...] = (
        Tensor("laurel.linear_left", (laurel, hidden), "mlp", layers),
        Tensor("laurel.linear_right", (hidden, laurel), "mlp", layers),
        Tensor("laurel.post_laurel_norm", (hidden,), "norm", layers),
        Tensor("altup.prediction_coefs", (inputs**2, inputs), "mlp", layers),
        Tensor("altup.correction_coefs", (inputs, inputs), "mlp", layers),
        Tensor("altup.modality_router", (inputs, hidden), "mlp", layers),
        Tensor("altup.router_norm", (hidden,), "norm", layers),
        Tensor("altup.correct_output_scale", (hidden,), "mlp", layers),
    )
    if inputs > 1:
        tensors += (
            Tensor("altup_projections", (hidden, hidden), "mlp", inputs - 1),
            Tensor("altup_unembed_projections", (hidden, hidden), "mlp", inputs - 1),
        )
    return replace(shape, other_tensors=tensors + _per_layer_embedding(hidden, layers, per_layer, rows))


def _per_layer_embedding(hidden: int, layers: int, width: int, rows: int) -> tuple[Tensor, ...]:
    """The embedding that each layer reads anew, `width` values of it, in the models for small devices."""
    return (
        Tensor("embed_tokens_per_layer", (rows, layers * width), "embedding"),
        Tensor("per_layer_model_projection", (layers * width, hidden), "embedding"),
        Tensor("per_layer_projection_norm", (width,), "norm"),
        Tensor("per_layer_input_gate", (width, hidden), "mlp", layers),
        Tensor("per_layer_projection", (hidden, width), "mlp", layers),
        Tensor("post_per_layer_input_norm", (hidden,), "norm", layers),
    )


def _gemma3n_layers(fields: Fields) -> Shape:
    bias = fields.flag("attention_bias", default=False)
    windows: list[int | None] = []

    def remembered(fields: Fields, layers: int) -> list[int | None]:
        windows.extend(every(5, 512)(fields, layers))
        return windows

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        widths = fields.integers_per_layer("intermediate_size", layers)
        return tuple(
            Mlp(layers=widths.count(width), intermediate_size=width, gated=True) for width in dict.fromkeys(widths)
        )

    shape = decoder(
        fields,
        default_kv_heads=2,
        default_head_dim=256,
        windows=remembered,
        mlps=mlps,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head",
        norms_per_layer=4,
        tied=True,
    )
    shared = _sharing(fields, shape.layers, windows, 15)
    return replace(shape, groups=_with_shared(shape, windows, shared))


def _with_shared(shape: Shape, windows: list[int | None], shared: list[bool]) -> tuple[LayerGroup, ...]:
    """The groups of layers that have a cache of their own, then those that read another layer's."""
    groups = {group.max_cached_tokens: group for group in shape.groups if isinstance(group, LayerGroup)}
    own = [window for window, other in zip(windows, shared, strict=True) if not other]
    kept = [replace(groups[window], layers=own.count(window)) for window in dict.fromkeys(own)]
    taken: dict[LayerGroup, int] = {}
    for window, other in zip(windows, shared, strict=True):
        if other:
            group = replace(groups[window], kind="shared", window=None, layers=1)
            taken[group] = taken.get(group, 0) + 1
    return (*kept, *(replace(group, layers=count) for group, count in taken.items()))


def _gemma4(fields: Fields) -> Shape:
    """Gemma 4: full-attention layers have their own head count and width, and V may be computed by K's projection.

    K is rotated and V is not, so both are cached even then. The largest models have no per-layer
    embeddings, the MoE one has a dense MLP beside its experts and three norms more a layer.
    """
    fields.require("attention_bias", expected=False, default=False)
    fields.only("use_bidirectional_attention", "vision", why="tokens of an image see each other; as many are cached")
    hidden, heads, layers = usual_sizes(fields)
    windows = list(every(6, 512)(fields, layers))
    if windows[-1] is not None:
        raise Unsupported(fields.name("layer_types"), "sliding_attention", "full_attention in the last layer")
    shared = _sharing(fields, layers, windows, 0)
    k_is_v = fields.flag("attention_k_eq_v", default=False)
    made: dict[tuple[int | None, bool, int, int], LayerGroup] = {}
    for window, other, (kv_heads, dim) in zip(
        windows, shared, _gemma4_heads(fields, heads, windows, k_is_v), strict=True
    ):
        known = made.get((window, other, kv_heads, dim))
        made[window, other, kv_heads, dim] = LayerGroup(
            kind="shared" if other else "full" if window is None else "sliding",
            layers=known.layers + 1 if known else 1,
            kv_heads=kv_heads,
            key_dim=dim,
            value_dim=dim,
            window=None if other else window,
            values_from_keys=k_is_v and window is None and not other,
        )
    moe = fields.flag("enable_moe_block", default=False)
    mlps, router = _gemma4_mlps(fields, hidden, shared, moe=moe)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=tuple(made.values()),
        mlps=mlps,
        vocab_size=fields.integer("vocab_size", 262_144),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_position_embeddings", 131_072),
        qk_norm="head",
        norms_per_layer=7 if moe else 4,
        other_tensors=router + _per_layer_inputs(fields, hidden, layers),
    )


def _gemma4_heads(fields: Fields, heads: int, windows: list[int | None], k_is_v: bool) -> list[tuple[int, int]]:
    """KV heads and head width of each layer.

    Full-attention layers have `global_head_dim`, and `num_global_key_value_heads` if `attention_k_eq_v`; or, in files that
    transformers 5.24 saves, what `per_layer_config` says under the layer's index ("05") in place of both.
    """
    local = (fields.integer("num_key_value_heads", 4), fields.integer("head_dim", 256))
    checked_heads(fields, "num_key_value_heads", local[0], heads)
    if not fields.has("per_layer_config"):
        wide_heads = fields.integer("num_global_key_value_heads", local[0], null=local[0])
        wide = (wide_heads if k_is_v else local[0], fields.integer("global_head_dim", 512))
        checked_heads(fields, "num_global_key_value_heads", wide[0], heads)
        return [wide if window is None else local for window in windows]
    fields.ignore("num_global_key_value_heads", "global_head_dim", why="per_layer_config takes their place")
    given = fields.inside("per_layer_config")
    keys = {int(key): key for key, _ in given.items() if key.isascii() and key.isdecimal() and len(key) < len("10000")}
    found = []
    for layer in range(len(windows)):
        kv_heads, dim = local
        if layer in keys:
            inner = given.inside(keys[layer])
            kv_heads = inner.integer("num_key_value_heads") if inner.has("num_key_value_heads") else kv_heads
            dim = inner.integer("head_dim") if inner.has("head_dim") else dim
            checked_heads(inner, "num_key_value_heads", kv_heads, heads)
            inner.refuse_others()
        found.append((kv_heads, dim))
    given.refuse_others()
    if len({size for size, window in zip(found, windows, strict=True) if window is None}) > 1:
        raise Unsupported(
            fields.name("per_layer_config"),
            dict(given.items()),
            "one size for all full-attention layers, as Gemma 4's code has it",
        )
    return found


def _gemma4_mlps(
    fields: Fields, hidden: int, shared: list[bool], *, moe: bool
) -> tuple[tuple[Mlp, ...], tuple[Tensor, ...]]:
    """The MLPs, and what a router has beside its matrix: a scale for its input and one for each expert."""
    layers, width = len(shared), fields.integer("intermediate_size")
    doubled = sum(shared) if fields.flag("use_double_wide_mlp", default=False) else 0
    fields.ignore("top_k_experts", why="how many experts a token is sent to")
    if not moe:
        fields.ignore(
            "num_experts", "moe_intermediate_size", "expert_intermediate_size", why="read only with enable_moe_block"
        )
        parts = ((layers - doubled, width), (doubled, 2 * width))
        return tuple(Mlp(layers=count, intermediate_size=size, gated=True) for count, size in parts if count), ()
    if doubled:
        raise Unsupported(fields.name("use_double_wide_mlp"), True, "false beside enable_moe_block")
    experts, expert_width = fields.integer("num_experts"), fields.integer("moe_intermediate_size")
    fields.agree("expert_intermediate_size", expert_width)
    routed = Mlp(
        layers=layers, intermediate_size=expert_width, gated=True, experts=experts,
        shared_size=width,
    )  # fmt: skip
    return (routed,), (
        Tensor("router.scale", (hidden,), "router", layers),
        Tensor("router.per_expert_scale", (experts,), "router", layers),
    )


def _per_layer_inputs(fields: Fields, hidden: int, layers: int) -> tuple[Tensor, ...]:
    """The per-layer embedding of Gemma 4, in the models that have one."""
    width = fields.integer("hidden_size_per_layer_input", 256, null=0, low=0)
    if not width:
        fields.ignore("vocab_size_per_layer_input", why="there is no per-layer embedding")
        return ()
    return _per_layer_embedding(hidden, layers, width, fields.integer("vocab_size_per_layer_input", 262_144))


GEMMA: Mapping[str, Reader] = MappingProxyType(
    {
        "gemma": _gemma,
        "gemma2": _gemma2,
        "gemma3_text": _gemma3,
        "gemma3n_text": _gemma3n,
        "gemma4_text": _gemma4,
    }
)
"""model_type -> reader."""
