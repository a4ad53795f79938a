"""Links: the values of a page's controls in the fragment of its URL, such as `#v2&model=llama-3.1-70b&batch=32`.

A link names its version and every control whose value differs from the defaults of that version. The defaults of a
version are frozen in `Page.link_defaults`: if a default of the page changes, a new version is added, and old links keep
their meaning. A fragment that does not begin with a version is an anchor of the page, not a link to a state.
"""

import re
from collections.abc import Mapping

from kvcore.errors import KvcoreError, short_repr
from kvcore.page import phrases
from kvcore.page.controls import Value, Values
from kvcore.page.parts import Page, View

VERSION = "v2"
"""The version of the links that are written today. Alone, it names the defaults."""

_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
"""A percent-encoded printable ASCII character: some programs encode the characters of a link when they pass it on."""


def parse_fragment(page: Page, fragment: str) -> tuple[dict[str, object], list[str]]:
    """Read a fragment: control name -> its text or the default of the link's version, and the problems, a sentence each.

    Raises nothing: an unknown key or a key without a value is skipped and becomes a problem. The values are not checked.

    >>> from kvcore.page.pages import ARTICLE
    >>> values, problems = parse_fragment(ARTICLE, "#v1&batch=32&colour=red")
    >>> values["batch"], values["context"], len(problems)
    ('32', 8192, 1)
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
    """The version of links that the page writes."""
    return tuple(page.link_defaults)[-1]


def format_fragment(page: Page, view: View) -> str:
    """Write the fragment for these values: the newest version, then every value that this version does not imply.

    >>> from kvcore.page.pages import ARTICLE
    >>> from kvcore.page.read_controls import read_controls
    >>> format_fragment(ARTICLE, View(read_controls(ARTICLE, {"batch": 32}).values))
    'v2&model=llama-3.1-70b&batch=32'
    """
    version = newest(page)
    implied: dict[str, Value] = {**page.link_defaults[version]}
    for part in page.parts:
        implied |= part.implied(view)
    return "&".join((version, *_differing(page, view.values, implied)))


def _differing(page: Page, values: Values, implied: Mapping[str, Value]) -> list[str]:
    return [f"{name}={values[name]}" for name in page.controls if name not in implied or values[name] != implied[name]]
