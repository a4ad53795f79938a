"""The layout of the cliff chart: the coordinates of all its lines and marks in a drawing of one width."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import neg

from kvcore.page.chart.result import ChartResult
from kvcore.page.draw.axes import FIRST_CONTEXT, LAST_CONTEXT, MemoryAxis, context_fraction
from kvcore.page.draw.placement import LINE
from kvcore.page.draw.widths import WIDTHS

_PER_OCTAVE = 6
_OCTAVES = 10
SAMPLES = tuple(round(FIRST_CONTEXT * 2 ** (index / _PER_OCTAVE)) for index in range(_PER_OCTAVE * _OCTAVES + 1))
"""The contexts at which curves are computed; a straight line between two of them is off by less than a pixel."""

_GPU_COUNTS = tuple(step * 10**power for power in range(12) for step in (1, 2, 5))
_MOST_GPU_LINES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The size of a drawing and the margins around its plot, in SVG units; the margins have the axes' labels."""

    name: str
    width: int
    height: int
    left: int
    right: int
    top: int = 14
    bottom: int = 46

    @property
    def plot_width(self) -> int:
        """The width of the plot, without the margins."""
        return self.width - self.left - self.right

    @property
    def plot_height(self) -> int:
        """The height of the plot, without the margins."""
        return self.height - self.top - self.bottom

    @property
    def end(self) -> int:
        """The x of the plot's right edge."""
        return self.width - self.right

    @property
    def floor(self) -> int:
        """The y of the plot's lower edge."""
        return self.height - self.bottom

    @property
    def step(self) -> float:
        """The distance in x between two samples: always the same, because the context axis is logarithmic."""
        return self.plot_width / (len(SAMPLES) - 1)

    def x(self, context: float) -> float:
        """The x of a context in tokens."""
        return self.left + self.plot_width * context_fraction(context)

    def y(self, axis: MemoryAxis, size: float) -> float:
        """The y of a size in bytes."""
        return self.top + self.plot_height * (1 - axis.fraction(size))


WIDE = Frame(name="wide", width=WIDTHS["wide"], height=372, left=72, right=120)
NARROW = Frame(name="narrow", width=WIDTHS["narrow"], height=330, left=66, right=10)
FRAMES = {frame.name: frame for frame in (WIDE, NARROW)}


@lru_cache(maxsize=4)
def _columns(frame: Frame) -> tuple[float, ...]:
    """The x of every sample."""
    return tuple(frame.left + frame.step * index for index in range(len(SAMPLES)))


