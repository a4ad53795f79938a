"""Bytes, counts, parameters and ratios in words: exact integers in, rounded text out.

Rounding happens here and nowhere else. A figure that is exact prints without decimals ("320 KiB"), so that
a decimal always means "rounded" ("131.4 GiB"). Everything is integer arithmetic: the text is the same on
every machine.
"""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
UNIT_SYSTEMS: Mapping[str, tuple[int, tuple[str, ...]]] = MappingProxyType(
    {"binary": (1024, BINARY), "decimal": (1000, DECIMAL)}
)
"""Name of a unit system -> its step and its unit names, smallest first."""


_MOST_DECIMALS = 12


def fixed(value: Fraction | int, decimals: int) -> str:
    """Write a number with this many decimals, thousands separated, halves rounded up: 1234.5 -> "1,235"."""
    return _fixed(value.numerator, value.denominator, decimals)


def _fixed(numerator: int, denominator: int, decimals: int) -> str:
    """Write numerator / denominator, both as integers: the page writes hundreds of numbers for one drag of a slider."""
    scaled = (2 * numerator * 10**decimals + denominator) // (2 * denominator)
    whole, part = divmod(abs(scaled), 10**decimals)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole:,}.{part:0{decimals}d}" if decimals else f"{sign}{whole:,}"


def significant(value: Fraction | int, digits: int = 3) -> str:
    """Write a number to `digits` significant digits, never fewer than its whole part: 7.0583 -> "7.06".

    Whole numbers print whole; anything rounded keeps its decimals, so "7.00" is not exactly seven.
    """
    if value.denominator == 1:
        return f"{value.numerator:,}"
    numerator, denominator, decimals = abs(value.numerator), value.denominator, digits - 1
    while numerator >= 10 * denominator and decimals > 0:
        denominator, decimals = denominator * 10, decimals - 1
    while 0 < numerator < denominator and decimals < _MOST_DECIMALS:
        numerator, decimals = numerator * 10, decimals + 1
    return fixed(value, decimals)


def unit_for(size: int, system: str = "binary") -> tuple[str, int]:
    """Choose the largest unit not above `size` bytes; answers its name and its bytes."""
    step, names = UNIT_SYSTEMS[system]
    unit, index = 1, 0
    while index + 1 < len(names) and size >= unit * step:
        unit, index = unit * step, index + 1
    return names[index], unit


def format_bytes(size: int, system: str = "binary") -> str:
    """Write bytes in the unit that reads best: 327680 -> "320 KiB", 141107412992 -> "131.4 GiB".

    One decimal from ten upwards, two below; none where the figure is exact.
    """
    name, unit = unit_for(size, system)
    step = UNIT_SYSTEMS[system][0]
    if unit > 1 and 20 * size >= unit * (20 * step - 1):
        name, unit = unit_for(unit * step, system)
    return f"{bytes_in(size, unit)} {name}"


def bytes_in(size: int, unit: int) -> str:
    """Write bytes as a number of `unit` bytes, without the unit's name: (21474836480, 2**30) -> "20"."""
    if size % unit == 0:
        return f"{size // unit:,}"
    decimals = 1 if size >= 10 * unit or 10 * size % unit == 0 else 2
    return _fixed(size, unit, decimals)


def format_count(count: int) -> str:
    """Write a count with its thousands separated: 13458 -> "13,458"."""
    return f"{count:,}"


def format_parameters(count: int) -> str:
    """Write a parameter count in words: 70553706496 -> "70.6 billion"."""
    for size, word in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if count * 1000 >= size * 999:
            return f"{_fixed(count, size, 2 if count < size * 10 else 1)} {word}"
    return f"{count:,}"


def format_ratio(ratio: Fraction) -> str:
    """Write a ratio without a sign for "times": three digits from one up, two below: 7.0583 -> "7.06", 0.15219 -> "0.15"."""
    return significant(ratio, 3 if ratio >= 1 else 2)
