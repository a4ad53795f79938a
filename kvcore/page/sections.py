"""The page as a set of sections, each a function of the controls it names: only those that moved are drawn again."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from kvcore.errors import KvcoreError
from kvcore.page import facts, hatches, lab, models, paging, split, tables
from kvcore.page.controls import LAB, PAGING, SPLIT, Values
from kvcore.page.figures.axes import MemoryAxis
from kvcore.page.figures.cliff import memory_axis
from kvcore.page.results import LabResult, PagingResult, lab_result, paging_result
from kvcore.parallel import PerGpu

BLOCKS = lab.BLOCKS | paging.BLOCKS | models.BLOCKS | facts.BLOCKS | {"lab.problems"}
"""Slots that stand as blocks of their own (a div); the others are phrases (a span)."""


type Shown = tuple[object, object]
"""What the page says it shows: the values of its controls, and the chart's axis as `spell` gave it."""

WIDTHS = ("wide", "narrow")
"""The two widths that figures are drawn for."""


@dataclass(frozen=True, kw_only=True)
class View:
    """What the sections draw from; results are computed when a section first asks."""

    values: Values
    lab: LabResult
    axis: MemoryAxis

    @cached_property
    def paging(self) -> PagingResult:
        """The grid's result."""
        return paging_result(self.values, self.lab)

    @cached_property
    def split(self) -> PerGpu | KvcoreError:
        """What the fullest GPU holds, or why the model cannot be split so."""
        return split.split_result(self.values, self.lab)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Slots that are drawn together, and the controls they are drawn from.

    own: the controls under which they stand, so that a reader who moves one sees them answer first; `others` move them
    too, and can wait. `render` takes the width whose drawing is in sight, or None for both drawings; `drawn` says that it
    has such drawings. folded: the slot of a table that nobody sees, and that can wait, until the reader opens it.
    """

    own: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    render: Callable[[View, str | None], Mapping[str, str]]
    on_axis: bool = False
    drawn: bool = False
    folded: str = ""

    def own_moved(self, view: View, shown: Shown) -> bool:
        """Whether a control of its own, or the chart's scale, differs from what the page shows."""
        return self._differs(self.own, view, shown)

    def moved(self, view: View, shown: Shown) -> bool:
        """Whether anything it is drawn from differs from what the page shows."""
        return self._differs(self.own | self.others, view, shown)

    def _differs(self, names: frozenset[str], view: View, shown: Shown) -> bool:
        before, axis = shown
        if not isinstance(before, dict) or (self.on_axis and axis != spell(view.axis)):
            return True
        return any(name not in before or before[name] != view.values[name] for name in names)


def glance(view: View, shown: Shown, width: str, opened: Collection[str]) -> tuple[dict[str, str], set[int]]:
    """What has to answer at once: the sections whose own controls moved, their figures in the one width in sight.

    opened: slots of folded tables that are open. Answers the slots, and the sections that are then at odds with what
    was late: they have one drawing of two, or were drawn although they are late elsewhere.
    """
    slots: dict[str, str] = {}
    odd: set[int] = set()
    for index, section in enumerate(SECTIONS):
        if section.own_moved(view, shown) and (not section.folded or section.folded in opened):
            slots |= section.render(view, width)
            if section.drawn or section.others or section.folded:
                odd.add(index)
    return slots, odd


def whole(view: View, shown: Shown, late: Shown, odd: Collection[int]) -> dict[str, str]:
    """Everything that differs from what the page shows.

    shown, late: of the sections that glances drew, and of those they left out; odd: sections to be drawn in any case.
    """
    slots: dict[str, str] = {}
    for index, section in enumerate(SECTIONS):
        if index in odd or section.own_moved(view, shown) or section.moved(view, late):
            slots |= section.render(view, None)
    return slots


def anything_late(view: View, shown: Shown) -> bool:
    """Whether a glance left anything to be drawn, besides the sections that it made odd."""
    return any(section.moved(view, shown) for section in SECTIONS)


def view(values: Values, held_axis: object) -> View:
    """The view of settled values; `held_axis`, where it is of the same kind, is the scale a drag began on."""
    result = lab_result(values)
    return View(values=values, lab=result, axis=_axis(result, str(values["scale"]), held_axis))


def spell(axis: MemoryAxis) -> list[object]:
    """An axis as it goes to the page and comes back."""
    return [axis.scale, axis.system, axis.bottom, axis.top]


def _axis(result: LabResult, scale: str, held: object) -> MemoryAxis:
    match held:
        case [str() as kind, str() as system, float() | int() as bottom, float() | int() as top] if (
            (kind, system) == (scale, result.units) and 0 <= bottom < top < 2.0**100 and (bottom or scale == "linear")
        ):
            return MemoryAxis(scale=scale, system=system, bottom=float(bottom), top=float(top))
    return memory_axis(result, scale)


_SHAPE = frozenset({"model", "spec", "layers", "query_heads", "head_dim", "attention", "kv_heads"})
_LAB = frozenset(control.name for control in LAB) - {"scale", "compare"}
_SPLIT = frozenset(control.name for control in SPLIT)
_PAGING = frozenset(control.name for control in PAGING)

SECTIONS = (
    Section(own=_LAB, render=lambda view, _: lab.readouts(view.lab)),
    Section(
        own=_LAB | {"compare"},
        on_axis=True,
        drawn=True,
        render=lambda view, width: {"lab.chart": lab.chart(view.lab, view.axis, width)},
    ),
    Section(
        own=_LAB,
        drawn=True,
        render=lambda view, width: {"lab.footprint": lab.footprint(view.lab, width)},
    ),
    Section(
        own=_LAB, folded="lab.chart_table", render=lambda view, _: {"lab.chart_table": tables.chart_table(view.lab)}
    ),
    Section(
        own=_LAB,
        folded="lab.footprint_table",
        render=lambda view, _: {"lab.footprint_table": tables.footprint_table(view.lab)},
    ),
    Section(others=_LAB, render=lambda view, _: lab.decode(view.lab)),
    Section(own=_SPLIT, others=_LAB, render=lambda view, _: split.readouts(view.split, view.lab)),
    Section(
        own=_PAGING,
        others=_SHAPE | {"cache_dtype", "v_dtype", "units"},
        render=lambda view, _: paging.readouts(view.paging),
    ),
    Section(
        own=_PAGING,
        drawn=True,
        render=lambda view, width: {"paging.grid": paging.grid(view.paging, width)},
    ),
    Section(own=_PAGING, folded="paging.table", render=lambda view, _: {"paging.table": paging.table(view.paging)}),
    Section(
        others=_PAGING | _SHAPE | {"cache_dtype", "v_dtype", "context", "units"},
        render=lambda view, _: hatches.cards(view.lab, view.paging),
    ),
    Section(others=frozenset({"units"}), render=lambda view, _: facts.facts(view.lab.units)),
    Section(render=lambda _view, _: {"prelude.work": facts.work_table()}),
    Section(others=frozenset({"units"}), render=lambda view, _: {"models.table": models.models_table(view.lab.units)}),
)
"""All sections, in the order of the page."""
