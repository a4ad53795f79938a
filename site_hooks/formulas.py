r"""Formulas, set by KaTeX while the site is built: HTML to look at and MathML to read out, no script on the page.

Markdown's `$...$` and `$$...$$` arrive from pymdownx.arithmatex as elements of class `arithmatex`; all of a page are set
in one run of Node. `\htmlClass{cache}{...}` is allowed, so that a formula wears the colours of the figures.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from pathlib import Path

from site_hooks import tools
from site_hooks.environment import HERE, NODE_MODULES

_FORMULA = re.compile(
    r'<(?P<tag>span|div)(?P<attributes>(?: [a-z-]+="[^"]*")*? class="(?:[^"]* )?arithmatex(?: [^"]*)?"[^>]*)>'
    r"(?P<open>\\[(\[])(?P<tex>.*?)\\[)\]]</(?P=tag)>",
    re.DOTALL,
)
_FONT = re.compile(r"src:[^;}]*?(?P<woff2>url\((?P<file>fonts/[\w-]+\.woff2)\) format\(\"woff2\"\))[^;}]*")


def set_formulas(html: str) -> str:
    """The page with every formula set.

    Raises:
        UnmetNeed: KaTeX refused one; the message is its own, with the formula.
    """
    found = tuple((unescape(match["tex"]).strip(), match["open"] == r"\[") for match in _FORMULA.finditer(html))
    if not found:
        return html
    rendered = iter(_katex(found))
    return _FORMULA.sub(lambda match: f"<{match['tag']}{match['attributes']}>{next(rendered)}</{match['tag']}>", html)


@lru_cache(maxsize=64)
def _katex(formulas: tuple[tuple[str, bool], ...]) -> tuple[str, ...]:
    """KaTeX's HTML for each (TeX, whether it stands on its own); the same page is set once while serving."""
    return tuple(json.loads(tools.node(HERE / "formulas.mjs", given=json.dumps(formulas))))


def stylesheet() -> str:
    """KaTeX's CSS, naming woff2 fonts only: every browser that runs WebAssembly reads them."""
    css = (NODE_MODULES / "katex" / "dist" / "katex.min.css").read_text("utf-8")
    return _FONT.sub(r"src:\g<woff2>", css)


def fonts() -> Iterator[tuple[str, Path]]:
    """Every font that the stylesheet names: its address from there, and its file."""
    folder = NODE_MODULES / "katex" / "dist"
    for match in _FONT.finditer((folder / "katex.min.css").read_text("utf-8")):
        yield match["file"], folder / match["file"]
