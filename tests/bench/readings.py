"""Takes all measurements of one run. Visits to the pages alternate, so that a busy machine slows all of them alike."""

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from site_hooks import scenarios
from tests.bench import calibrate, duty, visits
from tests.bench.contenders import PAGES, PLAIN, STILL, THIS
from tests.bench.visits import Condition, Stage, Visit

HERE = Path(__file__).parent
FULL, SLOW = Condition(), Condition(slow=True)
QUICK = (FULL, SLOW, Condition(megabits=20), Condition(megabits=100))
ALL = tuple(Condition(megabits=megabits, slow=slow) for slow in (False, True) for megabits in (None, 100, 20))
RUNTIME = {THIS: "/this/assets/runtime/", PLAIN: "/pyodide/"}

type Key = tuple[str, Condition, bool]
"""A page, a condition, and whether the visit is a repeated one."""


@dataclass(slots=True, kw_only=True)
class Readings:
    """All that was measured, in milliseconds and bytes."""

    browser: str = ""
    visits: dict[Key, list[Visit]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    slowdown: tuple[float, float] | None = None
    moves: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    most_in_flight: int = 0
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    states: int = 0
    chart_in_python: list[float] = field(default_factory=list)
    chart_in_javascript: list[float] = field(default_factory=list)

    def of(self, name: str, condition: Condition, what: str, *, repeated: bool = False) -> list[float]:
        """One field of every visit of a kind."""
        return [getattr(visit, what) for visit in self.visits.get((name, condition, repeated), [])]


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile; of fewer than twenty values, interpolated between the two largest."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def measure(stage: Stage, *, runs: int, moves: int, quick: bool) -> Readings:
    """Measure everything."""
    found = Readings()
    if duty.possible():
        found.slowdown = calibrate.slowdown(stage)
    _say(f"slowed pages are slowed {found.slowdown} times")
    _single_page(stage, found, moves)
    _python(stage, found)
    conditions = [one for one in (QUICK if quick else ALL) if found.slowdown or not one.slow]
    for run in range(runs):
        for condition in conditions:
            order = list(PAGES)
            for name in order[run % len(order) :] + order[: run % len(order)]:
                repeat = name != STILL
                seen = visits.cold_and_repeat(stage, name, condition, repeat=repeat)
                for repeated, visit in enumerate(seen):
                    found.visits.setdefault((name, condition, bool(repeated)), []).append(visit)
                _say(f"{run + 1}/{runs} {condition}: {name} " + ", ".join(f"{visit.answer:.0f}" for visit in seen))
    return found


def _single_page(stage: Stage, found: Readings, count: int) -> None:
    """The bytes until Python answers, of our page and of plain Pyodide's, and every control of our page."""
    for name, path in RUNTIME.items():
        with visits.reader(stage, service_workers="block") as (context, _):
            page = context.pages[0]
            visits.visit(stage, page, name)
            found.bytes[name] = sum(count for sent, count in stage.link.sent.items() if sent.startswith(path))
            if name == THIS:
                result = page.evaluate((HERE / "moves.js").read_text("utf-8"), count)
                found.most_in_flight = result["most"]
                found.moves = {control: moved["times"] for control, moved in result["moved"].items() if moved["times"]}
                found.browser = page.evaluate("() => navigator.userAgent.match(/Chrom\\S+/)[0]")
    _say("controls: " + ", ".join(f"{name} {median([x['whole'] for x in m]):.1f}" for name, m in found.moves.items()))


def _python(stage: Stage, found: Readings) -> None:
    """Figures drawn by Python in the browser, and a simple chart drawn by JavaScript."""
    with visits.reader(stage) as (context, _):
        page = context.pages[0]
        visits.visit(stage, page, PLAIN)
        modules = {
            "scenarios": Path(scenarios.__file__).read_text("utf-8"),
            "in_pyodide": (HERE / "in_pyodide.py").read_text("utf-8"),
        }
        for name, source in modules.items():
            page.evaluate("([name, source]) => window.python.FS.writeFile(name, source)", [f"{name}.py", source])
        page.evaluate("() => { window.figures = window.python.pyimport('in_pyodide'); }")
        found.chart_in_python = json.loads(page.evaluate("() => window.figures.drawings(200)"))
        page.evaluate("source => { window.chart = (0, eval)(source); }", (HERE / "chart.js").read_text("utf-8"))
        found.chart_in_javascript = page.evaluate("""() => Array.from({length: 200}, (_, index) => {
          const start = performance.now();
          for (let again = 0; again < 20; again++) window.chart(1 + index % 64);
          return (performance.now() - start) / 20;
        })""")
        result = json.loads(page.evaluate("() => window.figures.figures()"))
        found.states, found.figures = result["states"], result["figures"]
    _say(f"figures: {found.figures}")


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
