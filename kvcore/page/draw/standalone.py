"""Makes a drawing of a figure into an SVG file that needs nothing else, for a folder or a notebook.

On the site, a style sheet (docs/assets/figures.css) colours the figures in the reader's light or dark scheme. A file
has no style sheet, so it contains the colours of the light scheme.
"""

from kvcore.page.html import Html

__all__ = ["standalone"]

_PAPER, _INK, _SOFT, _LINE, _HARDWARE = "#fff", "#1c1b19", "#5d5a54", "#e4e1db", "#7a766e"
_ORANGE, _ORANGE_INK, _ORANGE_SOFT, _BLUE, _BLUE_INK, _BLUE_SOFT = (
    "#d9731a", "#8f4407", "#fbe6d2", "#2f6fb0", "#1d4e80", "#dfeaf5",
)  # fmt: skip

_STYLE = " ".join(
    f"{selector}{{{rules}}}"
    for selector, rules in (
        (
            ".kv-svg",
            f"font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums;fill:{_INK};background:{_PAPER}",
        ),
        (".kv-svg text", f"paint-order:stroke;stroke:{_PAPER};stroke-width:3.5px;stroke-linejoin:round"),
        (".kv-grid,.kv-free,.kv-hatched", f"stroke:{_LINE}"),
        (
            ".kv-free,.kv-rule,.kv-hatch,.kv-cache,.kv-twin,.kv-compared,.kv-compared-weights,.kv-weights-line",
            "fill:none",
        ),
        (".kv-axis,.kv-tick,.kv-limit-name,.kv-gpu-name,.kv-hw-name", f"fill:{_SOFT}"),
        (".kv-weights", f"fill:{_BLUE_SOFT}"),
        (".kv-weights-line", f"stroke:{_BLUE};stroke-width:2"),
        (".kv-weights-solid", f"fill:{_BLUE}"),
        (".kv-weights-name", f"fill:{_BLUE_INK};font-weight:600"),
        (".kv-cache", f"stroke:{_ORANGE};stroke-width:2.5"),
        (".kv-cache-area", f"fill:{_ORANGE_SOFT}"),
        (".kv-cache-solid,.kv-stored,.kv-here-dot", f"fill:{_ORANGE}"),
        (".kv-stored-other", "fill:#f0aa66"),
        (".kv-cache-name,.kv-here-name", f"fill:{_ORANGE_INK};font-weight:600"),
        (".kv-twin", f"stroke:{_ORANGE};stroke-width:1.2;opacity:.55"),
        (".kv-twin-name", f"fill:{_ORANGE_INK}"),
        (".kv-gpu", f"stroke:{_HARDWARE};stroke-dasharray:5 4"),
        (".kv-hw", f"fill:{_LINE}"),
        (".kv-hatch", f"stroke:{_HARDWARE}"),
        (".kv-rule", f"stroke:{_PAPER};opacity:.7"),
        (".kv-cliff", f"stroke:{_INK};stroke-width:1.2;stroke-dasharray:3 4"),
        (".kv-cliff-name", f"fill:{_INK};font-weight:600"),
        (".kv-cross", f"fill:{_PAPER};stroke:{_INK};stroke-width:2"),
        (".kv-here", f"stroke:{_ORANGE};stroke-width:2"),
        (".kv-limit", f"stroke:{_HARDWARE};stroke-width:1.2;stroke-dasharray:1 4"),
        (".kv-compared", f"stroke:{_BLUE_INK};stroke-width:1.6;stroke-dasharray:7 3"),
        (".kv-compared-weights", f"stroke:{_BLUE};stroke-width:1.2;stroke-dasharray:7 3"),
        (".kv-compared-name", f"fill:{_BLUE_INK}"),
    )
)


def standalone(drawing: Html) -> str:
    """The text of an SVG file of one drawing: its <svg> element with the SVG namespace and the light scheme's colours.

    >>> from kvcore.page.html import el
    >>> standalone(el("svg", class_="kv-svg", viewBox="0 0 1 1")).startswith('<svg xmlns="http://www.w3.org/2000/svg" class=')
    True
    """
    opening, _, rest = drawing.partition(">")
    return f"{opening.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ', 1)}><style>{_STYLE}</style>{rest}"
