"""Where the facts about the catalog's GPUs are from. The page in the browser does without: nothing that it runs imports this.

The entries are in catalog/gpu_sources.json, which is read once, at import.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import get_data
from types import MappingProxyType

from kvcore.catalog import GPUS
from kvcore.errors import Invalid

__all__ = ["GPU_SOURCES", "GpuSource"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuSource:
    """The sources of a GPU's row.

    memory: where the driver's output was published. rates: where bandwidth and peak rates of arithmetic were read.
    link: where the rate of its link was read, or "" if the row has none.
    read: when they were read (ISO date). confidence: what about the row was not checked, or is not certain.

    Raises:
        Invalid: naming the field that has no source.

    >>> GPU_SOURCES["l4"].memory
    'nvidia-smi, 23034MiB: github.com/modal-labs/modal-client/pull/2797'
    """

    memory: str
    rates: str
    link: str
    read: str
    confidence: str

    def __post_init__(self) -> None:
        for name in ("memory", "rates", "read"):
            if not getattr(self, name):
                raise Invalid(name, "", "a source of that fact")


def _sources() -> Mapping[str, GpuSource]:
    rows = json.loads(
        get_data("kvcore", "catalog/gpu_sources.json") or b"{}"
    )  # get_data also works from a wheel or a zip
    return MappingProxyType({name: GpuSource(**rows[name]) for name in GPUS})


GPU_SOURCES: Mapping[str, GpuSource] = _sources()
"""The sources of every GPU of the catalog, by its id."""
