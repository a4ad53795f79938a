"""The readouts and the table of the allocation grid."""

from fractions import Fraction

from kvcore.page import phrases
from kvcore.page.html import Html, data, escape, filled, folded, with_note
from kvcore.page.lab.result import LabResult
from kvcore.page.paging import words
from kvcore.page.paging.result import PagingResult, reserved_bytes, stored_bytes
from kvcore.paging import Allocation
from kvcore.units import fixed, format_bytes, format_count


def readouts(result: PagingResult, lab: LabResult) -> dict[str, Html]:
    """The readouts: tokens stored and reserved, their ratio, and the sequences that fit into the pool in each strategy."""
    allocation = result.allocation
    fits = {
        f"paging.fit_{strategy}": with_note(data(count, phrases.sequences(count)), words.FIT_MORE)
        for strategy, count in result.fits.items()
    }
    return {
        "paging.used": _amount(
            lab, allocation.stored_tokens, allocation.used_blocks, stored_bytes(allocation, lab.footprint)
        ),
        "paging.reserved": _amount(
            lab, allocation.reserved_tokens, allocation.reserved_blocks, reserved_bytes(allocation, lab.footprint)
        ),
        "paging.utilisation": data(float(allocation.utilisation), phrases.percent(percent_used(allocation))),
        "paging.gain": data(
            result.fits["paged"] / result.fits["contiguous"],
            phrases.times(fixed(Fraction(result.fits["paged"], result.fits["contiguous"]), 1)),
        ),
        **fits,
    }


def percent_used(allocation: Allocation) -> str:
    """Stored tokens in percent of reserved tokens, as text with one decimal."""
    return fixed(100 * allocation.utilisation, 1)


def _amount(lab: LabResult, tokens: int, blocks: int, size: int) -> Html:
    """A number of tokens, the blocks that they are in, and their bytes in the Lab's model."""
    counted, model = data(blocks, words.blocks(blocks)), escape(lab.name)
    if lab.shape.attention == "recurrent":
        note = filled(words.not_paged, counted, model)
    else:
        note = filled(words.in_blocks, counted, data(size, format_bytes(size, lab.units)), model)
    return Html(f"{data(tokens, phrases.tokens(tokens))} <small>{note}</small>")


def table(result: PagingResult) -> Html:
    """The table of sequences: prompt, reply and stored tokens, blocks, and empty room in tokens."""
    allocation = result.allocation
    rows = [
        (
            format_count(index),
            *(data(count, format_count(count)) for count in (request.prompt, request.reply, request.tokens, blocks)),
            data(empty := blocks * allocation.block_size - request.tokens, format_count(empty)),
        )
        for index, (request, blocks) in enumerate(zip(result.requests, allocation.blocks, strict=True), 1)
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
