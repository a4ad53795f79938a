"""Real config.json files, trimmed to what bears on the shape: what they must come to, and thousands of ways to spoil them."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvcore.config import read_config, shape_from_config
from kvcore.dtypes import cache_dtype
from kvcore.errors import KvcoreError, Unsupported
from kvcore.families import FAMILIES, NESTED

FP16 = cache_dtype("fp16")
CONFIGS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (Path(__file__).parent / "configs").glob("*.json")
}
READABLE = {name: config for name, config in CONFIGS.items() if config["model_type"] != "deepseek_v4"}
KNOWN = {*FAMILIES, *NESTED}
SHAPES = {name: shape_from_config(config) for name, config in READABLE.items()}


def test_there_are_twenty_three_and_each_says_where_it_is_from():
    assert len(CONFIGS) == 23
    assert all("read 2026-" in config["_source"] for config in CONFIGS.values())


@pytest.mark.parametrize(
    ("name", "per_token", "later", "state", "params"),
    # Bytes a token in 16 bits below every window, and once all are full: 2 x L x n_kv x d_h x 2, or L x 576 x 2 for MLA.
    # Parameters: published counts, or those the families' own code makes (transformers 5.24), plus correction biases.
    [
        pytest.param("qwen3-0.6b", 114_688, 114_688, 0, 596_049_920, id="qwen3-0.6b"),
        pytest.param("qwen3-8b", 147_456, 147_456, 0, 8_190_735_360, id="qwen3-8b"),
        pytest.param("qwen3-30b-a3b", 98_304, 98_304, 0, 30_532_122_624, id="qwen3-30b-a3b"),
        pytest.param("qwen3-235b-a22b", 192_512, 192_512, 0, 235_093_634_560, id="qwen3-235b-a22b"),
        pytest.param("qwen3-vl-8b-instruct", 147_456, 147_456, 0, 8_190_735_360, id="qwen3-vl-8b: its text model"),
        # 16 of 64 layers attend, 4 heads of 256; 48 x (48 x 128 x 128 x 4 + (2 x 16 + 48) x 128 x 3 x 2)
        pytest.param("qwen3.5-27b", 65_536, 65_536, 153_944_064, 26_895_998_464, id="qwen3.5-27b"),
        pytest.param("mimo-7b-base", 147_456, 147_456, 0, 7_622_619_136, id="mimo-7b"),
        pytest.param("deepseek-v3", 70_272, 70_272, 0, 671_026_419_200, id="deepseek-v3"),
        # 61 x (576 x 2 + 132); DeepSeek-V3 and 61 indexers of 1536 x 8192 + 7168 x (128 + 64) + 2 x 128
        pytest.param("deepseek-v3.2", 78_324, 78_324, 0, 671_026_419_200 + 61 * 13_959_424, id="deepseek-v3.2"),
        pytest.param("kimi-k2-instruct", 70_272, 70_272, 0, 1_026_408_232_448, id="kimi-k2"),
        pytest.param("kimi-k2.5", 70_272, 70_272, 0, 1_026_408_232_448, id="kimi-k2.5"),
        pytest.param("gemma-4-26b-a4b", 225_280, 20_480, 0, 25_233_141_760, id="gemma-4-26b-a4b"),
        pytest.param("llama-4-scout-17b-16e-instruct", 196_608, 49_152, 0, 107_769_861_120, id="llama-4-scout"),
        pytest.param("meta-llama-3.1-8b", 131_072, 131_072, 0, 8_030_261_248, id="llama-3.1-8b"),
        pytest.param("meta-llama-3.1-70b", 327_680, 327_680, 0, 70_553_706_496, id="llama-3.1-70b"),
        pytest.param("meta-llama-3.1-405b", 516_096, 516_096, 0, 405_853_388_800, id="llama-3.1-405b"),
        pytest.param("mixtral-8x7b-v0.1", 131_072, 131_072, 0, 46_702_792_704, id="mixtral-8x7b"),
        # 49 of 80 layers attend
        pytest.param("llama-3_3-nemotron-super-49b-v1", 200_704, 200_704, 0, 49_867_145_216, id="nemotron-super-49b"),
        # 8 layers attend, 2 heads of 128; 40 x (128 x 64 x 128 x 4 + (128 x 64 + 2 x 8 x 128) x 3 x 2)
        pytest.param(
            "nvidia-nemotron-3-super-120b-a12b-fp8", 8_192, 8_192, 170_229_760, 120_668_707_840, id="nemotron-3-super"
        ),
        # 10 layers attend, 8 heads of 128; 54 x (256 x 64 x 256 x 4 + (256 x 64 + 2 x 8 x 256) x 3 x 2)
        pytest.param("nemotron-h-56b-base-8k", 40_960, 40_960, 912_605_184, 56_324_350_464, id="nemotron-h-56b"),
        pytest.param("gpt-oss-20b", 49_152, 24_576, 0, 20_914_757_184, id="gpt-oss-20b"),
        pytest.param("gpt-oss-120b", 73_728, 36_864, 0, 116_829_156_672, id="gpt-oss-120b"),
    ],
)  # fmt: skip
def test_a_real_config_comes_to_its_model(name, per_token, later, state, params):
    shape = SHAPES[name]
    assert shape.bytes_per_token(FP16) == per_token
    assert shape.asymptotic_bytes_per_token(FP16) == later
    assert shape.state_bytes == state
    assert shape.params == params


def test_deepseek_v4_is_refused_by_name():
    with pytest.raises(Unsupported, match="model_type: 'deepseek_v4'"):
        shape_from_config(CONFIGS["deepseek-v4-flash"])


IRRELEVANT = {
    "_source", "torch_dtype", "dtype", "hidden_act", "hidden_activation", "mlp_hidden_act", "mamba_hidden_act",
    "rms_norm_eps", "layer_norm_epsilon", "norm_eps", "rope_theta", "partial_rotary_factor", "scoring_func", "topk_method",
    "norm_topk_prob", "routed_scaling_factor", "n_group", "topk_group", "num_experts_per_tok", "experts_per_token",
    "top_k_experts", "ep_size", "aux_loss_alpha", "seq_aux", "router_aux_loss_coef", "output_router_logits",
    "index_topk", "mtp_use_dedicated_embeddings", "expand", "chunk_size", "time_step_rank", "use_mamba_kernels", "residual_in_fp32",
    "rescale_prenorm_residual", "num_logits_to_keep", "moe_shared_expert_overlap", "swiglu_limit", "initial_context_length",
    "ignore_index", "use_unified_vision_chunk", "video_placeholder", "vision_soft_tokens_per_image", "use_mrope",
    "final_logit_softcapping", "use_qk_norm", "max_window_layers",
}  # fmt: skip
"""Fields that say nothing about a shape, in these models: rotary positions, routing, activations, numerics; the window
fields of models that do not slide."""

UNUSED = {
    # In these models the field is read by nothing: MLA has no K and V heads, experts in every layer leave no dense MLP.
    *((name, "num_key_value_heads") for name in ("deepseek-v3", "deepseek-v3.2", "kimi-k2-instruct", "kimi-k2.5")),
    *((name, "intermediate_size") for name in ("qwen3-30b-a3b", "qwen3-235b-a22b")),
    *((name, "vocab_size_per_layer_input") for name in ("gemma-4-26b-a4b",)),
    ("gemma-4-26b-a4b", "use_double_wide_mlp"),  # of layers that share another's cache, and there are none
    ("nvidia-nemotron-3-super-120b-a12b-fp8", "intermediate_size"),
    ("llama-4-scout-17b-16e-instruct", "intermediate_size_mlp"),
    *((name, "sliding_window") for name in READABLE if name.startswith(("mimo", "qwen3-"))),
    ("qwen3.5-27b", "full_attention_interval"),
    ("qwen3.5-27b", "mlp_only_layers"),  # layers without experts, in a model that has none
    # There is no window to use.
    *((name, "use_sliding_window") for name in READABLE if name.startswith("qwen3-")),
}
"""(model, field): read by the family's code in other models than this one."""


