from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.catalog import MODELS
from kvcore.errors import KvcoreError
from kvcore.spec import MOST_CHARACTERS, clean_name, read_spec, spell_spec

LLAMA_2_7B = (
    "Llama-2+7B~Shape(h:4096,q:32,groups:(Layers(l:32,k:32,d:128,e:128)),"
    "mlps:(Mlp(l:32,i:11008,gated:!t)),v:32000,tied:!f,c:4096)"
)


def test_a_shape_is_spelled_by_what_differs_from_the_defaults():
    assert spell_spec("Llama-2 7B", MODELS["llama-2-7b"].shape) == LLAMA_2_7B


@pytest.mark.parametrize("model", MODELS)
def test_every_shape_of_the_catalogue_comes_back_as_it_was(model):
    text = spell_spec(MODELS[model].name, MODELS[model].shape)
    assert read_spec(text) == (clean_name(MODELS[model].name), MODELS[model].shape)
    assert len(text) < 1000
    assert not set(text) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*+,;:@/?")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        pytest.param("", "spec", id="nothing"),
        pytest.param("name", "spec", id="no shape"),
        pytest.param("~Shape()", "spec", id="no name"),
        pytest.param("a~Mlp(l:1,i:1,gated:!t)", "spec", id="a part that is no shape"),
        pytest.param("a~Shape(h:1", "spec", id="cut short"),
        pytest.param("a~Shape(h:1))", "spec", id="a bracket too many"),
        pytest.param("a~Shape(h:1,h:2)", "spec", id="a field twice"),
        pytest.param("a~Shape(colour:1)", "spec", id="a field there is not"),
        pytest.param("a~Shape(h:1)", "spec", id="fields missing"),
        pytest.param("a~Code(x:1)", "spec", id="a part there is not"),
        pytest.param("a~<script>", "spec", id="markup"),
        pytest.param("a~" + "(" * 100, "spec", id="deep"),
        pytest.param("a~" + "9" * MOST_CHARACTERS, "spec", id="long"),
        pytest.param(LLAMA_2_7B.replace("l:32,k", "l:-1,k"), "layers", id="negative layers"),
        pytest.param(LLAMA_2_7B.replace("k:32", "k:5"), "kv_heads", id="KV heads that do not divide"),
        pytest.param(LLAMA_2_7B.replace("h:4096", "h:!t"), "hidden_size", id="a word for a number"),
        pytest.param(LLAMA_2_7B.replace("(Mlp(", "(7,Mlp("), "spec", id="a number for a part"),
        pytest.param(LLAMA_2_7B.replace("Layers(l:32", "Layers(kind:Odd,l:32"), "kind", id="an unknown kind"),
        pytest.param(LLAMA_2_7B.replace("gated:!t", "gated:3"), "spec", id="a number for a yes or no"),
        pytest.param(LLAMA_2_7B.replace("(Layers(", "(Mlp(i:1,gated:!t,l:1),Layers("), "spec", id="an MLP for a group"),
        pytest.param(
            LLAMA_2_7B.replace("Mlp(l:32,i:11008,gated:!t)", "Layers(l:32,k:1,d:1,e:1)"),
            "spec",
            id="a group for an MLP",
        ),
        pytest.param("a~Recurrent(name:x,l:1,states:(5))", "spec", id="a number for a state"),
        pytest.param("a~State(role:state,parts:1,values:1,dtype:5)", "spec", id="a number for a type"),
        pytest.param(
            LLAMA_2_7B.replace("l:32,k", "extra_params:-99999999,l:32,k"), "extra_params", id="less than no weights"
        ),
        pytest.param(LLAMA_2_7B.replace("Llama-2+7B~", "...~"), "spec", id="a name of dots"),
    ],
)
def test_a_text_that_spells_no_shape_is_refused_by_name(text, field):
    with pytest.raises(KvcoreError) as caught:
        read_spec(text)
    assert caught.value.field == field


@given(st.text(max_size=200))
def test_no_text_does_anything_but_read_or_refuse(text):
    with suppress(KvcoreError):  # a refusal is a KvcoreError and nothing else
        name, _ = read_spec(f"a~{text}")
        assert name == "a"


@given(st.data())
def test_no_change_of_a_character_gives_a_shape_that_cannot_be(data):
    at = data.draw(st.integers(0, len(LLAMA_2_7B) - 1))
    changed = LLAMA_2_7B[:at] + data.draw(st.characters(codec="ascii")) + LLAMA_2_7B[at + 1 :]
    try:
        _, shape = read_spec(changed)
    except KvcoreError:
        return
    assert shape.params > 0
    assert spell_spec("a", shape).startswith("a~Shape(")
