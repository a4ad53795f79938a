"""Reads the numbers back from the figures as a reader would, by the axes, and compares them with the readouts.

The scales come from the drawn tick labels and the expected numbers from the readouts, never from the code that draws.
"""

import math
import re
from bisect import bisect_left

import pytest

from kvcore import catalog
from kvcore.page import update
from kvcore.units import UNIT_SYSTEMS
from tests.kvcore.page.reading import figures, slots, value

PIXEL = 0.8
"""Allowed error: coordinates are rounded to a tenth of a pixel, and curves are straight between two samples."""

STATES = [
    pytest.param({}, id="defaults"),
    pytest.param({"batch": 32, "scale": "log"}, id="batch 32, log"),
    pytest.param({"model": "llama-2-7b", "batch": 64, "units": "decimal"}, id="llama-2-7b, GB"),
    pytest.param({"model": "mistral-7b-v0.1", "batch": 200}, id="a window"),
    pytest.param({"model": "gemma-3-27b", "batch": 64, "scale": "log", "units": "decimal"}, id="windows in a pattern"),
    pytest.param({"model": "deepseek-v3", "batch": 256, "cache_dtype": "fp8"}, id="a latent"),
    pytest.param({"model": "qwen3-next-80b", "batch": 100, "context": 65536}, id="recurrent state"),
    pytest.param({"model": "falcon-7b", "batch": 512, "cache_dtype": "q8_0", "v_dtype": "q4_0"}, id="K and V apart"),
    pytest.param({"layers": 40, "attention": "mha", "batch": 5, "gpu": "rtx-4090"}, id="an edited shape"),
]


def number_of(slot):
    return float(value(slot))


def points(path):
    """The points of an SVG path of absolute lines."""
    return [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+),([-\d.]+)", path)]


class Chart:
    """One drawing of the cliff chart, with the scales of its axes, read from the tick labels."""

    def __init__(self, svg, *, log):
        self.svg = svg
        self.plot = next(inner for inner in svg if inner.tag == "svg")
        self.left, self.top = float(self.plot.get("x")), float(self.plot.get("y"))
        ticks = [text for text in svg.iter("text") if text.get("class") == "kv-tick"]
        self.memory = self._memory([tick for tick in ticks if tick.get("text-anchor") == "end"])
        self.contexts = {
            math.log2(2**20 if tick.text == "1M" else 1024 * int(tick.text[:-1])): float(tick.get("x"))
            for tick in ticks
            if tick.get("text-anchor") == "middle" and re.fullmatch(r"\d+K|1M", tick.text)
        }
        self.log = log

    @staticmethod
    def _memory(ticks):
        """Y and bytes of the lowest and the highest tick; only the top label of a linear axis has a unit."""
        sizes = {name: step**power for step, names in UNIT_SYSTEMS.values() for power, name in enumerate(names)}
        unit = next(tick.text.split()[1] for tick in reversed(ticks) if " " in tick.text)
        known = []
        for tick in ticks:
            if re.fullmatch(r"[\d.,]+( \w+)?", tick.text):
                count, _, name = tick.text.partition(" ")
                known.append((float(tick.get("y")) - 4, float(count.replace(",", "")) * sizes[name or unit]))
        known.sort(key=lambda row: row[1])
        return known[0], known[-1]

    def y(self, size):
        """The y that a size in bytes should have."""
        (y0, low), (y1, high) = self.memory
        share = math.log(size / low) / math.log(high / low) if self.log else (size - low) / (high - low)
        return y0 + (y1 - y0) * share

    def x(self, context):
        """The x that a context in tokens should have."""
        low, high = min(self.contexts), max(self.contexts)
        share = (math.log2(context) - low) / (high - low)
        return self.contexts[low] + (self.contexts[high] - self.contexts[low]) * share

    def curve(self, element):
        """The points of a curve in the coordinates of the drawing."""
        return [(x + self.left, y + self.top) for x, y in points(element.get("d").split("H")[0])]

    def height_at(self, curve, x):
        """The curve's y at an x; None right of the point where it leaves the plot."""
        index = bisect_left([point[0] for point in curve], x - 1e-6)
        if index == len(curve):
            return None
        if index == 0 or curve[index][0] - x < 1e-6:
            return curve[index][1]
        (x0, y0), (x1, y1) = curve[index - 1 : index + 1]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    def all(self, class_):
        """The elements of a CSS class."""
        return [element for element in self.svg.iter() if element.get("class") == class_]

    def one(self, class_):
        """The only element of a CSS class."""
        (element,) = self.all(class_)
        return element


