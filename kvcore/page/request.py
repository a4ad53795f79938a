"""A request: what the page sent of each control, and the problems that reading it finds.

Nothing that a reader can type raises an exception. A control with unusable content keeps its last good value, which the
page sends back under `hold`, so that a reader's state is never lost.
"""

from collections.abc import Iterable, Mapping

from kvcore.errors import short_repr
from kvcore.page import phrases
from kvcore.page.controls import Control, Value

OTHER_KEYS = frozenset(
    {"changed", "settled", "hold", "fragment", "more", "view", "opened", "config_text", "config_name", "config_failed"}
)
"""The keys that a request may have besides the names of controls."""


class Request:
    """A request while the parts of the page read it, each in turn.

    sent: control name -> its raw content; for a link, the value that the link gives. changed: the controls moved since
    the last answer, in order. last_good: the values of the last answer. values: the values of the controls of the parts
    that have been read. other: the entries of the request that are not controls. problems: a sentence each. notes: control name -> the sentence to show under it. invalid: the
    controls whose content was refused. Reading adds to these three.
    """

    def __init__(
        self,
        controls: Mapping[str, Control],
        request: Mapping[str, object],
        linked: tuple[Mapping[str, object], list[str]] | None = None,
    ) -> None:
        """Take a request about these controls; `linked` is what its link sets and what is wrong with it, if it has one."""
        self.values: dict[str, Value] = {}
        self.notes: dict[str, str] = {}
        self.invalid: set[str] = set()
        self.from_link = linked is not None
        self.other = {key: value for key, value in request.items() if key not in controls}
        self.sent: dict[str, object]
        if linked is not None:
            self.sent, self.problems = dict(linked[0]), list(linked[1])
            self.changed: list[str] = []
            self.last_good: dict[str, Value] = {}
        else:
            self.sent, self.problems = {name: request[name] for name in controls if name in request}, []
            self.changed = strings(request.get("changed"))
            self.last_good = _last_good(controls, request.get("hold"))
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


def strings(given: object) -> list[str]:
    """The strings of a list; nothing if `given` is not a list.

    >>> strings(["batch", 8]), strings("batch")
    (['batch'], [])
    """
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []


def _last_good(controls: Mapping[str, Control], hold: object) -> dict[str, Value]:
    """The values of the last answer: those under `hold` that their controls accept."""
    values = hold.get("values") if isinstance(hold, dict) else None
    return dict(_accepted(controls.values(), values)) if isinstance(values, dict) else {}


def _accepted(controls: Iterable[Control], values: Mapping[str, object]) -> Iterable[tuple[str, Value]]:
    for control in controls:
        if control.name in values:
            value, problem = control.read(values[control.name], control.default)
            if problem is None:
                yield control.name, value
