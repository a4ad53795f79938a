"""Every phrase of the allocation grid: controls, readouts, caption and table."""

from types import MappingProxyType

from kvcore.page.phrases import percent, sequences, tokens
from kvcore.units import format_count

FORM = "Controls of the allocation"
GROUP = "Allocation"
ALLOCATION = "Allocation"
SEQUENCES = "Sequences at once"
BLOCK_SIZE = "Block size"
UNIT_TOKENS = "tokens"
STRATEGIES = MappingProxyType({"contiguous": "contiguous", "paged": "paged"})
PAGING_TABLE = "The grid as a table"

HEAD_SEQUENCE = "Sequence"

HEAD_PROMPT = "Prompt"

HEAD_REPLY = "Reply"

HEAD_STORED = "Stored"

HEAD_BLOCKS = "Blocks"

HEAD_EMPTY = "Empty"

STRATEGY = MappingProxyType({"contiguous": "Contiguous reservation", "paged": "Paging"})


def blocks(count: int) -> str:
    return "1 block" if count == 1 else f"{format_count(count)} blocks"


def in_blocks(blocks: str, size: str, model: str) -> str:
    return f"{blocks}, {size} of {model}"


def not_paged(blocks: str, model: str) -> str:
    return f"{blocks}; {model} keeps a state, which is not paged"


def paging_finding(strategy: str, sequence_count: int, *, stored: int, reserved: int, utilisation: str) -> str:
    return (
        f"{STRATEGY[strategy]}: {sequences(sequence_count)} {'stores' if sequence_count == 1 else 'store'} {tokens(stored)} "
        f"in room for {format_count(reserved)}; {percent(utilisation)} of it is used."
    )


def paging_legend(strategy: str, longest: int) -> str:
    legend = "A cell stands for a block. Solid: tokens that are stored"
    if strategy == "contiguous":
        return f"{legend}. Hatched: reserved for a longer reply, and empty. A row is one sequence's {format_count(longest)} tokens."
    return (
        f"{legend}; two tints keep neighbours apart where cells are large enough. Hatched: the empty rest of a sequence's last block. Outlined: free for others. "
        f"The pool is the contiguous server's, {format_count(longest)} tokens for each sequence."
    )


def row_label(index: int) -> str:
    return format_count(index)


FIT_MORE = "in the same memory"
