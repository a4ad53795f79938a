"""The catalog of published models and GPUs. Each entry has a source.

A model's entry holds fields of its config.json; its shape, cache and parameters are computed from them. The entries are
in catalog/models.json and catalog/gpus.json, which are read once, at import; a model's shape is made when first used. The
sources of the GPUs are in `kvcore.gpu_sources`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pkgutil import get_data
from types import MappingProxyType

from kvcore.config import shape_from_config
from kvcore.errors import Invalid, UnknownName, check_int
from kvcore.shape import Shape
from kvcore.units import format_bytes
from kvcore.weights import WeightStorage, shipped_storage

__all__ = [
    "DEFAULT_GPU", "DEFAULT_MODEL", "GPUS", "MODELS", "NUMBER_TYPES", "OWN_GPU", "Gpu", "Model", "gpu", "model", "own_gpu",
]  # fmt: skip

DEFAULT_MODEL = "llama-3-70b"
DEFAULT_GPU = "h100-80gb"
OWN_GPU = "own"
"""The id that stands for a GPU of which the reader gives the memory."""

NUMBER_TYPES = ("fp16", "fp8", "int8", "fp4")
"""The types of number that a peak rate of arithmetic is given for."""

_MOST = 2**60


@dataclass(frozen=True, kw_only=True)
class Model:
    """A published model, as a row of the catalog.

    id, name, family: its identifier, the name shown to readers, and the publisher's series it belongs to.
    config: the fields of its config.json that its shape is computed from, under their original names.
    published_params: the exact parameter count that the publisher or a checkpoint's index states, or None.
    params_source: where that count is published.
    uncounted_params: how many of the published parameters are not part of the shape.
    uncounted: what those are, such as an image encoder or a module that predicts several tokens at once.
    source, read: where the config was read, and when (ISO date).
    confidence: how certain the row is, and what about it is not.
    paper_only: the model has no public weights, and its config was written from its paper.

    >>> MODELS["llama-3-70b"].name, MODELS["llama-3-70b"].published_params
    ('Llama-3 70B', 70553706496)
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
        """The shape computed from `config`.

        Raises:
            Invalid, Unsupported: naming the field, for a config that kvcore cannot read.

        >>> MODELS["llama-3-70b"].shape.layers
        80
        """
        return shape_from_config(self.config)

    @cached_property
    def weights(self) -> WeightStorage:
        """How the published checkpoint stores its weights.

        >>> MODELS["gpt-oss-120b"].weights.bytes_of(MODELS["gpt-oss-120b"].shape)  # as the checkpoint's index says
        65248815744
        """
        return shipped_storage(self.config)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU or another accelerator, as a row of the catalog.

    id, name, maker: its identifier, the name shown to readers, and the group of the list that it is in.
    label: the memory size it is sold under, such as "80 GB".
    memory_bytes: the memory its driver reports, in bytes; of Apple's chips, what Metal may use.
    bandwidth_bytes_per_second: its peak memory bandwidth, None if it is not known.
    peak_flops: its peak rate of dense arithmetic, in operations a second, by type of number, one of NUMBER_TYPES. FP16 stands for
        BF16 too, and is with FP32 accumulation. A type is left out when the GPU has none or its rate was not found.
    link, link_bytes_per_second: what joins it to others of its kind, and the rate of all its links together in one direction;
        "" and None if that is not known. Data sheets mostly give the sum of both directions, twice as much.

    The sources of a row are in `kvcore.gpu_sources`.

    Raises:
        Invalid: for a number that is not positive, a type of number that is not in NUMBER_TYPES, or a link without its rate.

    >>> GPUS["h100-80gb"].label, GPUS["h100-80gb"].memory_bytes == 81_559 * 2**20
    ('80 GB', True)
    """

    id: str
    name: str
    maker: str
    label: str
    memory_bytes: int
    bandwidth_bytes_per_second: int | None
    peak_flops: Mapping[str, int] = field(hash=False)
    link: str = ""
    link_bytes_per_second: int | None = None

    def __post_init__(self) -> None:
        check_int("memory_bytes", self.memory_bytes, 1, _MOST)
        rates = {name: getattr(self, name) for name in ("bandwidth_bytes_per_second", "link_bytes_per_second")}
        for name, rate in {**rates, **self.peak_flops}.items():
            if rate is not None or name in self.peak_flops:
                check_int(name, rate, 1, _MOST)
        if unknown := [name for name in self.peak_flops if name not in NUMBER_TYPES]:
            raise Invalid("peak_flops", unknown[0], f"one of {', '.join(NUMBER_TYPES)}")
        if (self.link_bytes_per_second is None) is not (not self.link):
            raise Invalid("link", self.link, "a name that comes with its rate")

    @property
    def fp16_flops(self) -> int | None:
        """Its peak rate of dense FP16 arithmetic, in operations a second; None if none is published."""
        return self.peak_flops.get("fp16")


def own_gpu(memory_bytes: int) -> Gpu:
    """Return a GPU of which only the memory is known.

    Raises:
        OutOfRange: when the memory is no number of bytes.

    >>> own_gpu(24 * 2**30).label
    '24 GiB'
    """
    label = format_bytes(check_int("gpu_bytes", memory_bytes, 1, _MOST))
    return Gpu(
        id=OWN_GPU, name=f"GPU of {label}", maker="", label=label, memory_bytes=memory_bytes, bandwidth_bytes_per_second=None,
        peak_flops=MappingProxyType({}),
    )  # fmt: skip


def _json(name: str) -> bytes:
    return get_data("kvcore", f"catalog/{name}") or b"[]"  # get_data also works from a wheel or a zip


MODELS: Mapping[str, Model] = MappingProxyType({row["id"]: Model(**row) for row in json.loads(_json("models.json"))})
"""Every model by id, in the order of the menus that list them."""

GPUS: Mapping[str, Gpu] = MappingProxyType(
    {
        row["id"]: Gpu(**{**row, "peak_flops": MappingProxyType(row["peak_flops"])})
        for row in json.loads(_json("gpus.json"))
    }
)
"""Every GPU by id, in the order of the menus that list them."""


def model(name: object) -> Model:
    """Return the model with this id.

    Raises:
        UnknownName: when the catalog has no such model.

    >>> model("falcon-7b").shape.layers
    32
    """
    found = MODELS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName("model", name, "the id of a model in the catalog, such as llama-3-70b")
    return found


def gpu(name: object) -> Gpu:
    """Return the GPU with this id.

    Raises:
        UnknownName: when the catalog has no such GPU.

    >>> gpu("rtx-4090").label
    '24 GB'
    """
    found = GPUS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName("gpu", name, f"one of {', '.join(GPUS)}")
    return found
