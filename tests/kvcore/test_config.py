import copy
import json

import pytest

from kvcore.config import parse_config, read_config, shape_from_config
from kvcore.errors import Invalid, KvcoreError, OutOfRange, Unsupported
from kvcore.families import FAMILIES

LLAMA = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 128000,
    "eos_token_id": 128001, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 14336, "max_position_embeddings": 8192, "mlp_bias": False, "model_type": "llama",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "pretraining_tp": 1,
    "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 500000.0, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "transformers_version": "4.40.0", "use_cache": True, "vocab_size": 128256,
}  # fmt: skip
"""Llama-3 8B's config.json with every field it has."""


def changed(config, **fields):
    """The config with these fields set, or left out where the value is ..."""
    result = {**copy.deepcopy(config), **fields}
    return {key: value for key, value in result.items() if value is not ...}


def small(model_type, **fields):
    """A config of two small layers in the words most families use."""
    return {
        "model_type": model_type, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
        "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 512, **fields,
    }  # fmt: skip


GPT2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 32, "vocab_size": 100}
OPT = {
    "model_type": "opt", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "ffn_dim": 256,
    "vocab_size": 100, "max_position_embeddings": 32,
}  # fmt: skip
FALCON = {
    "model_type": "falcon", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 100,
}  # fmt: skip
MPT = {
    "model_type": "mpt", "d_model": 64, "n_heads": 4, "n_layers": 2, "expansion_ratio": 4, "vocab_size": 100,
    "max_seq_len": 32, "no_bias": True,
}  # fmt: skip


def test_a_whole_published_config_is_read():
    reading = read_config(LLAMA)
    assert (reading.model_type, dict(reading.assumed)) == ("llama", {"head_dim": 128})
    shape = reading.shape
    assert (shape.layers, shape.query_heads, shape.kv_heads, shape.head_dim, shape.context_limit) == (
        32,
        32,
        8,
        128,
        8192,
    )
    assert shape.params == 8_030_261_248  # the published safetensors index


def test_a_quantised_or_rescaled_config_has_the_same_shape():
    config = changed(LLAMA, quantization_config={"quant_method": "fp8"}, rope_scaling={"factor": 8.0, "type": "yarn"})
    assert shape_from_config(config) == shape_from_config(LLAMA)


def test_an_explicit_head_dim_wins_over_hidden_size():
    nemo = changed(LLAMA, model_type="mistral", hidden_size=5120, head_dim=128, sliding_window=None)
    assert shape_from_config(nemo).head_dim == 128


def test_without_one_it_is_hidden_size_over_heads():
    assert shape_from_config(changed(LLAMA, head_dim=None)).head_dim == 128


def test_a_hidden_size_that_heads_do_not_divide_is_refused():
    with pytest.raises(Invalid, match="hidden_size: 4097 is not a multiple of the 32 query heads"):
        shape_from_config(changed(LLAMA, hidden_size=4097))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(changed(LLAMA, num_key_value_heads=...), 32, id="llama: as many as query heads"),
        pytest.param(changed(LLAMA, num_key_value_heads=None), 32, id="llama, null: as many as query heads"),
        pytest.param(changed(LLAMA, num_key_value_heads=..., model_type="mistral"), 8, id="mistral: 8"),
        pytest.param(small("gemma2", head_dim=16), 4, id="gemma2: 4"),
        pytest.param(GPT2, 4, id="gpt2: as many as query heads"),
        pytest.param({**GPT2, "model_type": "gpt_bigcode"}, 1, id="gpt_bigcode: one"),
        pytest.param({**GPT2, "model_type": "gpt_bigcode", "multi_query": False}, 4, id="gpt_bigcode without it: all"),
        pytest.param(FALCON, 1, id="falcon: one"),
        pytest.param({**FALCON, "num_kv_heads": 2}, 1, id="falcon ignores num_kv_heads with multi_query"),
        pytest.param({**FALCON, "multi_query": False}, 4, id="falcon without it: all"),
        pytest.param({**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2}, 2, id="newer falcon: as said"),
    ],
)
def test_a_missing_number_of_kv_heads_is_what_the_family_s_code_takes(config, expected):
    assert shape_from_config(config).kv_heads == expected


