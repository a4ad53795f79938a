"""The slots that no control changes, of the pages of models and of evidence."""

import re
from xml.etree import ElementTree as ET

import pytest

from kvcore.catalog import GPUS, MODELS
from kvcore.errors import KvcoreError
from kvcore.evidence.verdicts import verdicts
from kvcore.page import printed, update
from kvcore.page.printed import evidence

TABLES = sorted(printed.BLOCKS - {"gallery.figures"})


def rows(name):
    root = ET.fromstring(printed.PRINTED[name]())
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


@pytest.mark.parametrize("name", sorted(printed.PRINTED))
def test_a_printed_slot_is_well_formed_ascii(name):
    text = printed.PRINTED[name]()
    assert text.isascii()
    assert ET.fromstring(text) is not None


def test_no_slot_is_both_printed_and_answered():
    assert not set(printed.PRINTED) & set(update({})["slots"])


@pytest.mark.parametrize("name", sorted(printed.PRINTED))
def test_a_printed_slot_is_a_div_if_and_only_if_it_is_listed_as_a_block(name):
    assert (ET.fromstring(printed.PRINTED[name]()).tag == "div") is (name in printed.BLOCKS)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_name_keyboard_focus_and_rows_of_equal_length(name):
    region = ET.fromstring(printed.PRINTED[name]())
    assert (region.get("role"), region.get("tabindex"), bool(region.get("aria-label"))) == ("region", "0", True)
    assert {len(row) for row in rows(name)} == {len(rows(name)[0])}


def test_every_model_and_gpu_has_a_row_with_its_source():
    facts_of = {"models.catalog": MODELS, "models.sources": MODELS, "models.gpus": GPUS, "models.gpu_sources": GPUS}
    for name, facts in facts_of.items():
        assert [row[0] for row in rows(name)[1:]] == [model.name for model in facts.values()]
    assert [row[2] for row in rows("models.sources")[1:]] == [model.source for model in MODELS.values()]


def test_a_row_of_the_catalog_has_the_numbers_of_the_article():
    (row,) = [row for row in rows("models.catalog") if row[0] == "Llama-3 70B"]
    assert row[3:12] == ["80", "80: every token", "64", "8", "128", "8,192", "128,256", "8,192", "320 KiB"]
    assert row[14:] == ["70,553,706,496", "\N{EN DASH}", "70,553,706,496", "equal", "131.4 GiB"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        pytest.param(
            "NVIDIA B200 SXM",
            ["180 GB", "179.1 GiB", "192,265,846,784", "7.70 TB/s", "2,250 TFLOP/s", "4,500 TFLOP/s",
             "4,500 TFLOP/s", "9,000 TFLOP/s", "NVLink 5", "900 GB/s"],
            id="every rate is known",
        ),
        pytest.param(
            "Apple M4 Pro, 48 GB",
            ["48 GB", "37.4 GiB", "40,200,896,512", "0.273 TB/s", *["\N{EN DASH}"] * 6],
            id="memory and bandwidth alone",
        ),
    ],
)  # fmt: skip
def test_a_row_of_a_gpu_has_its_memory_its_rates_and_its_link(name, cells):
    (row,) = [row[1:] for row in rows("models.gpus") if row[0] == name]
    assert row == cells


def test_the_tables_have_every_record_once():
    named = [row[0] for part in evidence.PARTS for row in rows(f"evidence.{part}")[1:]]
    assert named == [row.record.subject for row in verdicts()]


def test_the_counts_add_up():
    def count(name):
        return int(re.sub("<[^>]*>", "", printed.PRINTED[f"evidence.{name}"]()))

    assert count("records") == 131 == count("reproduced") + count("inferred") + count("mismatch")
    assert count("lines") == sum(len(row.comparisons) for row in verdicts())


def test_a_row_of_the_evidence_has_printed_and_computed_numbers_and_their_difference():
    table = ET.fromstring(printed.PRINTED["evidence.blocks"]())
    (row,) = [row for row in table.iter("tr") if "".join(row[0].itertext()) == "Llama-3.1 8B Instruct"]

    def cell(index):
        return [(float(data.get("value")), data.text) for data in row[index].iter("data")]

    gib = 2**30
    assert cell(3) == [(3.81 * gib, "3.81 GiB"), (2048, "2,048 blocks"), (1.56, "1.56 requests")]
    assert cell(4) == [(3.8125 * gib, "3.8125"), (2048, "2,048"), (1.5616, "1.5616")]
    differences = [value for value, _ in cell(5)]
    assert differences == pytest.approx([-0.0025 * gib, 0, -0.0016])
    assert row[6].find(".//*[@class='kv-standing kv-reproduced']") is not None


def test_a_record_that_is_not_as_listed_is_not_printed(monkeypatch):
    first, *others = verdicts()
    from dataclasses import replace

    wrong = replace(first, record=replace(first.record, mismatch="said to differ"))
    monkeypatch.setattr(evidence, "verdicts", lambda: (wrong, *others))
    with pytest.raises(KvcoreError) as caught:
        evidence.records("weights")
    assert caught.value.value == first.record.id


def test_the_table_by_engine_counts_every_record_once_and_its_last_row_adds_up():
    _, *engines, (name, *totals) = rows("evidence.by_engine")
    assert [int(total) for total in totals] == [
        sum(map(int, column)) for column in list(zip(*engines, strict=True))[1:]
    ]
    assert name == "All"
    for _, *counts in engines:
        records, alone, equal, rounded, within, inferred, mismatch = map(int, counts)
        assert records == alone + inferred + mismatch
        assert alone == equal + rounded + within


@pytest.mark.parametrize(
    ("engine", "counts"),
    # Counted by hand. ollama: 59, 341 MiB exactly. SGLang: 103, 104, 110, 221, 222, 223, 224, 225, 226 and 234, all rounded to a
    # hundredth of a GiB; 105, 106, 227 and 229 infer a part.
    [
        pytest.param("ollama", ["1", "1", "1", "0", "0", "0", "0"], id="ollama"),
        pytest.param("SGLang", ["14", "10", "0", "10", "0", "4", "0"], id="SGLang"),
    ],
)
def test_a_row_of_the_table_by_engine(engine, counts):
    assert [row[1:] for row in rows("evidence.by_engine") if row[0] == engine] == [counts]


def test_the_records_that_do_not_match_are_listed_with_their_causes():
    apart = [row.record for row in verdicts() if row.record.mismatch]
    assert [(row[0], row[-1]) for row in rows("evidence.causes")[1:]] == [(one.subject, one.mismatch) for one in apart]
