"""`kvcore size`: the cache and the weights of a model at a load, and what of them each GPU stores."""

import argparse
import json

from kvcore.commands.options import Asked, add_deployment, memory, read_deployment
from kvcore.commands.table import table
from kvcore.layers import MOST_TOKENS
from kvcore.units import format_bytes, format_count, format_parameters, format_ratio
from kvcore.weights import WeightStorage

__all__ = ["add", "mtp_note", "numbers", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_deployment(parser)
    parser.add_argument(
        "--budget", metavar="BYTES", help="how many tokens of cache this much memory holds, such as 16GiB"
    )


def run(options: argparse.Namespace) -> list[str]:
    """Return the output of the command."""
    asked = read_deployment(options)
    budget = None if options.budget is None else memory("budget", options.budget)
    if options.json:
        found = numbers(asked)
        return json.dumps(
            found if budget is None else {**found, "budget_tokens": _tokens(asked, budget)}, indent=2
        ).splitlines()
    footprint, share, split = asked.footprint, asked.share, asked.share.split
    shape, cliff, fewest = footprint.shape, footprint.cliff_context, asked.verdict.fewest
    state = footprint.state_bytes
    rows = {
        "model": f"{asked.name}: {shape.layers} layers, {format_parameters(shape.params)} parameters",
        "cache per token": format_bytes(footprint.bytes_per_token),
        f"cache, {format_count(footprint.context)} x {format_count(footprint.batch)}": format_bytes(
            footprint.cache_bytes - state
        ),
        "weights": f"{format_bytes(footprint.weights_bytes)} in {footprint.weight_dtype.label}",
        "cache / weights": format_ratio(footprint.ratio),
        "cache passes weights": "never" if cliff is None else f"at {format_count(cliff)} tokens",
        "GPUs that hold it": "none that was tried"
        if fewest is None
        else f"{format_count(fewest.gpus)} x {asked.gpu_name}",
    }
    if footprint.bytes_per_next_token != footprint.bytes_per_token:
        rows["next token"] = (
            f"{format_bytes(footprint.bytes_per_next_token)} at {format_count(footprint.context)} tokens"
        )
    if state:
        rows["state per sequence"] = format_bytes(shape.state_bytes)
    if split.gpus > 1:
        rows["cache on each GPU"] = format_bytes(share.cache_bytes - share.batch_state_bytes)
        rows["weights on each GPU"] = format_bytes(share.weights_bytes)
    if asked.mtp_layers:
        rows["MTP layers"] = mtp_note(asked)
    if asked.cache_note:
        rows["note on cache"] = asked.cache_note
    if note := weights_note(asked):
        rows["note on weights"] = note
    if budget is not None:
        rows[f"{format_bytes(budget)} hold"] = f"{format_count(_tokens(asked, budget))} tokens of one sequence"
    return table(rows, asked.assumed)


def numbers(asked: Asked) -> dict[str, object]:
    """Return the exact numbers of the command's JSON."""
    footprint, share, verdict = asked.footprint, asked.share, asked.verdict
    state = footprint.shape.state_bytes
    per_sequence = footprint.bytes_per_sequence - state
    return {
        "model": asked.name,
        "layers": footprint.shape.layers,
        "mtp_layers": asked.mtp_layers if asked.mtp else 0,
        "bytes_per_token": footprint.bytes_per_token,
        "bytes_per_next_token": footprint.bytes_per_next_token,
        "cache_bytes": footprint.cache_bytes - footprint.state_bytes,
        "cache_bytes_per_sequence": per_sequence,
        "cache_bytes_per_gpu": share.cache_bytes - share.batch_state_bytes,
        "state_bytes": state,
        "state_bytes_per_gpu": share.state_bytes,
        "params": footprint.shape.params,
        "weights_bytes": footprint.weights_bytes,
        "weights_stored": footprint.weight_dtype.label,
        "weights_note": weights_note(asked),
        "cache_note": asked.cache_note,
        "weights_bytes_per_gpu": share.weights_bytes,
        "ratio": float(footprint.ratio),
        "cliff_context": footprint.cliff_context,
        "fits": verdict.fits,
        "free_bytes_per_gpu": share.free_bytes,
        "max_batch": verdict.max_batch,
        "max_context": verdict.max_context,
        "average": verdict.average or footprint.context,
        "shared_prompt": footprint.shared_prompt,
        "host_bytes": verdict.host_bytes,
        "held": [{"context": held.context, "on_gpus": held.on_gpus, "in_host": held.in_host} for held in verdict.held],
        "gpus": None if verdict.fewest is None else verdict.fewest.gpus,
        "gpus_by_memory": footprint.gpus_by_memory,
        "assumed": dict(asked.assumed),
    }


def mtp_note(asked: Asked) -> str:
    """How many MTP layers are published with the model, and whether they are counted."""
    if asked.mtp:
        return f"{asked.mtp_layers}, counted among the layers"
    return f"{asked.mtp_layers}, not counted; --mtp counts their cache and weights"


def weights_note(asked: Asked) -> str:
    """What is not known of how the weights are stored, in a sentence, or that they are not counted as the config says."""
    counted = asked.footprint.weight_dtype
    if isinstance(counted, WeightStorage) and counted.note:
        return counted.note
    if asked.shipped.quantized and counted.name != asked.shipped.name:
        return f"The checkpoint stores its weights otherwise ({asked.shipped.label}); --weight-dtype shipped counts them so."
    return asked.shipped.note


def _tokens(asked: Asked, budget: int) -> int:
    """The most tokens of one sequence whose cache and state take at most so many bytes; at most MOST_TOKENS."""
    over = asked.footprint.least_context_over(budget)
    return MOST_TOKENS if over is None else over - 1
