"""Computes what a page shows for the values of its controls. The one entry point is update(request) -> answer.

A request is a flat object (or its JSON text). It has the value of each control by the control's name (of a number box,
the typed text), and these entries, each of which may be left out:

    changed   names of the controls that the reader moved since the last answer, in order; where two controls contradict
              each other, the later one decides
    settled   false while the reader drags a slider; the memory axis of the chart then keeps its range
    hold      the "hold" of the newest answer, unchanged
    fragment  the fragment of the URL, when the page was opened by a link; the controls of the request are then ignored
    view      "wide" or "narrow": the visible width of figures. The answer then has only the stale sections next to the
              moved controls, their figures in that width alone, and `more` is set if other sections are stale
    opened    names of the slots whose table the reader has opened; an answer to `view` leaves the closed tables out
    more      the "more" of the newest answer, to get the sections that are still stale
    config_text, config_name, config_failed
              the text of a config.json to import and a name for the model; or the reason why it could not be fetched

A control that the request leaves out has its default, a shape control the value of the model. The answer has

    slots     slot name -> HTML, for the sections that were stale and are drawn now
    controls  control name -> {"value", "stops", "disabled", "note", "invalid", "text"}
    announce  a sentence for screen readers; empty while the reader drags a slider
    problems  the problems of the request, a sentence each; the answer is for the nearest usable values
    more      null, or a token: send it as "more" to get the other stale sections
    fragment  the URL fragment of these values; null while the reader drags a slider
    hold      data for the next request: the page's name, the values that it shows, data that its parts remember, and
              the names of its stale sections

The module keeps no state between calls. Nothing that a reader can type raises an exception. All text is ASCII.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import overload

from kvcore.page import phrases
from kvcore.page.controls import Number
from kvcore.page.draw.widths import WIDTHS
from kvcore.page.form import render_form, render_handle
from kvcore.page.html import NOTHING, Html, problem_list
from kvcore.page.link import format_fragment
from kvcore.page.pages import ARTICLE, PAGES
from kvcore.page.parts import Note, Page, View
from kvcore.page.read_controls import ControlValues, read_controls
from kvcore.page.request import strings

__all__ = ["BLOCK_SLOTS", "PAGES", "answer", "form", "handle", "update"]

PROBLEMS = "page.problems"
"""The slot that lists the problems of a request."""

LINKED = "page.linked"
"""The slot with a line on what a link has set; it is empty again after the next change."""

BLOCK_SLOTS = frozenset({PROBLEMS, LINKED}).union(*(page.blocks for page in PAGES.values()))
"""The slots that are blocks (a div); the others are phrases (a span)."""

REST = "rest"
"""The value of "more" in an answer that left sections stale; a request that has it gets these sections."""

type Answer = dict[str, object]


@overload
def update(request: str) -> str: ...
@overload
def update(request: Mapping[str, object]) -> Answer: ...
def update(request: str | Mapping[str, object]) -> str | Answer:
    """Answer a request; see the docstring of the module. The answer to JSON text is JSON text.

    A request of JSON text comes from a reader's page. If computing its answer fails by a bug of ours, the answer is for
    the last good values and the bug is one of the problems, so that the reader loses nothing. A request that is a
    mapping comes from a program, which gets the exception.

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
    """The HTML of a form with the default values, and with the `hold` and `fragment` that the first request needs.

    Raises:
        KeyError: if no page has a form of this name.

    >>> form("lab").startswith('<form id="lab" class="kv-controls"')
    True
    """
    page = next((page for page in PAGES.values() if name in page.forms), ARTICLE)
    read = read_controls(page, {})
    view = View(read.values)
    found, groups = page.forms[name]
    return render_form(
        found,
        groups,
        read.values,
        _controls(page, read, view),
        hold=json.dumps(_hold(page, view)),
        fragment=format_fragment(page, view),
    )


def handle(name: str) -> str:
    """The HTML of a second slider of the control of this name, with its default value.

    Raises:
        KeyError: if no page has a slider of this name.

    >>> 'data-for="batch"' in handle("batch")
    True
    """
    page, control = next(
        ((page, found) for page in PAGES.values() if isinstance(found := page.controls.get(name), Number)), (None, None)
    )
    if page is None or control is None:
        raise KeyError(name)
    read = read_controls(page, {})
    state = _controls(page, read, View(read.values))[name]
    return render_handle(control, control.of(read.values), state, f"{name}-handle")


