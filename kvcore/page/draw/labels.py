"""Where text goes in a figure: never over other text, never out of the frame, off the lines where there is room.

A label comes with candidate places, best first. The first that is free is taken; else the one that crosses the
least; a label for which every place is taken by another label is left out (the caption and the table still say it).
This is the busiest loop of a drag, so boxes are plain numbers in it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from kvcore.page.html import Html, label_text

FONT = 13
"""Size of all text in figures, in the figure's own units: at least 11 px on a 320 px screen."""

LINE = 16
"""From one line of text to the next."""

_SHORTER = 2.0
"""What a shorter wording costs: as much as crossing one faint line."""

_ABOVE, _BELOW, _BESIDE = FONT - 1, 4, 2
"""Room that is kept free around text: over its first baseline, under its last, and at both ends."""

type Anchor = Literal["start", "middle", "end"]
type Text = str | Sequence[str]
"""A label: one line or several."""

type Box = tuple[float, float, float, float]
"""A rectangle by its left, top, right and bottom edges."""


class _Widths(dict[str, float]):
    """Widths of characters in ems, from above: the widest of the common system fonts (DejaVu Sans) is assumed."""

    def __missing__(self, character: str) -> float:
        width = self[character] = 0.72 if character.isupper() else 0.63
        return width


_WIDTHS = _Widths(dict.fromkeys("ijl.,:;'|! ftr()-", 0.38) | dict.fromkeys("mwMW%\N{MULTIPLICATION SIGN}", 0.92))


@lru_cache(maxsize=512)
def text_width(text: str, *, bold: bool = False) -> float:
    """The width of a line of text, from above, so that what is kept clear is never too little."""
    return sum(map(_WIDTHS.__getitem__, text)) * FONT * (1.08 if bold else 1)


class Place(NamedTuple):
    """A candidate place: the point of the first line's baseline, and what of the text stands there."""

    x: float
    y: float
    anchor: Anchor = "start"


class Curve(NamedTuple):
    """A curve that never falls, by its heights at even steps from `left` on."""

    left: float
    step: float
    heights: Sequence[float]

    def crosses(self, box: Box) -> bool:
        """Whether the curve passes through a box."""
        first, last = int((box[0] - self.left) / self.step), len(self.heights) - 1
        if first > last:
            return False
        end = min(last, int((box[2] - self.left) / self.step) + 1)
        return self.heights[max(0, first)] > box[1] - 2 and self.heights[end] < box[3] + 2


@dataclass(slots=True)
class Placer:
    """The labels of one figure as they find their places; `frame` is what they must stay within.

    uprights, levels, curves: the lines a label should rather not stand on, each with its weight; a heavier one is worse
    to cross. Uprights and levels go from edge to edge.
    """

    frame: Box
    uprights: list[tuple[float, float]] = field(default_factory=list)
    levels: list[tuple[float, float]] = field(default_factory=list)
    curves: list[tuple[Curve, float]] = field(default_factory=list)
    taken: list[Box] = field(default_factory=list)
    texts: list[Html] = field(default_factory=list)

    def label(self, text: Text, class_: str, places: Iterable[Place], *, bold: bool = False) -> bool:
        """Put a label at the best of its places; False when all are taken. See `label_any` for several wordings."""
        return self.label_any((text,), class_, places, bold=bold)

    def label_any(self, texts: Sequence[Text], class_: str, places: Iterable[Place], *, bold: bool = False) -> bool:
        """Put one of several wordings, the fullest first: a later one is taken where it stands freer."""
        if len(texts) > 1:
            places = tuple(places)  # a single wording needs no more of them than up to the first that is free
        best: tuple[float, Place, Box, Sequence[str]] | None = None
        for shorter, text in enumerate(texts):
            rows = (text,) if isinstance(text, str) else text
            width = max([text_width(row, bold=bold) for row in rows])
            bound = float("inf") if best is None else best[0] - _SHORTER * shorter
            found = self._best(places, width, len(rows), bound)
            if found is not None:
                best = (found[0] + _SHORTER * shorter, found[1], found[2], rows)
            if best is not None and best[0] <= _SHORTER * (shorter + 1):
                break
        if best is None:
            return False
        _, place, box, rows = best
        self.taken.append(box)
        for index, row in enumerate(rows):
            self.texts.append(label_text(row, class_, place.x, place.y + LINE * index, place.anchor))
        return True

    def _best(self, places: Iterable[Place], width: float, rows: int, bound: float) -> tuple[float, Place, Box] | None:
        """The place that crosses the least, and less than `bound`, with what it costs; the first that crosses nothing."""
        best: tuple[float, Place, Box] | None = None
        frame_left, frame_top, frame_right, frame_bottom = self.frame
        below = _BELOW + LINE * (rows - 1)
        for place in places:
            x, y, anchor = place
            left = (x if anchor == "start" else x - width if anchor == "end" else x - width / 2) - _BESIDE
            right, top, bottom = left + width + 2 * _BESIDE, y - _ABOVE, y + below
            if left < frame_left or right > frame_right or top < frame_top or bottom > frame_bottom:
                continue
            for other in self.taken:
                if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom:
                    break
            else:
                cost = self._cost((left, top, right, bottom), bound)
                if cost < bound:
                    best, bound = (cost, place, (left, top, right, bottom)), cost
                    if cost == 0:
                        break
        return best

    def _cost(self, box: Box, bound: float) -> float:
        """The weights of the lines that cross a box, summed no further than `bound`."""
        left, top, right, bottom = box
        cost = 0.0
        for at, weight in self.uprights:
            if left - 2 < at < right + 2:
                cost += weight
        for at, weight in self.levels:
            if top - 1 < at < bottom + 1:
                cost += weight
        if cost >= bound:
            return cost
        for curve, weight in self.curves:
            if curve.crosses(box):
                cost += weight
                if cost >= bound:
                    break
        return cost

    def render(self) -> Html:
        """The labels, in the order they were put."""
        return Html("".join(self.texts))
