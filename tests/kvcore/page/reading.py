"""What tests of kvcore.page read off an answer: a slot's number, its text, its figures."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from kvcore.page import update


def value(slot: str) -> str:
    """The first number of a slot, exactly, as its text."""
    return re.search(r'<data value="([^"]*)"', slot).group(1)


@cache
def slots(**request: object) -> Mapping[str, str]:
    """The slots of the article for a state of its controls; asked once for each state, as an answer depends on nothing else."""
    return MappingProxyType(update(request)["slots"])


def figures(slot: str) -> Iterator[ET.Element]:
    """The drawings of a figure, the wide one first."""
    for markup in re.findall(r"<svg class=\"kv-svg.*?</svg>(?=<svg class=\"kv-svg|<figcaption)", slot, re.DOTALL):
        yield ET.fromstring(markup)
