"""The four kinds of layer groups, and the sum over groups that is a model's cache."""

from collections.abc import Callable, Iterable, Sequence

from kvcore.dtypes import Dtype
from kvcore.errors import Unsupported, check_int
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_TOKENS, LayerGroup, NoCacheGroup
from kvcore.recurrent import RecurrentGroup

__all__ = [
    "Group",
    "asymptotic_bytes",
    "attention_name",
    "bytes_per_token",
    "cache_bytes",
    "cache_curve",
    "check_cache_dtype",
    "state_bytes",
]

type Group = LayerGroup | LatentGroup | RecurrentGroup | NoCacheGroup
"""Layers that cache alike. Every kind has `layers`, `max_cached_tokens`, `cached_tokens(context)`, `bytes_per_token`, `state_bytes`
and `tensors`, and `shard(tp)`: the group as one of tp GPUs has it."""


def cache_curve(
    groups: Iterable[Group],
    contexts: Sequence[int],
    key_dtype: Dtype,
    value_dtype: Dtype | None = None,
    stored: Callable[[int], int] | None = None,
) -> list[int]:
    """Bytes of one sequence's cache at each of these contexts: the one sum that every cache number is made of.

    Each group adds the tokens that its layers keep times the bytes that one such token takes in all of them:

        bytes(context) = sum over groups of min(context, cap) * bytes_per_token

    For one group of full attention that is 2 * L * n_kv * d_h * p * context. `stored` turns the tokens a layer keeps into
    the tokens that an engine allocates for them (whole blocks, or one GPU's share); without it they are the same.

    It takes all contexts at once because charts ask for dozens of them many times a second.

    >>> from kvcore.dtypes import cache_dtype
    >>> from kvcore.layers import LayerGroup
    >>> llama = LayerGroup(layers=80, kv_heads=8, key_dim=128, value_dim=128)
    >>> cache_curve([llama], [1, 8192], cache_dtype("fp16"))
    [327680, 2684354560]
    """
    values = value_dtype or key_dtype
    total = [0] * len(contexts)
    for group in groups:
        rate, cap = group.bytes_per_token(key_dtype, values), group.max_cached_tokens
        tokens = contexts if cap is None else [min(context, cap) for context in contexts]
        if stored is not None:
            tokens = [stored(count) for count in tokens]
        total = [size + rate * count for size, count in zip(total, tokens, strict=True)]
    return total


def cache_bytes(groups: Iterable[Group], context: int, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
    """Bytes of one sequence's cache at `context` tokens, recurrent state apart; see `cache_curve`.

    Raises:
        OutOfRange: when `context` is no number of tokens.
    """
    check_int("context", context, 0, MOST_TOKENS)
    return cache_curve(groups, (context,), key_dtype, value_dtype)[0]


def check_cache_dtype(dtype: Dtype, groups: Iterable[Group], field: str = "cache_dtype") -> None:
    """Check that layers can be cached in a type: some types are made for latents of one width alone.

    Raises:
        Unsupported: naming the field.

    >>> from kvcore.dtypes import cache_dtype
    >>> check_cache_dtype(cache_dtype("fp8_ds_mla"), [LayerGroup(layers=1, kv_heads=8, key_dim=128, value_dim=128)])
    Traceback (most recent call last):
    kvcore.errors.Unsupported: cache_dtype: 'fp8_ds_mla' is not a type for these layers: it is for latents of 576 numbers
    """
    if not dtype.latent_width:
        return
    widths = {g.kv_rank + g.rope_dim if isinstance(g, LatentGroup) else 0 for g in groups if g.max_cached_tokens != 0}
    if widths != {dtype.latent_width}:
        raise Unsupported(
            field, dtype.name, f"a type for these layers: it is for latents of {dtype.latent_width} numbers"
        )


def bytes_per_token(groups: Iterable[Group], key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
    """Bytes that one token adds to one sequence's cache while it is below every window: the sum over the groups."""
    values = value_dtype or key_dtype
    return sum(group.bytes_per_token(key_dtype, values) for group in groups)


def state_bytes(groups: Iterable[Group]) -> int:
    """Bytes of recurrent state per sequence, whatever its context: the sum over the groups."""
    return sum(group.state_bytes for group in groups)


def asymptotic_bytes(groups: Iterable[Group], key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
    """Bytes that one more token adds once every window is full: the sum over the groups without a limit."""
    values = value_dtype or key_dtype
    return sum(group.bytes_per_token(key_dtype, values) for group in groups if group.max_cached_tokens is None)


def attention_name(groups: Iterable[Group], query_heads: int) -> str:
    """How the layers attend: "mha", "mqa", "gqa", "mla", "hybrid", "recurrent" or "mixed".

    In this order: one KV head per query head, one for all, some number between; a latent; some layers with recurrent state,
    only such layers; layers that differ in any other way.
    """
    attending = [group for group in groups if isinstance(group, LayerGroup | LatentGroup)]
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
