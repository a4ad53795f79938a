"""The labels of the figures as a browser draws them: they do not overlap, do not leave the drawing, and are large enough to read.

`kvcore` places them by estimated widths; here the browser's own boxes are measured.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from tests.pages.actions import arrive, problems

type Box = tuple[float, float, float, float]

MEASURE = """() => [...document.querySelectorAll('svg.kv-svg')].filter(svg => svg.getClientRects().length).map(svg => {
  const {x, y, width, height} = svg.viewBox.baseVal, scale = svg.getBoundingClientRect().width / width;
  return {
    name: svg.closest('[data-slot]').dataset.slot, frame: [x, y, x + width, y + height],
    texts: [...svg.querySelectorAll('text')].map(text => {
      const box = text.getBBox();
      return {text: text.textContent, box: [box.x, box.y, box.x + box.width, box.y + box.height], size: parseFloat(getComputedStyle(text).fontSize) * scale};
    }),
  };
})"""

SLACK = 1.5
"""How far two boxes may overlap, in the figure's units: the box of a line is taller than its letters."""

LAB = (
    "",
    "scale=log",
    "units=decimal",
    "context=1024",
    "context=1048576",
    "batch=1",
    "batch=32",
    "batch=53",
    "batch=128",
    "batch=512",
    "batch=512&context=1048576",
    "batch=512&context=1048576&cache_dtype=fp32&weight_dtype=fp32&model=llama-3.1-405b",
    "batch=1&context=1024&cache_dtype=q4_0&weight_dtype=int4",
    "batch=53&attention=mha",
    "batch=53&attention=mqa",
    "batch=512&attention=mha&scale=log",
    "layers=1&query_heads=1&head_dim=16&context=1024&batch=1&weight_dtype=int4",
    "layers=256&query_heads=256&head_dim=1024&context=1048576&batch=512",
    "model=llama-3.1-70b&batch=32",
    "model=llama-3.1-70b&batch=53&attention=mha",
    "model=llama-3.1-70b&context=131072&batch=64&scale=log",
    "model=llama-2-7b&context=4096",
    "model=llama-2-7b&context=4096&scale=log&units=decimal",
    "model=llama-2-13b&batch=128&gpu=rtx-4090",
    "model=mistral-7b-v0.1&context=32768&batch=64",
    "model=mistral-7b-v0.1&context=1048576&batch=512&scale=log",
    "model=gemma-2-27b&context=131072",
    "model=gemma-2-27b&context=8192&batch=256&scale=log",
    "model=falcon-7b&batch=512&context=65536",
    "model=gpt-3-175b&batch=200",
    "model=palm-540b&batch=16&units=decimal",
    "gpu=rtx-4090&batch=300",
    "gpu=rtx-4090&weight_dtype=fp32&batch=512&context=131072",
    "compare=fp8",
    "compare=fp8&batch=53&scale=log",
    "compare=llama-2-7b&batch=32",
    "compare=mistral-7b-v0.1&batch=512&context=16384",
    "compare=gpt-3-175b&scale=log",
    "compare=llama-3.1-405b&model=falcon-7b&batch=100",
    "context=13458&batch=32&model=llama-3.1-70b",
    "context=8126&batch=53&model=llama-3.1-70b",
    "context=120000&model=llama-3.1-8b&batch=9",
)

PAGING = tuple(
    f"strategy={strategy}&sequences={sequences}&block_size={block}"
    for strategy, (sequences, block) in itertools.product(
        ("contiguous", "paged"), ((1, 8), (1, 256), (6, 128), (20, 16), (33, 64), (64, 8), (64, 256))
    )
)


class Text(NamedTuple):
    """A line of text of a figure: its box in the figure's units, its size in pixels of the screen."""

    text: str
    box: Box
    size: float


def figures(page: Page) -> Iterator[tuple[str, Box, list[Text]]]:
    for found in page.evaluate(MEASURE):
        yield found["name"], found["frame"], [Text(one["text"], one["box"], one["size"]) for one in found["texts"]]


def overlap(one: Box, other: Box) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > SLACK and down > SLACK


def outside(box: Box, frame: Box) -> bool:
    return box[0] < frame[0] or box[1] < frame[1] - SLACK or box[2] > frame[2] or box[3] > frame[3] + SLACK


def faults(page: Page) -> list[str]:
    found: list[str] = []
    for name, frame, texts in figures(page):
        assert texts or name != "lab.chart", name
        found += [f"{name}: {text.text!r} leaves the figure" for text in texts if outside(text.box, frame)]
        found += [f"{name}: {text.text!r} is {text.size:.1f} px" for text in texts if text.size < 10.99]
        found += [
            f"{name}: {one.text!r} on {other.text!r}"
            for one, other in itertools.combinations(texts, 2)
            if overlap(one.box, other.box)
        ]
    return found


@pytest.mark.parametrize("width", [1280, 760, 390, 320])
def test_labels_are_apart_inside_and_legible_and_nothing_scrolls_sideways(lab: Page, width: int) -> None:
    """Many states in one page: what differs between them is text, and that is quickly set."""
    lab.set_viewport_size({"width": width, "height": 844})
    found: dict[str, list[str]] = {}
    for state in (*LAB, *PAGING):
        arrive(lab, f"v2&{state}")
        assert not problems(lab), state
        wrong = faults(lab)
        if lab.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
            wrong.append("the page scrolls sideways")
        if wrong:
            found[state] = wrong
    assert not found
