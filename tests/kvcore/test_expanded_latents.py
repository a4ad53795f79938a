"""Latents expanded: an engine that cannot compute with latents caches the K and V of all heads."""

import pytest

import kvcore
from kvcore.catalog import MODELS
from kvcore.dtypes import cache_dtype
from kvcore.errors import Unsupported
from kvcore.latent import LatentGroup
from kvcore.loaded import as_loaded, with_expanded_latents
from kvcore.parallel import PerGpu
from kvcore.splits import Split

FP16 = cache_dtype("fp16")


@pytest.mark.parametrize(
    ("model", "padded", "expected"),
    [
        # K of 128 + 64 numbers and V of 128 for each head, in 2 bytes
        pytest.param("deepseek-v3", False, 61 * 128 * (192 + 128) * 2, id="DeepSeek-V3: 4,997,120, not 70,272"),
        # vLLM pads V to the width of K (deepseek_v2.py, DeepseekV2Attention)
        pytest.param("deepseek-v3", True, 61 * 128 * (192 + 192) * 2, id="DeepSeek-V3 in vLLM: 5,996,544"),
        pytest.param("kimi-k2", False, 61 * 64 * (192 + 128) * 2, id="Kimi K2 has half as many heads"),
        pytest.param("deepseek-v2-lite", False, 27 * 16 * (192 + 128) * 2, id="DeepSeek-V2-Lite"),
    ],
)
def test_bytes_of_a_token(model, padded, expected):
    assert with_expanded_latents(MODELS[model].shape, padded=padded).bytes_per_token(FP16) == expected


def test_llama_cpp_printed_the_same_for_files_without_the_matrices_that_mla_needs():
    """4,096 tokens in 61 layers with n_embd_k_gqa = 24576 and n_embd_v_gqa = 16384, as public logs have it.

    "llama_context: KV self size  = 19520.00 MiB, K (f16): 11712.00 MiB, V (f16): 7808.00 MiB".
    """
    footprint = kvcore.size("deepseek-v3", context=4096, expand_latents=True)
    assert footprint.cache_bytes == 19_520 * 2**20
    in_a_byte = kvcore.size("deepseek-v3", context=4096, value_dtype="fp8", expand_latents=True)
    assert in_a_byte.cache_bytes == 11_712 * 2**20 + 3_904 * 2**20


def test_the_parameters_stay_and_the_heads_are_divided():
    shape = MODELS["deepseek-v3"].shape
    expanded = with_expanded_latents(shape)
    assert expanded.params == shape.params
    assert expanded.attention == "mha"
    assert not expanded.uniform  # the shape of its projections is not that of K and V heads
    share = PerGpu(footprint=kvcore.size("deepseek-v3", expand_latents=True), split=Split(tp=8))
    assert share.bytes_per_token == 4_997_120 // 8


def test_an_mtp_layer_is_expanded_too():
    shape = as_loaded(MODELS["deepseek-v3"].shape, mtp=True, expanded=True)
    assert shape.bytes_per_token(FP16) == 62 * 128 * (192 + 128) * 2


@pytest.mark.parametrize("model", ["llama-3-70b", "glm-5.2", "deepseek-v3.2"])
def test_a_model_without_latents_or_with_an_indexer_refuses(model):
    with pytest.raises(Unsupported) as caught:
        kvcore.size(model, expand_latents=True)
    assert caught.value.field == "latents"


def test_widths_that_are_not_known_are_not_guessed():
    with pytest.raises(Unsupported):
        LatentGroup(layers=61, kv_rank=512, rope_dim=64).expanded(128)


def test_a_type_for_latents_is_refused_for_heads():
    with pytest.raises(Unsupported) as caught:
        kvcore.size("deepseek-v3", cache_dtype="fp8_ds_mla", expand_latents=True)
    assert caught.value.field == "cache_dtype"
