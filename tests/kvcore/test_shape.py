import pytest

from kvcore.catalog import MODELS
from kvcore.dtypes import cache_dtype, weight_dtype
from kvcore.errors import Invalid, KvcoreError, Unsupported
from kvcore.shape import LayerGroup, Mlp, Shape

FP16 = cache_dtype("fp16")
GIB = 2**30


def full(layers, kv_heads, dim):
    return LayerGroup(layers=layers, kv_heads=kv_heads, key_dim=dim, value_dim=dim)


def sliding(layers, kv_heads, dim, window):
    return LayerGroup(kind="sliding", layers=layers, kv_heads=kv_heads, key_dim=dim, value_dim=dim, window=window)


def gated(layers, hidden, heads, kv_heads, dim, inner, vocab, **more):  # noqa: PLR0917 - a row of the table of models
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=more.pop("groups", (full(layers, kv_heads, dim),)),
        mlps=(Mlp(layers=layers, intermediate_size=inner, gated=True),),
        vocab_size=vocab,
        tied=more.pop("tied", False),
        **more,
    )


LLAMA_3_70B = gated(80, 8192, 64, 8, 128, 28672, 128256)
MISTRAL_V01 = gated(32, 4096, 32, 8, 128, 14336, 32000, groups=(sliding(32, 8, 128, 4096),))
GEMMA_2_27B = gated(
    46, 4608, 32, 16, 128, 36864, 256000, groups=(sliding(23, 16, 128, 4096), full(23, 16, 128)), tied=True,
    norms_per_layer=4,
)  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "dtype", "expected"),
    [
        pytest.param(LLAMA_3_70B, "fp16", 327_680, id="llama-3-70b: 2 x 80 x 8 x 128 x 2"),
        pytest.param(LLAMA_3_70B, "fp32", 655_360, id="llama-3-70b fp32"),
        pytest.param(LLAMA_3_70B, "fp8", 163_840, id="llama-3-70b fp8"),
        pytest.param(LLAMA_3_70B, "q8_0", 174_080, id="llama-3-70b q8_0: 2 x 80 x 32 blocks x 34"),
        pytest.param(LLAMA_3_70B, "q4_0", 92_160, id="llama-3-70b q4_0: 2 x 80 x 32 blocks x 18"),
        pytest.param(gated(32, 4096, 32, 32, 128, 11008, 32000), "fp16", 524_288, id="llama-2-7b"),
        pytest.param(MISTRAL_V01, "fp16", 131_072, id="mistral-7b below its window"),
        pytest.param(GEMMA_2_27B, "fp16", 376_832, id="gemma-2-27b: 2 x 46 x 16 x 128 x 2"),
    ],
)
def test_bytes_of_the_next_token(shape, dtype, expected):
    assert shape.bytes_per_token(cache_dtype(dtype)) == expected


def test_k_and_v_may_be_stored_apart():
    # 80 layers x 1,024 values: K in q8_0 takes 1,088 bytes, V in fp16 takes 2,048.
    assert LLAMA_3_70B.bytes_per_token(cache_dtype("q8_0"), FP16) == 250_880