def answer(page: Page, request: Mapping[str, object], problems: Sequence[str] = ()) -> Answer:
    """Answer a request to a page; `problems` are those that were found before the request was read."""
    read = read_controls(page, request)
    problems = [*problems, *read.problems]
    hold_sent = request.get("hold")
    hold: Mapping[str, object] = hold_sent if isinstance(hold_sent, dict) else {}
    dragging, rest = request.get("settled") is False, request.get("more") is not None
    asked_width = request.get("view")
    width = asked_width if isinstance(asked_width, str) and asked_width in WIDTHS and not rest else None
    remembered_sent = hold.get("remembered")
    remembered: Mapping[str, object] = remembered_sent if isinstance(remembered_sent, dict) else {}
    view = View(read.values, width=width, remembered=remembered, dragging=dragging, from_link=read.from_link)
    before = hold.get("values")
    if isinstance(before, dict):
        moved = _moved(page, view, before, remembered)
        stale = page.stale(moved, strings(hold.get("stale")))
        now = stale if width is None else stale & page.near(moved, strings(request.get("opened")))
    else:
        width = view.width = None
        stale = now = set(page.sections)
    left = stale - now | (now & page.figures if width else set())  # the other width is still stale
    slots = page.draw(view, now)
    if rest:  # the controls and problems of the first answer are still valid
        return {"slots": slots, "controls": {}, "more": None, "hold": _hold(page, view)}
    return {
        "slots": {PROBLEMS: problem_list(problems), LINKED: _linked(page, view), **slots},
        "controls": _controls(page, read, view),
        "announce": "" if dragging else " ".join(part.announce(view) for part in page.parts if part.announce),
        "problems": problems,
        "more": REST if left and not dragging else None,
        "fragment": None if dragging else format_fragment(page, view),
        "hold": _hold(page, view, left),
    }


def _linked(page: Page, view: View) -> Html:
    """A line on what the link of this request has set; nothing for a link to the defaults, or without a link."""
    return page.linked(view) if view.from_link and view.values != read_controls(page, {}).values else NOTHING


def _page(request: Mapping[str, object]) -> Page:
    """The page that a request comes from, by its name in `hold`; the article if there is none."""
    hold = request.get("hold")
    name = hold.get("page") if isinstance(hold, dict) else None
    return PAGES.get(name, ARTICLE) if isinstance(name, str) else ARTICLE


def _parsed(text: str) -> tuple[Mapping[str, object], list[str]]:
    """Parse a request; text that is not a JSON object gives an empty request and a problem."""
    try:
        request = json.loads(text)
    except (ValueError, RecursionError) as error:
        return {}, [phrases.not_json(str(error))]
    return (request, []) if isinstance(request, dict) else ({}, [phrases.not_an_object(type(request).__name__)])


def _last_good(page: Page, hold: object, problems: Sequence[str]) -> Answer:
    """An answer with all sections for the values in `hold`, or for the defaults if it has none."""
    values = hold.get("values") if isinstance(hold, dict) else None
    return answer(page, values if isinstance(values, dict) else {}, problems)


def _moved(page: Page, view: View, before: Mapping[str, object], remembered: Mapping[str, object]) -> set[str]:
    """The names of the controls whose value changed since the last answer, and of the parts whose remembered data did."""
    controls = {name for name, value in view.values.items() if name not in before or before[name] != value}
    return controls | {name for name, now in page.remembered(view).items() if remembered.get(name) != now}


def _hold(page: Page, view: View, stale: Iterable[str] = ()) -> dict[str, object]:
    """The `hold` of an answer: data that the page sends back; `stale`: the sections that remain stale after it."""
    return {
        "page": page.name, "values": view.values, "remembered": page.remembered(view), "stale": sorted(stale),
    }  # fmt: skip


def _controls(page: Page, read: ControlValues, view: View) -> dict[str, dict[str, object]]:
    notes: dict[str, Note] = {}
    for part in page.parts:
        notes |= part.notes(view)
    states: dict[str, dict[str, object]] = {}
    for name, control in page.controls.items():
        value, note = read.values[name], notes.get(name, Note())
        stops = control.stops if note.stops is None and isinstance(control, Number) else note.stops
        states[name] = {
            "value": "" if note.disabled and value == 0 else value,  # 0: the layers differ, so there is no one number
            "stops": stops,
            "disabled": note.disabled,
            "note": read.notes.get(name, note.text),
            "invalid": name in read.invalid,
            "text": control.spoken(value),
        }
    return states