def test_a_default_taken_is_reported():
    config = changed(LLAMA, num_key_value_heads=..., max_position_embeddings=..., tie_word_embeddings=...)
    assert read_config(config).assumed == {
        "num_key_value_heads": 32, "head_dim": 128, "max_position_embeddings": None, "tie_word_embeddings": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(
            small("gemma2", head_dim=16, num_key_value_heads=4),
            {"attention_bias": False, "sliding_window": 4096, "layer_types": "sliding_attention in 1 of 2 layers",
             "tie_word_embeddings": True},
            id="flags, a window and a pattern of layers",
        ),
        pytest.param(
            small("hunyuan_v1_dense", head_dim=16, num_key_value_heads=4, attention_bias=False, tie_word_embeddings=True),
            {"use_qk_norm": True},
            id="the one case there is a formula for",
        ),
        pytest.param(
            small("granitemoehybrid", num_key_value_heads=4, num_local_experts=2, shared_intermediate_size=8,
                  attention_bias=False, tie_word_embeddings=True, head_dim=16, mamba_n_heads=8, mamba_d_state=4,
                  mamba_conv_bias=True, mamba_proj_bias=False, mamba_expand=2, mamba_n_groups=1, layer_types=["mamba", "attention"], mamba_d_conv=4),
            {"mamba_d_head": 16},
            id="a width that others make",
        ),
        pytest.param(
            {"model_type": "mistral3", "text_config": small("mistral", num_key_value_heads=2)},
            {"text_config.head_dim": 16, "text_config.sliding_window": 4096, "text_config.tie_word_embeddings": False},
            id="by the full names of fields in a text model",
        ),
    ],
)  # fmt: skip
def test_every_default_that_bears_on_the_shape_is_reported(config, expected):
    assert read_config(config).assumed == expected


def test_kv_heads_that_do_not_divide_are_refused():
    with pytest.raises(Invalid, match="num_key_value_heads: 7 is not a divisor of the 32 query heads"):
        shape_from_config(changed(LLAMA, num_key_value_heads=7))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(LLAMA, [("full", 32, None)], id="llama has none"),
        pytest.param(changed(LLAMA, model_type="mistral"), [("sliding", 32, 4096)], id="mistral without the field"),
        pytest.param(
            changed(LLAMA, model_type="mistral", sliding_window=None), [("full", 32, None)], id="mistral with null"
        ),
        pytest.param(changed(LLAMA, model_type="mixtral"), [("full", 32, None)], id="mixtral without the field"),
        pytest.param(
            changed(LLAMA, model_type="phi3", sliding_window=2047), [("sliding", 32, 2047)], id="phi3 slides everywhere"
        ),
        pytest.param(
            changed(LLAMA, model_type="qwen2", sliding_window=4096, max_window_layers=8), [("full", 32, None)],
            id="qwen2 has a window and does not use it",
        ),
        pytest.param(
            changed(LLAMA, model_type="qwen2", sliding_window=4096, max_window_layers=8, use_sliding_window=True),
            [("full", 8, None), ("sliding", 24, 4096)],
            id="qwen2 slides from max_window_layers on",
        ),
        pytest.param(
            small("gemma2", num_hidden_layers=5, sliding_window=8, num_key_value_heads=4),
            [("sliding", 3, 8), ("full", 2, None)],
            id="gemma2 alternates and slides first",
        ),
        pytest.param(
            changed(
                LLAMA, model_type="mistral", num_hidden_layers=3, sliding_window=64,
                layer_types=["full_attention", "sliding_attention", "full_attention"],
            ),
            [("full", 2, None), ("sliding", 1, 64)],
            id="layer_types decide",
        ),
        pytest.param(
            small("starcoder2", sliding_window=16, num_key_value_heads=2), [("sliding", 2, 16)], id="starcoder2 slides"
        ),
    ],
)  # fmt: skip
def test_layers_are_grouped_by_their_windows(config, expected):
    assert [(group.kind, group.layers, group.window) for group in shape_from_config(config).groups] == expected


