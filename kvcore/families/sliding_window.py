"""Readers for dense families in which sliding-window layers alternate with full-attention ones.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kvcore.families.common import Reader, layer_windows
from kvcore.families.decoder import decoder, dense, every
from kvcore.fields import Fields
from kvcore.shape import Shape

__all__ = ["SLIDING_WINDOW"]

_MORE_THAN_ALL = 2**20
"""As the step between full-attention layers: every layer has the window."""


def _cohere2(fields: Fields) -> Shape:
    """Command R7B and A: three sliding-window layers, then a full one; attention and MLP in parallel after one norm; tied."""
    bias = fields.flag("attention_bias", default=False)
    fields.require("use_qk_norm", expected=False, default=False)
    fields.require("use_parallel_block", expected=True, default=True)
    fields.require("use_gated_activation", expected=True, default=True)
    fields.require("use_embedding_sharing", expected=True, default=True)
    fields.require("use_parallel_embedding", expected=False, default=False)
    fields.ignore("layer_switch", "order_of_interleaved_layers", "position_embedding_type", "rotary_pct")
    return decoder(
        fields, windows=every(4, 4096, "sliding_window_pattern"), qkv_bias=bias, output_bias=bias, norms_per_layer=1, tied=True
    )  # fmt: skip


def _olmo3(fields: Fields) -> Shape:
    """OLMo 3: three sliding-window layers, then a full one; norms after attention and MLP, and over all Q and all K."""
    bias = fields.flag("attention_bias", default=False)
    return decoder(fields, windows=every(4, 4096), qkv_bias=bias, output_bias=bias, qk_norm="all")


def _exaone4(fields: Fields) -> Shape:
    """EXAONE 4: three sliding-window layers, then a full one, or as `sliding_window_pattern` says; null means no window."""
    pattern = fields.value("sliding_window_pattern")

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", 4096)
        if isinstance(pattern, str):
            word = fields.letters("sliding_window_pattern", "LG")
            slides = [word[layer % len(word)] == "L" for layer in range(layers)]
        else:
            period = fields.integer("sliding_window_pattern", 4, null=0)
            slides = [bool(period) and (layer + 1) % period != 0 for layer in range(layers)]
        slides[-1] = False
        return layer_windows(fields, layers, window, slides)

    return decoder(fields, windows=windows, qk_norm="head")


def _ministral(fields: Fields) -> Shape:
    """Ministral: windows as `layer_types` says; without it, all layers have the window."""
    return decoder(fields, default_kv_heads=8, windows=every(_MORE_THAN_ALL, 4096))


def _cwm(fields: Fields) -> Shape:
    """CWM: a full-attention layer, then three with a window."""

    def windows(fields: Fields, layers: int) -> Sequence[int | None]:
        window = fields.tokens("sliding_window", 8192)
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
