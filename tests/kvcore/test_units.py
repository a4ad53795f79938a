from fractions import Fraction

import pytest

from kvcore.units import fixed, format_bytes, format_count, format_parameters, format_ratio, significant


@pytest.mark.parametrize(
    ("size", "binary", "decimal"),
    [
        pytest.param(0, "0 B", "0 B", id="nothing"),
        pytest.param(1023, "1,023 B", "1.02 kB", id="below a KiB"),
        pytest.param(327_680, "320 KiB", "327.7 kB", id="llama-3-70b, one token: whole, so no decimals"),
        pytest.param(174_080, "170 KiB", "174.1 kB", id="llama-3-70b, one token in q8_0"),
        pytest.param(70_272, "68.6 KiB", "70.3 kB", id="rounded, so one decimal"),
        pytest.param(2_684_354_560, "2.5 GiB", "2.68 GB", id="2.5 GiB exactly"),
        pytest.param(141_107_412_992, "131.4 GiB", "141.1 GB", id="70.6 billion parameters in FP16"),
        pytest.param(81_559 * 2**20, "79.6 GiB", "85.5 GB", id="what an 80 GB H100's driver reports"),
        pytest.param(2**40 - 1, "1.00 TiB", "1.10 TB", id="rounding never writes 1,024.0 GiB"),
        pytest.param(999_999_999, "953.7 MiB", "1.00 GB", id="rounding never writes 1,000.0 MB"),
        pytest.param(171 * 10**15 // 100, "1.52 PiB", "1.71 PB", id="petabytes"),
    ],
)
def test_bytes_are_written_in_the_largest_unit_not_above_them(size, binary, decimal):
    assert (format_bytes(size, "binary"), format_bytes(size, "decimal")) == (binary, decimal)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        pytest.param(70_553_706_496, "70.6 billion", id="llama-3-70b"),
        pytest.param(8_030_261_248, "8.03 billion", id="llama-3-8b"),
        pytest.param(1_557_611_200, "1.56 billion", id="gpt-2-xl"),
        pytest.param(134_515_008, "134.5 million", id="smollm2-135m"),
        pytest.param(999_900_000_000, "1.00 trillion", id="rounds up to a trillion"),
        pytest.param(4_096, "4,096", id="below a million, in digits"),
    ],
)
def test_parameters_are_written_in_millions_billions_or_trillions(count, expected):
    assert format_parameters(count) == expected


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        pytest.param(Fraction(0), "0", id="zero"),
        pytest.param(Fraction(8), "8", id="exactly eight"),
        pytest.param(Fraction(70_600, 10_000), "7.06", id="three digits from one up"),
        pytest.param(Fraction(15_218_786, 10**8), "0.15", id="two digits below one"),
        pytest.param(Fraction(123, 10**7), "0.000012", id="small ratios keep two digits"),
        pytest.param(Fraction(9_999_999, 10_000), "1,000", id="large ratios keep their whole part"),
    ],
)
def test_ratios_have_three_digits_from_one_up_and_two_below(ratio, expected):
    assert format_ratio(ratio) == expected


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        pytest.param(Fraction(1, 8), 2, "0.13", id="halves are rounded up"),
        pytest.param(Fraction(-5, 2), 1, "-2.5", id="negative"),
        pytest.param(1_234_567, 0, "1,234,567", id="thousands"),
        pytest.param(Fraction(-1, 1000), 2, "0.00", id="never minus zero"),
    ],
)
def test_fixed_writes_exactly_the_decimals_asked_for(value, decimals, expected):
    assert fixed(value, decimals) == expected


def test_significant_never_rounds_the_whole_part():
    assert [significant(Fraction(n, 3)) for n in (1, 100, 100_000)] == ["0.333", "33.3", "33,333"]


def test_counts_have_a_comma_between_thousands():
    assert format_count(13_458) == "13,458"
