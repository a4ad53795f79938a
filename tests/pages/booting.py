"""What tests of the boot ask of a page: what failed, and whether it stands as it was built."""

from playwright.sync_api import Page

from tests.pages.conftest import CLIFF, rung, value

DEFAULT_TOTAL = 8 * 8192 * 327_680
"""The cache in all of the page as it is built, in bytes."""


def failures(page: Page) -> list[str]:
    """What went wrong while Python was started."""
    told: list[str] = page.evaluate("() => window.explainer.boot.failures")
    return told


def is_as_built(page: Page, broken: str) -> None:
    """No Python: the numbers are those of the defaults, the controls are locked, and a sentence names the broken file."""
    assert rung(page) == "static"
    assert value(page, "lab.cache_total") == str(DEFAULT_TOTAL)
    assert value(page, "lab.cliff") == CLIFF
    sentence = page.locator('#kv-python [data-when="failed"]')
    assert sentence.is_visible()
    assert broken in sentence.locator("code").inner_text()
    assert page.locator('#lab [name="batch"]').is_disabled()
