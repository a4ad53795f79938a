"""The numbers of the cliff chart as a table."""

from dataclasses import replace

from kvcore.page import phrases
from kvcore.page.chart import words
from kvcore.page.draw.axes import CONTEXT_TICKS, FIRST_CONTEXT, LAST_CONTEXT
from kvcore.page.html import Html, data, folded
from kvcore.page.lab.result import LabResult
from kvcore.units import format_bytes, format_count, format_ratio


def chart_table(result: LabResult) -> Html:
    """Cache, ratio to the weights and GPUs at the labelled contexts of the chart, at the chosen one and at the cliff."""
    footprint = result.footprint
    marked = {context for context, _ in CONTEXT_TICKS} | {footprint.context}
    if footprint.cliff_context is not None and FIRST_CONTEXT <= footprint.cliff_context <= LAST_CONTEXT:
        marked.add(footprint.cliff_context)
    rows = []
    for context in sorted(marked):
        there = replace(footprint, context=context)
        name = words.marked_context(
            context, here=context == footprint.context, cliff=context == footprint.cliff_context
        )
        rows.append(
            (
                name,
                data(there.cache_bytes, format_bytes(there.cache_bytes, result.units)),
                data(float(there.ratio), phrases.times(format_ratio(there.ratio))),
                data(there.gpus_by_memory, format_count(there.gpus_by_memory)),
            )
        )
    heads = (words.HEAD_CONTEXT, words.HEAD_CACHE, words.HEAD_RATIO, words.HEAD_GPUS)
    return folded(words.CHART_TABLE, heads, rows)
