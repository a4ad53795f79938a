"""Expected values are worked by hand: Llama-3 70B caches 2 * 80 * 8 * 128 * 2 = 327,680 bytes a token, and so on."""

from fractions import Fraction

import pytest

from kvcore.catalog import MODELS
from kvcore.dtypes import cache_dtype, weight_dtype
from kvcore.errors import KvcoreError
from kvcore.footprint import Footprint
from kvcore.layers import LayerGroup
from kvcore.shape import Shape

H100 = 81_559 * 2**20


def footprint_of(model="llama-3-70b", *, context=8192, batch=8, cache="fp16", weights="fp16", gpu_bytes=H100, **edits):
    shape = MODELS[model].shape
    return Footprint(
        shape=shape.edited(**edits) if edits else shape,
        context=context,
        batch=batch,
        cache_dtype=cache_dtype(cache),
        weight_dtype=weight_dtype(weights),
        gpu_bytes=gpu_bytes,
    )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({}, 327_680, id="llama-3-70b"),
        pytest.param({"kv_heads": 64}, 2_621_440, id="llama-3-70b as MHA"),
        pytest.param({"kv_heads": 1}, 40_960, id="llama-3-70b as MQA"),
        pytest.param({"cache": "int8"}, 163_840, id="llama-3-70b in int8"),
        pytest.param({"cache": "q8_0"}, 174_080, id="llama-3-70b in q8_0: 34 bytes for 32 values"),
        pytest.param({"cache": "q4_0"}, 92_160, id="llama-3-70b in q4_0: 18 bytes for 32 values"),
        pytest.param({"model": "llama-2-7b"}, 524_288, id="llama-2-7b"),
        pytest.param({"model": "mistral-7b-v0.1"}, 131_072, id="mistral-7b-v0.1"),
        pytest.param({"model": "falcon-7b"}, 8_192, id="falcon-7b"),
    ],
)
def test_bytes_per_token(asked, expected):
    assert footprint_of(**asked).bytes_per_token == expected


def test_totals_of_the_article_s_example():
    footprint = footprint_of()
    assert footprint.bytes_per_sequence == 2_684_354_560  # 2.5 GiB
    assert footprint.cache_bytes == 21_474_836_480  # 20 GiB
    assert footprint.weights_bytes == 141_107_412_992
    assert footprint.total_bytes == 162_582_249_472
    assert footprint.ratio == Fraction(21_474_836_480, 141_107_412_992)
    assert footprint.gpus_by_memory == 2  # of 85,520,809,984 bytes


@pytest.mark.parametrize(
    ("asked", "context", "batch"),
    [
        pytest.param({"batch": 8}, 53_829, 53, id="batch 8"),
        pytest.param({"batch": 1}, 430_626, 53, id="batch 1"),
        pytest.param({"batch": 32}, 13_458, 53, id="batch 32"),
        pytest.param({"batch": 8, "kv_heads": 64}, 7_625, 8, id="MHA: 159,897,894,912 bytes of weights"),
        pytest.param({"batch": 8, "kv_heads": 1}, 423_458, 414, id="MQA: 138,758,602,752 bytes of weights"),
        pytest.param({"batch": 8, "context": 1024}, 53_829, 421, id="1,024 tokens"),
    ],
)
def test_the_cliff_is_the_first_context_or_batch_whose_cache_exceeds_the_weights(asked, context, batch):
    footprint = footprint_of(**asked)
    assert (footprint.cliff_context, footprint.cliff_batch) == (context, batch)


def test_with_mha_the_cliff_is_at_a_context_7_06_times_shorter():
    grouped, mha = footprint_of(), footprint_of(kv_heads=64)
    assert mha.shape.params == 79_948_947_456
    assert mha.shape.params - grouped.shape.params == 9_395_240_960
    assert round(grouped.cliff_context / mha.cliff_context, 2) == 7.06


def test_a_window_limits_the_cache():
    footprint = footprint_of(model="mistral-7b-v0.1", context=32_768, batch=1)
    assert footprint.cache_bytes == 4_096 * 131_072
    assert footprint.cliff_context is None
    assert footprint.cliff_batch == 14_483_464_192 // 536_870_912 + 1


def test_the_cliff_is_found_below_the_window():
    footprint = footprint_of(model="mistral-7b-v0.1", batch=512)
    assert footprint.cliff_context == 14_483_464_192 // (512 * 131_072) + 1


