"""Every figure for chosen values of its controls: a page to look at, and the files that tests compare drawings with.

The files, tests/kvcore/page/gallery/*.svg, only show that a drawing has changed, not that it is right.
`python -m site_hooks.gallery` writes them again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvcore.page.draw.widths import WIDTHS
from kvcore.page.html import Html, el
from kvcore.page.pages import ARTICLE
from kvcore.page.parts import View
from kvcore.page.printed import words
from kvcore.page.read_controls import read_controls

__all__ = ["STATES", "Picture", "gallery", "pictures"]

type State = Mapping[str, object]

STATES: Mapping[str, Mapping[str, State]] = MappingProxyType(
    {
        "lab.chart": {
            "defaults": {},
            "batch-32": {"batch": 32},
            "log": {"scale": "log"},
            "decimal-units": {"units": "decimal"},
            "here-is-the-cliff": {"batch": 53},
            "here-is-the-limit": {"model": "llama-3.1-70b", "context": 131072},
            "the-cliff-is-before-the-chart": {"model": "llama-2-7b", "batch": 512},
            "the-cliff-is-past-the-chart": {"attention": "mqa", "batch": 1},
            "no-cliff": {"model": "mistral-7b-v0.1", "batch": 1},
            "as-mha": {"attention": "mha"},
            "windows-in-a-pattern": {"model": "gemma-3-27b", "batch": 64},
            "latent": {"model": "deepseek-v3", "batch": 64},
            "state-and-attention": {"model": "qwen3-next-80b", "batch": 100},
            "state-alone": {"model": "codestral-mamba-7b", "batch": 128},
            "compared-with-fp8": {"compare": "fp8", "batch": 32},
            "compared-with-a-model": {"compare": "llama-2-7b", "batch": 8},
            "small-gpu": {"gpu": "rtx-4090", "model": "llama-3.1-8b", "batch": 4},
        },
        "opening.figure": {
            "defaults": {},
            "one-user": {"batch": 1},
            "tipped": {"batch": 60},
            "more-users-than-slices": {"batch": 4096},
            "state-alone": {"model": "codestral-mamba-7b", "batch": 20},
        },
        "lab.footprint": {
            "defaults": {},
            "one-gpu": {"model": "llama-3.1-8b", "batch": 1},
            "batch-128": {"batch": 128},
            "many-gpus": {"batch": 512, "context": 131072},
            "all-cache": {"model": "llama-3.2-1b", "batch": 512, "context": 32768},
            "most-gpus": {"layers": 256, "query_heads": 256, "batch": 512, "context": 1048576, "gpu": "rtx-4090"},
        },
        "paging.grid": {
            "contiguous": {},
            "paged": {"strategy": "paged"},
            "one-sequence": {"sequences": 1, "strategy": "paged"},
            "24-sequences": {"sequences": 24, "block_size": 48, "strategy": "paged"},
            "64-contiguous": {"sequences": 64, "block_size": 8},
            "64-paged": {"sequences": 64, "block_size": 8, "strategy": "paged"},
            "large-blocks": {"block_size": 256, "strategy": "paged"},
        },
    }
)
"""Name of a figure's section -> name of a state -> values of its controls, which else have their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One drawing of a figure, in one state and one width.

    name: the name of its file, without ".svg". figure: the section's name. width: "wide" or "narrow". drawing: its SVG.
    """

    name: str
    figure: str
    state: str
    width: str
    drawing: Html


def pictures() -> Iterator[Picture]:
    """Draw every figure in every state of `STATES` and in both widths; the opening figure has one drawing."""
    for figure, states in STATES.items():
        _, section = ARTICLE.sections[figure]
        for state, controls in states.items():
            for width in WIDTHS if section.is_figure else ("narrow",):
                view = View(read_controls(ARTICLE, controls).values, width=width)
                slot = section.draw(view)[figure].partition("<figcaption")[0]
                drawing = Html(slot[slot.index("<svg") :])
                name = f"{figure.replace('.', '-')}-{state}-{width}"
                yield Picture(name=name, figure=figure, state=state, width=width, drawing=drawing)


def gallery() -> Html:
    """The page of all pictures, each with a caption: its name and the values of its controls."""
    shown = [
        el(
            "figure",
            picture.drawing,
            el("figcaption", f"{picture.name}: {words.set_controls(STATES[picture.figure][picture.state])}"),
            class_=f"kv-figure kv-picture kv-picture-{picture.width}",
            id=picture.name,
        )
        for picture in pictures()
    ]
    return el("div", *shown, class_="kv-gallery")
