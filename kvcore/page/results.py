"""What the Lab's controls come to: one result, from which its sentences, figures and tables are all drawn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from kvcore import catalog
from kvcore.catalog import Gpu
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.footprint import Footprint
from kvcore.page import words
from kvcore.page.controls import Values
from kvcore.page.state import Origin, edited_shape, grouped_kv_heads, origin, own_shape
from kvcore.paging import STRATEGIES, Allocation, Request, allocate, fit, requests
from kvcore.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class LabResult:
    """A model as the Lab has it, its footprint, and the same model with other KV heads.

    twins: "mha", "gqa" or "mqa" -> the footprint of the same shape with those KV heads; the Lab's own is not among them.
    compared: another model, or this one with another cache, at the same load, by its name.
    """

    model: Origin
    edited: bool
    footprint: Footprint
    twins: Mapping[str, Footprint]
    gpu: Gpu
    units: str
    compared: tuple[str, Footprint] | None = None

    @property
    def shape(self) -> Shape:
        """The shape the numbers are of: the model's, or what was edited from it."""
        return self.footprint.shape

    @property
    def name(self) -> str:
        """The model's name, marked where its shape was edited."""
        return words.edited(self.model.name) if self.edited else self.model.name


@dataclass(frozen=True, slots=True, kw_only=True)
class PagingResult:
    """The requests of the grid, allocated both ways, and what the same pool of blocks would hold in each.

    pool_blocks: what a contiguous server reserves for these sequences; fits: strategy -> sequences in that pool.
    sequence_bytes: tokens of one sequence -> bytes of the Lab's model.
    """

    strategy: str
    requests: tuple[Request, ...]
    allocations: Mapping[str, Allocation]
    pool_blocks: int
    fits: Mapping[str, int]
    lab: LabResult

    @property
    def allocation(self) -> Allocation:
        """The allocation that is shown."""
        return self.allocations[self.strategy]

    def bytes_of(self, tokens: Iterable[int]) -> int:
        """Bytes that sequences of these lengths take in the Lab's model."""
        return sum(self.lab.footprint.sequence_bytes(length) for length in tokens)

    @property
    def stored_bytes(self) -> int:
        """Bytes of the tokens that are there."""
        return self.bytes_of(self.allocation.stored)

    @property
    def reserved_bytes(self) -> int:
        """Bytes of the room that is paid for."""
        return self.bytes_of(blocks * self.allocation.block_size for blocks in self.allocation.blocks)


def paging_result(values: Values, lab: LabResult) -> PagingResult:
    """Allocate for settled values of the grid's controls."""
    arrived, block_size = requests(int(values["sequences"])), int(values["block_size"])
    allocations = {strategy: allocate(strategy, arrived, block_size) for strategy in STRATEGIES}
    pool = allocations["contiguous"].reserved_blocks
    return PagingResult(
        strategy=str(values["strategy"]),
        requests=arrived,
        allocations=allocations,
        pool_blocks=pool,
        fits={strategy: fit(strategy, pool, block_size) for strategy in STRATEGIES},
        lab=lab,
    )


def lab_result(values: Values) -> LabResult:
    """Compute the Lab for settled values of its controls."""
    model = origin(values)
    own = own_shape(model)
    shape = edited_shape(values, model)
    gpu = catalog.GPUS[str(values["gpu"])]

    def footprint(shape: Shape) -> Footprint:
        return Footprint(
            shape=shape,
            context=int(values["context"]),
            batch=int(values["batch"]),
            cache_dtype=CACHE_DTYPES[str(values["cache_dtype"])],
            value_dtype=CACHE_DTYPES.get(str(values["v_dtype"])),
            weight_dtype=WEIGHT_DTYPES[str(values["weight_dtype"])],
            gpu_bytes=gpu.memory_bytes,
        )

    return LabResult(
        model=model,
        edited=shape is not model.shape,
        footprint=footprint(shape),
        twins={name: footprint(twin) for name, twin in _twins(shape, int(own["kv_heads"])).items()},
        gpu=gpu,
        units=str(values["units"]),
        compared=_compared(str(values["compare"]), footprint(shape)),
    )


def _compared(choice: str, held: Footprint) -> tuple[str, Footprint] | None:
    """What the chart sets beside the Lab's model."""
    if choice == "none":
        return None
    if choice == "fp8":
        return words.COMPARED_FP8, replace(held, cache_dtype=CACHE_DTYPES["fp8"])
    model = catalog.MODELS[choice]
    return model.name, replace(held, shape=model.shape)


@lru_cache(maxsize=16)
def _twins(shape: Shape, own_kv_heads: int) -> Mapping[str, Shape]:
    """The same shape with a KV head for each query head, with grouped ones, and with a single one; never the shape itself."""
    if not shape.uniform or shape.kv_heads is None:
        return {}
    heads = {"mha": shape.query_heads, "gqa": grouped_kv_heads(shape.query_heads, own_kv_heads), "mqa": 1}
    return MappingProxyType(
        {
            name: shape.edited(kv_heads=count)
            for name, count in heads.items()
            if count is not None and name != shape.attention and count != shape.kv_heads
        }
    )
