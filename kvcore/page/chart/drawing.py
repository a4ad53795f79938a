"""Draws the cliff chart: the weights, the cache as it grows with context, their crossing, and the memory of GPUs.

The wide and the narrow drawing have the same samples; the page shows one of them.
"""

from collections.abc import Iterator
from functools import lru_cache

from kvcore.page import phrases
from kvcore.page.chart import words
from kvcore.page.chart.labels import cliff_labels
from kvcore.page.chart.result import ChartResult
from kvcore.page.chart.scene import FRAMES, WIDE, Curves, Frame, Scene
from kvcore.page.draw.axes import CONTEXT_TICKS, LAST_CONTEXT, MemoryAxis
from kvcore.page.draw.placement import text_width
from kvcore.page.draw.widths import in_widths
from kvcore.page.html import Html, el, join, label_text, number


def cliff_chart(result: ChartResult, finding: str, width: str | None = None) -> Html:
    """Draw the chart in the width of this name, or in both if it is None; `finding` is its accessible name."""
    curves = Curves.of(result)
    return in_widths(lambda name: _draw(Scene.of(FRAMES[name], result, curves), finding), width)


def _draw(scene: Scene, finding: str) -> Html:
    frame = scene.frame
    size = {"width": frame.plot_width, "height": frame.plot_height}
    return el(
        "svg",
        _grid(frame, scene.axis),
        el("svg", *_marks(scene), x=frame.left, y=frame.top, overflow="hidden", **size),
        *_verticals(scene),
        *_gpu_margin(scene),
        cliff_labels(scene),
        class_=f"kv-svg kv-{frame.name}",
        viewBox=f"0 0 {frame.width} {frame.height}",
        role="img",
        aria_label=finding,
    )


@lru_cache(maxsize=8)
def _grid(frame: Frame, axis: MemoryAxis) -> Html:
    """Both axes; cached, because they do not change during a drag."""
    return join((*_memory_ticks(frame, axis), *_context_ticks(frame)))


def _memory_ticks(frame: Frame, axis: MemoryAxis) -> Iterator[Html]:
    ticks = [(frame.y(axis, size), label) for size, label in axis.ticks()]
    yield el("path", class_="kv-grid", d="".join([f"M{frame.left},{number(y)}H{frame.end}" for y, _ in ticks]))
    for y, label in ticks:
        yield label_text(label, "kv-tick", frame.left - 8, y + 4, "end")


def _context_ticks(frame: Frame) -> Iterator[Html]:
    for context, label in CONTEXT_TICKS:
        too_wide = context == LAST_CONTEXT and frame.right < text_width(label)
        x, anchor = (frame.width - 2.0, "end") if too_wide else (frame.x(context), "middle")
        yield label_text(label, "kv-tick", x, frame.floor + 18, anchor)
    title = words.CONTEXT_AXIS if frame is WIDE else words.CONTEXT_AXIS_SHORT
    middle = (frame.left + frame.end) / 2
    yield label_text(title, "kv-axis", middle, frame.height - 8, "middle")


def _marks(scene: Scene) -> Iterator[Html]:
    """The marks that are clipped at the edges of the plot: weights, curves and GPU lines, in the plot's coordinates."""
    frame = scene.frame
    width, weights_y = frame.plot_width, scene.weights_y - frame.top
    cache = scene.cache.path()
    if scene.limit_x is not None:
        x = scene.limit_x - frame.left
        yield el("rect", class_="kv-past", x=x, y=0, width=width - x, height=frame.plot_height)
    yield el(
        "rect",
        class_="kv-weights",
        x=0,
        y=max(0.0, weights_y),
        width=width,
        height=max(0.0, frame.plot_height - weights_y),
    )
    for line in scene.twins.values():
        yield el("path", class_="kv-twin", d=line.path())
    if scene.compared is not None:
        line, compared_weights_y = scene.compared
        yield el("path", class_="kv-compared", d=line.path())
        yield el("path", class_="kv-compared-weights", d=f"M0,{number(compared_weights_y - frame.top)}H{width}")
    yield el("path", class_="kv-cache-area", d=f"{cache}H{width}V{frame.plot_height}H0Z")
    yield el("path", class_="kv-weights-line", d=f"M0,{number(weights_y)}H{width}")
    gpu_lines = [f"M0,{number(y - frame.top)}H{width}" for _, y in scene.gpus]
    yield el("path", class_="kv-gpu", d="".join(gpu_lines)) if gpu_lines else Html("")
    yield el("path", class_="kv-cache", d=cache)


def _verticals(scene: Scene) -> Iterator[Html]:
    """The vertical lines at the model's limit, the cliff and the chosen context, and the dots on them."""
    frame = scene.frame

    def vertical(x: float) -> str:
        return f"M{number(x)},{frame.top}V{frame.floor}"

    if scene.limit_x is not None:
        yield el("path", class_="kv-limit", d=vertical(scene.limit_x))
    if scene.cliff_x is not None:
        yield el("path", class_="kv-cliff", d=vertical(scene.cliff_x))
    yield el("path", class_="kv-here", d=vertical(scene.here_x))
    if scene.cliff_x is not None:
        yield el("circle", class_="kv-cross", cx=scene.cliff_x, cy=scene.weights_y, r=5)
    if scene.here_y >= frame.top:
        yield el("circle", class_="kv-here-dot", cx=scene.here_x, cy=scene.here_y, r=5)


def _gpu_margin(scene: Scene) -> Iterator[Html]:
    """The GPU counts in the right margin of the wide chart; in the narrow one they are labels inside the plot."""
    if scene.frame is WIDE:
        for gpus, y in scene.gpus:
            label = words.gpu_label(gpus, scene.result.lab.gpu.label)
            if text_width(label) > scene.frame.right - 8:
                label = phrases.gpu_count(gpus)
            yield label_text(label, "kv-gpu-name", scene.frame.end + 8, y + 4)