@pytest.mark.parametrize(
    ("model", "at_1", "at_4097"),
    [
        pytest.param("llama-3-70b", 3 * 327_680, 3 * 327_680 * 4097, id="full attention"),
        pytest.param(
            "gemma-3-27b",
            3 * 62 * 8192,
            3 * 8192 * (52 * 1024 + 10 * 4097),
            id="52 layers with a window and 10 without",
        ),
        pytest.param("deepseek-v3", 3 * 70_272, 3 * 70_272 * 4097, id="61 layers of 576 values"),
        pytest.param(
            "codestral-mamba-7b",
            3 * 64 * (128 * 64 * 128 * 4 + (128 * 64 + 2 * 8 * 128) * 3 * 2),
            3 * 64 * (128 * 64 * 128 * 4 + (128 * 64 + 2 * 8 * 128) * 3 * 2),
            id="recurrent state alone",
        ),
    ],
)
def test_the_cache_of_three_sequences(model, at_1, at_4097):
    footprint = footprint_of(model=model, batch=3)
    assert footprint.cache_curve((1, 4097)) == [at_1, at_4097]
    assert 3 * footprint.sequence_bytes(4097) == at_4097


def test_cache_curve_of_a_model_with_a_window():
    """Mistral 7B v0.1, two sequences: 131,072 bytes a token until the window of 4,096 tokens is full, then no more."""
    footprint = footprint_of(model="mistral-7b-v0.1", batch=2)
    assert footprint.cache_curve((1, 4095, 4096, 4097, 2**20)) == [
        262_144, 1_073_479_680, 1_073_741_824, 1_073_741_824, 1_073_741_824
    ]  # fmt: skip


def test_at_the_cliff_the_cache_is_larger_than_the_weights_not_equal():
    """The weights take as much as 16 sequences, or 160 tokens: a `>=` in place of `>` would return 16 and 160."""
    shape = Shape(
        hidden_size=64, query_heads=1, groups=(LayerGroup(layers=1, kv_heads=1, key_dim=64, value_dim=64),),
        mlps=(), vocab_size=64, tied=True, norms_per_layer=0, model_norms=0,
    )  # fmt: skip
    fp16 = cache_dtype("fp16")
    footprint = Footprint(
        shape=shape, context=10, batch=1, cache_dtype=fp16, weight_dtype=weight_dtype("fp16"), gpu_bytes=1
    )
    assert (footprint.weights_bytes, footprint.bytes_per_sequence) == (2 * 5 * 64 * 64, 10 * 2 * 64 * 2)
    assert footprint.cliff_batch == 17  # 16 sequences take exactly as much as the weights
    assert footprint.cliff_context == 161  # 160 tokens take exactly as much as the weights


def test_gpus_by_memory_when_one_gpu_is_smaller_than_the_weights():
    # 162,582,249,472 / 25,757,220,864 = 6.3
    assert footprint_of(gpu_bytes=24_564 * 2**20).gpus_by_memory == 7


@pytest.mark.parametrize("field", ["context", "batch", "gpu_bytes"])
@pytest.mark.parametrize("value", [0, -1, True, 1.0, "8", 2**70])
def test_a_number_out_of_range_is_refused_naming_the_field(field, value):
    with pytest.raises(KvcoreError) as caught:
        footprint_of(**{field: value})
    assert caught.value.field == field


def test_totals_and_crossings_agree_with_numpy_over_random_shapes():
    numpy = pytest.importorskip("numpy", reason="this test compares with numpy, which is not installed in Pyodide")
    random = numpy.random.default_rng(20261129)
    contexts = numpy.arange(1, 2**17, dtype=numpy.int64)
    for model in ("llama-3-8b", "gemma-2-27b", "mistral-7b-v0.1", "qwen3-32b"):
        for _ in range(25):
            heads = int(random.choice([8, 16, 32, 64]))
            kv_heads = int(random.choice([h for h in (1, 2, 4, 8, 16, 32, 64) if heads % h == 0]))
            batch = int(random.integers(1, 2000))
            footprint = footprint_of(model=model, batch=batch, context=9, query_heads=heads, kv_heads=kv_heads)
            per_sequence = sum(
                numpy.minimum(contexts, group.window or 2**40) * (4 * group.layers * group.kv_heads * group.key_dim)
                for group in footprint.shape.groups
            )
            assert footprint.cache_bytes == batch * int(per_sequence[8])
            over = numpy.flatnonzero(batch * per_sequence > footprint.weights_bytes)
            expected = int(contexts[over[0]]) if len(over) else None
            if footprint.cliff_context is None or footprint.cliff_context <= contexts[-1]:
                assert footprint.cliff_context == expected
            else:
                assert expected is None
