"""The notes under the Lab's controls: explanations, why a control is fixed, and the stops of the KV heads' slider."""

from fractions import Fraction

from kvcore.catalog import OWN_GPU, Gpu
from kvcore.dtypes import CACHE_DTYPES, Dtype
from kvcore.engines import can_compute
from kvcore.latent import LatentGroup
from kvcore.loaded import can_expand
from kvcore.page import phrases
from kvcore.page.controls import Values
from kvcore.page.lab import words
from kvcore.page.lab.controls import (
    ATTENTION,
    CACHE_DTYPE,
    CONTEXT,
    ENGINE,
    GPU,
    GPU_MEMORY,
    KV_HEADS,
    LATENTS,
    MODEL,
    MTP,
    QUERY_HEADS,
    SHARED_PROMPT,
    WEIGHT_DTYPE,
)
from kvcore.page.lab.formula import per_value
from kvcore.page.lab.result import LabResult
from kvcore.page.lab.shape import divisors, expands_latents, fixed_controls
from kvcore.page.parts import Note
from kvcore.units import format_bytes, significant
from kvcore.weights import as_storage


def lab_notes(result: LabResult, values: Values) -> dict[str, Note]:
    """Control name -> its note for these values."""
    context, limit = result.footprint.context, result.model.shape.context_limit
    prompt = result.footprint.shared_prompt
    query_heads = QUERY_HEADS.of(values)
    notes = {
        CACHE_DTYPE.name: Note(text=_cache_note(result, CACHE_DTYPES[CACHE_DTYPE.of(values)])),
        ENGINE.name: Note(text=_engine_note(result)),
        WEIGHT_DTYPE.name: Note(text=_weights_note(result)),
        GPU_MEMORY.name: Note(text="" if GPU.of(values) == OWN_GPU else words.OWN_MEMORY_UNUSED),
        GPU.name: Note(text=_gpu_note(result.gpu, result.units)),
        SHARED_PROMPT.name: Note(text=words.shared_prompt_note(prompt) if prompt else words.NOTHING_SHARED),
        ATTENTION.name: Note(text=words.ATTENTION[ATTENTION.of(values)]),
        KV_HEADS.name: Note(stops=divisors(query_heads) if query_heads else ()),
    }
    if result.edited:
        notes[MODEL.name] = Note(text=words.EDITED)
    if limit is not None and context > limit:
        notes[CONTEXT.name] = Note(text=words.past_limit(limit))
    notes |= _loading_notes(result, values)
    for name, reason in fixed_controls(result.model).items():
        notes[name] = Note(text=reason, disabled=True, stops=notes[name].stops if name in notes else None)
    return notes


def _engine_note(result: LabResult) -> str:
    """What the engine brings with it, of which version and date, and from where that is known."""
    engine = result.engine
    brings = words.engine_brings(engine.reserve_percent(result.gpu.memory_bytes), engine.block_size)
    version = words.engine_version(engine.version, engine.read) if engine.version else ""
    return " ".join(filter(None, (brings, version, words.engine_note(engine.sources))))


def _loading_notes(result: LabResult, values: Values) -> dict[str, Note]:
    """The notes under the options of the engine that a model may not have: MTP layers, and latents expanded."""
    own, engine = result.model.shape, result.engine
    latents = [group for group in own.groups if isinstance(group, LatentGroup)]
    if can_expand(own):
        padding = engine.pads_values and expands_latents(values, own)
        width = max(group.nope_dim + group.rope_dim for group in latents)
        expanding = Note(text=words.latents_note(engine.name if padding else "", width))
    else:
        expanding = Note(text=words.INDEXED_LATENTS if latents else words.NO_LATENTS, disabled=True)
    return {
        MTP.name: Note(text=words.NO_MTP, disabled=True)
        if own.mtp is None
        else Note(text=words.mtp_note(own.mtp.layers)),
        LATENTS.name: expanding,
    }


def _weights_note(result: LabResult) -> str:
    """The average bytes of a parameter, and how the published checkpoint stores its weights if that is not what is counted."""
    storage, shipped = as_storage(result.footprint.weight_dtype), result.model.weights
    size = storage.bytes_per_parameter(result.shape)
    average = str(size.numerator) if size.denominator == 1 else significant(size, 4)
    if storage.name == shipped.name:
        return words.weight_dtype_note(average, storage.label, storage.note)
    return words.weight_dtype_note(
        average, "", words.not_as_shipped(shipped.label) if shipped.quantized else shipped.note
    )


def _cache_note(result: LabResult, asked: Dtype) -> str:
    """The bytes of a cached number, and the type that the engine uses in place of the one asked for."""
    dtype = result.footprint.cache_dtype
    block = (dtype.block_values, dtype.block_bytes) if dtype.block_values > 1 else None
    note = words.cache_dtype_note(per_value(dtype), block, dtype.vector_bytes)
    if not can_compute(dtype, result.gpu.peak_flops):
        note = f"{note}. {words.needs_arithmetic(dtype.label, dtype.arithmetic, result.gpu.name)}"
    return note if dtype is asked else f"{words.engine_type(asked.label, result.engine.name, dtype.label)} {note}"


def _gpu_note(gpu: Gpu, units: str) -> str:
    bandwidth, rate = gpu.bandwidth_bytes_per_second, gpu.fp16_flops
    return words.gpu_note(
        format_bytes(gpu.memory_bytes, units),
        "" if bandwidth is None else phrases.bandwidth(significant(Fraction(bandwidth, 10**12))),
        "" if rate is None else words.flops(significant(Fraction(rate, 10**12))),
    )
