"""Finding a model: what is typed hides the models that do not match, and the select becomes the list of the rest."""

from playwright.sync_api import Page

from tests.pages.actions import box, controls, updated, value


def test_only_matching_models_are_listed_and_enter_takes_the_first(lab: Page) -> None:
    find, select = lab.locator("#kv-find"), box(lab, "model")
    find.fill("mistral v0.1")
    listed = select.locator("optgroup option:not([hidden])").evaluate_all("all => all.map(one => one.value)")
    assert listed == ["mistral-7b-v0.1"]
    assert int(select.get_attribute("size") or 0) > 1, "the select is the list of what was found"
    find.press("Enter")
    updated(lab)
    assert controls(lab)["model"] == "mistral-7b-v0.1"
    assert value(lab, "lab.bytes_per_token") == "131072"
    assert find.input_value() == ""
    assert select.get_attribute("size") is None
    assert select.locator("option[hidden]").count() <= 1, "only the one for an imported model"


def test_a_search_that_finds_nothing_or_is_left_changes_nothing(lab: Page) -> None:
    find = lab.locator("#kv-find")
    find.fill("no such model")
    find.press("Enter")
    assert find.input_value() == "no such model"
    find.press("Escape")
    assert find.input_value() == ""
    find.fill("falcon")
    box(lab, "batch").focus()
    assert find.input_value() == ""
    assert box(lab, "model").get_attribute("size") is None
    updated(lab)
    assert controls(lab)["model"] == "llama-3.1-70b"


def test_the_arrow_key_moves_from_the_search_into_its_list(lab: Page) -> None:
    find = lab.locator("#kv-find")
    find.fill("llama-2")
    find.press("ArrowDown")
    assert lab.evaluate("() => document.activeElement.id") == "lab-model"
    box(lab, "model").select_option("llama-2-13b")
    updated(lab)
    assert value(lab, "lab.bytes_per_token") == "819200"
    lab.keyboard.press("Enter")
    assert box(lab, "model").get_attribute("size") is None
