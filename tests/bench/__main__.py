"""Measure the built site in cold browser contexts on this machine, and write a table: medians, never a verdict.

Other contenders (plain Pyodide, PyScript, a JavaScript twin) join as rows of `CONTENDERS`: each is a page that sets
`window.explainer.ready`, opened in turn within one run, so that a busy machine slows all alike.
"""

import argparse
import gzip
import statistics
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from site_hooks import browser, hosting
from site_hooks.build import SITE

CONTENDERS = {"this page": "index.html"}

READY = "() => window.explainer.ready.then(({rung}) => [rung, performance.now()])"
UPDATES = """async count => {
  const box = document.querySelector('#lab [name="batch"]'), times = [];
  for (let step = 0; step < count; step++) {
    box.value = String(1 + step % 64);
    const start = performance.now();
    box.dispatchEvent(new Event('input', {bubbles: true}));
    box.dispatchEvent(new Event('change', {bubbles: true}));
    await window.explainer.update();
    times.push(performance.now() - start);
  }
  return times;
}"""


def boot(chromium: Browser, address: str) -> tuple[Page, float]:
    """A page in a cold context, and the milliseconds from navigation until Python answered there."""
    page = chromium.new_context().new_page()
    page.goto(address)
    rung, milliseconds = page.evaluate(READY)
    if rung == "static":
        raise SystemExit(f"Python did not boot at {address}")
    return page, milliseconds


def runtime_bytes(site: Path) -> int:
    """What a first visit downloads before Python is ready, as a host that compresses sends it."""
    return sum(len(gzip.compress(path.read_bytes(), 6)) for path in site.glob("assets/runtime/*/*"))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m site_hooks bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="cold boots of each contender (default: 7)")
    parser.add_argument("--updates", type=int, default=100, help="changes of one control (default: 100)")
    chosen = parser.parse_args()
    boots: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    updates: list[float] = []
    with hosting.hosted(SITE) as base, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.chromium(), args=browser.ARGUMENTS)
        for run in range(chosen.runs):
            for name, path in CONTENDERS.items():
                page, milliseconds = boot(chromium, base + path)
                boots[name].append(milliseconds)
                if run == chosen.runs - 1 and path == "index.html":
                    updates = page.evaluate(UPDATES, chosen.updates)
                page.context.close()
        chromium.close()
    print("| what | median | worst |\n|---|---:|---:|")
    for name, times in boots.items():
        print(f"| Python ready, cold, {name} | {statistics.median(times):,.0f} ms | {max(times):,.0f} ms |")
    p95 = statistics.quantiles(updates, n=20)[-1]
    print(
        f"| control to changed page (p95 {p95:.1f} ms) | {statistics.median(updates):.1f} ms | {max(updates):.1f} ms |"
    )
    print(f"| runtime, gzip | {runtime_bytes(SITE) / 1e6:.2f} MB | |")


if __name__ == "__main__":
    main()
