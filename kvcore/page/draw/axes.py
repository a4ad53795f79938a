"""Axes: a fixed logarithmic one for context, a linear or logarithmic one for memory, with round numbers on them."""

import math
from dataclasses import dataclass
from fractions import Fraction

from kvcore.units import UNIT_SYSTEMS, fixed, unit_for

FIRST_CONTEXT, LAST_CONTEXT = 2**10, 2**20
"""The ends of the context axis: 1K to 1M tokens, whatever the model, so that charts compare."""

_LADDER = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_STEPS = (1, 2, 5, 10)
_MOST_TICKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAxis:
    """The range of the memory axis, in bytes; `bottom` is 0 on a linear one."""

    scale: str
    system: str
    bottom: float
    top: float

    def fraction(self, size: float) -> float:
        """How high a size stands: 0 at the bottom, 1 at the top; not limited to the two."""
        if self.scale == "linear":
            return size / self.top
        if size <= 0:
            return -1.0
        return math.log(size / self.bottom) / math.log(self.top / self.bottom)

    def ticks(self) -> list[tuple[float, str]]:
        """Round sizes with their labels, lowest first; the unit is named once, at the highest of a linear axis."""
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
        """Powers of ten of each unit; where those are few, two and five times them too."""
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
    """The smallest of 1, 2, 5 times a power of ten that divides `span` into at most five."""
    power = Fraction(10) ** (math.floor(math.log10(span)) - 1)
    return next(power * step for step in (*_STEPS, 20, 50, 100) if span <= 5 * power * step)


def round_up(size: float, system: str) -> float:
    """The next round size: one of a ladder of a dozen a decade, in the unit that reads best; never 1,000 of a unit."""
    _, unit = unit_for(int(size), system)
    value = size / unit
    power = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    rounded = power * next(rung for rung in _LADDER if value <= rung * power * (1 + 1e-9))
    return unit * (rounded if rounded < 1000 else max(rounded, UNIT_SYSTEMS[system][0]))


def context_fraction(context: float) -> float:
    """How far right a context stands: 0 at the first of the axis, 1 at the last; limited to the two."""
    if context <= FIRST_CONTEXT:
        return 0.0
    return min(1.0, math.log2(context / FIRST_CONTEXT) / math.log2(LAST_CONTEXT / FIRST_CONTEXT))


CONTEXT_TICKS = tuple((2**power, f"{2 ** (power - 10)}K" if power < 20 else "1M") for power in range(10, 21, 2))
"""The labelled contexts: every second power of two."""
