"""Configs of models that see and hear: the text model inside decides; and how layers of mixed kinds are grouped."""

import pytest

from kvcore.config import read_config, shape_from_config
from kvcore.dtypes import cache_dtype
from kvcore.errors import Invalid, KvcoreError, Unsupported

FP16 = cache_dtype("fp16")
SMALL = {
    "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 6,
    "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 512,
}  # fmt: skip
QWEN_VL = {
    "model_type": "qwen3_vl",
    "text_config": {**SMALL, "model_type": "qwen3_vl_text"},
    "vision_config": {"depth": 3},
}


def test_a_nested_text_model_is_read_alone():
    reading = read_config({**QWEN_VL, "tie_word_embeddings": True})
    assert reading.model_type == "qwen3_vl_text"
    assert reading.shape == shape_from_config({**SMALL, "model_type": "qwen3", "tie_word_embeddings": True})


@pytest.mark.parametrize(
    ("outer", "inner", "tied"),
    [
        pytest.param(True, None, True, id="outside"),
        pytest.param(None, False, False, id="inside, as the outer class would have it"),
        pytest.param(False, False, False, id="both, alike"),
        pytest.param(None, None, False, id="neither: the family's default"),
    ],
)
def test_tied_embeddings_may_stand_inside_or_outside(outer, inner, tied):
    config = {**QWEN_VL, "text_config": {**QWEN_VL["text_config"]}}
    if outer is not None:
        config["tie_word_embeddings"] = outer
    if inner is not None:
        config["text_config"]["tie_word_embeddings"] = inner
    assert shape_from_config(config).tied is tied


def test_tied_embeddings_that_contradict_are_refused():
    text = {**QWEN_VL["text_config"], "tie_word_embeddings": True}
    with pytest.raises(Invalid, match="tie_word_embeddings"):
        shape_from_config({**QWEN_VL, "text_config": text, "tie_word_embeddings": False})


@pytest.mark.parametrize(
    ("kind", "text", "inside"),
    [
        pytest.param("qwen3_vl", "qwen3_vl_text", True, id="qwen3_vl: false outside unless said"),
        pytest.param("llava_next", "llama", True, id="llava_next: false outside unless said"),
        pytest.param("mistral3", "mistral", False, id="mistral3: true outside unless said"),
        pytest.param("gemma3", "gemma3_text", False, id="gemma3: true outside unless said"),
    ],
)
def test_tied_embeddings_said_inside_alone_are_refused_where_transformers_would_not_read_them(kind, text, inside):
    config = {"model_type": kind, "text_config": {**SMALL, "model_type": text, "tie_word_embeddings": inside}}
    with pytest.raises(Invalid) as caught:
        shape_from_config(config)
    assert caught.value.field == "tie_word_embeddings"


@pytest.mark.parametrize(
    ("kind", "text", "inside", "tied"),
    [
        pytest.param("llava", "llama", True, True, id="llava takes true from inside"),
        pytest.param("qwen2_5_vl", "qwen2_5_vl_text", True, True, id="qwen2_5_vl takes true from inside"),
        pytest.param("gemma3", "gemma3_text", True, True, id="gemma3: true in both places"),
    ],
)
def test_tied_embeddings_said_inside_alone_count_where_transformers_reads_them(kind, text, inside, tied):
    config = {"model_type": kind, "text_config": {**SMALL, "model_type": text, "tie_word_embeddings": inside}}
    assert shape_from_config(config).tied is tied


def test_a_mistral_small_that_says_nothing_of_tied_embeddings_has_an_output_layer_and_that_is_assumed():
    """Mistral Small 3.1 and 3.2 publish an output layer, and their configs do not have the field."""
    reading = read_config(
        {"model_type": "mistral3", "text_config": {**SMALL, "model_type": "mistral", "sliding_window": None}}
    )
    assert reading.shape.tied is False
    assert reading.assumed["text_config.tie_word_embeddings"] is False


def test_a_qwen3_vl_moe_is_not_tied_unless_it_says_so_and_its_text_model_alone_is():
    """Qwen3VLMoeConfig takes false, Qwen3VLMoeTextConfig true (transformers 5.24)."""
    text = {**SMALL, "model_type": "qwen3_vl_moe_text", "num_experts": 2, "moe_intermediate_size": 8}
    assert shape_from_config({"model_type": "qwen3_vl_moe", "text_config": text}).tied is False
    assert shape_from_config(text).tied is True


