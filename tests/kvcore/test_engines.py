"""Engines: their defaults, what a type means there, and the types of recurrent states."""

import re
from fractions import Fraction

import pytest

import kvcore
from kvcore.catalog import GPUS, MODELS
from kvcore.dtypes import CACHE_DTYPES, cache_dtype
from kvcore.engines import (
    ENGINES,
    as_engine_stores,
    cached_as,
    engine,
    suggested_cache_dtypes,
    with_state_dtypes,
)
from kvcore.errors import UnknownName, Unsupported
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.parallel import PerGpu
from kvcore.splits import Split

NAMED = re.compile(r"[\w.-]+/[\w.-]+(@[0-9a-f]{7}|#\d+| b\d+)[,:]? |(docs\.sglang|nvidia\.github)\.io")
"""A repository at a commit, a build or an issue, or the documentation of a version."""

GPU_24, GPU_80 = 24 * 2**30, 80 * 2**30


@pytest.mark.parametrize(
    ("name", "memory", "percent", "block"),
    [
        pytest.param("none", GPU_80, 10, 1, id="none: a tenth"),
        pytest.param("vllm", GPU_80, 8, 16, id="vLLM: gpu_memory_utilization 0.92"),
        # SGLang, in MiB: 512, 1.5 x chunked prefill, 2 x sequences and 8 x sizes in CUDA graphs, 128 for one GPU
        pytest.param("sglang", GPU_80, 17, 1, id="SGLang: 512 + 12,288 + 512 + 464 + 128 = 13,904 of 81,920"),
        pytest.param("sglang", 81_559 * 2**20, 18, 1, id="SGLang on an H100: 17.05 %"),
        pytest.param("sglang", 24_564 * 2**20, 17, 1, id="SGLang on a 4090: 512 + 3,072 + 48 + 336 + 128 = 4,096"),
        pytest.param("sglang", 15_360 * 2**20, 27, 1, id="SGLang on a T4: 512 + 3,072 + 16 + 336 + 128 = 4,064"),
        pytest.param("sglang", 46_068 * 2**20, 16, 1, id="SGLang on an L40S: 512 + 6,144 + 64 + 400 + 128 = 7,248"),
        pytest.param(
            "sglang", 183_359 * 2**20, 15, 1, id="SGLang on a B200: 512 + 24,576 + 1,024 + 592 + 128 = 26,832"
        ),
        pytest.param("llama.cpp", GPU_80, 2, 256, id="llama.cpp: 1 GiB of 80, 1.25 %"),
        pytest.param("llama.cpp", GPU_24, 5, 256, id="llama.cpp: 1 GiB of 24, 4.2 %"),
        pytest.param("tensorrt-llm", GPU_80, 10, 32, id="TensorRT-LLM: free_gpu_memory_fraction 0.9"),
    ],
)
def test_the_defaults_of_each_engine(name, memory, percent, block):
    assert engine(name).reserve_percent(memory) == percent
    assert engine(name).block_size == block


def test_each_engine_names_its_version_date_and_sources():
    for row in ENGINES.values():
        assert row.sources
        assert all(source.strip() for source in row.sources)
        assert row.read.startswith("2026-")
        assert row.version or row.id == "none"
        assert row.id == "none" or all(NAMED.match(source) for source in row.sources)
        assert set(row.cache_dtypes) <= set(CACHE_DTYPES)


def test_tensorrt_llm_reserves_of_what_the_weights_leave():
    """1,000 GB... of 85,520,809,984 B the weights of Llama-3.1 8B take 16,060,522,496: nine tenths of the rest are for the cache."""
    share = PerGpu(footprint=kvcore.size("llama-3.1-8b"), reserve=Fraction(1, 10), reserve_of_rest=True)
    assert share.room_bytes == (85_520_809_984 - 16_060_522_496) * 9 // 10
    tight = PerGpu(footprint=kvcore.size("llama-3.1-70b"), reserve=Fraction(1, 10), reserve_of_rest=True)
    assert not tight.fits


