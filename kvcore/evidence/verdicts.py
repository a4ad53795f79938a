"""The evidence, judged: for each printed line what kvcore says, how far apart they are, and whether that is agreement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from kvcore.errors import KvcoreError
from kvcore.evidence.engine_rules import ENGINE_DTYPES, SWAP_BYTES, VllmPages, mixed_weights_bytes, rotary_table_bytes
from kvcore.evidence.records import UNITS, Line, Record, records

__all__ = ["COUNTS", "Disagreement", "Finding", "Judged", "judged", "problems"]


class Disagreement(KvcoreError):  # noqa: N818 - the base class says that it is an error; the name says which
    """A record that does not agree and is not listed, or one that is listed and agrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A printed line and kvcore's value for it, both in the line's unit; `block` is a block's worth, where that is allowed."""

    line: Line
    value: Fraction
    block: Fraction

    @property
    def difference(self) -> Fraction:
        """Printed less computed."""
        return self.line.value - self.value

    @property
    def same(self) -> bool:
        """Whether nothing is between the two."""
        return not self.difference

    @property
    def rounded(self) -> bool:
        """Whether no more than the printed rounding is."""
        return abs(self.difference) <= self._rounding

    @property
    def agrees(self) -> bool:
        """Whether no more than rounding, and memory below one block, is."""
        return -self._rounding <= self.difference <= self._rounding + self.block

    @property
    def _rounding(self) -> Fraction:
        """Half of the last printed digit; nothing where the engine prints a whole number, which it counts."""
        decimals = self.line.decimals
        return Fraction(1, 2 * 10**decimals) if decimals else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A record with its findings."""

    record: Record
    findings: tuple[Finding, ...]

    @property
    def agrees(self) -> bool:
        """Whether every line does."""
        return all(finding.agrees for finding in self.findings)

    @property
    def standing(self) -> str:
        """One of "reproduced", "inferred" (reproduced, from a fact that was itself read out of it), "mismatch"."""
        if self.record.mismatch:
            return "mismatch"
        return "inferred" if self.record.inferred else "reproduced"


@cache
def judged() -> tuple[Judged, ...]:
    """Every record with its findings, in the order of the page."""
    return tuple(
        Judged(record=record, findings=tuple(_finding(record, line) for line in record.lines)) for record in records()
    )


def problems(rows: tuple[Judged, ...]) -> list[Disagreement]:
    """The records that are not what they are listed as."""
    return [
        Disagreement(
            "record", row.record.id, "listed as a mismatch" if row.record.mismatch == "" else "one that differs"
        )
        for row in rows
        if row.agrees == bool(row.record.mismatch)
    ]


def _finding(record: Record, line: Line) -> Finding:
    unit = UNITS[line.unit]
    block = Fraction(0)
    if line.slack:
        pages = _pages(record, line).page_bytes if line.counts == "page_memory" else _block_bytes(record, line)
        block = Fraction(pages) / unit
    return Finding(line=line, value=COUNTS[line.counts](record, line) / unit, block=block)


def _cache(record: Record, line: Line) -> Fraction:
    """Bytes of `tokens` tokens on one GPU, or of their K or V."""
    held = record.per_gpu(line)
    size = held.sequence_bytes(line.tokens + record.options.extra_page) - held.state_bytes
    return Fraction(size, 2 if line.part else 1)


def _block_bytes(record: Record, line: Line) -> int:
    """Bytes of one block on one GPU, of all layers."""
    held = record.per_gpu(line)
    return held.block_size * held.bytes_per_token


def _pages(record: Record, line: Line) -> VllmPages:
    options = record.options
    return VllmPages(
        groups=record.per_gpu(line).groups,
        key_dtype=options.keys,
        value_dtype=options.values,
        batched_tokens=options.batched_tokens,
        state_pages=options.state_pages,
    )


def _page_memory(record: Record, line: Line) -> Fraction:
    """Bytes of the pool whose size was printed as `tokens`, for a limit of `length`."""
    pages = _pages(record, line)
    return Fraction(pages.pool(line.tokens, line.length) * pages.page_bytes)


def _page_tokens(record: Record, line: Line) -> Fraction:
    """What a whole number of pages prints as, the one that comes nearest to the printed size."""
    pages = _pages(record, line)
    return Fraction(pages.tokens(pages.pool(line.tokens, line.length), line.length))


def _cells(record: Record, line: Line) -> Fraction:
    """Cells of a layer with a window."""
    windows = [group.max_cached_tokens for group in record.groups(line) if group.max_cached_tokens]
    return Fraction(windows[0])


def _blocks(record: Record, line: Line) -> Fraction:
    """Blocks that a request of `tokens` takes: ceil(tokens / block_size)."""
    return Fraction(-(-line.tokens // record.options.block_size))


def _weights(record: Record, line: Line) -> Fraction:
    """Bytes of weights on one GPU, with the table of rotary angles where the engine counts it."""
    shape, options, sixteen = record.shape(line), record.options, ENGINE_DTYPES["bf16"]
    size = mixed_weights_bytes(shape, ENGINE_DTYPES[options.mlp_dtype or "bf16"], sixteen)
    return Fraction(-(-size // options.tp) + rotary_table_bytes(shape, options.rotary_positions))


COUNTS: Mapping[str, Callable[[Record, Line], Fraction]] = MappingProxyType(
    {
        "cache": _cache,
        "state": lambda record, line: Fraction(record.per_gpu(line).state_bytes),
        "weights": _weights,
        "cells": _cells,
        "blocks": _blocks,
        "block_tokens": lambda record, line: Fraction(line.blocks * record.options.block_size),
        "swap_blocks": lambda record, line: Fraction(SWAP_BYTES // _block_bytes(record, line)),
        "concurrency": lambda record, line: Fraction(line.tokens, line.length),  # noqa: ARG005 - of any model
        "usage": lambda record, line: _blocks(record, line) / (line.pool - 1),
        "page_size": lambda record, line: Fraction(_pages(record, line).page_tokens),
        "page_memory": _page_memory,
        "page_tokens": _page_tokens,
    }
)
"""What a line may count -> how: a count, or bytes."""
