"""The Lab's controls as hands and tests move them. Expected numbers are worked out by hand or come from the issue.

Llama-3 70B: 2 x 80 layers x 8 KV heads x 128 x 2 B = 327,680 B a token; 70,553,706,496 parameters.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from kvcore.page import update
from tests.pages.conftest import updated, value

type OpenPage = Callable[..., Page]

NUMBERS = ("layers", "query_heads", "head_dim", "kv_heads", "context", "batch")
CHOICES = ("model", "attention", "cache_dtype", "weight_dtype", "gpu", "units", "scale")


def control(page: Page, name: str) -> Locator:
    return page.locator(f'#lab [data-control="{name}"]')


def box(page: Page, name: str) -> Locator:
    return page.locator(f"#lab #lab-{name}")


def slider(page: Page, name: str) -> Locator:
    return page.locator(f'#lab [data-for="{name}"]')


def move(page: Page, name: str, value: str) -> None:
    """Set a control as a reader does, and wait for the page."""
    if name in {"model", "gpu"}:
        box(page, name).select_option(value)
    elif name in NUMBERS:
        box(page, name).fill(value)
        box(page, name).press("Enter")
    else:
        control(page, name).locator(f'input[value="{value}"]').check()
    updated(page)


def text(page: Page, slot: str) -> str:
    return page.locator(f'[data-slot="{slot}"]').first.inner_text()


def values(page: Page) -> dict[str, str]:
    """Every named control of the form."""
    found: dict[str, str] = page.evaluate("() => Object.fromEntries(new FormData(document.getElementById('lab')))")
    return found


# each control, and what it must change


@pytest.mark.parametrize(
    ("name", "moved", "slot", "expected"),
    [
        pytest.param("model", "llama-2-7b", "lab.bytes_per_token", "524288", id="model: cache"),
        pytest.param("model", "llama-2-7b", "lab.params", "6738415616", id="model: parameters"),
        pytest.param("model", "falcon-7b", "lab.bytes_per_token", "8192", id="model: one KV head"),
        pytest.param("layers", "40", "lab.bytes_per_token", "163840", id="layers"),
        pytest.param("query_heads", "32", "lab.bytes_per_token", "327680", id="query heads store nothing"),
        pytest.param("query_heads", "32", "lab.params", "18499637248", id="query heads: half the width of everything"),
        pytest.param("head_dim", "64", "lab.bytes_per_token", "163840", id="head dim"),
        pytest.param("attention", "mha", "lab.bytes_per_token", "2621440", id="MHA: cache"),
        pytest.param("attention", "mha", "lab.params", "79948947456", id="MHA: parameters"),
        pytest.param("attention", "mha", "lab.effective_kv_heads", "64", id="MHA: KV heads"),
        pytest.param("attention", "mha", "lab.cliff", "7625", id="MHA: cliff"),
        pytest.param("attention", "mqa", "lab.bytes_per_token", "40960", id="MQA"),
        pytest.param("kv_heads", "4", "lab.bytes_per_token", "163840", id="KV heads"),
        pytest.param("cache_dtype", "q8_0", "lab.bytes_per_token", "174080", id="cache dtype with scales"),
        pytest.param("cache_dtype", "int8", "lab.cache_total", "10737418240", id="cache dtype"),
        pytest.param("weight_dtype", "int8", "lab.weights", "70553706496", id="weight dtype"),
        pytest.param("context", "16384", "lab.cache_total", "42949672960", id="context: cache"),
        pytest.param("context", "16384", "lab.cliff_batch", "27", id="context: cliff in sequences"),
        pytest.param("batch", "32", "lab.cache_total", "85899345920", id="batch: cache"),
        pytest.param("batch", "32", "lab.cliff", "13458", id="batch: cliff"),
        pytest.param("gpu", "rtx-4090", "lab.gpus", "7", id="GPU"),
        pytest.param("units", "decimal", "lab.weights", "141107412992", id="units leave the value"),
    ],
)
def test_a_control_changes_what_it_should(lab: Page, name: str, moved: str, slot: str, expected: str) -> None:
    move(lab, name, moved)
    assert value(lab, slot) == expected


def test_the_defaults_are_the_articles(lab: Page) -> None:
    assert value(lab, "lab.bytes_per_token") == "327680"
    assert value(lab, "lab.cache_total") == "21474836480"
    assert value(lab, "lab.weights") == "141107412992"
    assert value(lab, "lab.cliff") == "53829"
    assert value(lab, "lab.cliff_batch") == "53"
    assert value(lab, "lab.gpus") == "2"


def test_units_change_the_words_only(lab: Page) -> None:
    assert text(lab, "lab.weights") == "131.4 GiB"
    move(lab, "units", "decimal")
    assert text(lab, "lab.weights") == "141.1 GB"


def test_the_memory_axis_changes_the_chart_only(lab: Page) -> None:
    before = lab.locator('[data-slot="lab.chart"] path.kv-cache').first.get_attribute("d")
    move(lab, "scale", "log")
    assert lab.locator('[data-slot="lab.chart"] path.kv-cache').first.get_attribute("d") != before
    assert value(lab, "lab.cache_total") == "21474836480"


def test_a_model_brings_its_shape_and_keeps_the_load(lab: Page) -> None:
    move(lab, "batch", "32")
    move(lab, "model", "llama-2-7b")
    now = values(lab)
    assert (now["layers"], now["query_heads"], now["head_dim"], now["attention"]) == ("32", "32", "128", "mha")
    assert (now["context"], now["batch"]) == ("8192", "32")


def test_an_edited_shape_has_a_way_back(lab: Page) -> None:
    move(lab, "layers", "40")
    assert "edited" in text(lab, "lab.chart").lower()
    lab.locator("button[data-set]").first.click()
    updated(lab)
    assert values(lab)["layers"] == "80"
    assert value(lab, "lab.bytes_per_token") == "327680"


def test_kv_heads_snap_to_a_divisor_and_say_so(lab: Page) -> None:
    move(lab, "kv_heads", "7")
    assert values(lab)["kv_heads"] == "8"
    assert "64" in control(lab, "kv_heads").locator(".kv-note").inner_text()


def test_a_control_without_meaning_rests_with_its_reason(lab: Page) -> None:
    move(lab, "model", "gemma-2-27b")
    assert box(lab, "layers").is_disabled()
    assert slider(lab, "layers").is_disabled()
    assert control(lab, "layers").locator(".kv-note").inner_text()
    move(lab, "model", "llama-3-70b")
    assert box(lab, "layers").is_enabled()


# hands


def test_typing_digit_by_digit_is_never_rewritten(lab: Page) -> None:
    typed = box(lab, "context")
    typed.fill("")
    for so_far in ("1", "16", "163", "1638", "16384"):
        typed.press_sequentially(so_far[-1])
        updated(lab)
        assert typed.input_value() == so_far
    assert value(lab, "lab.cache_total") == "42949672960"
    typed.press("Enter")
    updated(lab)
    assert typed.input_value() == "16384"
    assert slider(lab, "context").get_attribute("aria-valuetext") == "16,384 tokens"


def test_a_slider_writes_its_number_box_and_moves_with_it(lab: Page) -> None:
    stops = (slider(lab, "batch").get_attribute("data-stops") or "").split()
    slider(lab, "batch").fill(str(stops.index("32")))
    updated(lab)
    assert box(lab, "batch").input_value() == "32"
    assert value(lab, "lab.cliff") == "13458"
    move(lab, "batch", "33")
    assert slider(lab, "batch").input_value() == str(stops.index("34") - 1), "33 stands at the last stop below it"


def test_a_drag_asks_one_question_at_a_time_and_ends_with_the_last_place(open_page: OpenPage, page: Page) -> None:
    page.add_init_script("""
      const flight = window.flight = {now: 0, most: 0, asked: []};
      const Real = Worker;
      window.Worker = class extends Real {
        constructor(...all) { super(...all); this.addEventListener('message', () => { flight.now--; }); }
        postMessage(text) {
          flight.most = Math.max(flight.most, ++flight.now);
          flight.asked.push(JSON.parse(text));
          super.postMessage(text);
        }
      };
      addEventListener('load', () => explainer.ready.then(() => { flight.now = 0; }));
    """)
    open_page()
    track = slider(page, "batch")
    track.scroll_into_view_if_needed()
    edges = track.bounding_box()
    assert edges
    middle = edges["y"] + edges["height"] / 2
    page.mouse.move(edges["x"] + 20, middle)
    page.mouse.down()
    page.mouse.move(edges["x"] + edges["width"] - 2, middle, steps=60)
    assert page.evaluate("() => window.explainer.update().then(() => flight.asked.at(-1).settled)") is False
    page.mouse.up()
    updated(page)
    asked = page.evaluate("() => flight")
    assert asked["most"] == 1
    assert asked["asked"][-1]["settled"] is True
    assert box(page, "batch").input_value() == "512"
    assert value(page, "lab.cache_total") == str(512 * 8192 * 327_680)


@pytest.mark.parametrize(
    ("key", "name", "expected"),
    [
        pytest.param("ArrowUp", "batch", "9", id="next stop"),
        pytest.param("ArrowDown", "batch", "7", id="stop before"),
        pytest.param("PageUp", "context", "16384", id="a doubling up"),
        pytest.param("PageDown", "context", "4096", id="a halving down"),
    ],
)
def test_keys_step_a_number_box(lab: Page, key: str, name: str, expected: str) -> None:
    box(lab, name).focus()
    lab.keyboard.press(key)
    updated(lab)
    assert box(lab, name).input_value() == expected
    assert box(lab, name).evaluate("element => element === document.activeElement")


def test_the_keyboard_alone_reaches_and_moves_every_control(lab: Page) -> None:
    box(lab, "model").focus()
    reached: list[str] = []
    for _ in range(40):
        reached.append(lab.evaluate("() => document.activeElement.name || document.activeElement.dataset.for || ''"))
        lab.keyboard.press("Tab")
    assert set(reached) >= {*NUMBERS, *CHOICES}
    for name in NUMBERS:
        slider(lab, name).focus()
        before = box(lab, name).input_value()
        lab.keyboard.press("ArrowLeft")
        updated(lab)
        assert box(lab, name).input_value() != before, name
    for name in CHOICES:
        control(lab, name).locator("select, input:checked").first.focus()
        before = values(lab)[name]
        lab.keyboard.press("ArrowDown")
        updated(lab)
        assert values(lab)[name] != before, name


def test_focus_and_open_tables_outlive_a_new_figure(lab: Page) -> None:
    summary = lab.locator('[data-slot="lab.chart_table"] summary')
    summary.focus()
    lab.keyboard.press("Enter")
    lab.evaluate("() => { document.querySelector('#lab [name=batch]').value = '16'; }")
    updated(lab)
    assert lab.locator('[data-slot="lab.chart_table"] details').get_attribute("open") is not None
    assert summary.evaluate("element => element === document.activeElement")
    summary.click()


def test_values_set_by_a_script_count_too(lab: Page) -> None:
    lab.evaluate("""() => {
      document.querySelector('#lab [name=batch]').value = '32';
      document.querySelector('#lab [name=attention][value=mha]').checked = true;
    }""")
    updated(lab)
    assert value(lab, "lab.cache_total") == str(32 * 8192 * 2_621_440)


def test_one_live_region_says_where_things_stand(lab: Page) -> None:
    move(lab, "batch", "32")
    expect(lab.locator("#kv-live")).to_contain_text("80 GiB")
    assert lab.locator("[aria-live], [role=status]").count() == 1


# bad input


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("typed", ["many", "NaN", "-5", "0", "1e9", "3.5", "9" * 40, "  ", "<b>8</b>"])
def test_a_bad_number_is_named_and_the_page_goes_on(lab: Page, name: str, typed: str) -> None:
    box(lab, name).fill(typed)
    updated(lab)
    assert box(lab, name).input_value() == typed, "not rewritten while it is written"
    assert text(lab, "lab.problems").strip()
    assert control(lab, name).locator(".kv-note").inner_text().strip()
    box(lab, name).blur()
    updated(lab)
    assert re.fullmatch(r"\d+", box(lab, name).input_value())
    assert int(value(lab, "lab.cache_total") or 0) > 0
    move(lab, "layers", "80")
    assert not text(lab, "lab.problems").strip()


@pytest.mark.parametrize("name", CHOICES)
def test_an_unknown_choice_is_named_and_the_page_goes_on(lab: Page, name: str) -> None:
    lab.evaluate("name => { location.hash = `v1&${name}=purple`; }", name)
    expect(lab.locator('[data-slot="lab.problems"]')).to_contain_text("purple")
    assert values(lab)[name] == update({})["controls"][name]["value"]  # type: ignore[index]
    assert value(lab, "lab.cache_total") == "21474836480"


# the address


def test_the_address_follows_the_controls_and_leads_back(lab: Page, open_page: OpenPage) -> None:
    move(lab, "batch", "32")
    lab.wait_for_url(re.compile(r"#v1&model=llama-3-70b&batch=32$"))
    page = open_page("index.html#v1&model=llama-3-70b&batch=32")
    updated(page)
    assert values(page)["batch"] == "32"
    assert value(page, "lab.cliff") == "13458"


def test_an_anchor_is_left_alone(open_page: OpenPage) -> None:
    page = open_page("index.html#formula")
    updated(page)
    assert page.url.endswith("#formula")
    assert not text(page, "lab.problems").strip()


@pytest.mark.parametrize(
    ("fragment", "named"),
    [
        pytest.param("v1&batch=many", "many", id="text"),
        pytest.param("v1&batch=NaN", "NaN", id="NaN"),
        pytest.param("v1&batch=-3", "-3", id="negative"),
        pytest.param("v1&context=" + "9" * 400, "too large", id="huge"),
        pytest.param("v1&colour=orange", "colour", id="unknown key"),
        pytest.param("v1&model=gpt-9", "gpt-9", id="unknown model"),
        pytest.param("v1&batch", "batch", id="no value"),
        pytest.param("v1&batch=<img src=x onerror=alert(1)>", "img", id="markup"),
        pytest.param("v1&%", "%", id="broken escape"),
    ],
)
def test_a_bad_link_is_named_and_the_page_goes_on(lab: Page, fragment: str, named: str) -> None:
    lab.evaluate("fragment => { location.hash = fragment; }", fragment)
    expect(lab.locator('[data-slot="lab.problems"]')).to_contain_text(named)
    assert lab.locator('[data-slot="lab.problems"] img').count() == 0
    move(lab, "batch", "16")
    assert value(lab, "lab.bytes_per_token") == "327680"


# before Python, and without it


def test_what_is_moved_before_python_is_there_is_applied_in_order(
    context: BrowserContext, open_page: OpenPage, page: Page
) -> None:
    held: list[Route] = []
    context.route("**/pyodide.asm.wasm*", lambda route: held.append(route))  # noqa: PLW0108 - it cannot be a built-in
    with page.expect_request("**/pyodide.asm.wasm*"):
        open_page(ready=False)
    expect(page.locator("#kv-python")).to_have_attribute("data-state", "starting")
    box(page, "model").select_option("llama-2-7b")
    slider(page, "batch").fill("15")
    assert box(page, "batch").input_value() == "16", "a slider writes its box at once"
    box(page, "layers").fill("16")
    box(page, "layers").press("Enter")
    assert value(page, "lab.bytes_per_token") == "327680"
    for route in held:
        route.continue_()
    updated(page)
    assert value(page, "lab.bytes_per_token") == "262144", "Llama-2 7B with half of its 32 layers"
    assert values(page)["batch"] == "16"
    expect(page.locator("#kv-python")).to_have_attribute("data-state", "ready")


def test_without_wasm_the_page_shows_everything_and_says_so(
    context: BrowserContext, open_page: OpenPage, page: Page, console_errors: list[str]
) -> None:
    held: list[Route] = []
    gone = []

    def answer(route: Route) -> None:
        if gone:
            route.fulfill(status=404, body="gone")
        else:
            held.append(route)

    context.route("**/pyodide.asm.wasm*", answer)
    with page.expect_request("**/pyodide.asm.wasm*"):
        open_page(ready=False)
    expect(page.locator("#kv-python")).to_have_attribute("data-state", "starting")
    box(page, "batch").fill("64")  # nothing fails before the reader has moved something
    gone.append(True)
    for route in held:
        route.fulfill(status=404, body="gone")
    assert page.evaluate("() => window.explainer.ready") == {"rung": "static"}
    shown_as_built(page)
    assert page.locator('#kv-python [data-when="failed"]').is_visible()
    assert page.locator("#kv-python code").inner_text().strip()
    assert values_disabled(page)
    assert box(page, "batch").input_value() == "8", "back at what the numbers are for"
    updated(page)
    console_errors.clear()


@pytest.mark.parametrize("context_options", [{"java_script_enabled": False}], ids=["no JavaScript"])
def test_without_javascript_the_page_shows_everything_and_says_so(open_page: OpenPage) -> None:
    page = open_page(ready=False)
    shown_as_built(page)
    assert page.locator('#kv-python [data-when="static"]').is_visible()
    assert box(page, "batch").is_disabled()


def test_a_worker_that_dies_and_stays_dead_takes_the_page_back_to_what_is_right(
    open_page: OpenPage, page: Page
) -> None:
    page.add_init_script("""
      const Real = Worker;
      window.Worker = class extends Real { constructor(...all) { super(...all); window.python = this; } };
    """)
    open_page()
    move(page, "batch", "32")
    page.evaluate("""() => {
      const gone = worker => worker.dispatchEvent(new MessageEvent('message', {data: {error: 'gone'}})), Real = Worker;
      window.Worker = class extends Real { constructor(...all) { super(...all); setTimeout(() => gone(this)); } };
      gone(python);
    }""")
    expect(page.locator("#kv-python")).to_have_attribute("data-state", "failed")
    shown_as_built(page)
    assert box(page, "batch").input_value() == "8"
    assert box(page, "batch").is_disabled()
    assert page.locator("#kv-python code").inner_text() == "gone"


def shown_as_built(page: Page) -> None:
    """Every slot of the page says what kvcore says for the defaults."""
    slots = update({})["slots"]
    assert isinstance(slots, dict)
    for place in page.locator("[data-slot]").all():
        name = place.get_attribute("data-slot")
        numbers = [found.get_attribute("value") for found in place.locator("data").all()]
        assert numbers == re.findall(r'<data value="([^"]*)"', slots[name]), name
    for figure in ("lab.chart", "lab.footprint"):
        assert page.locator(f'[data-slot="{figure}"] svg.kv-wide').is_visible()


def values_disabled(page: Page) -> bool:
    return all(element.is_disabled() for element in page.locator("#lab input, #lab select").all())


# the frame


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1600])
def test_nothing_scrolls_sideways(lab: Page, width: int) -> None:
    lab.set_viewport_size({"width": width, "height": 844})
    for model in ("llama-3-70b", "mistral-7b-v0.1"):
        move(lab, "model", model)
        assert lab.evaluate("() => document.documentElement.scrollWidth") == width
    drawn = lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible')
    assert drawn.count() == 1
    smallest = drawn.evaluate(
        "svg => Math.min(...[...svg.querySelectorAll('text')].map(text => "
        "parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a))"
    )
    assert smallest >= 11


def test_on_a_phone_readouts_and_chart_stay_above_the_control_in_use(lab: Page) -> None:
    lab.set_viewport_size({"width": 390, "height": 844})
    box(lab, "kv_heads").focus()
    for part in (
        lab.locator(".kv-reads"),
        lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible'),
        box(lab, "kv_heads"),
    ):
        expect(part).to_be_in_viewport(ratio=0.99)


def test_at_1280_the_controls_and_all_they_move_are_in_one_view(lab: Page) -> None:
    lab.evaluate("() => document.querySelector('.kv-lab').scrollIntoView()")
    parts = [slider(lab, name) for name in NUMBERS]
    figures = [lab.locator(f'[data-slot="{name}"] svg.kv-svg:visible') for name in ("lab.chart", "lab.footprint")]
    for part in (*parts, *figures, lab.locator(".kv-reads"), lab.locator(".kv-formula")):
        expect(part).to_be_in_viewport(ratio=0.99)
