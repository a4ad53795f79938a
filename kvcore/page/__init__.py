"""What a page says for a state of its controls: update(request) -> answer, the one entry point.

A request is a flat object (or its JSON text): control name -> value, number boxes as typed, and beside them

    changed   names of the controls the reader moved since the last answer, in order: the later decides
    settled   false while a slider is dragged: the chart's scale then stays where it was
    hold      what the newest answer gave under "hold", sent back as it came
    fragment  the text of the URL fragment, on arrival: it then stands for all controls
    view      "wide" or "narrow": the width of figures that is in sight. The answer then has the sections that stand
              beside the moved controls, in that width, and `more` is set while any other section is stale
    opened    names of the slots whose folded table the reader has opened: the other tables wait
    more      the newest answer's "more": draw the stale sections

Controls left out have their defaults; shape controls, those of the model. The answer:

    slots     name -> HTML, without the sections that `hold` says the page already shows
    controls  name -> {"value", "stops", "disabled", "note", "invalid", "text"}
    announce  one sentence for a screen reader; empty while a slider is dragged
    problems  what was wrong with the request, a sentence each; the page goes on with the nearest good values
    more      null, or a token to ask again with
    fragment  the URL fragment of this state; null while a slider is dragged
    hold      see above: the page's name, the values it shows, what its parts remember, and which sections are stale

Nothing is remembered between calls, and nothing a reader can type raises. All text is ASCII.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import overload

from kvcore.page import phrases
from kvcore.page.controls import Number
from kvcore.page.draw.widths import WIDTHS
from kvcore.page.form import render_form
from kvcore.page.html import problem_list
from kvcore.page.link import format_fragment
from kvcore.page.pages import ARTICLE, PAGES
from kvcore.page.parts import Note, Page, View
from kvcore.page.request import Settled, settle, strings

__all__ = ["BLOCK_SLOTS", "PAGES", "answer", "form", "update"]

PROBLEMS = "lab.problems"
"""The slot that lists what was wrong with a request."""

BLOCK_SLOTS = frozenset({PROBLEMS}).union(*(page.blocks for page in PAGES.values()))
"""Slots that stand as blocks of their own (a div); the others are phrases (a span)."""

REST = "rest"
"""The token of an answer that left sections stale: the page asks again with it, and gets them."""

type Answer = dict[str, object]


@overload
def update(request: str) -> str: ...
@overload
def update(request: Mapping[str, object]) -> Answer: ...
def update(request: str | Mapping[str, object]) -> str | Answer:
    """Answer a request; JSON text gets JSON text.

    Text comes from a reader's page, which must not lose its state even to a fault of ours: such a request is answered
    with the last good state, and the fault is among the problems. A mapping comes from a program, which gets the exception.

    >>> update({"model": "llama-3.1-8b"})["slots"]["lab.bytes_per_token"]
    '<data value="131072">128 KiB</data>'
    """
    if not isinstance(request, str):
        return answer(_page(request), request)
    asked, problems = _parsed(request)
    page = _page(asked)
    try:
        return json.dumps(answer(page, asked, problems))
    except Exception as fault:  # noqa: BLE001 - whatever it is, the page goes on
        problem = phrases.fault(type(fault).__name__, str(fault))
        return json.dumps(_last_good(page, asked.get("hold"), [*problems, problem]))


def form(name: str) -> str:
    """The HTML of a form at its defaults, with what a first request needs to know; KeyError for a form there is not."""
    page = next((page for page in PAGES.values() if name in page.forms), ARTICLE)
    settled = settle(page, {})
    view = View(settled.values)
    shown, groups = page.forms[name]
    return render_form(
        shown,
        groups,
        settled.values,
        _controls(page, settled, view),
        hold=json.dumps(_hold(page, view)),
        fragment=format_fragment(page, view),
    )


def answer(page: Page, request: Mapping[str, object], problems: Sequence[str] = ()) -> Answer:
    """Answer a request about a page; `problems` are what was wrong with its text."""
    settled = settle(page, request)
    problems = [*problems, *settled.problems]
    held = request.get("hold")
    hold: Mapping[str, object] = held if isinstance(held, dict) else {}
    dragging, rest = request.get("settled") is False, request.get("more") is not None
    asked_width = request.get("view")
    width = asked_width if isinstance(asked_width, str) and asked_width in WIDTHS and not rest else None
    found = hold.get("remembered")
    remembered: Mapping[str, object] = found if isinstance(found, dict) else {}
    view = View(settled.values, width=width, remembered=remembered, dragging=dragging, arrived=settled.arrived)
    before = hold.get("values")
    if isinstance(before, dict):
        moved = _moved(page, view, before, remembered)
        stale = page.stale(moved, strings(hold.get("stale")))
        now = stale if width is None else stale & page.near(moved, strings(request.get("opened")))
    else:
        width = view.width = None
        stale = now = set(page.sections)
    left = stale - now | (now & page.figures if width else set())  # a figure drawn in one width lacks the other
    slots = page.draw(view, now)
    if rest:  # what was said of the controls stands until the next one moves
        return {"slots": slots, "controls": {}, "more": None, "hold": _hold(page, view)}
    return {
        "slots": {PROBLEMS: problem_list(problems), **slots},
        "controls": _controls(page, settled, view),
        "announce": "" if dragging else " ".join(part.announce(view) for part in page.parts if part.announce),
        "problems": problems,
        "more": REST if left and not dragging else None,
        "fragment": None if dragging else format_fragment(page, view),
        "hold": _hold(page, view, left),
    }


def _page(request: Mapping[str, object]) -> Page:
    """The page that a request comes from: `hold` names it."""
    hold = request.get("hold")
    name = hold.get("page") if isinstance(hold, dict) else None
    return PAGES.get(name, ARTICLE) if isinstance(name, str) else ARTICLE


def _parsed(text: str) -> tuple[Mapping[str, object], list[str]]:
    """The request that a text spells, or an empty one and the problem."""
    try:
        request = json.loads(text)
    except (ValueError, RecursionError) as error:
        return {}, [phrases.not_json(str(error))]
    return (request, []) if isinstance(request, dict) else ({}, [phrases.not_an_object(type(request).__name__)])


def _last_good(page: Page, hold: object, problems: Sequence[str]) -> Answer:
    """The whole of the last state that was answered well; the defaults where there is none."""
    values = hold.get("values") if isinstance(hold, dict) else None
    return answer(page, values if isinstance(values, dict) else {}, problems)


def _moved(page: Page, view: View, before: Mapping[str, object], remembered: Mapping[str, object]) -> set[str]:
    """The controls whose values are not those the page shows, and the parts that would remember something else."""
    controls = {name for name, value in view.values.items() if name not in before or before[name] != value}
    return controls | {name for name, spelled in page.remembered(view).items() if remembered.get(name) != spelled}


def _hold(page: Page, view: View, stale: Iterable[str] = ()) -> dict[str, object]:
    """What a page that shows this view sends back; `stale`: the sections that it does not show yet."""
    return {
        "page": page.name, "values": view.values, "remembered": page.remembered(view), "stale": sorted(stale),
    }  # fmt: skip


def _controls(page: Page, settled: Settled, view: View) -> dict[str, dict[str, object]]:
    notes: dict[str, Note] = {}
    for part in page.parts:
        notes |= part.notes(view)
    states: dict[str, dict[str, object]] = {}
    for name, control in page.controls.items():
        value, note = settled.values[name], notes.get(name, Note())
        stops = control.stops if note.stops is None and isinstance(control, Number) else note.stops
        states[name] = {
            "value": "" if note.disabled and value == 0 else value,  # heads that differ have no one number
            "stops": stops,
            "disabled": note.disabled,
            "note": settled.notes.get(name, note.text),
            "invalid": name in settled.invalid,
            "text": control.spoken(value),
        }
    return states
