"""`kvcore paging`: the tokens that are stored and reserved for some sequences, allocated contiguously or in blocks."""

import argparse
import json
from collections.abc import Iterable

from kvcore.catalog import DEFAULT_MODEL
from kvcore.commands.options import add_dtypes, add_model, dtypes, model, number
from kvcore.commands.table import table
from kvcore.paging import STRATEGIES, allocate, requests
from kvcore.units import format_bytes, format_count, significant

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    strategies = " or ".join(STRATEGIES)
    parser.add_argument("--strategy", default="contiguous", metavar="S", help=f"{strategies} (default: %(default)s)")
    parser.add_argument("--sequences", default="6", metavar="N", help="sequences to serve (default: %(default)s)")
    parser.add_argument("--block-size", default="128", metavar="N", help="tokens a block (default: %(default)s)")
    add_model(parser, "--model", default=DEFAULT_MODEL, help="default: %(default)s")
    add_dtypes(parser)


def run(options: argparse.Namespace) -> list[str]:
    """Return the output of the command, for the requests that the article uses, too."""
    (shape, assumed, _), (keys, values) = model(options.model), dtypes(options)
    arrived, block_size = requests(number("sequences", options.sequences)), number("block_size", options.block_size)
    allocation = allocate(options.strategy, arrived, block_size)

    def size(tokens: Iterable[int]) -> int:
        return sum(shape.cache_bytes(count, keys, values) + shape.state_bytes for count in tokens)

    result = {
        "strategy": allocation.strategy,
        "model": options.model,
        "sequences": len(arrived),
        "block_size": block_size,
        "stored_tokens": allocation.stored_tokens,
        "used_blocks": allocation.used_blocks,
        "reserved_tokens": allocation.reserved_tokens,
        "reserved_blocks": allocation.reserved_blocks,
        "stored_bytes": size(allocation.stored),
        "reserved_bytes": size(blocks * block_size for blocks in allocation.blocks),
        "utilisation": float(allocation.utilisation),
        "assumed": dict(assumed),
    }
    if options.json:
        return json.dumps(result, indent=2).splitlines()
    rows = {
        "sequences": f"{format_count(len(arrived))}, {allocation.strategy}, blocks of {format_count(block_size)} tokens",
        "stored": f"{format_count(allocation.stored_tokens)} tokens, {format_bytes(size(allocation.stored))}",
        "reserved": f"{format_count(allocation.reserved_tokens)} tokens in {format_count(allocation.reserved_blocks)} blocks, "
        f"{format_bytes(size(blocks * block_size for blocks in allocation.blocks))}",
        "used of that": f"{significant(100 * allocation.utilisation)} %",
    }
    return table(rows, assumed)
