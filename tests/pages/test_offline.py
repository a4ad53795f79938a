"""After one visit the site works without a network, and a new deployment replaces all of it."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from site_hooks import hosting, offline
from tests.pages.actions import READY_MS, SAVES_DATA, OpenPage, answers, box, move, rung, updated
from tests.pages.booting import KEEP_WORKERS

KEPT = """async () => {
  const {active, installing, waiting} = await navigator.serviceWorker.ready;
  return (active ?? waiting ?? installing).state;
}"""
CACHES = "() => caches.keys()"
STUCK = """
  const open = caches.open, pause = setTimeout;
  caches.open = function (name) { return registration.active ? new Promise(() => {}) : open.call(this, name); };
  setTimeout = (ended, milliseconds, ...rest) => pause(ended, milliseconds / 100, ...rest);
"""
"""Put before a service worker: its caches never answer once it is active, and its patience is a hundredth."""


@pytest.fixture
def context_options() -> dict[str, object]:
    """Here, service workers work."""
    return {"viewport": {"width": 1280, "height": 900}, "service_workers": "allow"}


@pytest.fixture
def deployed(site: Path, tmp_path: Path) -> Path:
    """A deployment that a test may change."""
    return shutil.copytree(site, tmp_path / "deployed")


@pytest.fixture
def network() -> Iterator[ExitStack]:
    """What serves it, until it is closed."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def base_url(deployed: Path, network: ExitStack) -> str:
    """Its address."""
    return network.enter_context(hosting.hosted(deployed))


def until(page: Page, expression: str) -> None:
    """Wait until an expression is true in the page: no event tells when a service worker took over or a cache is gone."""
    came: bool = page.evaluate(
        f"""async limit => {{
          const started = performance.now();
          while (performance.now() - started < limit) {{
            if ({expression}) return true;
            await new Promise(done => setTimeout(done, 50));
          }}
          return false;
        }}""",
        READY_MS,
    )
    assert came, expression


def visit(page: Page, address: str) -> None:
    """A first visit, until the site is kept."""
    page.goto(f"{address}index.html")
    assert rung(page) == "delta"
    page.evaluate(KEPT)


def test_nothing_is_kept_for_a_reader_who_saves_data(page: Page, base_url: str) -> None:
    page.add_init_script(SAVES_DATA)
    page.goto(f"{base_url}index.html#v2&batch=32")
    assert rung(page) == "delta"
    updated(page)
    assert page.evaluate("() => navigator.serviceWorker.getRegistrations().then(found => found.length)") == 0
    assert page.evaluate(CACHES) == []


def redeploy(folder: Path) -> None:
    """Another build in the same place: another page, another runtime."""
    index, (runtime,) = folder / "index.html", folder.glob("assets/runtime/*")
    newer = runtime.with_name("f" * 16)
    runtime.rename(newer)
    text = index.read_text("utf-8").replace(runtime.name, newer.name)
    index.write_text(text.replace("<title>", "<title>Newer: "), "utf-8")
    offline.write(folder)


def test_after_one_visit_the_site_works_without_a_network(
    page: Page, base_url: str, network: ExitStack, console_errors: list[str]
) -> None:
    visit(page, base_url)
    network.close()
    page.goto(f"{base_url}index.html")
    assert rung(page) == "delta"
    assert answers(page)
    page.goto(f"{base_url}#v2&model=llama-2-7b")
    assert rung(page) == "delta"
    page.goto(f"{base_url}models.html")
    assert page.locator("h1").is_visible()
    console_errors.clear()  # what the browser writes about a network that is off


