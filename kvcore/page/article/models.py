"""The table of models in the article: some models of the catalog, and Llama-3 70B with other numbers of KV heads."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kvcore import catalog
from kvcore.catalog import Model
from kvcore.deployment import size
from kvcore.footprint import Footprint
from kvcore.page import phrases
from kvcore.page.article import words
from kvcore.page.html import Html, data, el, table
from kvcore.units import format_bytes, format_count
from kvcore.weights import SHIPPED

CHOSEN = (
    "llama-2-7b", "llama-2-13b", "llama-2-70b", "llama-3-70b", "llama-3.1-8b", "llama-3.1-405b", "mistral-7b-v0.1",
    "mistral-7b-v0.3", "mixtral-8x7b", "qwen3-32b", "gemma-2-27b", "gemma-3-27b", "gpt-oss-120b", "deepseek-v3",
    "phi-4", "falcon-7b", "starcoder-15b", "opt-66b", "gpt-3-175b", "palm-540b",
)  # fmt: skip
"""Ids of the models in the table; the page of models has the whole catalog."""

_TWINS_OF = "llama-3-70b"
_CONTEXT = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table: a model, or one of its twins with other KV heads.

    sets: the JSON of the controls that load it in the Lab.
    """

    name: str
    model: Model
    footprint: Footprint
    sets: str


def rows() -> Iterable[Row]:
    """The rows: the chosen models with an FP16 cache and the weights of their checkpoints, and the twins of Llama-3 70B."""
    for name in CHOSEN:
        model = catalog.model(name)
        footprint = _footprint(model)
        yield Row(name=model.name, model=model, footprint=footprint, sets=f'{{"model":"{model.id}"}}')
        if name == _TWINS_OF:
            for kind, heads in (("mha", model.shape.query_heads), ("mqa", 1)):
                twin = replace(footprint, shape=model.shape.edited(kv_heads=heads))
                sets = f'{{"model":"{model.id}","attention":"{kind}"}}'
                yield Row(name=words.twin_name(model.name, kind), model=model, footprint=twin, sets=sets)


def models_table(units: str) -> Html:
    """The table, which the page sorts by any column; a button in each row loads its model in the Lab."""
    heads = words.MODEL_HEADS
    return table(words.MODELS_TABLE, heads, (_cells(row, units) for row in rows()), class_="kv-data kv-sortable")


def _footprint(model: Model) -> Footprint:
    return size(model, context=_CONTEXT, weight_dtype=SHIPPED)


def _cells(row: Row, units: str) -> list[Html | str]:
    footprint, shape = row.footprint, row.footprint.shape
    limit = shape.context_limit
    at_limit = None if limit is None else footprint.sequence_bytes(limit)
    name = el("button", row.name, type="button", class_="kv-load", data_set=row.sets, data_key=f"load-{row.sets}")
    return [
        name,
        phrases.ATTENTION_SHORT.get(shape.attention, shape.attention),
        _count(shape.kv_heads),
        _bytes(footprint.bytes_per_token, units),
        _count(shape.layers),
        _count(shape.head_dim),
        _count(limit),
        _bytes(at_limit, units),
        _bytes(footprint.weights_bytes, units),
        _count(footprint.cliff_batch),
    ]


def _count(count: int | None) -> Html:
    return data(count, phrases.UNKNOWN if count is None else format_count(count))


def _bytes(size: int | None, units: str) -> Html:
    return data(size, phrases.UNKNOWN if size is None else format_bytes(size, units))
