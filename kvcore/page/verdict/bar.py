"""The footprint bar: the memory of the GPUs that the reader has, with what is reserved, the weights and the cache laid against it.

All GPUs together store as many times what the fullest one stores: where the bar passes the end of the last GPU, it does not fit.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count as count_from

from kvcore.page import phrases
from kvcore.page.draw.placement import text_width
from kvcore.page.draw.widths import WIDTHS, in_widths
from kvcore.page.html import Html, data, el, figure, folded, join, label_text
from kvcore.page.verdict import words
from kvcore.page.verdict.result import VerdictResult
from kvcore.units import fixed, format_bytes, format_count

_TOP, _BOTTOM, _NAMES_Y, _GPU_LABELS_Y, _HEIGHT = 24, 52, 15, 70, 78
_MOST_LABELLED = 10
"""The most GPUs of which each has a label of its own."""

_GAP = 10
"""The least distance between two labels, in SVG units."""


def footprint_figure(result: VerdictResult, width: str | None = None) -> Html:
    """The footprint bar with its caption; `width` is the name of the width to draw, None for both."""
    finding = footprint_finding(result)
    caption = join(
        [
            el("strong", finding),
            el("span", words.footprint_legend(format_bytes(result.lab.gpu.memory_bytes, result.units))),
        ],
        " ",
    )
    return figure(in_widths(lambda name: _draw(name, result, finding), width), caption)


def footprint_finding(result: VerdictResult) -> str:
    """A sentence with the memory that weights and cache take on all GPUs, and the memory that there is for them."""
    share, count = result.share, result.gpus
    return words.footprint_finding(
        format_bytes(count * (share.weights_bytes + share.cache_bytes), result.units),
        format_bytes(count * share.usable_bytes, result.units),
        count,
        result.lab.gpu.label,
    )


def _draw(size: str, result: VerdictResult, finding: str) -> Html:
    width, height = WIDTHS[size], _BOTTOM - _TOP
    share, count, units = result.share, result.gpus, result.units
    reserve, weights, cache, free = (count * part for part in _parts(result))
    memory = count * result.lab.gpu.memory_bytes
    scale = (width - 2) / max(memory, reserve + weights + cache)
    x_weights, x_cache = 1 + scale * reserve, 1 + scale * (reserve + weights)
    x_free, end = 1 + scale * (reserve + weights + cache), 1 + scale * memory
    left_over = words.free_label if share.fits else words.missing_label
    names = (
        (words.weights_label(format_bytes(weights, units)), "kv-weights-name", (x_weights + x_cache) / 2),
        (words.cache_label(format_bytes(cache, units)), "kv-cache-name", (x_cache + x_free) / 2),
        (left_over(format_bytes(abs(free), units)), "kv-hw-name", (x_free + end) / 2),
    )
    return el(
        "svg",
        el("rect", class_="kv-hw", x=1, y=_TOP, width=end - 1, height=height, rx=3),
        *_hatched(size, scale * reserve, height),
        el(
            "rect",
            class_="kv-weights-solid",
            x=x_weights,
            y=_TOP,
            width=max(0.5, x_cache - x_weights - 1),
            height=height,
        ),
        el("rect", class_="kv-cache-solid", x=x_cache, y=_TOP, width=max(0.5, x_free - x_cache), height=height),
        *_gpu_boundaries(end - 1, count),
        el("path", class_="kv-full", d=f"M{end:.1f},{_TOP - 6}V{_BOTTOM + 6}"),
        *(label_text(text, class_, x, _NAMES_Y, "middle") for text, class_, x in _spread(names, width)),
        class_=f"kv-svg kv-bar kv-{size}",
        viewBox=f"0 0 {width} {_HEIGHT}",
        role="img",
        aria_label=finding,
    )


def _parts(result: VerdictResult) -> tuple[int, int, int, int]:
    """Bytes of each GPU: reserve, weights, cache, and what is left; the last is negative if there is too little."""
    share = result.share
    return (
        result.lab.gpu.memory_bytes - share.usable_bytes, share.weights_bytes, share.cache_bytes, share.free_bytes,
    )  # fmt: skip


def _hatched(size: str, width: float, height: int) -> Iterator[Html]:
    """The hatched room at the left end that is kept in reserve."""
    if width >= 1:
        ident = f"kv-reserve-{size}"
        lines = el("path", class_="kv-hatch", d="M-1,7L7,-1M5,13L13,5")
        pattern = el("pattern", lines, id=ident, width=6, height=6, patternUnits="userSpaceOnUse")
        yield el("defs", pattern)
        yield el("rect", x=1, y=_TOP, width=width, height=height, fill=f"url(#{ident})")


type Name = tuple[str, str, float]


def _spread(names: tuple[Name, ...], width: float) -> list[Name]:
    """The x of each name: above its segment, moved aside so that names do not touch; without the last if they cannot fit."""
    widths = [text_width(text, bold=True) for text, _, _ in names]
    if sum(widths) + _GAP * (len(names) - 1) > width:
        return _spread(names[:-1], width)
    lefts = [x - half for (_, _, x), half in zip(names, (w / 2 for w in widths), strict=True)]
    edge = 0.0
    for index, wide in enumerate(widths):
        lefts[index] = max(lefts[index], edge)
        edge = lefts[index] + wide + _GAP
    edge = width
    for index in reversed(range(len(names))):
        lefts[index] = min(lefts[index], edge - widths[index])
        edge = lefts[index] - _GAP
    return [(text, class_, left + wide / 2) for (text, class_, _), left, wide in zip(names, lefts, widths, strict=True)]


def _gpu_boundaries(width: float, gpus: int) -> Iterator[Html]:
    """The boundaries between GPUs on a bar of this width, with labels: all of them for few GPUs, else those at round counts."""
    each = width / gpus
    labelled = gpus <= _MOST_LABELLED and each > text_width(words.gpu_cell(gpus)) + 4
    need = 4.0 if gpus <= _MOST_LABELLED else text_width(format_count(gpus)) + _GAP
    step = next(step * 10**power for power in count_from() for step in (1, 2, 5) if each * step * 10**power >= need)
    edges = range(step, gpus, step)
    if edges:
        yield el(
            "path",
            class_="kv-gpu",
            d="".join([f"M{1 + each * count:.1f},{_TOP - 4}V{_BOTTOM + 6}" for count in edges]),
        )
    if labelled:
        for count in range(1, gpus + 1):
            yield _tick(words.gpu_cell(count), 1 + each * (count - 0.5))
    else:
        for count in edges:
            if each * count + text_width(format_count(count)) / 2 < width:
                yield _tick(format_count(count), 1 + each * count)


def _tick(text: str, x: float) -> Html:
    return label_text(text, "kv-tick", x, _GPU_LABELS_Y, "middle")


def footprint_table(result: VerdictResult) -> Html:
    """The bar as a table: reserve, weights, cache and what is left, on each GPU, on all of them, and in percent of the memory."""
    reserve, weights, cache, free = _parts(result)
    memory, count, units = result.lab.gpu.memory_bytes, result.gpus, result.units
    parts = (
        (words.ROW_RESERVE, reserve),
        (words.ROW_WEIGHTS, weights),
        (words.ROW_CACHE, cache),
        (words.ROW_FREE if free >= 0 else words.ROW_MISSING, abs(free)),
        (words.ROW_MEMORY, memory),
    )
    rows = [
        (
            name,
            data(size, format_bytes(size, units)),
            data(count * size, format_bytes(count * size, units)),
            phrases.percent(fixed(Fraction(100 * size, memory), 1)),
        )
        for name, size in parts
    ]
    heads = (words.HEAD_PART, words.HEAD_EACH, words.HEAD_ALL, words.HEAD_SHARE)
    return folded(words.FOOTPRINT_TABLE, heads, rows)
