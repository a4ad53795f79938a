"""The axes of the chart: context, logarithmic and fixed; memory, linear or logarithmic; and their tick labels."""

import math
from dataclasses import dataclass
from fractions import Fraction

from kvcore.units import UNIT_SYSTEMS, fixed, unit_for

FIRST_CONTEXT, LAST_CONTEXT = 2**10, 2**20
"""The ends of the context axis in tokens, 1K and 1M: the same for all models, so that charts can be compared."""

_ROUND_VALUES = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_STEPS = (1, 2, 5, 10)
_MOST_TICKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAxis:
    """The range of the memory axis.

    scale: "linear" or "log". system: "binary" or "decimal", the units of its labels. bottom, top: its ends in bytes;
    `bottom` is 0 on a linear axis.
    """

    scale: str
    system: str
    bottom: float
    top: float

    def fraction(self, size: float) -> float:
        """The height of a size in bytes: 0 at the bottom, 1 at the top of the axis; it may lie outside of that range.

        >>> MemoryAxis(scale="log", system="binary", bottom=1.0, top=1024.0).fraction(32)
        0.5
        """
        if self.scale == "linear":
            return size / self.top
        if size <= 0:
            return -1.0
        return math.log(size / self.bottom) / math.log(self.top / self.bottom)

    def ticks(self) -> list[tuple[float, str]]:
        """Round sizes in bytes with their labels, the lowest first; on a linear axis only the highest label has a unit.

        >>> MemoryAxis(scale="linear", system="binary", bottom=0.0, top=2.0 * 2**30).ticks()
        [(0.0, '0'), (536870912.0, '0.5'), (1073741824.0, '1.0'), (1610612736.0, '1.5'), (2147483648.0, '2.0 GiB')]
        """
        name, unit = unit_for(int(self.top), self.system)
        if self.scale == "log":
            return self._decades()
        step = _tick_step(self.top / unit)
        count = int(self.top / unit / step + 1e-9)
        decimals = 0 if step.denominator == 1 else 1 if (step * 10).denominator == 1 else 2
        labels = [fixed(step * index, decimals) if index else "0" for index in range(count + 1)]
        labels[-1] = f"{labels[-1]} {name}"
        return [(float(step * index * unit), label) for index, label in enumerate(labels)]

    def _decades(self) -> list[tuple[float, str]]:
        """1, 10 and 100 of each unit; on an axis of fewer than 500 times its bottom also 2 and 5 times these."""
        step, names = UNIT_SYSTEMS[self.system]
        few = self.top < 500 * self.bottom
        values = (1, 2, 5, 10, 20, 50, 100, 200, 500) if few else (1, 10, 100)
        ticks = [
            (float(value * step**power), f"{value} {name}")
            for power, name in enumerate(names)
            for value in values
            if self.bottom <= value * step**power <= self.top
        ]
        return ticks[:: -(-len(ticks) // _MOST_TICKS) or 1]


def _tick_step(span: float) -> Fraction:
    """The smallest of 1, 2 or 5 times a power of ten that divides `span` into at most five steps."""
    power = Fraction(10) ** (math.floor(math.log10(span)) - 1)
    return next(power * step for step in (*_STEPS, 20, 50, 100) if span <= 5 * power * step)


def round_up(size: float, system: str) -> float:
    """Round a size in bytes up to a round number of the unit that `format_bytes` would write it in.

    The round numbers are 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 and 8 times a power of ten; 1,000 of a binary unit is rounded
    up to 1,024, the next unit.

    >>> round_up(4.2 * 2**30, "binary") / 2**30, round_up(900 * 2**20, "binary") / 2**20
    (5.0, 1024.0)
    """
    _, unit = unit_for(int(size), system)
    value = size / unit
    power = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    rounded = power * next(step for step in _ROUND_VALUES if value <= step * power * (1 + 1e-9))
    return unit * (rounded if rounded < 1000 else max(rounded, UNIT_SYSTEMS[system][0]))


def context_fraction(context: float) -> float:
    """The position of a context on its axis: 0 at the left end, 1 at the right end; contexts outside are at the ends.

    >>> context_fraction(2**15), context_fraction(2**30)
    (0.5, 1.0)
    """
    if context <= FIRST_CONTEXT:
        return 0.0
    return min(1.0, math.log2(context / FIRST_CONTEXT) / math.log2(LAST_CONTEXT / FIRST_CONTEXT))


CONTEXT_TICKS = tuple((2**power, f"{2 ** (power - 10)}K" if power < 20 else "1M") for power in range(10, 21, 2))
"""Every second power of two on the context axis, with its label."""
