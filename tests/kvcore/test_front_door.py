"""`import kvcore`: kvcore.size, kvcore.split and the other names that the package exports."""

import inspect
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest

import kvcore
from kvcore.page import update
from tests.kvcore.page.reading import figures

LLAMA_8B = json.loads((Path(__file__).parent / "configs" / "meta-llama-3.1-8b.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "of",
    [
        pytest.param("llama-3.1-8b", id="the id of a model"),
        pytest.param(kvcore.model("llama-3.1-8b"), id="a model"),
        pytest.param(LLAMA_8B, id="the JSON of its config"),
        pytest.param(kvcore.read_config(LLAMA_8B), id="a config that was read"),
        pytest.param(kvcore.model("llama-3.1-8b").shape, id="a shape"),
    ],
)
def test_size_takes_every_kind_of_description_of_a_model(of):
    footprint = kvcore.size(of, context=131_072, batch=1)
    assert footprint.cache_bytes == 16 * 2**30
    assert footprint.weights_bytes == 2 * 8_030_261_248


def test_split_says_what_fits():
    share = kvcore.split(kvcore.size("llama-3-70b", context=8192, batch=8), tp=2, reserve=0.1)
    assert (share.fits, share.max_batch) == (
        False,
        4,
    )  # 77.0 GB usable on each GPU less 70.6 GB of weights leave room for 4 sequences of 1.25 GiB
    assert kvcore.split(kvcore.size("llama-3-70b"), tp=2, reserve=Fraction(1, 10)).reserve == Fraction(1, 10)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        pytest.param(lambda: kvcore.size("llama-9"), "model", id="an unknown model"),
        pytest.param(lambda: kvcore.size({"model_type": "whale"}), "model_type", id="an unknown architecture"),
        pytest.param(lambda: kvcore.size("falcon-7b", cache_dtype="int3"), "cache_dtype", id="an unknown cache type"),
        pytest.param(lambda: kvcore.size("falcon-7b", value_dtype="int3"), "value_dtype", id="an unknown type of V"),
        pytest.param(lambda: kvcore.size("falcon-7b", weight_dtype="q9"), "weight_dtype", id="an unknown weight type"),
        pytest.param(lambda: kvcore.size("falcon-7b", gpu="abacus"), "gpu", id="an unknown GPU"),
        pytest.param(lambda: kvcore.size("falcon-7b", context=0), "context", id="a context of no tokens"),
        pytest.param(lambda: kvcore.split(kvcore.size("falcon-7b"), tp=2), "tp", id="71 heads over 2 GPUs"),
        pytest.param(lambda: kvcore.split(kvcore.size("falcon-7b"), reserve=1), "reserve", id="all memory reserved"),
        pytest.param(lambda: kvcore.split("falcon-7b"), "footprint", id="a model's id instead of a footprint"),
    ],
)
def test_bad_input_is_refused_naming_the_field(call, field):
    with pytest.raises(kvcore.KvcoreError) as caught:
        call()
    assert caught.value.field == field


def test_every_exported_name_exists_and_has_a_docstring():
    assert kvcore.__all__ == sorted(kvcore.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in kvcore.__all__:
        assert name.isupper() or name == "__version__" or inspect.getdoc(getattr(kvcore, name))


def test_a_notebook_shows_a_footprint_as_the_cliff_chart_of_the_article():
    drawing = ET.fromstring(kvcore.size("llama-3.1-70b", context=8192, batch=8)._repr_svg_())
    page = next(figures(update({})["slots"]["lab.chart"]))
    svg = "{http://www.w3.org/2000/svg}"
    paths = [path.get("d") for path in drawing.iter(f"{svg}path")]
    assert paths == [path.get("d") for path in page.iter("path")]
    assert drawing.get("aria-label") == page.get("aria-label")


def test_the_standalone_style_sheet_has_every_class_of_the_figures():
    from kvcore.page.draw.standalone import _STYLE

    styled = set(re.findall(r"\.(kv-[\w-]+)", _STYLE))
    slots = update({"strategy": "paged", "compare": "falcon-7b", "context": 4096})["slots"]
    slots |= {"other": update({})["slots"]["paging.grid"]}
    used = {
        element.get("class")
        for name in ("lab.chart", "lab.footprint", "paging.grid", "other")
        for svg in figures(slots[name])
        for element in svg.iter()
        if element.get("class") and not element.get("class").startswith("kv-svg")
    }
    assert {name for names in used for name in names.split()} - styled == set()


@pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide cannot start processes")
def test_import_kvcore_does_not_import_the_drawing_code():
    code = (
        "import sys, kvcore; kvcore.size('llama-3-70b'); print([n for n in sys.modules if n.startswith('kvcore.page')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
