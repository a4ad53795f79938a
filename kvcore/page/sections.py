"""The page as a set of sections, each a function of the controls it names: only those that moved are drawn again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from kvcore.errors import KvcoreError
from kvcore.page import facts, hatches, lab, models, paging, split
from kvcore.page.controls import LAB, PAGING, SPLIT, Values
from kvcore.page.figures.axes import MemoryAxis
from kvcore.page.figures.cliff import memory_axis
from kvcore.page.results import LabResult, PagingResult, lab_result, paging_result
from kvcore.parallel import PerGpu

BLOCKS = lab.BLOCKS | paging.BLOCKS | models.BLOCKS | facts.BLOCKS | {"lab.problems"}
"""Slots that stand as blocks of their own (a div); the others are phrases (a span)."""


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
    """Slots that are drawn together from the controls named; `on_axis` where the chart's scale matters too."""

    controls: frozenset[str]
    render: Callable[[View], Mapping[str, str]]
    on_axis: bool = False

    def moved(self, view: View, before: object, axis: object) -> bool:
        """Whether anything the section is drawn from differs from the values (and the axis) the page shows."""
        if not isinstance(before, dict) or (self.on_axis and axis != spell(view.axis)):
            return True
        return any(name not in before or before[name] != view.values[name] for name in self.controls)


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
    Section(controls=_LAB, render=lambda view: lab.readouts(view.lab)),
    Section(controls=_LAB, on_axis=True, render=lambda view: {"lab.chart": lab.chart(view.lab, view.axis)}),
    Section(controls=_LAB, render=lambda view: {"lab.footprint": lab.footprint(view.lab)}),
    Section(controls=_LAB | _SPLIT, render=lambda view: split.readouts(view.split, view.lab)),
    Section(
        controls=_PAGING | _SHAPE | {"cache_dtype", "v_dtype", "units"},
        render=lambda view: paging.readouts(view.paging),
    ),
    Section(controls=_PAGING, render=lambda view: {"paging.grid": paging.grid(view.paging)}),
    Section(
        controls=_PAGING | _SHAPE | {"cache_dtype", "v_dtype", "context", "units"},
        render=lambda view: hatches.cards(view.lab, view.paging),
    ),
    Section(controls=frozenset({"units"}), render=lambda view: facts.facts(view.lab.units)),
    Section(controls=frozenset(), render=lambda _: {"prelude.work": facts.work_table()}),
    Section(controls=frozenset({"units"}), render=lambda view: {"models.table": models.models_table(view.lab.units)}),
)
"""All sections, in the order of the page."""
