"""The cliff chart of any footprint as an SVG file, without a page."""

from dataclasses import replace

from kvcore import catalog
from kvcore.engines import NO_ENGINE
from kvcore.footprint import Footprint
from kvcore.page.chart.drawing import cliff_chart
from kvcore.page.chart.figure import chart_finding
from kvcore.page.chart.result import chart_result
from kvcore.page.chart.words import UNNAMED
from kvcore.page.draw.standalone import standalone
from kvcore.page.lab.result import LabResult, twin_shapes
from kvcore.page.lab.shape import LabModel
from kvcore.units import format_bytes
from kvcore.weights import as_storage

__all__ = ["chart_svg"]


def chart_svg(footprint: Footprint, *, scale: str = "linear", units: str = "binary") -> str:
    """The cliff chart of a footprint as the text of an SVG file.

    scale: of the memory axis, "linear" or "log". units: "binary" or "decimal".

    >>> import kvcore
    >>> chart_svg(kvcore.size("llama-3-70b", batch=32)).count("<svg")
    2
    """
    shape = footprint.shape
    gpu = next((row for row in catalog.GPUS.values() if row.memory_bytes == footprint.gpu_bytes), None)
    if gpu is None:
        label = format_bytes(footprint.gpu_bytes, units)
        gpu = replace(catalog.gpu(catalog.DEFAULT_GPU), label=label, memory_bytes=footprint.gpu_bytes)
    lab = LabResult(
        model=LabModel(
            id="",
            name=footprint.name or UNNAMED,
            shape=shape,
            source="",
            read=None,
            weights=as_storage(footprint.weight_dtype),
        ),
        edited=False,
        footprint=footprint,
        twins={name: replace(footprint, shape=twin) for name, twin in twin_shapes(shape, shape.kv_heads or 0).items()},
        gpu=gpu,
        engine=NO_ENGINE,
        units=units,
    )
    chart = chart_result(lab, "none", scale, None)
    return standalone(cliff_chart(chart, chart_finding(lab), "wide"))
