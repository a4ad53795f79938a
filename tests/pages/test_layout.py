"""The Lab in the window: nothing scrolls sideways, and what a control moves is in view beside it."""

import pytest
from playwright.sync_api import Page, expect

from tests.pages.actions import box, move, slider
from tests.pages.test_controls import NUMBERS


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1600])
def test_nothing_scrolls_sideways_and_one_chart_is_shown(lab: Page, width: int) -> None:
    lab.set_viewport_size({"width": width, "height": 844})
    for model in ("llama-3-70b", "mistral-7b-v0.1"):
        move(lab, "model", model)
        assert lab.evaluate("() => document.documentElement.scrollWidth") == width
    drawn = lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible')
    assert drawn.count() == 1
    smallest = drawn.evaluate(
        "svg => Math.min(...[...svg.querySelectorAll('text')].map(text => "
        "parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a))"
    )
    assert smallest >= 11


def test_on_a_phone_readouts_and_chart_stay_above_the_control_in_use(lab: Page) -> None:
    lab.set_viewport_size({"width": 390, "height": 844})
    box(lab, "kv_heads").focus()
    for part in (
        lab.locator(".kv-reads"),
        lab.locator('[data-slot="lab.chart"] svg.kv-svg:visible'),
        box(lab, "kv_heads"),
    ):
        expect(part).to_be_in_viewport(ratio=0.99)


_SEEN = """() => {
  const shown = element => {
    const box = element.getBoundingClientRect();
    return Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0)) / box.height;
  };
  const chart = [...document.querySelectorAll('[data-slot="lab.chart"] svg.kv-svg')].find(svg => svg.getBoundingClientRect().width);
  const parts = {readouts: document.querySelector('.kv-reads'), verdict: document.querySelector('.kv-answer strong')};
  const found = [];
  for (const frame of document.querySelectorAll('#lab [data-control]')) {
    const field = frame.querySelector('.kv-range, select, input');
    if (!field.offsetParent) continue;
    document.getElementById('the-lab').scrollIntoView();
    if (shown(field) < 1 || scrollY === 0) field.scrollIntoView({block: 'center'});
    const box = field.getBoundingClientRect();
    found.push({
      name: frame.dataset.control,
      uncovered: shown(field) === 1 && frame.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)),
      chart: shown(chart) * chart.getBoundingClientRect().height,
      all: chart.getBoundingClientRect().height,
      readouts: shown(parts.readouts),
      verdict: shown(parts.verdict),
    });
  }
  return found;
}"""
"""For each control of the Lab, what is in view beside it when the page is scrolled to it."""


@pytest.mark.parametrize(
    ("width", "height"),
    [(320, 640), (390, 844), (600, 900), (768, 1024), (844, 390), (1000, 800), (1024, 768), (1280, 800), (2560, 1440)],
)
def test_readouts_and_chart_are_in_view_with_every_control(lab: Page, width: int, height: int) -> None:
    """All of the chart, or 180 px of it in a low window; beside the form, where there is room, the verdict's first words too."""
    lab.set_viewport_size({"width": width, "height": height})
    lab.evaluate("() => document.querySelectorAll('#lab details.kv-folded').forEach(group => { group.open = true; })")
    found = [
        seen for seen in lab.evaluate(_SEEN) if seen["name"] != "config"
    ]  # a disclosure, which opens a field of its own
    assert len(found) >= 25
    for seen in found:
        assert seen["uncovered"], seen
        assert seen["readouts"] > 0.99, seen
        assert seen["chart"] >= (180 if height < 600 else 0.99 * seen["all"]), seen
        assert width < 600 or seen["verdict"] > 0.99, seen


_SHIFTS = """async () => {
  const shifts = {};
  const frames = [...document.querySelectorAll('#lab [data-control]')].filter(frame => frame.offsetParent);
  for (const frame of frames) {
    const range = frame.querySelector('.kv-range');
    if (!range || range.disabled) continue;
    const fire = type => range.dispatchEvent(new Event(type, {bubbles: true}));
    range.scrollIntoView({block: 'center'});
    const here = [frame, ...frames.slice(frames.indexOf(frame) + 1)], tops = () => here.map(each => each.getBoundingClientRect().top);
    const before = tops(), value = range.value, stops = Number(range.max);
    let most = 0;
    for (const part of [0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1]) {
      range.value = String(Math.round(part * stops));
      fire('input');
      await window.explainer.update();
      most = Math.max(most, ...tops().map((top, index) => Math.abs(top - before[index])));
    }
    range.value = value;
    fire('input');
    fire('change');
    await window.explainer.update();
    if (most > 2) shifts[frame.dataset.control] = Math.round(most);
  }
  return shifts;
}"""
"""Drag every slider through its stops: by how many pixels it, or a control below it, moves, if by more than two."""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1280, 800)])
def test_no_control_moves_while_one_above_it_is_dragged(lab: Page, width: int, height: int) -> None:
    lab.set_viewport_size({"width": width, "height": height})
    lab.evaluate("() => document.querySelectorAll('#lab details.kv-folded').forEach(group => { group.open = true; })")
    assert lab.evaluate(_SHIFTS) == {}


def test_at_1280_pixels_the_controls_and_what_they_move_are_in_one_view(lab: Page) -> None:
    lab.evaluate("() => document.querySelector('.kv-lab').scrollIntoView()")
    parts = [slider(lab, name) for name in NUMBERS]
    figures = [lab.locator(f'[data-slot="{name}"] svg.kv-svg:visible') for name in ("lab.chart", "lab.footprint")]
    for part in (*parts, *figures, lab.locator(".kv-reads"), lab.locator(".kv-formula")):
        expect(part).to_be_in_viewport(ratio=0.99)
