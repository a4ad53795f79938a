"""The footprint bar: weights, then cache, laid against the memory of the GPUs that hold them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count as powers

from kvcore.page import words
from kvcore.page.figures.labels import text_width
from kvcore.page.results import LabResult
from kvcore.page.svg import Html, el, join, label_text
from kvcore.units import format_bytes

_TOP, _BOTTOM, _NAMES, _CELLS, _HEIGHT = 24, 52, 15, 70, 78
_MOST_CELLS = 10
_GAP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A width to draw for."""

    name: str
    width: int


SIZES = (Size(name="wide", width=700), Size(name="narrow", width=340))


def footprint_bar(result: LabResult, finding: str, width: str | None = None) -> Html:
    """The bar in both widths, or in the one named; its accessible name is the finding."""
    return join(_draw(size, result, finding) for size in SIZES if width in {None, size.name})


def _draw(size: Size, result: LabResult, finding: str) -> Html:
    held = result.footprint
    end = size.width - 1
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
        *_cells(size, held.gpus),
        *(label_text(text, class_, x, _NAMES, "middle") for text, class_, x in _spread(names, size.width)),
        class_=f"kv-svg kv-bar kv-{size.name}",
        viewBox=f"0 0 {size.width} {_HEIGHT}",
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


def _cells(size: Size, gpus: int) -> Iterator[Html]:
    """The boundaries between GPUs: each of a few, round counts of many; named where the names have room."""
    width = (size.width - 2) / gpus
    roomy = gpus <= _MOST_CELLS and width > text_width(words.gpu_cell(gpus)) + 4
    need = 4.0 if gpus <= _MOST_CELLS else text_width(words.count(gpus)) + _GAP
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
            if width * count + text_width(words.count(count)) / 2 < size.width:
                yield _tick(words.count(count), 1 + width * count)


def _tick(text: str, x: float) -> Html:
    return label_text(text, "kv-tick", x, _CELLS, "middle")
