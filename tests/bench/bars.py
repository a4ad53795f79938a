"""Limits for what the page may cost a reader, each as a row: what was measured, the limit, and whether it is met."""

from dataclasses import dataclass

from tests.bench.contenders import PLAIN, PYSCRIPT, STILL, THIS
from tests.bench.readings import ALL, FULL, Readings, median, p95
from tests.bench.visits import Condition

FULL_BAR, SLOW_BAR, LINK_BAR, PAINT_BAR, BYTES_BAR = 0.35, 0.25, 0.75, 1.10, 1.10
TASK_BAR_MS, MOVE_BAR_MS, MOVE_P95_BAR_MS, FIGURE_BAR_MS, FIGURE_BAR_BYTES = 50.0, 3.0, 8.0, 16.0, 60_000
SAME_SHIFT = 0.0005
"""Layout shifts of our page and of the page with no widget that differ by less than this differ by rounding only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement and its limit; `met` is None if there is no limit and the value is only reported."""

    what: str
    measured: str
    bar: str = ""
    met: bool | None = None


def answer_bar(condition: Condition) -> float:
    """The limit on our time for a first visit, as a share of the other page's time."""
    if condition.megabits is not None:
        return LINK_BAR
    return SLOW_BAR if condition.slow else FULL_BAR


def answers(found: Readings) -> list[tuple[str, list[str], list[float], Row]]:
    """For each kind of visit: its name, the times of all three pages, our time as a share of each other's, and the row."""
    rows = []
    for condition in ALL:
        for repeated in (False, True):
            times = [found.of(name, condition, "answer", repeated=repeated) for name in (THIS, PLAIN, PYSCRIPT)]
            if not all(times):
                continue
            shares = [median(times[0]) / median(other) for other in times[1:]]
            bar = None if repeated else answer_bar(condition)
            row = Row(
                what=f"{'repeat' if repeated else 'first'} visit, {condition}",
                measured=" and ".join(f"{share:.2f}" for share in shares),
                bar="" if bar is None else f"{bar} x",
                met=None if bar is None else max(shares) <= bar,
            )
            rows.append((row.what, [_spread(each) for each in times], shares, row))
    return rows


def others(found: Readings) -> list[Row]:
    """The rows that are not about the time to a first answer."""
    return [*_bytes(found), *_tasks(found), *_moves(found), *_javascript(found), *_paints(found), *_figures(found)]


def _spread(times: list[float], unit: str = "ms") -> str:
    return f"{median(times):,.0f} ({p95(times):,.0f}) {unit}"


def _bytes(found: Readings) -> list[Row]:
    ours, plain = found.bytes[THIS], found.bytes[PLAIN]
    measured = f"{ours / plain:.3f} x: {ours / 1e6:.2f} MB of {plain / 1e6:.2f} MB"
    row = Row(
        what="bytes to Python ready, gzip, of plain Pyodide's core",
        measured=measured,
        bar=f"{BYTES_BAR:.2f} x",
        met=ours <= BYTES_BAR * plain,
    )
    return [row]


def _tasks(found: Readings) -> list[Row]:
    def describe(values: list[float]) -> str:
        return f"{median(values):,.0f} ms, at worst {max(values):,.0f}" if any(values) else "none of 50 ms or more"

    booting = found.of(THIS, FULL, "longest_booting")
    whole = {name: describe(found.of(name, FULL, "longest_task")) for name in (THIS, STILL, PLAIN, PYSCRIPT)}
    return [
        Row(
            what="longest main-thread task from the start of our worker to the answer",
            measured=describe(booting),
            bar=f"under {TASK_BAR_MS:.0f} ms",
            met=median(booting) < TASK_BAR_MS,
        ),
        Row(
            what="longest main-thread task of the whole visit, theme and first layout included",
            measured="; ".join(f"{name}: {words}" for name, words in whole.items()),
        ),
    ]


def _moves(found: Readings) -> list[Row]:
    whole = {name: [move["whole"] for move in moves] for name, moves in found.moves.items()}
    slowest = max(whole, key=lambda name: median(whole[name]))
    worst = max(whole, key=lambda name: p95(whole[name]))
    every = [time for times in whole.values() for time in times]
    return [
        Row(
            what="control to changed page, the slowest control's median",
            measured=f"{median(whole[slowest]):.1f} ms ({slowest}); all {len(whole)} controls together {median(every):.1f} ms",
            bar=f"{MOVE_BAR_MS:.0f} ms",
            met=median(whole[slowest]) <= MOVE_BAR_MS,
        ),
        Row(
            what="the same, p95",
            measured=f"{p95(whole[worst]):.1f} ms ({worst}); all together {p95(every):.1f} ms",
            bar=f"{MOVE_P95_BAR_MS:.0f} ms",
            met=p95(whole[worst]) <= MOVE_P95_BAR_MS,
        ),
        Row(
            what="requests in flight at once",
            measured=f"{found.most_in_flight}",
            bar="1",
            met=found.most_in_flight == 1,
        ),
    ]


def _javascript(found: Readings) -> list[Row]:
    python, javascript = median(found.chart_in_python), median(found.chart_in_javascript)
    measured = f"{python / javascript:.0f} x: {python:.2f} ms of {javascript:.3f} ms"
    return [
        Row(
            what="the cliff chart drawn in the browser's Python, of a simple chart's time in JavaScript",
            measured=measured,
        )
    ]


def _paints(found: Readings) -> list[Row]:
    rows = []
    for condition in ALL:
        if not found.of(THIS, condition, "first"):
            continue
        for what, name in (("first", "first paint"), ("largest", "largest paint")):
            ours, still = (median(found.of(page, condition, what)) for page in (THIS, STILL))
            rows.append(
                Row(
                    what=f"{name}, {condition}, of the same page's with no widget",
                    measured=f"{ours / still:.2f} x: {ours:,.0f} ms of {still:,.0f} ms",
                    bar=f"{PAINT_BAR:.2f} x",
                    met=ours <= PAINT_BAR * still,
                )
            )
    ours, still = (median(found.of(page, FULL, "shift")) for page in (THIS, STILL))
    shift = Row(
        what="layout shift, beside that of the page with no widget",
        measured=f"{ours:.4f} beside {still:.4f}",
        bar="0 more",
        met=ours - still < SAME_SHIFT,
    )
    return [*rows, shift]


def _figures(found: Readings) -> list[Row]:
    most = max(found.figures, key=lambda name: found.figures[name]["characters"])
    slowest = max(found.figures, key=lambda name: found.figures[name]["milliseconds"])
    size, time = found.figures[most]["characters"], found.figures[slowest]["milliseconds"]
    return [
        Row(
            what=f"largest figure over {found.states} states",
            measured=f"{size / 1000:.1f} KB ({most})",
            bar=f"under {FIGURE_BAR_BYTES // 1000} KB",
            met=size < FIGURE_BAR_BYTES,
        ),
        Row(
            what="slowest figure over the same states, in the browser's Python",
            measured=f"{time:.1f} ms ({slowest})",
            bar=f"under {FIGURE_BAR_MS:.0f} ms",
            met=time < FIGURE_BAR_MS,
        ),
    ]
