"""Configs with a text_config: each text model that kvcore allows inside, and each way to say that embeddings are tied."""

from collections.abc import Iterator
from typing import Any

from site_hooks.oracle.small import small
from site_hooks.oracle.variants import LEFT_OUT, Change

__all__ = ["changes", "inside"]

_TIES = (LEFT_OUT, True, False)


def inside(model_type: str, text_type: str) -> dict[str, Any]:
    """A config of this model_type around a small text model."""
    return {"model_type": model_type, "text_config": small(text_type)}


def changes() -> Iterator[Change]:
    """Tied or not, said outside, inside, in both, in neither; and a text model that does not say its model_type."""
    yield {}
    for outer in _TIES:
        for inner in _TIES:
            if (outer, inner) != (LEFT_OUT, LEFT_OUT):
                yield {"tie_word_embeddings": outer, "text_config.tie_word_embeddings": inner}
    yield {"text_config.model_type": LEFT_OUT}
