"""The command line: `kvcore size`, `kvcore models` and `kvcore paging` print what the article shows.

`size` reports recurrent state separately. `cache_bytes`, `cache_bytes_per_sequence` and `cache_bytes_per_gpu` are without
it; `state_bytes` is the state of one sequence; `ratio`, `cliff_context` and `gpus` count both, as both must fit in memory.

A config.json is read from a file, a pipe, or with `-` from standard input. What was assumed for fields that it does not give
is printed, a line each; `assumed` in the JSON has all of them. It is empty for a model of the catalog, whose numbers were checked.

For bad input it prints one line that names the field on standard error, nothing on standard output, and exits with 2, also if
standard error cannot be written. Characters that the terminal cannot spell or should not obey are printed as escapes.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NoReturn

from kvcore import __version__
from kvcore.assumed import assumptions
from kvcore.catalog import DEFAULT_GPU, DEFAULT_MODEL, MODELS, Model, gpu
from kvcore.config import parse_config, read_config
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES, Dtype, cache_dtype, weight_dtype
from kvcore.errors import Invalid, KvcoreError
from kvcore.footprint import Footprint
from kvcore.paging import STRATEGIES, allocate, requests
from kvcore.shape import Shape
from kvcore.terminal import complain, config_text, discard, write_lines
from kvcore.units import format_bytes, format_count, format_parameters, format_ratio, significant

__all__ = ["main"]

_MOST_DIGITS = 1000  # CPython refuses to read above 4,300 digits; every allowed number is far shorter


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
        lines = {"size": _size, "models": _models, "paging": _paging}[options.command](options)
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
    size = commands.add_parser("size", help="cache and weights of one model", allow_abbrev=False)
    size.add_argument(
        "model",
        metavar="MODEL_OR_CONFIG",
        help="id of a model (see `kvcore models`), a config.json, or - to read one from standard input",
    )
    size.add_argument("--context", default="8192", metavar="N", help="tokens a sequence (default: %(default)s)")
    size.add_argument("--batch", default="1", metavar="N", help="sequences (default: %(default)s)")
    size.add_argument("--weight-dtype", default="fp16", metavar="D", help=f"{', '.join(WEIGHT_DTYPES)} (default: fp16)")
    size.add_argument("--tp", default="1", metavar="N", help="GPUs that share every layer (default: %(default)s)")
    size.add_argument("--gpu", default=DEFAULT_GPU, metavar="NAME", help="kind of GPU (default: %(default)s)")
    models = commands.add_parser("models", help="the models there are", allow_abbrev=False)
    paging = commands.add_parser("paging", help="room reserved for sequences, and used", allow_abbrev=False)
    paging.add_argument(
        "--strategy", default="contiguous", metavar="S", help=f"{' or '.join(STRATEGIES)} (default: %(default)s)"
    )
    paging.add_argument("--sequences", default="6", metavar="N", help="sequences to serve (default: %(default)s)")
    paging.add_argument("--block-size", default="128", metavar="N", help="tokens a block (default: %(default)s)")
    paging.add_argument("--model", default=DEFAULT_MODEL, metavar="MODEL_OR_CONFIG", help="default: %(default)s")
    for command in (size, paging):
        command.add_argument(
            "--cache-dtype", default="fp16", metavar="D", help=f"{', '.join(CACHE_DTYPES)} (default: fp16)"
        )
        command.add_argument("--v-dtype", metavar="D", help="type of V where it differs from that of K")
    for command in (size, models, paging):
        command.add_argument("--json", action="store_true", help="exact numbers as JSON")
    return parser


def _size(options: argparse.Namespace) -> list[str]:
    """Return the output of `kvcore size`."""
    shape, assumed = _shape(options.model)
    keys, values = _dtypes(options)
    context, batch = _number("context", options.context), _number("batch", options.batch)
    footprint = Footprint(
        shape=shape,
        context=context,
        batch=batch,
        cache_dtype=keys,
        value_dtype=values,
        weight_dtype=weight_dtype(options.weight_dtype),
        gpu_bytes=gpu(options.gpu).memory_bytes,
    )
    per_gpu = batch * shape.cache_bytes_per_gpu(context, _number("tp", options.tp), keys, values)
    per_sequence = shape.cache_bytes(context, keys, values)
    result = {
        "model": options.model,
        "layers": shape.layers,
        "bytes_per_token": footprint.bytes_per_token,
        "cache_bytes": batch * per_sequence,
        "cache_bytes_per_sequence": per_sequence,
        "cache_bytes_per_gpu": per_gpu,
        "state_bytes": shape.state_bytes,
        "params": shape.params,
        "weights_bytes": footprint.weights_bytes,
        "ratio": float(footprint.ratio),
        "cliff_context": footprint.cliff_context,
        "gpus": footprint.gpus,
        "assumed": dict(assumed),
    }
    if options.json:
        return json.dumps(result, indent=2).splitlines()
    cliff = footprint.cliff_context
    rows = {
        "model": f"{options.model}: {shape.layers} layers, {format_parameters(shape.params)} parameters",
        "cache per token": format_bytes(footprint.bytes_per_token),
        f"cache, {format_count(context)} x {format_count(batch)}": format_bytes(batch * per_sequence),
        "weights": format_bytes(footprint.weights_bytes),
        "cache / weights": format_ratio(footprint.ratio),
        "cache passes weights": "never" if cliff is None else f"at {format_count(cliff)} tokens",
        "GPUs": f"{format_count(footprint.gpus)} x {gpu(options.gpu).name}",
    }
    if shape.state_bytes:
        rows["state per sequence"] = format_bytes(shape.state_bytes)
    if per_gpu != batch * per_sequence:
        rows["cache on each GPU"] = format_bytes(per_gpu)
    return _text(rows, assumed)


def _text(rows: Mapping[str, str], assumed: Mapping[str, object]) -> list[str]:
    """Return the lines of a table, and a line for each assumed value that a reader sees."""
    lines = [
        *rows.items(),
        *(("assumed", f"{value}, which the config does not give") for value in assumptions(assumed)),
    ]
    return [f"{label:22}{value}" for label, value in lines]


def _dtypes(options: argparse.Namespace) -> tuple[Dtype, Dtype]:
    """Return the types of K and V."""
    keys = cache_dtype(options.cache_dtype)
    return keys, keys if options.v_dtype is None else cache_dtype(options.v_dtype, "v_dtype")


def _paging(options: argparse.Namespace) -> list[str]:
    """Return the output of `kvcore paging`: the tokens stored and reserved for the requests that the article uses, too."""
    (shape, assumed), (keys, values) = _shape(options.model), _dtypes(options)
    arrived, block_size = requests(_number("sequences", options.sequences)), _number("block_size", options.block_size)
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
    return _text(rows, assumed)


def _models(options: argparse.Namespace) -> list[str]:
    """Return the output of `kvcore models`."""
    fp16 = cache_dtype("fp16")
    if options.json:
        return json.dumps([_row(row, fp16) for row in MODELS.values()], indent=2).splitlines()
    return [
        f"{row.id:22}{row.shape.attention:10}{format_bytes(row.shape.bytes_per_token(fp16)):>10} a token"
        f"{format_parameters(row.shape.params):>16} parameters"
        for row in MODELS.values()
    ]


def _row(row: Model, dtype: Dtype) -> dict[str, object]:
    return {
        "id": row.id,
        "name": row.name,
        "family": row.family,
        "attention": row.shape.attention,
        "layers": row.shape.layers,
        "bytes_per_token": row.shape.bytes_per_token(dtype),
        "params": row.shape.params,
        "published_params": row.published_params,
        "context_limit": row.shape.context_limit,
        "source": row.source,
        "read": row.read,
    }


def _shape(name: str) -> tuple[Shape, Mapping[str, object]]:
    """Return the shape of the model with this id, or of the config.json at this path, and what was assumed for it."""
    if name in MODELS:
        return MODELS[name].shape, MappingProxyType({})
    try:
        reading = read_config(parse_config(config_text(name)))
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid("model", name, f"a config.json that can be read ({type(error).__name__})") from error
    return reading.shape, reading.assumed


def _number(field: str, text: str) -> int:
    """Return an option's integer, written in ASCII digits; the code that uses it checks its range."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        raise Invalid(field, text, "an integer")
    return int(text)
