"""After one visit the site is there without a network, and a new one replaces it whole."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from site_hooks import hosting, offline
from tests.pages.conftest import SAVES_DATA, rung, updated

type OpenPage = Callable[..., Page]

KEPT = """async () => {
  const {active, installing, waiting} = await navigator.serviceWorker.ready;
  return (active ?? waiting ?? installing).state;
}"""
CACHES = "() => caches.keys()"


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


def until(page: Page, test: str) -> None:
    """Wait until an expression in the page comes to something."""
    arrived = page.evaluate(
        f"""async () => {{
          for (let tries = 0; tries < 200; tries++) {{
            if ({test}) return true;
            await new Promise(done => setTimeout(done, 100));
          }}
        }}"""
    )
    assert arrived, test


def visit(page: Page, address: str) -> None:
    """A first visit, until the site is kept."""
    page.goto(f"{address}index.html")
    assert rung(page) == "delta"
    page.evaluate(KEPT)


def test_who_saves_data_keeps_nothing(page: Page, base_url: str) -> None:
    page.add_init_script(SAVES_DATA)
    page.goto(f"{base_url}index.html#v1&batch=32")
    assert rung(page) == "delta"
    updated(page)
    assert page.evaluate("() => navigator.serviceWorker.getRegistrations().then(found => found.length)") == 0
    assert page.evaluate(CACHES) == []


def moves(page: Page) -> bool:
    """Whether a control answers."""
    before = page.locator('[data-slot="lab.cache_total"]').inner_text()
    page.locator('#lab [name="batch"]').fill("99")
    page.locator('#lab [name="batch"]').press("Enter")
    updated(page)
    return page.locator('[data-slot="lab.cache_total"]').inner_text() != before


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
    assert moves(page)
    page.goto(f"{base_url}#v1&model=llama-2-7b")
    assert rung(page) == "delta"
    page.goto(f"{base_url}models.html")
    assert page.locator("h1").is_visible()
    console_errors.clear()  # what a browser says of a network that is off


def test_a_new_deployment_replaces_the_old_one(deployed: Path, base_url: str, context: BrowserContext) -> None:
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
    for _ in range(20):  # the newer one takes over some time after the last page of the older one was closed
        third.wait_for_timeout(500)
        third.goto(f"{base_url}index.html")
        if not third.evaluate("async () => (await navigator.serviceWorker.getRegistration()).waiting"):
            break
        third.close()
        third = context.new_page()
    until(third, f"(await caches.keys()).length === {len(old)}")
    assert set(third.evaluate(CACHES)) & old == {"another project of this origin"}
    assert rung(third) == "delta"


def test_a_store_that_never_answers_keeps_no_page_waiting(deployed: Path, base_url: str, page: Page) -> None:
    script = deployed / offline.SCRIPT
    stuck = "const open = caches.open; caches.open = function (name) {"
    stuck += " return registration.active ? new Promise(() => {}) : open.call(this, name); };"
    script.write_text(stuck + script.read_text("utf-8"), "utf-8")
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
    assert moves(page)


@pytest.mark.parametrize(
    "blocked",
    [
        "navigator.serviceWorker.register = () => Promise.reject(new DOMException('blocked', 'SecurityError'));",
        "delete Navigator.prototype.serviceWorker; delete window.caches;",
    ],
    ids=["refused", "absent"],
)
def test_where_storage_is_blocked_the_page_works(blocked: str, context: BrowserContext, open_page: OpenPage) -> None:
    context.add_init_script(blocked)
    assert moves(open_page())


def test_where_storage_is_full_the_page_works_and_nothing_half_is_kept(
    open_page: OpenPage, page: Page, base_url: str, console_errors: list[str]
) -> None:
    devtools = page.context.new_cdp_session(page)
    origin = base_url.removesuffix(hosting.PREFIX)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": 100_000})
    assert moves(open_page())
    until(page, "!(await navigator.serviceWorker.getRegistration())")
    assert not [name for name in page.evaluate(CACHES) if re.search(r" [0-9a-f]{16}$", name)]
    console_errors.clear()


def test_the_service_worker_names_every_file_that_is_read(site: Path) -> None:
    described = offline.describe(site)
    files = described["files"]
    assert isinstance(files, dict)
    assert {"index.html", "models.html", "assets/lab.css"} <= set(files)
    assert {path.name for path in site.glob("assets/page.*.js")} <= {name.rpartition("/")[2] for name in files}
    assert not [name for name in files if "/disk/" in name or name.endswith(".map")]
