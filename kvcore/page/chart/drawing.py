"""The cliff chart: flat weights, rising cache, the context where they cross, and the GPUs it takes.

Drawn once for a wide page and once for a narrow one from the same samples; the page shows one of them.
"""

from collections.abc import Iterator
from functools import lru_cache

from kvcore.page.chart import words
from kvcore.page.chart.labels import cliff_labels
from kvcore.page.chart.result import ChartResult
from kvcore.page.chart.scene import FRAMES, WIDE, Curves, Frame, Scene
from kvcore.page.draw.axes import CONTEXT_TICKS, LAST_CONTEXT, MemoryAxis
from kvcore.page.draw.labels import text_width
from kvcore.page.draw.widths import in_widths
from kvcore.page.html import Html, el, join, label_text, number


def cliff_chart(result: ChartResult, finding: str, width: str | None = None) -> Html:
    """The chart in both widths, or in the one named; its accessible name is the finding."""
    curves = Curves.of(result)
    return in_widths(lambda name: _draw(Scene.of(FRAMES[name], result, curves), finding), width)


def _draw(scene: Scene, finding: str) -> Html:
    frame = scene.frame
    size = {"width": frame.plot_width, "height": frame.plot_height}
    return el(
        "svg",
        _grid(frame, scene.axis),
        el("svg", *_marks(scene), x=frame.left, y=frame.top, overflow="hidden", **size),
        *_uprights(scene),
        *_gpu_margin(scene),
        cliff_labels(scene),
        class_=f"kv-svg kv-{frame.name}",
        viewBox=f"0 0 {frame.width} {frame.height}",
        role="img",
        aria_label=finding,
    )


@lru_cache(maxsize=8)
def _grid(frame: Frame, axis: MemoryAxis) -> Html:
    """Both axes: the same throughout a drag."""
    return join((*_memory_ticks(frame, axis), *_context_ticks(frame)))


def _memory_ticks(frame: Frame, axis: MemoryAxis) -> Iterator[Html]:
    ticks = [(frame.y(axis, size), label) for size, label in axis.ticks()]
    yield el("path", class_="kv-grid", d="".join([f"M{frame.left},{number(y)}H{frame.end}" for y, _ in ticks]))
    for y, label in ticks:
        yield label_text(label, "kv-tick", frame.left - 8, y + 4, "end")


def _context_ticks(frame: Frame) -> Iterator[Html]:
    for context, label in CONTEXT_TICKS:
        cut = context == LAST_CONTEXT and frame.right < text_width(label)
        x, anchor = (frame.width - 2.0, "end") if cut else (frame.x(context), "middle")
        yield label_text(label, "kv-tick", x, frame.floor + 18, anchor)
    title = words.CONTEXT_AXIS if frame is WIDE else words.CONTEXT_AXIS_SHORT
    middle = (frame.left + frame.end) / 2
    yield label_text(title, "kv-axis", middle, frame.height - 8, "middle")


def _marks(scene: Scene) -> Iterator[Html]:
    """What the plot clips: the band of the weights, the curves, the GPUs. Coordinates are the plot's own."""
    frame = scene.frame
    width, level = frame.plot_width, scene.weights_y - frame.top
    cache = scene.cache.path()
    yield el(
        "rect", class_="kv-weights", x=0, y=max(0.0, level), width=width, height=max(0.0, frame.plot_height - level)
    )
    for line in scene.twins.values():
        yield el("path", class_="kv-twin", d=line.path())
    if scene.compared is not None:
        line, other = scene.compared
        yield el("path", class_="kv-compared", d=line.path())
        yield el("path", class_="kv-compared-weights", d=f"M0,{number(other - frame.top)}H{width}")
    yield el("path", class_="kv-cache-area", d=f"{cache}H{width}V{frame.plot_height}H0Z")
    yield el("path", class_="kv-weights-line", d=f"M0,{number(level)}H{width}")
    levels = [f"M0,{number(y - frame.top)}H{width}" for _, y in scene.gpus]
    yield el("path", class_="kv-gpu", d="".join(levels)) if levels else Html("")
    yield el("path", class_="kv-cache", d=cache)


def _uprights(scene: Scene) -> Iterator[Html]:
    """The model's limit, the cliff and the context chosen."""
    frame = scene.frame

    def upright(x: float) -> str:
        return f"M{number(x)},{frame.top}V{frame.floor}"

    if scene.limit_x is not None:
        yield el("path", class_="kv-limit", d=upright(scene.limit_x))
    if scene.cliff_x is not None:
        yield el("path", class_="kv-cliff", d=upright(scene.cliff_x))
    yield el("path", class_="kv-here", d=upright(scene.here_x))
    if scene.cliff_x is not None:
        yield el("circle", class_="kv-cross", cx=scene.cliff_x, cy=scene.weights_y, r=5)
    if scene.here_y >= frame.top:
        yield el("circle", class_="kv-here-dot", cx=scene.here_x, cy=scene.here_y, r=5)


def _gpu_margin(scene: Scene) -> Iterator[Html]:
    """The GPU counts in the margin of a wide chart; a narrow one has none, and names them inside."""
    if scene.frame is WIDE:
        for gpus, y in scene.gpus:
            label = words.gpu_label(gpus, scene.result.lab.gpu.label)
            yield label_text(label, "kv-gpu-name", scene.frame.end + 8, y + 4)
