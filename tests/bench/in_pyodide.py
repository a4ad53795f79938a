"""What only the reader's own Python can say, run inside Pyodide: how long figures take there, and how large they are.

Only kvcore and the standard library are there; `scenarios` is site_hooks/scenarios.py, handed over as a module.
"""

import json
import time
from collections.abc import Callable

import scenarios

from kvcore.page import lab, paging, sections, update
from kvcore.page.figures import cliff
from kvcore.page.state import settle

FIGURES = ((lab, "cliff_chart"), (lab, "footprint_bar"), (paging, "allocation_grid"))
SUSPECT_MS = 4.0
"""A drawing that took so long is drawn again: its time is the least of five, since machines do other things meanwhile."""


def figures() -> str:
    """The largest and the slowest drawing of each figure over every scenario, in characters (ASCII) and milliseconds."""
    found = {name: {"characters": 0, "milliseconds": 0.0, "drawings": 0} for _, name in FIGURES}
    for module, name in FIGURES:
        setattr(module, name, _watched(getattr(module, name), found[name]))
    states = sum(1 for _ in scenarios.exchange(update))
    return json.dumps({"states": states, "figures": found})


def _watched(draw: Callable[..., str], found: dict[str, float]) -> Callable[..., str]:
    def watched(*arguments: object) -> str:
        width = arguments[-1]
        for each in sections.WIDTHS if width is None else (width,):
            drawing, took = _timed(draw, (*arguments[:-1], each))
            if took > SUSPECT_MS:
                took = min(took, *(_timed(draw, (*arguments[:-1], each))[1] for _ in range(4)))
            found["characters"] = max(found["characters"], len(drawing))
            found["milliseconds"] = max(found["milliseconds"], took)
            found["drawings"] += 1
        return draw(*arguments)

    return watched


def _timed(draw: Callable[..., str], arguments: tuple[object, ...]) -> tuple[str, float]:
    start = time.perf_counter()
    drawing = draw(*arguments)
    return drawing, (time.perf_counter() - start) * 1000


def drawing(batch: int) -> str:
    """The chart's drawing for so many sequences, from the control's value on: what the hand-written twin draws too."""
    view = sections.view(settle({"batch": batch}).values, None)
    return str(cliff.cliff_chart(view.lab, view.axis, lab.chart_finding(view.lab), "wide"))


def drawings(count: int) -> str:
    """Milliseconds for a drawing, each of another batch."""
    return json.dumps([_timed(drawing, (1 + index % 64,))[1] for index in range(count)])
