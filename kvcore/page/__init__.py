"""The article's page for a state of its controls: update(request) -> answer, the one door.

A request is a flat object (or its JSON text): control name -> value, number boxes as typed, and beside them

    changed   names of the controls the reader moved since the last answer, in order: the later decides
    settled   false while a slider is dragged: the chart's scale then stays where it was
    hold      what the newest answer gave under "hold", sent back as it came
    fragment  the text of the URL fragment, on arrival: it then stands for all controls
    view      "wide" or "narrow": the drawing of a figure that is in sight; the answer is then a glance, the parts that the
              moved controls stand beside, and `more` is set while anything else is to be drawn
    opened    names of the slots whose folded table the reader has opened: a glance leaves the others out
    more      the newest answer's "more", to be given the rest

Controls left out have their defaults; shape controls, those of the model. The answer:

    slots     name -> HTML, those that `hold` says the page already shows left out
    controls  name -> {"value", "stops", "disabled", "note", "invalid", "text"}
    announce  one sentence for a screen reader; empty while a slider is dragged
    problems  what was wrong with the request, a sentence each; the page goes on with the nearest good values
    more      null, or a token to ask again with
    fragment  the URL fragment of this state; null while a slider is dragged
    hold      see above

Nothing is remembered between calls, and nothing a reader can type raises. All text is ASCII.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import overload

from kvcore.page import lab, sections, split, words
from kvcore.page.controls import CONTROLS, format_fragment
from kvcore.page.form import render_form
from kvcore.page.state import Settled, frozen_controls, names, own_shape, settle, stops

__all__ = ["BLOCK_SLOTS", "form", "update"]

BLOCK_SLOTS = sections.BLOCKS
"""Slots that stand as blocks of their own (a div); the others are phrases (a span)."""

type Answer = dict[str, object]


@overload
def update(request: str) -> str: ...
@overload
def update(request: Mapping[str, object]) -> Answer: ...
def update(request: str | Mapping[str, object]) -> str | Answer:
    """Answer a request; JSON text gets JSON text.

    Text comes from a reader's page, which must not lose its state even to a fault of ours: such a request is answered
    with the last good state, and the fault named among the problems. A mapping comes from a program, which is told.
    """
    if not isinstance(request, str):
        return _answer(request)
    asked, problems = _parsed(request)
    try:
        return json.dumps(_answer(asked, problems))
    except Exception as fault:  # noqa: BLE001 - whatever it is, the page goes on
        return json.dumps(_last_good(asked.get("hold"), [*problems, words.fault(type(fault).__name__, str(fault))]))


def _last_good(hold: object, problems: Sequence[str]) -> Answer:
    """The whole of the last state that was answered well; the defaults where there is none."""
    values = hold.get("values") if isinstance(hold, dict) else None
    return _answer(values if isinstance(values, dict) else {}, problems)


def form(name: str) -> str:
    """The HTML of a form at its defaults, with what a first request needs to know; KeyError for a form there is not."""
    settled = settle({})
    shown = sections.view(settled.values, None)
    return render_form(
        name,
        settled.values,
        _controls(settled, shown),
        hold=json.dumps(_hold(shown)),
        fragment=_fragment(shown),
    )


def _hold(shown: sections.View, late: sections.Shown | None = None, odd: Iterable[int] = ()) -> dict[str, object]:
    """What a page that shows this view sends back.

    late: what the parts that a glance left out still show; odd: the sections to be drawn again in any case.
    """
    axis = sections.spell(shown.axis)
    values, late_axis = (shown.values, axis) if late is None else late
    return {"values": shown.values, "axis": axis, "late": values, "late_axis": late_axis, "odd": sorted(odd)}


def _fragment(shown: sections.View) -> str:
    """The URL fragment of a view."""
    defaults = {name: control.default for name, control in CONTROLS.items()}
    return format_fragment(shown.values, {**defaults, **own_shape(shown.lab.model)})


def _parsed(text: str) -> tuple[Mapping[str, object], list[str]]:
    """The request that a text spells, or an empty one and the problem."""
    try:
        request = json.loads(text)
    except (ValueError, RecursionError) as error:
        return {}, [words.not_json(str(error))]
    return (request, []) if isinstance(request, dict) else ({}, [words.not_an_object(type(request).__name__)])


def _answer(request: Mapping[str, object], problems: Sequence[str] = ()) -> Answer:
    settled = settle(request)
    problems = [*problems, *settled.problems]
    held = request.get("hold")
    hold: Mapping[str, object] = held if isinstance(held, dict) else {}
    dragging = request.get("settled") is False
    view = sections.view(settled.values, hold.get("axis") if dragging else None)
    shown, late = (hold.get("values"), hold.get("axis")), (hold.get("late"), hold.get("late_axis"))
    found = hold.get("odd")
    odd = {index for index in found if isinstance(index, int)} if isinstance(found, list) else set()
    if request.get("more") is not None:  # what was said of the controls stands until the next one moves
        return {"slots": sections.whole(view, shown, late, odd), "controls": {}, "more": None, "hold": _hold(view)}
    width = request.get("view")
    glancing = width in sections.WIDTHS and isinstance(hold.get("values"), dict)
    if glancing:
        slots, fresh = sections.glance(view, shown, str(width), names(request.get("opened")))
        odd |= fresh
        more = not dragging and (bool(odd) or sections.anything_late(view, late))
    else:
        slots, more = sections.whole(view, shown, late, odd), False
    return {
        "slots": {"lab.problems": lab.problem_list(problems), **slots},
        "controls": _controls(settled, view),
        "announce": "" if dragging else lab.announcement(view.lab),
        "problems": problems,
        "more": _REST if more else None,
        "fragment": None if dragging else _fragment(view),
        "hold": _hold(view, late, odd) if glancing else _hold(view),
    }


_REST = "rest"
"""The token of an answer that was a glance: the page asks again with it, and gets what can wait."""


def _controls(settled: Settled, view: sections.View) -> dict[str, dict[str, object]]:
    values = settled.values
    frozen = frozen_controls(view.lab.model)
    notes = {**lab.notes(view.lab, values), **split.notes(view.split, view.lab), **frozen, **settled.notes}
    return {
        name: {
            "value": "" if name in frozen and value == 0 else value,  # heads that differ have no one number
            "stops": stops(name, values),
            "disabled": name in frozen,
            "note": notes.get(name, ""),
            "invalid": name in settled.invalid,
            "text": lab.value_text(name, value) if isinstance(value, int) else str(value),
        }
        for name, value in values.items()
    }
