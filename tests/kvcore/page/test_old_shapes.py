"""The shapes in old links: valid ones are still read, any other text is refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.errors import KvcoreError
from kvcore.page.lab.packed import pack_v1, unpack
from kvcore.page.lab.v1_shapes import MOST_CHARACTERS

LLAMA_2_7B = (
    "Llama-2+7B~Shape(h:4096,q:32,groups:(Layers(l:32,k:32,d:128,e:128)),"
    "mlps:(Mlp(l:32,i:11008,gated:!t)),v:32000,tied:!f,c:4096)"
)


def test_the_name_and_the_shape_of_an_old_link_are_read():
    name, shape, _ = unpack(pack_v1(LLAMA_2_7B))
    assert (name, shape.params, shape.kv_heads, shape.context_limit) == ("Llama-2 7B", 6_738_415_616, 32, 4096)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        pytest.param("", "spec", id="nothing"),
        pytest.param("name", "spec", id="no shape"),
        pytest.param("~Shape()", "spec", id="no name"),
        pytest.param("a~Mlp(l:1,i:1,gated:!t)", "spec", id="a part that is not a shape"),
        pytest.param("a~Shape(h:1", "spec", id="cut short"),
        pytest.param("a~Shape(h:1))", "spec", id="a bracket too many"),
        pytest.param("a~Shape(h:1,h:2)", "spec", id="a field twice"),
        pytest.param("a~Shape(colour:1)", "spec", id="an unknown field"),
        pytest.param("a~Shape(h:1)", "spec", id="fields missing"),
        pytest.param("a~Code(x:1)", "spec", id="an unknown part"),
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
def test_text_that_is_not_a_shape_is_refused_with_the_field(text, field):
    with pytest.raises(KvcoreError) as caught:
        pack_v1(text)
    assert caught.value.field == field


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    with suppress(KvcoreError):  # a refusal is a KvcoreError and nothing else
        name, _, _ = unpack(pack_v1(f"a~{text}"))
        assert name == "a"


@given(st.data())
def test_a_shape_with_one_character_changed_is_valid_or_refused(data):
    at = data.draw(st.integers(0, len(LLAMA_2_7B) - 1))
    changed = LLAMA_2_7B[:at] + data.draw(st.characters(codec="ascii")) + LLAMA_2_7B[at + 1 :]
    try:
        _, shape, _ = unpack(pack_v1(changed))
    except KvcoreError:
        return
    assert shape.params > 0