def charts(state):
    found = slots(**state)
    log = state.get("scale") == "log"
    return found, [Chart(svg, log=log) for svg in figures(found["lab.chart"])]


@pytest.mark.parametrize("state", STATES)
def test_the_curve_has_the_height_of_the_cache_readout_at_each_context(state):
    _, drawn = charts(state)
    seen = 0
    for context in (2**power for power in range(10, 21)):
        total = number_of(slots(**{**state, "context": context})["lab.cache_total"])
        for chart in drawn:
            height = chart.height_at(chart.curve(chart.one("kv-cache")), chart.x(context))
            if height is not None and height > chart.top:
                seen += 1
                assert height == pytest.approx(chart.y(total), abs=PIXEL)
    assert seen >= 8


@pytest.mark.parametrize("state", STATES)
def test_the_area_under_the_curve_has_the_path_of_the_curve(state):
    _, drawn = charts(state)
    for chart in drawn:
        line, area = chart.one("kv-cache").get("d"), chart.one("kv-cache-area").get("d")
        assert area.startswith(line)


@pytest.mark.parametrize("state", STATES)
def test_the_crossing_and_the_chosen_context_are_on_the_curve_at_the_readouts_numbers(state):
    found, drawn = charts(state)
    cliff, weights = value(found["lab.cliff"]), number_of(found["lab.weights"])
    here, total = state.get("context", 8192), number_of(found["lab.cache_total"])
    for chart in drawn:
        curve = chart.curve(chart.one("kv-cache"))
        on_chart = cliff != "" and 1024 <= int(cliff) <= 2**20
        assert len(chart.all("kv-cross")) == on_chart
        for cross in chart.all("kv-cross"):
            x, y = float(cross.get("cx")), float(cross.get("cy"))
            assert (x, y) == pytest.approx((chart.x(int(cliff)), chart.y(weights)), abs=PIXEL)
            assert chart.height_at(curve, x) == pytest.approx(y, abs=PIXEL)
        for dot in chart.all("kv-here-dot"):
            x, y = float(dot.get("cx")), float(dot.get("cy"))
            assert (x, y) == pytest.approx((chart.x(here), chart.y(total)), abs=PIXEL)
            assert chart.height_at(curve, x) == pytest.approx(y, abs=PIXEL)


@pytest.mark.parametrize("state", STATES)
def test_the_line_and_the_band_of_the_weights_have_the_height_of_the_weights_readout(state):
    found, drawn = charts(state)
    for chart in drawn:
        wanted = chart.y(number_of(found["lab.weights"]))
        line, band = chart.one("kv-weights-line"), chart.one("kv-weights")
        assert points(line.get("d"))[0][1] + chart.top == pytest.approx(wanted, abs=PIXEL)
        assert float(band.get("y")) + chart.top == pytest.approx(wanted, abs=PIXEL)
        assert float(band.get("y")) + float(band.get("height")) == pytest.approx(float(chart.plot.get("height")))


MEMORY = {"h100-80gb": 81_559 * 2**20, "rtx-4090": 24_564 * 2**20}
"""Bytes of memory that the driver reports, from the sources quoted in kvcore/catalog."""


@pytest.mark.parametrize("state", STATES)
def test_each_gpu_line_has_the_height_of_its_count_times_the_gpus_memory(state):
    _, drawn = charts(state)
    each = MEMORY[state.get("gpu", "h100-80gb")]
    wide = drawn[0]
    lines = [y + wide.top for _, y in points(wide.one("kv-gpu").get("d"))]
    names = [
        (int(text.text.split(" ")[0].replace(",", "")), float(text.get("y")) - 4) for text in wide.all("kv-gpu-name")
    ]
    assert names
    for (count, y), line in zip(names, lines, strict=True):
        assert line == pytest.approx(wide.y(count * each), abs=PIXEL)
        assert y == pytest.approx(line, abs=PIXEL)


