"""Readers for dense families in which sliding-window layers alternate with full-attention ones.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.families.common import Reader, layer_windows
from kvcore.families.decoder import decoder, dense, every
from kvcore.fields import Fields
from kvcore.shape import Shape

__all__ = ["SLIDING_WINDOW"]


def _cohere2(fields: Fields) -> Shape:
    """Command R7B and A: three sliding-window layers, then a full one; attention and MLP in parallel after one norm; tied."""
    bias = fields.flag("attention_bias", default=False)
    for key in ("use_parallel_block", "use_gated_activation", "use_embedding_sharing"):
        fields.only(key, True, why="transformers' code knows no other layer")
    for key in ("use_qk_norm", "use_parallel_embedding"):
        fields.only(key, False, why="transformers' code knows no other layer")
    fields.ignore(
        "layer_switch", why="the period again, which transformers reads from sliding_window_pattern or layer_types"
    )
    fields.only("order_of_interleaved_layers", "local_attn_first", why="sliding-window layers come first")
    fields.only("position_embedding_type", "rope_gptj", "rope", why="rotary positions have no parameters")
    return decoder(
        fields, windows=every(4, 4096, "sliding_window_pattern"), qkv_bias=bias, output_bias=bias, norms_per_layer=1, tied=True
    )  # fmt: skip


def _olmo3(fields: Fields) -> Shape:
    """OLMo 3: three sliding-window layers, then a full one; norms after attention and MLP, and over all Q and all K."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, windows=every(4, 4096), qkv_bias=bias, output_bias=bias, qk_norm="all")


def _exaone4(fields: Fields) -> Shape:
    """EXAONE 4: three sliding-window layers, then a full one, or as `sliding_window_pattern` says; null means no window.

    The last layer slides or not as the pattern has it: Exaone4Config's docstring says that it never slides, its code does not.
    """
    pattern = fields.value("sliding_window_pattern")

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", 4096)
        if fields.has("layer_types"):
            return layer_windows(fields, layers, window)
        if isinstance(pattern, str):
            word = fields.letters("sliding_window_pattern", "LG")
            slides = [word[layer % len(word)] == "L" for layer in range(layers)]
        else:
            period = fields.integer("sliding_window_pattern", 4, null=0)
            slides = [bool(period) and (layer + 1) % period != 0 for layer in range(layers)]
        return layer_windows(fields, layers, window, slides)

    return decoder(fields, default_kv_heads=32, windows=windows, qk_norm="head")


def _ministral(fields: Fields) -> Shape:
    """Ministral: windows as `layer_types` says; without it, all layers have the window."""

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", 4096)
        if window is None and not fields.has("layer_types"):
            raise Invalid(
                fields.name("sliding_window"), None, "a number of tokens, and no layer_types say that none slides"
            )
        return layer_windows(fields, layers, window)

    return decoder(fields, default_kv_heads=8, windows=windows)


def _cwm(fields: Fields) -> Shape:
    """CWM: a full-attention layer, then three with a window."""

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.integer("sliding_window", 8192)
        return layer_windows(fields, layers, window, [layer % 4 != 0 for layer in range(layers)])

    mlps = dense(bias=fields.flag("mlp_bias", default=False))
    return decoder(fields, default_kv_heads=8, default_head_dim=128, windows=windows, mlps=mlps)


SLIDING_WINDOW: Mapping[str, Reader] = MappingProxyType(
    {
        "cohere2": _cohere2,
        "cwm": _cwm,
        "exaone4": _exaone4,
        "ministral": _ministral,
        "olmo3": _olmo3,
    }
)
"""model_type -> reader."""
