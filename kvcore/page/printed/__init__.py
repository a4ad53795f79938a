"""What the build prints and no control changes: the pages of models and of evidence, and the gallery.

The browser never imports this: a slot that `update` does not have is looked up here, at build.
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
}

PRINTED: Mapping[str, Callable[[], Html]] = MappingProxyType({**_BLOCKS, **_PHRASES})
"""Slot -> what prints it; those of the evidence raise when a record is not what it is listed as."""

BLOCKS = frozenset(_BLOCKS)
"""Slots that stand as blocks of their own."""