def fields_of(config):
    """Where the fields are: (name of the field's object or None, field)."""
    outer = [(None, key) for key in config if key not in {"text_config", "_source", "model_type"}]
    return outer + [("text_config", key) for key in config.get("text_config", {}) if key != "model_type"]


PLACES = [(name, *place) for name, config in sorted(READABLE.items()) for place in fields_of(config)]


def value_at(name, inside, key):
    """What the config has in this place."""
    return READABLE[name][key] if inside is None else READABLE[name][inside][key]


def spoiled(name, inside, key, value):
    """The config with this value in this place; ... leaves the field out."""
    config = copy.deepcopy(READABLE[name])
    target = config if inside is None else config[inside]
    if value is ...:
        del target[key]
    else:
        target[key] = value
    return config


def outcome(config):
    """The reading, or the error that refuses the config; any other error fails the test."""
    try:
        return read_config(config)
    except KvcoreError as error:
        refusal = error
    assert refusal.field
    assert refusal.expected
    assert str(refusal).isascii()
    return refusal


values = st.one_of(
    st.sampled_from(
        [None, ..., 0, -1, -7, 2**31, 2**70, 10**5000, "8", "", [], [8], {}, {"a": 8}, 8.5, -0.0, True, False]
    ),
    st.floats(allow_nan=True),
    st.integers(-3, 300),
    st.text(max_size=8),
)


