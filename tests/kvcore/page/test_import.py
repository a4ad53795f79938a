"""Importing a model: the text of a config.json becomes the Lab's model, and a link brings it back."""

import json
import re

import pytest

from kvcore.config import MOST_CHARACTERS
from kvcore.page import update
from kvcore.page.lab import words
from tests.kvcore.page.reading import value

TINYLLAMA = {
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_attention_heads": 32,
    "num_hidden_layers": 22,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": False,
    "hidden_act": "silu",
}
"""TinyLlama/TinyLlama-1.1B-Chat-v1.0, config.json: 2 * 22 * 4 * 64 * 2 = 22,528 bytes a token; 1,100,048,384 parameters."""


def imported(given=TINYLLAMA, /, name="My 1.1B", **request):
    return update({"config_text": json.dumps(given), "config_name": name, **request})


def test_an_imported_config_becomes_the_labs_model():
    answer = imported()
    assert answer["problems"] == []
    assert answer["controls"]["model"]["value"] == "imported"
    assert value(answer["slots"]["lab.bytes_per_token"]) == "22528"
    assert value(answer["slots"]["lab.params"]) == "1100048384"
    assert "My 1.1B" in answer["slots"]["lab.model_note"]
    assert "My 1.1B" in answer["slots"]["lab.chart"]


def test_a_link_brings_an_imported_model_back():
    answer = imported(batch="32")
    again = update({"fragment": answer["fragment"]})
    assert again["problems"] == []
    assert again["controls"] == answer["controls"]
    assert again["slots"]["lab.chart"] == answer["slots"]["lab.chart"]
    assert len(answer["fragment"]) < 400


def test_an_import_keeps_the_load_and_its_shape_can_be_edited():
    answer = imported(batch="32", cache_dtype="fp8", layers="80", changed=["batch"])
    assert answer["controls"]["layers"]["value"] == 22
    packed = answer["controls"]["config"]["value"]
    edited = update({"model": "imported", "config": packed, "layers": "11", "batch": "32", "changed": ["layers"]})
    assert value(edited["slots"]["lab.bytes_per_token"]) == "11264"
    assert words.edited("My 1.1B") in edited["slots"]["lab.model_name"]


def test_an_imported_model_can_be_chosen_again_after_another_one():
    packed = imported()["controls"]["config"]["value"]
    away = update({"model": "llama-2-7b", "config": packed, "changed": ["model"]})
    assert value(away["slots"]["lab.bytes_per_token"]) == "524288"
    assert "config=" not in away["fragment"]
    back = update({"model": "imported", "config": packed, "changed": ["model"]})
    assert value(back["slots"]["lab.bytes_per_token"]) == "22528"


@pytest.mark.parametrize(
    ("config", "says"),
    [
        pytest.param({"model_type": "martian"}, "model_type: 'martian'", id="an unknown architecture"),
        pytest.param({**TINYLLAMA, "num_hidden_layers": -1}, "num_hidden_layers: -1", id="negative layers"),
        pytest.param({**TINYLLAMA, "num_key_value_heads": 5}, "num_key_value_heads", id="heads that do not divide"),
        pytest.param({**TINYLLAMA, "hidden_size": "wide"}, "hidden_size: 'wide'", id="text for a number"),
        pytest.param([], "", id="a list"),
    ],
)
def test_a_refused_config_is_reported_with_its_field_and_keeps_the_values(config, says):
    before = update({"model": "llama-2-7b", "batch": "3"})
    values = {name: str(control["value"]) for name, control in before["controls"].items()}
    answer = imported(config, **values, hold=before["hold"])
    assert len(answer["problems"]) == 1
    assert says in answer["problems"][0]
    assert answer["controls"]["config"]["note"] == answer["problems"][0]
    assert answer["controls"]["model"]["value"] == "llama-2-7b"
    assert answer["controls"]["batch"]["value"] == 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="cut short"),
        pytest.param("[" * 5000 + "]" * 5000, id="deep"),
        pytest.param('{"model_type": "llama", "hidden_size": Infinity}', id="Infinity where a number is needed"),
        pytest.param("x" * 8_000_001, id="long"),
    ],
)
def test_text_that_is_not_a_config_is_refused(text):
    answer = update({"config_text": text})
    assert len(answer["problems"]) == 1
    assert answer["problems"][0].isprintable()
    assert len(answer["problems"][0]) < 400
    assert answer["controls"]["model"]["value"] == "llama-3.1-70b"


@pytest.mark.parametrize(
    ("reason", "has_sentence"),
    [
        pytest.param("network", True, id="no network"),
        pytest.param("missing", True, id="no such model"),
        pytest.param("gated", True, id="a gated model"),
        pytest.param("500", False, id="any other status"),
        pytest.param("id", True, id="not a model id"),
        pytest.param("size", True, id="too large"),
    ],
)
def test_a_failed_fetch_is_reported_with_its_reason(reason, has_sentence):
    answer = update({"config_failed": reason, "config_name": "a/b"})
    assert answer["problems"] == [words.import_failed(reason, "'a/b'")]
    assert answer["controls"]["config"]["note"] == answer["problems"][0]
    assert "'a/b'" in answer["problems"][0]
    # a reason without a sentence of its own is quoted, as a status
    assert (f"status {reason}" in answer["problems"][0]) is not has_sentence


def test_text_without_a_name_that_is_too_long_is_called_what_it_is():
    answer = update({"config_failed": "size", "config_name": ""})
    assert answer["problems"] == [
        f"The text that you gave is too large for a config.json; expected at most {MOST_CHARACTERS:,} characters."
    ]


