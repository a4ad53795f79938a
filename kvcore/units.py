"""Format bytes, counts, parameters and ratios as text: exact integers and fractions in, rounded text out.

Numbers are rounded only here. An exact number is written without decimals where its unit allows ("320 KiB"), so that
"131.4 GiB" is read as rounded. All arithmetic is on integers, so the text is the same on every machine.
"""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
UNIT_SYSTEMS: Mapping[str, tuple[int, tuple[str, ...]]] = MappingProxyType(
    {"binary": (1024, BINARY), "decimal": (1000, DECIMAL)}
)
"""Name of a unit system -> the factor between two units, and the names of the units, smallest first."""


_MOST_DECIMALS = 12


def fixed(value: Fraction | int, decimals: int) -> str:
    """Write a number with exactly `decimals` decimals and a comma between thousands; halves are rounded up.

    >>> fixed(Fraction(2469, 2), 0)
    '1,235'
    """
    return _fixed(value.numerator, value.denominator, decimals)


def _fixed(numerator: int, denominator: int, decimals: int) -> str:
    """As `fixed`, of numerator / denominator: making a Fraction for each of a web page's hundreds of numbers is slow."""
    scaled = (2 * numerator * 10**decimals + denominator) // (2 * denominator)
    whole, part = divmod(abs(scaled), 10**decimals)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole:,}.{part:0{decimals}d}" if decimals else f"{sign}{whole:,}"


def significant(value: Fraction | int, digits: int = 3) -> str:
    """Write a number to `digits` significant digits, but never round its whole part.

    Whole numbers are written without decimals. A rounded number keeps them, so "7.00" means "not exactly seven".

    >>> significant(Fraction(70583, 10000)), significant(7), significant(Fraction(7001, 1000))
    ('7.06', '7', '7.00')
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
    """Return the largest unit that is at most `size` bytes: its name, and how many bytes it is.

    Raises:
        KeyError: for a `system` that is not in UNIT_SYSTEMS.

    >>> unit_for(327680)
    ('KiB', 1024)
    """
    step, names = UNIT_SYSTEMS[system]
    unit, index = 1, 0
    while index + 1 < len(names) and size >= unit * step:
        unit, index = unit * step, index + 1
    return names[index], unit


def format_bytes(size: int, system: str = "binary") -> str:
    """Write bytes in the largest unit that leaves a number of at least one.

    One decimal from ten upwards, two below; none where the number is whole.

    Raises:
        KeyError: for a `system` that is not in UNIT_SYSTEMS.

    >>> format_bytes(327680), format_bytes(141107412992), format_bytes(327680, "decimal")
    ('320 KiB', '131.4 GiB', '327.7 kB')
    """
    name, unit = unit_for(size, system)
    step = UNIT_SYSTEMS[system][0]
    if unit > 1 and 20 * size >= unit * (20 * step - 1):
        name, unit = unit_for(unit * step, system)
    return f"{bytes_in(size, unit)} {name}"


def bytes_in(size: int, unit: int) -> str:
    """Write `size` bytes as a number of units of `unit` bytes, without the unit's name.

    >>> bytes_in(20 * 2**30, 2**30)
    '20'
    """
    if size % unit == 0:
        return f"{size // unit:,}"
    decimals = 1 if size >= 10 * unit or 10 * size % unit == 0 else 2
    return _fixed(size, unit, decimals)


def format_count(count: int) -> str:
    """Write a count with a comma between thousands.

    >>> format_count(13458)
    '13,458'
    """
    return f"{count:,}"


def format_parameters(count: int) -> str:
    """Write a parameter count in millions, billions or trillions.

    >>> format_parameters(70553706496)
    '70.6 billion'
    """
    for size, word in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if count * 1000 >= size * 999:
            return f"{_fixed(count, size, 2 if count < size * 10 else 1)} {word}"
    return f"{count:,}"


def split_suffix(text: str) -> tuple[str, int]:
    """The text of a number without its K (1,024) or M (1,048,576), as contexts are written, and what that multiplies it with.

    >>> split_suffix("32K"), split_suffix("1 m"), split_suffix("8")
    (('32', 1024), ('1', 1048576), ('8', 1))
    """
    scale = {"K": 2**10, "M": 2**20}.get(text[-1:].upper(), 1)
    return (text[:-1].rstrip() if scale > 1 else text), scale


def format_ratio(ratio: Fraction) -> str:
    """Write a ratio as a bare number (no "x"): three significant digits from one upwards, two below one.

    >>> format_ratio(Fraction(70583, 10000)), format_ratio(Fraction(15219, 100000))
    ('7.06', '0.15')
    """
    return significant(ratio, 3 if ratio >= 1 else 2)
