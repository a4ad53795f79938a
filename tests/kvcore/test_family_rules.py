"""Which layers slide, what a missing field means, and what a flag changes: as each family's own code has it.

Expected values were worked out by hand, and agree with models that huggingface/transformers 5.24.0 built from the same configs
and ran over 40 tokens (the cached numbers of all layers).
"""

import pytest

from kvcore.config import read_config, shape_from_config
from kvcore.dtypes import cache_dtype
from kvcore.errors import KvcoreError

BYTE = cache_dtype("fp8")  # one byte a number, so that bytes are numbers
SMALL = {
    "hidden_size": 128, "num_attention_heads": 8, "num_key_value_heads": 4, "num_hidden_layers": 8,
    "intermediate_size": 160, "vocab_size": 320, "max_position_embeddings": 256,
}  # fmt: skip
EXPERTS = {"moe_intermediate_size": 40, "num_experts": 8}
DOTS = {"moe_intermediate_size": 40, "n_routed_experts": 8, "n_shared_experts": 2, "head_dim": 32}
MAMBA2 = {"mamba_n_heads": 16, "mamba_d_head": 16, "mamba_d_state": 24, "mamba_n_groups": 2}
MLA = {
    **SMALL, "kv_lora_rank": 32, "q_lora_rank": 48, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 12,
    "moe_intermediate_size": 40, "n_routed_experts": 8, "first_k_dense_replace": 2,
}  # fmt: skip


def of(model_type, *parts, **fields):
    """The small config of a family with these fields; ... leaves one out."""
    config = {"model_type": model_type}
    for part in (SMALL, *parts, fields):
        config |= part
    return {key: value for key, value in config.items() if value is not ...}


def refused(config):
    """The name of the field that the config is refused for."""
    with pytest.raises(KvcoreError) as caught:
        shape_from_config(config)
    return caught.value.field


USED = {"use_sliding_window": True, "sliding_window": 16}


@pytest.mark.parametrize(
    ("config", "numbers"),
    [
        # A layer caches min(tokens, window) x 2 x KV heads x head width: here 128 or 256 numbers for each of 40 or 16 tokens.
        pytest.param(
            of("exaone4", head_dim=32, num_hidden_layers=6, sliding_window_pattern=4, sliding_window=16),
            256 * (5 * 16 + 40), id="exaone4: the last of 6 layers slides too",
        ),
        pytest.param(
            of("exaone4", head_dim=32, sliding_window_pattern=3, sliding_window=16), 256 * (6 * 16 + 2 * 40),
            id="exaone4: every third of 8 layers is full",
        ),
        pytest.param(of("smollm3", USED, max_window_layers=3), 128 * (2 * 16 + 6 * 40), id="smollm3: max_window_layers is not read"),
        pytest.param(of("smollm3", USED, max_window_layers=0), 128 * (2 * 16 + 6 * 40), id="smollm3: nor at 0"),
        pytest.param(of("smollm3", USED), 128 * (2 * 16 + 6 * 40), id="smollm3: layers without rotary positions slide"),
        pytest.param(
            of("smollm3", USED, no_rope_layers=[1, 0] * 4), 128 * (4 * 16 + 4 * 40), id="smollm3: as no_rope_layers says"
        ),
        pytest.param(of("smollm3", sliding_window=16), 128 * 8 * 40, id="smollm3: no window unless used"),
        pytest.param(of("dots1", DOTS, sliding_window=16, max_window_layers=3), 256 * (3 * 40 + 5 * 16), id="dots1: without a flag"),
        pytest.param(
            of("dots1", DOTS, sliding_window=16, max_window_layers=3, use_sliding_window=False), 256 * (3 * 40 + 5 * 16),
            id="dots1: whatever the flag",
        ),
        pytest.param(of("dots1", DOTS, sliding_window=16), 256 * 8 * 40, id="dots1: from layer 62 on"),
        pytest.param(of("qwen2_moe", EXPERTS, USED, num_key_value_heads=8, max_window_layers=3), 256 * (2 * 16 + 6 * 40), id="qwen2_moe: every second below 3"),
        pytest.param(of("qwen2_moe", EXPERTS, USED, num_key_value_heads=8, max_window_layers=0), 256 * 8 * 40, id="qwen2_moe: none below 0"),
        pytest.param(of("qwen2_moe", EXPERTS, USED, num_key_value_heads=8), 256 * (4 * 16 + 4 * 40), id="qwen2_moe: every second below 28"),
        pytest.param(of("qwen3_moe", EXPERTS, USED, max_window_layers=3), 128 * 8 * 16, id="qwen3_moe: all layers"),
        pytest.param(of("qwen3_moe", EXPERTS, USED), 128 * 8 * 16, id="qwen3_moe: all layers, without max_window_layers"),
        pytest.param(of("qwen2", USED, max_window_layers=3), 128 * (3 * 40 + 5 * 16), id="qwen2: from max_window_layers on"),
        pytest.param(of("qwen2_vl_text", USED), 128 * 8 * 40, id="qwen2_vl: from layer 80 on"),
        pytest.param(
            of("falcon", num_key_value_heads=..., intermediate_size=..., multi_query=None), 256 * 8 * 40,
            id="falcon: a null flag is false, so every query head has K and V",
        ),
    ],
)  # fmt: skip
def test_a_model_of_40_tokens_caches_what_its_own_code_does(config, numbers):
    shape = shape_from_config(config)
    assert shape.cache_bytes(40, BYTE) == numbers


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(of("qwen3_vl_moe_text", EXPERTS, sliding_window=16), id="qwen3_vl_moe_text"),
        pytest.param(of("qwen3_vl_text", sliding_window=16), id="qwen3_vl_text"),
    ],
)
def test_a_window_in_a_family_whose_code_has_none_is_refused(config):
    assert refused(config) == "sliding_window"


