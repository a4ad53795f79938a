"""The readouts and notes of the deployment: the largest batch and context, the fewest GPUs, and what each GPU stores."""

from collections.abc import Callable

from kvcore.page import phrases
from kvcore.page.html import Html, data, with_note
from kvcore.page.parts import Note
from kvcore.page.verdict import words
from kvcore.page.verdict.controls import AVERAGE, ENGINE_BLOCK, GPUS, HOST_MEMORY, RESERVE
from kvcore.page.verdict.result import VerdictResult
from kvcore.units import format_bytes, format_count


def readouts(result: VerdictResult) -> dict[str, Html]:
    """The readouts: slot name -> HTML."""
    share, verdict, lab, units = result.share, result.verdict, result.lab, result.units
    footprint = lab.footprint

    def size(count: int, text: str) -> Html:
        return with_note(data(count, format_bytes(count, units)), text)

    held_by = phrases.gpus(result.gpus, lab.gpu.label)
    heads = {kv_heads for group in share.groups if (kv_heads := getattr(group, "kv_heads", None))}
    per_gpu = words.per_gpu(words.heads_per_gpu(heads.pop()) if len(heads) == 1 else "")
    return {
        "lab.max_batch": _most(
            verdict.max_batch, phrases.users, phrases.NOTHING_TO_FIT, words.largest_batch(footprint.context, held_by)
        ),
        "lab.max_context": _most(
            verdict.max_context,
            phrases.tokens,
            words.NO_CONTEXT_TOO_LONG,
            words.largest_context(footprint.batch, held_by, verdict.max_context, lab.model.shape.context_limit),
        ),
        "lab.gpus": _fewest(result),
        "split.bytes_per_token": size(share.bytes_per_token, per_gpu),
        "split.cache": size(share.cache_bytes, phrases.load(footprint.context, share.sequences, share.shared_tokens)),
        "split.weights": size(share.weights_bytes, phrases.params_at(footprint.weight_dtype.label)),
        "split.free": with_note(
            data(share.free_bytes, format_bytes(abs(share.free_bytes), units)),
            words.to_spare(format_bytes(share.usable_bytes, units)) if share.fits else words.TOO_LITTLE,
        ),
    }


def notes(result: VerdictResult) -> dict[str, Note]:
    """The notes under the controls of the deployment."""
    kept = result.lab.gpu.memory_bytes - result.share.usable_bytes
    block = result.share.block_size
    average, context, host = result.verdict.average, result.lab.footprint.context, result.verdict.host_bytes
    return {
        GPUS.name: Note(text=words.divided(result.share.split)),
        AVERAGE.name: Note(text=words.AS_LONG_AS_THE_CONTEXT if average == context else words.average_note(context)),
        HOST_MEMORY.name: Note(
            text=words.host_memory_note(format_bytes(host // result.gpus, result.units))
            if host
            else words.NO_HOST_MEMORY
        ),
        RESERVE.name: Note(text=words.reserve_note(format_bytes(kept, result.units))),
        ENGINE_BLOCK.name: Note(text=words.ENGINE_BLOCK_NONE if block == 1 else words.engine_block_note(block)),
    }


def announcement(result: VerdictResult) -> str:
    """The sentence that a screen reader speaks after a change of a control."""
    return words.announce(phrases.gpus(result.gpus, result.lab.gpu.label), fits=result.verdict.fits)


def _fewest(result: VerdictResult) -> Html:
    split = result.verdict.fewest
    if split is None:
        return data(None, words.NO_GPUS)
    return with_note(data(split.gpus, format_count(split.gpus)), words.fewest(result.lab.gpu.name, split))


def _most(count: int | None, text: Callable[[int], str], without_end: str, where: str) -> Html:
    if count is None:
        return data(None, without_end)
    return with_note(data(count, words.NOT_ONE if count == 0 else text(count)), where)
