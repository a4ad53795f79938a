import json

import pytest

from kvcore.page import lab, phrases, update
from kvcore.page.controls import Number
from kvcore.page.lab import words
from kvcore.page.pages import ARTICLE
from kvcore.page.phrases import MOST_NAMED


def values(request):
    return {name: control["value"] for name, control in update(request)["controls"].items()}


DEFAULTS = {
    "model": "llama-3.1-70b",
    "layers": 80,
    "query_heads": 64,
    "head_dim": 128,
    "attention": "gqa",
    "kv_heads": 8,
    "cache_dtype": "fp16",
    "weight_dtype": "fp16",
    "context": 8192,
    "batch": 8,
    "gpu": "h100-80gb",
    "units": "binary",
}


def test_an_empty_request_gets_the_defaults():
    assert {name: values({})[name] for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param({"attention": "mha"}, {"kv_heads": 64}, id="MHA: a KV head a query head"),
        pytest.param({"attention": "mqa"}, {"kv_heads": 1}, id="MQA: one KV head"),
        pytest.param(
            {"attention": "gqa", "kv_heads": "64", "changed": ["attention"]},
            {"kv_heads": 8},
            id="back to the model's own grouping",
        ),
        pytest.param(
            {"model": "llama-2-7b", "attention": "gqa", "kv_heads": "32", "changed": ["attention"]},
            {"kv_heads": 8, "attention": "gqa"},
            id="an MHA model gets the usual grouping",
        ),
        pytest.param(
            {"attention": "mha", "kv_heads": "4", "changed": ["attention", "kv_heads"]},
            {"attention": "gqa", "kv_heads": 4},
            id="the one moved last decides: KV heads",
        ),
        pytest.param(
            {"attention": "mha", "kv_heads": "4", "changed": ["kv_heads", "attention"]},
            {"attention": "mha", "kv_heads": 64},
            id="the one moved last decides: attention",
        ),
        pytest.param({"kv_heads": "64", "changed": ["kv_heads"]}, {"attention": "mha"}, id="64 of 64 KV heads are MHA"),
        pytest.param({"kv_heads": 3}, {"kv_heads": 2}, id="KV heads snap to a divisor"),
        pytest.param({"kv_heads": 60}, {"kv_heads": 64, "attention": "mha"}, id="KV heads snap to the nearest divisor"),
        pytest.param({"query_heads": "48"}, {"kv_heads": 8, "query_heads": 48}, id="48 query heads keep 8"),
        pytest.param(
            {"query_heads": "71"}, {"kv_heads": 1, "attention": "mqa"}, id="71 query heads can only share one"
        ),
        pytest.param(
            {"query_heads": "32", "attention": "mha", "changed": ["query_heads"]},
            {"kv_heads": 32},
            id="MHA follows the query heads",
        ),
        pytest.param(
            {"model": "llama-2-7b", "layers": "80", "kv_heads": "8", "attention": "gqa", "changed": ["model"]},
            {"layers": 32, "query_heads": 32, "attention": "mha", "kv_heads": 32},
            id="a model resets the shape",
        ),
        pytest.param(
            {"model": "llama-2-7b", "layers": "16", "changed": ["model", "layers"]},
            {"layers": 16, "query_heads": 32},
            id="what was edited after the model stays",
        ),
        pytest.param(
            {"model": "llama-2-7b", "context": "16384", "batch": "3", "cache_dtype": "fp8", "changed": ["model"]},
            {"context": 16384, "batch": 3, "cache_dtype": "fp8"},
            id="a model keeps the load and the dtypes",
        ),
        pytest.param({"context": "16,384"}, {"context": 16384}, id="thousands may be separated"),
        pytest.param({"context": " 16384.0 "}, {"context": 16384}, id="decimals may be zero"),
        pytest.param({"context": 16384}, {"context": 16384}, id="a number in place of text"),
        pytest.param({"model": "gemma-2-27b", "layers": "10"}, {"layers": 46}, id="a fixed pattern keeps its layers"),
    ],
)
def test_values_of_several_controls_are_made_consistent(request_, expected):
    answer = update(request_)
    assert {name: answer["controls"][name]["value"] for name in expected} == expected
    assert answer["problems"] == []