@pytest.mark.parametrize(
    ("config", "field", "default"),
    [
        pytest.param(of("qwen2_vl_text", num_key_value_heads=...), "num_key_value_heads", 8, id="qwen2_vl_text"),
        pytest.param(of("qwen2_5_vl_text", num_key_value_heads=...), "num_key_value_heads", 8, id="qwen2_5_vl_text"),
        pytest.param(
            of("qwen3_5_text", num_key_value_heads=..., head_dim=16), "num_key_value_heads", 4, id="qwen3_5_text"
        ),
        pytest.param(
            of("exaone4", num_key_value_heads=..., num_attention_heads=64), "num_key_value_heads", 32, id="exaone4"
        ),
        pytest.param(
            of("dots1", DOTS, num_key_value_heads=..., num_attention_heads=64), "num_key_value_heads", 32, id="dots1"
        ),
        pytest.param(of("arcee", num_key_value_heads=..., num_attention_heads=64), "num_key_value_heads", 64, id="arcee"),
        pytest.param(
            of("qwen3_vl_moe_text", EXPERTS, num_key_value_heads=..., num_attention_heads=64), "num_key_value_heads", 16,
            id="qwen3_vl_moe_text: KV heads",
        ),
        pytest.param(of("qwen3_vl_moe_text", EXPERTS, num_experts=...), "num_experts", 60, id="qwen3_vl_moe_text: experts"),
        pytest.param(
            of("qwen3_vl_moe_text", EXPERTS, moe_intermediate_size=...), "moe_intermediate_size", 1408,
            id="qwen3_vl_moe_text: width of an expert",
        ),
        pytest.param(
            {"model_type": "mamba2", "hidden_size": 128, "num_hidden_layers": 8, "vocab_size": 320, "num_heads": 16,
             "head_dim": 16, "state_size": 24}, "n_groups", 8, id="mamba2: groups",
        ),
        pytest.param(MLA | {"model_type": "deepseek_v2"}, "n_shared_experts", 2, id="deepseek_v2: shared experts"),
        pytest.param(MLA | {"model_type": "deepseek_v3"}, "n_shared_experts", 1, id="deepseek_v3: shared experts"),
        pytest.param(of("falcon_h1", MAMBA2, mamba_n_heads=64), "mamba_d_ssm", 1024, id="falcon_h1: inner width"),
    ],
)  # fmt: skip
def test_a_missing_field_has_the_default_of_its_own_family_and_is_assumed(config, field, default):
    reading = read_config(config)
    assert reading.assumed[field] == default
    assert reading.shape == shape_from_config(config | {field: default})


