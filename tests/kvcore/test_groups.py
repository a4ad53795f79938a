from fractions import Fraction

import pytest

from kvcore.dtypes import cache_dtype
from kvcore.errors import Invalid, KvcoreError, OutOfRange, Unsupported
from kvcore.footprint import Footprint
from kvcore.groups import asymptotic_bytes, attention_name, cache_bytes
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup, NoCacheGroup
from kvcore.mlp import Mlp
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape

FP32, FP16, FP8, Q8_0 = (cache_dtype(name) for name in ("fp32", "fp16", "fp8", "q8_0"))


def heads(kind="full", layers=2, kv_heads=4, key_dim=8, value_dim=8, window=None, **more):  # noqa: PLR0917 - a row of a table
    return LayerGroup(
        kind=kind, layers=layers, kv_heads=kv_heads, key_dim=key_dim, value_dim=value_dim, window=window, **more
    )


MLA = LatentGroup(layers=61, kv_rank=512, rope_dim=64)
SPARSE = LatentGroup(layers=61, kv_rank=512, rope_dim=64, index_dim=128)
DELTA = RecurrentGroup(
    name="gated delta-net",
    layers=48,
    states=(
        State(role="state", parts=48, values=128 * 128, dtype=FP32),
        State(role="convolution", parts=48, values=3 * 128, dtype=FP16),
    ),
)
IDLE = NoCacheGroup(layers=3)


@pytest.mark.parametrize(
    ("group", "context", "expected"),
    [
        pytest.param(heads(), 10, 10 * 2 * 2 * 4 * 8 * 2, id="full: 2 x L x n_kv x d_h x p a token"),
        pytest.param(heads("sliding", window=4), 3, 3 * 256, id="sliding, below its window"),
        pytest.param(heads("sliding", window=4), 9, 4 * 256, id="sliding, past it"),
        pytest.param(heads("chunked", window=4), 9, 4 * 256, id="chunked: at most a chunk"),
        pytest.param(heads("shared"), 9, 0, id="shared: another layer's cache"),
        pytest.param(heads(key_dim=192, value_dim=128), 1, 2 * 4 * (192 + 128) * 2, id="K wider than V"),
        pytest.param(MLA, 1, 61 * 576 * 2, id="latent: L x (512 + 64) x p, no factor 2"),
        pytest.param(SPARSE, 1, 61 * (576 * 2 + 132), id="latent with an indexer: 132 bytes more a layer"),
        pytest.param(DELTA, 10**6, 0, id="recurrent: no tokens"),
        pytest.param(IDLE, 10**6, 0, id="no mixing at all"),
    ],
)
def test_cache_of_a_group(group, context, expected):
    assert cache_bytes([group], context, FP16) == expected


def test_a_latent_in_fp8_keeps_its_indexer_as_it_is():
    assert SPARSE.bytes_per_token(FP8, FP8) == 61 * (576 + 132)


def test_a_latent_has_no_v_to_store_apart():
    assert MLA.bytes_per_token(Q8_0, FP16) == 61 * 576 // 32 * 34


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        pytest.param(heads(), None, id="full never stops"),
        pytest.param(heads("sliding", window=4), 4, id="sliding stops at its window"),
        pytest.param(heads("chunked", window=8192), 8192, id="chunked at its chunk"),
        pytest.param(heads("shared"), 0, id="shared never grows"),
        pytest.param(MLA, None, id="latent never stops"),
        pytest.param(DELTA, 0, id="recurrent never grows"),
    ],
)
def test_the_most_tokens_that_a_layer_caches(group, expected):
    assert group.max_cached_tokens == expected


def test_state_is_the_sum_of_its_parts_in_their_own_types():
    assert DELTA.state_bytes == 48 * (48 * 128 * 128 * 4 + 48 * 3 * 128 * 2)


@pytest.mark.parametrize(
    ("group", "tp", "expected"),
    [
        pytest.param(heads(), 2, 128, id="heads are divided"),
        pytest.param(heads(), 8, 64, id="one head is left on each, copied"),
        pytest.param(heads(kv_heads=3), 2, 128, id="the fullest GPU has the odd one"),
        pytest.param(MLA, 8, 70_272, id="a latent is copied whole"),
    ],
)
def test_what_one_of_several_gpus_holds_of_a_token(group, tp, expected):
    assert group.shard(tp).bytes_per_token(FP16, FP16) == expected