@pytest.mark.parametrize(
    ("name", "raw", "kept", "shown"),
    [
        pytest.param("context", "abc", 8192, "'abc'", id="text"),
        pytest.param("context", "", 8192, "''", id="nothing"),
        pytest.param("context", "NaN", 8192, "'NaN'", id="NaN"),
        pytest.param("context", "Infinity", 8192, "'Infinity'", id="Infinity"),
        pytest.param("context", "1e5", 8192, "'1e5'", id="an exponent"),
        pytest.param("context", "12.5", 8192, "'12.5'", id="a fraction"),
        pytest.param("context", "\u0661\u0662", 8192, "'\\u0661\\u0662'", id="digits of another script"),
        pytest.param("context", float("nan"), 8192, "nan", id="a float that is no number"),
        pytest.param("context", True, 8192, "True", id="a bool"),
        pytest.param("context", None, 8192, "None", id="null"),
        pytest.param("context", [8192], 8192, "a list of 1", id="a list"),
        pytest.param("context", "512", 1024, "512", id="below the least"),
        pytest.param("context", "-5", 1024, "-5", id="negative"),
        pytest.param("context", "9" * 9999, 1048576, "9999", id="huge"),
        pytest.param("batch", "0", 1, "0", id="batch 0"),
        pytest.param("batch", "4097", 4096, "4097", id="batch 4097"),
        pytest.param("layers", "1000", 256, "1000", id="layers"),
        pytest.param("query_heads", "0", 1, "0", id="query heads"),
        pytest.param("head_dim", "4096", 1024, "4096", id="head dim"),
        pytest.param("kv_heads", "-1", 1, "-1", id="KV heads"),
        pytest.param("model", "gpt-5", "llama-3.1-70b", "'gpt-5'", id="an unknown model"),
        pytest.param("model", "<img src=x onerror=alert(1)>", "llama-3.1-70b", "'<img", id="markup"),
        pytest.param("gpu", "tpu", "h100-80gb", "'tpu'", id="an unknown GPU"),
        pytest.param("cache_dtype", "int4", "fp16", "'int4'", id="a dtype"),
        pytest.param("weight_dtype", 16, "fp16", "16", id="a number for a name"),
        pytest.param("attention", "swa", "gqa", "'swa'", id="an attention"),
        pytest.param("units", "imperial", "binary", "'imperial'", id="units"),
        pytest.param("scale", "cubic", "linear", "'cubic'", id="scale"),
    ],
)
def test_unusable_content_of_a_control_is_reported_and_a_usable_value_kept(name, raw, kept, shown):
    answer, control = update({name: raw}), ARTICLE.controls[name]
    assert answer["controls"][name]["value"] == kept
    (problem,) = answer["problems"]
    label, _, rest = problem.partition(": ")
    assert label == control.label
    assert rest.startswith(shown)
    assert (f"{kept:,}" if isinstance(kept, int) else kept) in rest
    expected = (f"{control.low:,}", f"{control.high:,}") if isinstance(control, Number) else tuple(control.options)
    assert len(expected) > MOST_NAMED or all(text in rest for text in expected)
    assert (answer["controls"][name]["note"], answer["controls"][name]["invalid"]) == (problem, True)
    assert "<img" not in answer["slots"]["page.problems"]
    assert "lab.chart" in answer["slots"]


def test_unusable_content_keeps_the_last_good_value():
    first = update({"context": "32768", "batch": "4"})
    second = update({"context": "oops", "batch": "4", "hold": first["hold"]})
    assert second["controls"]["context"]["value"] == 32768
    assert "32,768" in second["problems"][0]


def test_a_model_chosen_again_resets_its_shape_even_where_a_control_is_unusable():
    first = update({"layers": 40})
    again = {"model": "llama-3.1-70b", "layers": "many", "changed": ["model", "layers"], "hold": first["hold"]}
    assert update(again)["controls"]["layers"]["value"] == 80


@pytest.mark.parametrize(
    "hold",
    [
        pytest.param("x", id="text"),
        pytest.param({"values": 7, "remembered": "no"}, id="the wrong kinds"),
        pytest.param(
            {"values": {"context": "x", "model": 3}, "remembered": {"chart": ["linear", "binary", 5, 1]}},
            id="wrong values",
        ),
        pytest.param({"remembered": {"chart": ["log", "binary", 0, 1e300]}}, id="an axis without an end"),
    ],
)
def test_a_malformed_hold_is_ignored(hold):
    answer = update({"hold": hold, "settled": False, "scale": "log"})
    assert answer["problems"] == []
    assert answer["controls"]["context"]["value"] == 8192


