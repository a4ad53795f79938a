"""What the grid's controls come to: the same requests allocated both ways, and what that takes of the Lab's model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kvcore.footprint import Footprint
from kvcore.page.controls import Values
from kvcore.page.paging.controls import BLOCK_SIZE, SEQUENCES, STRATEGY
from kvcore.paging import STRATEGIES, Allocation, Request, allocate, fit, requests


@dataclass(frozen=True, slots=True, kw_only=True)
class PagingResult:
    """The requests of the grid, allocated both ways, and what the same pool of blocks would hold in each.

    pool_blocks: what a contiguous server reserves for these sequences; fits: strategy -> sequences in that pool.
    """

    strategy: str
    requests: tuple[Request, ...]
    allocations: Mapping[str, Allocation]
    pool_blocks: int
    fits: Mapping[str, int]

    @property
    def allocation(self) -> Allocation:
        """The allocation that is shown."""
        return self.allocations[self.strategy]


def paging_result(values: Values) -> PagingResult:
    """Allocate for the values of the grid's controls."""
    arrived, block_size = requests(SEQUENCES.of(values)), BLOCK_SIZE.of(values)
    allocations = {strategy: allocate(strategy, arrived, block_size) for strategy in STRATEGIES}
    pool = allocations["contiguous"].reserved_blocks
    return PagingResult(
        strategy=STRATEGY.of(values),
        requests=arrived,
        allocations=allocations,
        pool_blocks=pool,
        fits={strategy: fit(strategy, pool, block_size) for strategy in STRATEGIES},
    )


def bytes_of(lengths: Iterable[int], footprint: Footprint) -> int:
    """Bytes that sequences of these lengths take in the footprint's model and types."""
    return sum(footprint.sequence_curve(tuple(lengths)))


def stored_bytes(allocation: Allocation, footprint: Footprint) -> int:
    """Bytes of the tokens that are there."""
    return bytes_of(allocation.stored, footprint)


def reserved_bytes(allocation: Allocation, footprint: Footprint) -> int:
    """Bytes of the room that is paid for."""
    return bytes_of((blocks * allocation.block_size for blocks in allocation.blocks), footprint)
