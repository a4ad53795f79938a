"""The readouts and notes of the split: memory of the fullest GPU, whether it fits, largest batch and context."""

from collections.abc import Callable
from fractions import Fraction

from kvcore.errors import KvcoreError
from kvcore.page import phrases
from kvcore.page.controls import Values
from kvcore.page.html import Html, data, with_note
from kvcore.page.lab.result import LabResult
from kvcore.page.parallel import words
from kvcore.page.parallel.controls import DP, ENGINE_BLOCK, PP, RESERVE, TP
from kvcore.page.parts import Note
from kvcore.parallel import PerGpu, Split
from kvcore.units import format_bytes

SLOTS = ("split.bytes_per_token", "split.cache", "split.weights", "split.fits", "split.max_batch", "split.max_context")


def split_result(values: Values, lab: LabResult) -> PerGpu | KvcoreError:
    """The cache and weights of the fullest GPU; the error if the Lab's model cannot be split like this."""
    try:
        return PerGpu(
            footprint=lab.footprint,
            split=Split(tp=TP.of(values), pp=PP.of(values), dp=DP.of(values)),
            block_size=ENGINE_BLOCK.of(values),
            reserve=Fraction(RESERVE.of(values), 100),
        )
    except KvcoreError as error:
        return error


def readouts(result: PerGpu | KvcoreError, lab: LabResult) -> dict[str, Html]:
    """The readouts: slot name -> HTML; all of them say why, if the model cannot be split like this."""
    if isinstance(result, KvcoreError):
        impossible = data(None, words.cannot_split(str(result)))
        return dict.fromkeys(SLOTS, impossible)
    units = lab.units

    def size(count: int, text: str) -> Html:
        return with_note(data(count, format_bytes(count, units)), text)

    gpus = phrases.gpus(result.split.gpus, lab.gpu.label)
    heads = {kv_heads for group in result.groups if (kv_heads := getattr(group, "kv_heads", None))}
    per_gpu = words.per_gpu(words.heads_per_gpu(heads.pop()) if len(heads) == 1 else "")
    free = result.free_bytes
    fits = (words.FITS, words.to_spare) if free >= 0 else (words.FITS_NOT, words.too_little)
    room = with_note(data(free, fits[0]), fits[1](format_bytes(abs(free), units)))
    return {
        "split.bytes_per_token": size(result.bytes_per_token, per_gpu),
        "split.cache": size(result.cache_bytes, phrases.load(result.footprint.context, result.sequences)),
        "split.weights": size(result.weights_bytes, phrases.params_at(result.footprint.weight_dtype.label)),
        "split.fits": room,
        "split.max_batch": _most(
            result.max_batch,
            phrases.sequences,
            phrases.NOTHING_TO_FIT,
            words.largest_batch(result.footprint.context, gpus),
        ),
        "split.max_context": _most(
            result.max_context,
            phrases.tokens,
            words.NO_CONTEXT_TOO_LONG,
            words.largest_context(result.footprint.batch, gpus),
        ),
    }


def notes(result: PerGpu | KvcoreError, lab: LabResult) -> dict[str, Note]:
    """The notes under the split's controls."""
    if isinstance(result, KvcoreError):
        named = {TP.name, PP.name, DP.name}
        return {result.field if result.field in named else TP.name: Note(text=words.cannot_split(str(result)))}
    kept = lab.gpu.memory_bytes - result.usable_bytes
    block = result.block_size
    return {
        TP.name: Note(text=words.split_note(result.split.gpus)),
        RESERVE.name: Note(text=words.reserve_note(format_bytes(kept, lab.units))),
        ENGINE_BLOCK.name: Note(text=words.ENGINE_BLOCK_NONE if block == 1 else words.engine_block_note(block)),
    }


def _most(count: int | None, text: Callable[[int], str], without_end: str, where: str) -> Html:
    if count is None:
        return data(None, without_end)
    shown = words.NOT_ONE if count == 0 else text(count)
    return with_note(data(count, shown), where)
