"""Slots that no control changes: those of the pages of models and of evidence, and the gallery.

The build of the site fills them. The browser never imports this module.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from kvcore.page.html import Html
from kvcore.page.printed import catalog, evidence
from kvcore.page.printed.gallery import gallery

__all__ = ["BLOCKS", "PRINTED"]

_BLOCKS: dict[str, Callable[[], Html]] = {
    "models.catalog": catalog.models,
    "models.sources": catalog.sources,
    "models.gpus": catalog.gpus,
    "models.gpu_sources": catalog.gpu_sources,
    **evidence.TABLES,
    "gallery.figures": gallery,
}
_PHRASES: dict[str, Callable[[], Html]] = {
    "models.count": catalog.count,
    "models.families": catalog.families,
    "models.published": catalog.published,
    "models.equal": catalog.equal,
    "evidence.records": evidence.count,
    "evidence.lines": evidence.lines,
    "evidence.engines": evidence.engines,
    **{
        f"evidence.{standing}": partial(evidence.count, standing) for standing in ("reproduced", "inferred", "mismatch")
    },
    "evidence.equal": partial(evidence.predicted, "equal"),
    "evidence.rounded": partial(evidence.predicted, "rounding"),
    "evidence.within": partial(evidence.predicted, "block"),
}

PRINTED: Mapping[str, Callable[[], Html]] = MappingProxyType({**_BLOCKS, **_PHRASES})
"""Slot name -> function that returns its HTML; the slots of the evidence raise Disagreement if a record is listed as
matching and does not match, or the other way round."""

BLOCKS = frozenset(_BLOCKS)
"""The slots that are blocks (a div); the others are phrases (a span)."""