@pytest.mark.parametrize(
    ("shape", "context", "expected"),
    [
        pytest.param(LLAMA_3_70B, 8192, 5 * GIB // 2, id="llama-3-70b@8k: 2.5 GiB"),
        pytest.param(LLAMA_3_70B, 131_072, 40 * GIB, id="llama-3-70b@128k: 40 GiB"),
        pytest.param(LLAMA_3_70B, 0, 0, id="nothing yet"),
        pytest.param(MISTRAL_V01, 4095, 4095 * 131_072, id="mistral v0.1 one below its window"),
        pytest.param(MISTRAL_V01, 4096, GIB // 2, id="mistral v0.1 at its window: 512 MiB"),
        pytest.param(MISTRAL_V01, 1_000_000, GIB // 2, id="mistral v0.1 far past it: 512 MiB still"),
        pytest.param(GEMMA_2_27B, 8192, 4096 * 188_416 + 8192 * 188_416, id="gemma-2-27b@8k: half its layers stop"),
    ],
)
def test_cache_of_one_sequence(shape, context, expected):
    assert shape.cache_bytes(context, FP16) == expected


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        pytest.param(LLAMA_3_70B, 70_553_706_496, id="llama-3-70b: index of the published weights"),
        pytest.param(GEMMA_2_27B, 27_227_128_320, id="gemma-2-27b: index of the published weights"),
        pytest.param(
            # 10 x 4 + 2 layers of (Q 4 x 4, K and V 4 x 2 each, O 4 x 4, MLP 3 x 4 x 6, 2 norms of 4) + 4 + 10 x 4
            gated(2, 4, 2, 1, 2, 6, 10), 40 + 2 * (16 + 8 + 8 + 16 + 72 + 8) + 4 + 40, id="by hand: two small layers"
        ),
        pytest.param(
            # embedding 40, 3 positions of 4, 1 layer of (Q, K, V, O 16 each with biases of 4, 2 x 4 x 16 with 16 + 4,
            # 2 norms of 4 + 4), the last norm 4 + 4, tied, one bias a word
            Shape(
                hidden_size=4, query_heads=2, groups=(full(1, 2, 2),),
                mlps=(Mlp(layers=1, intermediate_size=16, gated=False, bias=True),), vocab_size=10, tied=True,
                qkv_bias=True, output_bias=True, norm_bias=True, position_rows=3, lm_head_bias=True,
            ),
            40 + 12 + (4 * 16 + 4 * 4) + (128 + 20) + 16 + 8 + 10,
            id="by hand: biases, positions and LayerNorms",
        ),
        pytest.param(
            # as the first, its MLPs 3 experts of 3 x 4 x 6 with a router of 4 x 3, and a shared one of 3 x 4 x 5
            Shape(
                hidden_size=4, query_heads=2, groups=(full(2, 1, 2),),
                mlps=(Mlp(layers=2, intermediate_size=6, gated=True, experts=3, shared_size=5),), vocab_size=10,
                tied=True, qk_norm="head",
            ),
            40 + 2 * (48 + 2 * 2 + (3 * 72 + 12 + 60) + 8) + 4,
            id="by hand: experts, a shared one, a router, norms of heads",
        ),
        pytest.param(
            Shape(
                hidden_size=4, query_heads=2, groups=(full(1, 1, 2),),
                mlps=(Mlp(layers=1, intermediate_size=6, gated=True),), vocab_size=10, tied=True, qk_norm="all",
                model_norms=2, norms_per_layer=1,
            ),
            40 + (48 + 4 + 2 + 72 + 4) + 8,
            id="by hand: norms over all heads, a norm after the embedding",
        ),
    ],
)  # fmt: skip
def test_parameters_are_exact(shape, expected):
    assert shape.params == expected


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        pytest.param("fp16", 141_107_412_992, id="fp16"),
        pytest.param("int8", 70_553_706_496, id="int8"),
        pytest.param("int4", 35_276_853_248, id="int4"),
    ],
)
def test_weights_of_llama_3_70b(dtype, expected):
    assert LLAMA_3_70B.weights_bytes(weight_dtype(dtype)) == expected


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        pytest.param(LLAMA_3_70B, "gqa", id="8 of 64"),
        pytest.param(LLAMA_3_70B.edited(kv_heads=64), "mha", id="64 of 64"),
        pytest.param(LLAMA_3_70B.edited(kv_heads=1), "mqa", id="1 of 64"),
        pytest.param(
            gated(3, 64, 4, 2, 16, 64, 10, groups=(full(1, 4, 16), full(2, 2, 16))), "mixed", id="4 and 2 of 4"
        ),
    ],
)
def test_attention_is_named_by_its_heads(shape, expected):
    assert shape.attention == expected


