"""Writes generated tables into the README, each between its marks `<!-- NAME: ... -->` and `<!-- /NAME -->`."""

import re

from site_hooks.environment import ROOT, UnmetNeed

README = ROOT / "README.md"


def write(name: str, table: str) -> None:
    """Replace the text between the marks of this name.

    Raises:
        UnmetNeed: The README has no such marks, or more than one pair.
    """
    marks = re.compile(rf"(<!-- {name}: [^>]* -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    text, count = marks.subn(lambda found: found[1] + table + found[2], README.read_text("utf-8"))
    if count != 1:
        raise UnmetNeed(f"README.md must have exactly one pair of `<!-- {name}: ... -->` and `<!-- /{name} -->`")
    README.write_text(text, encoding="utf-8")