@pytest.mark.parametrize(
    ("fragment", "expected", "says"),
    [
        pytest.param("#v1&model=llama-3.1-70b&batch=32", {"batch": 32}, [], id="two controls"),
        pytest.param("#v2&context=32K&batch=1k", {"context": 32768, "batch": 1024}, [], id="K is 1,024"),
        pytest.param("#v2&context=1M", {"context": 1048576}, [], id="M is 1,048,576"),
        pytest.param("#v2&context=1.5K", {"context": 1536}, [], id="one and a half K"),
        pytest.param("#v2&batch=1.0001K", {"batch": 8}, ["'1.0001K'"], id="no whole number"),
        pytest.param("v1&model=llama-2-7b", {"layers": 32, "attention": "mha"}, [], id="a model brings its shape"),
        pytest.param("#v1&model=llama-2-7b&layers=16", {"layers": 16}, [], id="an edit"),
        pytest.param("#v1&colour=red&batch=9", {"batch": 9}, ["'colour'"], id="an unknown key"),
        pytest.param("#v1&batch=many", {"batch": 8}, ["'many'"], id="a bad value"),
        pytest.param("#v1&batch", {"batch": 8}, ["'batch'"], id="a key without a value"),
        pytest.param("#v1&&&", {"batch": 8}, [], id="empty parts"),
        pytest.param("#v9&batch=4", {"batch": 8}, ["'v9'"], id="another version"),
    ],
)
def test_a_fragment_replaces_all_controls_of_the_request(fragment, expected, says):
    answer = update({"fragment": fragment, "batch": "100"})
    assert {name: answer["controls"][name]["value"] for name in expected} == expected
    assert len(answer["problems"]) == len(says)
    assert all(text in problem for text, problem in zip(says, answer["problems"], strict=True))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({}, id="defaults"),
        pytest.param({"model": "mixtral-8x7b", "context": 32768, "batch": 5, "units": "decimal"}, id="a model"),
        pytest.param({"layers": 40, "query_heads": 32, "kv_heads": 4, "head_dim": 64}, id="an edited shape"),
        pytest.param({"attention": "mqa", "cache_dtype": "q4_0", "weight_dtype": "int4", "gpu": "l40s"}, id="types"),
    ],
)
def test_the_fragment_of_an_answer_gives_the_same_values(request_):
    answer = update(request_)
    assert answer["fragment"].startswith("v2&")
    assert values({"fragment": answer["fragment"]}) == values(request_)


def test_a_request_of_json_text_gets_ascii_json_text():
    text = update('{"batch": "32"}')
    assert text.isascii()
    assert json.loads(text) == json.loads(json.dumps(update({"batch": "32"})))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("[1", phrases.not_json, id="cut short"),
        pytest.param("[]", phrases.not_an_object, id="a list"),
        pytest.param("7", phrases.not_an_object, id="a number"),
        pytest.param("", phrases.not_json, id="nothing"),
    ],
)
def test_text_that_is_not_a_request_gets_the_defaults_and_a_problem(text, problem):
    answer = json.loads(update(text))
    before, after = problem("|").split("|")
    assert answer["problems"][0].startswith(before)
    assert answer["problems"][0].endswith(after)
    assert answer["controls"]["batch"]["value"] == 8


def test_an_unknown_control_is_reported():
    assert update({"colour": "red"})["problems"] == [phrases.unknown_control("'colour'")]


def test_an_answer_leaves_out_slots_that_did_not_change():
    first = update({"batch": "32"})
    again = update({"batch": "32", "hold": first["hold"]})
    moved = update({"batch": "33", "hold": first["hold"]})
    assert set(again["slots"]) == {"page.problems", "page.linked"}
    assert {"lab.cache_total", "lab.chart", "lab.footprint"} <= set(moved["slots"])


def test_the_memory_axis_keeps_its_range_during_a_drag():
    rest = update({"batch": "1"})
    drag = update({"batch": "512", "context": "1048576", "settled": False, "hold": rest["hold"]})
    settled = update({"batch": "512", "context": "1048576", "settled": True, "hold": drag["hold"]})
    assert drag["hold"]["remembered"] == rest["hold"]["remembered"]
    assert settled["hold"]["remembered"] != rest["hold"]["remembered"]
    assert "lab.chart" in settled["slots"]


def test_the_first_answer_has_the_sections_next_to_the_moved_control_and_the_second_has_the_rest():
    rest = update({})
    first = update({"batch": "32", "changed": ["batch"], "view": "wide", "hold": rest["hold"]})
    assert set(first["slots"]) >= {"lab.cache_total", "lab.chart", "lab.footprint"}
    assert not {"lab.decode", "hatches.heads", "paging.grid", "models.table"} & set(first["slots"])
    assert "kv-wide" in first["slots"]["lab.chart"]
    assert "kv-narrow" not in first["slots"]["lab.chart"]
    assert first["more"] is not None
    second = update({"batch": "32", "view": "wide", "hold": first["hold"], "more": first["more"]})
    whole = update({"batch": "32"})
    assert second["more"] is None
    assert second["controls"] == {}  # those of the first answer are still valid
    assert {**rest["slots"], **first["slots"], **second["slots"]} == whole["slots"]


