"""The verdict: what fits, the fewest GPUs, and the smallest changes that make it fit; by hand, and as properties of random deployments."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore import size
from kvcore.catalog import GPUS, MODELS
from kvcore.dtypes import CACHE_DTYPES, LAB_CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.parallel import PerGpu
from kvcore.splits import GPU_COUNTS, Split, divides_heads, split_for, splits_over
from kvcore.verdict import DIMENSIONS, Verdict

CACHE_TYPES = tuple(CACHE_DTYPES[name] for name in LAB_CACHE_DTYPES)
WEIGHT_TYPES = tuple(WEIGHT_DTYPES.values())
TENTH = Fraction(1, 10)


def verdict_on(model="llama-3-70b", *, tp=2, pp=1, dp=1, cp=1, ep=1, reserve=TENTH, block_size=1, **load):
    share = PerGpu(
        footprint=size(model, **load),
        split=Split(tp=tp, pp=pp, dp=dp, cp=cp, ep=ep),
        reserve=reserve,
        block_size=block_size,
    )
    return Verdict(deployment=share, cache_dtypes=CACHE_TYPES, weight_dtypes=WEIGHT_TYPES)


def test_the_ways_to_make_llama_3_70b_fit_on_two_h100():
    """Each GPU: 81,559 MiB less a tenth, 76,968,728,985 B, and 70,553,706,496 B of weights, which leaves 6,415,022,489 B.

    A token takes 163,840 B on each GPU, so 8,192 tokens 1,342,177,280: 4 users fit, or 4,894 tokens of 8 users. The largest smaller
    type of cache is q8_0: 8 x 8,192 x 163,840 x 1.0625 / 2 = 5,704,253,440 B. FP8 weights leave 41.7 GB. With four GPUs, half of all.
    """
    verdict = verdict_on(batch=8)
    assert (verdict.fits, verdict.max_batch, verdict.max_context) == (False, 4, 4894)
    assert [way.dimension for way in verdict.ways] == list(DIMENSIONS)
    cache, weights, context, batch, gpus = verdict.ways
    assert (cache.value.name, cache.deployment.cache_bytes) == ("q8_0", 5_704_253_440)
    assert weights.value.name == "fp8"
    assert (context.value, batch.value) == (4894, 4)
    assert gpus.value == Split(tp=4)
    assert verdict.fewest == Split(tp=4)


def test_a_deployment_that_fits_has_no_ways_and_needs_no_more_gpus_than_it_has():
    verdict = verdict_on(batch=8, tp=8)
    assert (verdict.fits, verdict.max_batch) == (True, 176)
    assert verdict.ways == ()
    assert verdict.fewest == Split(tp=4)


def test_when_the_weights_do_not_fit_no_context_and_no_batch_is_suggested():
    verdict = verdict_on(batch=8, tp=1)
    assert (verdict.max_batch, verdict.max_context) == (0, 0)
    # INT4 weights are 35,276,853,248 B, the cache 21,474,836,480 B; a cache of no size would not make 141 GB of weights fit
    assert [(way.dimension, getattr(way.value, "name", way.value)) for way in verdict.ways] == [
        ("weight_dtype", "int4"),
        ("gpus", Split(tp=4)),
    ]


def test_the_engineers_question():
    """Qwen3-32B at 32K for 40 users on two H100: 64 layers of 8 KV heads of 128, 262,144 B a token, so 8 GiB a user, 320 GiB in all.

    Two GPUs have 153.9 GB less 65.5 GB of weights: 10 users. Eight have an eighth of both: 48.7 GiB of 71.7.
    """
    verdict = verdict_on("qwen3-32b", context=32_768, batch=40)
    assert (verdict.fits, verdict.max_batch, verdict.max_context) == (False, 10, 8431)
    assert verdict.fewest == Split(tp=8)
    assert [way.dimension for way in verdict.ways] == ["context", "batch", "gpus"]


@pytest.mark.parametrize(
    ("model", "gpus", "expected"),
    [
        pytest.param("llama-3-70b", 8, [Split(tp=8)], id="a KV head each"),
        pytest.param("llama-3-70b", 16, [Split(tp=16), Split(tp=8, dp=2)], id="copies of heads, or of the model"),
        pytest.param("llama-3-70b", 6, [], id="6 divides neither 64 nor 8 heads"),
        pytest.param("qwen2.5-14b", 5, [], id="5 divides 40 query heads but not 8 KV heads"),
        pytest.param("deepseek-v3", 8, [Split(tp=8), Split(tp=1, dp=8, ep=8)], id="a latent: copies of attention"),
        pytest.param("falcon-7b", 2, [Split(pp=2)], id="71 query heads: stages"),
        pytest.param("codestral-mamba-7b", 4, [Split(tp=4), Split(tp=1, dp=4)], id="no heads at all"),
    ],
)  # fmt: skip
def test_the_splits_that_are_tried_over_a_number_of_gpus(model, gpus, expected):
    assert list(splits_over(MODELS[model].shape, gpus)) == expected


@pytest.mark.parametrize(
    ("model", "gpus", "like", "expected"),
    [
        pytest.param("llama-3-70b", 6, Split(), Split(tp=2, pp=3), id="6 = 2 x 3"),
        pytest.param("llama-3-70b", 5, Split(), Split(pp=5), id="5 stages"),
        pytest.param("llama-3-70b", 8, Split(pp=2), Split(tp=4, pp=2), id="stages stay"),
        pytest.param("llama-3-70b", 8, Split(dp=2), Split(tp=4, dp=2), id="copies stay"),
        pytest.param("llama-3-70b", 7, Split(dp=2), None, id="two copies of 3.5 GPUs"),
        pytest.param("llama-3-70b", 83, Split(), None, id="more stages than layers"),
        pytest.param("deepseek-v3", 16, Split(tp=8, cp=8), Split(tp=16, cp=8), id="context parallelism stays"),
        pytest.param("deepseek-v3", 32, Split(tp=8, dp=2, ep=16), Split(tp=16, dp=2, ep=32), id="experts over all"),
    ],
)  # fmt: skip
def test_the_split_over_another_number_of_gpus(model, gpus, like, expected):
    assert split_for(MODELS[model].shape, gpus, like) == expected


DEPLOYMENT = {
    "model": st.sampled_from(
        ("llama-3-70b", "llama-3.1-8b", "falcon-7b", "gemma-3-27b", "deepseek-v3", "codestral-mamba-7b", "qwen3-next-80b",
         "gpt-oss-120b", "mistral-7b-v0.1", "qwen2.5-14b")
    ),
    "gpus": st.sampled_from((1, 2, 3, 4, 6, 8, 16)),
    "context": st.integers(1, 2**20),
    "batch": st.integers(1, 600),
    "reserve": st.integers(0, 90).map(lambda percent: Fraction(percent, 100)),
    "gpu": st.sampled_from(sorted(GPUS)),
    "block_size": st.sampled_from((1, 16, 256)),
    "shared_prompt": st.one_of(st.just(0), st.integers(1, 2**20)),
}  # fmt: skip


def random_verdict(*, model, gpus, reserve, block_size, **load):
    split = split_for(MODELS[model].shape, gpus)
    share = PerGpu(footprint=size(model, **load), split=split, reserve=reserve, block_size=block_size)
    return Verdict(deployment=share, cache_dtypes=CACHE_TYPES, weight_dtypes=WEIGHT_TYPES)


@given(**DEPLOYMENT)
def test_every_way_makes_it_fit_and_one_step_less_does_not(**asked):
    verdict = random_verdict(**asked)
    share = verdict.deployment
    assert bool(verdict.ways) <= (not verdict.fits)
    for way in verdict.ways:
        assert way.deployment.fits
        assert not way.before.fits
        if way.dimension in {"context", "batch"}:
            assert getattr(way.before.footprint, way.dimension) == way.value + 1
        elif way.dimension == "gpus":
            for count in GPU_COUNTS:
                if share.split.gpus < count < way.value.gpus:
                    for split in splits_over(share.footprint.shape, count):
                        assert not replace(share, split=split).fits
        else:
            types = {"cache_dtype": CACHE_TYPES, "weight_dtype": WEIGHT_TYPES}[way.dimension]
            part = {"cache_dtype": "cache_bytes", "weight_dtype": "weights_bytes"}[way.dimension]
            for dtype in types:
                other = replace(share, footprint=replace(share.footprint, value_dtype=None, **{way.dimension: dtype}))
                if getattr(way.deployment, part) < getattr(other, part) < getattr(share, part):
                    assert not other.fits


@given(**DEPLOYMENT, more=st.integers(1, 600))
def test_more_users_never_need_fewer_gpus(more, **asked):
    fewer, many = random_verdict(**asked).fewest, random_verdict(**{**asked, "batch": asked["batch"] + more}).fewest
    if many is not None:
        assert fewer is not None
        assert fewer.gpus <= many.gpus


@given(**DEPLOYMENT, more=st.integers(0, 90))
def test_a_larger_reserve_never_fits_more(more, **asked):
    reserve = max(asked["reserve"], Fraction(more, 100))
    loose, tight = random_verdict(**asked), random_verdict(**{**asked, "reserve": reserve})
    unlimited = 2**60
    assert loose.fits or not tight.fits
    for name in ("max_batch", "max_context"):
        most, least = (unlimited if (found := getattr(verdict, name)) is None else found for verdict in (loose, tight))
        assert least <= most


@given(**DEPLOYMENT)
def test_the_fewest_gpus_hold_it_and_no_smaller_number_that_is_tried_does(**asked):
    verdict = random_verdict(**asked)
    split, share = verdict.fewest, verdict.deployment
    if split is not None:
        assert replace(share, split=split).fits
    for count in GPU_COUNTS:
        if split is None or count < split.gpus:
            for smaller in splits_over(share.footprint.shape, count):
                assert not replace(share, split=smaller).fits


@pytest.mark.parametrize("model", sorted(MODELS))
def test_one_gpu_always_divides_a_model(model):
    assert divides_heads(MODELS[model].shape, 1)
    assert split_for(MODELS[model].shape, 1) == Split()
