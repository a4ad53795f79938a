"""Light, dark, or as the system has it: right from the first frame, switched by one button, and remembered."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pages.actions import PAPER

SYSTEM, LIGHT, DARK = "Switch to light mode", "Switch to dark mode", "Switch to system preference"
"""What the button says in each state: what it switches to."""


def has_scheme(page: Page, scheme: str) -> None:
    expect(page.locator("body")).to_have_css("background-color", PAPER[scheme])


def button_says(page: Page, says: str) -> None:
    expect(page.locator(".kv-scheme button:visible")).to_have_attribute("title", says)


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_systems_scheme_is_shown_without_any_script_file(chromium: Browser, base_url: str, system: str) -> None:
    context = chromium.new_context(service_workers="block", color_scheme="dark" if system == "dark" else "light")
    context.route("**/*.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{base_url}index.html")
    has_scheme(page, system)
    context.close()


@pytest.mark.parametrize("path", ["index.html", "models.html"])
def test_one_button_switches_by_mouse_and_by_keys_and_is_remembered(page: Page, base_url: str, path: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(base_url + path)
    button_says(page, SYSTEM)
    page.locator(".kv-scheme button:visible").click()
    button_says(page, LIGHT)
    has_scheme(page, "light")
    page.reload()
    button_says(page, LIGHT)
    has_scheme(page, "light")  # the reader's choice, not the system's
    page.locator(".kv-scheme button:visible").focus()
    page.keyboard.press("Enter")
    button_says(page, DARK)
    has_scheme(page, "dark")
    page.keyboard.press("Enter")
    button_says(page, SYSTEM)
    page.emulate_media(color_scheme="light")
    has_scheme(page, "light")  # it follows the system again


def test_it_switches_where_nothing_may_be_stored(chromium: Browser, base_url: str) -> None:
    context = chromium.new_context(service_workers="block", color_scheme="light")
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }});"
    )
    page = context.new_page()
    page.goto(f"{base_url}models.html")
    page.locator(".kv-scheme button:visible").click()
    page.locator(".kv-scheme button:visible").click()
    has_scheme(page, "dark")
    context.close()
