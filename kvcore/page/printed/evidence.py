"""The tables of the page of evidence, one for each claim that the records prove, and the counts of records."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from kvcore.evidence.records import UNITS
from kvcore.evidence.verdicts import Comparison, Verdict, problems, verdicts
from kvcore.page.html import Html, data, el, join, table
from kvcore.page.printed import words
from kvcore.units import fixed, format_count

PARTS = tuple(words.EVIDENCE_TABLES)
"""The claims that the records prove, in the order of the page; a record's `proves` is one of them."""


def checked() -> tuple[Verdict, ...]:
    """Every record.

    Raises:
        Disagreement: when a record disagrees and has no `mismatch`, or agrees and has one.
    """
    rows = verdicts()
    for problem in problems(rows):
        raise problem
    return rows


def records(part: str) -> Html:
    """The table of the records for one claim.

    Raises:
        Disagreement: as `checked` does.
    """
    return table(
        words.evidence_table(words.EVIDENCE_TABLES[part]),
        words.EVIDENCE_HEADS,
        (list(_row(row)) for row in checked() if row.record.proves == part),
        class_="kv-data kv-sortable kv-record kv-record-evidence",
    )


def count(standing: str = "") -> Html:
    """The number of records of one standing ("reproduced", "inferred" or "mismatch"), or of all."""
    return _number(sum(standing in {"", row.standing} for row in checked()))


def lines() -> Html:
    """How many printed numbers they hold."""
    return _number(sum(len(row.comparisons) for row in checked()))


def engines() -> Html:
    """The number of engines and web pages that printed them."""
    return _number(len({row.record.engine for row in checked()}))


def closeness(row: Verdict) -> str:
    """How close the numbers of a record come to the printed ones, a key of `words.CLOSENESS`; "" for a mismatch.

    The worst of its lines decides: "equal", "rounding" or "block" (larger by less than a block, or a set of blocks).
    """
    if row.standing == "mismatch":
        return ""
    if all(comparison.equal for comparison in row.comparisons):
        return "equal"
    return "rounding" if all(comparison.within_rounding for comparison in row.comparisons) else "block"


def by_engine() -> Html:
    """The table of how many records of each engine are predicted, and how closely, those with most records first.

    Raises:
        Disagreement: as `checked` does.
    """
    rows = checked()
    sizes = Counter(row.record.engine for row in rows)
    engines = sorted(sizes, key=lambda engine: (-sizes[engine], engine))
    table_rows = [_engine_row(engine, [row for row in rows if row.record.engine == engine]) for engine in engines]
    return table(words.ENGINES_TABLE, words.ENGINES_HEADS, [*table_rows, _engine_row(words.ALL_ENGINES, rows)])


def mismatches() -> Html:
    """The table of the records that do not match, and why.

    Raises:
        Disagreement: as `checked` does.
    """
    rows = [row for row in checked() if row.standing == "mismatch"]
    return table(words.MISMATCHES_TABLE, words.MISMATCHES_HEADS, map(_mismatch_row, rows))


def predicted(close: str) -> Html:
    """The number of records predicted from model and settings alone, of one closeness."""
    return _number(sum(row.standing == "reproduced" and closeness(row) == close for row in checked()))


TABLES: Mapping[str, Callable[[], Html]] = {
    **{f"evidence.{part}": partial(records, part) for part in PARTS},
    "evidence.by_engine": by_engine,
    "evidence.causes": mismatches,
}
"""Slot name -> function that returns the table."""


def _engine_row(name: str, rows: Sequence[Verdict]) -> list[Html | str]:
    """An engine's counts: all records, those predicted from model and settings alone by closeness, and the others."""
    alone = Counter(closeness(row) for row in rows if row.standing == "reproduced")
    others = (sum(row.standing == standing for row in rows) for standing in ("inferred", "mismatch"))
    counts = (len(rows), alone.total(), *(alone[close] for close in words.CLOSENESS), *others)
    return [name, *map(_number, counts)]


