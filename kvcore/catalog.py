"""Models and GPUs as data, each row with its source: a model is its config's facts, and everything else is computed.

The rows are in catalog/models.json and catalog/gpus.json, read once at import; a shape is made when it is first asked
for.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pkgutil import get_data
from types import MappingProxyType

from kvcore.config import shape_from_config
from kvcore.errors import UnknownName
from kvcore.shape import Shape

__all__ = ["DEFAULT_GPU", "DEFAULT_MODEL", "GPUS", "MODELS", "Gpu", "Model", "gpu", "model"]

DEFAULT_MODEL = "llama-3-70b"
DEFAULT_GPU = "h100-80gb"


@dataclass(frozen=True, kw_only=True)
class Model:
    """A published model.

    `config` holds the fields of its config.json that its shape is made of, under their own names; `published_params` is
    the exact parameter count that its publisher or a checkpoint's index states, where one does, and `params_source` says
    where. `uncounted_params` of those are no part of the shape, and `uncounted` says what they are: encoders of images,
    modules for predicting several tokens at once. `source` and `read` say where and when (ISO date) the config was read, `confidence` what is not certain about
    the row. `paper_only` models have no public weights: their config is written out of the paper.
    """

    id: str
    name: str
    family: str
    config: Mapping[str, object]
    published_params: int | None
    params_source: str
    source: str
    read: str
    confidence: str
    paper_only: bool = False
    uncounted_params: int = 0
    uncounted: str = ""

    @cached_property
    def shape(self) -> Shape:
        """The shape that the config describes."""
        return shape_from_config(self.config)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU: the bytes its driver reports, the size it is sold under, its peak bandwidth and its dense FP16 peak.

    `memory_source` says where the driver's figure was printed, `source` whose data sheet the two rates are from, both
    read on `read` (ISO date); `confidence` says what is not certain about the row.
    """

    id: str
    name: str
    label: str
    memory_bytes: int
    bandwidth_bytes_per_second: int
    fp16_flops: int
    memory_source: str
    source: str
    read: str
    confidence: str


def _text(name: str) -> bytes:
    return get_data("kvcore", f"catalog/{name}") or b"[]"  # works from a folder, a wheel and a zip alike


MODELS: Mapping[str, Model] = MappingProxyType({row["id"]: Model(**row) for row in json.loads(_text("models.json"))})
"""Every model by id, in the order a reader is offered them."""

GPUS: Mapping[str, Gpu] = MappingProxyType({row["id"]: Gpu(**row) for row in json.loads(_text("gpus.json"))})
"""Every GPU by id, in the order a reader is offered them."""


def model(name: object) -> Model:
    """The model of this id; UnknownName otherwise."""
    found = MODELS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName("model", name, "the id of a model in the catalog, such as llama-3-70b")
    return found


def gpu(name: object) -> Gpu:
    """The GPU of this id; UnknownName otherwise."""
    found = GPUS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName("gpu", name, f"one of {', '.join(GPUS)}")
    return found
