"""The tables of the page of models: the catalog's models and GPUs, and the sources of their facts."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from kvcore.catalog import GPUS, MODELS, NUMBER_TYPES, Gpu, Model
from kvcore.dtypes import CACHE_DTYPES
from kvcore.gpu_sources import GPU_SOURCES
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.page import phrases
from kvcore.page.html import Html, data, el, join, table
from kvcore.page.printed import words
from kvcore.units import format_bytes, format_count, significant

_FP16 = CACHE_DTYPES["fp16"]


def models() -> Html:
    """The table of all models: shape, cache, weights, and the computed and published number of parameters."""
    return table(
        words.CATALOG_TABLE,
        words.CATALOG_HEADS,
        (list(_model(row)) for row in MODELS.values()),
        class_="kv-data kv-sortable kv-record kv-record-models",
    )


def sources() -> Html:
    """The table of sources: where and when each model's facts were read, and what is uncertain about them."""
    rows = (
        [row.name, row.read, _prose(row.source), _prose(row.params_source), _prose(_remarks(row))]
        for row in MODELS.values()
    )
    return table(
        words.SOURCES_TABLE, words.SOURCES_HEADS, rows, class_="kv-data kv-sortable kv-record kv-record-sources"
    )


def gpus() -> Html:
    """The table of all GPUs: memory, bandwidth, peak rates by type of number, and the link to the next GPU."""
    return table(
        words.GPUS_TABLE,
        words.GPU_HEADS,
        (list(_gpu(row)) for row in GPUS.values()),
        class_="kv-data kv-sortable kv-record kv-record-gpus",
    )


def gpu_sources() -> Html:
    """The table of sources: where and when each GPU's facts were read, and what is uncertain about them."""
    rows = (
        [GPUS[name].name, row.read, *map(_prose, (row.memory, row.rates, row.link or phrases.UNKNOWN, row.confidence))]
        for name, row in GPU_SOURCES.items()
    )
    return table(
        words.GPU_SOURCES_TABLE, words.GPU_SOURCES_HEADS, rows, class_="kv-data kv-sortable kv-record kv-record-sources"
    )


def count() -> Html:
    """The number of models in the catalog."""
    return _count(len(MODELS))


def families() -> Html:
    """The number of families of models."""
    return _count(len({row.family for row in MODELS.values()}))


def published() -> Html:
    """The number of models with a published exact parameter count."""
    return _count(sum(row.published_params is not None for row in MODELS.values()))


def equal() -> Html:
    """The number of models whose computed parameter count equals the published one exactly."""
    return _count(sum(_parameters_difference(row) == 0 for row in MODELS.values()))


def _model(row: Model) -> Iterator[Html | str]:
    shape, limit = row.shape, row.shape.context_limit
    yield row.name
    yield row.family
    yield phrases.ATTENTION_SHORT[shape.attention]
    yield _count(shape.layers)
    yield _prose(join([el("span", _keeps(group)) for group in shape.groups], ", "))
    for number in (
        shape.query_heads or None,
        shape.kv_heads,
        shape.head_dim,
        shape.hidden_size,
        shape.vocab_size,
        limit,
    ):
        yield _count(number)
    yield _bytes(shape.bytes_per_token(_FP16))
    yield _bytes(None if limit is None else shape.cache_bytes(limit, _FP16))
    yield _bytes(shape.state_bytes or None)
    yield _count(shape.params)
    yield _count(row.uncounted_params or None)
    yield _count(row.published_params)
    yield _difference(row)
    yield _bytes(row.weights.bytes_of(shape))


def _keeps(group: Group) -> str:
    window = group.window if isinstance(group, LayerGroup) else None
    values, index = (group.kv_rank + group.rope_dim, group.index_dim) if isinstance(group, LatentGroup) else (0, 0)
    return words.keeps(group.kind, group.layers, window=window, values=values, index=index)


def _parameters_difference(row: Model) -> int | None:
    """Computed parameters, with those that the shape leaves out, minus published ones; None if no count is published."""
    return None if row.published_params is None else row.shape.params + row.uncounted_params - row.published_params


def _difference(row: Model) -> Html:
    difference = _parameters_difference(row)
    if difference is None:
        return data(None, words.NO_COUNT)
    return data(difference, f"{difference:+,}" if difference else words.EQUAL)


def _remarks(row: Model) -> str:
    notes = (
        words.PAPER_ONLY if row.paper_only else "",
        words.left_out(row.uncounted) if row.uncounted else "",
        row.confidence,
    )
    return " ".join(filter(None, notes))


def _gpu(row: Gpu) -> Iterator[Html | str]:
    yield row.name
    yield row.label
    yield _bytes(row.memory_bytes)
    yield _count(row.memory_bytes)
    yield _rate(row.bandwidth_bytes_per_second, 10**12, phrases.bandwidth)
    for number_type in NUMBER_TYPES:
        yield _rate(row.peak_flops.get(number_type), 10**12, words.teraflops)
    yield row.link or phrases.UNKNOWN
    yield _rate(row.link_bytes_per_second, 10**9, words.gigabytes)


def _rate(rate: int | None, unit: int, worded: Callable[[str], str]) -> Html:
    return data(rate, phrases.UNKNOWN if rate is None else worded(significant(Fraction(rate, unit))))


def _prose(text: str) -> Html:
    """Text that may break into several lines."""
    return el("span", text, class_="kv-prose")


def _count(number: int | None) -> Html:
    return data(number, phrases.UNKNOWN if number is None else format_count(number))


def _bytes(size: int | None) -> Html:
    return data(size, phrases.UNKNOWN if size is None else format_bytes(size))
