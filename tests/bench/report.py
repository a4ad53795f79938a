"""The measurements as Markdown: RESULTS.md, and its first two tables for the README."""

import datetime as dt
import json
import os
import platform
from pathlib import Path

from site_hooks import readme
from site_hooks.environment import NODE_MODULES, ROOT
from tests.bench import bars
from tests.bench.bars import Row
from tests.bench.readings import Readings, median, p95

RESULTS = Path(__file__).parent / "RESULTS.md"

NOTE = """A **first right answer** means the same on every page: the time from the start of the navigation until one control, the number of sequences, was
moved and the page shows the cache that kvcore computes for it. On our page that is `window.explainer.ready`, then the
control moved, then the slot changed; the others ask the same request of the same wheel and write the slots as soon as their Python is up. Plain Pyodide is the
npm package with `loadPyodide()` on the main thread; PyScript is its core from npm with the same Pyodide. The others' pages hold nothing else, ours is the whole article.
All come from one host that compresses as GitHub Pages does (gzip, level 6) and lets the browser keep what it has. A link's speed is shaped in that host, for all
responses together. A repeat visit is a new tab of the same browser. Times are medians, with p95 in brackets. Only ratios have a bar, and it is met when the ratios to plain Pyodide and to PyScript both meet it.
The chart in JavaScript, `tests/bench/chart.js`, has axes, one curve, the weights and their labels: less than the page's chart, so its time is a floor."""


def markdown(found: Readings, *, runs: int, load: tuple[float, float]) -> str:
    """The whole report."""
    return f"# What the page costs a reader\n\n{summary(found, runs=runs, load=load)}\n## Notes\n\n{NOTE}\n\n{_controls(found)}"


def summary(found: Readings, *, runs: int, load: tuple[float, float]) -> str:
    """The two tables, under a paragraph that names the day and the machine."""
    pyodide = json.loads((NODE_MODULES / "pyodide" / "package.json").read_text("utf-8"))["version"]
    pyscript = json.loads((ROOT / "site_hooks" / "package.json").read_text("utf-8"))["devDependencies"][
        "@pyscript/core"
    ]
    today = dt.datetime.now(tz=dt.UTC).date()
    machine = f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()})"
    parts = [
        f"{today}, {machine}, {found.browser}, Pyodide {pyodide}, @pyscript/core {pyscript}.",
        f"{runs} runs of each visit, in turns; load {load[0]:.1f} at the start, {load[1]:.1f} at the end.",
    ]
    if found.slowdown:
        main, worker = found.slowdown
        parts.append(f"Slowed: {main:.1f} times on the main thread, {worker:.1f} in a worker.")
    else:
        parts.append("Nothing was slowed: that needs Linux.")
    return f"{' '.join(parts)}\n\n{_answers(found)}\n{_rows(bars.others(found))}"


def _answers(found: Readings) -> str:
    lines = [
        "| first right answer | this page | plain Pyodide | PyScript | of plain | of PyScript | bar | |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for what, times, shares, row in bars.answers(found):
        cells = [what, *times, *(f"{share:.2f} x" for share in shares), row.bar, _verdict(row)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _rows(rows: list[Row]) -> str:
    lines = ["| what | measured | bar | |", "|---|---|---:|---|"]
    lines += [f"| {row.what} | {row.measured} | {row.bar} | {_verdict(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _verdict(row: Row) -> str:
    return {True: "met", False: "**not met**", None: "reported"}[row.met]


def _controls(found: Readings) -> str:
    lines = [
        "Each control, moved from rest, to the changed slots; of the median: collecting the controls, the way to Python and back with its",
        "work, writing the slots.",
        "",
        "| control | moves | median | p95 | collect | Python | write |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, moves in found.moves.items():
        whole = [move["whole"] for move in moves]
        parts = [median([move[part] for move in moves]) for part in ("collect", "python", "write")]
        times = [f"{time:.1f} ms" for time in (median(whole), p95(whole), *parts)]
        lines.append(f"| {name} | {len(moves)} | {' | '.join(times)} |")
    return "\n".join(lines) + "\n"


def write(found: Readings, *, runs: int, load: tuple[float, float]) -> None:
    """Write both files; in the README, between its marks for the bench."""
    RESULTS.write_text(markdown(found, runs=runs, load=load), encoding="utf-8")
    readme.write("bench", f"\n{summary(found, runs=runs, load=load)}\n")