@pytest.mark.parametrize(
    "layer_types",
    [
        pytest.param(["full_attention"] * 31, id="one too few"),
        pytest.param("full_attention", id="a text"),
        pytest.param(["linear_attention"] * 32, id="a kind without a formula"),
        pytest.param([None] * 32, id="nulls"),
        pytest.param(["sliding_attention"] * 32, id="sliding without a window"),
    ],
)
def test_layer_types_that_do_not_fit_are_refused(layer_types):
    with pytest.raises(KvcoreError, match=r"layer_types|sliding_window"):
        shape_from_config(changed(LLAMA, layer_types=layer_types))


H, F, V = 64, 128, 100  # hidden size, MLP width and vocabulary of the small configs
ATTENTION = 4 * H * H  # Q, K, V and O of four heads of 16, with as many KV heads


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(small("llama"), 2 * V * H + 2 * (ATTENTION + 3 * H * F + 2 * H) + H, id="llama"),
        pytest.param(
            small("llama", attention_bias=True, mlp_bias=True, tie_word_embeddings=True),
            V * H + 2 * (ATTENTION + 4 * H + 3 * H * F + 2 * F + H + 2 * H) + H,
            id="llama with biases, tied",
        ),
        pytest.param(
            small("llama", num_key_value_heads=2), 2 * V * H + 2 * (3 * H * H + 3 * H * F + 2 * H) + H, id="llama, 2 KV heads"
        ),
        pytest.param(
            small("mixtral", num_key_value_heads=4, num_local_experts=3),
            2 * V * H + 2 * (ATTENTION + 3 * (3 * H * F + H) + 2 * H) + H,
            id="mixtral: three experts and a router",
        ),
        pytest.param(
            small("qwen2", num_key_value_heads=4), 2 * V * H + 2 * (ATTENTION + 3 * H + 3 * H * F + 2 * H) + H,
            id="qwen2: biases on Q, K and V",
        ),
        pytest.param(
            small("qwen3", num_key_value_heads=4, head_dim=16),
            2 * V * H + 2 * (ATTENTION + 2 * 16 + 3 * H * F + 2 * H) + H,
            id="qwen3: norms of query and key heads",
        ),
        pytest.param(
            small("qwen3_moe", num_key_value_heads=4, head_dim=16, num_experts=5, moe_intermediate_size=8,
                  mlp_only_layers=[1]),
            2 * V * H + (2 * (ATTENTION + 2 * 16 + 2 * H) + 5 * (3 * H * 8 + H) + 3 * H * F) + H,
            id="qwen3_moe: one routed layer, one dense",
        ),
        pytest.param(
            small("gemma2", num_key_value_heads=4, head_dim=16), V * H + 2 * (ATTENTION + 3 * H * F + 4 * H) + H,
            id="gemma2: tied, four norms",
        ),
        pytest.param(
            small("olmo2"), 2 * V * H + 2 * (ATTENTION + 2 * H + 3 * H * F + 2 * H) + H, id="olmo2: norms over all heads"
        ),
        pytest.param(small("cohere"), V * H + 2 * (ATTENTION + 3 * H * F + H) + H, id="cohere: tied, one norm"),
        pytest.param(
            small("phi"), 2 * V * H + V + 2 * (ATTENTION + 4 * H + 2 * H * F + F + H + 2 * H) + 2 * H,
            id="phi: biases everywhere, one LayerNorm",
        ),
        pytest.param(
            small("gpt_neox"), 2 * V * H + 2 * (ATTENTION + 4 * H + 2 * H * F + F + H + 4 * H) + 2 * H, id="gpt_neox"
        ),
        pytest.param(
            GPT2, V * H + 32 * H + 2 * (ATTENTION + 4 * H + 8 * H * H + 5 * H + 4 * H) + 2 * H, id="gpt2: 4 x width, positions"
        ),
        pytest.param(
            {**GPT2, "model_type": "gptj"}, 2 * V * H + V + 2 * (ATTENTION + 8 * H * H + 5 * H + 2 * H) + 2 * H,
            id="gptj: biases in MLPs and on the output",
        ),
        pytest.param(
            OPT, V * H + 34 * H + 2 * (ATTENTION + 4 * H + 8 * H * H + 5 * H + 4 * H) + 2 * H, id="opt: two positions more"
        ),
        pytest.param(
            FALCON, V * H + 2 * (2 * H * H + 2 * H * 16 + 8 * H * H + 2 * H) + 2 * H, id="falcon: one KV head, one norm"
        ),
        pytest.param(
            {**FALCON, "new_decoder_architecture": True},
            V * H + 2 * (ATTENTION + 8 * H * H + 4 * H) + 2 * H,
            id="newer falcon: two norms",
        ),
        pytest.param(
            {**FALCON, "parallel_attn": False, "multi_query": False, "bias": True},
            V * H + 2 * (ATTENTION + 4 * H + 8 * H * H + 5 * H + 4 * H) + 2 * H,
            id="falcon in sequence, with biases",
        ),
        pytest.param(
            {"model_type": "bloom", "n_embed": H, "num_attention_heads": 4, "n_layer": 2, "vocab_size": V},
            V * H + 2 * (12 * H * H + 13 * H) + 4 * H,
            id="bloom: a norm after the embedding",
        ),
        pytest.param(MPT, V * H + 2 * (12 * H * H + 2 * H) + H, id="mpt: no biases at all"),
        pytest.param(
            small("starcoder2", num_key_value_heads=2),
            V * H + 2 * (3 * H * H + H + 2 * 32 + H + 2 * H * F + F + H + 4 * H) + 2 * H,
            id="starcoder2",
        ),
    ],
)  # fmt: skip
def test_each_family_has_the_matrices_of_its_own_code(config, expected):
    assert shape_from_config(config).params == expected


