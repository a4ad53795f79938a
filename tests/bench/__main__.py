"""Measure the built site against plain Pyodide and PyScript, and write the tables of RESULTS.md and the README."""

import argparse
import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from site_hooks.build import SITE
from tests.bench import contenders, host, readings, report
from tests.bench.visits import Stage


def main() -> None:
    """Measure and print; write the files too, unless the run is a quick one."""
    parser = argparse.ArgumentParser(prog="python -m site_hooks bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=None, help="visits of each kind (default: 9; 3 when quick)")
    parser.add_argument("--moves", type=int, default=None, help="moves of each control (default: 60; 24 when quick)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="fewer visits and moves, no slow link combined with a slow computer; writes no file",
    )
    chosen = parser.parse_args()
    runs, moves = chosen.runs or (3 if chosen.quick else 9), chosen.moves or (24 if chosen.quick else 60)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        contenders.generate(SITE, folder)
        with host.hosted(folder) as (base, link), sync_playwright() as playwright:
            stage = Stage(playwright=playwright, probe=contenders.probe(), base=base, link=link)
            found = readings.measure(stage, runs=runs, moves=moves, quick=chosen.quick)
    load = before, os.getloadavg()[0]
    print(report.markdown(found, runs=runs, load=load))
    if not chosen.quick:
        report.write(found, runs=runs, load=load)


if __name__ == "__main__":
    main()
