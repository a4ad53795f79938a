r"""Renders formulas with KaTeX at build time, as HTML for the eye and MathML for screen readers, so that the page needs no script for them.

pymdownx.arithmatex turns Markdown's `$...$` and `$$...$$` into elements of class `arithmatex`; all formulas of a page are
rendered in one run of Node. `\htmlClass{cache}{...}` is allowed, so that a formula can use the colours of the figures.
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
    """The page with every formula rendered.

    Raises:
        UnmetNeed: KaTeX refused a formula; the message is KaTeX's, with the formula.
    """
    found = tuple((unescape(match["tex"]).strip(), match["open"] == r"\[") for match in _FORMULA.finditer(html))
    if not found:
        return html
    rendered = iter(_katex(found))
    return _FORMULA.sub(lambda match: f"<{match['tag']}{match['attributes']}>{next(rendered)}</{match['tag']}>", html)


@lru_cache(maxsize=64)
def _katex(formulas: tuple[tuple[str, bool], ...]) -> tuple[str, ...]:
    """KaTeX's HTML for each pair of TeX and whether it is a display formula; cached, since `serve` renders a page again and again."""
    return tuple(json.loads(tools.node(HERE / "formulas.mjs", given=json.dumps(formulas))))


def stylesheet() -> str:
    """KaTeX's CSS with woff2 fonts only: every browser that runs WebAssembly supports them."""
    css = (NODE_MODULES / "katex" / "dist" / "katex.min.css").read_text("utf-8")
    return _FONT.sub(r"src:\g<woff2>", css)


def fonts() -> Iterator[tuple[str, Path]]:
    """Every font in the stylesheet: its address relative to the stylesheet, and its file."""
    folder = NODE_MODULES / "katex" / "dist"
    for match in _FONT.finditer((folder / "katex.min.css").read_text("utf-8")):
        yield match["file"], folder / match["file"]
