"""Expected values are worked by hand: Llama-3 70B caches 2 * 80 * 8 * 128 * 2 = 327,680 bytes a token, 40,960 an eighth."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kvcore.catalog import MODELS
from kvcore.dtypes import cache_dtype, weight_dtype
from kvcore.errors import Invalid, KvcoreError
from kvcore.footprint import Footprint
from kvcore.latent import LatentGroup
from kvcore.parallel import PerGpu
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import LayerGroup, Shape
from kvcore.splits import Split, even_stages, most_context_parallel

H100 = 81_559 * 2**20


def per_gpu(model="llama-3-70b", context=8192, batch=8, **options):
    engine = {name: options.pop(name) for name in ("block_size", "reserve") if name in options}
    footprint = Footprint(
        shape=MODELS[model].shape,
        context=context,
        batch=batch,
        cache_dtype=cache_dtype("fp16"),
        weight_dtype=weight_dtype("fp16"),
        gpu_bytes=H100,
    )
    return PerGpu(footprint=footprint, split=Split(**options), **engine)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({}, 327_680, id="one GPU"),
        pytest.param({"tp": 2}, 163_840, id="tp 2: 4 heads each"),
        pytest.param({"tp": 8}, 40_960, id="tp 8: a head each"),
        pytest.param({"tp": 16}, 40_960, id="tp 16: each head on two GPUs"),
        pytest.param({"tp": 64}, 40_960, id="tp 64: each head on eight GPUs"),
        pytest.param({"pp": 2}, 163_840, id="pp 2: 40 layers each"),
        pytest.param({"pp": 3}, 27 * 4_096, id="pp 3: 27, 27 and 26 layers"),
        pytest.param({"tp": 4, "pp": 2}, 40_960, id="tp 4, pp 2"),
        pytest.param({"pp": 2, "stages": (30, 50)}, 50 * 4_096, id="stages set by hand: the larger one counts"),
        pytest.param({"dp": 8}, 327_680, id="dp: a sequence is never divided"),
        pytest.param({"tp": 64, "cp": 8}, 40_960, id="cp: a token takes as much, on one of eight copies of its head"),
        pytest.param({"model": "falcon-7b"}, 8_192, id="falcon-7b"),
        pytest.param({"model": "llama-2-7b", "tp": 4}, 131_072, id="llama-2-7b, tp 4: MHA, 8 heads each"),
        pytest.param({"model": "qwen2.5-7b", "tp": 4}, 14_336, id="qwen2.5-7b, tp 4"),
        pytest.param({"model": "gemma-2-27b", "pp": 2}, 24 * 8_192, id="gemma-2-27b, pp 2: at most 12 of each 23"),
    ],
)
def test_bytes_per_token_of_the_fullest_gpu(asked, expected):
    assert per_gpu(**asked).bytes_per_token == expected


def of_groups(*groups, context=1024, **split):
    shape = Shape(hidden_size=64, query_heads=128, groups=groups, mlps=(), vocab_size=8, tied=True)
    fp16, weights = cache_dtype("fp16"), weight_dtype("fp16")
    footprint = Footprint(shape=shape, context=context, batch=1, cache_dtype=fp16, weight_dtype=weights, gpu_bytes=H100)
    return PerGpu(footprint=footprint, split=Split(**split))


DEEPSEEK_V3 = LatentGroup(layers=61, kv_rank=512, rope_dim=64)


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        pytest.param({}, 70_272, id="61 layers of 576 numbers"),
        pytest.param({"tp": 8}, 70_272, id="tp 8: every GPU stores every latent"),
        pytest.param({"tp": 128}, 70_272, id="tp 128"),
        pytest.param({"pp": 4}, 16 * 1_152, id="pp 4: the stage of 16 layers"),
        pytest.param({"tp": 8, "dp": 2}, 70_272, id="dp 2"),
    ],
)
def test_tensor_parallelism_does_not_divide_a_latent(split, expected):
    assert of_groups(DEEPSEEK_V3, **split).bytes_per_token == expected


def test_context_parallelism_divides_the_tokens_of_a_latent():
    assert of_groups(DEEPSEEK_V3, tp=8, cp=8).sequence_bytes(8_000) == 1_000 * 70_272


def test_tensor_parallelism_divides_a_recurrent_state_by_its_heads():
    """Qwen3.5 27B: 48 heads of 128 x 128 in fp32, a convolution of (2 x 16 + 48) x 128 over 3 inputs in bf16."""
    states = (
        State(role="state", parts=48, values=128 * 128, dtype=cache_dtype("fp32")),
        State(role="convolution", parts=80, values=3 * 128, dtype=cache_dtype("bf16")),
    )
    linear = RecurrentGroup(name="gated delta-net", layers=48, states=states)
    attention = LayerGroup(layers=16, kv_heads=4, key_dim=256, value_dim=256)
    one_gpu, two_gpus = of_groups(attention, linear), of_groups(attention, linear, tp=2)
    assert one_gpu.state_bytes == 48 * 3_207_168
    assert two_gpus.state_bytes == 48 * 1_603_584
    assert two_gpus.sequence_bytes(1024) == 1024 * 32_768 + 48 * 1_603_584


@pytest.mark.parametrize(
    ("layers", "pp", "expected"),
    # From vLLM itself: 27 layers over 2 stages (PR 20665) and 61 over 4 (its documentation).
    [
        pytest.param(27, 2, (14, 13), id="27 over 2"),
        pytest.param(61, 4, (15, 15, 16, 15), id="61 over 4"),
        pytest.param(22, 4, (5, 6, 6, 5), id="22 over 4"),
        pytest.param(5, 3, (2, 2, 1), id="5 over 3"),
        pytest.param(32, 4, (8, 8, 8, 8), id="32 over 4"),
        pytest.param(7, 1, (7,), id="one stage"),
        pytest.param(3, 3, (1, 1, 1), id="one layer in each stage"),
    ],
)
def test_layers_are_divided_as_vllm_divides_them(layers, pp, expected):
    assert even_stages(layers, pp) == expected


def test_a_block_size_rounds_a_sequence_up_to_whole_blocks():
    assert per_gpu(model="mistral-7b-v0.3", block_size=128).sequence_bytes(15_049) == 118 * 128 * 131_072
    assert per_gpu(model="mistral-7b-v0.3").sequence_bytes(15_049) == 15_049 * 131_072


def test_context_parallelism_divides_the_tokens_of_a_sequence():
    assert per_gpu(tp=64, cp=8).sequence_bytes(8_000) == 1_000 * 40_960
    assert per_gpu(tp=64, cp=8).sequence_bytes(8_001) == 1_001 * 40_960


def test_context_parallelism_needs_copies_of_each_kv_head():
    """With 8 KV heads on 8 GPUs no head is stored twice; on 16 each is stored twice, and a latent on 8 eight times."""
    shape = MODELS["llama-3-70b"].shape
    assert [most_context_parallel(shape, tp) for tp in (1, 8, 16, 64)] == [1, 1, 2, 8]
    assert most_context_parallel(MODELS["deepseek-v3"].shape, 8) == 8
    with pytest.raises(Invalid, match="cp: 2 is not at most 1"):
        per_gpu(tp=8, cp=2)


@pytest.mark.parametrize(
    ("asked", "experts"),
    [
        # Mixtral 8x7B: 32 layers of 8 experts of 3 x 4,096 x 14,336 parameters of 2 bytes
        pytest.param({"tp": 8}, Fraction(1, 8), id="tp 8: an eighth of every expert"),
        pytest.param({"tp": 8, "ep": 8}, Fraction(1, 8), id="ep 8: one expert of eight"),
        pytest.param({"tp": 8, "ep": 2}, Fraction(1, 8), id="ep 2: four experts, each divided among 4 GPUs"),
        pytest.param({"dp": 4}, Fraction(1), id="dp 4: each copy has all experts"),
        pytest.param({"dp": 4, "ep": 4}, Fraction(1, 4), id="dp 4, ep 4: two experts of eight"),
        pytest.param({"dp": 3, "ep": 3}, Fraction(3, 8), id="dp 3, ep 3: three experts at most"),
        pytest.param({"tp": 2, "dp": 4, "ep": 8, "pp": 2}, Fraction(1, 16), id="one expert, half of the layers"),
    ],
)
def test_expert_parallelism_divides_the_experts_and_nothing_else(asked, experts):
    share, whole = per_gpu(model="mixtral-8x7b", **asked), per_gpu(model="mixtral-8x7b").weights_bytes
    of_experts = 32 * 8 * 3 * 4_096 * 14_336 * 2
    others = Fraction(whole - of_experts, share.split.tp * share.split.pp)
    assert share.weights_bytes == pytest.approx(others + of_experts * experts, abs=2)


def test_what_fits_on_eight_h100():
    share = per_gpu(tp=8, context=8_192, batch=8)
    assert share.weights_bytes == 17_638_426_624  # 141,107,412,992 / 8
    assert share.usable_bytes == 76_968_728_985  # 85,520,809,984 x 0.9, rounded down to a byte
    assert share.sequence_bytes(8_192) == 335_544_320
    assert share.cache_bytes == 8 * 335_544_320
    assert share.max_batch == (76_968_728_985 - 17_638_426_624) // 335_544_320 == 176
    assert share.max_context == (76_968_728_985 - 17_638_426_624) // (8 * 40_960) == 181_061
    assert share.fits


def test_without_a_reserve_all_memory_is_usable():
    share = per_gpu(tp=8, reserve=Fraction(0))
    assert share.usable_bytes == H100
    assert share.max_batch == (H100 - 17_638_426_624) // 335_544_320 == 202


def test_data_parallelism_divides_the_batch_but_not_the_weights():
    share = per_gpu(model="llama-3-8b", dp=4, batch=10)
    assert share.sequences == 3
    assert share.max_batch == 4 * per_gpu(model="llama-3-8b", batch=10).max_batch
    assert share.weights_bytes == per_gpu(model="llama-3-8b").weights_bytes


def test_when_the_weights_do_not_fit_the_largest_batch_and_context_are_zero():
    share = per_gpu(tp=1)
    assert share.room_bytes < 0
    assert (share.max_batch, share.max_context, share.fits) == (0, 0, False)


def test_max_context_is_none_when_windows_limit_every_layer():
    share = per_gpu(model="mistral-7b-v0.1", batch=1)
    assert share.max_context is None
    assert per_gpu(model="mistral-7b-v0.3", batch=1).max_context == (76_968_728_985 - 14_496_047_104) // 131_072


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        pytest.param({"tp": 0}, "tp", id="tp 0"),
        pytest.param({"tp": 3}, "tp", id="tp 3 does not divide 64 heads"),
        pytest.param({"tp": True}, "tp", id="a bool"),
        pytest.param({"pp": 81}, "pp", id="more stages than layers"),
        pytest.param({"dp": -1}, "dp", id="dp -1"),
        pytest.param({"tp": 8, "cp": 3}, "cp", id="cp that does not divide tp"),
        pytest.param({"tp": 8, "cp": 8}, "cp", id="cp where no KV head is stored twice"),
        pytest.param({"tp": 8, "ep": 3}, "ep", id="ep that does not divide tp"),
        pytest.param({"tp": 2, "dp": 3, "ep": 4}, "ep", id="ep that does not divide tp x dp"),
        pytest.param({"ep": 0}, "ep", id="ep 0"),
        pytest.param({"tp": 2**10, "pp": 2**10}, "gpus", id="a million GPUs"),
        pytest.param({"pp": 2, "stages": (40,)}, "stages", id="a stage too few"),
        pytest.param({"pp": 2, "stages": (40, 41)}, "stages", id="a layer too many"),
        pytest.param({"pp": 2, "stages": (0, 80)}, "stages", id="an empty stage"),
        pytest.param({"block_size": 0}, "block_size", id="a block of no tokens"),
        pytest.param({"reserve": 0.1}, "reserve", id="a float"),
        pytest.param({"reserve": Fraction(1)}, "reserve", id="all memory reserved"),
        pytest.param({"reserve": Fraction(-1, 10)}, "reserve", id="a negative reserve"),
    ],
)
def test_an_impossible_split_is_refused_naming_the_field(asked, field):
    with pytest.raises(KvcoreError) as caught:
        per_gpu(**asked)
    assert caught.value.field == field


MODEL = st.sampled_from(["llama-3-70b", "llama-2-7b", "gemma-2-27b", "mistral-7b-v0.1", "qwen2.5-7b", "falcon-7b"])


@given(
    model=MODEL, tp=st.integers(1, 8), pp=st.integers(1, 6), context=st.integers(1, 2**20), batch=st.integers(1, 300)
)
def test_one_gpu_stores_at_most_the_total_and_all_gpus_at_least_the_total(model, tp, pp, context, batch):
    assume(MODELS[model].shape.query_heads % tp == 0)
    gpus = tp * pp
    share = per_gpu(model, context, batch, tp=tp, pp=pp)
    assert share.cache_bytes <= share.footprint.cache_bytes <= share.cache_bytes * gpus
    assert share.weights_bytes * gpus >= share.footprint.weights_bytes


@given(model=MODEL, tp=st.sampled_from([1, 2, 4]), context=st.integers(1, 2**20), batch=st.integers(1, 300))
def test_the_largest_batch_and_context_fit_and_the_next_do_not(model, tp, context, batch):
    assume(MODELS[model].shape.query_heads % tp == 0)
    asked = {"model": model, "tp": tp, "block_size": 16}
    most = per_gpu(context=context, batch=batch, **asked).max_batch
    if most:
        assert per_gpu(context=context, batch=most, **asked).fits
    assert not per_gpu(context=context, batch=most + 1, **asked).fits
    longest = per_gpu(context=context, batch=batch, **asked).max_context
    if longest:
        assert per_gpu(context=longest, batch=batch, **asked).fits
    if longest is not None:
        assert not per_gpu(context=longest + 1, batch=batch, **asked).fits


@given(model=MODEL, context=st.integers(1, 2**20), block_size=st.integers(1, 512))
def test_rounding_to_blocks_wastes_less_than_one_block_in_each_layer(model, context, block_size):
    plain, blocks = per_gpu(model), per_gpu(model, block_size=block_size)
    waste = blocks.sequence_bytes(context) - plain.sequence_bytes(context)
    assert 0 <= waste <= (block_size - 1) * plain.bytes_per_token
