"""What inference engines printed, beside what kvcore says for the same model and settings.

The records are in evidence/evidence.json: lines of logs that people published, each with its source, the facts of the
model and of the run, and which rules of the engine apply (`engines.py`). Nothing is computed here but through the
library: a shape, its split over GPUs, its types. Printed text has as many decimals as the engine's own format writes;
a line agrees where the number is the same to half of the last of them, and where the engine keeps whole blocks, to one
block more. A record that does not agree must be listed as such, with its cause, and one that is listed must not agree.

Nothing that the browser asks for imports this module.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from pkgutil import get_data
from types import MappingProxyType

from kvcore import catalog
from kvcore.dtypes import Dtype
from kvcore.errors import Invalid
from kvcore.evidence.engine_rules import ENGINE_DTYPES, at_full_size, in_cells, only
from kvcore.footprint import Footprint
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.parallel import PerGpu, Split
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape

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
"""Units that engines print -> what one of them is, in bytes or counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One number of a log: what it counts (see `verdicts.COUNTS`), and what it was printed for.

    `part` is "keys" or "values" where it is of one of them, `of` a kind of layers where it is of those alone, `slack`
    "block" where the engine rounds to blocks, `model` another model than the record's.
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
    of: str = ""
    slack: str = ""
    model: str = ""

    @property
    def decimals(self) -> int:
        """Decimals that were printed."""
        return len(self.printed.partition(".")[2])

    @property
    def value(self) -> Fraction:
        """The printed number, in its unit."""
        return Fraction(self.printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of the run, and the engine's rules that apply to it."""

    key_dtype: str = "fp16"
    value_dtype: str = ""
    tp: int = 1
    pp: int = 1
    cp: int = 1
    block_size: int = 1
    extra_page: int = 0
    windows: str = ""
    cells: Mapping[str, int] | None = None
    batched_tokens: int = 0
    state_pages: int = 1
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
    """A log: whose, of what, where it was published, and its lines.

    `proves` is the part of the page it belongs to, `formula` the one that applies. `facts` name a model of the catalogue
    or list groups of layers; `facts_source` says where they are from. `inferred` names what was read out of the printed
    numbers themselves, so that the record is a regression and no proof. `mismatch` is the cause where it does not agree.
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
        """The whole shape of the model that a line is about."""
        named = line.model or self.facts.get("model")
        return _bare(_groups(self.facts["groups"]), self.options.tp) if named is None else catalog.model(named).shape

    def groups(self, line: Line) -> tuple[Group, ...]:
        """The layers that a line is about, as the engine keeps them."""
        groups: tuple[Group, ...] = self.shape(line).groups
        if line.of:
            groups = tuple(group for group in groups if group.kind == line.of)
        if self.options.cells is not None:
            return in_cells(groups, line.tokens, **self.options.cells)
        return at_full_size(groups) if self.options.windows else groups

    def per_gpu(self, line: Line) -> PerGpu:
        """What the fullest GPU holds of those layers: of the line's half of them alone, doubled, where it names one."""
        groups, keys, values = self.groups(line), self.options.keys, self.options.values
        if line.part:
            groups, keys = only(groups, line.part, keys, values)
            values = keys
        split = Split(tp=self.options.tp, pp=self.options.pp, cp=self.options.cp)
        held = Footprint(
            shape=_bare(groups, split.tp, self.shape(line).query_heads),
            context=max(1, line.tokens),
            batch=1,
            cache_dtype=keys,
            value_dtype=values,
            weight_dtype=ENGINE_DTYPES["fp16"],
            gpu_bytes=1,
        )
        return PerGpu(footprint=held, split=split, block_size=self.options.block_size)


@cache
def records() -> tuple[Record, ...]:
    """Every record, in the order of the page."""
    return tuple(_records(json.loads(get_data("kvcore", "evidence/evidence.json") or b"[]")))


def _records(rows: list[dict[str, object]]) -> Iterator[Record]:
    for row in rows:
        options, lines = row.pop("options"), row.pop("lines")
        if not isinstance(options, dict) or not isinstance(lines, list):
            raise Invalid("record", row["id"], "a record with options and lines")
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


def _bare(groups: tuple[Group, ...], tp: int, query_heads: int = 1) -> Shape:
    """A shape of which only the cache matters: its layers, and query heads that they and the GPUs divide."""
    heads = [group.kv_heads for group in groups if isinstance(group, LayerGroup)]
    return Shape(
        hidden_size=1, query_heads=lcm(query_heads, tp, *heads), groups=groups, mlps=(), vocab_size=1, tied=True
    )
