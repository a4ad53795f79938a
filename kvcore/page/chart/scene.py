"""Where everything of the cliff chart stands, in the coordinates of a figure of one width."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import neg

from kvcore.page.chart.result import ChartResult
from kvcore.page.draw.axes import FIRST_CONTEXT, LAST_CONTEXT, MemoryAxis, context_fraction
from kvcore.page.draw.labels import LINE
from kvcore.page.draw.widths import WIDTHS

_PER_OCTAVE = 6
_OCTAVES = 10
SAMPLES = tuple(round(FIRST_CONTEXT * 2 ** (index / _PER_OCTAVE)) for index in range(_PER_OCTAVE * _OCTAVES + 1))
"""The contexts at which curves are drawn; between two of them a straight line is off by less than a pixel."""

_LADDER = tuple(step * 10**power for power in range(12) for step in (1, 2, 5))
_MOST_GPU_LINES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A size to draw for; margins hold the labels of the axes."""

    name: str
    width: int
    height: int
    left: int
    right: int
    top: int = 14
    bottom: int = 46

    @property
    def plot_width(self) -> int:
        """Width within the margins."""
        return self.width - self.left - self.right

    @property
    def plot_height(self) -> int:
        """Height within the margins."""
        return self.height - self.top - self.bottom

    @property
    def end(self) -> int:
        """The right edge of the plot."""
        return self.width - self.right

    @property
    def floor(self) -> int:
        """The lower edge of the plot."""
        return self.height - self.bottom

    @property
    def step(self) -> float:
        """From one sample's x to the next: even, as the axis is logarithmic."""
        return self.plot_width / (len(SAMPLES) - 1)

    def x(self, context: float) -> float:
        """Where a context stands."""
        return self.left + self.plot_width * context_fraction(context)

    def y(self, axis: MemoryAxis, size: float) -> float:
        """Where a size in bytes stands."""
        return self.top + self.plot_height * (1 - axis.fraction(size))


WIDE = Frame(name="wide", width=WIDTHS["wide"], height=372, left=72, right=120)
NARROW = Frame(name="narrow", width=WIDTHS["narrow"], height=330, left=66, right=10)
FRAMES = {frame.name: frame for frame in (WIDE, NARROW)}


@lru_cache(maxsize=4)
def _columns(frame: Frame) -> tuple[float, ...]:
    """Where the samples stand."""
    return tuple(frame.left + frame.step * index for index in range(len(SAMPLES)))


