"""The allocation grid's section: settled values of its controls -> one result -> its slots."""

from fractions import Fraction

from kvcore.page import words
from kvcore.page.figures.grid import allocation_grid
from kvcore.page.results import PagingResult
from kvcore.page.svg import Html, data, el, escape, filled, join, small
from kvcore.page.tables import figure, folded
from kvcore.paging import LONGEST, Allocation
from kvcore.units import fixed, format_bytes, format_count

BLOCKS = frozenset({"paging.grid", "paging.table"})
"""Slots that stand as blocks of their own."""


def readouts(result: PagingResult) -> dict[str, Html]:
    """What is stored, what is reserved, the one over the other, and what the pool would hold either way."""
    held = result.allocation
    fits = {
        f"paging.fit_{strategy}": _with(data(count, words.sequences(count)), words.FIT_MORE)
        for strategy, count in result.fits.items()
    }
    return {
        "paging.used": _amount(result, held.stored_tokens, held.used_blocks, result.stored_bytes),
        "paging.reserved": _amount(result, held.reserved_tokens, held.reserved_blocks, result.reserved_bytes),
        "paging.utilisation": data(float(held.utilisation), words.percent(_percent(held))),
        "paging.gain": data(
            result.fits["paged"] / result.fits["contiguous"],
            words.times(fixed(Fraction(result.fits["paged"], result.fits["contiguous"]), 1)),
        ),
        **fits,
    }


def grid(result: PagingResult, width: str | None = None) -> Html:
    """The grid with its caption; `width` asks for one of its drawings only."""
    found = finding(result)
    caption = join([el("strong", found), el("span", words.paging_legend(result.strategy, LONGEST))], " ")
    return figure(allocation_grid(result, found, width), caption)


def finding(result: PagingResult) -> str:
    """How much of what is reserved is used, in a sentence."""
    held = result.allocation
    return words.paging_finding(
        result.strategy,
        len(result.requests),
        stored=held.stored_tokens,
        reserved=held.reserved_tokens,
        utilisation=_percent(held),
    )


def _percent(held: Allocation) -> str:
    return fixed(100 * held.utilisation, 1)


def _amount(result: PagingResult, tokens: int, blocks: int, size: int) -> Html:
    """Tokens first, then the blocks they are in and the bytes they take in the Lab's model."""
    parts = (
        data(blocks, words.blocks(blocks)),
        data(size, format_bytes(size, result.lab.units)),
        escape(result.lab.name),
    )
    return Html(f"{data(tokens, words.tokens(tokens))} <small>{filled(words.in_blocks, *parts)}</small>")


def _with(number: Html, text: str) -> Html:
    return Html(f"{number} {small(text)}")


def table(result: PagingResult) -> Html:
    """Each sequence of the grid, with what it stores and what is reserved for it."""
    held = result.allocation
    rows = [
        (
            format_count(index),
            *(data(count, format_count(count)) for count in (request.prompt, request.reply, request.tokens, blocks)),
            data(empty := blocks * held.block_size - request.tokens, format_count(empty)),
        )
        for index, (request, blocks) in enumerate(zip(result.requests, held.blocks, strict=True), 1)
    ]
    heads = (
        words.HEAD_SEQUENCE,
        words.HEAD_PROMPT,
        words.HEAD_REPLY,
        words.HEAD_STORED,
        words.HEAD_BLOCKS,
        words.HEAD_EMPTY,
    )
    return folded(words.PAGING_TABLE, heads, rows)
