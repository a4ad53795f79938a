"""The footprint bar: weights and cache as segments of the memory of the GPUs that they need."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count as count_from

from kvcore.page import phrases
from kvcore.page.draw.placement import text_width
from kvcore.page.draw.widths import WIDTHS, in_widths
from kvcore.page.html import Html, data, el, figure, folded, join, label_text
from kvcore.page.lab import words
from kvcore.page.lab.result import LabResult
from kvcore.units import fixed, format_bytes, format_count

_TOP, _BOTTOM, _NAMES_Y, _GPU_LABELS_Y, _HEIGHT = 24, 52, 15, 70, 78
_MOST_LABELLED = 10
"""The most GPUs of which each has a label of its own."""

_GAP = 10
"""The least distance between two labels, in SVG units."""


def footprint_figure(result: LabResult, width: str | None = None) -> Html:
    """The footprint bar with its caption; `width` is the name of the width to draw, None for both."""
    finding = footprint_finding(result)
    caption = join(
        [
            el("strong", finding),
            el("span", words.footprint_legend(format_bytes(result.gpu.memory_bytes, result.units))),
        ],
        " ",
    )
    return figure(in_widths(lambda name: _draw(name, result, finding), width), caption)


def footprint_finding(result: LabResult) -> str:
    """A sentence with the number of GPUs and the number of sequences that still fit."""
    footprint = result.footprint
    room = None if footprint.max_batch is None else footprint.max_batch - footprint.batch
    return words.footprint_finding(
        format_bytes(footprint.total_bytes, result.units), footprint.gpus, result.gpu.label, room
    )


def _draw(size: str, result: LabResult, finding: str) -> Html:
    width = WIDTHS[size]
    footprint = result.footprint
    end = width - 1
    scale = (end - 1) / (footprint.gpus * footprint.gpu_bytes)
    weights, total = 1 + scale * footprint.weights_bytes, 1 + scale * footprint.total_bytes
    height = _BOTTOM - _TOP
    names = (
        (
            words.weights_label(format_bytes(footprint.weights_bytes, result.units)),
            "kv-weights-name",
            (1 + weights) / 2,
        ),
        (words.cache_label(format_bytes(footprint.cache_bytes, result.units)), "kv-cache-name", (weights + total) / 2),
        (words.free_label(format_bytes(footprint.free_bytes, result.units)), "kv-hw-name", (total + end) / 2),
    )
    return el(
        "svg",
        el("rect", class_="kv-hw", x=1, y=_TOP, width=end - 1, height=height, rx=3),
        el("rect", class_="kv-weights-solid", x=1, y=_TOP, width=max(0.5, weights - 1), height=height),
        el("rect", class_="kv-cache-solid", x=weights, y=_TOP, width=max(0.5, total - weights), height=height),
        *_gpu_boundaries(width, footprint.gpus),
        *(label_text(text, class_, x, _NAMES_Y, "middle") for text, class_, x in _spread(names, width)),
        class_=f"kv-svg kv-bar kv-{size}",
        viewBox=f"0 0 {width} {_HEIGHT}",
        role="img",
        aria_label=finding,
    )


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


def _gpu_boundaries(total: int, gpus: int) -> Iterator[Html]:
    """The boundaries between GPUs, with labels: all of them for few GPUs, else those at round counts."""
    width = (total - 2) / gpus
    labelled = gpus <= _MOST_LABELLED and width > text_width(words.gpu_cell(gpus)) + 4
    need = 4.0 if gpus <= _MOST_LABELLED else text_width(format_count(gpus)) + _GAP
    step = next(step * 10**power for power in count_from() for step in (1, 2, 5) if width * step * 10**power >= need)
    edges = range(step, gpus, step)
    if edges:
        yield el(
            "path",
            class_="kv-gpu",
            d="".join([f"M{1 + width * count:.1f},{_TOP - 4}V{_BOTTOM + 6}" for count in edges]),
        )
    if labelled:
        for count in range(1, gpus + 1):
            yield _tick(words.gpu_cell(count), 1 + width * (count - 0.5))
    else:
        for count in edges:
            if width * count + text_width(format_count(count)) / 2 < total:
                yield _tick(format_count(count), 1 + width * count)


def _tick(text: str, x: float) -> Html:
    return label_text(text, "kv-tick", x, _GPU_LABELS_Y, "middle")


def footprint_table(result: LabResult) -> Html:
    """The bar as a table: weights, cache and free memory in bytes and in percent of the GPUs' memory."""
    footprint = result.footprint
    full = footprint.gpus * footprint.gpu_bytes
    parts = (
        (words.ROW_WEIGHTS, footprint.weights_bytes),
        (words.ROW_CACHE, footprint.cache_bytes),
        (words.ROW_FREE, footprint.free_bytes),
        (phrases.gpus(footprint.gpus, result.gpu.label), full),
    )
    rows = [
        (name, data(size, format_bytes(size, result.units)), phrases.percent(fixed(Fraction(100 * size, full), 1)))
        for name, size in parts
    ]
    return folded(words.FOOTPRINT_TABLE, (words.HEAD_PART, words.HEAD_BYTES, words.HEAD_SHARE), rows)
