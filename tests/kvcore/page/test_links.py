"""Links: what they contain, the meaning of old ones, and how a model that came with one is marked."""

import base64
import binascii
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.catalog import MODELS
from kvcore.config import read_config
from kvcore.errors import KvcoreError
from kvcore.page import answer, update
from kvcore.page.controls import Number
from kvcore.page.html import escape
from kvcore.page.lab import words
from kvcore.page.lab.controls import SHAPE
from kvcore.page.lab.packed import LONGEST_NAME, MOST_CHARACTERS, clean_name, pack, unpack
from kvcore.page.pages import ARTICLE
from kvcore.page.parts import Form, Group, Page, Part
from kvcore.page.verdict.controls import AVERAGE, GPUS
from tests.kvcore.page.reading import value

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.json"))
OLD_LINKS = json.loads((Path(__file__).parent / "old_links.json").read_text("utf-8"))
"""Links that the page wrote at commit 21c7c91, with the numbers and the changed controls that it showed for them."""


RENAMED = {"split.max_batch": "lab.max_batch", "split.max_context": "lab.max_context", "split.fits": "split.free"}
"""Slots of 21c7c91 whose numbers the Lab's verdict shows today."""

BY_MEMORY = {"lab.gpus", "lab.max_batch"}
"""Slots that counted GPUs by their memory alone then, and count those of the verdict today."""


@pytest.mark.parametrize("old", OLD_LINKS, ids=lambda old: old["link"][:60])
def test_an_old_link_keeps_its_meaning(old):
    found = update({"fragment": old["link"]})
    assert found["problems"] == []
    numbers = {name: value(found["slots"][RENAMED.get(name, name)]) for name in old["slots"] if name not in BY_MEMORY}
    assert numbers == {name: number for name, number in old["slots"].items() if name not in BY_MEMORY}
    assert {name: found["controls"][name]["value"] for name in old["controls"]} == old["controls"]


def test_a_link_that_leaves_out_a_long_quantization_keeps_the_size_of_the_recurrent_state():
    """Mamba 130M kept in 32 bits: 24 layers of 1,536 channels, each with 16 values of state and 3 inputs of the convolution."""
    config = {
        "model_type": "mamba", "hidden_size": 768, "num_hidden_layers": 24, "state_size": 16, "conv_kernel": 4, "expand": 2,
        "intermediate_size": 1536, "time_step_rank": 48, "vocab_size": 50280, "torch_dtype": "float32",
        "quantization_config": {"modules": [f"layers.{layer}.{layer * 7919}" for layer in range(2000)]},
    }  # fmt: skip
    text = pack("Mamba", config)
    assert len(text) <= MOST_CHARACTERS
    assert unpack(text)[1].state_bytes == 24 * 1536 * (16 + 3) * 4


def test_a_link_says_what_it_set_until_a_control_of_the_lab_moves():
    first = update({"fragment": "#v2&model=qwen3-32b&context=32768&batch=40"})
    assert "This link set Qwen3 32B, 32,768 tokens, 40 users." in first["slots"]["page.linked"]
    assert 'href="#v2"' in first["slots"]["page.linked"]
    values = {name: str(state["value"]) for name, state in first["controls"].items()}
    moved = update({**values, "batch": "41", "changed": ["batch"], "hold": first["hold"]})
    assert moved["slots"]["page.linked"] == ""
    assert update({"fragment": "#v2"})["slots"]["page.linked"] == ""
    assert update({"model": "qwen3-32b"})["slots"]["page.linked"] == ""


def test_the_newest_version_alone_names_the_defaults():
    found = update({"fragment": "#v2"})
    assert {name: state["value"] for name, state in found["controls"].items()} == {
        name: state["value"] for name, state in update({})["controls"].items()
    }


def test_the_newest_version_of_links_has_the_defaults_of_the_page():
    """If this fails because a default changed: add a new version to Page.link_defaults, and keep the old one."""
    newest = tuple(ARTICLE.link_defaults.values())[-1]
    follow = {GPUS.name, AVERAGE.name, *(control.name for control in SHAPE)}  # from the other values
    assert newest == {name: control.default for name, control in ARTICLE.controls.items() if name not in follow}


def _page_whose_default_changed():
    batch = Number(name="batch", label="Batch", default=16, low=1, high=512, stops=(1, 8, 16))
    form = Form(name="lab", label="Lab")
    part = Part(
        name="lab", form=form, groups=(Group(name="load", label="Load", controls=(batch,)),), result=lambda _: None
    )
    return Page(name="later", parts=(part,), link_defaults={"v1": {"batch": 8}, "v2": {"batch": 16}})


