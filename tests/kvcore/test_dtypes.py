from fractions import Fraction

import pytest

from kvcore.dtypes import CACHE_DTYPES, LAB_CACHE_DTYPES, WEIGHT_DTYPES, Dtype, cache_dtype, weight_dtype
from kvcore.errors import OutOfRange, UnknownName


def test_dtypes_are_offered_in_the_order_of_the_page():
    assert list(LAB_CACHE_DTYPES) == ["fp32", "fp16", "bf16", "fp8", "int8", "q8_0", "q4_0"]
    assert list(CACHE_DTYPES)[:7] == list(LAB_CACHE_DTYPES)
    assert list(WEIGHT_DTYPES) == ["fp32", "fp16", "bf16", "fp8", "int8", "int4"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("fp32", Fraction(4), id="fp32"),
        pytest.param("fp16", Fraction(2), id="fp16"),
        pytest.param("bf16", Fraction(2), id="bf16"),
        pytest.param("fp8", Fraction(1), id="fp8"),
        pytest.param("int8", Fraction(1), id="int8"),
        pytest.param("q8_0", Fraction(10625, 10000), id="q8_0 is 34 bytes for 32 values"),
        pytest.param("q4_0", Fraction(5625, 10000), id="q4_0 is 18 bytes for 32 values"),
        pytest.param("q5_1", Fraction(24, 32), id="q5_1 is 24 bytes for 32 values: 6 bits"),
        pytest.param("q5_0", Fraction(22, 32), id="q5_0 is 22 bytes for 32 values: 5.5 bits"),
        pytest.param("q4_1", Fraction(20, 32), id="q4_1 is 20 bytes for 32 values: 5 bits"),
        pytest.param("iq4_nl", Fraction(18, 32), id="iq4_nl is 18 bytes for 32 values: 4.5 bits"),
        pytest.param("fp8_block128", Fraction(132, 128), id="fp8 with a four-byte scale for 128 values"),
        pytest.param("int8_block128", Fraction(132, 128), id="int8 with a scale and a zero point for 128 values"),
    ],
)
def test_bytes_of_a_cached_value_include_its_share_of_the_scale(name, expected):
    assert cache_dtype(name).bytes_per_value == expected


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        pytest.param(cache_dtype("fp16"), 1024, 2048, id="fp16: two bytes each"),
        pytest.param(cache_dtype("q8_0"), 1024, 1088, id="q8_0: 32 blocks of 34"),
        pytest.param(cache_dtype("q8_0"), 33, 68, id="q8_0: one value over takes a second block"),
        pytest.param(cache_dtype("q4_0"), 64, 36, id="q4_0: two blocks of 18"),
        pytest.param(weight_dtype("int4"), 5, 3, id="int4: two a byte, the odd one alone"),
        pytest.param(cache_dtype("fp32"), 0, 0, id="nothing takes nothing"),
    ],
)
def test_a_row_takes_whole_blocks(dtype, values, expected):
    assert dtype.row_bytes(values) == expected


@pytest.mark.parametrize("dtype", [*CACHE_DTYPES.values(), *WEIGHT_DTYPES.values()], ids=lambda dtype: dtype.name)
def test_every_dtype_has_a_source(dtype):
    assert dtype.source


@pytest.mark.parametrize(
    ("ask", "name", "field"),
    [
        pytest.param(cache_dtype, "int4", "cache_dtype", id="int4 is for weights only"),
        pytest.param(weight_dtype, "q8_0", "weight_dtype", id="q8_0 is for caches only"),
        pytest.param(cache_dtype, "FP16", "cache_dtype", id="names are lower case"),
        pytest.param(cache_dtype, None, "cache_dtype", id="None"),
        pytest.param(cache_dtype, ["fp16"], "cache_dtype", id="a list"),
    ],
)
def test_an_unknown_name_is_refused_with_the_names_there_are(ask, name, field):
    with pytest.raises(UnknownName) as caught:
        ask(name)
    assert caught.value.field == field
    assert "fp16" in caught.value.expected


def test_a_dtype_without_bytes_is_refused():
    with pytest.raises(OutOfRange, match="block_bytes: 0"):
        Dtype(name="none", label="none", block_bytes=0, source="made up")