REQUIRED = ["hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size", "vocab_size", "model_type"]


@pytest.mark.parametrize("key", REQUIRED)
def test_a_missing_or_null_size_is_refused_by_name(key):
    for value in (..., None):
        with pytest.raises(KvcoreError) as caught:
            shape_from_config(changed(LLAMA, **{key: value}))
        assert caught.value.field == key


@pytest.mark.parametrize("key", [*REQUIRED[:-1], "num_key_value_heads", "max_position_embeddings", "head_dim"])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(0, id="zero"),
        pytest.param(-1, id="negative"),
        pytest.param(10**30, id="huge"),
        pytest.param(10**5000, id="too long to print"),
        pytest.param("4096", id="text"),
        pytest.param(4096.0, id="float"),
        pytest.param(float("nan"), id="NaN"),
        pytest.param(float("inf"), id="Infinity"),
        pytest.param(True, id="bool"),
        pytest.param([4096], id="list"),
        pytest.param({"value": 4096}, id="object"),
    ],
)
def test_a_size_of_the_wrong_kind_is_refused_by_name(key, value):
    with pytest.raises(OutOfRange) as caught:
        shape_from_config(changed(LLAMA, **{key: value}))
    assert caught.value.field == key
    assert "integer" in caught.value.expected


@pytest.mark.parametrize("key", ["attention_bias", "mlp_bias", "tie_word_embeddings"])
@pytest.mark.parametrize(
    "value", [pytest.param(1, id="1"), pytest.param("true", id="text"), pytest.param([], id="list")]
)
def test_a_flag_that_is_not_true_or_false_is_refused_by_name(key, value):
    with pytest.raises(Invalid) as caught:
        shape_from_config(changed(LLAMA, **{key: value}))
    assert caught.value.field == key


@pytest.mark.parametrize(
    "model_type",
    [
        pytest.param("lama", id="a typing error"),
        pytest.param("Llama", id="another case"),
        pytest.param("bert", id="not a decoder"),
        pytest.param(7, id="a number"),
        pytest.param(["llama"], id="a list"),
    ],
)
def test_an_unknown_family_is_refused_with_those_there_are(model_type):
    with pytest.raises(Unsupported) as caught:
        shape_from_config(changed(LLAMA, model_type=model_type))
    assert caught.value.field == "model_type"
    assert "llama" in caught.value.expected


