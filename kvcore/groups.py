"""The kinds of layer groups, and what is common to a tuple of them: their cache, and how it grows."""

from collections.abc import Iterable

from kvcore.dtypes import Dtype
from kvcore.errors import check_int
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_TOKENS, LayerGroup
from kvcore.recurrent import RecurrentGroup

__all__ = ["Group", "asymptotic_bytes", "attention_name", "cache_bytes"]

type Group = LayerGroup | LatentGroup | RecurrentGroup
"""Layers that cache alike. Each kind says its `layers`, its `max_cached_tokens`, the tokens it holds
(`cached_tokens`), their bytes (`bytes_per_token`), its `state_bytes`, and what one of several GPUs has of it (`shard`)."""


def cache_bytes(groups: Iterable[Group], context: int, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
    """Bytes of one sequence's cache at `context` tokens: the sum over groups of cached tokens * bytes a token.

    Raises:
        OutOfRange: for a context that is none.
    """
    check_int("context", context, 0, MOST_TOKENS)
    values = value_dtype or key_dtype
    return sum(group.cached_tokens(context) * group.bytes_per_token(key_dtype, values) for group in groups)


def asymptotic_bytes(groups: Iterable[Group], key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
    """Bytes that one more token adds once every window is full: those of the groups that never stop growing."""
    values = value_dtype or key_dtype
    return sum(group.bytes_per_token(key_dtype, values) for group in groups if group.max_cached_tokens is None)


def attention_name(groups: Iterable[Group], query_heads: int) -> str:
    """How the layers attend: "mha", "mqa", "gqa", "mla", "hybrid", "recurrent" or "mixed".

    A KV head for each query head, one for all, something between; one latent vector for all; some layers keep a state
    instead, or all do; layers differ otherwise.
    """
    attending = [group for group in groups if not isinstance(group, RecurrentGroup)]
    if any(group.state_bytes for group in groups):
        return "hybrid" if attending else "recurrent"
    names = {_name(group, query_heads) for group in attending}
    return names.pop() if len(names) == 1 else "mixed"


def _name(group: LayerGroup | LatentGroup, query_heads: int) -> str:
    if isinstance(group, LatentGroup):
        return "mla"
    if group.kv_heads == (group.query_heads or query_heads):
        return "mha"
    return "mqa" if group.kv_heads == 1 else "gqa"
