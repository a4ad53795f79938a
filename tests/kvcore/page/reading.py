"""Helpers that read an answer of kvcore.page: the slots, their numbers, their figures."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from kvcore.page import update


def value(slot: str) -> str:
    """The exact value of a slot's first number, as text; empty for a number that is None."""
    return numbers(slot)[0]


def numbers(slot: str) -> list[str]:
    """The exact values of all numbers in a slot, as text."""
    return re.findall(r'<data value="([^"]*)"', slot)


@cache
def slots(**request: object) -> Mapping[str, str]:
    """The slots of the article for a state of its controls; asked once for each state, as an answer depends on nothing else."""
    return MappingProxyType(update(request)["slots"])


def figures(slot: str) -> Iterator[ET.Element]:
    """The drawings in a figure's slot, the wide one first."""
    for markup in re.findall(r"<svg class=\"kv-svg.*?</svg>(?=<svg class=\"kv-svg|<figcaption)", slot, re.DOTALL):
        yield ET.fromstring(markup)