@pytest.mark.parametrize(
    ("model", "name", "asked", "expected"),
    [
        # 78 layers of 576 numbers in a byte, 21 of them with an indexer's key of 132 bytes
        pytest.param("glm-5.2", "none", "fp8", 78 * 576 + 21 * 132, id="GLM-5.2 in fp8: 47,700"),
        pytest.param("glm-5.2", "vllm", "fp8", 78 * 656 + 21 * 132, id="GLM-5.2 in vLLM's fp8: 53,940"),
        pytest.param("glm-5.2", "none", "fp8_ds_mla", 53_940, id="by its name"),
        pytest.param("glm-5.2", "none", "nvfp4_ds_mla", 78 * 432 + 21 * 132, id="432 bytes a layer"),
        pytest.param("deepseek-v3.2", "vllm", "fp8", 61 * (656 + 132), id="DeepSeek-V3.2"),
        pytest.param("deepseek-v3", "vllm", "fp8", 61 * 576, id="a latent without an indexer stays in fp8"),
        pytest.param("llama-3-70b", "vllm", "fp8", 163_840, id="heads stay in fp8"),
        pytest.param("llama-3-70b", "none", "int8_per_token_head", 80 * 2 * 8 * (128 + 4), id="a scale a head"),
        pytest.param("llama-3-70b", "none", "fp8_per_token_head", 80 * 2 * 8 * (128 + 4), id="the same in fp8"),
        pytest.param("llama-3-70b", "none", "nvfp4", 80 * 2 * 8 * 72, id="64 bytes and 8 scales a head"),
        pytest.param("llama-3-70b", "none", "mlx_q4", 80 * 2 * 8 * 2 * 36, id="two groups of 64 in 36 bytes"),
        pytest.param("llama-3-70b", "none", "mlx_q4_g32", 80 * 2 * 8 * 4 * 20, id="four groups of 32 in 20 bytes"),
        pytest.param("llama-3-70b", "none", "mlx_q4_g128", 80 * 2 * 8 * 68, id="a group of 128 in 68 bytes"),
        pytest.param("llama-3-70b", "none", "mlx_q8_g32", 80 * 2 * 8 * 4 * 36, id="four groups of 32 in 36 bytes"),
        pytest.param("llama-3-70b", "none", "mlx_q8_g128", 80 * 2 * 8 * 132, id="a group of 128 in 132 bytes"),
        pytest.param("llama-3-70b", "none", "mlx_q8", 80 * 2 * 8 * 2 * 68, id="two groups of 64 in 68 bytes"),
    ],
)
def test_bytes_of_a_token_in_an_engines_type(model, name, asked, expected):
    shape = MODELS[model].shape
    assert shape.bytes_per_token(cached_as(engine(name), cache_dtype(asked), shape)) == expected


@pytest.mark.parametrize("model", ["llama-3-70b", "gemma-3-27b", "codestral-mamba-7b", "qwen3-next-80b"])
@pytest.mark.parametrize("dtype", ["fp8_ds_mla", "nvfp4_ds_mla"])
def test_a_type_for_latents_is_refused_for_layers_with_heads(model, dtype):
    with pytest.raises(Unsupported) as caught:
        kvcore.size(model, cache_dtype=dtype)
    assert caught.value.field == "cache_dtype"


@pytest.mark.parametrize(
    ("gpu_id", "suggested"),
    [
        pytest.param("b200", True, id="B200"),
        pytest.param("h100-80gb", False, id="H100 has no FP4 arithmetic"),
        pytest.param("a100-80gb", False, id="nor has an A100"),
    ],
)
@pytest.mark.parametrize(("model", "dtype"), [("llama-3-70b", "nvfp4"), ("glm-5.2", "nvfp4_ds_mla")])
def test_nvfp4_is_suggested_where_the_gpu_computes_in_fp4(model, dtype, gpu_id, suggested):
    found = suggested_cache_dtypes(engine("vllm"), MODELS[model].shape, GPUS[gpu_id].peak_flops)
    assert (dtype in [one.name for one in found]) is suggested


def test_what_is_suggested_suits_the_model():
    assert [dtype.name for dtype in suggested_cache_dtypes(engine("vllm"), MODELS["llama-3-70b"].shape)] == [
        "fp8", "fp8_per_token_head", "int8_per_token_head", "nvfp4",
    ]  # fmt: skip
    of_deepseek = suggested_cache_dtypes(engine("vllm"), MODELS["deepseek-v3"].shape)
    assert [dtype.name for dtype in of_deepseek] == ["fp8"]  # latents without an indexer
    of_glm = [dtype.name for dtype in suggested_cache_dtypes(engine("vllm"), MODELS["glm-5.2"].shape)]
    assert of_glm == ["fp8_ds_mla", "nvfp4_ds_mla"]


