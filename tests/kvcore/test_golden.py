"""Caches of published models, worked by hand from their configs.

Where a public calculator or table gives a wrong number, the id of the case says which number and why.
"""

from fractions import Fraction

import pytest

from kvcore.catalog import MODELS
from kvcore.config import shape_from_config
from kvcore.dtypes import cache_dtype

FP16, Q8_0 = cache_dtype("fp16"), cache_dtype("q8_0")
GIB, MIB = 2**30, 2**20

GEMMA_3_1B = {
    "model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912, "num_hidden_layers": 26,
    "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256, "sliding_window": 512,
    "sliding_window_pattern": 6, "vocab_size": 262144, "max_position_embeddings": 32768,
}  # fmt: skip
GEMMA_4_E2B = {
    "model_type": "gemma4_text", "hidden_size": 1536, "intermediate_size": 6144, "num_hidden_layers": 35,
    "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, "global_head_dim": 512, "sliding_window": 512,
    "layer_types": (["sliding_attention"] * 4 + ["full_attention"]) * 7, "num_kv_shared_layers": 20,
    "vocab_size": 262144, "vocab_size_per_layer_input": 262144, "hidden_size_per_layer_input": 256,
    "use_double_wide_mlp": True, "max_position_embeddings": 131072,
}  # fmt: skip
LFM2_1_2B = {
    "model_type": "lfm2", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
    "num_key_value_heads": 8, "block_ff_dim": 12288, "vocab_size": 65536, "full_attn_idxs": [2, 5, 8, 10, 12, 14],
    "max_position_embeddings": 128000,
}  # fmt: skip
CONFIGS = {"gemma-3-1b": GEMMA_3_1B, "gemma-4-e2b": GEMMA_4_E2B, "lfm2-1.2b": LFM2_1_2B}


def shape_of(name):
    return shape_from_config(CONFIGS[name]) if name in CONFIGS else MODELS[name].shape


@pytest.mark.parametrize(
    ("name", "below", "beyond"),
    [
        pytest.param("llama-2-7b", 524_288, 524_288, id="llama-2-7b: one calculator forgets K or V, 262,144"),
        pytest.param("llama-2-70b", 327_680, 327_680, id="llama-2-70b: two print 5,242,880 and 1,310,720"),
        pytest.param("llama-3-70b", 327_680, 327_680, id="llama-3-70b: one counts all 64 query heads, 2,621,440"),
        pytest.param(
            "llama-3.1-8b", 131_072, 131_072, id="llama-3.1-8b: one prints 65,536 next to a sum that gives this"
        ),
        pytest.param("llama-3.1-405b", 516_096, 516_096, id="llama-3.1-405b: a well-known table has twice that"),
        pytest.param("qwen3-32b", 262_144, 262_144, id="qwen3-32b: head_dim is not hidden / heads, 163,840"),
        pytest.param("qwen3-4b", 147_456, 147_456, id="qwen3-4b: head_dim is not hidden / heads, 92,160"),
        pytest.param("qwen3-0.6b", 114_688, 114_688, id="qwen3-0.6b"),
        pytest.param("qwen2.5-7b", 57_344, 57_344, id="qwen2.5-7b: one takes bits for bytes, 1,605,632"),
        pytest.param("mistral-nemo-12b", 163_840, 163_840, id="mistral-nemo: hidden / heads would give 204,800"),
        pytest.param(
            "mistral-small-24b", 163_840, 163_840, id="mistral-small-24b: hidden / heads would give 25 % more"
        ),
        pytest.param("deepseek-v3", 70_272, 70_272, id="deepseek-v3: others print 124,928, 1,748,992 and 1,998,848"),
        pytest.param("kimi-k2.5", 70_272, 70_272, id="kimi-k2.5: half of deepseek-v3's heads, the same latent"),
        pytest.param("gpt-oss-20b", 49_152, 24_576, id="gpt-oss-20b: hidden / heads would give 30 % less"),
        pytest.param("gpt-oss-120b", 73_728, 36_864, id="gpt-oss-120b: one leaves out layers with a window, 36,864"),
        pytest.param("gemma-3-27b", 507_904, 81_920, id="gemma-3-27b"),
        pytest.param("gemma-4-31b", 901_120, 81_920, id="gemma-4-31b: one web page defines it in three ways"),
        pytest.param("gemma-4-26b-a4b", 225_280, 20_480, id="gemma-4-26b-a4b"),
        pytest.param("gemma-4-e2b", 18_432, 6_144, id="gemma-4-e2b: 15 of 35 layers have a cache"),
        pytest.param("qwen3.6-27b", 65_536, 65_536, id="qwen3.6-27b: 16 of 64 layers have a cache"),
        pytest.param("lfm2-1.2b", 12_288, 12_288, id="lfm2-1.2b: 6 of 16 layers have a cache"),
    ],
)
def test_bytes_per_token_below_and_beyond_the_windows(name, below, beyond):
    shape = shape_of(name)
    assert shape.bytes_per_token(FP16) == below
    assert shape.asymptotic_bytes_per_token(FP16) == beyond