@pytest.mark.parametrize("twin", ["mha", "mqa"])
def test_the_curve_of_a_twin_equals_the_labs_cache_with_that_attention(twin):
    other = number_of(slots(attention=twin, context=2048)["lab.cache_total"])
    for chart in charts({})[1]:
        heights = [chart.height_at(chart.curve(line), chart.x(2048)) for line in chart.all("kv-twin")]
        assert any(height == pytest.approx(chart.y(other), abs=PIXEL) for height in heights)


def test_the_compared_model_has_a_curve_and_a_weights_line_of_its_own_bytes():
    state = {"compare": "llama-2-7b", "batch": 20}
    other = slots(model="llama-2-7b", batch=20, context=4096)
    for chart in charts(state)[1]:
        curve = chart.curve(chart.one("kv-compared"))
        assert chart.height_at(curve, chart.x(4096)) == pytest.approx(
            chart.y(number_of(other["lab.cache_total"])), abs=PIXEL
        )
        weights = points(chart.one("kv-compared-weights").get("d"))[0][1] + chart.top
        assert weights == pytest.approx(chart.y(number_of(other["lab.weights"])), abs=PIXEL)


ON_GPUS = (
    {"tp": 1},
    {"tp": 4, "reserve": 0},
    {"tp": 8, "dp": 2, "batch": 200},
    {"model": "deepseek-v3", "tp": 32, "reserve": 25},
)


@pytest.mark.parametrize("state", [*STATES, *ON_GPUS])
def test_the_bars_segments_are_as_long_as_their_bytes_on_all_gpus(state):
    """The bar begins with the reserve; where the cache passes the end of the last GPU, as many bytes are too much."""
    found = slots(**state)
    count = update(state)["controls"]["gpus"]["value"]
    memory = count * MEMORY[state.get("gpu", "h100-80gb")]
    weights, cache, free = (count * number_of(found[f"split.{name}"]) for name in ("weights", "cache", "free"))
    reserve = memory - weights - cache - free
    for svg in figures(found["lab.footprint"]):
        rects = {rect.get("class"): rect for rect in svg.iter("rect")}
        (full,) = (path.get("d") for path in svg.iter("path") if path.get("class") == "kv-full")
        end = float(re.match(r"M([\d.]+),", full)[1])
        per_byte = (end - 1) / memory
        rounding = 0.1 * float(svg.get("viewBox").split()[2]) / end  # of the end of the memory, to one decimal
        start, width = (float(rects["kv-weights-solid"].get(name)) for name in ("x", "width"))
        assert start == pytest.approx(1 + per_byte * reserve, abs=0.02 + rounding)
        assert width == pytest.approx(max(0.5, per_byte * weights - 1), abs=0.02 + rounding)
        start, width = (float(rects["kv-cache-solid"].get(name)) for name in ("x", "width"))
        assert start == pytest.approx(1 + per_byte * (reserve + weights), abs=0.02 + rounding)
        assert width == pytest.approx(max(0.5, per_byte * cache), abs=0.02 + rounding)
        assert end - start - width == pytest.approx(per_byte * free, abs=0.6)


def area(svg, *classes):
    """The area of the rectangles of these CSS classes, in square pixels, and the number of rectangles."""
    found = re.findall(r"M[-\d.]+,[-\d.]+h([\d.]+)v([\d.]+)h-[\d.]+z", "".join(
        path.get("d") for path in svg.iter("path") if path.get("class") in classes
    ))  # fmt: skip
    return sum(float(width) * float(height) for width, height in found), len(found)