def _mismatch_row(row: Verdict) -> list[Html | str]:
    apart = [comparison for comparison in row.comparisons if not comparison.agrees]
    return [
        _prose(row.record.subject),
        row.record.engine,
        _stack(el("span", _name(comparison)) for comparison in apart),
        _stack(_printed(comparison) for comparison in apart),
        _stack(_in_unit(comparison, comparison.computed, _computed(comparison)) for comparison in apart),
        _prose(row.record.mismatch),
    ]


def _row(row: Verdict) -> Iterator[Html | str]:
    record, options = row.record, row.record.options
    settings = words.run_options(
        options.key_dtype,
        options.value_dtype,
        tp=options.tp,
        pp=options.pp,
        cp=options.cp,
        block_size=options.block_size,
        cells=options.cells,
        batched=options.batched_tokens,
        states=options.state_dtype,
    )
    remarks = [
        words.facts_from(record.facts_source),
        words.inferred_from(record.inferred) if record.inferred else "",
        words.why_not(record.mismatch) if record.mismatch else "",
        record.note,
    ]
    yield _prose(record.subject)
    yield record.engine
    yield _stack(el("span", _name(comparison)) for comparison in row.comparisons)
    yield _stack(_printed(comparison) for comparison in row.comparisons)
    yield _stack(_in_unit(comparison, comparison.computed, _computed(comparison)) for comparison in row.comparisons)
    yield _stack(_in_unit(comparison, comparison.difference, _apart(comparison)) for comparison in row.comparisons)
    yield el("span", words.STANDING[row.standing], class_=f"kv-standing kv-{row.standing}")
    if record.proves == "weights":
        settings = words.weights_options(options.mlp_dtype, tp=options.tp)
    yield _prose(f"{words.FORMULAS[record.formula]}; {settings}")
    yield _prose(record.source)
    yield _prose(" ".join(filter(None, remarks)))


def _name(comparison: Comparison) -> str:
    line = comparison.line
    shown = line.tokens if line.counts in {"cache", "blocks", "cells"} and not line.part else 0
    return words.printed_for(line.name, count=shown, length=line.length)


def _printed(comparison: Comparison) -> Html:
    line = comparison.line
    return _in_unit(comparison, line.value, f"{_grouped(line.printed)} {line.unit}")


def _in_unit(comparison: Comparison, number: Fraction, text: str) -> Html:
    """A number of a line's unit; machines are given bytes or counts."""
    value = number * UNITS[comparison.line.unit]
    return data(value.numerator if value.denominator == 1 else float(value), text)


def _computed(comparison: Comparison) -> str:
    """The computed value, to two digits more than were printed unless it has no more than those."""
    scaled = comparison.computed * 10**comparison.line.decimals
    return fixed(comparison.computed, comparison.line.decimals + (0 if scaled.denominator == 1 else 2))


def _apart(comparison: Comparison) -> str:
    exact = (comparison.difference * 10**comparison.line.decimals).denominator == 1
    size = fixed(abs(comparison.difference), comparison.line.decimals + (0 if exact else 2))
    sign = "\N{MINUS SIGN}" if comparison.difference < 0 else "+"
    return words.agreement(
        same=comparison.equal,
        rounded=comparison.within_rounding,
        agrees=comparison.agrees,
        slack=comparison.line.slack,
        difference=f"{sign}{size}",
    )


def _grouped(printed: str) -> str:
    """A printed number with commas between its thousands."""
    whole, point, part = printed.partition(".")
    return f"{format_count(int(whole))}{point}{part}"


def _stack(lines: Iterator[Html]) -> Html:
    """One line for each finding, so that the lines of a row's cells stay at the same height."""
    return join([el("span", line, class_="kv-line") for line in lines])


def _prose(text: str) -> Html:
    return el("span", text, class_="kv-prose")


def _number(count: int) -> Html:
    return data(count, format_count(count))