MIMO = of(
    "mimo_v2_flash", head_dim=24, v_head_dim=16, moe_intermediate_size=40, n_routed_experts=8, num_key_value_heads=2,
    sliding_window=128, sliding_window_size=128, attention_chunk_size=128, swa_head_dim=24, swa_v_head_dim=16,
)  # fmt: skip


def test_mimo_v2_flash_has_twice_the_kv_heads_where_it_slides():
    """MiMoV2FlashAttention in transformers 5.24; engines read swa_num_key_value_heads, which the published file has."""
    assert read_config(MIMO).assumed["swa_num_key_value_heads"] == 4


def test_mimo_v2_flash_slides_in_all_layers_but_the_first_and_every_sixth():
    shape = shape_from_config(MIMO)
    assert [(group.kind, group.layers) for group in shape.groups] == [("full", 2), ("sliding", 6)]
    assert shape_from_config(MIMO | {"hybrid_layer_pattern": [0, 1, 1, 1, 1, 0, 1, 1]}) == shape


@pytest.mark.parametrize(
    ("fields", "window"),
    [
        pytest.param({}, 129, id="the published fields: 128 tokens before the newest, and the newest"),
        pytest.param({"sliding_window": 129}, 129, id="as transformers 5.24 saves it"),
        pytest.param(
            {"sliding_window_size": ..., "attention_chunk_size": ...}, 128, id="sliding_window alone is the window"
        ),
    ],
)
def test_the_window_of_mimo_v2_flash_is_that_of_sglang_and_transformers(fields, window):
    config = {key: value for key, value in (MIMO | fields).items() if value is not ...}
    assert [group.window for group in shape_from_config(config).groups] == [None, window]


def test_windows_of_mimo_v2_flash_that_contradict_are_refused():
    assert refused(MIMO | {"sliding_window": 256}) == "sliding_window"


H, L = 128, 8


@pytest.mark.parametrize(
    ("config", "fields", "more"),
    [
        pytest.param(
            of("falcon_h1", MAMBA2, mamba_d_ssm=256), {"mamba_proj_bias": True}, L * (2 * 256 + 2 * 2 * 24 + 16),
            id="falcon_h1: mamba_proj_bias is the first projection's",
        ),
        pytest.param(
            of("falcon_h1", MAMBA2, mamba_d_ssm=256), {"projectors_bias": True}, L * H,
            id="falcon_h1: projectors_bias is the last projection's",
        ),
        pytest.param(
            of("falcon_h1", MAMBA2, mamba_d_ssm=256), {"mamba_conv_bias": None}, -L * (256 + 2 * 2 * 24),
            id="falcon_h1: a null flag is false",
        ),
        pytest.param(
            of("granitemoehybrid", MAMBA2, num_local_experts=2, shared_intermediate_size=56, layer_types=["mamba"] * 7 + ["attention"]), {"mamba_conv_bias": None},
            -7 * (256 + 2 * 2 * 24), id="granitemoehybrid: a null flag is false",
        ),
        pytest.param(
            of("qwen2_moe", EXPERTS, shared_expert_intermediate_size=56), {"shared_expert_intermediate_size": 0},
            -L * 3 * H * 56, id="qwen2_moe: the gate of a shared expert of width 0 stays",
        ),
        pytest.param(
            of("llama4_text", head_dim=32, num_local_experts=8, intermediate_size_mlp=160), {"moe_layers": []},
            L * (3 * H * 160 - 9 * 3 * H * 160 - 8 * H), id="llama4: an empty list of layers means no experts",
        ),
    ],
)  # fmt: skip
def test_a_flag_changes_the_parameters_that_it_changes_in_the_family_s_code(config, fields, more):
    assert shape_from_config(config | fields).params == shape_from_config(config).params + more


