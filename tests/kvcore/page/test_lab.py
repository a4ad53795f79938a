import re

import pytest

from kvcore.catalog import GPUS, MODELS
from kvcore.page import BLOCK_SLOTS, form, update
from kvcore.page.chart import words as chart_words
from kvcore.page.html import escape
from kvcore.page.lab import words
from kvcore.page.verdict import words as verdict_words
from tests.kvcore.page.reading import slots, value

SLOTS = {
    "lab.bytes_per_token", "lab.cache_total", "lab.weights", "lab.params", "lab.ratio", "lab.effective_kv_heads",
    "lab.cliff", "lab.cliff_batch", "lab.gpus", "lab.max_batch", "lab.formula", "lab.chart", "lab.footprint",
}  # fmt: skip


def test_an_answer_has_all_slots_that_the_article_uses():
    assert set(slots()) >= SLOTS
    assert set(slots()) >= BLOCK_SLOTS


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(
            {},
            {
                "lab.bytes_per_token": "327680",
                "lab.cache_total": "21474836480",
                "lab.weights": "141107412992",
                "lab.params": "70553706496",
                "lab.effective_kv_heads": "8",
                "lab.cliff": "53829",
                "lab.cliff_batch": "53",
                "lab.verdict": "0",
                "lab.gpus": "4",
                "lab.max_batch": "4",
                "lab.max_context": "4894",
                "lab.formula": "327680",
            },
            id="defaults",
        ),
        pytest.param({"batch": 32}, {"lab.cliff": "13458", "lab.cache_total": "85899345920"}, id="batch 32"),
        pytest.param(
            {"attention": "mha"},
            {
                "lab.bytes_per_token": "2621440",
                "lab.params": "79948947456",
                "lab.cliff": "7625",
                "lab.effective_kv_heads": "64",
            },
            id="as MHA",
        ),
        pytest.param({"cache_dtype": "q8_0"}, {"lab.bytes_per_token": "174080"}, id="q8_0"),
        pytest.param({"cache_dtype": "int8"}, {"lab.bytes_per_token": "163840", "lab.cliff": "107657"}, id="int8"),
        pytest.param(
            {"weight_dtype": "int4"},
            {"lab.weights": "35276853248", "lab.gpus": "1", "lab.verdict": "1"},
            id="int4 weights",
        ),
        pytest.param({"context": 16384}, {"lab.cache_total": "42949672960"}, id="twice the context"),
        pytest.param({"layers": 40}, {"lab.bytes_per_token": "163840"}, id="half the layers"),
        pytest.param({"head_dim": 64}, {"lab.bytes_per_token": "163840"}, id="half the head dim"),
        pytest.param(
            {"model": "llama-2-7b"}, {"lab.bytes_per_token": "524288", "lab.params": "6738415616"}, id="llama-2-7b"
        ),
        pytest.param(
            {"model": "mistral-7b-v0.1", "context": 32768, "batch": 1},
            {"lab.bytes_per_token": "131072", "lab.cache_total": "536870912", "lab.cliff": ""},
            id="mistral-7b-v0.1 stops at 4,096",
        ),
        pytest.param(
            {"model": "falcon-7b"}, {"lab.bytes_per_token": "8192", "lab.effective_kv_heads": "1"}, id="falcon-7b"
        ),
        # 24,564 MiB less a tenth: 23,181,498,777 B; an eighth of weights and cache is 20.3 GB, a quarter 40.6 GB
        pytest.param({"gpu": "rtx-4090"}, {"lab.gpus": "8"}, id="RTX 4090"),
    ],
)
def test_readouts_have_the_values_computed_by_hand(request_, expected):
    found = slots(**request_)
    assert {name: value(found[name]) for name in expected} == expected


def test_the_ratio_is_not_rounded():
    assert float(value(slots()["lab.ratio"])) == 21474836480 / 141107412992


def test_units_change_the_text_and_not_the_value():
    binary, decimal = slots()["lab.weights"], slots(units="decimal")["lab.weights"]
    assert binary == '<data value="141107412992">131.4 GiB</data>'
    assert decimal == '<data value="141107412992">141.1 GB</data>'


def test_an_edited_model_is_marked_and_has_a_button_to_undo_the_edits():
    answer = update({"layers": 40})
    found, button = answer["slots"], 'data-set="{&quot;model&quot;:&quot;llama-3.1-70b&quot;}"'
    assert words.edited("Llama-3.1 70B") in found["lab.model_name"]
    assert answer["controls"]["model"]["note"] == words.EDITED
    assert button in found["lab.verdict"]
    assert words.edited("Llama-3.1 70B") not in slots()["lab.model_name"]
    assert button not in slots()["lab.verdict"]
    assert update({})["controls"]["model"]["note"] == ""


def test_the_formula_has_the_models_numbers():
    text = re.sub(r"<[^>]+>", "", slots()["lab.formula"]).replace("&#183;", "x").replace("&#215;", "x")
    assert text == "2 x 80 x 8 x 128 x 2 B = 327,680 B per token x 8,192 tokens x 8 users = 20 GiB"


