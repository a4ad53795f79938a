"""Records of what inference engines printed in logs that people published.

The records are in evidence/evidence.json. Each has its lines, its source, the facts of the model and the run, and the
rules of the engine that apply (`engine_rules`). `Record.per_gpu` makes the PerGpu that kvcore computes with; `verdicts`
compares its numbers with the printed ones. A printed number is kept as text, with as many decimals as the engine printed.

A record that disagrees must say why in `mismatch`; a record with a `mismatch` must really disagree.

The browser does not load this module.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import lcm
from pkgutil import get_data
from types import MappingProxyType

from kvcore import catalog
from kvcore.dtypes import Dtype
from kvcore.errors import Invalid
from kvcore.evidence.engine_rules import ENGINE_DTYPES, at_full_size, half_of, in_cells
from kvcore.footprint import Footprint
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.parallel import PerGpu
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape
from kvcore.splits import Split

__all__ = ["UNITS", "Line", "Options", "Record", "records"]

UNITS = MappingProxyType(
    {
        "B": Fraction(1),
        "MiB": Fraction(2**20),
        "GiB": Fraction(2**30),
        "%": Fraction(1, 100),
        **dict.fromkeys(("tokens", "cells", "blocks", "requests"), Fraction(1)),
    }
)
"""A printed unit -> what one of it is: in bytes if it is a unit of memory, else as a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One number of a log.

    name: what the log calls it. printed: the number as text. unit: its unit, a key of UNITS.
    counts: what the number counts, a key of `counts.COUNTS`.
    tokens: the tokens that the line is about, such as the size of the cache.
    length: the tokens of one request, for lines about how many requests fit.
    blocks: the blocks that a line with the size of the cache in tokens is about. pool: the blocks in the engine's pool.
    part: "keys" or "values" if the line counts only one of them; of recurrent state, "state" or "convolution" (a
    State's role).
    sequences: the sequences whose recurrent state the line counts. SGLang has one slot more than it prints.
    of: the kind of layers, if the line counts only that kind.
    slack: "block" if the engine rounds memory to whole blocks, "set" if to as many blocks as there are groups of layers.
    model: the id of the model, if it is not the record's.

    >>> line = Line(name="KV cache", printed="256.00", unit="MiB", counts="cache", tokens=2048)
    >>> line.decimals, line.value
    (2, Fraction(256, 1))
    """

    name: str
    printed: str
    unit: str
    counts: str
    tokens: int = 0
    length: int = 0
    blocks: int = 0
    pool: int = 0
    part: str = ""
    sequences: int = 1
    of: str = ""
    slack: str = ""
    model: str = ""

    @property
    def decimals(self) -> int:
        """How many decimals the engine printed."""
        return len(self.printed.partition(".")[2])

    @property
    def value(self) -> Fraction:
        """The printed number, in the line's unit."""
        return Fraction(self.printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of a run, and the rules of the engine that apply to it.

    key_dtype, value_dtype: the types of K and V, by name; an empty value_dtype means that of K.
    tp, pp, cp: GPUs, as in `kvcore.splits`.
    block_size: tokens of a block of the cache.
    extra_slots: tokens for which the engine has room beyond those it prints (SGLang has one such slot).
    windows: "full size" if the engine ignores sliding windows.
    cells: the arguments `sequences` and `micro_batch` of `engine_rules.llama_cells`, if it applies.
    batched_tokens, state_blocks: as in `engine_rules.VllmBlockPool`.
    state_dtype, convolution_dtype: the types of recurrent state and of its convolution, if not those of the model's row.
    rotary_positions: positions in vLLM's table of rotary angles, if it counts as weights.
    mlp_dtype: the type of the MLPs' weights, by name, if it is not bf16.

    >>> options = Options(key_dtype="q8_0", value_dtype="iq4_nl")
    >>> options.keys.name, options.values.name
    ('q8_0', 'iq4_nl')
    """

    key_dtype: str = "fp16"
    value_dtype: str = ""
    tp: int = 1
    pp: int = 1
    cp: int = 1
    block_size: int = 1
    extra_slots: int = 0
    windows: str = ""
    cells: Mapping[str, int] | None = None
    batched_tokens: int = 0
    state_blocks: int = 1
    state_dtype: str = ""
    convolution_dtype: str = ""
    rotary_positions: int = 0
    mlp_dtype: str = ""

    @property
    def keys(self) -> Dtype:
        """The type of K."""
        return ENGINE_DTYPES[self.key_dtype]

    @property
    def values(self) -> Dtype:
        """The type of V."""
        return ENGINE_DTYPES[self.value_dtype or self.key_dtype]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A published log of one run of an engine.

    id: its number. engine: the program that printed it. subject: the model and the settings, for readers.
    proves: the table of the evidence page that shows it. formula: the formula that applies, for readers.
    source, read: where the log was published, and when it was read (ISO date).
    facts: either {"model": the id of a model} or {"groups": groups of layers}. facts_source: where the facts are from.
    options: the settings of the run. lines: the numbers that it printed.
    inferred: facts that were worked out from the printed numbers, so that agreeing with them is no independent proof.
    note: a remark for readers.
    mismatch: why kvcore and the log disagree; empty if they agree.
    confidence: "high" or "medium".

    >>> record = records()[0]
    >>> record.engine, record.facts["model"], record.lines[0].tokens, record.lines[0].printed
    ('llama.cpp', 'mistral-7b-v0.3', 2048, '256.00')
    >>> record.per_gpu(record.lines[0]).sequence_bytes(2048) == 256 * 2**20
    True
    """

    id: int
    proves: str
    engine: str
    subject: str
    source: str
    read: str
    formula: str
    facts: Mapping[str, object]
    facts_source: str
    options: Options
    lines: tuple[Line, ...]
    inferred: str
    note: str
    mismatch: str
    confidence: str

    def shape(self, line: Line) -> Shape:
        """Return the shape of the line's model; without parameters if the record gives only groups of layers."""
        named = line.model or self.facts.get("model")
        return (
            _cache_only_shape(_groups(self.facts["groups"]), self.options.tp)
            if named is None
            else catalog.model(named).shape
        )

    def groups(self, line: Line) -> tuple[Group, ...]:
        """Return the groups of layers that the line counts, as the engine caches them."""
        groups = tuple(self._with_state_types(group) for group in self.shape(line).groups)
        if line.of:
            groups = tuple(group for group in groups if group.kind == line.of)
        if self.options.cells is not None:
            return in_cells(groups, line.tokens, **self.options.cells)
        return at_full_size(groups) if self.options.windows else groups

    def _with_state_types(self, group: Group) -> Group:
        """Return the group with its states in the types that the run's options name, if they name any."""
        if not isinstance(group, RecurrentGroup):
            return group
        named = {"state": self.options.state_dtype, "convolution": self.options.convolution_dtype}
        states = (replace(state, dtype=ENGINE_DTYPES[named[state.role] or state.dtype.name]) for state in group.states)
        return replace(group, states=tuple(states))

    def per_gpu(self, line: Line) -> PerGpu:
        """Return what the fullest GPU caches for the line, of one sequence.

        For a line about only the keys or the values this is twice as much as the line counts (see `half_of`).
        """
        groups, keys, values = self.groups(line), self.options.keys, self.options.values
        if line.part in {"keys", "values"}:
            groups, keys = half_of(groups, line.part, keys, values)
            values = keys
        split = Split(tp=self.options.tp, pp=self.options.pp, cp=self.options.cp)
        footprint = Footprint(
            shape=_cache_only_shape(groups, split.tp, self.shape(line).query_heads),
            context=max(1, line.tokens),
            batch=1,
            cache_dtype=keys,
            value_dtype=values,
            weight_dtype=ENGINE_DTYPES["fp16"],
            gpu_bytes=1,
        )
        return PerGpu(footprint=footprint, split=split, block_size=self.options.block_size)


@cache
def records() -> tuple[Record, ...]:
    """Return every record, in the order of evidence.json.

    Raises:
        Invalid: for a record in evidence.json without options or lines.

    >>> records()[0].id
    1
    """
    return tuple(_records(json.loads(get_data("kvcore", "evidence/evidence.json") or b"[]")))


def _records(rows: list[dict[str, object]]) -> Iterator[Record]:
    for row in rows:
        options, lines = row.pop("options"), row.pop("lines")
        if not isinstance(options, dict) or not isinstance(lines, list):
            raise Invalid("record", row["id"], "a record with an object of options and a list of lines")
        yield Record(**row, options=Options(**options), lines=tuple(Line(**line) for line in lines))  # type: ignore[arg-type]


def _groups(rows: object) -> tuple[Group, ...]:
    if not isinstance(rows, list):
        raise Invalid("groups", rows, "a list of groups of layers")
    return tuple(_group(dict(row)) for row in rows)


def _group(row: dict[str, object]) -> Group:
    kind = row.pop("kind")
    if kind == "latent":
        return LatentGroup(**row)  # type: ignore[arg-type]
    if kind == "recurrent":
        states = row.pop("states")
        if not isinstance(states, list):
            raise Invalid("states", states, "a list of states")
        parts = tuple(State(**{**part, "dtype": ENGINE_DTYPES[part["dtype"]]}) for part in states)
        return RecurrentGroup(states=parts, **row)  # type: ignore[arg-type]
    return LayerGroup(kind=str(kind), **row)  # type: ignore[arg-type]


def _cache_only_shape(groups: tuple[Group, ...], tp: int, query_heads: int = 1) -> Shape:
    """Return a shape with these groups of layers and no meaningful weights, for computing its cache.

    Shape and Split require the number of query heads to be a multiple of the KV heads and of tp.
    """
    heads = [group.kv_heads for group in groups if isinstance(group, LayerGroup)]
    return Shape(
        hidden_size=1, query_heads=lcm(query_heads, tp, *heads), groups=groups, mlps=(), vocab_size=1, tied=True
    )
