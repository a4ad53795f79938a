"""The cliff chart's numbers as a table."""

from fractions import Fraction

from kvcore.page import phrases
from kvcore.page.chart import words
from kvcore.page.draw.axes import CONTEXT_TICKS, FIRST_CONTEXT, LAST_CONTEXT
from kvcore.page.html import Html, data, folded
from kvcore.page.lab.result import LabResult
from kvcore.units import format_bytes, format_count, format_ratio


def chart_table(result: LabResult) -> Html:
    """Cache, ratio and GPUs at the chart's labelled contexts, at the one chosen and at the cliff."""
    held = result.footprint
    marks = {context for context, _ in CONTEXT_TICKS} | {held.context}
    if held.cliff_context is not None and FIRST_CONTEXT <= held.cliff_context <= LAST_CONTEXT:
        marks.add(held.cliff_context)
    rows = []
    contexts = sorted(marks)
    for context, cache in zip(contexts, held.cache_curve(contexts), strict=True):
        ratio = Fraction(cache, held.weights_bytes)
        gpus = -(-(held.weights_bytes + cache) // held.gpu_bytes)
        name = words.marked_context(context, here=context == held.context, cliff=context == held.cliff_context)
        rows.append(
            (
                name,
                data(cache, format_bytes(cache, result.units)),
                data(float(ratio), phrases.times(format_ratio(ratio))),
                data(gpus, format_count(gpus)),
            )
        )
    heads = (words.HEAD_CONTEXT, words.HEAD_CACHE, words.HEAD_RATIO, words.HEAD_GPUS)
    return folded(words.CHART_TABLE, heads, rows)
