"""Places the labels of a figure: never over another label or out of the frame, and away from lines if there is room.

A label comes with candidate places, the best first. It is put at the first place where it crosses no line, else at the
place where the lines that it crosses weigh least. A label that overlaps another one at every place is left out; the
caption and the table still have its content. Drags spend most of their time here, so boxes are plain tuples.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from kvcore.page.html import Html, label_text

FONT = 13
"""Font size of all text in figures, in SVG units: at least 11 px on a 320 px screen."""

LINE = 16
"""Distance between the baselines of two lines of text, in SVG units."""

_SHORTER_COST = 2.0
"""The cost of using a shorter wording, as if it crossed one faint line more."""

_ABOVE, _BELOW, _MARGIN = FONT - 1, 4, 2
"""Room of a label above its first baseline, below its last, and at its left and right."""

type Anchor = Literal["start", "middle", "end"]
type Text = str | Sequence[str]
"""The text of a label: one line or several."""

type Box = tuple[float, float, float, float]
"""A rectangle: its left, top, right and bottom edge."""


_NARROW, _WIDE = frozenset("ijl.,:;'|! ftr()-"), frozenset("mwMW%\N{MULTIPLICATION SIGN}")


@cache
def _character_width(character: str) -> float:
    """Upper bound of a character's width in ems, from the widest of the common system fonts (DejaVu Sans)."""
    if character in _NARROW:
        return 0.38
    if character in _WIDE:
        return 0.92
    return 0.72 if character.isupper() else 0.63


@lru_cache(maxsize=512)
def text_width(text: str, *, bold: bool = False) -> float:
    """Upper bound of the width of a line of text in a figure, in SVG units.

    >>> text_width("GPU") < text_width("GPU", bold=True)
    True
    """
    return sum(map(_character_width, text)) * FONT * (1.08 if bold else 1)


class Place(NamedTuple):
    """A candidate place: a point on the first line's baseline, and which point of the line it is (start, middle, end)."""

    x: float
    y: float
    anchor: Anchor = "start"


class Curve(NamedTuple):
    """A curve of a quantity that never falls: its y at x = left, left + step, and so on; y never grows to the right."""

    left: float
    step: float
    ys: Sequence[float]

    def crosses(self, box: Box) -> bool:
        """Whether the curve passes through a box, with a margin of two units above and below."""
        first, last = int((box[0] - self.left) / self.step), len(self.ys) - 1
        if first > last:
            return False
        end = min(last, int((box[2] - self.left) / self.step) + 1)
        return self.ys[max(0, first)] > box[1] - 2 and self.ys[end] < box[3] + 2


@dataclass(slots=True)
class Placer:
    """Places the labels of one figure, one after the other; the labels placed first have the most room.

    frame: the box that labels must stay inside. verticals, horizontals: the x or y of the lines that labels should not
    cross, each with its weight, which is the cost of crossing it; they cross the whole frame. curves: the same for
    curves. taken: the boxes of the labels placed so far. texts: their markup.
    """

    frame: Box
    verticals: list[tuple[float, float]] = field(default_factory=list)
    horizontals: list[tuple[float, float]] = field(default_factory=list)
    curves: list[tuple[Curve, float]] = field(default_factory=list)
    taken: list[Box] = field(default_factory=list)
    texts: list[Html] = field(default_factory=list)

    def label(self, text: Text, class_: str, places: Iterable[Place], *, bold: bool = False) -> None:
        """Put a label at the best of its places; leave it out if it overlaps another label at all of them."""
        self.label_any((text,), class_, places, bold=bold)

    def label_any(self, texts: Sequence[Text], class_: str, places: Iterable[Place], *, bold: bool = False) -> None:
        """Put a label in one of several wordings, the longest first; leave it out if none of them has a place.

        A shorter wording is used if crossing fewer lines makes up for its cost.
        """
        if len(texts) > 1:
            places = tuple(places)  # every wording tries all of them; a single one stops at the first free place
        best: tuple[float, Place, Box, Sequence[str]] | None = None
        for index, text in enumerate(texts):
            rows = (text,) if isinstance(text, str) else text
            width = max([text_width(row, bold=bold) for row in rows])
            bound = float("inf") if best is None else best[0] - _SHORTER_COST * index
            found = self._best(places, width, len(rows), bound)
            if found is not None:
                best = (found[0] + _SHORTER_COST * index, found[1], found[2], rows)
            if best is not None and best[0] <= _SHORTER_COST * (index + 1):
                break  # even a place without lines would not make the next wording cheaper
        if best is None:
            return
        _, place, box, rows = best
        self.taken.append(box)
        for index, row in enumerate(rows):
            self.texts.append(label_text(row, class_, place.x, place.y + LINE * index, place.anchor))

    def _best(self, places: Iterable[Place], width: float, rows: int, bound: float) -> tuple[float, Place, Box] | None:
        """The cheapest place, with its cost and its box; None if no place is free at a cost below `bound`."""
        best: tuple[float, Place, Box] | None = None
        frame_left, frame_top, frame_right, frame_bottom = self.frame
        below = _BELOW + LINE * (rows - 1)
        for place in places:
            x, y, anchor = place
            left = (x if anchor == "start" else x - width if anchor == "end" else x - width / 2) - _MARGIN
            right, top, bottom = left + width + 2 * _MARGIN, y - _ABOVE, y + below
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
        """The sum of the weights of the lines that cross a box; the sum stops once it reaches `bound`."""
        left, top, right, bottom = box
        cost = 0.0
        for x, weight in self.verticals:
            if left - 2 < x < right + 2:
                cost += weight
        for y, weight in self.horizontals:
            if top - 1 < y < bottom + 1:
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
        """The markup of the labels, in the order in which they were placed."""
        return Html("".join(self.texts))
