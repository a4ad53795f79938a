"""Which names of fields are suspicious, and that what is called harmless has a reason and changes nothing."""

import pytest

from kvcore.config import shape_from_config
from kvcore.errors import Unsupported
from kvcore.fields import speaks_of_shape
from kvcore.harmless import HARMLESS, HARMLESS_AT

LLAMA = {
    "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 128,
    "vocab_size": 100, "max_position_embeddings": 512,
}  # fmt: skip


@pytest.mark.parametrize(
    "field",
    [
        "attention_type", "attn_layers", "query_groups", "local_attention", "use_cla", "use_mla", "cache_config", "kv_sharing",
        "share_layers", "sliding", "global_layers", "swa_layers", "multi_query", "mtp_depth", "recurrence", "attention_sinks",
        "num_blocks", "n_streams", "depth_multiplier", "gated_attention", "encoder_layers", "layer_reuse",
    ],
)  # fmt: skip
def test_a_name_about_attention_heads_layers_windows_sharing_or_caching_is_refused_unless_read(field):
    assert speaks_of_shape(field)
    with pytest.raises(Unsupported) as caught:
        shape_from_config({**LLAMA, field: 2})
    assert caught.value.field == field


@pytest.mark.parametrize(
    "field",
    ["rope_theta", "hidden_act", "class_weights", "eos_token_id", "temperature", "torchscript", "_source", "top_k"],
)
def test_a_name_about_anything_else_is_passed_over(field):
    assert not speaks_of_shape(field)
    assert shape_from_config({**LLAMA, field: 2}) == shape_from_config(LLAMA)


@pytest.mark.parametrize("field", sorted(HARMLESS))
def test_a_harmless_field_has_a_reason_and_changes_nothing(field):
    assert len(HARMLESS[field]) > 20
    assert shape_from_config({**LLAMA, field: {"any": [1]}}) == shape_from_config(LLAMA)


@pytest.mark.parametrize("field", sorted(HARMLESS_AT))
def test_a_field_that_is_harmless_at_some_values_is_refused_at_others(field):
    for value in HARMLESS_AT[field]:
        assert shape_from_config({**LLAMA, field: value}) == shape_from_config(LLAMA)
    with pytest.raises(Unsupported) as caught:
        shape_from_config({**LLAMA, field: "another"})
    assert caught.value.field == field


def test_every_harmless_field_would_be_refused_were_it_not_listed():
    """A row that no name needs says nothing: it can go."""
    assert [field for field in HARMLESS if not speaks_of_shape(field)] == []
