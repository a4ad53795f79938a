"""Light, dark, or as the system has it: right in the first frame, switched by one button, and remembered."""

import pytest
from playwright.sync_api import Browser, Page, expect

PAPER = {"light": "rgb(251, 250, 247)", "dark": "rgb(22, 23, 27)"}
SYSTEM, LIGHT, DARK = "Switch to light mode", "Switch to dark mode", "Switch to system preference"
"""What the button says in each state: what it switches to."""


def paper(page: Page, scheme: str) -> None:
    expect(page.locator("body")).to_have_css("background-color", PAPER[scheme])


def button(page: Page, says: str) -> None:
    expect(page.locator(".kv-scheme button:visible")).to_have_attribute("title", says)


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_system_s_scheme_is_there_before_any_script_file_is(chromium: Browser, base_url: str, system: str) -> None:
    context = chromium.new_context(service_workers="block", color_scheme="dark" if system == "dark" else "light")
    context.route("**/*.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{base_url}index.html")
    paper(page, system)
    context.close()


@pytest.mark.parametrize("path", ["index.html", "models.html"])
def test_one_button_goes_round_by_mouse_and_by_keys_and_is_remembered(page: Page, base_url: str, path: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(base_url + path)
    button(page, SYSTEM)
    page.locator(".kv-scheme button:visible").click()
    button(page, LIGHT)
    paper(page, "light")
    page.reload()
    button(page, LIGHT)
    paper(page, "light")  # against the system, as it was left
    page.locator(".kv-scheme button:visible").focus()
    page.keyboard.press("Enter")
    button(page, DARK)
    paper(page, "dark")
    page.keyboard.press("Enter")
    button(page, SYSTEM)
    page.emulate_media(color_scheme="light")
    paper(page, "light")  # it follows the system again


def test_it_switches_where_nothing_may_be_stored(chromium: Browser, base_url: str) -> None:
    context = chromium.new_context(service_workers="block", color_scheme="light")
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }});"
    )
    page = context.new_page()
    page.goto(f"{base_url}models.html")
    page.locator(".kv-scheme button:visible").click()
    page.locator(".kv-scheme button:visible").click()
    paper(page, "dark")
    context.close()
