"""A figure's frame: the drawing and its caption; and the same numbers as a table, behind a disclosure beside it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from kvcore.page import words
from kvcore.page.figures.axes import CONTEXT_TICKS, FIRST_CONTEXT, LAST_CONTEXT
from kvcore.page.results import LabResult
from kvcore.page.svg import Html, data, el, escape, join
from kvcore.units import fixed, format_bytes, format_count, format_ratio


def figure(drawing: Html, caption: Html) -> Html:
    """A drawing with its caption."""
    return el("figure", drawing, el("figcaption", caption), class_="kv-figure")


def folded(summary: str, heads: Sequence[str], rows: Iterable[Sequence[Html | str]]) -> Html:
    """A figure's numbers as a table that is folded away: its name is what the reader opens."""
    return el("details", el("summary", summary), table(summary, heads, rows), class_="kv-table")


def table(name: str, heads: Sequence[str], rows: Iterable[Sequence[Html | str]], class_: str = "kv-data") -> Html:
    """A table whose first column names its rows; it scrolls sideways where it must, and keys reach it."""
    head = join(Html(f'<th scope="col">{escape(text)}</th>') for text in heads)
    body = []
    for first, *cells in rows:
        rest = "".join([f"<td>{escape(cell)}</td>" for cell in cells])
        body.append(f'<tr><th scope="row">{escape(first)}</th>{rest}</tr>')
    inner = Html(f'<table class="{class_}"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>')
    return el("div", inner, class_="kv-scroll", role="region", tabindex="0", aria_label=name)


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
                _bytes(result, cache),
                data(float(ratio), words.times(format_ratio(ratio))),
                data(gpus, format_count(gpus)),
            )
        )
    heads = (words.HEAD_CONTEXT, words.HEAD_CACHE, words.HEAD_RATIO, words.HEAD_GPUS)
    return folded(words.CHART_TABLE, heads, rows)


def footprint_table(result: LabResult) -> Html:
    """Weights, cache and free memory in bytes and as shares of the GPUs that hold them."""
    held = result.footprint
    full = held.gpus * held.gpu_bytes
    parts = (
        (words.ROW_WEIGHTS, held.weights_bytes),
        (words.ROW_CACHE, held.cache_bytes),
        (words.ROW_FREE, held.free_bytes),
        (words.gpus(held.gpus, result.gpu.label), full),
    )
    rows = [(name, _bytes(result, size), words.percent(fixed(Fraction(100 * size, full), 1))) for name, size in parts]
    return folded(words.FOOTPRINT_TABLE, (words.HEAD_PART, words.HEAD_BYTES, words.HEAD_SHARE), rows)


def _bytes(result: LabResult, size: int) -> Html:
    return data(size, format_bytes(size, result.units))