NEMOTRON = of(
    "nemotron_h", hybrid_override_pattern="M*-M*-M-", mamba_num_heads=16, mamba_head_dim=16, ssm_state_size=24, n_groups=2,
    head_dim=32,
)  # fmt: skip
NEMOTRON_MOE = NEMOTRON | {
    "hybrid_override_pattern": "M*ME*MEM", "n_routed_experts": 8, "moe_intermediate_size": 40, "n_shared_experts": 1,
    "moe_shared_expert_intermediate_size": 40,
}  # fmt: skip
GPTJ = {
    "n_embd": 128, "n_head": 4, "n_layer": 2, "n_positions": 256, "vocab_size": 320, "hidden_size": ...,
    "num_attention_heads": ..., "num_key_value_heads": ..., "num_hidden_layers": ..., "intermediate_size": ...,
    "max_position_embeddings": ...,
}  # fmt: skip
KIMI = of(
    "kimi_linear", MLA, num_experts=8, n_routed_experts=..., linear_attn_config={
        "full_attn_layers": [4, 8], "kda_layers": [1, 2, 3, 5, 6, 7], "num_heads": 8, "head_dim": 16,
        "short_conv_kernel_size": 4,
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("config", "field"),
    [
        pytest.param(NEMOTRON | {"mamba_proj_bias": True}, "mamba_proj_bias", id="nemotron_h: use_bias is read instead"),
        pytest.param(NEMOTRON | {"attention_bias": True}, "attention_bias", id="nemotron_h: its attention has no biases"),
        pytest.param(NEMOTRON | {"tie_word_embeddings": True}, "tie_word_embeddings", id="nemotron_h ties nothing"),
        pytest.param(KIMI | {"tie_word_embeddings": True}, "tie_word_embeddings", id="kimi_linear ties nothing"),
        pytest.param(
            of("falcon", num_key_value_heads=..., intermediate_size=..., multi_query=False, num_kv_heads=4), "num_kv_heads",
            id="falcon: KV heads that the older layer does not have",
        ),
        pytest.param(MLA | {"model_type": "deepseek_v3", "q_lora_rank": 0}, "q_lora_rank", id="a rank of 0"),
        pytest.param(of("starcoder2", use_bias=None), "use_bias", id="null where the default is true"),
        pytest.param(of("hunyuan_v1_dense", use_qk_norm=False), "use_qk_norm", id="hunyuan: engines and transformers differ"),
        pytest.param(of("hunyuan_v1_dense", use_cla=True, cla_share_factor=2), "use_cla", id="hunyuan: shared caches"),
        pytest.param(of("minimax_m2", num_local_experts=8, attn_type_list=[1] * 7 + [0]), "attn_type_list", id="linear layers"),
        pytest.param(of("falcon_h1", MAMBA2, mamba_d_ssm=256, attn_layer_indices=[0]), "attn_layer_indices", id="falcon_h1"),
        pytest.param(of("granitemoehybrid", MAMBA2, num_local_experts=2), "layer_types", id="granite hybrid without attention"),
        pytest.param(of("bamba", MAMBA2, attn_layer_indices=...), "attn_layer_indices", id="bamba without attention"),
        pytest.param(
            of("falcon_h1", MAMBA2, mamba_d_ssm=256, mamba_d_head=None), "mamba_d_head", id="falcon_h1: no width of heads"
        ),
        pytest.param(of("cohere2", sliding_window=None), "sliding_window", id="cohere2: layers that slide without a window"),
        pytest.param(of("gemma2", sliding_window=None, head_dim=32), "sliding_window", id="gemma2: the same"),
        pytest.param(
            of("falcon", num_key_value_heads=..., intermediate_size=..., new_decoder_architecture=True, parallel_attn=False),
            "parallel_attn", id="falcon: a newer decoder in sequence",
        ),
        pytest.param(of("dots1", DOTS, n_shared_experts=None), "n_shared_experts", id="dots1: null shared experts"),
        pytest.param(MLA | {"model_type": "deepseek_v3", "num_key_value_heads": 0}, "num_key_value_heads", id="no KV heads"),
        pytest.param(
            NEMOTRON_MOE | {"moe_latent_size": 0}, "moe_latent_size", id="nemotron_h: experts behind a rank of 0"
        ),
        pytest.param(of("ministral", sliding_window=None), "sliding_window", id="ministral: layers that slide without a window"),
        pytest.param(of("gptj", GPTJ, rotary_dim=33), "rotary_dim", id="gptj: more of a head is turned than there is"),
        pytest.param(
            of("qwen3_next", EXPERTS, linear_num_key_heads=3, linear_num_value_heads=8), "linear_num_key_heads",
            id="qwen3_next: value heads that key heads do not divide",
        ),
        pytest.param(of("llama", pruned_heads={"0": [0, 1]}), "pruned_heads", id="heads cut out"),
        pytest.param(of("llama", is_encoder_decoder=True), "is_encoder_decoder", id="an encoder"),
        pytest.param(of("llama", multi_query=True), "multi_query", id="one KV head, said as in other families"),
        pytest.param(of("llama", local_attention=4096), "local_attention", id="a window by another name"),
        pytest.param(of("llama", lookback_window=4096), "lookback_window", id="a window by a new name"),
        pytest.param(of("llama", attention_type="sliding"), "attention_type", id="a kind of attention"),
        pytest.param(of("llama", attention={"window": 4096}), "attention", id="an object about attention"),
        pytest.param(of("llama", attention_config={"kind": "mla"}), "attention_config", id="a config of attention"),
        pytest.param(of("llama", use_mla=True), "use_mla", id="latent attention"),
        pytest.param(of("llama", cache_config={"share": 2}), "cache_config", id="a config of the cache"),
        pytest.param(of("llama", per_layer_config={"0": {"head_dim": 8}}), "per_layer_config", id="layers of their own"),
    ],
)  # fmt: skip
def test_what_would_change_parameters_or_cache_in_silence_is_refused_by_name(config, field):
    assert refused(config) == field


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(
            {"pruned_heads": {}, "is_encoder_decoder": False, "cross_attention_hidden_size": None}, id="turned off"
        ),
        pytest.param({"cache_implementation": "hybrid", "kv_cache_scheme": {"num_bits": 8}}, id="how an engine caches"),
        pytest.param({"layerdrop": 0.1, "attention_dropout": 0.1}, id="training"),
        pytest.param({"num_experts_per_tok": 8, "output_attentions": True}, id="routing and output"),
    ],
)
def test_fields_that_change_nothing_are_passed_over(fields):
    assert shape_from_config(of("llama", fields)) == shape_from_config(of("llama"))


