"""The building blocks of a page: parts, with their controls and sections.

A part has sections, the result that they are drawn from, and the controls of that result, if it has any:

    request --read--> values of the controls --result--> one result --draw--> sections, each of one or more slots of HTML

Parts may share a form. A page is a tuple of parts. Which sections a control affects follows from the parts: a section is drawn from the results
of its own part and of the parts that this part `needs`, so it depends on the controls of all of these.

A section is stale if it does not show the current values. A stale section is near if it is next to the control that
the reader moves, that is, in the same form: it is updated in the first answer, also during a drag. The other stale
sections are updated in a second answer, when the control is at rest.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, cast

from kvcore.page.controls import Control, Value, Values
from kvcore.page.html import NOTHING, Html
from kvcore.page.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a page: `name` is its id in HTML, `label` its name for screen readers.

    order: the names of its groups in the order in which they are shown; groups that it does not name come last.
    """

    name: str
    label: str
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Controls that are next to each other in a form; groups of the same name are joined, also across parts.

    folded: the group is closed under its label until the reader opens it, because few readers need it.
    """

    name: str
    label: str
    controls: tuple[Control, ...]
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a part adds to one of its controls for the current values.

    text: the line under it. stops: the slider's stops, None for the control's own. disabled: the reader cannot set it.
    """

    text: str = ""
    stops: tuple[int, ...] | None = None
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Slots that are drawn together. `phrases`, `block` and `figure` make sections.

    draw: returns slot name -> HTML. is_block: its one slot is a div; the slots of other sections are spans. is_figure:
    it is drawn in two widths, of which the page shows one. is_folded: it is a table that is closed until the reader
    opens it, so a first answer leaves it out while it is closed.
    """

    name: str
    draw: Callable[["View"], Mapping[str, Html]]
    is_block: bool = False
    is_figure: bool = False
    is_folded: bool = False


def phrases(name: str, draw: Callable[["View"], Mapping[str, Html]]) -> Section:
    """A section of several slots, each a phrase (a span) in a sentence of the article; `draw` returns slot name -> HTML."""
    return Section(name=name, draw=draw)


def block(name: str, draw: Callable[["View"], Html], *, folded: bool = False) -> Section:
    """A section of one slot, a block (a div); `folded` if it is a table that is closed until the reader opens it."""
    return Section(name=name, draw=lambda view: {name: draw(view)}, is_block=True, is_folded=folded)


def figure(name: str, draw: Callable[["View"], Html]) -> Section:
    """A section of one slot, a figure; it is drawn in the width `view.width`, or in both widths if that is None."""
    return Section(name=name, draw=lambda view: {name: draw(view)}, is_block=True, is_figure=True)


def _read_each(part: "Part[Any]", request: Request) -> dict[str, Value]:
    return {control.name: request.read(control, control.default) for control in part.controls}


@dataclass(frozen=True, kw_only=True, eq=False)
class Part[R]:
    """Controls, the result computed from their values, and the sections drawn from the result.

    form, groups: the form that the part belongs to, and the part's groups of controls in it.
    needs: other parts whose results it uses.
    read: reads the values of its controls from a request; by default each control is read by itself.
    result: computes the result from the values.
    implied: values that follow from other values, so that a link leaves them out.
    notes: control name -> the note under that control.
    announce: a sentence for screen readers.
    remember: JSON data of the result that the page must send back with the next request (`View.remembered`).
    """

    name: str
    form: Form | None = None
    groups: tuple[Group, ...] = ()
    needs: "tuple[Part[Any], ...]" = ()
    read: "Callable[[Part[Any], Request], dict[str, Value]]" = _read_each
    result: Callable[["View"], R]
    implied: Callable[["View"], Values] = lambda _: {}
    sections: tuple[Section, ...] = ()
    notes: Callable[["View"], Mapping[str, Note]] = lambda _: {}
    announce: Callable[["View"], str] | None = None
    remember: Callable[[R], object] | None = None

    @cached_property
    def controls(self) -> tuple[Control, ...]:
        """The part's own controls, in the order of the form."""
        return tuple(control for group in self.groups for control in group.controls)

    @cached_property
    def sources(self) -> "tuple[Part[Any], ...]":
        """The part itself and every part that it needs, directly or through another part."""
        return (self, *dict.fromkeys(source for part in self.needs for source in part.sources))

    @cached_property
    def depends_on(self) -> frozenset[str]:
        """The names of all controls that its sections depend on, and of the source parts that remember something.

        A remembered value can change while no control does, so a change of it makes the sections stale too.
        """
        names = {control.name for source in self.sources for control in source.controls}
        return frozenset(names | {source.name for source in self.sources if source.remember})

    @cached_property
    def near(self) -> frozenset[str]:
        """Those names of `depends_on` that belong to the same form as the part."""
        return frozenset(
            name
            for source in self.sources
            if source.form is self.form and self.form is not None
            for name in (source.name, *(control.name for control in source.controls))
        )


