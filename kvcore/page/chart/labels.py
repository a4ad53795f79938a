"""The labels of the cliff chart: their texts and, for each, the candidate places, the best first."""

from collections.abc import Iterator

from kvcore.page.chart import words
from kvcore.page.chart.scene import NARROW, Line, Scene
from kvcore.page.draw.axes import FIRST_CONTEXT, LAST_CONTEXT
from kvcore.page.draw.placement import Curve, Place, Placer
from kvcore.page.html import Html
from kvcore.page.lab import words as lab_words
from kvcore.units import format_bytes


def cliff_labels(scene: Scene) -> Html:
    """Place all labels, the most important first, because a label never moves or covers one that is placed already."""
    frame = scene.frame
    placer = _placer(scene)
    _cliff(scene, placer)
    _here(scene, placer)
    _weights(scene, placer)
    placer.label(
        words.CACHE.get(scene.result.lab.shape.attention, words.KV_CACHE),
        "kv-cache-name",
        _along(scene, scene.cache),
        bold=True,
    )
    _limit(scene, placer)
    if frame is NARROW:
        for gpus, y in scene.gpus:
            middle = (frame.left + frame.end) / 2
            places = [Place(frame.end - 4, y - 4, "end"), Place(frame.left + 4, y - 4), Place(middle, y - 4, "middle")]
            placer.label(words.gpu_label(gpus, scene.result.lab.gpu.label), "kv-gpu-name", places)
    if scene.compared is not None and scene.result.compared is not None:
        placer.label(scene.result.compared[0], "kv-compared-name", _along(scene, scene.compared[0]))
    for name, line in scene.twins.items():
        placer.label(words.TWINS[name], "kv-twin-name", _along(scene, line))
    return placer.render()


def _placer(scene: Scene) -> Placer:
    """A placer with the lines of the chart, which labels should not cross, and their weights."""
    frame = scene.frame
    verticals = [(scene.here_x, 4.0)]
    if scene.cliff_x is not None:
        verticals.append((scene.cliff_x, 4.0))
    if scene.limit_x is not None:
        verticals.append((scene.limit_x, 2.0))
    horizontals = [(scene.weights_y, 1.0), *((y, 0.5) for _, y in scene.gpus)]
    curves = [(scene.cache, 3.0), *((line, 2.0) for line in scene.twins.values())]
    if scene.compared is not None:
        curves.append((scene.compared[0], 2.0))
    return Placer(
        frame=(frame.left, frame.top - 4, frame.end, frame.floor - 1),
        verticals=verticals,
        horizontals=horizontals,
        curves=[(Curve(frame.left, frame.step, line.ys), weight) for line, weight in curves],
    )


def _cliff(scene: Scene, placer: Placer) -> None:
    frame, cliff = scene.frame, scene.result.lab.footprint.cliff_context
    if scene.cliff_x is None or cliff is None:
        texts = words.no_cliff_labels(cliff, FIRST_CONTEXT, LAST_CONTEXT)
        middle = (frame.left + frame.end) / 2
        xs = (middle, middle - 60, middle + 60, middle - 120, middle + 120)
        places = [Place(x, frame.top + 14 + 24 * row, "middle") for row in range(10) for x in xs]
    else:
        texts = words.cliff_labels(cliff)
        steps = [-34 - 22 * row for row in range(12)] + [24 + 22 * row for row in range(8)]
        x, y = scene.cliff_x, scene.weights_y
        places = [place for step in steps for place in (Place(x - 10, y + step, "end"), Place(x + 10, y + step))]
    placer.label_any(texts, "kv-cliff-name", places, bold=True)


def _here(scene: Scene, placer: Placer) -> None:
    context, limit = scene.result.lab.footprint.context, scene.result.lab.model.shape.context_limit
    texts = words.here_labels(context, at_limit=limit == context)
    placer.label_any(texts, "kv-here-name", _beside(scene, scene.here_x), bold=True)


def _limit(scene: Scene, placer: Placer) -> None:
    """The limit beside its line, unless the chosen context is there and says so; and the name of the region past it."""
    limit = scene.result.lab.model.shape.context_limit
    if scene.limit_x is None or limit is None:
        return
    if limit != scene.result.lab.footprint.context:
        placer.label(words.limit_label(limit), "kv-limit-name", _beside(scene, scene.limit_x))
    middle = (scene.limit_x + scene.frame.end) / 2
    places = [Place(middle, scene.frame.floor - 8 - 20 * row, "middle") for row in range(14)]
    placer.label_any(words.PAST_LIMIT, "kv-limit-name", places)


def _weights(scene: Scene, placer: Placer) -> None:
    frame, footprint = scene.frame, scene.result.lab.footprint
    text = lab_words.weights_label(format_bytes(footprint.weights_bytes, scene.result.lab.units))
    ys = (scene.weights_y + 17, scene.weights_y - 6)
    xs = [frame.left + 8 + frame.plot_width * part / 8 for part in range(8)]
    places = [Place(x, y) for y in ys for x in xs] + [Place(frame.end - 4, y, "end") for y in ys]
    placer.label(text, "kv-weights-name", places, bold=True)


def _beside(scene: Scene, x: float) -> Iterator[Place]:
    """Places to the left and right of a vertical line at `x`, from the top down."""
    for row in range(13):
        y = scene.frame.top + 12 + 20 * row
        yield Place(x - 8, y, "end")
        yield Place(x + 8, y)


def _along(scene: Scene, line: Line) -> Iterator[Place]:
    """Places next to a curve, from its upper end down: to its left and right, then above its flat part."""
    frame = scene.frame
    visible = [(x, y) for x, y in line.points if y >= frame.top]
    for x, y in visible[:0:-3]:
        if y < frame.floor - 24:
            yield Place(x - 8, y + 4, "end")
            yield Place(x + 8, y + 14)
    for x, y in visible[::-6]:
        yield Place(x, y - 8, "end")
        yield Place(x, y - 22, "end")
