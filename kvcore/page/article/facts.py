"""The numbers in the article's sentences: each is computed here and has a slot; the text has only the slot's name."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from kvcore import catalog
from kvcore.attention import Layer, reply
from kvcore.catalog import Model
from kvcore.deployment import size
from kvcore.engines import ENGINES
from kvcore.footprint import Footprint
from kvcore.page import phrases
from kvcore.page.article import words
from kvcore.page.html import Html, data, table
from kvcore.paging import LONGEST, MEAN_PROMPT, MEAN_REPLY
from kvcore.units import format_bytes, format_count, format_parameters, format_ratio


def _footprint(model: str, *, context: int = 8192, batch: int = 1, cache: str = "fp16") -> Footprint:
    return size(model, context=context, batch=batch, cache_dtype=cache)


def _with_kv_heads(footprint: Footprint, kv_heads: int) -> Footprint:
    return replace(footprint, shape=footprint.shape.edited(kv_heads=kv_heads))


def _sooner(footprint: Footprint, other: Footprint) -> Fraction:
    """How many times sooner `other` crosses: the ratio of the contexts at which each cache equals its weights."""
    crossing = Fraction(footprint.weights_bytes, footprint.bytes_per_token)
    return crossing / Fraction(other.weights_bytes, other.bytes_per_token)


def _with_limit() -> list[Model]:
    """The models of the catalogue that say how long a context they were made for."""
    return [model for model in catalog.MODELS.values() if model.shape.context_limit]


def _crosses_alone(model: Model) -> bool:
    """Whether one sequence, as long as the model was made for, takes more than the weights, both in FP16."""
    footprint = _footprint(model.id, context=model.shape.context_limit or 1)
    return footprint.cache_bytes > footprint.weights_bytes


def _size(size: int, units: str) -> Html:
    return data(size, format_bytes(size, units))


type Fact = Callable[[str], Html]


def _bytes(size: Callable[[], int]) -> Fact:
    return lambda units: _size(size(), units)


def _count(count: Callable[[], int | None], text: Callable[[int], str] = format_count) -> Fact:
    def fact(_: str) -> Html:
        found = count()
        return data(found, phrases.UNKNOWN if found is None else text(found))

    return fact


def _times(ratio: Callable[[], Fraction]) -> Fact:
    return lambda _: data(float(found := ratio()), phrases.times(format_ratio(found)))


_70B = "llama-3-70b"

FACTS: dict[str, Fact] = {
    "fact.70b.token": _bytes(lambda: _footprint(_70B).bytes_per_token),
    "fact.70b.token.mha": _bytes(lambda: _with_kv_heads(_footprint(_70B), 64).bytes_per_token),
    "fact.70b.batch32": _bytes(lambda: _footprint(_70B, batch=32).cache_bytes),
    "fact.70b.weights": _bytes(lambda: _footprint(_70B).weights_bytes),
    "fact.70b.weights.binary": lambda _: _size(_footprint(_70B).weights_bytes, "binary"),
    "fact.70b.weights.decimal": lambda _: _size(_footprint(_70B).weights_bytes, "decimal"),
    "fact.70b.params": _count(lambda: _footprint(_70B).shape.params),
    "fact.70b.limit": _count(lambda: _footprint(_70B).shape.context_limit),
    "fact.70b.limit.3.1": _count(lambda: _footprint("llama-3.1-70b").shape.context_limit),
    "fact.70b.cliff.batch1": _count(lambda: _footprint(_70B).cliff_context),
    "fact.70b.cliff.batch32": _count(lambda: _footprint(_70B, batch=32).cliff_context),
    "fact.70b.cliff.batch128": _count(lambda: _footprint(_70B, batch=128).cliff_context),
    "fact.70b.cliff.batch53.mha": _count(lambda: _with_kv_heads(_footprint(_70B, batch=53), 64).cliff_context),
    "fact.70b.cliff.batch53.int8": _count(lambda: _footprint(_70B, batch=53, cache="int8").cliff_context),
    "fact.70b.batch": _count(lambda: _footprint(_70B).cliff_batch),
    "fact.70b.mha.sooner": _times(lambda: _sooner(_footprint(_70B), _with_kv_heads(_footprint(_70B), 64))),
    "fact.70b.mha.more": _count(
        lambda: _with_kv_heads(_footprint(_70B), 64).shape.params - _footprint(_70B).shape.params, format_parameters
    ),
    "fact.7b.token": _bytes(lambda: _footprint("llama-2-7b").bytes_per_token),
    "fact.13b.token": _bytes(lambda: _footprint("llama-2-13b").bytes_per_token),
    "fact.mistral.window": _count(lambda: catalog.MODELS["mistral-7b-v0.1"].shape.groups[0].max_cached_tokens),
    "fact.mistral.cap": _bytes(lambda: _footprint("mistral-7b-v0.1", context=2**20).cache_bytes),
    "fact.block.vllm": _count(lambda: ENGINES["vllm"].block_size),
    "fact.block.sglang": _count(lambda: ENGINES["sglang"].block_size),
    "fact.block.tensorrt": _count(lambda: ENGINES["tensorrt-llm"].block_size),
    "fact.catalog.models": _count(lambda: len(_with_limit())),
    "fact.catalog.crossing": _count(lambda: sum(_crosses_alone(model) for model in _with_limit())),
    "fact.paging.longest": _count(lambda: LONGEST),
    "fact.paging.prompt": _count(lambda: MEAN_PROMPT),
    "fact.paging.reply": _count(lambda: MEAN_REPLY),
}
"""Slot name -> function from a unit system ("binary" or "decimal") to the HTML of the number."""


def facts(units: str) -> dict[str, Html]:
    """All numbers in the article's sentences: slot name -> HTML."""
    return {name: fact(units) for name, fact in FACTS.items()}


_TOKENS = (8, 16, 32)


@lru_cache(maxsize=1)
def work_table() -> Html:
    """The table of the work for one reply, with a cache and without: counted while two tiny layers compute the reply."""
    unit = ((1.0, 0.25), (-0.5, 1.0))
    layers = (Layer(query=unit, key=unit, value=unit),) * 2
    rows = []
    for count in _TOKENS:
        _, cached = reply(layers, (1.0, 0.5), count, cached=True)
        _, uncached = reply(layers, (1.0, 0.5), count, cached=False)
        cells = (cached.projections, uncached.projections, cached.scores, uncached.scores)
        rows.append((phrases.tokens(count), *(data(number, format_count(number)) for number in cells)))
    return table(words.WORK_TABLE, words.WORK_HEADS, rows)
