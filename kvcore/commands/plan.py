"""`kvcore plan`: whether a model and a load fit on the GPUs one has, how much fits, and the smallest changes that make it fit."""

import argparse
import json

from kvcore.commands.options import Asked, add_deployment, read_deployment
from kvcore.commands.size import mtp_note, numbers
from kvcore.commands.table import table
from kvcore.dtypes import Dtype
from kvcore.splits import Split
from kvcore.units import format_bytes, format_count
from kvcore.verdict import Way
from kvcore.weights import WeightStorage

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_deployment(parser)


def run(options: argparse.Namespace) -> list[str]:
    """Return the output of the command."""
    asked = read_deployment(options)
    verdict, share, footprint = asked.verdict, asked.share, asked.footprint
    if options.json:
        ways = [
            {"dimension": way.dimension, "value": _value(way), "options": _options(way, share.split)}
            for way in verdict.ways
        ]
        return json.dumps({**numbers(asked), "ways": ways}, indent=2).splitlines()
    load = f"{format_count(footprint.batch)} x {format_count(footprint.context)} tokens"
    rows = {
        "it fits"
        if verdict.fits
        else "it does not fit": f"{asked.name}, {load}, on {_gpus(share.split)} {asked.gpu_name}",
        "on each GPU": f"{format_bytes(share.weights_bytes)} weights + {format_bytes(share.cache_bytes)} cache"
        f" of {format_bytes(share.usable_bytes)}",
        "left" if verdict.fits else "too little": format_bytes(abs(share.free_bytes)),
        "most users": _most(verdict.max_batch, f"at {format_count(footprint.context)} tokens"),
        "longest context": _most(verdict.max_context, f"for {format_count(footprint.batch)} users"),
        **_held(asked),
        "fewest GPUs": "none that was tried" if verdict.fewest is None else _gpus(verdict.fewest),
    }
    if asked.mtp_layers:
        rows["MTP layers"] = mtp_note(asked)
    if asked.cache_note:
        rows["note on cache"] = asked.cache_note
    lines = table(rows, asked.assumed)
    for number, way in enumerate(verdict.ways):
        lines.append(f"{'' if number else 'to make it fit':22}{_options(way, share.split)}")
    return lines


def _held(asked: Asked) -> dict[str, str]:
    """Rows for what the load has of these: an average length, a shared prompt, host memory."""
    verdict, share = asked.verdict, asked.share
    rows = {
        f"at {format_count(held.context)} tokens": _most(held.on_gpus, "users, of the average length")
        for held in verdict.held[1:]
    }
    if share.shared_tokens:
        rows["shared prompt"] = f"{format_count(share.shared_tokens)} tokens, stored once"
    if verdict.host_bytes:
        in_host = " or ".join(
            _most(held.in_host, f"more at {format_count(held.context)} tokens") for held in verdict.held
        )
        rows[f"{format_bytes(verdict.host_bytes)} of host"] = in_host
    return rows


def _most(count: int | None, where: str) -> str:
    return "without limit" if count is None else f"{format_count(count)} {where}"


def _gpus(split: Split) -> str:
    """The number of GPUs, and how they divide the model."""
    parts = [f"{name} {count}" for name in ("tp", "pp", "dp", "cp", "ep") if (count := getattr(split, name)) > 1]
    return f"{format_count(split.gpus)}{f' ({", ".join(parts)})' if parts else ''}"


def _value(way: Way) -> object:
    """The way's value for JSON: a number, the name of a type, or the numbers of a split."""
    value = way.value
    if isinstance(value, Split):
        return {name: getattr(value, name) for name in ("gpus", "tp", "pp", "dp", "cp", "ep")}
    return value.name if isinstance(value, Dtype | WeightStorage) else value


def _options(way: Way, own: Split) -> str:
    """The options of this command that make the change, in place of those that it was given."""
    value = way.value
    if isinstance(value, Split):
        names = [name for name in ("tp", "pp", "dp", "cp", "ep") if max(getattr(value, name), getattr(own, name)) > 1]
        return " ".join(f"--{name} {getattr(value, name)}" for name in names)
    return f"--{way.dimension.replace('_', '-')} {_value(way)}"
