"""The Lab's model over several GPUs: settled values of the split's controls -> what each GPU holds -> slots."""

from collections.abc import Callable
from fractions import Fraction

from kvcore.errors import KvcoreError
from kvcore.page import words
from kvcore.page.controls import Values
from kvcore.page.results import LabResult
from kvcore.page.svg import Html, data, small
from kvcore.parallel import PerGpu, Split
from kvcore.units import format_bytes

SLOTS = ("split.bytes_per_token", "split.cache", "split.weights", "split.fits", "split.max_batch", "split.max_context")


def split_result(values: Values, lab: LabResult) -> PerGpu | KvcoreError:
    """What the fullest GPU holds, or why the Lab's model cannot be split so."""
    try:
        return PerGpu(
            footprint=lab.footprint,
            split=Split(tp=int(values["tp"]), pp=int(values["pp"]), dp=int(values["dp"])),
            block_size=int(values["engine_block"]),
            reserve=Fraction(int(values["reserve"]), 100),
        )
    except KvcoreError as error:
        return error


def readouts(result: PerGpu | KvcoreError, lab: LabResult) -> dict[str, Html]:
    """Cache and weights of the fullest GPU, whether they fit, and the most that would."""
    if isinstance(result, KvcoreError):
        impossible = data(None, words.cannot_split(str(result)))
        return dict.fromkeys(SLOTS, impossible)
    units = lab.units

    def size(count: int, text: str) -> Html:
        return Html(f"{data(count, format_bytes(count, units))} {small(text)}")

    gpus = words.gpus(result.split.gpus, lab.gpu.label)
    heads = {kv_heads for group in result.groups if (kv_heads := getattr(group, "kv_heads", None))}
    per_gpu = words.per_gpu(words.heads_per_gpu(heads.pop()) if len(heads) == 1 else "")
    free = result.free_bytes
    fits = (words.FITS, words.to_spare) if free >= 0 else (words.FITS_NOT, words.too_little)
    room = Html(f"{data(free, fits[0])} {small(fits[1](format_bytes(abs(free), units)))}")
    return {
        "split.bytes_per_token": size(result.bytes_per_token, per_gpu),
        "split.cache": size(result.cache_bytes, words.load(result.footprint.context, result.sequences)),
        "split.weights": size(result.weights_bytes, words.params_at(result.footprint.weight_dtype.label)),
        "split.fits": room,
        "split.max_batch": _most(
            result.max_batch, words.sequences, words.NOTHING_TO_FIT, words.largest_batch(result.footprint.context, gpus)
        ),
        "split.max_context": _most(
            result.max_context,
            words.tokens,
            words.NO_CONTEXT_TOO_LONG,
            words.largest_context(result.footprint.batch, gpus),
        ),
    }


def notes(result: PerGpu | KvcoreError, lab: LabResult) -> dict[str, str]:
    """What stands beside the split's controls."""
    if isinstance(result, KvcoreError):
        field = result.field if result.field in {"tp", "pp", "dp"} else "tp"
        return {field: words.cannot_split(str(result))}
    kept = lab.gpu.memory_bytes - result.usable_bytes
    block = result.block_size
    return {
        "tp": words.split_note(result.split.gpus),
        "reserve": words.reserve_note(format_bytes(kept, lab.units)),
        "engine_block": words.ENGINE_BLOCK_NONE if block == 1 else words.engine_block_note(block),
    }


def _most(count: int | None, text: Callable[[int], str], without_end: str, where: str) -> Html:
    if count is None:
        return data(None, without_end)
    spelled = words.NOT_ONE if count == 0 else text(count)
    return Html(f"{data(count, spelled)} {small(where)}")