@pytest.mark.parametrize(
    ("request_", "finding"),
    [
        pytest.param({}, ("Llama-3.1 70B", "gqa", 8, 53_829), id="in range"),
        # 138,758,602,752 bytes of weights, 2 * 80 * 1 * 128 * 2 = 40,960 bytes a token
        pytest.param(
            {"attention": "mqa", "batch": 1}, ("Llama-3.1 70B, edited", "mqa", 1, 3_387_662), id="beyond the chart"
        ),
        pytest.param({"model": "mistral-7b-v0.1", "batch": 1}, ("Mistral 7B v0.1", "gqa", 1, None), id="never"),
    ],
)
def test_the_charts_accessible_name_and_caption_are_its_finding(request_, finding):
    chart = slots(**request_)["lab.chart"]
    sentence = escape(chart_words.chart_finding(*finding, 2**20))
    assert re.findall(r'aria-label="([^"]*)"', chart) == [sentence, sentence]
    assert f"<strong>{sentence}</strong>" in chart[chart.index("<figcaption>") :]


def test_a_model_with_a_state_alone_is_not_said_to_have_a_cache():
    """Codestral Mamba 7B: 64 layers of state, 272,367,616 B a sequence, and 7,285,403,648 parameters of 2 B: 54 users outweigh them."""
    found = update({"model": "codestral-mamba-7b", "batch": 128})
    chart = found["slots"]["lab.chart"]
    assert "With 128 users the state of Codestral Mamba 7B outweighs its weights at any length" in chart
    assert "KV cache" not in re.sub(r"<figcaption.*", "", chart)
    assert found["slots"]["lab.effective_kv_heads"] == '<data value="">none: a state</data>'
    assert "a state keeps its size" in found["slots"]["lab.rates"]
    assert found["controls"]["layers"]["note"] == "Fixed: each layer keeps a state, and no KV heads."
    few = slots(model="codestral-mamba-7b", batch=8)["lab.chart"]
    assert "With 8 users the state of Codestral Mamba 7B stays below its weights at any length" in few


def test_how_many_models_cross_with_one_conversation_as_long_as_they_were_made_for():
    """Llama-3.1 8B does: 131,072 tokens of 131,072 B are 17,179,869,184, its weights 16,060,522,496. Llama-3.1 70B does not."""
    found = slots()
    crossing, models = (int(value(found[f"fact.catalog.{name}"])) for name in ("crossing", "models"))
    assert 0 < crossing < models / 10
    at_limit = slots(model="llama-3.1-8b", weight_dtype="fp16", context=131_072, batch=1)
    assert (value(at_limit["lab.cache_total"]), value(at_limit["lab.weights"])) == ("17179869184", "16060522496")


def test_the_corrections_name_both_units_whatever_the_lab_shows():
    for units in ("binary", "decimal"):
        found = slots(units=units)
        assert "141.1 GB" in found["fact.70b.weights.decimal"]
        assert "131.4 GiB" in found["fact.70b.weights.binary"]


def test_a_config_without_a_model_type_is_said_to_have_none():
    (problem,) = update({"config_text": '{"hidden_size": 64}', "config_name": "a"})["problems"]
    assert problem == "a is not imported: this JSON has no model_type."


def test_the_bars_caption_has_the_memory_taken_and_the_memory_to_use():
    # 131.4 GiB of weights, 20 GiB of cache; 2 x 81,559 MiB less a tenth
    assert escape(verdict_words.footprint_finding("151.4 GiB", "143.4 GiB", 2, "80 GB")) in slots()["lab.footprint"]


def test_the_forms_have_every_control_once_and_are_disabled_at_first():
    forms = form("lab"), form("paging")
    names = re.findall(r'data-control="([^"]+)"', "".join(forms))
    assert sorted(names) == sorted(update({})["controls"])
    assert all('<fieldset class="kv-fieldset" disabled>' in html for html in forms)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_of_the_catalog_gets_an_answer_without_problems(model):
    answer = update({"model": model})
    assert answer["problems"] == []
    assert answer["slots"]["lab.weights"].isascii()
    assert int(value(answer["slots"]["lab.params"])) == MODELS[model].shape.params


def test_the_list_of_gpus_is_in_groups():
    (text,) = re.findall(r'<select[^>]* name="gpu".*?</select>', "".join(form("lab")), re.DOTALL)
    groups = {
        name: re.findall('value="([^"]+)"', options)
        for name, options in re.findall('label="([^"]+)">(.*?)</optgroup>', text)
    }
    assert list(groups) == [
        "NVIDIA, data centre", "NVIDIA, workstation", "NVIDIA GeForce", "AMD Instinct", "Google TPU", "Apple",
    ]  # fmt: skip
    assert groups["NVIDIA, data centre"][:3] == ["h100-80gb", "a100-80gb", "h200"]
    assert groups["AMD Instinct"] == ["mi300x", "mi325x", "mi355x", "mi250", "mi210"]
    assert sum(map(len, groups.values())) == len(GPUS)


def test_the_note_of_a_gpu_has_what_is_known_of_it():
    notes = [update({"gpu": name})["controls"]["gpu"]["note"] for name in ("h100-80gb", "m4-max-128gb", "own")]
    assert notes == ["79.6 GiB, 3.35 TB/s, 989 TFLOP/s dense FP16", "107.5 GiB, 0.546 TB/s", "24 GiB"]


@pytest.mark.parametrize(
    ("model", "mixture"), [("mixtral-8x7b", True), ("deepseek-v3", True), ("llama-3.1-70b", False)]
)
def test_of_a_mixtures_decode_step_only_what_it_reads_at_most_is_said(model, mixture):
    """How many experts a token passes is in no shape, so arithmetic and times that count all of them would be wrong."""
    found = update({"model": model})["slots"]
    assert ("at most" in found["lab.decode"]) is mixture
    assert ("TFLOP" not in found["lab.decode"]) is mixture
    assert (value(found["lab.decode_ratio"]) == "") is mixture
