"""The cliff chart: the context at which the cache of the Lab's model becomes larger than its weights."""

from kvcore.page.chart.controls import COMPARE, SCALE
from kvcore.page.chart.figure import chart
from kvcore.page.chart.result import ChartResult, axis_data, chart_result
from kvcore.page.chart.table import chart_table
from kvcore.page.lab import LAB, UNITS
from kvcore.page.lab import words as lab_words
from kvcore.page.lab.controls import FORM
from kvcore.page.parts import Group, Part, View, block, figure

CHART: Part[ChartResult] = Part(
    name="chart",
    form=FORM,
    groups=(Group(name="show", label=lab_words.GROUP_SHOW, controls=(SCALE, COMPARE)),),
    needs=(LAB, UNITS),
    result=lambda view: _result(view),  # noqa: PLW0108 - it is defined below
    remember=axis_data,
    sections=(
        figure("lab.chart", lambda view: chart(view[CHART], view.width)),
        block("lab.chart_table", lambda view: chart_table(view[LAB]), folded=True),
    ),
)


def _result(view: View) -> ChartResult:
    remembered = view.remembered.get(CHART.name) if view.dragging else None
    return chart_result(view[LAB], COMPARE.of(view.values), SCALE.of(view.values), remembered)