@pytest.mark.parametrize(
    ("name", "context", "expected"),
    [
        pytest.param("llama-2-7b", 8_192, 4 * GIB, id="llama-2-7b@8k"),
        pytest.param("llama-2-70b", 2_048, 671_088_640, id="llama-2-70b@2k: 0.67 GB, not 5.24"),
        pytest.param("llama-3-70b", 131_072, 40 * GIB, id="llama-3-70b@128k: 40 GiB"),
        pytest.param("llama-3-70b", 32_768, 10 * GIB, id="llama-3-70b@32k: not 5.4 GiB"),
        pytest.param("llama-3.1-70b", 131_072, 42_949_672_960, id="llama-3.1-70b@128k: 42.95 GB, not 340"),
        pytest.param("llama-3.1-8b", 131_072, 16 * GIB, id="llama-3.1-8b@128k"),
        pytest.param("llama-3.1-8b", 128_000, Fraction(15625, 1000) * GIB, id="llama-3.1-8b@128,000"),
        pytest.param("llama-3.1-405b", 1_024, 528_482_304, id="llama-3.1-405b@1k: 0.492 GiB, not 0.984"),
        pytest.param("llama-3.1-405b", 128_000, 66_060_288_000, id="llama-3.1-405b@128,000: 61.52 GiB, not 123"),
        pytest.param("llama-3.1-405b", 131_072, 63 * GIB, id="llama-3.1-405b@128k"),
        pytest.param("qwen3-32b", 128_000, Fraction(3125, 100) * GIB, id="qwen3-32b@128,000"),
        pytest.param("qwen3-32b", 32_768, 8 * GIB, id="qwen3-32b@32k: not 3.1 GiB"),
        pytest.param("qwen3-0.6b", 40_960, Fraction(4375, 1000) * GIB, id="qwen3-0.6b@40k: not 2.19 GB"),
        pytest.param("qwen2.5-7b", 262_144, 14 * GIB, id="qwen2.5-7b@256k"),
        pytest.param("deepseek-v3", 32_768, 2_302_672_896, id="deepseek-v3@32k: 2.14 GiB, not 53.4"),
        pytest.param("deepseek-v3", 163_840, 11_513_364_480, id="deepseek-v3@160k: 10.72 GiB, not 2.08"),
        pytest.param("gemma-3-27b", 131_072, 11_173_625_856, id="gemma-3-27b@128k: 10.41 GiB, not 62, 81 or 2.2"),
        pytest.param("gemma-3-1b", 32_768, 139 * MIB, id="gemma-3-1b@32k: not 832 MiB"),
        pytest.param("gemma-4-31b", 131_072, 11_576_279_040, id="gemma-4-31b@128k: 10.78 GiB"),
        pytest.param("gemma-4-26b-a4b", 131_072, 2_894_069_760, id="gemma-4-26b-a4b@128k: not 56 GB"),
        pytest.param("gemma-4-e2b", 131_072, 811_597_824, id="gemma-4-e2b@128k"),
        pytest.param("qwen3.6-27b", 262_144, 16 * GIB, id="qwen3.6-27b@256k: not 64 GiB"),
        pytest.param("qwen3.6-27b", 64, 4 * MIB, id="qwen3.6-27b, a block of 64: not 16 MiB"),
        pytest.param("lfm2-1.2b", 32_768, 384 * MIB, id="lfm2-1.2b@32k: not 0"),
    ],
)
def test_cache_bytes_of_one_sequence_in_fp16(name, context, expected):
    assert shape_of(name).cache_bytes(context, FP16) == expected


def test_windows_limit_the_cache_of_many_sequences_of_gpt_oss():
    # 32 sequences of 8,192 tokens take 6.094 GiB. An engine that ignores windows reserves 12 GiB.
    assert 32 * shape_of("gpt-oss-20b").cache_bytes(8_192, FP16) == 6_543_114_240 == Fraction(6_240, 1_024) * GIB


def test_a_quantised_cache_has_the_bytes_of_its_blocks():
    # q8_0 is 34 bytes for 32 values: 7.4375 GiB. A well-known server ignores the type and says 14 GiB.
    assert shape_of("qwen2.5-7b").cache_bytes(262_144, Q8_0) == Fraction(74_375, 10_000) * GIB


def test_k_in_q8_0_and_v_in_fp16():
    # 10 x 16 x 128 x (1.0625 + 2) x 128,000 + 52 x 16 x 128 x (1.0625 + 2) x 1,024
    expected = 10 * 16 * 128 * Fraction(49, 16) * 128_000 + 52 * 16 * 128 * Fraction(49, 16) * 1_024
    assert shape_of("gemma-3-27b").cache_bytes(128_000, Q8_0, FP16) == expected


@pytest.mark.parametrize("tp", [1, 2, 4, 8, 16, 64])
def test_every_gpu_stores_the_whole_latent(tp):
    assert (
        shape_of("deepseek-v3").cache_bytes_per_gpu(1, tp, FP16) == 70_272
    )  # two calculators divide it by tp: 8,784 at 8


def test_state_bytes_of_a_hybrid_model():
    # 48 layers x (48 heads x 128 x 128 in fp32 + 3 inputs of a convolution of 10,240 channels in 16 bits): 0.143 GiB
    assert shape_of("qwen3.6-27b").state_bytes == 48 * (48 * 128 * 128 * 4 + 3 * 10_240 * 2) == 153_944_064
