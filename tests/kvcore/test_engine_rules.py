"""The rules of engines give the numbers that follow from the engines' code, worked by hand."""

import pytest

from kvcore.catalog import MODELS
from kvcore.dtypes import CACHE_DTYPES
from kvcore.evidence.engine_rules import (
    ENGINE_DTYPES,
    VllmBlockPool,
    at_full_size,
    half_of,
    in_cells,
    llama_cells,
    mixed_weights_bytes,
)
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup, NoCacheGroup
from kvcore.recurrent import RecurrentGroup, State

FP16, FP8 = CACHE_DTYPES["fp16"], CACHE_DTYPES["fp8"]


def full(layers, kv_heads, dim):
    return LayerGroup(layers=layers, kv_heads=kv_heads, key_dim=dim, value_dim=dim)


def sliding(layers, kv_heads, dim, window):
    return LayerGroup(kind="sliding", layers=layers, kv_heads=kv_heads, key_dim=dim, value_dim=dim, window=window)


@pytest.mark.parametrize(
    ("context", "window", "sequences", "micro_batch", "expected"),
    [
        pytest.param(131_072, 128, 1, 512, 768, id="128 + 512 = 640, padded"),
        pytest.param(131_072, 128, 1, 2048, 2304, id="128 + 2,048 = 2,176, padded"),
        pytest.param(65_536, 128, 4, 512, 1024, id="4 x 128 + 512"),
        pytest.param(8_192, 4096, 4, 512, 8192, id="at most the context"),
        pytest.param(1, 4096, 1, 512, 256, id="at least 256"),
    ],
)
def test_cells_of_a_window_in_llama_cpp(context, window, sequences, micro_batch, expected):
    assert llama_cells(context, window, sequences, micro_batch) == expected


def test_in_cells_changes_only_layers_with_a_window():
    plain, window = in_cells((full(12, 8, 64), sliding(12, 8, 64, 128)), 131_072, 1, 512)
    assert plain == full(12, 8, 64)
    assert window == sliding(12, 8, 64, 768)


def test_at_full_size_removes_every_window():
    groups = at_full_size((full(10, 16, 128), sliding(52, 16, 128, 1024)))
    assert groups == (full(10, 16, 128), full(52, 16, 128))


def test_half_of_has_twice_the_bytes_of_the_keys_or_of_the_values():
    group = LayerGroup(layers=61, kv_heads=128, key_dim=192, value_dim=128)
    for part, values in (("keys", 128 * 192), ("values", 128 * 128)):
        (doubled,), dtype = half_of((group,), part, FP16, FP8)
        assert doubled.bytes_per_token(dtype, dtype) == 2 * 61 * values * (2 if part == "keys" else 1)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        pytest.param("q8_KV", 576, 584, id="q8_KV: a scale for each row"),
        pytest.param("fp8_ds_mla", 576, 512 + 16 + 128, id="fp8_ds_mla: latent, scales, rotary part"),
        pytest.param("mxfp4", 32, 17, id="mxfp4: 32 half-bytes and a scale"),
    ],
)
def test_bytes_of_data_types_that_only_one_engine_has(name, values, expected):
    assert ENGINE_DTYPES[name].row_bytes(values) == expected
    assert len(ENGINE_DTYPES[name].source) > 10


def test_mixed_weights_have_one_type_for_mlps_and_another_for_the_rest():
    shape = MODELS["llama-3.1-405b"].shape
    mlps = 126 * 3 * 16_384 * 53_248
    assert mixed_weights_bytes(shape, ENGINE_DTYPES["fp8"], ENGINE_DTYPES["bf16"]) == mlps + 2 * (
        405_853_388_800 - mlps
    )


def test_block_pool_of_layers_with_and_without_a_window():
    """8 full layers with one head of 512 and 40 sliding ones with four of 256: a block of 65,536 bytes in a layer.

    That is 16 tokens of a sliding layer and 32 of a full one.
    """
    pool = VllmBlockPool(
        groups=(full(8, 1, 512), sliding(40, 4, 256, 1024)), key_dtype=FP16, value_dtype=FP16, batched_tokens=4096
    )
    assert (pool.bundle, pool.layer_bytes, pool.block_bytes, pool.block_tokens) == (8, 65_536, 524_288, 16)
    assert pool.blocks_per_request(131_072) == 131_072 // 32 + 5 * (320 + 1)
    assert pool.pool_tokens(16_703, 131_072) == 384_019
    assert pool.pool_blocks(384_019, 131_072) == 16_703


def test_a_block_of_attention_has_at_least_the_bytes_of_a_layer_s_state():
    """48 / 2 heads of 128 x 128 in fp32 and a convolution of 15,360 in bf16 are 1,603,584 bytes: 1,566 tokens, so 1,568."""
    states = (
        State(role="state", parts=24, values=128 * 128, dtype=CACHE_DTYPES["fp32"]),
        State(role="convolution", parts=40, values=3 * 128, dtype=CACHE_DTYPES["bf16"]),
    )
    linear = RecurrentGroup(name="gated delta-net", layers=48, states=states)
    pool = VllmBlockPool(groups=(full(16, 2, 256), linear), key_dtype=FP8, value_dtype=FP8, state_blocks=2)
    assert linear.state_bytes == 48 * 1_603_584
    assert pool.block_tokens == 1568
    assert pool.blocks_per_request(131_072) == 84 + 3 * 2
    assert pool.pool_tokens(208, 131_072) == 302_921


def test_layers_that_keep_nothing_take_no_blocks():
    """As in Gemma 3n, whose last layers read another layer's cache, and Nemotron-H, where MLPs are layers of their own."""
    full = LayerGroup(layers=8, kv_heads=1, key_dim=512, value_dim=512)
    shared = LayerGroup(kind="shared", layers=3, kv_heads=1, key_dim=512, value_dim=512)
    fp16 = ENGINE_DTYPES["fp16"]
    alone = VllmBlockPool(groups=(full,), key_dtype=fp16, value_dtype=fp16)
    with_others = VllmBlockPool(groups=(full, shared, NoCacheGroup(layers=5)), key_dtype=fp16, value_dtype=fp16)
    for pool in (alone, with_others):
        assert (pool.bundle, pool.block_bytes, pool.block_tokens) == (8, 8 * 16 * 2048, 16)
        assert pool.blocks_per_request(1000) == 63


def test_a_block_of_latents_beside_recurrent_state_is_a_multiple_of_64_tokens():
    """A report on vLLM: 1,085,440 bytes of state are 942.2 tokens of 1,152 bytes, so a block has 960, in 7 layers.

    20 layers with state are three bundles of at most seven: a pool of 318 blocks is printed as 318 // 4 * 960 tokens, and requests
    of 120,000 tokens take 125 + 3 blocks each.
    """
    state = State(role="state", parts=1, values=1_085_440 // 2, dtype=ENGINE_DTYPES["bf16"])
    groups = (
        LatentGroup(layers=7, kv_rank=512, rope_dim=64),
        RecurrentGroup(name="state", layers=20, states=(state,)),
    )
    pool = VllmBlockPool(groups=groups, key_dtype=ENGINE_DTYPES["bf16"], value_dtype=ENGINE_DTYPES["bf16"])
    assert (pool.block_tokens, pool.block_bytes) == (960, 7_741_440)
    assert pool.pool_tokens_by_groups(318) == 75_840
    assert pool.blocks_per_request(120_000) == 128
