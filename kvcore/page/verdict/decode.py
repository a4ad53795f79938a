"""The sentence about one decode step: whether it waits for memory or for arithmetic, and how long each takes."""

from fractions import Fraction

from kvcore.decode import DecodeStep
from kvcore.page import phrases
from kvcore.page.html import Html, data, escape, filled
from kvcore.page.verdict import words
from kvcore.page.verdict.result import VerdictResult
from kvcore.units import format_bytes, format_ratio, significant


def decode(result: VerdictResult) -> dict[str, Html]:
    """The slots of the decode step: what it reads and computes, and a sentence with the ratio of the two times.

    Of a mixture of experts only what is read at most is known: a shape does not say how many experts a token passes.
    """
    lab = result.lab
    step = DecodeStep(footprint=lab.footprint, gpu=lab.gpu, gpus=result.gpus)
    read = data(step.bytes_read, format_bytes(step.bytes_read, result.units))
    if any(mlp.experts for mlp in lab.shape.mlps):
        return {
            "lab.decode_ratio": data(None, words.MIXTURE_RATIO),
            "lab.decode": Html(f"{read} {escape(words.MIXTURE_STEP)}"),
        }
    ratio = step.memory_over_compute
    text = words.decode_step(
        flops=words.teraflop(significant(Fraction(step.flops, 10**12))),
        gpus=phrases.gpus(result.gpus, lab.gpu.label),
        reading=_milliseconds(step.memory_seconds),
        computing=_milliseconds(step.compute_seconds),
    )
    return {
        "lab.decode_ratio": data(None, words.NO_RATIO)
        if ratio is None
        else filled(words.decode_ratio, data(float(ratio), phrases.times(format_ratio(ratio)))),
        "lab.decode": Html(f"{read} {escape(text)}"),
    }


def _milliseconds(seconds: Fraction | None) -> str:
    return words.NO_TIME if seconds is None else words.milliseconds(significant(1000 * seconds))
