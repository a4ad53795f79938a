"""Whatever control is moved, all places that speak of the same bytes say the same: readouts, formula, chart, tables, GPUs, grid.

The controls come from the page itself, so that a new one is held to this without being named here.
"""

import html
import re

import pytest

from kvcore.page.controls import Number
from kvcore.page.lab.controls import CONFIG
from kvcore.page.pages import ARTICLE
from tests.kvcore.page.reading import slots, value
from tests.kvcore.page.test_drawn_numbers import PIXEL, charts, number_of

ALONE = {"tp": 1, "pp": 1, "dp": 1, "cp": 1, "ep": 1, "engine_block": 1, "reserve": 0}
"""One GPU that holds everything: its share of the cache is the whole cache."""


def moved():
    """Every control, one at a time, at its ends, in its middle, or at each of its options."""
    for name, control in ARTICLE.controls.items():
        if name == CONFIG.name:
            continue
        if isinstance(control, Number):
            values = {control.low, control.high, control.stops[len(control.stops) // 2]} - {control.default}
        else:
            values = [option for option in control.options if option not in {control.default, *control.hidden}][:6]
        for number in sorted(values):
            yield pytest.param({name: number}, id=f"{name} {number}")


STATES = list(moved())
ON_ONE_GPU = [state for state in STATES if not set(state.values[0]) & {"gpus", *ALONE}]


@pytest.mark.parametrize("state", STATES)
def test_the_formula_multiplies_out_to_the_total(state):
    found = slots(**state)
    per_token, total = map(int, re.findall(r'<data value="(\d+)">', found["lab.formula"]))
    text = html.unescape(re.sub(r"<[^>]+>", "", found["lab.formula"]))
    shared = re.search(r"\(([\d,]+) shared \+ ([\d,]+) × ([\d,]+)\) tokens", text)
    alone = re.search(r"× ([\d,]+) tokens? × ([\d,]+) users?", text)
    factors = shared.groups() if shared else ("0", *alone.groups())
    prompt, tokens, batch = (int(number.replace(",", "")) for number in factors)
    if "at most in a layer with a window" not in text and "of state for each" not in text:
        assert per_token * (prompt + tokens * batch) == total
    assert total == number_of(found["lab.cache_total"])
    assert per_token == number_of(found["lab.bytes_per_token"])


@pytest.mark.parametrize("state", ON_ONE_GPU)
def test_one_gpu_that_holds_everything_holds_the_total(state):
    found = slots(**{**ALONE, **state})
    assert value(found["split.cache"]) == value(found["lab.cache_total"])
    assert value(found["split.weights"]) == value(found["lab.weights"])
    assert value(found["split.bytes_per_token"]) == value(found["lab.bytes_per_token"])


@pytest.mark.parametrize("state", STATES)
def test_the_tables_say_what_the_readouts_say(state):
    found = slots(**state)
    here = next(row for row in found["lab.chart_table"].split("<tr>") if "you are here" in row)
    assert value(here) == value(found["lab.cache_total"])
    for name in ("split.cache", "split.weights"):
        assert f'value="{value(found[name])}"' in found["lab.footprint_table"]
    assert f'value="{abs(int(value(found["split.free"])))}"' in found["lab.footprint_table"]


@pytest.mark.parametrize("state", STATES)
def test_the_curve_passes_through_the_dot(state):
    found, drawn = charts(state)
    context = state.get("context", 8192)
    for chart in drawn:
        total = chart.y(number_of(found["lab.cache_total"]))
        curve = chart.height_at(chart.curve(chart.one("kv-cache")), chart.x(context))
        for dot in chart.all("kv-here-dot"):
            assert float(dot.get("cy")) == pytest.approx(total, abs=PIXEL)
            assert curve == pytest.approx(total, abs=PIXEL)


@pytest.mark.parametrize("state", STATES)
def test_a_stored_token_of_the_grid_takes_what_a_token_takes_in_the_lab(state):
    found = slots(**state)
    tokens, _, size = map(int, re.findall(r'<data value="(\d+)">', found["paging.used"]))
    text = re.sub(r"<[^>]+>", "", found["lab.formula"])
    if "in a layer with a window" in text or "of state for each" in text or tokens == 0:
        return  # a token does not take the same at every length
    windows = re.search(r"looks back ([\d,]+) tokens", found["lab.context_note"])
    if windows is None:
        assert size == tokens * number_of(found["lab.bytes_per_token"])
