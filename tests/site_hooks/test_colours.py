"""The colours of figures saved as files are those of the page's light scheme."""

import re

from kvcore.page.draw.standalone import LIGHT
from site_hooks.environment import ROOT


def test_a_figure_in_a_file_has_the_light_colours_of_the_page():
    sheet = (ROOT / "docs" / "assets" / "page.css").read_text("utf-8")
    light = dict(re.findall(r"--kv-([\w-]+): light-dark\(([^,]+),", sheet))
    assert dict(LIGHT) == {name: light.get(name) for name in LIGHT}
