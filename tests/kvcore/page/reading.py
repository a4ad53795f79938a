"""What tests of kvcore.page read off an answer: a slot's number, its text, its figures."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from kvcore.page import update


def value(slot: str) -> str:
    """The first number of a slot, exactly, as its text."""
    return re.search(r'<data value="([^"]*)"', slot).group(1)


def slots(**request: object) -> dict[str, str]:
    """The slots of the article for a state of its controls."""
    return update(request)["slots"]


def figures(slot: str) -> Iterator[ET.Element]:
    """The drawings of a figure, the wide one first."""
    for markup in re.findall(r"<svg class=\"kv-svg.*?</svg>(?=<svg class=\"kv-svg|<figcaption)", slot, re.DOTALL):
        yield ET.fromstring(markup)
