"""From a request to the values of all controls of a page, part by part."""

from collections.abc import Mapping
from dataclasses import dataclass

from kvcore.page.controls import Value
from kvcore.page.link import parse_fragment
from kvcore.page.parts import Page
from kvcore.page.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlValues:
    """The values of all controls, and the problems of the request.

    problems: a sentence each. notes: control name -> the sentence to show under it. invalid: the controls whose content
    was refused. from_link: the values came with a link.
    """

    values: dict[str, Value]
    problems: list[str]
    notes: dict[str, str]
    invalid: frozenset[str]
    from_link: bool


def read_controls(page: Page, request: Mapping[str, object]) -> ControlValues:
    """Read the values of all controls of a page, part by part."""
    fragment = request.get("fragment")
    linked = parse_fragment(page, fragment) if isinstance(fragment, str) else None
    reading = Request(page.controls, request, linked)
    for part in page.parts:
        reading.values |= part.read(part, reading)
    return ControlValues(
        values=reading.values,
        problems=reading.problems,
        notes=reading.notes,
        invalid=frozenset(reading.invalid),
        from_link=reading.from_link,
    )