@pytest.mark.parametrize(
    ("published", "saved"),
    [
        pytest.param(of("qwen3_moe", EXPERTS), {"num_experts": ..., "num_local_experts": 8}, id="qwen3_moe"),
        pytest.param(of("qwen3_vl_moe_text", EXPERTS), {"num_experts": ..., "num_local_experts": 8}, id="qwen3_vl_moe_text"),
        pytest.param(
            of("glm_moe_dsa", MLA, index_n_heads=2, index_head_dim=16), {"num_experts": 8}, id="glm_moe_dsa: both names"
        ),
        pytest.param(
            of("gpt2", n_embd=128, n_head=8, n_layer=8, n_positions=256, hidden_size=..., num_attention_heads=...,
               num_hidden_layers=..., num_key_value_heads=..., max_position_embeddings=..., intermediate_size=...),
            {"n_embd": ..., "hidden_size": 128}, id="gpt2: hidden_size for n_embd",
        ),
        pytest.param(
            of("gpt_bigcode", n_embd=128, n_head=8, n_layer=8, n_positions=256, hidden_size=..., num_attention_heads=...,
               num_hidden_layers=..., num_key_value_heads=..., max_position_embeddings=..., intermediate_size=...),
            {"num_key_value_heads": 1}, id="gpt_bigcode: the one KV head",
        ),
        pytest.param(
            of("falcon_h1", MAMBA2, mamba_d_ssm=256),
            {"lm_head_multiplier": 0.5, "ssm_multipliers": [1.0] * 5, "ssm_in_multiplier": 2.0, "key_multiplier": 0.1,
             "attention_in_multiplier": 1.0}, id="falcon_h1: multipliers",
        ),
        pytest.param(
            of("minimax", num_local_experts=8), {f"{kind}_{name}_factor": 2 for kind in ("full_attn", "linear_attn", "mlp")
                                                 for name in ("alpha", "beta")}, id="minimax: factors",
        ),
        pytest.param(
            MLA | {"model_type": "minicpm3"} | dict.fromkeys(("n_routed_experts", "moe_intermediate_size", "first_k_dense_replace"), ...),
            {"dim_model_base": 256, "scale_depth": 1.4}, id="minicpm3: factors",
        ),
        pytest.param(
            of("qwen2"), {"dual_chunk_attention_config": {"chunk_size": 262_144, "local_size": 8192}}, id="qwen2: dual chunks"
        ),
        pytest.param(
            KIMI, {"layer_types": (["linear_attention"] * 3 + ["full_attention"]) * 2, "linear_num_heads": 8,
                   "linear_head_dim": 16, "linear_conv_kernel_dim": 4, "num_local_experts": 8, "linear_attn_config": ...,
                   "num_experts": ..., "n_shared_experts": 1}, id="kimi_linear: in other words",
        ),
        pytest.param(
            of("gemma4_text", num_hidden_layers=6, head_dim=32, global_head_dim=40, num_global_key_value_heads=2,
               attention_k_eq_v=True, hidden_size_per_layer_input=0, sliding_window=16),
            {"global_head_dim": ..., "num_global_key_value_heads": ...,
             "per_layer_config": {"05": {"head_dim": 40, "num_key_value_heads": 2}}}, id="gemma4_text: per_layer_config",
        ),
        pytest.param(
            of("lfm2", full_attn_idxs=[2, 5]), {"tie_embedding": True}, id="lfm2: the older name of tied embeddings",
        ),
    ],
)  # fmt: skip
def test_a_file_as_transformers_saves_it_reads_like_the_published_one(published, saved):
    config = {key: value for key, value in published.items() if value is not ...}
    other = {key: value for key, value in (config | saved).items() if value is not ...}
    assert shape_from_config(other) == shape_from_config(config)


@pytest.mark.parametrize(
    ("config", "field"),
    [
        pytest.param(of("qwen3_moe", EXPERTS, num_local_experts=16), "num_local_experts", id="qwen3_moe"),
        pytest.param(
            of("glm_moe_dsa", MLA, index_n_heads=2, index_head_dim=16, num_experts=16), "num_experts", id="glm_moe_dsa"
        ),
        pytest.param(KIMI | {"linear_head_dim": 32}, "linear_head_dim", id="kimi_linear"),
    ],
)
def test_two_names_of_one_field_that_contradict_are_refused(config, field):
    assert refused(config) == field


def test_gemma4_with_a_field_of_a_layer_that_nobody_knows_is_refused_by_its_place():
    config = of("gemma4_text", num_hidden_layers=6, per_layer_config={"5": {"head_dim": 40, "window": 8}})
    assert refused(config) == "per_layer_config.5.window"
