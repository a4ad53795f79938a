"""The result of the grid's controls: the same requests allocated contiguously and paged, and the bytes of both."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kvcore.footprint import Footprint
from kvcore.page.controls import Values
from kvcore.page.paging.controls import BLOCK_SIZE, SEQUENCES, STRATEGY
from kvcore.paging import STRATEGIES, Allocation, Request, allocate, fit, requests


@dataclass(frozen=True, slots=True, kw_only=True)
class PagingResult:
    """The requests of the grid, allocated by each strategy.

    strategy: the one that is shown. allocations: strategy -> allocation. pool_blocks: the blocks that a contiguous
    server reserves for the requests. fits: strategy -> the number of sequences that fit into a pool of that size.
    """

    strategy: str
    requests: tuple[Request, ...]
    allocations: Mapping[str, Allocation]
    pool_blocks: int
    fits: Mapping[str, int]

    @property
    def allocation(self) -> Allocation:
        """The allocation by the strategy that is shown."""
        return self.allocations[self.strategy]


def paging_result(values: Values) -> PagingResult:
    """Compute the result for the values of the grid's controls."""
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
    """Bytes of cache of sequences with these lengths in tokens, for the footprint's model and dtypes."""
    return sum(footprint.sequence_curve(tuple(lengths)))


def stored_bytes(allocation: Allocation, footprint: Footprint) -> int:
    """Bytes of cache of the tokens that are stored."""
    return bytes_of(allocation.stored, footprint)


def reserved_bytes(allocation: Allocation, footprint: Footprint) -> int:
    """Bytes of cache that is reserved: of all blocks, full or not."""
    return bytes_of((blocks * allocation.block_size for blocks in allocation.blocks), footprint)