def test_a_new_deployment_replaces_the_old_one(
    deployed: Path, base_url: str, context: BrowserContext, requests: list[Request]
) -> None:
    first = context.new_page()
    visit(first, base_url)
    first.evaluate("() => caches.open('another project of this origin')")
    old = set(first.evaluate(CACHES))
    redeploy(deployed)
    second = context.new_page()
    second.goto(f"{base_url}index.html")
    assert second.title().startswith("Newer: ")
    assert rung(second) == "delta"  # the new page with the new runtime, while the old page is still open
    second.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
    until(second, "(await navigator.serviceWorker.getRegistration()).waiting")
    first.close()
    second.close()
    third = context.new_page()
    outside = (
        base_url.removesuffix(hosting.PREFIX) + "/outside"
    )  # the newer one takes over when no page of the site is open
    third.route(outside, lambda route: route.fulfill(body="", content_type="text/html"))
    third.goto(outside)
    until(third, f"!(await navigator.serviceWorker.getRegistration({base_url!r})).waiting")
    third.goto(f"{base_url}index.html")
    requests[:] = [one for one in requests if one.url != outside]
    until(third, f"(await caches.keys()).length === {len(old)}")
    assert set(third.evaluate(CACHES)) & old == {"another project of this origin"}
    assert rung(third) == "delta"


def test_a_store_that_never_answers_keeps_no_page_waiting(deployed: Path, base_url: str, page: Page) -> None:
    script = deployed / offline.SCRIPT
    script.write_text(STUCK + script.read_text("utf-8"), "utf-8")
    visit(page, base_url)
    page.goto(f"{base_url}models.html")
    assert page.evaluate("() => Boolean(navigator.serviceWorker.controller)")
    page.goto(f"{base_url}index.html")
    assert rung(page) == "delta"


def test_a_page_whose_runtime_is_gone_offers_to_load_it_again(
    site: Path, context: BrowserContext, open_page: OpenPage, console_errors: list[str]
) -> None:
    html = (site / "index.html").read_text("utf-8")
    older = re.sub(r"assets/runtime/[0-9a-f]{16}/", "assets/runtime/0000000000000000/", html)
    context.route("**/index.html", lambda route: route.fulfill(body=older, content_type="text/html"), times=1)
    page = open_page(ready=False)
    assert rung(page) == "static"
    assert page.locator('#kv-python [data-when="outdated"]').is_visible()
    page.locator('#kv-python [data-when="outdated"] a').click()
    page.wait_for_load_state()
    assert rung(page) == "delta"
    console_errors.clear()


def test_the_switch_turns_it_off(deployed: Path, base_url: str, page: Page) -> None:
    visit(page, base_url)
    page.evaluate("() => caches.open('another project of this origin')")
    offline.write(deployed, on=False)
    page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
    until(page, "!(await navigator.serviceWorker.getRegistration())")
    assert page.evaluate(CACHES) == ["another project of this origin"]
    assert answers(page)


@pytest.mark.parametrize(
    "blocked",
    [
        "navigator.serviceWorker.register = () => Promise.reject(new DOMException('blocked', 'SecurityError'));",
        "delete Navigator.prototype.serviceWorker; delete window.caches;",
        "navigator.__defineGetter__('serviceWorker', () => { throw new DOMException('denied', 'SecurityError'); });",
    ],
    ids=["refused", "absent", "throws"],
)
def test_where_storage_is_blocked_the_page_works(blocked: str, context: BrowserContext, open_page: OpenPage) -> None:
    context.add_init_script(blocked)
    assert answers(open_page())


def test_where_storage_is_full_the_page_works_and_nothing_half_is_kept(
    open_page: OpenPage, page: Page, base_url: str, console_errors: list[str]
) -> None:
    devtools = page.context.new_cdp_session(page)
    origin = base_url.removesuffix(hosting.PREFIX)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": 100_000})
    assert answers(open_page())
    until(page, "!(await navigator.serviceWorker.getRegistration())")
    assert not [name for name in page.evaluate(CACHES) if re.search(r" [0-9a-f]{16}$", name)]
    console_errors.clear()


FULL = "const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));"


@pytest.mark.parametrize(
    "failing",
    [
        pytest.param("caches.open = full;", id="caches.open"),
        pytest.param("Cache.prototype.put = full;", id="cache.put"),
    ],
)
def test_where_nothing_can_be_stored_the_page_works(
    failing: str, deployed: Path, base_url: str, page: Page, console_errors: list[str]
) -> None:
    script = deployed / offline.SCRIPT
    script.write_text(f"{FULL} {failing}\n{script.read_text('utf-8')}", "utf-8")
    for _ in range(2):
        page.goto(f"{base_url}index.html")
        assert rung(page) == "delta"
        assert answers(page)
        until(page, "!(await navigator.serviceWorker.getRegistration())")
    console_errors.clear()


