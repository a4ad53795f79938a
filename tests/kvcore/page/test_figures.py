"""Labels of figures at the ends of every control's range and for random values: no overlaps, nothing outside the frame.

The widths of texts are those that the placement itself assumes, so this is only a fast check. tests/pages measures the
texts in a browser.
"""

import random

import pytest

from kvcore.page import update
from kvcore.page.chart import CHART
from kvcore.page.controls import Choice, Number
from kvcore.page.draw.placement import FONT, text_width
from kvcore.page.lab import LAB, UNITS
from kvcore.page.lab.controls import IMPORTED
from tests.kvcore.page.reading import figures

MOVED = [control for part in (LAB, UNITS, CHART) for control in part.controls if isinstance(control, Choice | Number)]
ENDS = [
    {control.name: end}
    for control in MOVED
    for end in (control.options if isinstance(control, Choice) else (control.low, control.high))
    if end != IMPORTED
]


def states():
    chosen = random.Random(7)
    yield from ENDS
    for _ in range(120):
        yield {
            control.name: chosen.choice(
                [option for option in control.options if option != IMPORTED]
                if isinstance(control, Choice)
                else control.stops
            )
            for control in MOVED
        }


def boxes(svg):
    """Class, text and box of every text of a figure."""
    for text in svg.iter("text"):
        kind = text.get("class")
        width = text_width(
            text.text, bold=kind in {"kv-cliff-name", "kv-here-name", "kv-weights-name", "kv-cache-name"}
        )
        x, y = float(text.get("x")), float(text.get("y"))
        left = {"middle": x - width / 2, "end": x - width}.get(text.get("text-anchor"), x)
        yield kind, text.text, (left, y - FONT * 0.75, left + width, y + 2)


@pytest.mark.parametrize("state", list(states()), ids=str)
def test_texts_of_a_figure_do_not_overlap_and_are_inside_its_frame(state):
    slots = update(state)["slots"]
    for name in ("lab.chart", "lab.footprint"):
        drawings = list(figures(slots[name]))
        assert len(drawings) == 2
        for svg in drawings:
            width, height = map(float, svg.get("viewBox").split()[2:])
            found = list(boxes(svg))
            for kind, text, (left, top, right, bottom) in found:
                assert left >= -1, (kind, text)
                assert top >= -1, (kind, text)
                assert right <= width + 1, (kind, text)
                assert bottom <= height + 1, (kind, text)
            for index, (_, text, a) in enumerate(found):
                for _, other, b in found[index + 1 :]:
                    apart = a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
                    assert apart, (text, other)