MISTRAL = {
    "model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "head_dim": 128,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 32768,
    "tie_word_embeddings": False,
}  # fmt: skip
LOAD = {"context": "131072", "batch": "8"}


def test_a_window_that_was_assumed_is_told():
    answer = imported(MISTRAL, **LOAD)
    assert value(answer["slots"]["lab.cache_total"]) == str(4 * 2**30)
    assert " Assumed, as the config does not give it: sliding_window 4,096.<" in answer["slots"]["lab.model_note"]


def test_a_window_that_the_config_excludes_is_not_assumed():
    answer = imported({**MISTRAL, "sliding_window": None}, **LOAD)
    assert value(answer["slots"]["lab.cache_total"]) == str(128 * 2**30)
    assert "Assumed" not in answer["slots"]["lab.model_note"]


def test_kv_heads_that_were_assumed_are_told_also_by_a_link_and_of_an_edited_model():
    silent = {key: given for key, given in TINYLLAMA.items() if key != "num_key_value_heads"}
    answer = imported(silent, **LOAD)
    told = " Assumed, as the config does not give it: head_dim 64, num_key_value_heads 32."
    assert value(answer["slots"]["lab.bytes_per_token"]) == str(8 * 22_528)
    assert told in answer["slots"]["lab.model_note"]
    assert told in update({"fragment": answer["fragment"]})["slots"]["lab.model_note"]
    assert told in update({"fragment": f"{answer['fragment']}&layers=11"})["slots"]["lab.model_note"]


def test_nothing_is_assumed_for_a_model_of_the_catalog_or_an_old_links_shape():
    spec = "x~Shape(h:64,q:1,groups:(Layers(l:2,k:1,d:64,e:64)),mlps:(),v:256,tied:!t)"
    for request in ({"model": "mistral-7b-v0.1"}, {"fragment": f"v1&model=imported&spec={spec}"}):
        assert "Assumed" not in update(request)["slots"]["lab.model_note"]


def test_markup_in_a_models_name_is_escaped():
    answer = imported(name="<img src=x onerror=alert(1)>")
    assert answer["problems"] == []
    assert "<img" not in json.dumps(answer["slots"])


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({"model": "imported"}, id="nothing"),
        pytest.param({"model": "imported", "config": "abc"}, id="no packed config"),
        pytest.param({"fragment": "v1&model=imported&spec=x~Shape(h:1)"}, id="an old shape without its fields"),
        pytest.param({"fragment": "#v1&model=imported&config=%3Cscript%3E"}, id="from a link"),
    ],
)
def test_a_missing_or_broken_import_is_reported_and_the_default_model_is_used(request_):
    answer = update(request_)
    assert answer["controls"]["model"]["value"] == "llama-3.1-70b"
    assert answer["problems"]


def test_an_error_gives_only_the_number_of_a_long_list_of_allowed_names():
    (problem,) = imported({**TINYLLAMA, "model_type": "whale"}, name="")["problems"]
    assert "model_type: 'whale'" in problem
    assert re.search(r" \d{2,} ", problem)
    assert "llama" not in problem


_WIDE = "x~Shape(h:16777216,q:1,groups:(Layers(l:4,k:1,d:1,e:1)),mlps:(),v:1,tied:!t)"
_MANY_HEADS = "x~Shape(h:4096,q:16777216,groups:(Layers(l:300,k:8,d:128,e:128)),mlps:(),v:1,tied:!t)"
_HALF_MLPS = "x~Shape(h:64,q:4,groups:(Layers(l:300,k:4,d:16,e:16)),mlps:(Mlp(l:7,i:9,gated:!t)),v:1,tied:!t)"
_HUGE_STATE = (
    "x~Shape(h:1,q:1,groups:(Recurrent(name:x,l:4096,states:(State(role:state,parts:16777216,values:1099511627776,"
    "dtype:@fp32)))),mlps:(),v:1,tied:!t)"
)


_OWN_HEADS = (
    "x~Shape(h:64,q:16,groups:(Layers(l:3,k:2,d:8,e:8,query_heads:2)),mlps:(Mlp(l:3,i:9,gated:!t)),v:1,tied:!t)"
)


@pytest.mark.parametrize("spec", [_WIDE, _MANY_HEADS, _HALF_MLPS, _HUGE_STATE, _OWN_HEADS])
def test_an_imported_shape_outside_the_ranges_of_the_controls_is_not_changed(spec):
    first = update({"fragment": f"v1&model=imported&spec={spec}"})
    values = {name: str(control["value"]) for name, control in first["controls"].items()}
    again = update({**values, "hold": first["hold"], "changed": []})
    assert first["problems"] == again["problems"] == []
    assert again["fragment"] == first["fragment"]
    assert {name: control["value"] for name, control in again["controls"].items()} == {
        name: control["value"] for name, control in first["controls"].items()
    }


def test_an_edit_that_makes_an_imported_shape_too_wide_is_refused_with_the_field():
    answer = update({"fragment": f"v1&model=imported&spec={_WIDE}&head_dim=1024"})
    assert [problem for problem in answer["problems"] if "hidden_size" in problem]
    assert answer["controls"]["head_dim"]["value"] == 1


def test_the_layers_control_is_disabled_if_only_some_layers_have_an_mlp():
    assert update({"fragment": f"v1&model=imported&spec={_HALF_MLPS}"})["controls"]["layers"]["disabled"]


def test_a_percent_encoded_link_is_read():
    fragment = imported()["fragment"]
    encoded = fragment.replace("-", "%2D").replace("_", "%5F")
    assert update({"fragment": encoded})["fragment"] == fragment