@pytest.mark.parametrize(
    ("tp", "share"), [pytest.param(4, 12, id="divided"), pytest.param(64, 1, id="one part at least")]
)
def test_state_is_divided_by_its_parts(tp, share):
    assert DELTA.shard(tp).state_bytes == 48 * share * (128 * 128 * 4 + 3 * 128 * 2)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        pytest.param([heads(kv_heads=16)], "mha", id="mha"),
        pytest.param([heads(kv_heads=16, query_heads=32)], "gqa", id="query heads of the group count"),
        pytest.param([heads(kv_heads=1)], "mqa", id="mqa"),
        pytest.param([heads(), heads("sliding", kv_heads=8, window=4)], "gqa", id="grouped both ways"),
        pytest.param([heads(), heads(kv_heads=1)], "mixed", id="mixed"),
        pytest.param([MLA], "mla", id="mla"),
        pytest.param([MLA, heads()], "mixed", id="latent and heads"),
        pytest.param([DELTA, heads()], "hybrid", id="hybrid"),
        pytest.param([DELTA, IDLE], "recurrent", id="recurrent"),
        pytest.param([heads(), IDLE], "gqa", id="layers without attention do not make it another"),
    ],
)
def test_how_layers_attend_has_a_name(groups, expected):
    assert attention_name(groups, 16) == expected


HYBRID = Shape(
    hidden_size=64,
    query_heads=16,
    groups=(heads("sliding", layers=3, window=100), heads(layers=2), DELTA, IDLE),
    mlps=(Mlp(layers=56, intermediate_size=64, gated=True),),
    vocab_size=10,
    tied=True,
)
WINDOWED, WHOLE = 3 * 2 * 4 * 8 * 2, 2 * 2 * 4 * 8 * 2


@pytest.mark.parametrize(
    ("context", "marginal", "average"),
    [
        pytest.param(1, WINDOWED + WHOLE, WINDOWED + WHOLE, id="the first tokens"),
        pytest.param(99, WINDOWED + WHOLE, WINDOWED + WHOLE, id="one below the window"),
        pytest.param(100, WHOLE, WINDOWED + WHOLE, id="the window is full"),
        pytest.param(400, WHOLE, WINDOWED / 4 + WHOLE, id="far past it"),
    ],
)
def test_rates_are_marginal_average_and_asymptotic(context, marginal, average):
    cache = HYBRID.cache_bytes(context, FP16)
    assert HYBRID.cache_bytes(context + 1, FP16) - cache == marginal
    assert Fraction(cache, context) == Fraction(average)
    assert HYBRID.bytes_per_token(FP16) == WINDOWED + WHOLE
    assert HYBRID.asymptotic_bytes_per_token(FP16) == WHOLE == asymptotic_bytes(HYBRID.groups, FP16)


def test_state_counts_in_a_footprint_and_stays_apart_in_a_shape():
    footprint = Footprint(shape=HYBRID, context=200, batch=3, cache_dtype=FP16, weight_dtype=FP16, gpu_bytes=2**30)
    cache = 100 * WINDOWED + 200 * WHOLE
    assert HYBRID.cache_bytes(200, FP16) == cache
    assert footprint.cache_bytes == 3 * (cache + DELTA.state_bytes)


def test_a_state_past_the_weights_is_past_them_at_the_first_token():
    footprint = Footprint(shape=HYBRID, context=200, batch=1, cache_dtype=FP16, weight_dtype=FP16, gpu_bytes=2**30)
    assert footprint.least_context_over(DELTA.state_bytes - 1) == 1


@pytest.mark.parametrize(
    ("make", "field"),
    [
        pytest.param(lambda: heads("odd"), "kind", id="a kind there is not"),
        pytest.param(lambda: heads("chunked"), "window", id="chunks without a size"),
        pytest.param(lambda: heads("shared", window=4), "window", id="a window on a shared layer"),
        pytest.param(lambda: heads(query_heads=0), "query_heads", id="no query heads"),
        pytest.param(lambda: LatentGroup(layers=1, kv_rank=0, rope_dim=1), "kv_rank", id="no latent"),
        pytest.param(lambda: State(role="odd", parts=1, values=1, dtype=FP16), "role", id="a role there is not"),
        pytest.param(lambda: State(role="state", parts=0, values=1, dtype=FP16), "parts", id="a state of no parts"),
        pytest.param(lambda: RecurrentGroup(name="x", layers=0, states=DELTA.states), "layers", id="no layers"),
        pytest.param(lambda: RecurrentGroup(name="x", layers=1, states=()), "states", id="recurrence without a state"),
        pytest.param(lambda: NoCacheGroup(layers=0), "layers", id="no layers of nothing"),
    ],
)
def test_an_invalid_group_is_refused(make, field):
    with pytest.raises(KvcoreError) as caught:
        make()
    assert caught.value.field == field
    assert isinstance(caught.value, (Invalid, OutOfRange, Unsupported))


def test_layers_that_differ_cannot_be_edited():
    assert not HYBRID.uniform
    assert (HYBRID.kv_heads, HYBRID.head_dim, HYBRID.attention) == (4, 8, "hybrid")
    with pytest.raises(Unsupported, match="layers"):
        HYBRID.edited(kv_heads=2)