def test_a_drag_asks_for_no_second_answer_and_its_end_updates_everything():
    rest = update({})
    drag = update({"context": "9000", "view": "narrow", "settled": False, "hold": rest["hold"]})
    assert drag["more"] is None
    end = update({"context": "9000", "view": "narrow", "settled": True, "hold": drag["hold"]})
    assert end["more"] is not None
    last = update({"context": "9000", "view": "narrow", "hold": end["hold"], "more": end["more"]})
    shown = {**rest["slots"], **drag["slots"], **end["slots"], **last["slots"]}
    assert shown == update({"context": "9000"})["slots"]
    assert update({"context": "9000", "view": "narrow", "hold": last["hold"]})["more"] is None


def test_a_first_answer_leaves_out_closed_tables_and_has_open_ones():
    rest = update({})
    moved = {"batch": "32", "view": "wide", "hold": rest["hold"]}
    tables = {"lab.chart_table", "lab.footprint_table", "paging.table"}
    assert not tables & set(update(moved)["slots"])
    opened = update({**moved, "opened": ["lab.chart_table"]})
    assert tables & set(opened["slots"]) == {"lab.chart_table"}
    assert opened["slots"]["lab.chart_table"] == update({"batch": "32"})["slots"]["lab.chart_table"]


def test_a_table_opened_during_a_part_of_a_drag_is_up_to_date_after_it():
    rest = update({})
    drag = {"view": "wide", "settled": False}
    out = update({**drag, "batch": "32", "opened": ["lab.chart_table"], "hold": rest["hold"]})
    back = update({**drag, "batch": "8", "hold": out["hold"]})
    end = update({"batch": "8", "view": "wide", "hold": back["hold"]})
    last = update({"batch": "8", "view": "wide", "hold": end["hold"], "more": end["more"]})
    shown = {**rest["slots"], **out["slots"], **back["slots"], **end["slots"], **last["slots"]}
    assert shown == rest["slots"]


@pytest.mark.parametrize(
    ("model", "control", "value", "reason"),
    [
        pytest.param("deepseek-v3", "kv_heads", "", words.LATENT_FIXED, id="KV heads of a latent"),
        pytest.param("deepseek-v3", "layers", 61, words.LATENT_FIXED, id="layers of a latent"),
        pytest.param("gemma-2-27b", "layers", 46, words.LAYERS_ALTERNATE, id="alternating layers"),
        pytest.param("qwen3-next-80b", "layers", 48, words.LAYERS_DIFFER, id="layers of two kinds"),
    ],
)
def test_a_control_without_meaning_for_a_model_is_disabled_with_the_reason(model, control, value, reason):
    state = update({"model": model})["controls"][control]
    assert (state["disabled"], state["value"], state["note"]) == (True, value, reason)


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), float("nan"), float("inf"), None, True, [], {}, b"8", "\ud800"],
    ids=lambda value: type(value).__name__,
)
def test_values_of_any_type_are_answered_without_an_exception(value):
    names = ["layers", "kv_heads", "batch", "gpu", "units", "changed", "hold", "view", "opened"]
    answer = update(dict.fromkeys(names, value))
    assert answer["controls"]["layers"]["value"] in {1, 80, 256}
    assert all(problem.isascii() and len(problem) < 400 for problem in answer["problems"])


def test_an_exception_of_ours_is_reported_and_the_last_good_values_are_kept(monkeypatch):
    before = update({"model": "llama-2-7b", "batch": "3"})
    real = lab.lab_result

    def faulty(values, units, **options):
        if values["batch"] == 13:
            raise ZeroDivisionError("made up")
        return real(values, units, **options)

    monkeypatch.setattr(lab, "lab_result", faulty)
    asked = {"model": "llama-2-7b", "batch": "13", "hold": before["hold"], "view": "wide"}
    answer = json.loads(update(json.dumps(asked)))
    assert answer["problems"] == [phrases.fault("ZeroDivisionError", "made up")]
    assert answer["controls"]["batch"]["value"] == 3
    assert answer["controls"]["model"]["value"] == "llama-2-7b"
    assert answer["slots"]["lab.cache_total"] == before["slots"]["lab.cache_total"]
    with pytest.raises(ZeroDivisionError):
        update(asked)
