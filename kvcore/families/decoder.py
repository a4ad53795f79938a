"""Reads the decoder that most families share. Field names are the common ones; what differs in a family is an argument."""

from collections.abc import Callable, Sequence

from kvcore.errors import Invalid
from kvcore.families.common import attention_groups, checked_heads, head_width, layer_windows
from kvcore.fields import REQUIRED, Fields
from kvcore.shape import Mlp, Shape

__all__ = ["Mlps", "Windows", "always", "decoder", "dense", "every", "from_layer", "from_qwen", "if_used", "never"]

type Windows = Callable[[Fields, int], Sequence[int | None]]
"""Fields and the number of layers -> the window of each layer, None where it attends to everything."""

type Mlps = Callable[[Fields, int], tuple[Mlp, ...]]
"""Fields and the number of layers -> their MLPs."""


def never(fields: Fields, layers: int) -> Sequence[int | None]:
    """No layer has a window. If such a config sets `sliding_window`, `finish` refuses it, because nobody reads the field."""
    return layer_windows(fields, layers, None)


def always(fields: Fields, layers: int) -> Sequence[int | None]:
    """All layers have the config's `sliding_window`, if it sets one."""
    return layer_windows(fields, layers, fields.tokens("sliding_window"))


def every(step: int, default_window: int | None, key: str | None = None) -> Windows:
    """Sliding-window layers, with full attention in every `step`-th one; the config may override `step` under `key`.

    `layer_types` decides where the config has it, and the field `key` is then not read.
    """

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", default_window)
        if window is None and default_window is not None and not fields.has("layer_types"):
            raise Invalid(fields.name("sliding_window"), None, "a number: some layers of this family slide")
        period = step
        if key and fields.has("layer_types"):
            fields.ignore(key, why="layer_types says it layer by layer")
        elif key:
            period = fields.integer(key, step)
        return layer_windows(fields, layers, window, [(layer + 1) % period != 0 for layer in range(layers)])

    return windows


def if_used(windows: Windows) -> Windows:
    """The `windows` of a config that says `use_sliding_window`, which is false by default; no windows in the others."""

    def used(fields: Fields, layers: int) -> Sequence[int | None]:
        if fields.flag("use_sliding_window", default=False):
            return windows(fields, layers)
        fields.ignore("sliding_window", "max_window_layers", why="read only with use_sliding_window")
        return layer_windows(fields, layers, None)

    return used


def from_qwen(default_first: int) -> Windows:
    """Qwen's rule: with `use_sliding_window`, the layers from index `max_window_layers` on have the window; else none has.

    Qwen2Config and Qwen3Config (huggingface/transformers 5.24) take 28 as the default of `max_window_layers`, the text models
    of Qwen2-VL and Qwen2.5-VL take 80.
    """
    return if_used(from_layer("max_window_layers", default_first))


def from_layer(key: str, default: int) -> Windows:
    """The layers from index `key` on have the `sliding_window`, 4,096 by default; null means no window."""

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", 4096)
        first = fields.integer(key, default, low=0)
        return layer_windows(fields, layers, window, [layer >= first for layer in range(layers)])

    return windows


def dense(*, bias: bool = False, gated: bool = True, key: str = "intermediate_size") -> Mlps:
    """The same dense MLP in every layer."""

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        return (Mlp(layers=layers, intermediate_size=fields.integer(key), gated=gated, bias=bias),)

    return mlps


def decoder(
    fields: Fields,
    *,
    default_heads: int | None = None,
    default_kv_heads: int | None = None,
    default_head_dim: int | None = None,
    default_vocab: int | None = None,
    windows: Windows = never,
    mlps: Mlps | None = None,
    qkv_bias: bool = False,
    output_bias: bool = False,
    qk_norm: str = "none",
    norms_per_layer: int = 2,
    model_norms: int = 1,
    norm_bias: bool = False,
    lm_head_bias: bool = False,
    sinks: bool = False,
    tied: bool = False,
) -> Shape:
    """A decoder; RMS norms, gated MLPs and no biases unless told otherwise.

    A `default_` is what the family's code takes where the config is silent: without one the heads and the vocabulary
    must be there, there are as many KV heads as query heads, and head_dim is hidden_size / query heads.
    """
    hidden = fields.integer("hidden_size")
    heads = fields.integer("num_attention_heads", REQUIRED if default_heads is None else default_heads)
    layers = fields.layers("num_hidden_layers")
    kv_heads = fields.integer("num_key_value_heads", default_kv_heads or heads, null=heads)
    checked_heads(fields, "num_key_value_heads", kv_heads, heads)
    if default_head_dim is None:
        head_dim = head_width(fields, hidden, heads)
    else:
        head_dim = fields.integer("head_dim", default_head_dim)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=attention_groups(windows(fields, layers), kv_heads, head_dim),
        mlps=(mlps or dense())(fields, layers),
        vocab_size=fields.integer("vocab_size", REQUIRED if default_vocab is None else default_vocab),
        tied=fields.flag("tie_word_embeddings", tied),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=qkv_bias,
        output_bias=output_bias,
        qk_norm=qk_norm,
        norms_per_layer=norms_per_layer,
        model_norms=model_norms,
        norm_bias=norm_bias,
        lm_head_bias=lm_head_bias,
        sinks=sinks,
    )
