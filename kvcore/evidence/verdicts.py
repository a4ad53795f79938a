"""Compare the evidence with kvcore: each printed line with the number that kvcore computes, and each record's verdict.

A line agrees if printed and computed number differ by no more than the rounding of the last printed decimal. If the
engine rounds its memory to whole blocks, or to whole sets of them, the printed number may also be larger by up to one.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from kvcore.errors import KvcoreError
from kvcore.evidence.counts import COUNTS, slack
from kvcore.evidence.records import UNITS, Line, Record, records

__all__ = ["Comparison", "Disagreement", "Verdict", "problems", "verdict", "verdicts"]


class Disagreement(KvcoreError):  # noqa: N818 - the base class is called an error; this name says of which kind
    """A record that disagrees without a `mismatch` that says why, or one that agrees although it has a `mismatch`.

    >>> print(Disagreement("record", 62, "one that differs"))
    record: 62 is not one that differs
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A printed line, and the number that kvcore computes for it, in the line's unit.

    block: what rounding to whole blocks, or whole sets of blocks, may leave over, in that unit; else 0.

    >>> line = Line(name="KV cache", printed="3.82", unit="GiB", counts="cache")
    >>> comparison = Comparison(line=line, computed=Fraction("3.816"), block=Fraction(0))
    >>> comparison.difference, comparison.within_rounding
    (Fraction(1, 250), True)
    """

    line: Line
    computed: Fraction
    block: Fraction

    @property
    def difference(self) -> Fraction:
        """The printed number less the computed one."""
        return self.line.value - self.computed

    @property
    def equal(self) -> bool:
        """Whether printed and computed number are equal."""
        return not self.difference

    @property
    def within_rounding(self) -> bool:
        """Whether they differ by no more than the rounding of the printed number."""
        return abs(self.difference) <= self._rounding

    @property
    def agrees(self) -> bool:
        """Whether the printed number is the computed one within rounding, or larger by no more than one block."""
        return -self._rounding <= self.difference <= self._rounding + self.block

    @property
    def _rounding(self) -> Fraction:
        """Half a unit of the last printed decimal; 0 for whole numbers, which engines count and do not round."""
        decimals = self.line.decimals
        return Fraction(1, 2 * 10**decimals) if decimals else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A record, and the comparison of each of its lines.

    >>> first = verdicts()[0]
    >>> first.record.subject, first.standing
    ('a Mistral 7B, 2,048 cells', 'inferred')
    """

    record: Record
    comparisons: tuple[Comparison, ...]

    @property
    def agrees(self) -> bool:
        """Whether every line agrees."""
        return all(comparison.agrees for comparison in self.comparisons)

    @property
    def standing(self) -> str:
        """How the record is listed: "mismatch", "inferred" (reproduced, with facts inferred from it) or "reproduced"."""
        if self.record.mismatch:
            return "mismatch"
        return "inferred" if self.record.inferred else "reproduced"


@cache
def verdicts() -> tuple[Verdict, ...]:
    """Return the verdict on every record, in the order of evidence.json.

    >>> sorted(row.record.id for row in verdicts() if row.standing == "mismatch")
    [82, 120, 125, 126, 127, 128, 134, 233]
    """
    return tuple(verdict(record) for record in records())


def verdict(record: Record) -> Verdict:
    """Compare every line of a record with the number that kvcore computes.

    >>> verdict(records()[0]).comparisons[0].computed  # MiB of 2,048 tokens of Mistral 7B, 128 KiB each
    Fraction(256, 1)
    """
    return Verdict(record=record, comparisons=tuple(_comparison(record, line) for line in record.lines))


def problems(rows: tuple[Verdict, ...]) -> list[Disagreement]:
    """Return an error for each record that disagrees and has no `mismatch`, or agrees and has one.

    >>> problems(verdicts())
    []
    """
    return [
        Disagreement(
            "record", row.record.id, "listed as a mismatch" if row.record.mismatch == "" else "one that differs"
        )
        for row in rows
        if row.agrees == bool(row.record.mismatch)
    ]


def _comparison(record: Record, line: Line) -> Comparison:
    unit = UNITS[line.unit]
    return Comparison(line=line, computed=COUNTS[line.counts](record, line) / unit, block=slack(record, line) / unit)
