"""`import kvcore`: a model by its name or config, its footprint, its split and what fits, each in one line."""

import inspect
import json
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
def test_anything_with_a_shape_has_a_size(of):
    footprint = kvcore.size(of, context=131_072, batch=1)
    assert footprint.cache_bytes == 16 * 2**30
    assert footprint.weights_bytes == 2 * 8_030_261_248


def test_a_split_says_what_fits():
    share = kvcore.split(kvcore.size("llama-3-70b", context=8192, batch=8), tp=2, reserve=0.1)
    assert (share.fits, share.max_batch) == (False, 4)  # 73.4 GB usable of each GPU, less 70.6 of weights, by 1.25 GiB
    assert kvcore.split(kvcore.size("llama-3-70b"), tp=2, reserve=Fraction(1, 10)).reserve == Fraction(1, 10)


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        pytest.param(lambda: kvcore.size("llama-9"), "model", id="a model there is not"),
        pytest.param(lambda: kvcore.size({"model_type": "whale"}), "model_type", id="an architecture there is not"),
        pytest.param(lambda: kvcore.size("falcon-7b", cache_dtype="int3"), "cache_dtype", id="a cache type"),
        pytest.param(lambda: kvcore.size("falcon-7b", value_dtype="int3"), "value_dtype", id="a type of V"),
        pytest.param(lambda: kvcore.size("falcon-7b", weight_dtype="q9"), "weight_dtype", id="a weight type"),
        pytest.param(lambda: kvcore.size("falcon-7b", gpu="abacus"), "gpu", id="a GPU"),
        pytest.param(lambda: kvcore.size("falcon-7b", context=0), "context", id="no context"),
        pytest.param(lambda: kvcore.split(kvcore.size("falcon-7b"), tp=2), "tp", id="71 heads over 2 GPUs"),
        pytest.param(lambda: kvcore.split(kvcore.size("falcon-7b"), reserve=1), "reserve", id="all of it reserved"),
        pytest.param(lambda: kvcore.split("falcon-7b"), "footprint", id="a name in place of a footprint"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(ask, field):
    with pytest.raises(kvcore.KvcoreError) as caught:
        ask()
    assert caught.value.field == field


def test_everything_that_is_offered_is_there_and_says_what_it_is():
    assert kvcore.__all__ == sorted(kvcore.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in kvcore.__all__:
        assert name.isupper() or name == "__version__" or inspect.getdoc(getattr(kvcore, name))


def test_a_footprint_shows_itself_in_a_notebook_as_the_page_s_own_chart():
    drawing = ET.fromstring(kvcore.size("llama-3-70b", context=8192, batch=8)._repr_svg_())
    page = next(figures(update({})["slots"]["lab.chart"]))
    svg = "{http://www.w3.org/2000/svg}"
    paths = [path.get("d") for path in drawing.iter(f"{svg}path")]
    assert paths == [path.get("d") for path in page.iter("path")]
    assert drawing.get("aria-label") == page.get("aria-label")


def test_every_class_of_a_drawing_has_a_colour_when_it_stands_alone():
    from kvcore.page.draw.standalone import _STYLE

    slots = update({"strategy": "paged", "compare": "falcon-7b", "context": 4096})["slots"]
    slots |= {"other": update({})["slots"]["paging.grid"]}
    used = {
        element.get("class")
        for name in ("lab.chart", "lab.footprint", "paging.grid", "other")
        for svg in figures(slots[name])
        for element in svg.iter()
        if element.get("class") and not element.get("class").startswith("kv-svg")
    }
    assert {name for name in used if f".{name}" not in _STYLE} == set()


@pytest.mark.skipif(sys.platform == "emscripten", reason="there are no processes in the browser's Python")
def test_importing_numbers_imports_no_drawing():
    code = (
        "import sys, kvcore; kvcore.size('llama-3-70b'); print([n for n in sys.modules if n.startswith('kvcore.page')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
