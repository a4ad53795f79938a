"""The cliff chart as a figure: the drawing, and a caption with its finding and its legend."""

from fractions import Fraction

from kvcore.page.chart import words
from kvcore.page.chart.drawing import cliff_chart
from kvcore.page.chart.result import ChartResult
from kvcore.page.draw.axes import LAST_CONTEXT
from kvcore.page.html import Html, el, figure, join
from kvcore.page.lab import words as lab_words
from kvcore.page.lab.result import LabResult
from kvcore.units import format_ratio


def chart(result: ChartResult, width: str | None = None) -> Html:
    """The cliff chart with its caption; `width` is the name of the width to draw, None for both."""
    lab, finding = result.lab, chart_finding(result.lab)
    caption = join(
        [
            el("strong", finding),
            *_twin_sentence(lab),
            *_compare_sentence(result),
            el("span", _legend(result)),
        ],
        " ",
    )
    return figure(cliff_chart(result, finding, width), caption)


def chart_finding(result: LabResult) -> str:
    """A sentence with the context at which the cache overtakes the weights, or the reason why it does not."""
    cliff = result.footprint.cliff_context
    return words.chart_finding(result.name, result.shape.attention, result.footprint.batch, cliff, LAST_CONTEXT)


def _legend(result: ChartResult) -> str:
    lab = result.lab
    return words.chart_legend(
        lab.gpu.label,
        twins=bool(lab.twins),
        compared=result.compared[0] if result.compared else None,
    )


def _twin_sentence(result: LabResult) -> list[Html]:
    """A sentence on how much sooner the model would cross as MHA; for an MHA model, how much later as GQA."""
    cliff = result.footprint.cliff_context
    for name in ("mha", "gqa"):
        twin = result.twins.get(name)
        if twin is None or twin.cliff_context is None or cliff is None:
            continue
        label = lab_words.ATTENTION_OPTIONS[name]
        if twin.cliff_context <= cliff:
            return [
                el(
                    "span",
                    words.twin_sooner(label, twin.cliff_context, format_ratio(Fraction(cliff, twin.cliff_context))),
                )
            ]
        return [
            el("span", words.twin_later(label, twin.cliff_context, format_ratio(Fraction(twin.cliff_context, cliff))))
        ]
    return []


def _compare_sentence(result: ChartResult) -> list[Html]:
    """A sentence on the crossing of the compared model, if there is one."""
    if result.compared is None:
        return []
    name, other = result.compared
    return [el("span", words.compare_finding(name, other.cliff_context))]