def test_a_store_that_fails_later_costs_nothing_but_the_store(deployed: Path, base_url: str, page: Page) -> None:
    script = deployed / offline.SCRIPT
    failing = "const open = caches.open; caches.open = name => registration.active ? full() : open.call(caches, name);"
    script.write_text(f"{FULL} {failing}\n{script.read_text('utf-8')}", "utf-8")
    visit(page, base_url)
    page.goto(f"{base_url}index.html")
    assert page.evaluate("() => Boolean(navigator.serviceWorker.controller)")
    assert rung(page) == "delta"
    assert answers(page)


def test_a_file_that_is_broken_in_the_store_is_read_from_the_network(deployed: Path, base_url: str, page: Page) -> None:
    visit(page, base_url)
    (runtime,) = deployed.glob("assets/runtime/*")
    page.evaluate(
        """async address => {
          for (const name of await caches.keys()) {
            const cache = await caches.open(name);
            if (await cache.match(address)) await cache.put(address, new Response('broken'));
          }
        }""",
        f"{base_url}assets/runtime/{runtime.name}/snapshot.gzip",
    )
    page.goto(f"{base_url}models.html")
    page.goto(f"{base_url}index.html")
    assert page.evaluate("() => Boolean(navigator.serviceWorker.controller)")
    assert rung(page) == "delta"
    assert answers(page)


END_WORKER = "() => window.workers.at(-1).dispatchEvent(new ErrorEvent('error', {message: 'out of memory'}))"


def test_tabs_of_two_deployments_both_answer_and_start_their_own_worker_again(
    deployed: Path, base_url: str, context: BrowserContext
) -> None:
    """The older tab starts from the store, as long as that has its deployment: then it says that it is older than the site."""
    context.add_init_script(KEEP_WORKERS)
    first = context.new_page()
    visit(first, base_url)
    redeploy(deployed)
    first.evaluate(END_WORKER)
    assert answers(first)
    second = context.new_page()
    second.goto(f"{base_url}index.html")
    assert second.title().startswith("Newer: ")
    assert rung(second) == "delta"
    second.evaluate(END_WORKER)
    assert answers(second)
    for tab in (first, second):
        assert tab.evaluate("() => [window.explainer.boot.rung, window.explainer.boot.restarts]") == ["delta", 1]
    first.evaluate(END_WORKER)  # by now the new deployment may have taken the place of the old one in the store, or not
    answered = answers(first)
    assert answered or first.locator("html").get_attribute("data-python") == "outdated"


@pytest.mark.parametrize("context_options", [{"service_workers": "block"}], ids=["nothing stored"])
def test_a_worker_that_dies_after_a_deployment_says_that_the_page_is_older(
    deployed: Path, base_url: str, page: Page, context: BrowserContext, console_errors: list[str]
) -> None:
    """The files of its runtime are gone from the host; loaded again, the page shows the reader's state."""
    context.add_init_script(KEEP_WORKERS)
    page.goto(f"{base_url}index.html")
    assert rung(page) == "delta"
    move(page, "context", "16384")
    expect(page).to_have_url(re.compile("context=16384"))
    redeploy(deployed)
    context.route(
        "**/assets/runtime/*/*.gzip", lambda route: route.continue_()
    )  # so that the browser's cache is not used
    page.evaluate(END_WORKER)
    expect(page.locator("html")).to_have_attribute("data-python", "outdated", timeout=READY_MS)
    with page.expect_event("load"):
        page.locator('#kv-python [data-when="outdated"] a').click()
    assert page.title().startswith("Newer: ")
    assert rung(page) == "delta"
    updated(page)
    assert box(page, "context").input_value() == "16384"
    console_errors.clear()


def test_the_service_worker_names_every_file_that_is_read(site: Path) -> None:
    described = offline.describe(site)
    files = described["files"]
    assert isinstance(files, dict)
    assert {"index.html", "models.html", "assets/lab.css"} <= set(files)
    assert {path.name for path in site.glob("assets/page.*.js")} <= {name.rpartition("/")[2] for name in files}
    assert not [name for name in files if "/disk/" in name or name.endswith(".map")]
