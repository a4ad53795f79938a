"""The result of the chart's controls: the Lab's result, the footprint it is compared with, and the memory axis."""

from dataclasses import dataclass, replace

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES
from kvcore.errors import Unsupported
from kvcore.footprint import Footprint
from kvcore.page.chart import words
from kvcore.page.draw.axes import FIRST_CONTEXT, MemoryAxis, round_up
from kvcore.page.lab.result import LabResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartResult:
    """The data of the cliff chart.

    compared: the footprint of another model, or of the Lab's with an FP8 cache, and its name; None if there is none.
    axis: the memory axis.
    """

    lab: LabResult
    compared: tuple[str, Footprint] | None
    axis: MemoryAxis


def chart_result(lab: LabResult, compare: str, scale: str, remembered: object) -> ChartResult:
    """Compute the chart's result.

    `remembered` is the axis of the last answer, as `axis_data` wrote it: during a drag the axis keeps its range. It is
    ignored if it is not usable, or is of another scale or unit system.
    """
    compared = _compared(compare, lab.footprint)
    axis = _axis_of(remembered, scale, lab.units) or _fresh_axis(lab, compared[1] if compared else None, scale)
    return ChartResult(lab=lab, compared=compared, axis=axis)


def axis_data(result: ChartResult) -> list[object]:
    """The memory axis as JSON data, which the page sends back with the next request."""
    axis = result.axis
    return [axis.scale, axis.system, axis.bottom, axis.top]


def _compared(choice: str, footprint: Footprint) -> tuple[str, Footprint] | None:
    if choice == "none":
        return None
    if choice == "fp8":
        return words.COMPARED_FP8, replace(footprint, cache_dtype=CACHE_DTYPES["fp8"])
    model = catalog.MODELS[choice]
    try:
        return model.name, replace(footprint, shape=model.shape)
    except Unsupported:  # a type for latents, which the other model does not have
        plain = replace(footprint, shape=model.shape, cache_dtype=CACHE_DTYPES["fp16"], value_dtype=None)
        return words.compared_in_fp16(model.name), plain


def _fresh_axis(lab: LabResult, compared: Footprint | None, scale: str) -> MemoryAxis:
    """A memory axis with room for the weights, the crossing, the cache at the chosen context, and one GPU if near."""
    footprint = lab.footprint
    need = max(3.3 * footprint.weights_bytes, 1.15 * footprint.cache_bytes)
    if compared is not None:
        need = max(need, 1.3 * compared.weights_bytes)
    if footprint.gpu_bytes < 2 * need:
        need = max(need, 1.08 * footprint.gpu_bytes)
    lowest = min(footprint.weights_bytes, footprint.batch * footprint.sequence_bytes(FIRST_CONTEXT)) or 1
    bottom = 0.0 if scale == "linear" else max(1.0, lowest / 2)
    return MemoryAxis(scale=scale, system=lab.units, bottom=bottom, top=round_up(need, lab.units))


def _axis_of(remembered: object, scale: str, units: str) -> MemoryAxis | None:
    """The axis that `axis_data` wrote, if it is valid and of this scale and these units; else None."""
    match remembered:
        case [str() as kind, str() as system, float() | int() as bottom, float() | int() as top] if (
            (kind, system) == (scale, units) and 0 <= bottom < top < 2.0**100 and (bottom or scale == "linear")
        ):
            return MemoryAxis(scale=scale, system=system, bottom=float(bottom), top=float(top))
    return None