@pytest.mark.parametrize(
    ("link", "batch", "rewritten"),
    [
        pytest.param("v1", 8, "v2&batch=8", id="an old link keeps the old default"),
        pytest.param("v1&batch=16", 16, "v2", id="and may name the new one"),
        pytest.param("v2", 16, "v2", id="a new link has the new default"),
        pytest.param("v2&batch=8", 8, "v2&batch=8", id="and names the old one"),
    ],
)
def test_an_old_link_keeps_its_meaning_when_a_default_changes(link, batch, rewritten):
    found = answer(_page_whose_default_changed(), {"fragment": link})
    assert (found["controls"]["batch"]["value"], found["fragment"], found["problems"]) == (batch, rewritten, [])


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_real_config_has_the_same_shape_after_packing_and_unpacking(path):
    config = json.loads(path.read_text("utf-8"))
    try:
        shape = read_config(config).shape
    except KvcoreError:
        with pytest.raises(KvcoreError):
            pack(path.stem, config)
        return
    packed = pack("A Name", config)
    assert unpack(packed)[:2] == ("A Name", shape)
    assert len(packed) < 700
    assert packed.isascii()


@pytest.mark.parametrize("model", MODELS)
def test_every_model_of_the_catalog_fits_into_a_link(model):
    packed = pack(model, MODELS[model].config)
    assert unpack(packed) == (clean_name(model), MODELS[model].shape, MODELS[model].weights)
    assert len(packed) < 700


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        pytest.param("Llama-3.1 8B", "Llama-3.1 8B", id="as it is"),
        pytest.param("org/model_v2", "org model v2", id="slashes and underscores"),
        pytest.param("a\"b'c=d;e", "a b c d e", id="quotes, equals signs, semicolons"),
        pytest.param("caf\u00e9 \u6a21\u578b", "caf", id="letters of other scripts"),
        pytest.param("  <b>x</b>\n", "b x b", id="markup and white space"),
        pytest.param("...", "", id="dots alone"),
        pytest.param("x" * 100, "x" * 60, id="long"),
    ],
)
def test_a_name_in_a_link_keeps_letters_digits_dots_and_hyphens(name, cleaned):
    assert clean_name(name) == cleaned


LLAMA = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
    "num_hidden_layers": 2, "num_key_value_heads": 2, "vocab_size": 256, "max_position_embeddings": 2048,
}  # fmt: skip


def _packed(found, *, level=9):
    data = zlib.compress(json.dumps(found).encode(), level)
    return binascii.b2a_base64(data, newline=False).rstrip(b"=").translate(bytes.maketrans(b"+/", b"-_")).decode()


def test_packing_drops_fields_that_the_shape_does_not_need_and_keeps_the_storage_of_weights():
    stored = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    packed = pack("x", {**LLAMA, "bos_token_id": 1, "initializer_range": 0.02, "quantization_config": stored})
    data = zlib.decompress(binascii.a2b_base64(packed.translate(str.maketrans("-_", "+/")) + "=="))
    _, fields = json.loads(data)
    assert fields == {**LLAMA, "quantization_config": stored}


def test_packing_drops_the_storage_of_weights_if_the_text_would_be_too_long():
    layers = {f"layer{index}": {"bits": index * 7919 % 16, "group": index * 104_729 % 997} for index in range(5000)}
    packed = pack("x", {**LLAMA, "quantization_config": {"layers": layers}})
    assert len(packed) < 400
    assert unpack(packed)[1] == read_config(LLAMA).shape


def packed_fields(text):
    """The fields of the config in a packed text."""
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))))[1]


def test_packing_keeps_how_weights_are_stored_without_the_list_of_single_matrices():
    """A published config of 3.1 million characters has nearly all of them in quantized_layers."""
    layers = {f"layers.{index}.up": {"quant_algo": "NVFP4", "group_size": index % 997} for index in range(50_000)}
    stored = {"quant_method": "modelopt", "quant_algo": "NVFP4", "quantized_layers": layers}
    packed = pack("x", {**LLAMA, "quantization_config": stored})
    assert len(packed) < 400
    assert packed_fields(packed)["quantization_config"] == {
        "quant_method": "modelopt",
        "quant_algo": "NVFP4",
        "kvcore_left_out": ["quantized_layers"],
    }
    assert "left out which modules" in unpack(packed)[2].note


def test_packing_reduces_what_compresses_well_and_unpacks_to_too_much():
    stored = {"quant_method": "fp8", "ignore": ["lm_head"] * 100_000}
    packed = pack("x", {**LLAMA, "quantization_config": stored})
    assert packed_fields(packed)["quantization_config"] == {"quant_method": "fp8", "kvcore_left_out": ["ignore"]}
    assert "left out which modules" in unpack(packed)[2].note


