"""The command that gives the same numbers in a terminal."""

from kvcore.catalog import OWN_GPU
from kvcore.page.controls import Values
from kvcore.page.html import Html, el
from kvcore.page.lab.controls import (
    BATCH,
    CACHE_DTYPE,
    CONTEXT,
    ENGINE,
    GPU,
    GPU_MEMORY,
    HEAD_DIM,
    IMPORTED,
    KV_HEADS,
    LAYERS,
    MODEL,
    QUERY_HEADS,
    V_DTYPE,
    WEIGHT_DTYPE,
)
from kvcore.page.lab.shape import own_shape
from kvcore.page.verdict import words
from kvcore.page.verdict.controls import DIVIDED, ENGINE_BLOCK, RESERVE
from kvcore.page.verdict.result import VerdictResult

_FILE = "config.json"


def command(values: Values, result: VerdictResult) -> Html:
    """The command for these values of the controls, and for an imported model what its file is."""
    imported = MODEL.of(values) == IMPORTED
    note = el("small", words.COMMAND_FILE) if imported else None
    return el("span", el("code", command_text(values, result)), " " if note else None, note)


def command_text(values: Values, result: VerdictResult) -> str:
    """The text of the command; options that are at their defaults in the terminal are left out."""
    model, engine = result.lab.model, result.lab.engine
    parts = ["python -m kvcore plan", _FILE if MODEL.of(values) == IMPORTED else model.id]
    own = own_shape(model)
    parts += [
        _option(control.name, control.of(values))
        for control in (LAYERS, QUERY_HEADS, HEAD_DIM, KV_HEADS)
        if control.of(values) != own[control.name]
    ]
    parts += [_option(control.name, control.of(values)) for control in (CONTEXT, BATCH)]
    if CACHE_DTYPE.of(values) != CACHE_DTYPE.default:
        parts.append(_option(CACHE_DTYPE.name, CACHE_DTYPE.of(values)))
    if V_DTYPE.of(values) != V_DTYPE.default:
        parts.append(_option(V_DTYPE.name, V_DTYPE.of(values)))
    if WEIGHT_DTYPE.of(values) != WEIGHT_DTYPE.default:
        parts.append(_option(WEIGHT_DTYPE.name, WEIGHT_DTYPE.of(values)))
    if GPU.of(values) == OWN_GPU:
        parts.append(f"--gpu-bytes {GPU_MEMORY.of(values)}GiB")
    elif GPU.of(values) != GPU.default:
        parts.append(_option(GPU.name, GPU.of(values)))
    parts += [_option(control.name, control.of(values)) for control in DIVIDED if control.of(values) > 1]
    if ENGINE.of(values) != ENGINE.default:
        parts.append(_option(ENGINE.name, ENGINE.of(values)))
    if RESERVE.of(values) != engine.reserve_percent(result.lab.gpu.memory_bytes):
        parts.append(_option(RESERVE.name, RESERVE.of(values)))
    if ENGINE_BLOCK.of(values) != engine.block_size:
        parts.append(_option("block-size", ENGINE_BLOCK.of(values)))
    return " ".join(parts)


def _option(name: str, value: object) -> str:
    return f"--{name.replace('_', '-')} {value}"