def test_a_shape_whose_layers_differ_in_heads_has_no_one_number_of_them():
    mixed = gated(3, 64, 4, 2, 16, 64, 10, groups=(full(1, 4, 16), full(2, 2, 8)))
    assert (mixed.layers, mixed.kv_heads, mixed.head_dim, mixed.uniform) == (3, None, None, False)
    assert (GEMMA_2_27B.layers, GEMMA_2_27B.kv_heads, GEMMA_2_27B.head_dim, GEMMA_2_27B.uniform) == (46, 16, 128, True)


def test_mha_of_the_same_shape_grows_the_k_and_v_projections_only():
    mha = LLAMA_3_70B.edited(kv_heads=64)
    assert mha.params == 79_948_947_456
    assert mha.params - LLAMA_3_70B.params == 9_395_240_960
    assert mha.bytes_per_token(FP16) == 2_621_440


def test_a_number_of_layers_that_breaks_the_pattern_is_refused_with_the_number_that_was_asked_for():
    """Gemma 2 27B: 46 layers, of which every second has a window: 25 cannot be divided so."""
    with pytest.raises(Unsupported) as caught:
        MODELS["gemma-2-27b"].shape.edited(layers=25)
    assert (caught.value.field, caught.value.value) == ("layers", 25)


def test_nothing_edited_is_the_same_shape():
    assert LLAMA_3_70B.edited() == LLAMA_3_70B
    assert LLAMA_3_70B.edited(layers=80, query_heads=64, head_dim=128, kv_heads=8) == LLAMA_3_70B


def test_widths_follow_query_heads_and_head_dim():
    half = LLAMA_3_70B.edited(query_heads=32)
    assert (half.hidden_size, half.mlps[0].intermediate_size, half.vocab_size) == (4096, 14336, 128256)
    assert LLAMA_3_70B.edited(query_heads=32, head_dim=256).hidden_size == 8192


def test_widths_are_rounded_to_the_nearest_integer():
    # Mistral Nemo is 5,120 wide with 32 heads of 128: at 33 heads 5,280, and 14,336 becomes 14,784.
    nemo = gated(40, 5120, 32, 8, 128, 14336, 131072).edited(query_heads=33, kv_heads=11)
    assert (nemo.hidden_size, nemo.mlps[0].intermediate_size) == (5280, 14784)
    # 100 x 7 / 64 = 10.9375
    assert gated(1, 100, 64, 1, 128, 100, 10).edited(query_heads=7).hidden_size == 11


def test_layers_of_one_kind_may_be_any_number():
    assert LLAMA_3_70B.edited(layers=1).layers == 1
    assert LLAMA_3_70B.edited(layers=160).bytes_per_token(FP16) == 655_360


def test_a_pattern_of_layers_is_kept_or_refused():
    half = GEMMA_2_27B.edited(layers=22)
    assert [group.layers for group in half.groups] == [11, 11]
    with pytest.raises(Unsupported, match="layers"):
        GEMMA_2_27B.edited(layers=23)