@lru_cache(maxsize=256)
def _path_template(frame: Frame, count: int) -> str:
    """The path through the first samples, in the plot's coordinates, with places for their heights."""
    return "M" + "L".join([f"{x - frame.left:.1f},%.1f" for x in _columns(frame)[:count]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve in a figure: its heights at the samples from the left on, and the x of the last where it leaves between two."""

    frame: Frame
    heights: Sequence[float]
    leaves: float | None

    @property
    def points(self) -> Iterator[tuple[float, float]]:
        """The points it is drawn through, from the left."""
        columns = _columns(self.frame)[: len(self.heights)]
        return zip(columns if self.leaves is None else (*columns[:-1], self.leaves), self.heights, strict=True)

    def path(self) -> str:
        """The curve in SVG's words, in the plot's coordinates. Most of a path is the same throughout a drag."""
        heights = [y - self.frame.top for y in self.heights]
        if self.leaves is None:
            return _path_template(self.frame, len(heights)) % tuple(heights)
        end = f"L{self.leaves - self.frame.left:.1f},{heights.pop():.1f}"
        return _path_template(self.frame, len(heights)) % tuple(heights) + end


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Bytes at every sample: of the Lab's cache, of its twins, of what it is compared with."""

    cache: Sequence[int]
    twins: Mapping[str, Sequence[int]]
    compared: Sequence[int] | None

    @classmethod
    def of(cls, result: ChartResult) -> "Curves":
        """The curves of a result."""
        return cls(
            cache=result.lab.footprint.cache_curve(SAMPLES),
            twins={name: twin.cache_curve(SAMPLES) for name, twin in result.lab.twins.items()},
            compared=result.compared[1].cache_curve(SAMPLES) if result.compared else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A result laid out; `cliff_x` and `limit_x` are None where there is nothing of the kind on the chart.

    compared: the curve of what the Lab is compared with, and the y of its weights. gpus: counts that are drawn with the y of their memory; cache, twins: the curves.
    """

    frame: Frame
    axis: MemoryAxis
    result: ChartResult
    weights_y: float
    here_x: float
    here_y: float
    cliff_x: float | None
    limit_x: float | None
    gpus: Sequence[tuple[int, float]]
    cache: Line
    twins: Mapping[str, Line]
    compared: tuple[Line, float] | None

    @classmethod
    def of(cls, frame: Frame, result: ChartResult, curves: Curves) -> "Scene":
        """Lay out a result whose curves have these bytes at the samples."""
        lab, axis = result.lab, result.axis
        held, limit = lab.footprint, lab.model.shape.context_limit
        weights_y = frame.y(axis, held.weights_bytes)
        cliff, on_chart = held.cliff_context, range(FIRST_CONTEXT, LAST_CONTEXT + 1)
        crosses = cliff is not None and cliff in on_chart and weights_y >= frame.top
        marked = limit is not None and limit in on_chart and limit != held.context
        return cls(
            frame=frame,
            axis=axis,
            result=result,
            weights_y=weights_y,
            here_x=frame.x(held.context),
            here_y=frame.y(axis, held.cache_bytes),
            cliff_x=frame.x(cliff) if cliff is not None and crosses else None,
            limit_x=frame.x(limit) if limit is not None and marked else None,
            gpus=tuple(_gpu_lines(frame, axis, held.gpu_bytes)),
            cache=_line(frame, axis, curves.cache),
            twins={name: _line(frame, axis, sizes) for name, sizes in curves.twins.items()},
            compared=None
            if curves.compared is None or result.compared is None
            else (_line(frame, axis, curves.compared), frame.y(axis, result.compared[1].weights_bytes)),
        )


def _gpu_lines(frame: Frame, axis: MemoryAxis, gpu_bytes: int) -> Iterator[tuple[int, float]]:
    """GPU counts of a 1-2-5 ladder that stand on the chart, from the largest down, a line of text apart."""
    last, count = float("-inf"), 0
    most = int(axis.top / gpu_bytes)
    for gpus in reversed(_LADDER):
        if gpus <= most and axis.bottom < gpus * gpu_bytes and count < _MOST_GPU_LINES:
            y = frame.y(axis, gpus * gpu_bytes)
            if y - last >= LINE + 1 and y < frame.floor - 4:
                yield gpus, y
                last, count = y, count + 1


def _line(frame: Frame, axis: MemoryAxis, sizes: Sequence[int]) -> Line:
    """A curve, which never falls, cut a little above the figure's frame."""
    ceiling, floor, height = frame.top - 0.3 * frame.plot_height, frame.floor, frame.plot_height
    if axis.scale == "linear":
        per_byte = height / axis.top
        heights = [floor - size * per_byte for size in sizes]
    else:
        heights = [floor - height * axis.fraction(size) for size in sizes]
    heights[0] = max(ceiling, heights[0])
    cut = bisect_right(heights, -ceiling, key=neg)
    if cut == len(heights):
        return Line(frame=frame, heights=heights, leaves=None)
    (x0, x), (y0, y) = _columns(frame)[cut - 1 : cut + 1], heights[cut - 1 : cut + 1]
    leaves = x0 + (x - x0) * (y0 - ceiling) / (y0 - y)
    return Line(frame=frame, heights=[*heights[:cut], ceiling], leaves=leaves)
