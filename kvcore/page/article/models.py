"""Where each model lands: a row for each of a chosen few, and for the 70B shape as it might have been."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kvcore import catalog
from kvcore.catalog import Model
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.footprint import Footprint
from kvcore.page import phrases
from kvcore.page.article import words
from kvcore.page.html import Html, data, el, table
from kvcore.units import format_bytes, format_count

CHOSEN = (
    "llama-2-7b", "llama-2-13b", "llama-2-70b", "llama-3-70b", "llama-3.1-8b", "llama-3.1-405b", "mistral-7b-v0.1",
    "mistral-7b-v0.3", "mixtral-8x7b", "qwen3-32b", "gemma-2-27b", "gemma-3-27b", "gpt-oss-120b", "deepseek-v3",
    "phi-4", "falcon-7b", "starcoder-15b", "opt-66b", "gpt-3-175b", "palm-540b",
)  # fmt: skip
"""Ids of the models of the table; the whole catalog has a page of its own."""

_TWINS_OF = "llama-3-70b"
_AT = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A model, or the shape of one with other KV heads; `sets` is what loads it in the Lab."""

    name: str
    model: Model
    footprint: Footprint
    sets: str
    twin: bool = False


def rows() -> Iterable[Row]:
    """The chosen models in FP16, the twins of the 70B shape beside it."""
    for name in CHOSEN:
        model = catalog.model(name)
        held = _footprint(model)
        yield Row(name=model.name, model=model, footprint=held, sets=f'{{"model":"{model.id}"}}')
        if name == _TWINS_OF:
            for kind, heads in (("mha", model.shape.query_heads), ("mqa", 1)):
                twin = replace(held, shape=model.shape.edited(kv_heads=heads))
                sets = f'{{"model":"{model.id}","attention":"{kind}"}}'
                yield Row(name=words.twin_name(model.name, kind), model=model, footprint=twin, sets=sets, twin=True)


def models_table(units: str) -> Html:
    """The table, sortable by each column; the name of a row loads its model."""
    heads = words.MODEL_HEADS
    return table(words.MODELS_TABLE, heads, (_cells(row, units) for row in rows()), class_="kv-data kv-sortable")


def _footprint(model: Model) -> Footprint:
    return Footprint(
        shape=model.shape,
        context=_AT,
        batch=1,
        cache_dtype=CACHE_DTYPES["fp16"],
        weight_dtype=WEIGHT_DTYPES["fp16"],
        gpu_bytes=catalog.GPUS[catalog.DEFAULT_GPU].memory_bytes,
    )


def _cells(row: Row, units: str) -> list[Html | str]:
    held, shape = row.footprint, row.footprint.shape
    limit = shape.context_limit
    at_limit = None if limit is None else held.sequence_bytes(limit)
    name = el("button", row.name, type="button", class_="kv-load", data_set=row.sets, data_key=f"load-{row.sets}")
    return [
        name,
        phrases.ATTENTION_SHORT.get(shape.attention, shape.attention),
        _count(shape.kv_heads),
        _bytes(held.bytes_per_token, units),
        _count(shape.layers),
        _count(shape.head_dim),
        _count(limit),
        _bytes(at_limit, units),
        _bytes(held.weights_bytes, units),
        _count(held.cliff_batch),
    ]


def _count(count: int | None) -> Html:
    return data(count, phrases.UNKNOWN if count is None else format_count(count))


def _bytes(size: int | None, units: str) -> Html:
    return data(size, phrases.UNKNOWN if size is None else format_bytes(size, units))
