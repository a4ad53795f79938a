"""Every built page under axe-core, in both schemes, wide and narrow: no violation of any of its rules."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from site_hooks.environment import NODE_MODULES
from tests.pages.actions import PAPER, OpenPage, arrive

WIDTHS = {"1280": {"width": 1280, "height": 900}, "390": {"width": 390, "height": 844}}
PREPARE = """() => {
  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const animation of document.getAnimations()) animation.finish();  // the colours of links change slowly
}"""
RUN = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(
  ({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(node => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')} (${nodes.length})`)"""


def violations(page: Page) -> list[str]:
    """What axe objects to, with everything unfolded; evaluated by the debugger, its script is not subject to the page's policy."""
    page.evaluate(PREPARE)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate((NODE_MODULES / "axe-core" / "axe.min.js").read_text("utf-8"))
    found: list[str] = page.evaluate(RUN)
    return found


def violations_everywhere(page: Page) -> dict[str, list[str]]:
    """What axe objects to at both widths and in both schemes, by these."""
    found: dict[str, list[str]] = {}
    for width, size in WIDTHS.items():
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("body")).to_have_css("background-color", PAPER[scheme])
            found[f"{width}, {scheme}"] = violations(page)
    return {where: objections for where, objections in found.items() if objections}


def ids_used_twice(page: Page) -> list[str]:
    """The ids that more than one element has: what refers to one of them finds only the first."""
    ids: list[str] = page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    return sorted({one for one in ids if ids.count(one) > 1})


def test_the_article_has_no_violation(lab: Page) -> None:
    assert not ids_used_twice(lab)
    assert not violations_everywhere(lab)


@pytest.mark.parametrize("path", ["models.html", "evidence.html", "kvcore.html"])
def test_another_page_has_no_violation(open_page: OpenPage, path: str) -> None:
    page = open_page(path, ready=False)
    assert not ids_used_twice(page)
    assert not violations_everywhere(page)


def test_the_page_for_a_missing_address_has_no_violation(
    open_page: OpenPage, page: Page, site: Path, requests: list[Request]
) -> None:
    """Its links start at the root of the site's address, so the test serves its assets from there."""
    page.route(
        lambda url: urlsplit(url).path.startswith("/assets/"),
        lambda route: route.fulfill(path=site / urlsplit(route.request.url).path[1:]),
    )
    open_page("404.html", ready=False)
    assert not violations_everywhere(page)
    requests.clear()


@pytest.mark.parametrize(
    "state",
    [
        pytest.param("batch=many&colour=orange", id="problems named"),
        pytest.param("model=gemma-2-27b&context=1048576", id="controls disabled"),
        pytest.param("strategy=paged&sequences=64&block_size=8&compare=llama-2-7b&scale=log", id="other figures"),
    ],
)
def test_a_state_has_no_violation(lab: Page, state: str) -> None:
    arrive(lab, f"v2&{state}")
    assert not violations(lab)


def test_the_page_has_no_violation_before_python_answers(open_page: OpenPage, page: Page) -> None:
    """A reader whose network is slow has this page for a while."""
    page.route("**/pyodide.asm.wasm*", lambda _: None)  # it is never answered
    open_page(ready=False)
    assert page.locator("html").get_attribute("data-python") == "starting"
    assert not violations(page)
