"""Runs inside Pyodide: how long figures take to draw there, and how large they are.

Only kvcore and the standard library can be imported there; `scenarios` is site_hooks/scenarios.py, copied in as a module.
"""

import json
import time
from collections.abc import Callable

import scenarios

from kvcore.page import update
from kvcore.page.controls import Values
from kvcore.page.draw.widths import WIDTHS
from kvcore.page.pages import ARTICLE
from kvcore.page.parts import View
from kvcore.page.read_controls import read_controls

SUSPECT_MS = 4.0
"""A drawing that takes longer is repeated, and the least of five times counts: the machine may have been busy."""


def figures() -> str:
    """The largest and the slowest drawing of each figure over every scenario, in characters (ASCII) and milliseconds."""
    found = {name: {"characters": 0, "milliseconds": 0.0, "drawings": 0} for name in sorted(ARTICLE.figures)}
    states = 0
    for request, _ in scenarios.exchange(update):
        states += 1
        values = _values(request)
        for name, row in found.items() if values else ():
            part, section = ARTICLE.sections[name]
            for width in WIDTHS:
                view = View(values, width=width)
                for source in part.sources:  # results are computed before, so that the drawing alone is timed
                    view[source]
                drawing, took = _timed(section.draw, view)
                if took > SUSPECT_MS:
                    took = min(took, *(_timed(section.draw, view)[1] for _ in range(4)))
                row["characters"] = max(row["characters"], len(drawing[name]))
                row["milliseconds"] = max(row["milliseconds"], took)
                row["drawings"] += 1
    return json.dumps({"states": states, "figures": found})


def _values(request: str) -> Values | None:
    """The values of all controls that a request comes to; None where it is no request."""
    try:
        asked = json.loads(request)
    except (ValueError, RecursionError):
        return None
    return read_controls(ARTICLE, asked).values if isinstance(asked, dict) else None


def _timed[T, A](draw: Callable[[A], T], argument: A) -> tuple[T, float]:
    start = time.perf_counter()
    drawing = draw(argument)
    return drawing, (time.perf_counter() - start) * 1000


def drawing(batch: int) -> str:
    """The chart in its wide drawing for so many sequences, from the control's value on."""
    view = View(read_controls(ARTICLE, {"batch": batch}).values, width="wide")
    return str(ARTICLE.sections["lab.chart"][1].draw(view)["lab.chart"])


def drawings(count: int) -> str:
    """Milliseconds for a drawing, each of another batch."""
    return json.dumps([_timed(drawing, 1 + index % 64)[1] for index in range(count)])
