"""Contiguous and paged allocation of cache memory for the same requests.

A server does not know how long a reply will be. Contiguous allocation reserves memory for the longest possible sequence,
for every sequence. Paged allocation gives a sequence one block of `block_size` tokens at a time as it grows, so that only
its last block is partly empty. Tokens reserved for each sequence:

    contiguous:  ceil(longest / block_size) * block_size
    paged:       ceil(tokens / block_size) * block_size, which wastes less than one block

Source: Kwon et al. 2023, arXiv 2309.06180, sections 3 and 4.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from kvcore.errors import Invalid, check_int

__all__ = [
    "LONGEST",
    "MEAN_PROMPT",
    "MEAN_REPLY",
    "STRATEGIES",
    "Allocation",
    "Request",
    "allocate",
    "block_order",
    "fit",
    "requests",
]

STRATEGIES = ("contiguous", "paged")

LONGEST = 2048
"""Tokens that contiguous allocation reserves for each sequence: OPT's longest sequence, as in the paper's measurements."""

MEAN_PROMPT, MEAN_REPLY = 161, 338
"""Mean tokens of the prompts and replies of ShareGPT (161.31 and 337.99): Kwon et al. 2023, figure 11."""

_SEED = 2309_06180
_MOST_SEQUENCES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A sequence to serve: the tokens of its prompt, stored at once, and of its reply, generated one by one.

    Raises:
        OutOfRange: naming the field, for an empty prompt or a negative reply.

    >>> Request(prompt=255, reply=414).tokens
    669
    """

    prompt: int
    reply: int

    def __post_init__(self) -> None:
        check_int("prompt", self.prompt, 1, 2**40)
        check_int("reply", self.reply, 0, 2**40)

    @property
    def tokens(self) -> int:
        """Tokens stored when the reply is complete."""
        return self.prompt + self.reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """The memory that a strategy allocates for some requests.

    stored: the tokens stored for each sequence. blocks: the blocks reserved for each sequence.

    >>> allocation = allocate("paged", [Request(prompt=100, reply=30), Request(prompt=5, reply=5)], 16)
    >>> allocation.stored, allocation.blocks, allocation.utilisation  # 140 tokens in 10 blocks of 16
    ((130, 10), (9, 1), Fraction(7, 8))
    """

    strategy: str
    block_size: int
    stored: tuple[int, ...]
    blocks: tuple[int, ...]

    @property
    def stored_tokens(self) -> int:
        """Tokens stored, of all sequences."""
        return sum(self.stored)

    @property
    def used_blocks(self) -> int:
        """Blocks in which at least one token is stored."""
        return sum(-(-tokens // self.block_size) for tokens in self.stored)

    @property
    def reserved_blocks(self) -> int:
        """Blocks reserved, of all sequences."""
        return sum(self.blocks)

    @property
    def reserved_tokens(self) -> int:
        """Tokens for which the reserved blocks have room."""
        return self.reserved_blocks * self.block_size

    @property
    def utilisation(self) -> Fraction:
        """Stored tokens divided by reserved tokens: above 0, at most 1."""
        return Fraction(self.stored_tokens, self.reserved_tokens)


def requests(count: int, seed: int = _SEED) -> tuple[Request, ...]:
    """Return the first `count` requests of a random stream that is the same on every machine and in every Python.

    The lengths of prompts and replies are exponentially distributed with the means of ShareGPT. Each is at least one
    token, and shortened where prompt and reply together would exceed LONGEST.

    Raises:
        OutOfRange: when `count` is not from 1 to 2**20.

    >>> requests(2)
    (Request(prompt=255, reply=414), Request(prompt=5, reply=75))
    """
    check_int("sequences", count, 1, _MOST_SEQUENCES)
    return tuple(islice(_stream(seed), count))


def _stream(seed: int) -> Iterator[Request]:
    draws = _uniform(seed)
    while True:
        prompt = min(LONGEST - 1, _exponential(next(draws), MEAN_PROMPT))
        reply = min(LONGEST - prompt, _exponential(next(draws), MEAN_REPLY))
        yield Request(prompt=prompt, reply=reply)


def _exponential(uniform: Fraction, mean: int) -> int:
    return max(1, math.ceil(-mean * math.log(uniform)))


def _uniform(seed: int) -> Iterator[Fraction]:
    """Yield uniformly distributed numbers in (0, 1] by splitmix64 (Steele, Lea and Flood 2014).

    Python's own `random` may give other numbers in another version.
    """
    mask = 2**64 - 1
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        yield Fraction(((mixed ^ (mixed >> 31)) >> 32) + 1, 2**32)


def allocate(strategy: str, arrived: Sequence[Request], block_size: int, longest: int = LONGEST) -> Allocation:
    """Allocate memory for requests whose replies are complete; blocks have `block_size` tokens.

    Raises:
        Invalid: naming the field, for an unknown strategy, no requests, or a request longer than `longest`.
        OutOfRange: for a block of less than one token.

    >>> allocate("contiguous", requests(6), 128).blocks  # 2,048 tokens in blocks of 128
    (16, 16, 16, 16, 16, 16)
    >>> allocate("paged", requests(6), 128).blocks
    (6, 1, 2, 5, 4, 1)
    """
    check_int("block_size", block_size, 1, 2**40)
    if not arrived:
        raise Invalid("sequences", arrived, "at least one request")
    stored = tuple(request.tokens for request in arrived)
    if max(stored) > longest:
        raise Invalid("tokens", max(stored), f"at most {longest}, the tokens reserved for a sequence")
    return Allocation(
        strategy=strategy,
        block_size=block_size,
        stored=stored,
        blocks=tuple(_blocks(strategy, tokens, block_size, longest) for tokens in stored),
    )


def _blocks(strategy: str, tokens: int, block_size: int, longest: int) -> int:
    if strategy == "contiguous":
        return -(-longest // block_size)
    if strategy == "paged":
        return -(-tokens // block_size)
    raise Invalid("strategy", strategy, f"one of {', '.join(STRATEGIES)}")


def fit(strategy: str, blocks: int, block_size: int, seed: int = _SEED, longest: int = LONGEST) -> int:
    """Return how many sequences of the random stream, taken in order, fit in a pool of `blocks` blocks.

    Raises:
        OutOfRange: naming the field, for a negative pool or a block of less than one token.
        Invalid: for an unknown strategy.

    >>> fit("contiguous", 96, 128), fit("paged", 19, 128)
    (6, 6)
    """
    check_int("blocks", blocks, 0, 2**40)
    check_int("block_size", block_size, 1, 2**40)
    free, count = blocks, 0
    for request in islice(_stream(seed), _MOST_SEQUENCES):
        free -= _blocks(strategy, request.tokens, block_size, longest)
        if free < 0:
            break
        count += 1
    return count


def block_order(arrived: Sequence[Request], block_size: int) -> list[int]:
    """Return the index of the sequence that gets each block of a paged pool, in the order of allocation.

    All prompts are stored first, one after another. Then every sequence generates one token a step, and gets the next
    free block whenever its last one is full.

    Raises:
        OutOfRange: for a block of less than one token.

    >>> block_order([Request(prompt=3, reply=4), Request(prompt=1, reply=2)], 2)
    [0, 0, 1, 0, 1, 0]
    """
    check_int("block_size", block_size, 1, 2**40)
    order: list[int] = []
    later: list[tuple[int, int]] = []
    for index, request in enumerate(arrived):
        first = -(-request.prompt // block_size)
        order += [index] * first
        last = -(-request.tokens // block_size)
        later += [(block * block_size - request.prompt, index) for block in range(first, last)]
    return order + [index for _, index in sorted(later)]
