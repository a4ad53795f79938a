"""What the cliff chart is drawn from: the Lab's result, what it is compared with, and the memory axis."""

from dataclasses import dataclass, replace

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES
from kvcore.footprint import Footprint
from kvcore.page.chart import words
from kvcore.page.draw.axes import FIRST_CONTEXT, MemoryAxis, round_up
from kvcore.page.lab.result import LabResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartResult:
    """The Lab and the chart's memory axis; `compared` is another model, or this one with another cache, by its name."""

    lab: LabResult
    compared: tuple[str, Footprint] | None
    axis: MemoryAxis


def chart_result(lab: LabResult, compare: str, scale: str, remembered: object) -> ChartResult:
    """The chart of a Lab. `remembered` is the axis that a drag began on (see `spell`): it stays while a slider moves."""
    compared = _compared(compare, lab.footprint)
    axis = _axis_of(remembered, scale, lab.units) or _fresh_axis(lab, compared[1] if compared else None, scale)
    return ChartResult(lab=lab, compared=compared, axis=axis)


def spell(result: ChartResult) -> list[object]:
    """The axis as the page keeps it and sends it back."""
    axis = result.axis
    return [axis.scale, axis.system, axis.bottom, axis.top]


def _compared(choice: str, footprint: Footprint) -> tuple[str, Footprint] | None:
    if choice == "none":
        return None
    if choice == "fp8":
        return words.COMPARED_FP8, replace(footprint, cache_dtype=CACHE_DTYPES["fp8"])
    model = catalog.MODELS[choice]
    return model.name, replace(footprint, shape=model.shape)


def _fresh_axis(lab: LabResult, compared: Footprint | None, scale: str) -> MemoryAxis:
    """An axis on which the weights, their crossing, the cache of now and a first GPU can be read."""
    footprint = lab.footprint
    need = max(3.3 * footprint.weights_bytes, 1.15 * footprint.cache_bytes)
    if compared is not None:
        need = max(need, 1.3 * compared.weights_bytes)
    if footprint.gpu_bytes < 2 * need:
        need = max(need, 1.08 * footprint.gpu_bytes)
    lowest = min(footprint.weights_bytes, footprint.batch * footprint.sequence_bytes(FIRST_CONTEXT)) or 1
    bottom = 0.0 if scale == "linear" else max(1.0, lowest / 2)
    return MemoryAxis(scale=scale, system=lab.units, bottom=bottom, top=round_up(need, lab.units))


def _axis_of(spelled: object, scale: str, units: str) -> MemoryAxis | None:
    """The axis that `spell` wrote, if it is one and of this scale and these units."""
    match spelled:
        case [str() as kind, str() as system, float() | int() as bottom, float() | int() as top] if (
            (kind, system) == (scale, units) and 0 <= bottom < top < 2.0**100 and (bottom or scale == "linear")
        ):
            return MemoryAxis(scale=scale, system=system, bottom=float(bottom), top=float(top))
    return None
