"""Parts: what a section depends on follows from the parts it needs, and a page sends only its own."""

import html
import json
import re

import pytest

import kvcore.page
from kvcore.page import answer, update
from kvcore.page.controls import Choice, Number
from kvcore.page.html import data
from kvcore.page.pages import ARTICLE
from kvcore.page.parts import Form, Group, Page, Part, block, phrases

SIDE = Form(name="side", label="Side")
WIDTH = Number(name="width", label="Width", default=2, low=1, high=9, stops=(1, 2, 3))
HEIGHT = Number(name="height", label="Height", default=3, low=1, high=9, stops=(1, 3))
COLOUR = Choice(name="colour", label="Colour", default="red", options={"red": "red", "blue": "blue"})

AREA = Part(
    name="area",
    form=SIDE,
    groups=(Group(name="sides", label="Sides", controls=(WIDTH, HEIGHT)),),
    result=lambda view: WIDTH.of(view.values) * HEIGHT.of(view.values),
    sections=(phrases("area", lambda view: {"area.size": data(view[AREA], "area")}),),
    announce=lambda view: f"area {view[AREA]}",
)
PAINT = Part(
    name="paint",
    form=Form(name="paint", label="Paint"),
    groups=(Group(name="paint", label="Paint", controls=(COLOUR,)),),
    needs=(AREA,),
    result=lambda view: f"{view[AREA]} {COLOUR.of(view.values)}",
    sections=(
        phrases("paint", lambda view: {"paint.needed": data(None, view[PAINT])}),
        block("paint.table", lambda view: data(None, view[PAINT]), folded=True),
    ),
)
PAGE = Page(name="second", parts=(AREA, PAINT), link_defaults={"v1": {"width": 2, "height": 3, "colour": "red"}})


def test_a_second_page_sends_and_announces_only_its_own():
    found = answer(PAGE, {"width": "4"})
    assert set(found["slots"]) == {"page.problems", "page.linked", "area.size", "paint.needed", "paint.table"}
    assert set(found["controls"]) == {"width", "height", "colour"}
    assert found["announce"] == "area 12"
    assert found["fragment"] == "v1&width=4"
    assert found["hold"]["page"] == "second"


def test_a_form_of_any_page_is_found_by_its_name_with_that_page_s_state(monkeypatch):
    monkeypatch.setattr(kvcore.page, "PAGES", {"article": ARTICLE, "second": PAGE})
    side = kvcore.page.form("side")
    assert re.findall(r'data-control="([^"]+)"', side) == ["width", "height"]
    hold = json.loads(html.unescape(re.search(r'data-hold="([^"]*)"', side)[1]))
    found = json.loads(update(json.dumps({"width": "4", "hold": hold})))
    assert found["announce"] == "area 12"
    assert "area.size" in found["slots"]
    with pytest.raises(KeyError):
        kvcore.page.form("nowhere")


def test_a_control_of_another_page_is_not_one_of_this_page():
    assert answer(PAGE, {"batch": "4"})["problems"] == ["'batch' is not a control of this page."]
    assert update({"width": "4"})["problems"] == ["'width' is not a control of this page."]


@pytest.mark.parametrize(
    ("moved", "near", "far"),
    [
        pytest.param({"width": "4"}, {"area.size"}, {"paint.needed", "paint.table"}, id="what it needs has moved"),
        pytest.param({"colour": "blue"}, {"paint.needed"}, {"paint.table"}, id="its own control has moved"),
    ],
)
def test_what_stands_beside_the_control_answers_first_and_what_needs_it_follows(moved, near, far):
    first = answer(PAGE, {})
    now = answer(PAGE, {**moved, "view": "wide", "hold": first["hold"]})
    assert set(now["slots"]) - {"page.problems", "page.linked"} == near
    rest = answer(PAGE, {**moved, "view": "wide", "hold": now["hold"], "more": now["more"]})
    assert set(rest["slots"]) == far
    whole = answer(PAGE, moved)
    assert {**first["slots"], **now["slots"], **rest["slots"]} == whole["slots"]


def test_a_part_depends_on_its_controls_and_on_those_of_all_that_it_needs():
    assert AREA.depends_on == {"width", "height"}
    assert PAINT.depends_on == {"width", "height", "colour"}
    assert PAINT.near == {"paint", "colour"}


def test_each_name_of_the_article_is_used_once():
    controls = [control.name for part in ARTICLE.parts for control in part.controls]
    sections = [section.name for part in ARTICLE.parts for section in part.sections]
    parts = [part.name for part in ARTICLE.parts]
    assert len(controls) == len(set(controls))
    assert len(sections) == len(set(sections))
    assert len(parts) == len(set(parts))
    remembered = {part.name for part in ARTICLE.parts if part.remember}
    assert not remembered & set(controls)  # both are names of what a section depends on


@pytest.mark.parametrize("part", ARTICLE.parts, ids=lambda part: part.name)
def test_a_part_needs_only_parts_that_the_page_has(part):
    assert set(part.sources) <= set(ARTICLE.parts)


def test_every_section_changes_with_some_control_or_needs_none():
    fixed = {name for name, (part, _) in ARTICLE.sections.items() if not part.depends_on}
    assert fixed == {"prelude.work"}
