"""Compares drawings with the files of the gallery. A difference is a change, not an error: test_drawn_numbers checks truth."""

from pathlib import Path

import pytest

from kvcore.page.draw.standalone import standalone
from kvcore.page.pages import ARTICLE
from kvcore.page.printed.gallery import STATES, pictures

FOLDER = Path(__file__).parent / "gallery"
PICTURES = {f"{picture.name}.svg": picture for picture in pictures()}


@pytest.mark.parametrize("name", PICTURES)
def test_a_drawing_equals_its_file_in_the_gallery(name):
    drawn = standalone(PICTURES[name].drawing) + "\n"
    again = "python -m site_hooks.gallery writes it anew; look at it before you commit it"
    assert (FOLDER / name).read_text("ascii") == drawn, f"{name} has changed: {again}"


def test_the_gallery_has_one_file_for_each_drawing_and_no_other_files():
    assert {path.name for path in FOLDER.glob("*.svg")} == set(PICTURES)


def test_every_figure_of_the_article_is_in_the_gallery():
    assert set(STATES) == ARTICLE.figures | {"opening.figure"}  # which has one drawing for every width