def test_layers_with_different_heads_are_not_edited():
    mixed = gated(3, 64, 4, 2, 16, 64, 10, groups=(full(1, 4, 16), full(2, 2, 16)))
    with pytest.raises(Unsupported, match="different heads"):
        mixed.edited(layers=6)


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        pytest.param({"kv_heads": 7}, "kv_heads", id="KV heads that do not divide"),
        pytest.param({"kv_heads": 0}, "kv_heads", id="no KV heads"),
        pytest.param({"query_heads": 60}, "kv_heads", id="query heads that 8 KV heads do not divide"),
        pytest.param({"layers": 0}, "layers", id="no layers"),
        pytest.param({"head_dim": -1}, "head_dim", id="a negative width"),
        pytest.param({"head_dim": 2**40}, "head_dim", id="a huge width"),
        pytest.param({"query_heads": 64.0}, "query_heads", id="a float"),
    ],
)
def test_an_edit_that_makes_no_model_is_refused_by_name(edit, field):
    with pytest.raises(Invalid) as caught:
        LLAMA_3_70B.edited(**edit)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("tp", "expected"),
    [
        pytest.param(1, 5 * GIB // 2, id="one GPU has it all"),
        pytest.param(4, 5 * GIB // 8, id="four: two KV heads each"),
        pytest.param(8, 5 * GIB // 16, id="eight: one each"),
        pytest.param(16, 5 * GIB // 16, id="sixteen: one each, copied"),
        pytest.param(64, 5 * GIB // 16, id="sixty-four: one each, copied"),
    ],
)
def test_kv_heads_are_divided_among_gpus_and_copied_beyond_their_number(tp, expected):
    assert LLAMA_3_70B.cache_bytes_per_gpu(8192, tp, FP16) == expected


def test_the_fullest_gpu_counts_where_kv_heads_do_not_divide_evenly():
    phi_4 = gated(40, 5120, 40, 10, 128, 17920, 100352)
    assert phi_4.cache_bytes_per_gpu(1, 4, FP16) == 40 * 3 * 128 * 2 * 2


@pytest.mark.parametrize("tp", [pytest.param(3, id="3"), pytest.param(0, id="0"), pytest.param(128, id="128")])
def test_gpus_that_do_not_divide_the_query_heads_are_refused(tp):
    with pytest.raises(Invalid, match="tp"):
        LLAMA_3_70B.cache_bytes_per_gpu(8192, tp, FP16)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        pytest.param(lambda: full(0, 8, 128), "layers", id="a group of no layers"),
        pytest.param(lambda: full(1, 0, 128), "kv_heads", id="no KV heads"),
        pytest.param(lambda: full(1, 8, True), "key_dim", id="a bool for a width"),
        pytest.param(lambda: sliding(1, 8, 128, None), "window", id="sliding without a window"),
        pytest.param(lambda: sliding(1, 8, 128, 0), "window", id="a window of nothing"),
        pytest.param(
            lambda: LayerGroup(layers=1, kv_heads=1, key_dim=1, value_dim=1, window=5),
            "window",
            id="full with a window",
        ),
        pytest.param(
            lambda: LayerGroup(kind="odd", layers=1, kv_heads=1, key_dim=1, value_dim=1), "kind", id="an unknown kind"
        ),
        pytest.param(
            lambda: Mlp(layers=1, intermediate_size=0, gated=True), "intermediate_size", id="an MLP of nothing"
        ),
        pytest.param(
            lambda: Mlp(layers=1, intermediate_size=4, gated=True, shared_size=4),
            "shared_size",
            id="shared, no experts",
        ),
        pytest.param(lambda: gated(80, 8192, 64, 7, 128, 28672, 128256), "kv_heads", id="7 KV heads of 64"),
        pytest.param(
            lambda: gated(2, 64, 4, 2, 16, 64, 10, groups=(full(1, 2, 16),)), "mlps", id="more MLPs than layers"
        ),
        pytest.param(lambda: gated(2, 64, 4, 2, 16, 64, 10, groups=()), "groups", id="no groups"),
        pytest.param(lambda: gated(2, 64, 4, 2, 16, 64, 10, qk_norm="odd"), "qk_norm", id="an unknown norm"),
        pytest.param(lambda: gated(2, 64, 4, 2, 16, 64, 10, context_limit=0), "context_limit", id="no context at all"),
        pytest.param(lambda: LLAMA_3_70B.cache_bytes(-1, FP16), "context", id="a negative context"),
        pytest.param(lambda: LLAMA_3_70B.cache_bytes(8192.0, FP16), "context", id="a context in floats"),
    ],
)
def test_parts_that_make_no_shape_are_refused_by_name(make, field):
    with pytest.raises(KvcoreError) as caught:
        make()
    assert caught.value.field == field