def test_llama_4_with_tied_embeddings_outside_is_refused_as_its_class_ties_nothing():
    text = {**SMALL, "model_type": "llama4_text", "head_dim": 16, "num_local_experts": 2}
    with pytest.raises(Unsupported, match="tie_word_embeddings"):
        shape_from_config({"model_type": "llama4", "text_config": text, "tie_word_embeddings": True})


@pytest.mark.parametrize(
    ("outside", "refused"),
    [
        pytest.param({"num_hidden_layers": 2}, "num_hidden_layers", id="another number of layers"),
        pytest.param({"num_hidden_layers": 6}, None, id="the same number of layers"),
        pytest.param({"sliding_window": 4096}, "sliding_window", id="a window that is not inside"),
        pytest.param({"sliding_window": 4096, "use_sliding_window": False}, None, id="a window that is not used"),
        pytest.param({"num_kv_shared_layers": 3}, "num_kv_shared_layers", id="layers that share"),
        pytest.param({"pruned_heads": {"0": [1]}}, "pruned_heads", id="heads cut out"),
        pytest.param({"image_seq_length": 576, "projector_hidden_size": 64}, None, id="fields of the image encoder"),
        pytest.param({"initializer_range": 0.02, "use_cache": True}, None, id="harmless fields"),
    ],
)
def test_sizes_of_layers_beside_the_text_model_must_be_those_inside(outside, refused):
    config = {**QWEN_VL, **outside}
    if refused is None:
        assert shape_from_config(config) == shape_from_config(QWEN_VL)
        return
    with pytest.raises(KvcoreError) as caught:
        shape_from_config(config)
    assert caught.value.field == refused


def test_paligemma_keeps_the_defaults_of_its_class_outside_and_no_code_reads_them():
    text = {**SMALL, "model_type": "gemma2", "head_dim": 16}
    config = {"model_type": "paligemma", "text_config": text, "hidden_size": 2048, "vocab_size": 257_152}
    assert shape_from_config(config).vocab_size == 100


@pytest.mark.parametrize(
    ("config", "field"),
    [
        pytest.param({"model_type": "qwen3_vl"}, "text_config", id="no text model"),
        pytest.param({"model_type": "qwen3_vl", "text_config": []}, "text_config", id="a list"),
        pytest.param(
            {"model_type": "qwen3_vl", "text_config": {**SMALL, "model_type": "llama"}}, "text_config.model_type",
            id="another family's text model",
        ),
        pytest.param({"model_type": "llava", "text_config": SMALL}, "text_config.model_type", id="one of several, unsaid"),
        pytest.param(
            {"model_type": "gemma3", "text_config": {**SMALL, "num_hidden_layers": 0}}, "text_config.num_hidden_layers",
            id="a number inside",
        ),
        pytest.param(
            {"model_type": "qwen3_vl", "text_config": {**SMALL, "kv_lora_rank": 8, "model_type": "qwen3_vl_text"}},
            "text_config.kv_lora_rank", id="a field inside that nobody reads",
        ),
    ],
)  # fmt: skip
def test_a_nested_config_that_cannot_be_read_is_refused_by_path(config, field):
    with pytest.raises(KvcoreError) as caught:
        shape_from_config(config)
    assert caught.value.field == field


def test_the_older_flat_config_of_qwen2_vl_is_read_too():
    assert shape_from_config({**SMALL, "model_type": "qwen2_vl"}) == shape_from_config({**SMALL, "model_type": "qwen2"})


def test_a_nested_gemma_3_may_leave_out_what_its_code_knows():
    text = {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}
    reading = read_config({"model_type": "gemma3", "text_config": {**text, "model_type": "gemma3_text"}})
    assert reading.shape.params == 3_880_263_168  # Gemma 3 4B, its text model
    assert reading.assumed["text_config.num_attention_heads"] == 8
    assert reading.assumed["text_config.vocab_size"] == 262_208


