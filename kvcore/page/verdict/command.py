"""The command that gives the same numbers in a terminal."""

from kvcore.catalog import OWN_GPU
from kvcore.page.controls import Value, Values
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
    SHARED_PROMPT,
    V_DTYPE,
    WEIGHT_DTYPE,
)
from kvcore.page.lab.shape import expands_latents, loads_mtp, own_shape
from kvcore.page.verdict import words
from kvcore.page.verdict.controls import AVERAGE, DIVIDED, ENGINE_BLOCK, HOST_MEMORY, RESERVE
from kvcore.page.verdict.result import VerdictResult

_FILE = "config.json"


def command(values: Values, result: VerdictResult) -> Html:
    """The command for these values of the controls, and for an imported model what its file is."""
    imported = MODEL.of(values) == IMPORTED
    note = el("small", words.COMMAND_FILE) if imported else None
    return el("span", el("code", command_text(values, result)), " " if note else None, note)


def command_text(values: Values, result: VerdictResult) -> str:
    """The text of the command; options that are at their defaults in the terminal are left out."""
    model, own = result.lab.model, own_shape(result.lab.model)
    options: dict[str, Value] = {
        control.name: control.of(values)
        for control in (LAYERS, QUERY_HEADS, HEAD_DIM, KV_HEADS)
        if control.of(values) != own[control.name]
    }
    options |= {CONTEXT.name: CONTEXT.of(values), BATCH.name: BATCH.of(values)}
    options |= {name: values[name] for name, default in _defaults(values, result) if values[name] != default}
    if HOST_MEMORY.of(values):
        options[HOST_MEMORY.name] = f"{HOST_MEMORY.of(values)}GiB"
    if GPU.of(values) == OWN_GPU:
        options["gpu_bytes"] = f"{GPU_MEMORY.of(values)}GiB"
        del options[GPU.name]
    if ENGINE_BLOCK.name in options:
        options["block_size"] = options.pop(ENGINE_BLOCK.name)
    named = [f"--{name.replace('_', '-')} {value}" for name, value in options.items()]
    named += ["--mtp"] if loads_mtp(values, model.shape) else []
    named += ["--expand-latents"] if expands_latents(values, model.shape) else []
    return " ".join(["python -m kvcore plan", _FILE if MODEL.of(values) == IMPORTED else model.id, *named])


def _defaults(values: Values, result: VerdictResult) -> tuple[tuple[str, Value], ...]:
    """The names of controls, and what the terminal takes if the option is left out, in the order of the command."""
    engine = result.lab.engine
    return (
        (AVERAGE.name, CONTEXT.of(values)),
        *((control.name, control.default) for control in (SHARED_PROMPT, CACHE_DTYPE, V_DTYPE, WEIGHT_DTYPE, GPU)),
        *((control.name, 1) for control in DIVIDED),
        (ENGINE.name, ENGINE.default),
        (RESERVE.name, engine.reserve_percent(result.lab.gpu.memory_bytes)),
        (ENGINE_BLOCK.name, engine.block_size),
    )
