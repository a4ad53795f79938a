"""The evidence as its page prints it: a table for each thing that the records prove, and how many agree."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from kvcore.evidence.records import UNITS
from kvcore.evidence.verdicts import Finding, Judged, judged, problems
from kvcore.page.html import Html, data, el, join, table
from kvcore.page.printed import words
from kvcore.units import fixed, format_count

PARTS = tuple(words.EVIDENCE_TABLES)
"""What the records prove, in the order of the page."""


def checked() -> tuple[Judged, ...]:
    """Every record.

    Raises:
        Disagreement: when one does not agree and is not listed so, or is listed and agrees.
    """
    rows = judged()
    for problem in problems(rows):
        raise problem
    return rows


def records(part: str) -> Html:
    """The table of the records that prove one thing."""
    return table(
        words.evidence_table(words.EVIDENCE_TABLES[part]),
        words.EVIDENCE_HEADS,
        (list(_row(row)) for row in checked() if row.record.proves == part),
        class_="kv-data kv-sortable kv-record kv-record-evidence",
    )


def count(standing: str = "") -> Html:
    """How many records there are, of one standing or in all."""
    return _number(sum(standing in {"", row.standing} for row in checked()))


def lines() -> Html:
    """How many printed numbers they hold."""
    return _number(sum(len(row.findings) for row in checked()))


def engines() -> Html:
    """How many engines and pages printed them."""
    return _number(len({row.record.engine for row in checked()}))


TABLES = {f"evidence.{part}": partial(records, part) for part in PARTS}
"""Slot -> what prints it."""


def _row(row: Judged) -> Iterator[Html | str]:
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
    )
    remarks = [
        words.facts_from(record.facts_source),
        words.inferred_from(record.inferred) if record.inferred else "",
        words.why_not(record.mismatch) if record.mismatch else "",
        record.note,
    ]
    yield _prose(record.subject)
    yield record.engine
    yield _stack(el("span", _name(finding)) for finding in row.findings)
    yield _stack(
        _in_unit(found, found.line.value, f"{_grouped(found.line.printed)} {found.line.unit}") for found in row.findings
    )
    yield _stack(_in_unit(found, found.value, _computed(found)) for found in row.findings)
    yield _stack(_in_unit(found, found.difference, _apart(found)) for found in row.findings)
    yield el("span", words.STANDING[row.standing], class_=f"kv-standing kv-{row.standing}")
    if record.proves == "weights":
        settings = words.weights_options(options.mlp_dtype, tp=options.tp)
    yield _prose(f"{words.FORMULAS[record.formula]}; {settings}")
    yield _prose(record.source)
    yield _prose(" ".join(filter(None, remarks)))


def _name(found: Finding) -> str:
    line = found.line
    shown = line.tokens if line.counts in {"cache", "blocks", "cells"} and not line.part else 0
    return words.printed_for(line.name, count=shown, length=line.length)


def _in_unit(found: Finding, number: Fraction, text: str) -> Html:
    """A number of a line's unit; machines are given bytes or counts."""
    value = number * UNITS[found.line.unit]
    return data(value.numerator if value.denominator == 1 else float(value), text)


def _computed(found: Finding) -> str:
    """The computed value, to two digits more than were printed unless it has no more than those."""
    scaled = found.value * 10**found.line.decimals
    return fixed(found.value, found.line.decimals + (0 if scaled.denominator == 1 else 2))


def _apart(found: Finding) -> str:
    exact = (found.difference * 10**found.line.decimals).denominator == 1
    size = fixed(abs(found.difference), found.line.decimals + (0 if exact else 2))
    sign = "\N{MINUS SIGN}" if found.difference < 0 else "+"
    return words.agreement(same=found.same, rounded=found.rounded, agrees=found.agrees, difference=f"{sign}{size}")


def _grouped(printed: str) -> str:
    """A printed number with its thousands separated."""
    whole, point, part = printed.partition(".")
    return f"{format_count(int(whole))}{point}{part}"


def _stack(lines: Iterator[Html]) -> Html:
    """One line for each, so that the columns of a row stay level."""
    return join([el("span", line, class_="kv-line") for line in lines])


def _prose(text: str) -> Html:
    return el("span", text, class_="kv-prose")


def _number(count: int) -> Html:
    return data(count, format_count(count))
