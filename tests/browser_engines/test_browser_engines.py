"""The same slider, moved by the same key, shows the same bytes in every engine, over http and from disk.

And in every engine the worker that runs Python is bound by the policy of its page.
"""

import hashlib
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

PROBE = """
{
  const channel = new BroadcastChannel('probe');
  const answer = address => fetch(address, {mode: 'no-cors'})
    .then(({type, status}) => `${type} ${status}`, error => error.name);
  channel.onmessage = async ({data}) => channel.postMessage(await Promise.all(data.map(answer)));
}
"""
"""Put behind the worker's script: it fetches what the page names. Without CORS, any host's answer would count."""

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


@pytest.fixture(scope="module")
def probed(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site with PROBE in its worker, and in its pages the hash of that script."""
    copy = shutil.copytree(site, tmp_path_factory.mktemp("site") / "probed")
    (script,) = copy.glob("assets/runtime/*/worker.js")
    before = hashlib.sha256(script.read_bytes()).hexdigest()
    script.write_text(script.read_text("utf-8") + PROBE, encoding="utf-8")
    index = copy / "index.html"
    text = index.read_text("utf-8").replace(before, hashlib.sha256(script.read_bytes()).hexdigest())
    index.write_text(text, encoding="utf-8")
    with hosting.hosted(copy) as address:
        yield f"{address}index.html"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_worker_may_fetch_from_its_own_site_only(engine: str, probed: str, tmp_path: Path) -> None:
    look, there = ENGINES[engine]
    if not there():
        pytest.fail(f"{engine} is not installed; `python -m site_hooks engines` installs it")
    with hosting.hosted(tmp_path) as elsewhere:
        found = look(f"{probed}?probe={elsewhere}&probe={probed}")
    assert found["rung"] == "delta", found["failures"]
    assert found["probed"] == ["TypeError", "basic 200"]
