"""Every phrase of the pages of models and of evidence."""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.page.phrases import sequences
from kvcore.units import format_count

CATALOG_TABLE = "Every model of the catalogue"

CATALOG_HEADS = (
    "Model",
    "Family",
    "Attention",
    "Layers",
    "What they keep",
    "Query heads",
    "KV heads",
    "Head dim",
    "Hidden size",
    "Vocabulary",
    "Context limit",
    "Cache per token, FP16",
    "at the limit",
    "State per sequence",
    "Parameters",
    "Left out",
    "Published",
    "Difference",
    "Weights, as shipped",
)

SOURCES_TABLE = "Where each model's facts are from"

SOURCES_HEADS = ("Model", "Read", "Shape from", "Published count from", "Remarks")

GPUS_TABLE = "Every GPU of the catalogue"

GPU_HEADS = (
    "GPU", "Sold as", "Memory", "in bytes", "Bandwidth", "Dense FP16", "FP8", "INT8", "FP4", "Link", "One way",
)  # fmt: skip

GPU_SOURCES_TABLE = "Where each GPU's facts are from"

GPU_SOURCES_HEADS = ("GPU", "Read", "Memory from", "Rates from", "Link from", "Remarks")

PAPER_ONLY = "No public weights: written from the paper."

EQUAL = "equal"

NO_COUNT = "none found"


def teraflops(value: str) -> str:
    return f"{value} TFLOP/s"


def gigabytes(value: str) -> str:
    return f"{value} GB/s"


def left_out(what: str) -> str:
    return f"Left out of the shape, as no part of the language model's cache: {what}."


def keeps(kind: str, layers: int, *, window: int | None, values: int, index: int) -> str:
    """What a group of layers caches of a sequence."""
    what = {
        "full": "every token",
        "sliding": f"last {format_count(window or 0)} tokens",
        "chunked": f"chunks of {format_count(window or 0)}",
        "shared": "nothing: they share",
        "latent": f"a latent of {format_count(values)}{f', an index key of {format_count(index)}' if index else ''}",
        "recurrent": "a state",
        "none": "nothing",
    }
    return f"{format_count(layers)}: {what[kind]}"


EVIDENCE_HEADS = (
    "Run",
    "Engine",
    "Line",
    "Printed",
    "kvcore says",
    "Difference",
    "Standing",
    "Formula",
    "Published in",
    "Remarks",
)

EVIDENCE_TABLES = MappingProxyType(
    {
        "plain": "One product, many models",
        "types": "Types of number",
        "blocks": "Memory in blocks",
        "parallel": "Several GPUs",
        "latent": "Latents",
        "windows": "Windows",
        "state": "Recurrent state",
        "labels": "Published tables",
        "weights": "Weights",
    }
)

STANDING = MappingProxyType(
    {"reproduced": "reproduced", "inferred": "reproduced, part inferred", "mismatch": "does not match"}
)

CLOSENESS = MappingProxyType(
    {"equal": "every number equal", "rounding": "all within rounding", "block": "within a block, or a set of blocks"}
)

ENGINES_TABLE = "Records by engine: how many are predicted, and how closely"

ENGINES_HEADS = (
    "Engine",
    "Records",
    "From model and settings alone",
    *CLOSENESS.values(),
    "Part inferred",
    "Do not match",
)

ALL_ENGINES = "All"

MISMATCHES_TABLE = "The records that do not match, and why"

MISMATCHES_HEADS = ("Run", "Engine", "Line", "Printed", "kvcore says", "Why")

FORMULAS = MappingProxyType(
    {
        "product": "2 \N{MIDDLE DOT} L \N{MIDDLE DOT} n_kv \N{MIDDLE DOT} d_h \N{MIDDLE DOT} p per token",
        "apart": "L \N{MIDDLE DOT} n_kv \N{MIDDLE DOT} (d_k \N{MIDDLE DOT} p_k + d_v \N{MIDDLE DOT} p_v) per token",
        "blocks": "the same product, in whole blocks",
        "sglang": "the same product for K and V each, and a page more",
        "latent": "L \N{MIDDLE DOT} (r_kv + d_rope) \N{MIDDLE DOT} p per token",
        "latent_index": "L \N{MIDDLE DOT} ((r_kv + d_rope) \N{MIDDLE DOT} p + index key) per token",
        "cells": "min(context, window \N{MULTIPLICATION SIGN} sequences + micro-batch) cells, padded to 256, in layers with a window",
        "ignored": "every token in every layer, windows or not",
        "pages": "vLLM's pages for layers of different kinds",
        "sets": "vLLM's pages for layers of different kinds, in whole sets of one for each group of layers",
        "hybrid": "the product in the layers that attend, and the numbers of a state \N{MIDDLE DOT} p per sequence in the others",
        "weights": "parameters \N{MIDDLE DOT} p / tp, and vLLM's rotary table",
        "mixed": "MLPs in one type, the rest in 16 bits, / tp, and vLLM's rotary table",
    }
)


def evidence_table(title: str) -> str:
    return f"{title}: what engines printed, and what kvcore says"


def printed_for(name: str, *, count: int, length: int) -> str:
    """A printed line's name, with its number of tokens or the length of its requests."""
    if length:
        return f"{name}, at {format_count(length)}"
    return f"{name}, {format_count(count)} tokens" if count else name


def agreement(*, same: bool, rounded: bool, agrees: bool, slack: str, difference: str) -> str:
    if same:
        return "0"
    if rounded:
        return f"{difference}, rounding"
    return f"{difference}, within a {'set of blocks' if slack == 'set' else 'block'}" if agrees else difference


def run_options(
    key_dtype: str,
    value_dtype: str,
    *,
    tp: int,
    pp: int,
    cp: int,
    block_size: int,
    cells: Mapping[str, int] | None,
    batched: int,
    states: str,
) -> str:
    """The settings of an engine's run that its formula depends on."""
    parts = [f"K in {key_dtype}, V in {value_dtype}" if value_dtype else key_dtype]
    if states:
        parts.append(f"states in {states}")
    parts += [f"{name} {count}" for name, count in (("tp", tp), ("pp", pp), ("cp", cp)) if count > 1]
    if block_size > 1:
        parts.append(f"blocks of {block_size}")
    if cells:
        parts.append(f"micro-batch {format_count(cells['micro_batch'])}, {sequences(cells['sequences'])}")
    if batched:
        parts.append(f"{format_count(batched)} tokens computed at a time")
    return ", ".join(parts)


def weights_options(mlp_dtype: str, *, tp: int) -> str:
    """The dtypes of the weights, and the number of GPUs that share them."""
    kind = f"MLPs in {mlp_dtype}" if mlp_dtype else "16 bits"
    return f"{kind}, tp {tp}" if tp > 1 else kind


def facts_from(source: str) -> str:
    return f"Facts: {source}."


def inferred_from(what: str) -> str:
    return f"Read out of the record: {what}."


def why_not(cause: str) -> str:
    return f"Why it does not match: {cause}"


# the gallery


def set_controls(controls: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in controls.items()) or "the defaults"
