"""Where text goes in a figure: never over other text, never out of the frame, off the lines where there is room.

A label comes with candidate places, best first. The first that is free is taken; else the one that crosses the
least; a label for which every place is taken by another label is left out (the caption and the table still say it).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kvcore.page.svg import Html, el, join

FONT = 13
"""Size of all text in figures, in the figure's own units: at least 11 px on a 320 px screen."""

LINE = 16
"""From one line of text to the next."""

_SHORTER = 2.0
"""What a shorter wording costs: as much as crossing one faint line."""

type Anchor = Literal["start", "middle", "end"]


class _Widths(dict[str, float]):
    """Widths of characters in ems, from above: the widest of the common system fonts (DejaVu Sans) is assumed."""

    def __missing__(self, character: str) -> float:
        return 0.72 if character.isupper() else 0.63


_WIDTHS = _Widths(dict.fromkeys("ijl.,:;'|! ftr()-", 0.38) | dict.fromkeys("mwMW%\N{MULTIPLICATION SIGN}", 0.92))


def text_width(text: str, *, bold: bool = False) -> float:
    """The width of a line of text, from above, so that what is kept clear is never too little."""
    return sum(map(_WIDTHS.__getitem__, text)) * FONT * (1.08 if bold else 1)


class Box(NamedTuple):
    """A rectangle by its left, top, right and bottom edges."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Whether the two share any area."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class Place(NamedTuple):
    """A candidate place: the point of the first line's baseline, and what of the text stands there."""

    x: float
    y: float
    anchor: Anchor = "start"


type Text = str | Sequence[str]
"""A label: one line or several."""

type Crosses = Callable[[Box], bool]


def vertical(x: float, top: float, bottom: float) -> Crosses:
    """Whether a box is crossed by a vertical line."""
    return lambda box: box.left < x + 2 and x - 2 < box.right and box.top < bottom and top < box.bottom


def horizontal(y: float, left: float, right: float) -> Crosses:
    """Whether a box is crossed by a horizontal line."""
    return lambda box: box.top < y + 1 and y - 1 < box.bottom and box.left < right and left < box.right


def rising(left: float, step: float, heights: Sequence[float]) -> Crosses:
    """Whether a box is crossed by a curve that never falls, given by its heights at even steps from `left` on."""
    last = len(heights) - 1

    def crosses(box: Box) -> bool:
        first = int((box[0] - left) / step)
        if first > last:
            return False
        return heights[max(0, first)] > box[1] - 2 and heights[min(last, int((box[2] - left) / step) + 1)] < box[3] + 2

    return crosses


@dataclass(slots=True)
class Placer:
    """The labels of one figure as they find their places; `frame` is what they must stay within."""

    frame: Box
    taken: list[Box] = field(default_factory=list)
    lines: list[tuple[float, Crosses]] = field(default_factory=list)
    texts: list[Html] = field(default_factory=list)

    def line(self, weight: float, crosses: Crosses) -> None:
        """Name a line that labels should rather not stand on; a heavier one is worse to cross."""
        self.lines.append((weight, crosses))

    def label(self, text: Text, class_: str, places: Iterable[Place], *, bold: bool = False) -> bool:
        """Put a label at the best of its places; False when all are taken. See `label_any` for several wordings."""
        return self.label_any((text,), class_, places, bold=bold)

    def label_any(self, texts: Sequence[Text], class_: str, places: Iterable[Place], *, bold: bool = False) -> bool:
        """Put one of several wordings, the fullest first: a later one is taken where it stands freer."""
        places = tuple(places)
        best: tuple[float, Place, Box, tuple[str, ...]] | None = None
        for shorter, text in enumerate(texts):
            rows = (text,) if isinstance(text, str) else tuple(text)
            width = max(text_width(row, bold=bold) for row in rows)
            found = self._best(places, width, len(rows))
            if found is not None and (best is None or found[0] + _SHORTER * shorter < best[0]):
                best = (found[0] + _SHORTER * shorter, found[1], found[2], rows)
            if best is not None and best[0] <= _SHORTER * shorter:
                break
        if best is None:
            return False
        _, place, box, rows = best
        self.taken.append(box)
        anchor = None if place.anchor == "start" else place.anchor
        self.texts.extend(
            el("text", row, class_=class_, x=place.x, y=place.y + LINE * index, text_anchor=anchor)
            for index, row in enumerate(rows)
        )
        return True

    def _best(self, places: Iterable[Place], width: float, rows: int) -> tuple[float, Place, Box] | None:
        """The place that crosses the least, with what it costs; the first that crosses nothing."""
        best: tuple[float, Place, Box] | None = None
        for place in places:
            box = _box(place, width, rows)
            if not _within(box, self.frame) or any(box.overlaps(other) for other in self.taken):
                continue
            cost = 0.0
            for weight, crosses in self.lines:
                if crosses(box):
                    cost += weight
            if best is None or cost < best[0]:
                best = (cost, place, box)
                if cost == 0:
                    break
        return best

    def render(self) -> Html:
        """The labels, in the order they were put."""
        return join(self.texts)


def _box(place: Place, width: float, rows: int) -> Box:
    left = {"start": place.x, "middle": place.x - width / 2, "end": place.x - width}[place.anchor]
    return Box(left - 2, place.y - FONT + 1, left + width + 2, place.y + 4 + LINE * (rows - 1))


def _within(box: Box, frame: Box) -> bool:
    return box.left >= frame.left and box.right <= frame.right and box.top >= frame.top and box.bottom <= frame.bottom
