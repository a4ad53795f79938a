"""The same slider, moved by the same key, shows the same bytes in every engine, over http and from disk."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from kvcore.page import update
from site_hooks import browser, browser_engines, build, environment, hosting, serve
from tests.browser_engines import webdriver

HERE = Path(__file__).parent
MOVES = (HERE / "moves.js").read_text("utf-8")

type Found = dict[str, object]


def in_chromium(address: str) -> Found:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser.chromium(), args=browser.ARGUMENTS)
        page = started.new_page(service_workers="block")
        page.goto(address)
        before = page.evaluate(f"() => {{ {MOVES}; return before(); }}")
        page.keyboard.press("ArrowRight")
        after = page.evaluate(f"() => {{ {MOVES}; return after(); }}")
        started.close()
    return {**before, **after}


def in_firefox(address: str) -> Found:
    command = ["node", str(HERE / "firefox.mjs"), str(browser_engines.firefox()), address]
    done = subprocess.run(
        command, env=environment.variables(), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    found: Found = json.loads(done.stdout)
    return found


def in_webkit(address: str) -> Found:
    driver, screen = browser_engines.webkit(), browser_engines.screen()
    assert driver
    assert screen
    with webdriver.webkit(driver, screen, serve.free_port(range(9515, 9615))) as session:
        session.open(address)
        before = session.run(f"(() => {{ {MOVES}; return before(); }})()")
        session.press(webdriver.ARROW_RIGHT)
        after = session.run(f"(() => {{ {MOVES}; return after(); }})()")
    return {**before, **after}


ENGINES: dict[str, tuple[Callable[[str], Found], Callable[[], object]]] = {
    "chromium": (in_chromium, browser.found),
    "firefox": (in_firefox, browser_engines.firefox),
    "webkit": (in_webkit, lambda: browser_engines.webkit() and browser_engines.screen()),
}


@pytest.fixture(scope="module")
def site() -> Path:
    return build.fresh()


@pytest.fixture(scope="module")
def addresses(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    without = shutil.copytree(site, tmp_path_factory.mktemp("site") / "without a snapshot")
    for path in without.glob("assets/runtime/*/**/snapshot.gzip*"):
        path.unlink()
    with hosting.hosted(site) as address:
        yield {
            "http": f"{address}index.html",
            "disk": (site / "index.html").as_uri(),
            "disk, no snapshot": (without / "index.html").as_uri(),
        }


@pytest.mark.parametrize(("way", "rung"), [("http", "delta"), ("disk", "delta"), ("disk, no snapshot", "api")])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_slider_moves_the_numbers(engine: str, way: str, rung: str, addresses: dict[str, str]) -> None:
    look, there = ENGINES[engine]
    if not there():
        pytest.fail(f"{engine} is not installed; `python -m site_hooks engines` installs it")
    found = look(addresses[way])
    assert found["rung"] == rung, found["failures"]
    assert (found["batch"], found["total"]) == (9, 9 * 8192 * 327_680)
    slots = json.loads(update(json.dumps({"batch": "9"})))["slots"]
    assert f'<data value="{found["ratio"]}">' in slots["lab.ratio"]