def test_packing_reduces_what_stands_in_the_text_model_too():
    stored = {"quant_method": "fp8", "ignore": [f"layers.{index * 7919}" for index in range(20_000)]}
    text = {**LLAMA, "quantization_config": stored}
    packed = pack("x", {"model_type": "llava", "text_config": text})
    assert packed_fields(packed)["text_config"]["quantization_config"] == {
        "quant_method": "fp8",
        "kvcore_left_out": ["ignore"],
    }


@pytest.mark.parametrize(
    ("text", "field"),
    [
        pytest.param("%3Cb%3E", "config", id="markup"),
        pytest.param("abc", "config", id="no zlib"),
        pytest.param("a" * (MOST_CHARACTERS + 1), "config", id="too long"),
        pytest.param(_packed(["x", {"a": "b" * 300_000}]), "config", id="too large when unpacked"),
        pytest.param(_packed(["x", LLAMA])[:-6], "config", id="cut short"),
        pytest.param(_packed({"x": LLAMA}), "config", id="an object"),
        pytest.param(_packed(["", LLAMA]), "config", id="no name"),
        pytest.param(_packed(["<b>", LLAMA]), "config", id="a name with markup"),
        pytest.param(_packed(["x" * (LONGEST_NAME + 1), LLAMA]), "config", id="a long name"),
        pytest.param(_packed(["x", LLAMA, 1]), "config", id="more than two things"),
        pytest.param(_packed(["x", {**LLAMA, "num_hidden_layers": -1}]), "num_hidden_layers", id="negative layers"),
        pytest.param(_packed(["x", {"model_type": "whale"}]), "model_type", id="an unknown architecture"),
        pytest.param(_packed(["x", [[[1]]]]), "config", id="a list for a config"),
    ],
)
def test_text_that_is_not_a_packed_config_is_refused_with_the_field(text, field):
    with pytest.raises(KvcoreError) as caught:
        unpack(text)
    assert caught.value.field == field
    found = update({"fragment": f"v1&model=imported&config={text}"})
    assert found["controls"]["model"]["value"] == "llama-3.1-70b"
    assert found["problems"]
    assert "<b>" not in json.dumps(found["slots"])


@given(st.data())
def test_a_packed_text_with_one_character_changed_is_read_or_refused(data):
    packed = pack("x", LLAMA)
    at = data.draw(st.integers(0, len(packed) - 1))
    changed = packed[:at] + data.draw(st.characters(codec="ascii")) + packed[at + 1 :]
    try:
        _, shape, _ = unpack(changed)
    except KvcoreError:
        return
    assert shape.params > 0


def _note(found):
    return found["slots"]["lab.model_note"]


def test_the_note_says_that_a_model_came_with_the_link_until_the_reader_imports_one():
    given = update({"config_text": json.dumps(LLAMA), "config_name": "tiny"})
    assert words.GIVEN in _note(given)
    there = update({"fragment": given["fragment"]})
    assert words.CAME_WITH_LINK in _note(there)
    values = {name: str(control["value"]) for name, control in there["controls"].items()}
    later = update({**values, "batch": "16", "changed": ["batch"], "hold": there["hold"]})
    assert words.CAME_WITH_LINK in _note({"slots": {**there["slots"], **later["slots"]}})
    own = update({**values, "config_text": json.dumps({**LLAMA, "vocab_size": 512}), "hold": later["hold"]})
    assert words.GIVEN in _note(own)


def test_a_catalog_models_name_that_a_link_gave_to_another_shape_is_marked_everywhere():
    tiny = update({"config_text": json.dumps(LLAMA), "config_name": "Llama-3.1 70B"})
    found = update({"fragment": tiny["fragment"]})
    marked = escape(words.named_by_link("Llama-3.1 70B"))
    assert marked != "Llama-3.1 70B"
    for slot in ("lab.model_name", "lab.model_note", "lab.context_note", "lab.chart", "paging.used"):
        assert found["slots"][slot].count("Llama-3.1 70B") == found["slots"][slot].count(marked) > 0
    plain = update({"fragment": update({"config_text": json.dumps(LLAMA), "config_name": "Mine"})["fragment"]})
    assert escape(words.named_by_link("Mine")) not in "".join(plain["slots"].values())


def test_an_old_link_with_a_shape_is_rewritten_as_a_new_link_with_the_same_meaning():
    old = "My+7B~Shape(h:4096,q:32,groups:(Layers(l:32,k:32,d:128,e:128)),mlps:(Mlp(l:32,i:11008,gated:!t)),v:32000,tied:!f)"
    found = update({"fragment": f"v1&model=imported&spec={old}&batch=3"})
    assert value(found["slots"]["lab.params"]) == "6738415616"
    assert "spec=" not in found["fragment"]
    again = update({"fragment": found["fragment"]})
    assert again["slots"] == found["slots"]