@pytest.mark.parametrize(
    ("model_type", "reason"),
    [
        pytest.param("deepseek_v4", "compress tokens", id="DeepSeek-V4: no simple formula"),
        pytest.param("mllama", "cross-attention", id="Llama 3.2 Vision: cross-attention"),
        pytest.param("zamba2", "share parameters", id="Zamba2"),
    ],
)
def test_a_known_family_without_a_formula_is_refused_with_the_reason(model_type, reason):
    with pytest.raises(Unsupported, match=reason) as caught:
        shape_from_config(changed(LLAMA, model_type=model_type))
    assert caught.value.field == "model_type"


@pytest.mark.parametrize(
    ("config", "field"),
    [
        pytest.param(changed(LLAMA, kv_lora_rank=512), "kv_lora_rank", id="latent attention in a llama"),
        pytest.param(changed(LLAMA, num_kv_shared_layers=4), "num_kv_shared_layers", id="shared layers"),
        pytest.param(changed(LLAMA, attention_chunk_size=8192), "attention_chunk_size", id="chunks"),
        pytest.param(changed(LLAMA, num_experts=8), "num_experts", id="experts in a dense family"),
        pytest.param(changed(LLAMA, num_kv_heads=8, num_key_value_heads=...), "num_kv_heads", id="a renamed field"),
        pytest.param(changed(LLAMA, sliding_window=4096), "sliding_window", id="a window in a family without"),
        pytest.param({**GPT2, "add_cross_attention": True}, "add_cross_attention", id="cross-attention"),
        pytest.param({**OPT, "word_embed_proj_dim": 32}, "word_embed_proj_dim", id="OPT-350M's smaller embedding"),
        pytest.param({**OPT, "do_layer_norm_before": False}, "do_layer_norm_before", id="OPT-350M's norms"),
        pytest.param(small("phi", qk_layernorm=True), "qk_layernorm", id="phi's norms of heads"),
        pytest.param({**MPT, "no_bias": False}, "no_bias", id="MPT with biases"),
        pytest.param({**MPT, "attn_config": {"alibi": False}}, "attn_config.alibi", id="MPT with learned positions"),
        pytest.param({**MPT, "expansion_ratio": 2.5}, "expansion_ratio", id="MPT's broken ratio"),
        pytest.param({**MPT, "attn_config": [1]}, "attn_config", id="MPT's attention as a list"),
    ],
)
def test_what_has_no_formula_is_refused_by_name_and_never_passed_over(config, field):
    with pytest.raises(KvcoreError) as caught:
        shape_from_config(config)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="a list"),
        pytest.param("llama", id="a text"),
        pytest.param({1: 2}, id="keys that are not text"),
        pytest.param({f"field{number}": number for number in range(2000)}, id="thousands of fields"),
    ],
)
def test_what_is_no_config_is_refused(config):
    with pytest.raises(Invalid, match=r"^config: "):
        shape_from_config(config)


def test_brackets_within_a_text_do_not_nest():
    assert parse_config(json.dumps({"template": "[{" * 1000 + '\\"'})) == {"template": "[{" * 1000 + '\\"'}
    assert parse_config('{"a":' * 64 + "1" + "}" * 64) != {}


def test_json_is_read_with_the_constants_python_writes():
    assert read_config(parse_config(json.dumps({**LLAMA, "time_limit": float("inf")}))).shape.layers == 32


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("{'model_type': 'llama'}", id="single quotes"),
        pytest.param('{"a": 1', id="cut off"),
        pytest.param("[" * 200_000, id="nested beyond reading"),
        pytest.param('{"a":' * 65 + "1" + "}" * 65, id="nested one level too deep"),
        pytest.param('"' + '\\"' * 400_000, id="a text without an end"),
        pytest.param('{"a": ' + "9" * 5000 + "}", id="an integer beyond reading"),
        pytest.param(" " * 8_000_001, id="too long"),
    ],
)
def test_text_that_cannot_be_read_is_refused(text):
    with pytest.raises(Invalid, match=r"^config: "):
        parse_config(text)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        pytest.param('{"hidden_size": 64, "hidden_size": 128}', "hidden_size", id="two values"),
        pytest.param('{"num_layers": 8, "num_layers": 8}', "num_layers", id="the same value twice"),
        pytest.param('{"text_config": {"a": [{"kv": 1, "b": 2, "kv": 3}]}}', "kv", id="deep inside"),
    ],
)
def test_a_field_that_an_object_has_twice_is_refused_by_name(text, field):
    with pytest.raises(Invalid, match="twice") as caught:
        parse_config(text)
    assert caught.value.field == field


