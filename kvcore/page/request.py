"""Reads a request: the value of every control, and the problems of the request.

Nothing that a reader can type raises an exception. A control with unusable content keeps its last good value, which the
page sends back under `hold`, so that a reader's state is never lost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kvcore.errors import short_repr
from kvcore.page import phrases
from kvcore.page.controls import Control, Value
from kvcore.page.link import parse_fragment
from kvcore.page.parts import Page

OTHER_KEYS = frozenset(
    {"changed", "settled", "hold", "fragment", "more", "view", "opened", "config_text", "config_name", "config_failed"}
)
"""The keys that a request may have besides the names of controls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The values of all controls, and the problems of the request.

    problems: a sentence each. notes: control name -> the sentence to show under it. invalid: the controls whose content
    was refused. arrived: the values came with a link.
    """

    values: dict[str, Value]
    problems: list[str]
    notes: dict[str, str]
    invalid: frozenset[str]
    arrived: bool


class Request:
    """A request while the parts of the page read it, each in turn.

    sent: control name -> its raw content; for a link, the value that the link gives. changed: the controls moved since
    the last answer, in order. last_good: the values of the last answer. other: the entries of the request that are not
    controls. problems, notes, invalid: as in `Settled`; reading adds to them.
    """

    def __init__(self, page: Page, request: Mapping[str, object]) -> None:
        self.page = page
        self.problems: list[str] = []
        self.notes: dict[str, str] = {}
        self.invalid: set[str] = set()
        self.arrived = isinstance(request.get("fragment"), str)
        self.other = {key: value for key, value in request.items() if key not in page.controls}
        fragment = request.get("fragment")
        if isinstance(fragment, str):
            self.sent: dict[str, object]
            self.sent, self.problems = parse_fragment(page, fragment)
            self.changed: list[str] = []
            self.last_good: dict[str, Value] = {}
        else:
            self.sent = {name: request[name] for name in page.controls if name in request}
            self.changed = strings(request.get("changed"))
            self.last_good = _last_good(page, request.get("hold"))
        self.problems += [phrases.unknown_control(short_repr(key)) for key in self.other if key not in OTHER_KEYS]

    def read(self, control: Control, missing: Value, bad: Value | None = None) -> Value:
        """Read the value of a control, and record a problem if there is one.

        missing: the value if the request does not have the control. bad: the value if the content cannot be used; by
        default the last good value.
        """
        if control.name not in self.sent:
            return missing
        fallback = self.last_good.get(control.name, missing) if bad is None else bad
        value, problem = control.read(self.sent[control.name], fallback)
        if problem:
            self.refuse(control.name, problem)
        return value

    def refuse(self, name: str, problem: str) -> None:
        """Record that the content of a control cannot be used: as a problem, and as the note under the control."""
        self.notes[name] = problem
        self.problems.append(problem)
        self.invalid.add(name)


def settle(page: Page, request: Mapping[str, object]) -> Settled:
    """Read the values of all controls of a page, part by part."""
    reading = Request(page, request)
    values: dict[str, Value] = {}
    for part in page.parts:
        values |= part.read(part, reading)
    return Settled(
        values=values,
        problems=reading.problems,
        notes=reading.notes,
        invalid=frozenset(reading.invalid),
        arrived=reading.arrived,
    )


def strings(given: object) -> list[str]:
    """The strings of a list; nothing if `given` is not a list.

    >>> strings(["batch", 8]), strings("batch")
    (['batch'], [])
    """
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []


def _last_good(page: Page, hold: object) -> dict[str, Value]:
    """The values of the last answer: those under `hold` that their controls accept."""
    values = hold.get("values") if isinstance(hold, dict) else None
    return dict(_accepted(page.controls.values(), values)) if isinstance(values, dict) else {}


def _accepted(controls: Iterable[Control], values: Mapping[str, object]) -> Iterable[tuple[str, Value]]:
    for control in controls:
        if control.name in values:
            value, problem = control.read(values[control.name], control.default)
            if problem is None:
                yield control.name, value
