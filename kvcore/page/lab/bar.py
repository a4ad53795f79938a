"""The footprint bar: weights, then cache, laid against the memory of the GPUs that hold them."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count as powers

from kvcore.page import phrases
from kvcore.page.draw.placement import text_width
from kvcore.page.draw.widths import WIDTHS, in_widths
from kvcore.page.html import Html, data, el, figure, folded, join, label_text
from kvcore.page.lab import words
from kvcore.page.lab.result import LabResult
from kvcore.units import fixed, format_bytes, format_count

_TOP, _BOTTOM, _NAMES, _CELLS, _HEIGHT = 24, 52, 15, 70, 78
_MOST_CELLS = 10
_GAP = 10


def footprint(result: LabResult, width: str | None = None) -> Html:
    """The footprint bar with its caption; `width` asks for one of its drawings only."""
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
    """How many GPUs it takes and what room they leave, in a sentence."""
    held = result.footprint
    room = None if held.max_batch is None else held.max_batch - held.batch
    return words.footprint_finding(format_bytes(held.total_bytes, result.units), held.gpus, result.gpu.label, room)


def _draw(size: str, result: LabResult, finding: str) -> Html:
    width = WIDTHS[size]
    held = result.footprint
    end = width - 1
    scale = (end - 1) / (held.gpus * held.gpu_bytes)
    weights, total = 1 + scale * held.weights_bytes, 1 + scale * held.total_bytes
    height = _BOTTOM - _TOP
    names = (
        (words.weights_label(format_bytes(held.weights_bytes, result.units)), "kv-weights-name", (1 + weights) / 2),
        (words.cache_label(format_bytes(held.cache_bytes, result.units)), "kv-cache-name", (weights + total) / 2),
        (words.free_label(format_bytes(held.free_bytes, result.units)), "kv-hw-name", (total + end) / 2),
    )
    return el(
        "svg",
        el("rect", class_="kv-hw", x=1, y=_TOP, width=end - 1, height=height, rx=3),
        el("rect", class_="kv-weights-solid", x=1, y=_TOP, width=max(0.5, weights - 1), height=height),
        el("rect", class_="kv-cache-solid", x=weights, y=_TOP, width=max(0.5, total - weights), height=height),
        *_cells(width, held.gpus),
        *(label_text(text, class_, x, _NAMES, "middle") for text, class_, x in _spread(names, width)),
        class_=f"kv-svg kv-bar kv-{size}",
        viewBox=f"0 0 {width} {_HEIGHT}",
        role="img",
        aria_label=finding,
    )


type Name = tuple[str, str, float]


def _spread(names: tuple[Name, ...], width: float) -> list[Name]:
    """Names over their parts, pushed apart where they would touch; the last goes where there is no room for all."""
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


def _cells(total: int, gpus: int) -> Iterator[Html]:
    """The boundaries between GPUs: each of a few, round counts of many; named where the names have room."""
    width = (total - 2) / gpus
    roomy = gpus <= _MOST_CELLS and width > text_width(words.gpu_cell(gpus)) + 4
    need = 4.0 if gpus <= _MOST_CELLS else text_width(format_count(gpus)) + _GAP
    step = next(step * 10**power for power in powers() for step in (1, 2, 5) if width * step * 10**power >= need)
    edges = range(step, gpus, step)
    if edges:
        yield el(
            "path",
            class_="kv-gpu",
            d="".join([f"M{1 + width * count:.1f},{_TOP - 4}V{_BOTTOM + 6}" for count in edges]),
        )
    if roomy:
        for count in range(1, gpus + 1):
            yield _tick(words.gpu_cell(count), 1 + width * (count - 0.5))
    else:
        for count in edges:
            if width * count + text_width(format_count(count)) / 2 < total:
                yield _tick(format_count(count), 1 + width * count)


def _tick(text: str, x: float) -> Html:
    return label_text(text, "kv-tick", x, _CELLS, "middle")


def footprint_table(result: LabResult) -> Html:
    """Weights, cache and free memory in bytes and as shares of the GPUs that hold them."""
    held = result.footprint
    full = held.gpus * held.gpu_bytes
    parts = (
        (words.ROW_WEIGHTS, held.weights_bytes),
        (words.ROW_CACHE, held.cache_bytes),
        (words.ROW_FREE, held.free_bytes),
        (phrases.gpus(held.gpus, result.gpu.label), full),
    )
    rows = [
        (name, data(size, format_bytes(size, result.units)), phrases.percent(fixed(Fraction(100 * size, full), 1)))
        for name, size in parts
    ]
    return folded(words.FOOTPRINT_TABLE, (words.HEAD_PART, words.HEAD_BYTES, words.HEAD_SHARE), rows)
