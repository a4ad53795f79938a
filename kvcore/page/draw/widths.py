"""The two widths that every figure is drawn in: the page contains both drawings, and its style sheet shows one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kvcore.page.html import Html, join

WIDTHS: Mapping[str, int] = MappingProxyType({"wide": 700, "narrow": 340})
"""Name of a width -> width of the drawing in SVG units; a unit is about one pixel on the screens it is meant for."""


def in_widths(draw: Callable[[str], Html], width: str | None) -> Html:
    """Draw a figure in the width of this name, or in both if it is None; `draw` takes the name of a width."""
    return join(draw(name) for name in WIDTHS if width in {None, name})
