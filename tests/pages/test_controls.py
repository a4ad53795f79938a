"""Each control of the article, moved by hand, by keys and by scripts. Expected numbers are worked out by hand.

Llama-3.1 70B: 2 x 80 layers x 8 KV heads x 128 x 2 B = 327,680 B a token; 70,553,706,496 parameters, so 141,107,412,992 B of
weights. The grid's six requests store 669 + 80 + 175 + 571 + 473 + 100 = 2,068 tokens.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.pages.actions import (
    OpenPage,
    arrive,
    box,
    controls,
    finish_pauses,
    frame,
    move,
    note,
    problems,
    slide,
    slider,
    text,
    updated,
    value,
)

NUMBERS = ("layers", "query_heads", "head_dim", "kv_heads", "context", "batch")
CHOICES = ("model", "attention", "cache_dtype", "weight_dtype", "gpu", "units", "scale")


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
        pytest.param("v_dtype", "fp8", "lab.bytes_per_token", str(80 * 8 * 128 * 3), id="V in one byte, K in two"),
        pytest.param("v_dtype", "q4_0", "lab.bytes_per_token", str(80 * 8 * (128 * 2 + 4 * 18)), id="V in q4_0"),
        pytest.param("weight_dtype", "int8", "lab.weights", "70553706496", id="weight dtype"),
        pytest.param("context", "16384", "lab.cache_total", "42949672960", id="context: cache"),
        pytest.param("context", "16384", "lab.cliff_batch", "27", id="context: cliff in sequences"),
        pytest.param("batch", "32", "lab.cache_total", "85899345920", id="batch: cache"),
        pytest.param("batch", "32", "lab.cliff", "13458", id="batch: cliff"),
        pytest.param("shared_prompt", "2048", "lab.cache_total", str(327_680 * (2048 + 8 * 6144)), id="shared prompt"),
        pytest.param("average", "2048", "lab.held", "4", id="average length: 4 at the longest"),
        pytest.param("gpu", "rtx-4090", "lab.gpus", "8", id="GPU"),
        pytest.param("gpu", "own", "lab.gpus", "8", id="GPU of one's own: 24 GiB"),
        pytest.param("engine", "llama.cpp", "lab.verdict", "1", id="engine: it leaves 1 GiB free"),
        pytest.param("gpus", "8", "lab.max_batch", "176", id="GPUs: users"),
        pytest.param("gpus", "8", "lab.verdict", "1", id="GPUs: it fits"),
        pytest.param("cp", "2", "split.cache", "10737418240", id="cp: no head is stored twice"),
        pytest.param("units", "decimal", "lab.weights", "141107412992", id="units leave the value"),
        pytest.param("tp", "4", "split.bytes_per_token", "81920", id="tp: two of eight KV heads each"),
        pytest.param("tp", "16", "split.bytes_per_token", "40960", id="tp: more GPUs than KV heads copy them"),
        pytest.param("tp", "1", "split.free", str(76_968_728_985 - 141_107_412_992 - 21_474_836_480), id="tp: none"),
        pytest.param("pp", "2", "split.bytes_per_token", "81920", id="pp: half of the layers"),
        pytest.param("dp", "2", "split.cache", str(4 * 8192 * 163_840), id="dp: half of the sequences"),
        pytest.param("reserve", "0", "lab.max_batch", "11", id="reserve: batch"),
        pytest.param("reserve", "50", "lab.max_batch", "0", id="reserve: too little left for the weights"),
        pytest.param("strategy", "paged", "paging.reserved", str(19 * 128), id="strategy"),
        pytest.param("strategy", "paged", "paging.utilisation", str(2068 / 2432), id="strategy: utilisation"),
        pytest.param("sequences", "1", "paging.used", "669", id="sequences: used"),
        pytest.param("sequences", "64", "paging.reserved", str(64 * 2048), id="sequences: reserved"),
        pytest.param("block_size", "256", "paging.reserved", str(6 * 2048), id="block size: a row stays a row"),
    ],
)
def test_a_control_changes_its_number(lab: Page, name: str, moved: str, slot: str, expected: str) -> None:
    move(lab, name, moved)
    assert value(lab, slot) == expected


def test_the_defaults_are_the_articles(lab: Page) -> None:
    assert value(lab, "lab.bytes_per_token") == "327680"
    assert value(lab, "lab.cache_total") == "21474836480"
    assert value(lab, "lab.weights") == "141107412992"
    assert value(lab, "lab.cliff") == "53829"
    assert value(lab, "lab.cliff_batch") == "53"
    assert value(lab, "lab.verdict") == "0"
    assert value(lab, "lab.gpus") == "4"


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
    now = controls(lab)
    assert (now["layers"], now["query_heads"], now["head_dim"], now["attention"]) == ("32", "32", "128", "mha")
    assert (now["context"], now["batch"]) == ("8192", "32")


def test_an_edited_shape_can_be_reset(lab: Page) -> None:
    assert lab.locator(".kv-reset").count() == 0
    move(lab, "layers", "40")
    lab.locator(".kv-reset").click()
    updated(lab)
    assert controls(lab)["layers"] == "80"
    assert value(lab, "lab.bytes_per_token") == "327680"


def test_kv_heads_snap_to_a_divisor_of_the_query_heads(lab: Page) -> None:
    move(lab, "kv_heads", "7")
    assert controls(lab)["kv_heads"] == "8"
    assert "64" in note(lab, "kv_heads").inner_text()


def test_a_control_without_meaning_for_the_model_is_disabled_and_says_why(lab: Page) -> None:
    move(lab, "model", "gemma-2-27b")
    assert box(lab, "layers").is_disabled()
    assert slider(lab, "layers").is_disabled()
    assert note(lab, "layers").inner_text().strip()
    move(lab, "model", "llama-3.1-70b")
    assert box(lab, "layers").is_enabled()


def test_a_context_may_be_typed_as_it_is_written_on_the_axis(lab: Page) -> None:
    move(lab, "context", "32K")
    assert controls(lab)["context"] == "32768"
    assert value(lab, "lab.cache_total") == str(8 * 32_768 * 327_680)
    assert not problems(lab)


def test_an_engines_block_rounds_each_sequence_up(lab: Page) -> None:
    move(lab, "context", "8193")
    assert value(lab, "split.cache") == str(8 * 8193 * 163_840)
    move(lab, "engine_block", "16")
    assert value(lab, "split.cache") == str(8 * 8208 * 163_840)


def test_an_engine_brings_its_block_and_its_reserve(lab: Page) -> None:
    """SGLang leaves 13,904 of 81,559 MiB free and has pages of one token; llama.cpp leaves 1 GiB, and pads to 256 tokens."""
    move(lab, "engine", "sglang")
    assert (controls(lab)["reserve"], controls(lab)["engine_block"]) == ("18", "1")
    move(lab, "engine", "llama.cpp")
    assert (controls(lab)["reserve"], controls(lab)["engine_block"]) == ("2", "256")


def test_the_verdict_says_what_a_load_holds(lab: Page) -> None:
    """Room of 6,415,022,489 B on each of two GPUs, in sequences of 2,048 x 163,840 B: 19; 32 GiB of host memory for each: 102."""
    lab.locator("#kv-group-lengths summary").click()
    move(lab, "average", "2048")
    move(lab, "host_memory", "64")
    assert "up to 19 users; four of them can grow to 8,192 tokens" in text(lab, "lab.verdict")
    assert "102 more users at 2,048 tokens, who wait" in text(lab, "lab.verdict")


def test_mtp_layers_and_expanded_latents_count_for_a_model_that_has_them(lab: Page) -> None:
    """DeepSeek-V3 has a 62nd layer for MTP; its latents take 1,152 bytes, K and V of its 128 heads 2 x 128 x (192 + 128)."""
    box(lab, "mtp").locator("xpath=ancestor::details").locator("summary").first.click()
    assert box(lab, "mtp").is_disabled()
    move(lab, "model", "deepseek-v3")
    assert box(lab, "mtp").is_enabled()
    move(lab, "mtp", "yes")
    assert value(lab, "lab.bytes_per_token") == str(62 * 1152)
    move(lab, "latents", "expanded")
    assert value(lab, "lab.bytes_per_token") == str(62 * 2 * 128 * 320)
    assert "--mtp --expand-latents" in text(lab, "lab.command")


def test_the_command_of_this_state_is_copied(lab: Page) -> None:
    move(lab, "batch", "33")
    button = lab.locator('[data-copy="lab.command"]')
    button.click()
    command = "python -m kvcore plan llama-3.1-70b --context 8192 --batch 33"
    assert lab.locator('[data-slot="lab.command"] code').inner_text().startswith(command)
    assert button.get_attribute("data-state") in {"copied", "shown"}


def test_an_impossible_split_becomes_the_nearest_possible_one_with_a_note(lab: Page) -> None:
    move(lab, "pp", "81")
    assert note(lab, "pp").inner_text().strip()
    assert controls(lab)["pp"] == "80"
    move(lab, "pp", "1")
    assert value(lab, "split.cache") == "10737418240"


def test_the_number_of_gpus_and_their_split_follow_each_other(lab: Page) -> None:
    move(lab, "gpus", "6")
    assert [controls(lab)[name] for name in ("tp", "pp", "dp")] == ["2", "3", "1"]
    move(lab, "tp", "8")
    assert controls(lab)["gpus"] == "24"


def test_each_button_of_the_verdict_makes_it_fit(lab: Page) -> None:
    buttons = lab.locator(".kv-way")
    sets = [buttons.nth(index).get_attribute("data-set") for index in range(buttons.count())]
    assert len(sets) == 5
    for pressed in sets:
        lab.locator(f".kv-way[data-set='{pressed}']").click()
        updated(lab)
        assert value(lab, "lab.verdict") == "1"
        assert lab.locator(".kv-way").count() == 0
        for name, now in (
            ("cache_dtype", "fp16"),
            ("weight_dtype", "fp16"),
            ("context", "8192"),
            ("batch", "8"),
            ("gpus", "2"),
        ):
            move(lab, name, now)


def test_the_split_and_the_grid_follow_the_labs_model(lab: Page) -> None:
    move(lab, "model", "llama-2-7b")
    assert value(lab, "split.bytes_per_token") == "262144"
    stored = lab.locator('[data-slot="paging.used"] data').evaluate_all("all => all.map(one => one.value)")
    assert str(2068 * 524_288) in stored


@pytest.mark.parametrize("strategy", ["contiguous", "paged"])
def test_the_grid_wastes_what_its_strategy_does(lab: Page, strategy: str) -> None:
    for sequences in (1, 6, 20, 64):
        for block in (8, 16, 128, 256):
            arrive(lab, f"v2&strategy={strategy}&sequences={sequences}&block_size={block}")
            used, reserved = int(value(lab, "paging.used") or 0), int(value(lab, "paging.reserved") or 0)
            state = f"{sequences} sequences, blocks of {block}"
            assert reserved % block == 0, state
            if strategy == "contiguous":
                assert reserved == sequences * 2048, state
            else:
                assert 0 <= reserved - used < sequences * block, state
            free = lab.locator('[data-slot="paging.grid"] svg.kv-wide .kv-free').count()
            assert (free == 1) == (strategy == "paged"), state


@pytest.mark.parametrize(
    ("compared", "cliff"),
    [
        pytest.param("mistral-7b-v0.3", "13825", id="a model: 14,496,047,104 / (8 x 131,072)"),
        pytest.param("fp8", "107657", id="its FP8 cache: 141,107,412,992 / (8 x 163,840)"),
    ],
)
def test_a_comparison_is_drawn_and_in_the_caption(lab: Page, compared: str, cliff: str) -> None:
    chart = lab.locator('[data-slot="lab.chart"]')
    assert chart.locator("svg.kv-wide .kv-compared").count() == 0
    move(lab, "compare", compared)
    assert chart.locator("svg.kv-wide .kv-compared").count() == 1
    assert f"{int(cliff):,}" in chart.locator("figcaption").inner_text()
    assert value(lab, "lab.cliff") == "53829", "the Lab's own numbers stay"


# by hand, by keys, by scripts


def test_a_number_box_is_not_rewritten_while_it_is_typed_into(lab: Page) -> None:
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


def test_a_slider_writes_its_number_box_and_follows_it(lab: Page) -> None:
    slide(lab, "batch", "32")
    assert box(lab, "batch").input_value() == "32"
    assert value(lab, "lab.cliff") == "13458"
    move(lab, "batch", "33")
    stops = (slider(lab, "batch").get_attribute("data-stops") or "").split()
    assert slider(lab, "batch").input_value() == str(stops.index("34") - 1), "33 is shown at the last stop below it"


def test_a_drag_sends_one_request_at_a_time_and_ends_with_the_last_position(open_page: OpenPage, page: Page) -> None:
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
    assert box(page, "batch").input_value() == "4096"
    assert value(page, "lab.cache_total") == str(4096 * 8192 * 327_680)


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
        frame(lab, name).locator("select, input:checked").first.focus()
        before = controls(lab)[name]
        lab.keyboard.press("ArrowDown")
        updated(lab)
        assert controls(lab)[name] != before, name


def test_focus_and_opened_tables_survive_an_update(lab: Page) -> None:
    summary = lab.locator('[data-slot="lab.chart_table"] summary')
    summary.focus()
    lab.keyboard.press("Enter")
    lab.evaluate("() => { document.querySelector('#lab [name=batch]').value = '16'; }")
    updated(lab)
    assert lab.locator('[data-slot="lab.chart_table"] details').get_attribute("open") is not None
    assert summary.evaluate("element => element === document.activeElement")


def test_values_set_by_a_script_are_used(lab: Page) -> None:
    lab.evaluate("""() => {
      document.querySelector('#lab [name=batch]').value = '32';
      document.querySelector('#lab [name=attention][value=mha]').checked = true;
    }""")
    updated(lab)
    assert value(lab, "lab.cache_total") == str(32 * 8192 * 2_621_440)


SPY = """() => {
  const post = Worker.prototype.postMessage;
  window.sent = [];
  Worker.prototype.postMessage = function (text) { window.sent.push(JSON.parse(text)); post.call(this, text); };
  window.endSpying = () => { Worker.prototype.postMessage = post; return window.sent; };
}"""


@pytest.mark.parametrize(("name", "to"), [("batch", "32"), ("model", "llama-2-7b"), ("kv_heads", "7")])
def test_only_what_the_reader_moved_is_called_changed(lab: Page, name: str, to: str) -> None:
    """A model changes other controls, and 7 KV heads become 8: that is Python's doing, and is not sent back as the reader's."""
    lab.evaluate(SPY)
    move(lab, name, to)
    updated(lab)
    after = lab.evaluate("() => window.sent.length")
    updated(lab)
    sent = lab.evaluate("() => window.endSpying()")
    assert {one for request in sent for one in request["changed"]} == {name}
    assert len(sent) == after, "a page that shows its state asks nothing"


def test_one_live_region_announces_the_new_total(lab: Page) -> None:
    move(lab, "batch", "32")
    finish_pauses(lab)
    expect(lab.locator("#kv-live")).to_contain_text(text(lab, "lab.cache_total").strip())
    assert value(lab, "lab.cache_total") == "85899345920"
    assert lab.locator("[aria-live], [role=status]").count() == 1
