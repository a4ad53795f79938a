"""Every built page under axe-core, in both schemes, wide and narrow: no violation of any of its rules."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request

from site_hooks.environment import NODE_MODULES
from tests.pages.conftest import updated

type OpenPage = Callable[..., Page]

PAGES = ("index.html", "models.html", "evidence.html", "kvcore.html")
OPENED = """() => {
  for (const details of document.querySelectorAll('details')) details.open = true;
}"""
RUN = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(
  ({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(node => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')} (${nodes.length})`)"""


def violations(page: Page) -> list[str]:
    """What axe objects to, with everything unfolded; its script goes in by the debugger's door, which the policy leaves open."""
    page.evaluate(OPENED)
    page.evaluate((NODE_MODULES / "axe-core" / "axe.min.js").read_text("utf-8"))
    found: list[str] = page.evaluate(RUN)
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("narrow", [False, True], ids=["1280", "390"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_violation(open_page: OpenPage, path: str, narrow: bool, dark: bool) -> None:
    page = open_page(path, ready=path == "index.html", narrow=narrow, dark=dark)
    assert not violations(page)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_for_what_is_not_there_has_no_violation(
    open_page: OpenPage, page: Page, site: Path, requests: list[Request], dark: bool
) -> None:
    """Its links start at the root of the site's address, so that its assets are brought from there."""
    page.route(
        lambda url: urlsplit(url).path.startswith("/assets/"),
        lambda route: route.fulfill(path=site / urlsplit(route.request.url).path[1:]),
    )
    open_page("404.html", ready=False, dark=dark)
    assert not violations(page)
    requests.clear()


@pytest.mark.parametrize(
    "state",
    [
        pytest.param("batch=many&colour=orange", id="problems named"),
        pytest.param("model=gemma-2-27b&context=1048576", id="controls at rest"),
        pytest.param("strategy=paged&sequences=64&block_size=8&compare=llama-2-7b&scale=log", id="other figures"),
    ],
)
def test_a_state_has_no_violation(lab: Page, state: str) -> None:
    lab.evaluate("state => { location.hash = `v1&${state}`; }", state)
    updated(lab)
    assert not violations(lab)


@pytest.mark.parametrize("path", PAGES)
def test_no_two_elements_share_an_id(open_page: OpenPage, path: str) -> None:
    """What refers to an id finds one element, and so does a link."""
    page = open_page(path, ready=path == "index.html")
    ids = page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    assert sorted(ids) == sorted(set(ids))


def test_without_scripts_there_is_no_violation(open_page: OpenPage) -> None:
    """As built: the page before Python has answered is what a reader without it keeps."""
    page = open_page(ready=False)
    assert not violations(page)
