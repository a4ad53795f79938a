"""Each record of what engines printed is reproduced, or listed as a mismatch with its cause; nothing in between."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from kvcore.evidence.engine_rules import ENGINE_DTYPES
from kvcore.evidence.records import UNITS, Line, records
from kvcore.evidence.verdicts import COUNTS, Finding, Judged, judged, problems

ROWS = judged()
BY_ID = {row.record.id: row for row in ROWS}
WEIGHTS = {122, 123, 124, 125, 126, 127, 128, 134}
MISMATCHES = {82, 120, 125, 126, 127, 128, 134}
"""What does not match, listed here a second time: a record does not slip into the list unseen."""


def ident(row):
    return f"{row.record.id}: {row.record.subject}"


@pytest.mark.parametrize("row", ROWS, ids=ident)
def test_a_record_agrees_or_is_listed_with_its_cause(row):
    assert row.agrees != bool(row.record.mismatch)
    assert not row.record.mismatch or len(row.record.mismatch) > 40


def test_the_build_refuses_what_is_not_as_listed():
    assert problems(ROWS) == []
    good, bad = BY_ID[62], BY_ID[120]
    listed = replace(good, record=replace(good.record, mismatch="said to differ"))
    unlisted = replace(bad, record=replace(bad.record, mismatch=""))
    assert [problem.value for problem in problems((listed, unlisted))] == [62, 120]


def test_all_ninety_five_are_there():
    assert len(ROWS) == len(BY_ID) == 95
    assert {row.record.id for row in ROWS if row.record.proves == "weights"} == WEIGHTS
    assert {row.record.id for row in ROWS if row.standing == "mismatch"} == MISMATCHES


def test_most_are_proof_and_not_only_regressions():
    assert Counter(row.standing for row in ROWS) == {"reproduced": 55, "inferred": 33, "mismatch": 7}


@pytest.mark.parametrize("row", ROWS, ids=ident)
def test_a_record_says_where_it_and_its_facts_are_from(row):
    record = row.record
    assert len(record.source) > 8
    assert len(record.facts_source) > 8
    assert date(2026, 1, 1) <= date.fromisoformat(record.read) <= date(2100, 1, 1)
    assert record.confidence in {"high", "medium"}
    assert record.engine
    assert record.lines
    assert {record.options.keys.name, record.options.values.name} <= set(ENGINE_DTYPES)


@pytest.mark.parametrize("row", ROWS, ids=ident)
def test_a_record_measures_something(row):
    trivial = {"concurrency", "block_tokens"}
    assert {line.counts for line in row.record.lines} - trivial
    assert all(line.unit in UNITS and line.counts in COUNTS for line in row.record.lines)


@pytest.mark.parametrize(
    ("record", "line", "expected"),
    # By hand, from the record's own facts.
    [
        pytest.param(5, 0, Fraction(2 * 60 * 52 * 128 * 4 * 512, 2**20), id="LLaMA 30B in fp32"),
        pytest.param(12, 1, Fraction(32 * 8 * 128 * 34 // 32 * 2048, 2**20), id="K in q8_0"),
        pytest.param(12, 2, Fraction(32 * 8 * 128 * 18 // 32 * 2048, 2**20), id="V in iq4_nl"),
        pytest.param(112, 0, Fraction(132_608 * 524_288), id="to the byte"),
        pytest.param(71, 0, Fraction(4 * 2**30 // (16 * 20_480)), id="Command R at tp 8"),
        pytest.param(92, 0, Fraction(715_072 * 61 * 576 * 2, 2**30), id="a latent on each of eight GPUs"),
        pytest.param(93, 0, Fraction(5_721_088 // 8 * 61 * 576 * 2, 2**30), id="tokens over eight GPUs"),
        pytest.param(94, 0, Fraction(807_792 * 14 * 576 * 2, 2**30), id="14 of 27 layers"),
        pytest.param(103, 0, Fraction(367_405 * 94 * 128 * 2, 2**30), id="a head each, and a page more"),
        pytest.param(110, 0, Fraction(975_424 * 61 * 788, 2**30), id="latent in fp8, and an indexer"),
        pytest.param(51, 1, Fraction(18 * 2 * 8 * 64 * 2 * 1024, 2**20), id="1,024 cells of a window of 128"),
        pytest.param(57, 3, Fraction(24 * 4 * (48 * 64 * 256 + 3 * 3584), 2**20), id="Mamba-2 in fp32"),
        pytest.param(130, 1, Fraction(100 * 118, 1443), id="118 of 1,444 blocks, one of them kept"),
        pytest.param(124, 0, Fraction(2 * 8_030_261_248 + 131_072 * 128 * 2, 2**30), id="weights and rotary table"),
        pytest.param(120, 2, Fraction(128_000 * 516_096, 2**30), id="half of what a table says"),
    ],
)
def test_what_kvcore_says_of_a_line(record, line, expected):
    assert BY_ID[record].findings[line].value == expected


@pytest.mark.parametrize(
    ("printed", "value", "block", "rounded", "agrees"),
    [
        pytest.param("2.33", Fraction(2325, 1000), 0, True, True, id="half of the last digit"),
        pytest.param("2.33", Fraction(2324, 1000), 0, False, False, id="more than half"),
        pytest.param("2048", Fraction(2048), 0, True, True, id="a count"),
        pytest.param("2048", Fraction(20481, 10), 0, False, False, id="a count is not rounded"),
        pytest.param("3.82", Fraction(38, 10), Fraction(2, 100), False, True, id="a rest below one block"),
        pytest.param("3.78", Fraction(38, 10), Fraction(2, 100), False, False, id="less memory than the blocks take"),
        pytest.param("3.83", Fraction(38, 10), Fraction(2, 100), False, False, id="a rest of more than a block"),
    ],
)
def test_what_agreement_is(printed, value, block, rounded, agrees):
    line = Line(name="memory", printed=printed, unit="GiB", counts="cache")
    found = Finding(line=line, value=value, block=Fraction(block))
    assert (found.rounded, found.agrees) == (rounded, agrees)


def test_another_head_count_would_not_agree():
    """The records bite: with one KV head more or fewer in a group of layers, none of the plain ones agrees."""
    from kvcore.evidence import verdicts

    for record in records():
        groups = record.facts.get("groups")
        if record.proves != "plain" or not groups:
            continue
        wrong = [{**group, "layers": group["layers"] + 1} for group in groups]
        changed = replace(record, facts={"groups": wrong})
        assert not Judged(
            record=changed, findings=tuple(verdicts._finding(changed, line) for line in record.lines)
        ).agrees


@pytest.mark.skipif(sys.platform == "emscripten", reason="there are no processes in the browser's Python")
def test_the_browsers_page_does_not_import_the_evidence():
    code = "import sys, kvcore.page; print([n for n in sys.modules if n.startswith('kvcore') and 'evid' in n or 'printed' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