@lru_cache(maxsize=256)
def _path_template(frame: Frame, count: int) -> str:
    """A format string of the SVG path through the first `count` samples, with a %.1f for the y of each."""
    return "M" + "L".join([f"{x - frame.left:.1f},%.1f" for x in _columns(frame)[:count]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve in a drawing.

    ys: its y at each sample, from the left. exit_x: the x at which the curve leaves the plot at the top, between two
    samples; the last of `ys` then belongs to this x. None if it does not leave.
    """

    frame: Frame
    ys: Sequence[float]
    exit_x: float | None

    @property
    def points(self) -> Iterator[tuple[float, float]]:
        """The points of the curve in the drawing, from the left."""
        xs = _columns(self.frame)[: len(self.ys)]
        return zip(xs if self.exit_x is None else (*xs[:-1], self.exit_x), self.ys, strict=True)

    def path(self) -> str:
        """The SVG path of the curve, in the coordinates of the plot.

        A drag changes only the ys, so the rest of the path comes from a cached format string.
        """
        ys = [y - self.frame.top for y in self.ys]
        if self.exit_x is None:
            return _path_template(self.frame, len(ys)) % tuple(ys)
        end = f"L{self.exit_x - self.frame.left:.1f},{ys.pop():.1f}"
        return _path_template(self.frame, len(ys)) % tuple(ys) + end


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Bytes of cache at every sample: of the Lab's model, of its twins, and of the compared model, if there is one."""

    cache: Sequence[int]
    twins: Mapping[str, Sequence[int]]
    compared: Sequence[int] | None

    @classmethod
    def of(cls, result: ChartResult) -> "Curves":
        """Compute the curves of a result."""
        return cls(
            cache=result.lab.footprint.cache_curve(SAMPLES),
            twins={name: twin.cache_curve(SAMPLES) for name, twin in result.lab.twins.items()},
            compared=result.compared[1].cache_curve(SAMPLES) if result.compared else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The coordinates of everything in a drawing of the chart.

    weights_y: the line of the weights. here_x, here_y: the dot at the chosen context. cliff_x: the crossing of cache and
    weights; limit_x: the model's context limit, where the region begins that it was not made for; both None if they are
    not on the chart. gpus: GPU counts, each with the
    y of its memory. cache, twins: the curves. compared: the compared model's curve and the y of its weights.
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
        """Lay out a result and its curves in a frame."""
        lab, axis = result.lab, result.axis
        footprint, limit = lab.footprint, lab.model.shape.context_limit
        weights_y = frame.y(axis, footprint.weights_bytes)
        cliff, on_chart = footprint.cliff_context, range(FIRST_CONTEXT, LAST_CONTEXT + 1)
        crosses = cliff is not None and cliff in on_chart and weights_y >= frame.top
        return cls(
            frame=frame,
            axis=axis,
            result=result,
            weights_y=weights_y,
            here_x=frame.x(footprint.context),
            here_y=frame.y(axis, footprint.cache_bytes),
            cliff_x=frame.x(cliff) if cliff is not None and crosses else None,
            limit_x=frame.x(limit) if limit is not None and limit in on_chart and limit < LAST_CONTEXT else None,
            gpus=tuple(_gpu_lines(frame, axis, footprint.gpu_bytes)),
            cache=_line(frame, axis, curves.cache),
            twins={name: _line(frame, axis, sizes) for name, sizes in curves.twins.items()},
            compared=None
            if curves.compared is None or result.compared is None
            else (_line(frame, axis, curves.compared), frame.y(axis, result.compared[1].weights_bytes)),
        )


def _gpu_lines(frame: Frame, axis: MemoryAxis, gpu_bytes: int) -> Iterator[tuple[int, float]]:
    """GPU counts 1, 2, 5, 10, ... whose memory is on the axis, the largest first, and the y of that memory.

    A count is left out if its line would be less than a line of text below the one above it.
    """
    last, count = float("-inf"), 0
    most = int(axis.top / gpu_bytes)
    for gpus in reversed(_GPU_COUNTS):
        if gpus <= most and axis.bottom < gpus * gpu_bytes and count < _MOST_GPU_LINES:
            y = frame.y(axis, gpus * gpu_bytes)
            if y - last >= LINE + 1 and y < frame.floor - 4:
                yield gpus, y
                last, count = y, count + 1


def _line(frame: Frame, axis: MemoryAxis, sizes: Sequence[int]) -> Line:
    """The curve of these sizes at the samples, which never fall, cut off a little above the top of the plot."""
    ceiling, floor, height = frame.top - 0.3 * frame.plot_height, frame.floor, frame.plot_height
    if axis.scale == "linear":
        per_byte = height / axis.top
        ys = [floor - size * per_byte for size in sizes]
    else:
        ys = [floor - height * axis.fraction(size) for size in sizes]
    ys[0] = max(ceiling, ys[0])
    cut = bisect_right(ys, -ceiling, key=neg)
    if cut == len(ys):
        return Line(frame=frame, ys=ys, exit_x=None)
    (x0, x), (y0, y) = _columns(frame)[cut - 1 : cut + 1], ys[cut - 1 : cut + 1]
    exit_x = x0 + (x - x0) * (y0 - ceiling) / (y0 - y)
    return Line(frame=frame, ys=[*ys[:cut], ceiling], exit_x=exit_x)
