"""Makes a drawing of a figure into an SVG file that needs nothing else, for a folder or a notebook.

On the site, a style sheet (docs/assets/figures.css) colours the figures in the reader's light or dark scheme. A file
has no style sheet, so it contains the colours of the light scheme.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.page.html import Html

__all__ = ["standalone"]

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#fbfaf7",
        "ink": "#1c1d22",
        "soft": "#5c5f69",
        "line": "#e4e2dc",
        "hw": "#8b8e97",
        "hw-soft": "#e8e6e0",
        "cache": "#e07b1a",
        "cache-ink": "#a84e08",
        "cache-solid": "#b9590c",
        "cache-soft": "#e07b1a2e",
        "weights": "#3c6fd1",
        "weights-ink": "#2a59b8",
        "weights-soft": "#3c6fd126",
        "accent": "#0b6b62",
    }
)
"""The light values of the colours in docs/assets/page.css, by their names there without --kv-; a test compares them."""

_STYLE = " ".join(
    f"{selector}{{{rules}}}"
    for selector, rules in (
        (
            ".kv-svg",
            f"font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums;fill:{LIGHT['ink']};background:{LIGHT['paper']}",
        ),
        (".kv-svg text", f"paint-order:stroke;stroke:{LIGHT['paper']};stroke-width:3.5px;stroke-linejoin:round"),
        (".kv-grid,.kv-free,.kv-hatched", f"stroke:{LIGHT['line']}"),
        (
            ".kv-free,.kv-rule,.kv-hatch,.kv-cache,.kv-twin,.kv-compared,.kv-compared-weights,.kv-weights-line",
            "fill:none",
        ),
        (".kv-axis,.kv-tick,.kv-limit-name,.kv-gpu-name,.kv-hw-name", f"fill:{LIGHT['soft']}"),
        (".kv-weights", f"fill:{LIGHT['weights-soft']}"),
        (".kv-weights-line", f"stroke:{LIGHT['weights']};stroke-width:2"),
        (".kv-weights-solid", f"fill:{LIGHT['weights-ink']}"),
        (".kv-weights-name", f"fill:{LIGHT['weights-ink']};font-weight:600"),
        (".kv-cache", f"stroke:{LIGHT['cache']};stroke-width:2.5"),
        (".kv-cache-area", f"fill:{LIGHT['cache-soft']}"),
        (".kv-cache-solid", f"fill:{LIGHT['cache-solid']}"),
        (".kv-stored,.kv-here-dot", f"fill:{LIGHT['cache']}"),
        (".kv-stored-other", "fill:#f0aa66"),
        (".kv-cache-name,.kv-here-name", f"fill:{LIGHT['cache-ink']};font-weight:600"),
        (".kv-twin", f"stroke:{LIGHT['cache']};stroke-width:1.2;opacity:.55"),
        (".kv-twin-name", f"fill:{LIGHT['cache-ink']}"),
        (".kv-full", f"stroke:{LIGHT['ink']};stroke-width:2"),
        (".kv-gpu", f"stroke:{LIGHT['hw']};stroke-dasharray:5 4"),
        (".kv-hw", f"fill:{LIGHT['hw-soft']}"),
        (".kv-hatch", f"stroke:{LIGHT['hw']}"),
        (".kv-rule", f"stroke:{LIGHT['paper']};opacity:.7"),
        (".kv-cliff", f"stroke:{LIGHT['ink']};stroke-width:1.2;stroke-dasharray:3 4"),
        (".kv-cliff-name", f"fill:{LIGHT['ink']};font-weight:600"),
        (".kv-cross", f"fill:{LIGHT['paper']};stroke:{LIGHT['ink']};stroke-width:2"),
        (".kv-here", f"stroke:{LIGHT['cache']};stroke-width:2"),
        (".kv-past", f"fill:{LIGHT['hw-soft']};opacity:.55"),
        (".kv-limit", f"stroke:{LIGHT['hw']};stroke-width:1.2;stroke-dasharray:1 4"),
        (".kv-compared", f"stroke:{LIGHT['accent']};stroke-width:1.6;stroke-dasharray:7 3"),
        (".kv-compared-weights", f"stroke:{LIGHT['weights']};stroke-width:1.2;stroke-dasharray:7 3"),
        (".kv-compared-name", f"fill:{LIGHT['accent']}"),
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
