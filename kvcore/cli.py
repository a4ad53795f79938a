"""The command line: `kvcore size`, `kvcore plan`, `kvcore models` and `kvcore paging` print what the article shows.

`size` reports recurrent state separately. `cache_bytes`, `cache_bytes_per_sequence` and `cache_bytes_per_gpu` are without
it; `state_bytes` is the state of one sequence; `ratio`, `cliff_context` and all that fits count both, as both must fit in memory.

A config.json is read from a file, a pipe, or with `-` from standard input. What was assumed for fields that it does not give
is printed, a line each; `assumed` in the JSON has all of them. It is empty for a model of the catalog, whose numbers were checked.

For bad input it prints one line that names the field on standard error, nothing on standard output, and exits with 2, also if
standard error cannot be written. Characters that the terminal cannot spell or should not obey are printed as escapes.
"""

import argparse
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import NoReturn

from kvcore import __version__
from kvcore.commands import models, paging, plan, size
from kvcore.errors import KvcoreError
from kvcore.terminal import complain, discard, write_lines

__all__ = ["main"]

_COMMANDS = MappingProxyType({"size": size, "plan": plan, "models": models, "paging": paging})


class _Parser(argparse.ArgumentParser):
    """An argument parser that prints an error as one line, without the usage, which --help prints."""

    def error(self, message: str) -> NoReturn:
        complain(f"{self.prog}: {' '.join(message.split())}")
        self.exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 2 for bad input, or 1 when the output cannot be written.

    arguments: what follows `kvcore` on the command line; None for that of this process.

    Raises:
        SystemExit: after --help and --version, and for options that cannot be parsed.

    >>> main(["paging", "--strategy", "paged"])
    sequences             6, paged, blocks of 128 tokens
    stored                2,068 tokens, 646.3 MiB
    reserved              2,432 tokens in 19 blocks, 760 MiB
    used of that          85.0 %
    0
    """
    options = _parser().parse_args(arguments)
    try:
        lines = _COMMANDS[options.command].run(options)
    except KvcoreError as error:
        complain(f"kvcore {options.command}: {error}")
        return 2
    try:
        write_lines(lines, sys.stdout)
    except BrokenPipeError:  # the reading process has closed the pipe, as in `kvcore models | head`
        discard(sys.stdout)
        return 1
    except (OSError, ValueError, AttributeError) as error:  # a full disk; closed; not there at all: sys.stdout is None
        complain(f"kvcore {options.command}: standard output cannot be written ({type(error).__name__})")
        discard(sys.stdout)
        return 1
    return 0


def _parser() -> _Parser:
    parser = _Parser(prog="kvcore", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"kvcore {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    size.add(commands.add_parser("size", help="cache and weights of one model", allow_abbrev=False))
    plan.add(commands.add_parser("plan", help="what fits on some GPUs, and what would make it fit", allow_abbrev=False))
    commands.add_parser("models", help="the models there are", allow_abbrev=False)
    paging.add(commands.add_parser("paging", help="room reserved for sequences, and used", allow_abbrev=False))
    for command in commands.choices.values():
        command.add_argument("--json", action="store_true", help="exact numbers as JSON")
    return parser