@settings(max_examples=2000, deadline=None)
@given(st.sampled_from(PLACES), values)
def test_a_spoiled_field_gives_the_same_shape_another_one_or_a_refusal_and_never_a_silent_number(place, value):
    name, inside, key = place
    old = value_at(name, inside, key)
    result = outcome(spoiled(name, inside, key, value))
    if isinstance(result, KvcoreError):
        return
    assert result.shape.params > 0
    if key in IRRELEVANT or (name, key) in UNUSED:
        assert result.shape == SHAPES[name] or key in {"torch_dtype", "dtype"}
        return
    if value is None and key in {"max_position_embeddings", "sliding_window", "attention_chunk_size"}:
        return  # null says that there is no limit
    if value is None or value is ...:
        path = key if inside is None else f"{inside}.{key}"
        silent = {path, key} & set(result.assumed)
        assert silent or result.shape == SHAPES[name], "a default that was taken is named"
        return
    if result.shape == SHAPES[name]:
        assert value == old or value in ([], {}, "", False, 0) or (type(value) is bool and not value), (
            "a number was passed over"
        )
        return
    assert type(value) is type(old) or old is None, "a value of another type changed the shape"


COUNTS = [place for place in PLACES if place[2] in {
    "hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "num_key_value_heads", "head_dim",
    "kv_lora_rank", "qk_rope_head_dim", "ssm_state_size", "mamba_num_heads", "linear_num_value_heads", "intermediate_size",
    "moe_intermediate_size", "sliding_window", "global_head_dim", "index_head_dim", "conv_kernel", "n_groups",
} and (place[0], place[2]) not in UNUSED]  # fmt: skip


@settings(max_examples=1000, deadline=None)
@given(
    st.sampled_from(COUNTS),
    st.one_of(st.integers(max_value=0), st.integers(min_value=2**40 + 1), st.text(), st.floats(), st.booleans()),
)
def test_a_count_that_is_none_is_refused_by_the_name_of_its_field(place, value):
    name, inside, key = place
    result = outcome(spoiled(name, inside, key, value))
    assert isinstance(result, KvcoreError)
    assert key in result.field


@pytest.mark.parametrize(
    "place", [place for place in COUNTS if value_at(*place)], ids=lambda place: "/".join(filter(None, place))
)
def test_a_count_that_is_another_changes_the_shape_or_is_refused(place):
    name, inside, key = place
    config = spoiled(name, inside, key, ...)
    old = value_at(name, inside, key)
    target = config if inside is None else config[inside]
    target[key] = 2 * old
    result = outcome(config)
    assert isinstance(result, KvcoreError) or result.shape != SHAPES[name]


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(COUNTS), st.sampled_from(["x", "s", "_", "2"]))
def test_a_renamed_field_is_missed_or_its_new_name_refused_or_a_default_is_named(place, ending):
    name, inside, key = place
    config = copy.deepcopy(READABLE[name])
    target = config if inside is None else config[inside]
    target[key + ending] = target.pop(key)
    result = outcome(config)
    if not isinstance(result, KvcoreError):
        assert target[key + ending] is None or result.shape == SHAPES[name]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(READABLE)),
    st.text(max_size=12).filter(lambda kind: kind not in KNOWN) | st.integers() | st.none(),
)
def test_an_unknown_model_type_is_refused(name, kind):
    config = {**READABLE[name], "model_type": kind}
    with pytest.raises(Unsupported, match="model_type"):
        read_config(config)


@pytest.mark.parametrize("name", [name for name, config in READABLE.items() if "layer_types" in str(config)])
@pytest.mark.parametrize("kind", ["odd_attention", None, 3, ["full_attention"], ""])
def test_an_unknown_kind_of_layer_is_refused(name, kind):
    config = copy.deepcopy(READABLE[name])
    target = config if "layer_types" in config else config["text_config"]
    target["layer_types"][1] = kind
    result = outcome(config)
    assert isinstance(result, KvcoreError)
    assert "layer_types" in result.field


@pytest.mark.parametrize("letter", ["X", "m", " ", "\N{BLACK STAR}"])
def test_an_unknown_letter_of_a_pattern_is_refused(letter):
    config = copy.deepcopy(READABLE["nemotron-h-56b-base-8k"])
    config["hybrid_override_pattern"] = letter + config["hybrid_override_pattern"][1:]
    with pytest.raises(Unsupported, match="hybrid_override_pattern"):
        read_config(config)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param(("attention", "n_heads_in_group"), 7, id="heads that do not divide"),
        pytest.param(("attention", "n_heads_in_group"), None, id="heads left out"),
        pytest.param(("attention", "window_length"), 4096, id="a window"),
        pytest.param(("attention", "replace_with_linear"), True, id="a matrix in place of attention"),
        pytest.param(("attention", "new_kind_of_head"), 1, id="a field nobody knows"),
        pytest.param(("ffn", "ffn_mult"), float("nan"), id="a width that is no number"),
        pytest.param(("ffn", "ffn_mult"), "5.25", id="a width in words"),
        pytest.param(("ffn", "sparsify"), ["2:4"], id="a sparse MLP"),
    ],
)
def test_a_block_of_a_searched_model_that_has_no_formula_is_refused_by_its_place(path, value):
    config = copy.deepcopy(READABLE["llama-3_3-nemotron-super-49b-v1"])
    half, key = path
    config["block_configs"][3][half][key] = value
    with pytest.raises(KvcoreError, match=rf"block_configs\[3\]\.{half}\.{key}"):
        read_config(config)
