"""Configs with a text_config: each text model that kvcore allows inside, and each way to say that embeddings are tied."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from site_hooks.oracle.small import small
from site_hooks.oracle.variants import LEFT_OUT, Change

__all__ = ["changes", "inside"]

_ENCODERS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {"aya_vision": {"vision_config": {"model_type": "siglip_vision_model", "num_attention_heads": 16}}}
)
"""What a config needs because transformers' defaults for its encoder contradict each other: 14 heads of a width of 1152."""

_TIES = (LEFT_OUT, True, False)


def inside(model_type: str, text_type: str) -> dict[str, Any]:
    """A config of this model_type around a small text model."""
    return {"model_type": model_type, "text_config": small(text_type), **_ENCODERS.get(model_type, {})}


def changes() -> Iterator[Change]:
    """Tied or not, said outside, inside, in both, in neither; and a text model that does not say its model_type."""
    yield {}
    for outer in _TIES:
        for inner in _TIES:
            if (outer, inner) != (LEFT_OUT, LEFT_OUT):
                yield {"tie_word_embeddings": outer, "text_config.tie_word_embeddings": inner}
    yield {"text_config.model_type": LEFT_OUT}