class View:
    """The values of a page's controls, and the results of its parts: `view[part]` computes a result once and keeps it.

    width: the name of the width that figures are drawn in, None for both. remembered: part name -> what the part's
    `remember` gave for the last answer. dragging: the reader is dragging a slider. from_link: the values came with a link.
    """

    def __init__(
        self,
        values: Values,
        *,
        width: str | None = None,
        remembered: Mapping[str, object] | None = None,
        dragging: bool = False,
        from_link: bool = False,
    ) -> None:
        self.values = values
        self.width = width
        self.remembered = remembered or {}
        self.dragging = dragging
        self.from_link = from_link
        self._results: dict[str, object] = {}

    def __getitem__[R](self, part: Part[R]) -> R:
        if part.name not in self._results:
            self._results[part.name] = part.result(self)
        return cast("R", self._results[part.name])


def _place(form: Form, group: Group) -> int:
    return form.order.index(group.name) if group.name in form.order else len(form.order)


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page: its parts, and the tables by which its links are read (see `link`).

    linked: a line that says what a link has set.
    link_defaults: version of links -> the values that a link of this version leaves out. old_link_keys: a key that only
    old links have -> a function from its text to values of today's controls, which raises KvcoreError if it cannot.
    """

    name: str
    parts: tuple[Part[Any], ...]
    link_defaults: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    linked: Callable[[View], Html] = lambda _: NOTHING
    old_link_keys: Mapping[str, Callable[[str], Mapping[str, str]]] = field(
        default_factory=lambda: MappingProxyType({})
    )

    @cached_property
    def controls(self) -> Mapping[str, Control]:
        """Control name -> control."""
        return {control.name: control for part in self.parts for control in part.controls}

    @cached_property
    def forms(self) -> Mapping[str, tuple[Form, tuple[Group, ...]]]:
        """Form name -> the form and its groups; groups of the same name are joined."""
        forms: dict[str, tuple[Form, dict[str, Group]]] = {}
        for part in self.parts:
            if part.form is None:
                continue
            _, groups = forms.setdefault(part.form.name, (part.form, {}))
            for group in part.groups:
                controls = (*groups[group.name].controls, *group.controls) if group.name in groups else group.controls
                groups[group.name] = replace(group, controls=controls)
        return {
            name: (form, tuple(sorted(groups.values(), key=lambda group: _place(form, group))))
            for name, (form, groups) in forms.items()
        }

    @cached_property
    def sections(self) -> Mapping[str, tuple[Part[Any], Section]]:
        """Section name -> the section's part and the section."""
        return {section.name: (part, section) for part in self.parts for section in part.sections}

    @cached_property
    def figures(self) -> frozenset[str]:
        """The names of the sections that are figures."""
        return frozenset(name for name, (_, section) in self.sections.items() if section.is_figure)

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The names of the slots that are blocks (divs)."""
        return frozenset(name for name, (_, section) in self.sections.items() if section.is_block)

    def stale(self, moved: Collection[str], before: Collection[str]) -> set[str]:
        """The sections that are stale after these controls have moved; `before`: those that were stale already."""
        return {
            name for name, (part, _) in self.sections.items() if name in before or not part.depends_on.isdisjoint(moved)
        }

    def near(self, moved: Collection[str], opened: Collection[str]) -> set[str]:
        """The sections next to the moved controls, without closed tables; `opened`: the tables that the reader opened."""
        return {
            name
            for name, (part, section) in self.sections.items()
            if not part.near.isdisjoint(moved) and (not section.is_folded or name in opened)
        }

    def draw(self, view: View, names: Iterable[str]) -> dict[str, Html]:
        """Draw these sections: slot name -> HTML, in the order of the page."""
        slots: dict[str, Html] = {}
        wanted = set(names)
        for name, (_, section) in self.sections.items():
            if name in wanted:
                slots |= section.draw(view)
        return slots

    def remembered(self, view: View) -> dict[str, object]:
        """Part name -> what its `remember` gives, for the parts that have one."""
        return {part.name: part.remember(view[part]) for part in self.parts if part.remember}
