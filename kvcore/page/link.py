"""The state of a page in the fragment of its URL: `#v1&model=llama-3-70b&batch=32`.

A link names its version and every control that differs from the defaults of that version. These are frozen in a table
(`Page.link_defaults`): when a default of the page changes, a new version is added, and an old link keeps its meaning. A fragment that
does not begin with a version is an anchor and none of ours.
"""

import re
from collections.abc import Mapping

from kvcore.errors import KvcoreError, short_repr
from kvcore.page import phrases
from kvcore.page.controls import Value, Values
from kvcore.page.parts import Page, View

_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
"""A printable ASCII character as a program that passes a link on may spell it."""


def parse_fragment(page: Page, fragment: str) -> tuple[dict[str, object], list[str]]:
    """What a fragment sets, the defaults of its version included, and its problems.

    Raises nothing: an unknown key or a part without a value is reported and passed over.
    """
    head, *parts = fragment.removeprefix("#").split("&")
    if head not in page.link_defaults:
        return {}, [phrases.not_our_fragment(short_repr(head), newest(page))]
    values: dict[str, object] = dict(page.link_defaults[head])
    problems: list[str] = []
    for part in parts:
        name, equals, value = _PERCENT.sub(lambda code: chr(int(code[1], 16)), part).partition("=")
        if name in page.controls and equals:
            values[name] = value
        elif name in page.old_link_keys and equals:
            try:
                values |= page.old_link_keys[name](value)
            except KvcoreError as error:
                problems.append(phrases.unreadable_in_fragment(short_repr(name), str(error)))
        elif part:
            problems.append(phrases.unknown_in_fragment(short_repr(name), tuple(page.controls)))
    return values, problems


def newest(page: Page) -> str:
    """The version that new links of a page have."""
    return tuple(page.link_defaults)[-1]


def format_fragment(page: Page, view: View) -> str:
    """The fragment that leads back to this state: all that differs from what a link of the newest version implies."""
    version = newest(page)
    implied: dict[str, Value] = {**page.link_defaults[version]}
    for part in page.parts:
        implied |= part.implied(view)
    return "&".join((version, *_differing(page, view.values, implied)))


def _differing(page: Page, values: Values, implied: Mapping[str, Value]) -> list[str]:
    return [f"{name}={values[name]}" for name in page.controls if name not in implied or values[name] != implied[name]]
