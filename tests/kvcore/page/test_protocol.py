"""After any sequence of requests, the page shows the same slots as one request for its final values gets."""

import random

import pytest

from kvcore import catalog
from kvcore.page import update
from kvcore.page.controls import Number
from kvcore.page.pages import ARTICLE


class Client:
    """A page without a browser: the slots that it shows, the values of its controls, and the data that it sends back."""

    def __init__(self):
        first = update({})
        self.slots = dict(first["slots"])
        self.values = {name: str(state["value"]) for name, state in first["controls"].items()}
        self.hold, self.more, self.view, self.opened = first["hold"], None, "wide", []
        self.disabled = {}

    def ask(self, *changed, settled=True, **entries):
        """Send the values, and apply the answer."""
        rest = {"more": self.more} if self.more is not None and settled and not changed and not entries else {}
        visible = {"view": self.view, "opened": self.opened}
        asked = {"changed": list(changed), "settled": settled, "hold": self.hold, **visible, **rest, **entries}
        answer = update({**self.values, **asked})
        self.slots |= answer["slots"]
        for name, state in answer["controls"].items():
            self.values[name], self.disabled[name] = str(state["value"]), state["disabled"]
        self.hold, self.more = answer["hold"], answer["more"]

    def set(self, name, value, **entries):
        """Set a control, and send the values."""
        self.values[name] = str(value)
        self.ask(name, **entries)

    def rest(self):
        """Ask for the sections that are still stale."""
        while self.more is not None:
            self.ask()


def without_problems(slots):
    """Without what is said of a request: its problems, and what its link has set."""
    return {name: html for name, html in slots.items() if name not in {"page.problems", "page.linked"}}


@pytest.mark.parametrize(
    ("control", "there", "back"),
    [
        pytest.param("context", 16384, 8192, id="the chart and the bar"),
        pytest.param("strategy", "paged", "contiguous", id="the grid"),
    ],
)
def test_figures_have_both_widths_after_a_control_is_dragged_away_and_back(control, there, back):
    page = Client()
    whole = without_problems(page.slots)
    page.set(control, there, settled=False)
    page.set(control, back, settled=False)
    page.ask()
    page.rest()
    assert without_problems(page.slots) == whole


def test_a_section_drawn_for_another_model_is_drawn_again_when_the_first_model_returns():
    page = Client()
    whole = without_problems(page.slots)
    page.set("model", "llama-2-7b")
    page.set("engine_block", 64)
    page.set("engine_block", 1)
    page.set("model", "llama-3.1-70b")
    page.set("weight_dtype", "fp16")  # a chosen model brings the weights of its checkpoint
    page.rest()
    assert without_problems(page.slots) == whole


def test_a_request_for_both_widths_completes_a_figure_without_a_second_request():
    page = Client()
    whole = without_problems(page.slots)
    page.set("context", 16384)
    page.view = None
    page.set("context", 8192)
    assert without_problems(page.slots) == whole


def _value(rng, control):
    if rng.random() < 0.1:
        return rng.choice(["", "abc", "-1", "1e3", "NaN", "9" * 40, "<b>", "8,192"])
    if isinstance(control, Number):
        return rng.choice(
            [rng.choice(control.stops), rng.randint(control.low, control.high), control.low, control.high]
        )
    return rng.choice(list(control.options))


@pytest.mark.parametrize("seed", range(3))
def test_after_any_sequence_of_moves_the_page_shows_the_answer_to_its_final_values(seed):
    rng, page = random.Random(seed), Client()
    movable = [name for name in ARTICLE.controls if name != "config"]
    for _ in range(60):
        name = rng.choice(movable)
        if page.disabled.get(name):
            continue
        match rng.randrange(6):
            case 0:
                page.ask(
                    fragment=f"v1&model={rng.choice(list(catalog.MODELS))}&{name}={_value(rng, ARTICLE.controls[name])}"
                )
            case 1:
                page.view = rng.choice(["wide", "narrow"])
                page.opened = rng.sample(["lab.chart_table", "lab.footprint_table", "paging.table"], rng.randrange(4))
            case 2 | 3:
                before = page.values[name]
                for value in (_value(rng, ARTICLE.controls[name]), _value(rng, ARTICLE.controls[name]), before):
                    page.set(name, value, settled=False)
                    page.opened = []
                page.ask()
            case _:
                page.set(name, _value(rng, ARTICLE.controls[name]))
        if rng.random() < 0.3:
            page.rest()
            whole = update({**page.values, "changed": []})
            assert without_problems(page.slots) == without_problems(whole["slots"])
            assert page.values == {name: str(state["value"]) for name, state in whole["controls"].items()}
