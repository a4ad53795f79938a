"""The two widths that every figure is drawn for: a page carries both drawings, and its style sheet shows one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kvcore.page.html import Html, join

WIDTHS: Mapping[str, int] = MappingProxyType({"wide": 700, "narrow": 340})
"""Name of a width -> the width of the drawing, in its own units: about a pixel each on the screen it is for."""


def in_widths(draw: Callable[[str], Html], width: str | None) -> Html:
    """A figure's drawing in the width named, or in both, one after the other; `draw` is given the name of a width."""
    return join(draw(name) for name in WIDTHS if width in {None, name})