@pytest.mark.parametrize(
    ("model", "state", "convolution", "sequences", "expected"),
    [
        # Qwen3.6 27B: 48 layers of 48 heads of 128 x 128, and 80 x 128 channels of 3 inputs
        pytest.param("qwen3.6-27b", "", "", 4, 4 * 48 * (48 * 128 * 128 * 4 + 80 * 128 * 3 * 2), id="the config: f32 and bf16"),
        pytest.param("qwen3.6-27b", "fp32", "fp32", 4, 598.5 * 2**20, id="as llama.cpp prints it: 598.50 MiB"),
        pytest.param("qwen3.6-27b", "bf16", "", 4, 4 * 48 * (48 * 128 * 128 * 2 + 80 * 128 * 3 * 2), id="SGLang in bf16: half"),
    ],
)  # fmt: skip
def test_recurrent_states_in_other_types(model, state, convolution, sequences, expected):
    shape = with_state_dtypes(MODELS[model].shape, state, convolution)
    assert sequences * shape.state_bytes == expected


def test_the_convolution_of_lfm2_in_two_types():
    """LFM2-1.2B: 10 layers of 2,048 channels that keep 2 inputs."""
    config = {
        "model_type": "lfm2", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 12288, "block_ff_dim": 12288, "vocab_size": 65536, "conv_L_cache": 3, "conv_bias": False,
        "full_attn_idxs": [2, 5, 8, 10, 12, 14], "max_position_embeddings": 128000, "dtype": "bfloat16",
    }  # fmt: skip
    shape = kvcore.read_config(config).shape
    assert shape.state_bytes == 10 * 2048 * 2 * 2 == 81_920
    assert as_engine_stores(engine("llama.cpp"), shape).state_bytes == 163_840


@pytest.mark.parametrize(
    ("model", "copied", "expected"),
    [
        pytest.param("glm-5.2", False, 23_850, id="GLM-5.2, divided"),
        pytest.param("glm-5.2", True, 25_236, id="GLM-5.2, as SGLang"),
        pytest.param("deepseek-v3.2", False, 21_594, id="DeepSeek-V3.2, divided"),
        pytest.param("deepseek-v3.2", True, 25_620, id="DeepSeek-V3.2, as SGLang"),
    ],
)
def test_context_parallelism_divides_or_copies_the_keys_of_an_indexer(model, copied, expected):
    share = PerGpu(footprint=kvcore.size(model, cache_dtype="fp8"), split=Split(tp=8, cp=2), index_keys_copied=copied)
    assert share.sequence_bytes(10_000) == 10_000 * expected


def test_a_name_that_is_not_known_is_refused():
    for call, field in (
        (lambda: engine("torch"), "engine"),
        (lambda: with_state_dtypes(MODELS["qwen3.6-27b"].shape, "fp9"), "state_dtype"),
        (lambda: with_state_dtypes(MODELS["qwen3.6-27b"].shape, "fp8_ds_mla"), "state_dtype"),  # for latents alone
        (lambda: with_state_dtypes(MODELS["qwen3.6-27b"].shape, "", "int8_per_token_head"), "conv_dtype"),
        (lambda: with_state_dtypes(MODELS["llama-3-70b"].shape, "", "fp9"), "conv_dtype"),  # without a state too
    ):
        with pytest.raises(UnknownName) as caught:
            call()
        assert caught.value.field == field


def test_a_scale_for_each_head_is_divided_with_the_heads():
    group = LayerGroup(layers=1, kv_heads=8, key_dim=64, value_dim=32)
    int8 = cache_dtype("int8_per_token_head")
    assert group.bytes_per_token(int8, int8) == 8 * (64 + 4 + 32 + 4)
    assert group.shard(4).bytes_per_token(int8, int8) == 2 * (64 + 4 + 32 + 4)
    assert LatentGroup(layers=1, kv_rank=512, rope_dim=64).bytes_per_token(int8, int8) == 576 + 4