MLA = {
    **SMALL, "kv_lora_rank": 32, "q_lora_rank": 24, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 12,
    "moe_intermediate_size": 24, "n_routed_experts": 4, "n_shared_experts": 1,
}  # fmt: skip
INDEX = {"index_n_heads": 2, "index_head_dim": 128, "index_topk": 4}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(
            {**SMALL, "model_type": "llama4_text", "head_dim": 16, "num_local_experts": 2, "attention_chunk_size": 32},
            [("chunked", 5, 32), ("full", 1, None)],
            id="llama 4: every fourth layer sees everything",
        ),
        pytest.param(
            {**SMALL, "model_type": "llama4_text", "head_dim": 16, "num_local_experts": 2, "no_rope_layers": [1, 0] * 3},
            [("chunked", 3, 8192), ("full", 3, None)],
            id="llama 4: as no_rope_layers says",
        ),
        pytest.param({**SMALL, "model_type": "cohere2"}, [("sliding", 5, 4096), ("full", 1, None)], id="cohere 2"),
        pytest.param(
            {**SMALL, "model_type": "exaone4", "sliding_window_pattern": "LLG", "sliding_window": 9},
            [("sliding", 4, 9), ("full", 2, None)],
            id="exaone 4: a word of L and G",
        ),
        pytest.param(
            {**SMALL, "model_type": "exaone4", "sliding_window_pattern": None, "sliding_window": None},
            [("full", 6, None)],
            id="exaone 4 without a pattern",
        ),
        pytest.param(
            {**SMALL, "model_type": "gpt_oss", "num_local_experts": 2}, [("sliding", 3, 128), ("full", 3, None)], id="gpt-oss"
        ),
        pytest.param(
            {**SMALL, "model_type": "gemma3n_text", "num_hidden_layers": 10, "num_kv_shared_layers": 5, "sliding_window": 9},
            [("sliding", 4, 9), ("full", 1, None), ("shared", 5, 0)],
            id="gemma 3n: the last layers share",
        ),
        pytest.param({**MLA, "model_type": "deepseek_v3"}, [("latent", 6, None)], id="deepseek v3"),
        pytest.param(
            {**MLA, **INDEX, "model_type": "glm_moe_dsa", "indexer_types": ["full", "shared", "shared"] * 2},
            [("latent", 2, None), ("latent", 4, None)],
            id="glm 5.2: some layers share an indexer",
        ),
        pytest.param(
            {**SMALL, "model_type": "jamba", "num_experts": 2}, [("full", 1, None), ("recurrent", 5, 0)], id="jamba"
        ),
        pytest.param(
            {**SMALL, "model_type": "falcon_h1", "mamba_n_heads": 16, "mamba_d_head": 8, "mamba_d_state": 4, "mamba_d_ssm": 128},
            [("full", 6, None), ("recurrent", 6, 0)],
            id="falcon h1: side by side",
        ),
        pytest.param(
            {**SMALL, "model_type": "lfm2", "full_attn_idxs": [1, 4]}, [("full", 2, None), ("recurrent", 4, 0)], id="lfm2"
        ),
        pytest.param(
            {
                **SMALL, "model_type": "nemotron_h", "hybrid_override_pattern": "MM*--M", "mamba_num_heads": 4,
                "mamba_head_dim": 8, "ssm_state_size": 4, "n_groups": 1,
            },
            [("full", 1, None), ("recurrent", 3, 0), ("none", 2, 0)],
            id="nemotron-h: a letter a layer",
        ),
    ],
)  # fmt: skip
def test_layers_of_mixed_kinds_are_grouped(config, expected):
    shape = shape_from_config(config)
    assert [(group.kind, group.layers, group.max_cached_tokens) for group in shape.groups] == expected
    assert shape.layers == config["num_hidden_layers"]


def test_an_indexer_that_is_shared_keeps_no_keys():
    shape = shape_from_config({**MLA, **INDEX, "model_type": "glm_moe_dsa", "indexer_types": ["full", "shared"] * 3})
    assert shape.bytes_per_token(FP16) == 6 * (32 + 8) * 2 + 3 * 132


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        pytest.param({}, 4, id="fp32 unless said"),
        pytest.param({"mamba_ssm_dtype": "bfloat16"}, 2, id="as the config says"),
        pytest.param({"mamba_ssm_dtype": "float32"}, 4, id="fp32"),
    ],
)
def test_the_type_of_a_state_is_the_config_s(dtype, expected):
    config = {
        **SMALL, "model_type": "qwen3_next", "num_experts": 2, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
        "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 1, **dtype,
    }  # fmt: skip
    assert shape_from_config(config).state_bytes == 5 * 4 * 8 * 8 * expected


def test_a_type_of_state_there_is_not_is_refused():
    config = {**SMALL, "model_type": "jamba", "torch_dtype": "int3"}
    with pytest.raises(Unsupported, match="torch_dtype: 'int3'"):
        shape_from_config(config)


def test_mamba_in_fp32_is_what_llama_cpp_prints():
    config = {
        "model_type": "mamba", "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 16, "conv_kernel": 4,
        "vocab_size": 50280, "torch_dtype": "float32",
    }  # fmt: skip
    shape = shape_from_config(config)
    assert shape.state_bytes == 24_903_680 == 23.75 * 2**20  # mamba-2.8b: 23.75 MiB
    assert (shape.query_heads, shape.attention, shape.kv_heads, shape.context_limit) == (0, "recurrent", None, None)