@pytest.mark.parametrize("strategy", ["contiguous", "paged"])
@pytest.mark.parametrize(("sequences", "block_size"), [(1, 128), (6, 128), (6, 8), (24, 48), (64, 256)])
def test_the_areas_of_the_grid_are_the_stored_the_empty_and_the_free_tokens(strategy, sequences, block_size):
    found = slots(strategy=strategy, sequences=sequences, block_size=block_size)
    stored, reserved = number_of(found["paging.used"]), number_of(found["paging.reserved"])
    contiguous = slots(strategy="contiguous", sequences=sequences, block_size=block_size)
    pool = number_of(contiguous["paging.reserved"])
    for svg in figures(found["paging.grid"]):
        painted = {
            "stored": (area(svg, "kv-stored", "kv-stored-other"), stored),
            "empty": (area(svg, "kv-hatched"), reserved - stored),
            "free": (area(svg, "kv-free"), pool - reserved),
        }
        (rows,) = {float(height) for height in re.findall(r"v([\d.]+)h-", svg.find("path").get("d"))}
        per_token = sum(size for (size, _), _ in painted.values()) / pool
        for (size, rectangles), tokens in painted.values():
            assert size == pytest.approx(tokens * per_token, abs=0.1 * rows * (rectangles + 1) + 0.001 * size)


MODELS = ("llama-3.1-70b", "llama-2-7b", "falcon-7b", "mistral-7b-v0.1", "gemma-3-27b", "deepseek-v3", "qwen3-next-80b",
          "gpt-oss-120b", "llama-4-scout", "codestral-mamba-7b", "deepseek-v3.2", "gemma-4-26b-a4b")  # fmt: skip


TYPES = (
    {},
    {"cache_dtype": "q8_0"},
    {"cache_dtype": "fp8", "v_dtype": "q4_0"},
    {"cache_dtype": "int8_per_token_head"},
    {"cache_dtype": "fp16", "v_dtype": "fp8_per_token_head"},
    {"cache_dtype": "nvfp4"},
    {"cache_dtype": "mlx_q4"},
    {"cache_dtype": "fp8", "engine": "vllm"},
)


@pytest.mark.parametrize("types", TYPES, ids=str)
@pytest.mark.parametrize("model", MODELS)
def test_the_products_in_the_formula_add_up_to_the_bytes_per_token(model, types):
    assert model in catalog.MODELS
    found = slots(model=model, **types, context=4096, batch=3)
    text = re.sub(r"<[^>]+>", "", found["lab.formula"]).replace("&#183;", "*").replace(",", "")
    products, equals, _ = text.partition(" = ")
    per_token = int(value(found["lab.bytes_per_token"]))
    if not equals or "*" not in products:
        assert per_token == 0
        return
    assert eval(products.replace(" B", ""), {"__builtins__": {}}) == per_token  # noqa: S307 - sums and products only
    assert int(value(found["lab.formula"])) == per_token


@pytest.mark.parametrize("state", [{}, {"batch": 32, "context": 16384}, {"model": "llama-2-7b", "batch": 7}], ids=str)
def test_the_formulas_bytes_per_token_times_its_load_is_its_total(state):
    found = slots(**state)
    per_token, total = re.findall(r'<data value="(\d+)">', found["lab.formula"])
    tokens, batch = re.search(r"&#215; ([\d,]+) tokens &#215; ([\d,]+) users", found["lab.formula"]).groups()
    assert int(per_token) * int(tokens.replace(",", "")) * int(batch.replace(",", "")) == int(total)
    assert total == value(found["lab.cache_total"])


@pytest.mark.parametrize(
    ("state", "limit"),
    [
        pytest.param({}, 131_072, id="Llama-3.1 70B"),
        pytest.param({"model": "llama-3-70b", "context": 8192}, 8192, id="at the limit"),
        pytest.param({"model": "llama-2-7b", "scale": "log"}, 4096, id="log"),
    ],
)
def test_the_region_past_the_models_limit_is_shaded_from_there_on(state, limit):
    for chart in charts(state)[1]:
        (past,) = chart.all("kv-past")
        plot = chart.one("kv-weights")
        start, width, all_of_it = (float(number) for number in (past.get("x"), past.get("width"), plot.get("width")))
        assert start / all_of_it == pytest.approx(math.log2(limit / 1024) / 10, abs=0.002)
        assert start + width == pytest.approx(all_of_it, abs=0.1)


def test_a_model_made_for_more_than_the_chart_shows_has_no_region_past_its_limit():
    for chart in charts({"model": "llama-4-scout"})[1]:
        assert chart.all("kv-past") == []
