"""The allocation grid's numbers in words, and as a table."""

from fractions import Fraction

from kvcore.page import phrases
from kvcore.page.html import Html, data, escape, filled, folded, with_note
from kvcore.page.lab.result import LabResult
from kvcore.page.paging import words
from kvcore.page.paging.result import PagingResult, reserved_bytes, stored_bytes
from kvcore.paging import Allocation
from kvcore.units import fixed, format_bytes, format_count


def readouts(result: PagingResult, lab: LabResult) -> dict[str, Html]:
    """What is stored, what is reserved, the one over the other, and what the pool would hold either way."""
    held = result.allocation
    fits = {
        f"paging.fit_{strategy}": with_note(data(count, phrases.sequences(count)), words.FIT_MORE)
        for strategy, count in result.fits.items()
    }
    return {
        "paging.used": _amount(lab, held.stored_tokens, held.used_blocks, stored_bytes(held, lab.footprint)),
        "paging.reserved": _amount(
            lab, held.reserved_tokens, held.reserved_blocks, reserved_bytes(held, lab.footprint)
        ),
        "paging.utilisation": data(float(held.utilisation), phrases.percent(percent_used(held))),
        "paging.gain": data(
            result.fits["paged"] / result.fits["contiguous"],
            phrases.times(fixed(Fraction(result.fits["paged"], result.fits["contiguous"]), 1)),
        ),
        **fits,
    }


def percent_used(held: Allocation) -> str:
    """Stored over reserved tokens, in percent with one decimal."""
    return fixed(100 * held.utilisation, 1)


def _amount(lab: LabResult, tokens: int, blocks: int, size: int) -> Html:
    """Tokens first, then the blocks they are in and the bytes they take in the Lab's model."""
    parts = (
        data(blocks, words.blocks(blocks)),
        data(size, format_bytes(size, lab.units)),
        escape(lab.name),
    )
    return Html(f"{data(tokens, phrases.tokens(tokens))} <small>{filled(words.in_blocks, *parts)}</small>")


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
