"""Parts: what a page is made of.

A part is a form, or a share of one, with everything that is drawn from it:

    what was sent --read--> values --result--> a result --draw--> sections, which are slots of HTML

A page is a tuple of parts. No list says which control changes which section: a section is drawn from its part's result
and from the results of the parts that this one `needs`, so it depends on the controls of all of these. The sections that
no longer show the state are called stale. Of the stale ones, those that stand beside the moved control are near and
answer at once; the others are far and answer when the control rests.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from kvcore.page.controls import Control, Value, Values
from kvcore.page.html import Html

if TYPE_CHECKING:
    from kvcore.page.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a page: its id, and what a screen reader calls it."""

    name: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Controls that stand together in a form; groups of one name are one group, whichever parts bring them."""

    name: str
    label: str
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a part says of one of its controls: a line under it, its slider's stops where they change, or that it is off."""

    text: str = ""
    stops: tuple[int, ...] | None = None
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Slots that are drawn together; use the four functions below to make one.

    is_figure: it is drawn for two widths, of which one is in sight. is_folded: it is a table that waits until the reader
    opens it. is_block: its slot is a block of its own (a div) and not a phrase (a span).
    """

    name: str
    draw: Callable[["View"], Mapping[str, Html]]
    is_block: bool = False
    is_figure: bool = False
    is_folded: bool = False


def phrases(name: str, draw: Callable[["View"], Mapping[str, Html]]) -> Section:
    """A section of several slots, each a phrase within the article's sentences: slot name -> HTML."""
    return Section(name=name, draw=draw)


def block(name: str, draw: Callable[["View"], Html], *, folded: bool = False) -> Section:
    """A section of one slot that is a block; `folded` for a table that waits until the reader opens it."""
    return Section(name=name, draw=lambda view: {name: draw(view)}, is_block=True, is_folded=folded)


def figure(name: str, draw: Callable[["View"], Html]) -> Section:
    """A section of one slot that is a figure, drawn for `view.width`, or for both widths where that is None."""
    return Section(name=name, draw=lambda view: {name: draw(view)}, is_block=True, is_figure=True)


def _read_each(part: "Part[Any]", request: "Request") -> dict[str, Value]:
    return {control.name: request.read(control, control.default) for control in part.controls}


@dataclass(frozen=True, kw_only=True, eq=False)
class Part[R]:
    """Controls, the result they come to, and the sections drawn from it; see the module's docstring.

    form, groups: the form that the part stands in, and its own groups of controls there. needs: the parts whose results
    it draws from. read: values of its controls from a request, where more than reading each by itself is to be done. implied: values
    that other values imply, so that a link need not carry them. notes: lines beside its controls. announce: a sentence for screen
    readers. remember: what of the result the page sends back with the next request (`View.remembered`), as JSON.
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
        """Its own controls, in the order of the form."""
        return tuple(control for group in self.groups for control in group.controls)

    @cached_property
    def sources(self) -> "tuple[Part[Any], ...]":
        """Itself and all parts that it needs, and that these need."""
        return (self, *dict.fromkeys(source for part in self.needs for source in part.sources))

    @cached_property
    def depends_on(self) -> frozenset[str]:
        """What its sections are drawn from: names of controls, and of parts whose remembered result may change by itself."""
        names = {control.name for source in self.sources for control in source.controls}
        return frozenset(names | {source.name for source in self.sources if source.remember})

    @cached_property
    def near(self) -> frozenset[str]:
        """Of that, what stands in the same form as the part."""
        return frozenset(
            name
            for source in self.sources
            if source.form is self.form and self.form is not None
            for name in (source.name, *(control.name for control in source.controls))
        )


class View:
    """The state of a page's controls, and what its parts make of it: `view[part]` is a part's result, computed when first asked for.

    width: the width of figures that is in sight, None for both. remembered: part name -> what the part said to remember of
    the last answer. dragging: a slider is under the reader's finger. arrived: the values have just come with a link.
    """

    def __init__(
        self,
        values: Values,
        *,
        width: str | None = None,
        remembered: Mapping[str, object] | None = None,
        dragging: bool = False,
        arrived: bool = False,
    ) -> None:
        self.values = values
        self.width = width
        self.remembered = remembered or {}
        self.dragging = dragging
        self.arrived = arrived
        self._results: dict[str, object] = {}

    def __getitem__[R](self, part: Part[R]) -> R:
        if part.name not in self._results:
            self._results[part.name] = part.result(self)
        return cast("R", self._results[part.name])


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page: its parts, and what its links mean (see `link`).

    link_defaults: version -> the values that a link of it leaves out. old_link_keys: a key that links had once -> what its
    value says of today's controls; it raises KvcoreError where it says nothing.
    """

    name: str
    parts: tuple[Part[Any], ...]
    link_defaults: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    old_link_keys: Mapping[str, Callable[[str], Mapping[str, str]]] = field(
        default_factory=lambda: MappingProxyType({})
    )

    @cached_property
    def controls(self) -> Mapping[str, Control]:
        """Every control by its name."""
        return {control.name: control for part in self.parts for control in part.controls}

    @cached_property
    def forms(self) -> Mapping[str, tuple[Form, tuple[Group, ...]]]:
        """Form name -> the form and its groups; groups of one name are joined."""
        forms: dict[str, tuple[Form, dict[str, Group]]] = {}
        for part in self.parts:
            if part.form is None:
                continue
            _, groups = forms.setdefault(part.form.name, (part.form, {}))
            for group in part.groups:
                controls = (*groups[group.name].controls, *group.controls) if group.name in groups else group.controls
                groups[group.name] = Group(name=group.name, label=group.label, controls=controls)
        return {name: (form, tuple(groups.values())) for name, (form, groups) in forms.items()}

    @cached_property
    def sections(self) -> Mapping[str, tuple[Part[Any], Section]]:
        """Every section by its name, with its part."""
        return {section.name: (part, section) for part in self.parts for section in part.sections}

    @cached_property
    def figures(self) -> frozenset[str]:
        """The sections that are figures."""
        return frozenset(name for name, (_, section) in self.sections.items() if section.is_figure)

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The slots that are blocks."""
        return frozenset(name for name, (_, section) in self.sections.items() if section.is_block)

    def stale(self, moved: Collection[str], before: Collection[str]) -> set[str]:
        """The sections that do not show the state once these controls have moved; `before`: those that did not before."""
        return {
            name for name, (part, _) in self.sections.items() if name in before or not part.depends_on.isdisjoint(moved)
        }

    def near(self, moved: Collection[str], opened: Collection[str]) -> set[str]:
        """The sections that stand beside these controls, without tables that are folded away; `opened`: those that are not."""
        return {
            name
            for name, (part, section) in self.sections.items()
            if not part.near.isdisjoint(moved) and (not section.is_folded or name in opened)
        }

    def draw(self, view: View, names: Iterable[str]) -> dict[str, Html]:
        """The slots of these sections, in the order of the page."""
        slots: dict[str, Html] = {}
        wanted = set(names)
        for name, (_, section) in self.sections.items():
            if name in wanted:
                slots |= section.draw(view)
        return slots

    def remembered(self, view: View) -> dict[str, object]:
        """What each part wants to be remembered of its result."""
        return {part.name: part.remember(view[part]) for part in self.parts if part.remember}
