"""What kvcore computes for a printed line: bytes of cache, state or weights, pages of vLLM's pool, and counts of them.

`COUNTS` has a function for each thing that a line may count; `slack` says how much more than computed an engine that
rounds to whole blocks may print.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from kvcore.evidence.engine_rules import (
    ENGINE_DTYPES,
    SWAP_BYTES,
    VllmBlockPool,
    mixed_weights_bytes,
    rotary_table_bytes,
)
from kvcore.evidence.records import Line, Record
from kvcore.recurrent import RecurrentGroup

__all__ = ["COUNTS", "slack"]


def slack(record: Record, line: Line) -> Fraction:
    """How much more than computed the printed number may be, in bytes or as a number."""
    if line.slack == "set":
        pool, spare = _pool(record, line), _bundles(record, line)
        if line.counts == "set_concurrency":
            return Fraction(spare - 1, pool.blocks_per_request(line.length))
        return Fraction(spare * pool.block_bytes)
    if line.slack:
        return Fraction(_pool(record, line).block_bytes if line.counts == "pool_memory" else _block_bytes(record, line))
    return Fraction(0)


def _cache(record: Record, line: Line) -> Fraction:
    """Bytes of the cache of `tokens` tokens on one GPU, or of only their K or V."""
    share = record.per_gpu(line)
    size = share.sequence_bytes(line.tokens + record.options.extra_slots) - share.state_bytes
    return Fraction(size, 2 if line.part else 1)


def _block_bytes(record: Record, line: Line) -> int:
    """Bytes of one block on one GPU, in all layers."""
    share = record.per_gpu(line)
    return share.block_size * share.bytes_per_token


def _pool(record: Record, line: Line) -> VllmBlockPool:
    options = record.options
    return VllmBlockPool(
        groups=record.per_gpu(line).groups,
        key_dtype=options.keys,
        value_dtype=options.values,
        batched_tokens=options.batched_tokens,
        state_blocks=options.state_blocks,
    )


def _pool_memory(record: Record, line: Line) -> Fraction:
    """Bytes of the pool whose size vLLM printed as `tokens`, with requests of up to `length` tokens."""
    pool = _pool(record, line)
    return Fraction(pool.pool_blocks(line.tokens, line.length) * pool.block_bytes)


def _pool_tokens(record: Record, line: Line) -> Fraction:
    """The pool size in tokens that vLLM prints for the number of blocks recovered from the printed size."""
    pool = _pool(record, line)
    return Fraction(pool.pool_tokens(pool.pool_blocks(line.tokens, line.length), line.length))


def _pool_padding(record: Record, line: Line) -> Fraction:
    """By how much vLLM makes a layer's recurrent state larger, for it to fill a block."""
    states = [group.state_bytes // group.layers for group in record.per_gpu(line).groups if group.state_bytes]
    return Fraction(_pool(record, line).layer_bytes, max(states)) - 1


def _bundles(record: Record, line: Line) -> int:
    """How many groups vLLM makes of the layers, all of one size but for the padding of the last of a kind."""
    options, bundle = record.options, _pool(record, line).bundle
    cached = (
        group
        for group in record.per_gpu(line).groups
        if group.state_bytes or group.bytes_per_token(options.keys, options.values)
    )
    return sum(-(-group.layers // bundle) for group in cached)


def _sets(record: Record, line: Line) -> int:
    """Sets of one block for each group of layers, in the pool whose size vLLM printed as `tokens`."""
    return line.tokens // _pool(record, line).block_tokens


def _set_tokens(record: Record, line: Line) -> Fraction:
    """The pool size in tokens that vLLM printed until May 2026: blocks // groups of layers * tokens of a block.

    Source: vllm-project/vllm@001cabc, vllm/v1/core/kv_cache_utils.py (_report_kv_cache_config).
    """
    return Fraction(_sets(record, line) * _pool(record, line).block_tokens)


def _set_memory(record: Record, line: Line) -> Fraction:
    """Bytes of the whole sets of blocks in that pool."""
    return Fraction(_sets(record, line) * _bundles(record, line) * _pool(record, line).block_bytes)


def _set_concurrency(record: Record, line: Line) -> Fraction:
    """Requests of `length` tokens that fit into the whole sets of blocks."""
    blocks = _sets(record, line) * _bundles(record, line)
    return Fraction(blocks, _pool(record, line).blocks_per_request(line.length))


def _state(record: Record, line: Line) -> Fraction:
    """Bytes of recurrent state of the line's sequences on one GPU, or of only one of its two roles."""
    groups = (group for group in record.per_gpu(line).groups if isinstance(group, RecurrentGroup))
    states = ((group.layers, state) for group in groups for state in group.states)
    wanted = (layers * state.bytes for layers, state in states if line.part in {"", state.role})
    return Fraction(line.sequences * sum(wanted))


def _cells(record: Record, line: Line) -> Fraction:
    """Cells that llama.cpp allocates in a layer with a window."""
    windows = [group.max_cached_tokens for group in record.groups(line) if group.max_cached_tokens]
    return Fraction(windows[0])


def _blocks(record: Record, line: Line) -> Fraction:
    """Blocks that a request of `tokens` tokens takes: ceil(tokens / block_size)."""
    return Fraction(-(-line.tokens // record.options.block_size))


def _weights(record: Record, line: Line) -> Fraction:
    """Bytes of weights on one GPU, and of the table of rotary angles if the engine counts it as weights."""
    shape, options, bf16 = record.shape(line), record.options, ENGINE_DTYPES["bf16"]
    size = mixed_weights_bytes(shape, ENGINE_DTYPES[options.mlp_dtype or "bf16"], bf16)
    return Fraction(-(-size // options.tp) + rotary_table_bytes(shape, options.rotary_positions))


COUNTS: Mapping[str, Callable[[Record, Line], Fraction]] = MappingProxyType(
    {
        "cache": _cache,
        "state": _state,
        "weights": _weights,
        "cells": _cells,
        "blocks": _blocks,
        "block_tokens": lambda record, line: Fraction(line.blocks * record.options.block_size),
        "swap_blocks": lambda record, line: Fraction(SWAP_BYTES // _block_bytes(record, line)),
        "concurrency": lambda record, line: Fraction(line.tokens, line.length),  # noqa: ARG005 - the same for every model
        "usage": lambda record, line: _blocks(record, line) / (line.pool - 1),  # vLLM keeps one block unused
        "pool_block_tokens": lambda record, line: Fraction(_pool(record, line).block_tokens),
        "pool_memory": _pool_memory,
        "pool_tokens": _pool_tokens,
        "pool_padding": _pool_padding,
        "set_memory": _set_memory,
        "set_tokens": _set_tokens,
        "set_concurrency": _set_concurrency,
    }
)
"""What a line counts (`Line.counts`) -> the function that computes it, in bytes or as a number."""