def test_one_name_in_two_objects_is_no_repetition():
    assert parse_config('{"hidden_size": 64, "vision_config": {"hidden_size": 32}}')["hidden_size"] == 64


def test_a_name_that_is_no_ascii_or_very_long_is_shown_in_ascii_and_cut():
    name = "\N{GREEK SMALL LETTER ALPHA}\n" * 100
    with pytest.raises(Invalid) as caught:
        parse_config(json.dumps({"a": 1})[:-1] + f", {json.dumps(name)}: 1, {json.dumps(name)}: 2}}")
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 300


def test_a_file_of_three_million_characters_of_quantised_matrices_is_read():
    layers = {f"model.layers.{index}.mlp.up_proj": {"quant_algo": "NVFP4", "group_size": 16} for index in range(40_000)}
    text = json.dumps({**LLAMA, "quantization_config": {"quantized_layers": layers}})
    assert len(text) > 3_000_000
    assert read_config(parse_config(text)).shape == shape_from_config(LLAMA)


def test_families_are_listed_in_alphabetical_order():
    assert list(FAMILIES) == sorted(FAMILIES)
    assert {"llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma2", "phi3", "falcon", "gpt2", "opt"} <= set(FAMILIES)


JAMBA = {
    "model_type": "jamba", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
    "num_hidden_layers": 16, "vocab_size": 256, "max_position_embeddings": 2048, "attn_layer_period": 8,
    "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_dt_rank": 4, "num_experts": 4,
}  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "attention_layers"),
    [
        pytest.param({"attn_layer_offset": 4}, 2, id="layers 4 and 12 of 16"),
        pytest.param({"attn_layer_offset": 0}, 2, id="layers 0 and 8"),
        pytest.param({"attn_layer_period": 3, "attn_layer_offset": 2}, 5, id="layers 2, 5, 8, 11, 14"),
    ],
)
def test_jamba_has_attention_once_a_period_from_its_offset_on(fields, attention_layers):
    shape = shape_from_config(JAMBA | fields)
    assert [group.layers for group in shape.groups if group.kind == "full"] == [attention_layers]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        pytest.param({"attn_layer_offset": 8}, "attn_layer_offset", id="attention at its period"),
        pytest.param({"attn_layer_offset": 9}, "attn_layer_offset", id="past it: no layer would attend"),
        pytest.param({"expert_layer_offset": 2}, "expert_layer_offset", id="experts at their period of 2"),
    ],
)
def test_jamba_with_an_offset_past_its_period_is_refused_by_name(fields, named):
    """As in transformers' JambaConfig: such a model would have no layer of the kind."""
    with pytest.raises(Invalid) as caught:
        shape_from_config(JAMBA | fields)
    assert caught.value.field == named


HUNYUAN = {
    "model_type": "hunyuan_v1_dense", "hidden_size": 512, "intermediate_size": 1024, "num_attention_heads": 4,
    "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 256, "max_position_embeddings": 2048, "head_dim": 128,
}  # fmt: skip


def test_hunyuan_says_its_head_width_twice_and_the_two_must_agree():
    assert shape_from_config(HUNYUAN | {"attention_head_dim": 128}).head_dim == 128
    with pytest.raises(Unsupported) as caught:
        shape_from_config(HUNYUAN | {"attention_head_dim": 64})
    assert caught.value.field == "attention_head_dim"
