"""The catalogue as the page of models prints it: shapes with their numbers, sources, and GPUs."""

from collections.abc import Iterator
from fractions import Fraction

from kvcore.catalog import GPUS, MODELS, Gpu, Model
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.page import phrases
from kvcore.page.html import Html, data, el, join, table
from kvcore.page.printed import words
from kvcore.units import format_bytes, format_count, significant

_FP16, _WEIGHTS = CACHE_DTYPES["fp16"], WEIGHT_DTYPES["fp16"]


def models() -> Html:
    """Every model: its shape, its cache, its weights, and its parameters beside the published count."""
    return table(
        words.CATALOGUE_TABLE,
        words.CATALOGUE_HEADS,
        (list(_model(row)) for row in MODELS.values()),
        class_="kv-data kv-sortable kv-record kv-record-models",
    )


def sources() -> Html:
    """Every model: where and when its facts were read, and what is not certain about them."""
    rows = (
        [row.name, row.read, _prose(row.source), _prose(row.params_source), _prose(_remarks(row))]
        for row in MODELS.values()
    )
    return table(
        words.SOURCES_TABLE, words.SOURCES_HEADS, rows, class_="kv-data kv-sortable kv-record kv-record-sources"
    )


def gpus() -> Html:
    """Every GPU: its memory, its rates, and where both are from."""
    return table(
        words.GPUS_TABLE,
        words.GPU_HEADS,
        (list(_gpu(row)) for row in GPUS.values()),
        class_="kv-data kv-sortable kv-record kv-record-gpus",
    )


def count() -> Html:
    """Models in the catalog."""
    return _count(len(MODELS))


def families() -> Html:
    """Families they belong to."""
    return _count(len({row.family for row in MODELS.values()}))


def published() -> Html:
    """Models whose exact parameter count is published."""
    return _count(sum(row.published_params is not None for row in MODELS.values()))


def equal() -> Html:
    """Models whose parameters, computed from the config, are that count to the last digit."""
    return _count(sum(_apart(row) == 0 for row in MODELS.values()))


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
    yield _bytes(shape.weights_bytes(_WEIGHTS))


def _keeps(group: Group) -> str:
    window = group.window if isinstance(group, LayerGroup) else None
    values, index = (group.kv_rank + group.rope_dim, group.index_dim) if isinstance(group, LatentGroup) else (0, 0)
    return words.keeps(group.kind, group.layers, window=window, values=values, index=index)


def _apart(row: Model) -> int | None:
    """Computed parameters, and those left out of the shape, less published ones."""
    return None if row.published_params is None else row.shape.params + row.uncounted_params - row.published_params


def _difference(row: Model) -> Html:
    apart = _apart(row)
    if apart is None:
        return data(None, words.NO_COUNT)
    return data(apart, f"{apart:+,}" if apart else words.EQUAL)


def _remarks(row: Model) -> str:
    notes = (
        words.PAPER_ONLY if row.paper_only else "",
        words.left_out(row.uncounted) if row.uncounted else "",
        row.confidence,
    )
    return " ".join(filter(None, notes))


def _gpu(row: Gpu) -> Iterator[Html | str]:
    bandwidth = Fraction(row.bandwidth_bytes_per_second, 10**12)
    flops = Fraction(row.fp16_flops, 10**12)
    yield row.name
    yield row.label
    yield _bytes(row.memory_bytes)
    yield _count(row.memory_bytes)
    yield data(row.bandwidth_bytes_per_second, phrases.bandwidth(significant(bandwidth)))
    yield data(row.fp16_flops, words.teraflops(significant(flops)))
    yield _prose(row.memory_source)
    yield _prose(row.source)
    yield row.read
    yield _prose(row.confidence)


def _prose(text: str) -> Html:
    """Text that breaks into lines."""
    return el("span", text, class_="kv-prose")


def _count(number: int | None) -> Html:
    return data(number, phrases.UNKNOWN if number is None else format_count(number))


def _bytes(size: int | None) -> Html:
    return data(size, phrases.UNKNOWN if size is None else format_bytes(size))
