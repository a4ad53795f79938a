"""Every record of what engines printed is reproduced, or has a `mismatch` that says why it is not."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from kvcore.evidence.counts import COUNTS
from kvcore.evidence.engine_rules import ENGINE_DTYPES
from kvcore.evidence.records import UNITS, Line, Options, records
from kvcore.evidence.verdicts import Comparison, problems, verdict, verdicts

ROWS = verdicts()
BY_ID = {row.record.id: row for row in ROWS}
WEIGHTS = {122, 123, 124, 125, 126, 127, 128, 134}
MISMATCHES = {82, 120, 125, 126, 127, 128, 134, 233}
"""The records that disagree, listed here again so that marking another one as a mismatch fails a test."""

RECENT = {*range(201, 217), 218, 219, 220, 221, 222, 223, 224, 225, 226, 228, 230, 231, 232, 234, 235, 236}
"""Records of late 2025 and of 2026 with nothing inferred: hybrids, latents, windows, and caches of one byte or less."""


def name_of(row):
    return f"{row.record.id}: {row.record.subject}"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_record_agrees_or_says_why_it_does_not(row):
    assert row.agrees != bool(row.record.mismatch)
    assert not row.record.mismatch or len(row.record.mismatch) > 40


def test_problems_finds_wrong_and_missing_mismatches():
    assert problems(ROWS) == []
    good, bad = BY_ID[62], BY_ID[120]
    listed = replace(good, record=replace(good.record, mismatch="said to differ"))
    unlisted = replace(bad, record=replace(bad.record, mismatch=""))
    assert [problem.value for problem in problems((listed, unlisted))] == [62, 120]


def test_there_are_131_records_and_eight_mismatches():
    assert len(ROWS) == len(BY_ID) == 131
    assert {row.record.id for row in ROWS if row.record.proves == "weights"} == WEIGHTS
    assert {row.record.id for row in ROWS if row.standing == "mismatch"} == MISMATCHES


def test_most_records_are_reproduced_without_inferred_facts():
    assert Counter(row.standing for row in ROWS) == {"reproduced": 87, "inferred": 36, "mismatch": 8}


def test_the_records_of_2026_are_predicted_from_the_model_and_its_settings():
    """At least 25 infer nothing from the numbers; 217, 227 and 229 infer a setting or the model, 233 does not match."""
    standing = {number: row.standing for number, row in BY_ID.items() if number > 200}
    assert {number for number, name in standing.items() if name == "reproduced"} == RECENT
    assert {number for number, name in standing.items() if name != "reproduced"} == {217, 227, 229, 233}
    assert len(RECENT) == 32
    assert all(row.record.read == "2026-12-01" for row in ROWS if row.record.id > 200)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_record_names_its_source_and_that_of_its_facts(row):
    record = row.record
    assert len(record.source) > 8
    assert len(record.facts_source) > 8
    assert date(2026, 1, 1) <= date.fromisoformat(record.read) <= date(2100, 1, 1)
    assert record.confidence in {"high", "medium"}
    assert record.engine
    assert record.lines
    assert {record.options.keys.name, record.options.values.name} <= set(ENGINE_DTYPES)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_record_has_a_line_that_depends_on_the_model(row):
    independent_of_the_model = {"concurrency", "block_tokens"}
    assert {line.counts for line in row.record.lines} - independent_of_the_model
    assert all(line.unit in UNITS and line.counts in COUNTS for line in row.record.lines)


@pytest.mark.parametrize(
    ("record", "line", "expected"),
    # Worked by hand from the record's facts.
    [
        pytest.param(5, 0, Fraction(2 * 60 * 52 * 128 * 4 * 512, 2**20), id="LLaMA 30B in fp32"),
        pytest.param(12, 1, Fraction(32 * 8 * 128 * 34 // 32 * 2048, 2**20), id="K in q8_0"),
        pytest.param(12, 2, Fraction(32 * 8 * 128 * 18 // 32 * 2048, 2**20), id="V in iq4_nl"),
        pytest.param(112, 0, Fraction(132_608 * 524_288), id="an exact number of bytes"),
        pytest.param(71, 0, Fraction(4 * 2**30 // (16 * 20_480)), id="Command R at tp 8"),
        pytest.param(92, 0, Fraction(715_072 * 61 * 576 * 2, 2**30), id="a latent on each of eight GPUs"),
        pytest.param(93, 0, Fraction(5_721_088 // 8 * 61 * 576 * 2, 2**30), id="tokens divided among eight GPUs"),
        pytest.param(94, 0, Fraction(807_792 * 14 * 576 * 2, 2**30), id="14 of 27 layers"),
        pytest.param(103, 0, Fraction(367_405 * 94 * 128 * 2, 2**30), id="one KV head on each GPU, and one extra slot"),
        pytest.param(110, 0, Fraction(975_424 * 61 * 788, 2**30), id="a latent in fp8 and an indexer key"),
        pytest.param(51, 1, Fraction(18 * 2 * 8 * 64 * 2 * 1024, 2**20), id="1,024 cells of a window of 128"),
        pytest.param(57, 3, Fraction(24 * 4 * (48 * 64 * 256 + 3 * 3584), 2**20), id="Mamba-2 in fp32"),
        pytest.param(130, 1, Fraction(100 * 118, 1443), id="118 of 1,444 blocks, one of them unused"),
        pytest.param(124, 0, Fraction(2 * 8_030_261_248 + 131_072 * 128 * 2, 2**30), id="weights and rotary table"),
        pytest.param(120, 2, Fraction(128_000 * 516_096, 2**30), id="half of what a published table says"),
        # Qwen3-Next: 12 layers of 2 KV heads of 256; in 36 others 32 heads of 128 x 128, and 3 inputs of 8,192 channels.
        pytest.param(201, 0, Fraction(2 * 12 * 2 * 256 * 2 * 132_352, 2**20), id="12 of 48 layers attend"),
        pytest.param(201, 4, Fraction(36 * 3 * 8_192 * 4, 2**20), id="convolutions of 36 layers in fp32"),
        pytest.param(201, 5, Fraction(36 * 32 * 128 * 128 * 4, 2**20), id="states of 36 layers in fp32"),
        pytest.param(202, 1, Fraction(10 * 2 * 256 * 18 // 32 * 34_048, 2**20), id="K of ten layers in q4_0"),
        pytest.param(203, 0, Fraction(2 * 10 * 2 * 256 * 34 // 32 * 66_816, 2**20), id="K and V in q8_0"),
        pytest.param(204, 3, Fraction(16 * 30 * (3 * 8_192 + 32 * 128 * 128) * 4, 2**20), id="16 sequences' states"),
        pytest.param(206, 1, Fraction(4 * 48 * (3 * 10_240 + 48 * 128 * 128) * 4, 2**20), id="four sequences' states"),
        # A state of 2,097,152 + 49,152 bytes and 2,048 bytes a token: 1,048 tokens, 1,056 as a multiple of 16.
        pytest.param(207, 0, Fraction(1_056), id="a page of 1,056 tokens"),
        pytest.param(207, 1, Fraction(1_056 * 2_048 - 2_146_304, 2_146_304) * 100, id="padding of a state to a page"),
        # 590 sets of 4 pages, in ten layers; a request of 131,072 tokens takes 125 pages, and 3 of states.
        pytest.param(207, 2, Fraction(590 * 4 * 10 * 1_056 * 2_048, 2**30), id="590 sets of pages"),
        pytest.param(207, 4, Fraction(590 * 4, 125 + 3), id="requests in 590 sets"),
        # 64 heads of 64 x 128 in fp32, 3 inputs of 6,144 channels, 512 bytes a token: 4,168 tokens, rounded up.
        pytest.param(209, 1, Fraction(4_176 * 512 - 2_134_016, 2_134_016) * 100, id="padding of Nemotron 3 Nano"),
        # 128 heads of 64 x 128 in fp32, 3 + 3 inputs of 10,240 channels: 4,317,184 bytes, 512 a token.
        pytest.param(212, 0, Fraction(4_317_184, 512), id="three guessed tokens widen the convolution"),
        # 11,090 sets of 6 pages of 16 * 8,192 bytes in five layers; 256 pages, and 5 * (320 + 1) with windows.
        pytest.param(213, 0, Fraction(11_090 * 6 * 5 * 16 * 8_192, 2**30), id="sets of Gemma 4's pages"),
        pytest.param(213, 2, Fraction(11_090 * 6, 256 + 5 * 321), id="requests of Gemma 4"),
        # 205 pages of 1,600 tokens of 1,024 bytes in 17 layers; a request takes 164, and 3 * (2 + 3) of states.
        pytest.param(216, 0, Fraction(205 * 17 * 1_600 * 1_024, 2**30), id="205 pages in 17 layers"),
        pytest.param(216, 1, Fraction(205 * 262_144 // 179), id="tokens that 205 pages come to"),
        pytest.param(222, 0, Fraction(28 * 2 * 128 * 3_113_714, 2**30), id="K in one byte a number"),
        pytest.param(224, 0, Fraction(61 * 656 * (1_462_784 + 64), 2**30), id="a latent without its indexer"),
        pytest.param(225, 0, Fraction(78 * (656 + 132) * 3_262_824, 2**30), id="a latent and an indexer's key"),
        pytest.param(234, 0, Fraction(61 * 576 * 2 * 2_454_422, 2**30), id="Kimi K2.5's latents"),
        pytest.param(235, 2, Fraction(48 * 4 * 128 * 18 // 32 * 64_000, 2**20), id="V in q4_0"),
        pytest.param(231, 0, Fraction(2 * 48 * 8 * 128 * 34 // 32 * 32_768, 2**20), id="K and V of 48 layers in q8_0"),
        # 44,673 sets of 6 pages of 16 * 4,096 bytes in five layers: half of what they are in 16 bits.
        pytest.param(232, 0, Fraction(44_673 * 6 * 5 * 16 * 4_096, 2**30), id="sets of Gemma 4's pages in fp8"),
        # 44 sets of 5 pages, each of 4,176 tokens of 256 bytes in six layers.
        pytest.param(233, 0, Fraction(44 * 5 * 6 * 4_176 * 256, 2**30), id="the smaller of two GPUs"),
        pytest.param(228, 1, Fraction(28 * 8 * 128 * 34 // 32 * 1024, 2**20), id="K of Qwen3 0.6B in q8_0"),
    ],
)
def test_the_number_that_kvcore_computes_for_a_line(record, line, expected):
    assert BY_ID[record].comparisons[line].computed == expected


@pytest.mark.parametrize(
    ("printed", "computed", "block", "within_rounding", "agrees"),
    [
        pytest.param("2.33", Fraction(2325, 1000), 0, True, True, id="half a unit of the last digit"),
        pytest.param("2.33", Fraction(2324, 1000), 0, False, False, id="more than half a unit"),
        pytest.param("2048", Fraction(2048), 0, True, True, id="a whole number"),
        pytest.param("2048", Fraction(20481, 10), 0, False, False, id="a whole number is not rounded"),
        pytest.param("3.82", Fraction(38, 10), Fraction(2, 100), False, True, id="larger by less than one block"),
        pytest.param("3.78", Fraction(38, 10), Fraction(2, 100), False, False, id="smaller than the blocks"),
        pytest.param("3.83", Fraction(38, 10), Fraction(2, 100), False, False, id="larger by more than one block"),
    ],
)
def test_a_line_agrees_within_rounding_and_one_block(printed, computed, block, within_rounding, agrees):
    line = Line(name="memory", printed=printed, unit="GiB", counts="cache")
    comparison = Comparison(line=line, computed=computed, block=Fraction(block))
    assert (comparison.within_rounding, comparison.agrees) == (within_rounding, agrees)


STATES = {
    "groups": [
        {"kind": "full", "layers": 2, "kv_heads": 2, "key_dim": 128, "value_dim": 128},
        {
            "kind": "recurrent",
            "name": "Mamba-2",
            "layers": 5,
            "states": [
                {"role": "state", "parts": 4, "values": 2000, "dtype": "fp32"},
                {"role": "convolution", "parts": 4, "values": 96, "dtype": "bf16"},
            ],
        },
    ]
}
"""Two layers that attend and five with 32,000 + 768 bytes of state: three groups of two layers in vLLM, one padded."""


@pytest.mark.parametrize(
    ("options", "line", "computed", "block"),
    # In 16 bits a token takes 2 * 2 * 128 * 2 = 1,024 bytes in a layer: a page of 32 tokens is as large as a state.
    [
        pytest.param({}, {"counts": "state", "part": "state"}, 5 * 32_000, 0, id="the state alone"),
        pytest.param({}, {"counts": "state", "part": "convolution"}, 5 * 768, 0, id="the convolution alone"),
        pytest.param({}, {"counts": "state", "sequences": 3}, 3 * 5 * 32_768, 0, id="three sequences"),
        pytest.param({"tp": 2}, {"counts": "state"}, 5 * 32_768 // 2, 0, id="on one of two GPUs"),
        pytest.param({"state_dtype": "bf16"}, {"counts": "state"}, 5 * (16_000 + 768), 0, id="the state in 16 bits"),
        pytest.param({"convolution_dtype": "fp32"}, {"counts": "state"}, 5 * (32_000 + 1_536), 0, id="convolution in 32"),
        pytest.param({}, {"counts": "pool_padding"}, 0, 0, id="a page of 32 tokens is not padded"),
        # 512 bytes a token: 64 tokens. With a convolution in 32 bits a state has 33,536 bytes: 80 tokens, 40,960 bytes.
        pytest.param({"key_dtype": "fp8"}, {"counts": "pool_block_tokens"}, 64, 0, id="a page in fp8"),
        pytest.param(
            {"key_dtype": "fp8", "convolution_dtype": "fp32"}, {"counts": "pool_padding"},
            Fraction(40_960, 33_536) - 1, 0, id="padding",
        ),
        # 320 tokens: 10 pages for each of 1 + 3 groups. A page serves two layers. 100 tokens: 4 pages, and 3 of state.
        pytest.param({}, {"counts": "set_tokens", "tokens": 320}, 320, 0, id="whole sets"),
        pytest.param({}, {"counts": "set_tokens", "tokens": 321}, 320, 0, id="vLLM prints no part of a set"),
        pytest.param(
            {}, {"counts": "set_memory", "tokens": 320, "slack": "set"}, 40 * 65_536, 4 * 65_536, id="memory of sets"
        ),
        pytest.param(
            {}, {"counts": "set_concurrency", "tokens": 320, "length": 100, "slack": "set"},
            Fraction(40, 7), Fraction(3, 7), id="requests in sets",
        ),
    ],
)  # fmt: skip
def test_what_a_line_counts_of_a_model_with_states(options, line, computed, block):
    unit = "tokens" if "tokens" in line["counts"] else "B"
    counted = Line(name="line", printed="0", unit=unit, **line)
    record = replace(BY_ID[57].record, facts=STATES, options=Options(**options), lines=(counted,))
    (comparison,) = verdict(record).comparisons
    assert (comparison.computed, comparison.block) == (computed, block)


def test_a_record_disagrees_if_a_group_has_one_layer_more():
    """Otherwise the records would agree with wrong facts, too, and prove nothing."""
    for record in records():
        groups = record.facts.get("groups")
        if record.proves != "plain" or not groups:
            continue
        wrong = [{**group, "layers": group["layers"] + 1} for group in groups]
        assert not verdict(replace(record, facts={"groups": wrong})).agrees


def _row(group, more_layers, more_heads):
    """A group as evidence.json has it, with more layers, or with more heads of K and V or of a state."""
    if group.kind == "latent":
        names = ("kv_rank", "rope_dim", "index_dim")
        return {
            "kind": "latent",
            "layers": group.layers + more_layers,
            **{name: getattr(group, name) for name in names},
        }
    if group.kind == "recurrent":
        states = [
            {"role": state.role, "parts": state.parts + more_heads, "values": state.values, "dtype": state.dtype.name}
            for state in group.states
        ]
        return {"kind": "recurrent", "name": group.name, "layers": group.layers + more_layers, "states": states}
    names = ("kind", "key_dim", "value_dim", "window")
    row = {name: getattr(group, name) for name in names}
    return row | {"layers": group.layers + more_layers, "kv_heads": group.kv_heads + more_heads}


@pytest.mark.parametrize("number", sorted(RECENT))
def test_a_recent_record_disagrees_with_a_model_that_is_a_little_different(number):
    """One layer more of each kind; where no memory is printed, one more head of K, V and state."""
    record = BY_ID[number].record
    memory = bool({line.unit for line in record.lines} & {"B", "MiB", "GiB"})
    groups = [group for group in record.shape(record.lines[0]).groups if group.kind not in {"none", "shared"}]
    wrong = [_row(group, memory, not memory) for group in groups]
    assert not verdict(replace(record, facts={"groups": wrong})).agrees


@pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide cannot start processes")
def test_the_browser_s_code_does_not_import_the_evidence():
    code = "import sys, kvcore.page; print([n for n in sys.modules if n.startswith('kvcore') and 'evid' in n or 'printed' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
