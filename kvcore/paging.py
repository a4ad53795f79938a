"""Contiguous and paged allocation of the same requests.

A server does not know how long a reply will be. A contiguous one reserves room for the longest for every sequence;
a paged one hands out blocks of `block_size` tokens as a sequence grows, so that only its last block has empty room:

    contiguous:  reserved = ceil(longest / block_size) * block_size   for each sequence
    paged:       reserved = ceil(tokens / block_size) * block_size    for each sequence, waste below one block

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
"""Tokens a contiguous server reserves for a sequence: the longest that OPT serves in the paper's measurements."""

MEAN_PROMPT, MEAN_REPLY = 161, 338
"""Mean tokens of prompts and replies in ShareGPT conversations (161.31 and 337.99): Kwon et al. 2023, figure 11."""

_SEED = 2309_06180
_MOST_SEQUENCES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A sequence to serve: tokens of its prompt, all there at once, and of its reply, written one by one."""

    prompt: int
    reply: int

    def __post_init__(self) -> None:
        check_int("prompt", self.prompt, 1, 2**40)
        check_int("reply", self.reply, 0, 2**40)

    @property
    def tokens(self) -> int:
        """Tokens that are stored once the reply is written."""
        return self.prompt + self.reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What a strategy holds for some requests: tokens stored and blocks reserved, for each sequence."""

    strategy: str
    block_size: int
    stored: tuple[int, ...]
    blocks: tuple[int, ...]

    @property
    def stored_tokens(self) -> int:
        """Tokens that are really there."""
        return sum(self.stored)

    @property
    def used_blocks(self) -> int:
        """Blocks that hold at least one token."""
        return sum(-(-tokens // self.block_size) for tokens in self.stored)

    @property
    def reserved_blocks(self) -> int:
        """Blocks that are paid for."""
        return sum(self.blocks)

    @property
    def reserved_tokens(self) -> int:
        """Tokens that the reserved blocks have room for."""
        return self.reserved_blocks * self.block_size

    @property
    def utilisation(self) -> Fraction:
        """Stored tokens over reserved tokens, in (0, 1]."""
        return Fraction(self.stored_tokens, self.reserved_tokens)


def requests(count: int, seed: int = _SEED) -> tuple[Request, ...]:
    """The first `count` requests of a fixed, seeded stream; the same in every Python.

    Prompts and replies are exponentially distributed with the means of ShareGPT, at least one token each, and cut so
    that the two together never exceed LONGEST.
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
    """Evenly spread numbers in (0, 1]: splitmix64 (Steele, Lea and Flood 2014), written out so that it never changes."""
    mask = 2**64 - 1
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        yield Fraction(((mixed ^ (mixed >> 31)) >> 32) + 1, 2**32)


def allocate(strategy: str, arrived: Sequence[Request], block_size: int, longest: int = LONGEST) -> Allocation:
    """Allocate for requests that have been served to their end.

    Raises:
        Invalid: naming the field, for an unknown strategy, no request, a block below one token, or a request longer
            than `longest`.
    """
    check_int("block_size", block_size, 1, 2**40)
    if not arrived:
        raise Invalid("sequences", arrived, "at least one request")
    stored = tuple(request.tokens for request in arrived)
    if max(stored) > longest:
        raise Invalid("tokens", max(stored), f"at most the {longest} that are reserved")
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
    """How many sequences of the stream, taken in order, have room in a pool of this many blocks."""
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
    """Which sequence takes each block of a paged pool, in the order they are handed out.

    All prompts come in first, one after another; then every sequence writes a token a step, and takes the next free
    block whenever its last one is full. Answers the index of the sequence for each block.
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
