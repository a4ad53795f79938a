"""Golden values are those of DESIGN's arithmetic, written out by hand: 2 * 80 * 8 * 128 * 2 = 327,680 and so on."""

from fractions import Fraction

import pytest

from kvcore.catalog import MODELS
from kvcore.dtypes import cache_dtype, weight_dtype
from kvcore.errors import KvcoreError
from kvcore.footprint import Footprint
from kvcore.layers import LayerGroup
from kvcore.shape import Shape

H100 = 81_559 * 2**20


def footprint(model="llama-3-70b", *, context=8192, batch=8, cache="fp16", weights="fp16", gpu_bytes=H100, **edits):
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
    assert footprint(**asked).bytes_per_token == expected


def test_the_article_s_state_adds_up():
    held = footprint()
    assert held.bytes_per_sequence == 2_684_354_560  # 2.5 GiB
    assert held.cache_bytes == 21_474_836_480  # 20 GiB
    assert held.weights_bytes == 141_107_412_992
    assert held.total_bytes == 162_582_249_472
    assert held.ratio == Fraction(21_474_836_480, 141_107_412_992)
    assert held.gpus == 2
    assert held.free_bytes == 2 * 81_559 * 2**20 - 162_582_249_472
    assert held.max_batch == 11


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
def test_the_cliff_is_the_first_that_exceeds_the_weights(asked, context, batch):
    held = footprint(**asked)
    assert (held.cliff_context, held.cliff_batch) == (context, batch)


def test_the_cliff_of_mha_comes_seven_times_sooner_not_eight():
    grouped, mha = footprint(), footprint(kv_heads=64)
    assert mha.shape.params == 79_948_947_456
    assert mha.shape.params - grouped.shape.params == 9_395_240_960
    assert round(grouped.cliff_context / mha.cliff_context, 2) == 7.06


def test_a_window_caps_the_cache():
    held = footprint(model="mistral-7b-v0.1", context=32_768, batch=1)
    assert held.cache_bytes == 4_096 * 131_072
    assert held.cliff_context is None
    assert held.cliff_batch == 14_483_464_192 // 536_870_912 + 1


def test_a_crossing_within_the_window_is_found():
    held = footprint(model="mistral-7b-v0.1", batch=512)
    assert held.cliff_context == 14_483_464_192 // (512 * 131_072) + 1


@pytest.mark.parametrize(
    "model", ["llama-3-70b", "mistral-7b-v0.1", "gemma-3-27b", "deepseek-v3", "codestral-mamba-7b"]
)
def test_the_curve_is_the_batch_times_a_sequence_at_every_context(model):
    held = footprint(model=model, batch=3)
    contexts = (1, 1024, 4096, 4097, 8192, 2**20)
    assert held.cache_curve(contexts) == [3 * held.sequence_bytes(context) for context in contexts]


def test_a_curve_worked_by_hand():
    """Mistral 7B v0.1: 131,072 bytes a token until its window of 4,096 is full, then nothing more; two sequences."""
    held = footprint(model="mistral-7b-v0.1", batch=2)
    assert held.cache_curve((1, 4095, 4096, 4097, 2**20)) == [
        262_144, 1_073_479_680, 1_073_741_824, 1_073_741_824, 1_073_741_824
    ]  # fmt: skip


def test_the_least_batch_is_past_the_weights_and_not_level_with_them():
    """Weights that are exactly 16 sequences, and 160 tokens, of cache: `>=` in the place of `>` would answer those."""
    shape = Shape(
        hidden_size=64, query_heads=1, groups=(LayerGroup(layers=1, kv_heads=1, key_dim=64, value_dim=64),),
        mlps=(), vocab_size=64, tied=True, norms_per_layer=0, model_norms=0,
    )  # fmt: skip
    fp16 = cache_dtype("fp16")
    held = Footprint(shape=shape, context=10, batch=1, cache_dtype=fp16, weight_dtype=weight_dtype("fp16"), gpu_bytes=1)
    assert (held.weights_bytes, held.bytes_per_sequence) == (2 * 5 * 64 * 64, 10 * 2 * 64 * 2)
    assert held.cliff_batch == 17  # 16 sequences weigh as much as the weights, 17 more
    assert held.cliff_context == 161  # and 160 tokens as much


def test_no_room_for_the_weights_is_no_negative_batch():
    held = footprint(gpu_bytes=24_564 * 2**20)
    assert held.gpus == 7
    assert held.max_batch == (7 * 24_564 * 2**20 - 141_107_412_992) // 2_684_354_560


@pytest.mark.parametrize("field", ["context", "batch", "gpu_bytes"])
@pytest.mark.parametrize("value", [0, -1, True, 1.0, "8", 2**70])
def test_a_number_out_of_range_is_refused_by_name(field, value):
    with pytest.raises(KvcoreError) as caught:
        footprint(**{field: value})
    assert caught.value.field == field


def test_totals_and_crossings_agree_with_numpy_over_random_shapes():
    numpy = pytest.importorskip("numpy", reason="numpy is the oracle, and is not in the browser's Python")
    random = numpy.random.default_rng(20261129)
    contexts = numpy.arange(1, 2**17, dtype=numpy.int64)
    for model in ("llama-3-8b", "gemma-2-27b", "mistral-7b-v0.1", "qwen3-32b"):
        for _ in range(25):
            heads = int(random.choice([8, 16, 32, 64]))
            kv_heads = int(random.choice([h for h in (1, 2, 4, 8, 16, 32, 64) if heads % h == 0]))
            batch = int(random.integers(1, 2000))
            held = footprint(model=model, batch=batch, context=9, query_heads=heads, kv_heads=kv_heads)
            per_sequence = sum(
                numpy.minimum(contexts, group.window or 2**40) * (4 * group.layers * group.kv_heads * group.key_dim)
                for group in held.shape.groups
            )
            assert held.cache_bytes == batch * int(per_sequence[8])
            over = numpy.flatnonzero(batch * per_sequence > held.weights_bytes)
            expected = int(contexts[over[0]]) if len(over) else None
            if held.cliff_context is None or held.cliff_context <= contexts[-1]:
                assert held.cliff_context == expected
            else:
                assert expected is None
