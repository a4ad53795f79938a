"""The first line of the Lab: whether it fits, how much fits, and buttons with the smallest changes that make it fit."""

import json
from collections.abc import Mapping

from kvcore.dtypes import Dtype
from kvcore.page.html import NOTHING, Html, data, el, join
from kvcore.page.lab.controls import BATCH, CACHE_DTYPE, CONTEXT, V_DTYPE, WEIGHT_DTYPE
from kvcore.page.lab.readouts import way_back
from kvcore.page.verdict import words
from kvcore.page.verdict.controls import DIVIDED
from kvcore.page.verdict.held import held_sentences
from kvcore.page.verdict.result import VerdictResult
from kvcore.splits import Split
from kvcore.units import format_bytes
from kvcore.verdict import Way
from kvcore.weights import WeightStorage


def verdict(result: VerdictResult) -> Html:
    """The verdict as a sentence, the ways to make it fit, and what the load holds; the first `data` is 1 if it fits and 0 if it does not."""
    fits = result.verdict.fits
    answer = el("strong", data(int(fits), words.YES if fits else words.NO), class_=None)
    sentence = el(
        "p", answer, " ", *_sentences(result), " ", way_back(result.lab), class_="kv-answer", data_fits=str(int(fits))
    )
    loads = " ".join(held_sentences(result))
    held = el("p", loads, class_="kv-held") if loads and result.share.room_bytes >= 0 else NOTHING
    return Html(f"{sentence}{NOTHING if fits else _ways(result)}{held}")


def _sentences(result: VerdictResult) -> list[Html | str]:
    """What the GPUs hold, and what they would hold at most."""
    verdict, lab, share = result.verdict, result.lab, result.share
    limit = lab.model.shape.context_limit
    context, batch, count = lab.footprint.context, lab.footprint.batch, result.gpus
    gpus, load = words.held_by(count, lab.gpu.name), words.load(lab.name, batch, context)
    spare = format_bytes(abs(share.free_bytes), result.units)
    if verdict.fits:
        room = words.room(verdict.max_batch, verdict.max_context, batch, context, limit)
        return [words.holds(gpus, count, load, spare), " ", room]
    if share.room_bytes < 0:
        return [words.weights_lack(gpus, count, lab.name, format_bytes(-share.room_bytes, result.units))]
    most, longest = verdict.max_batch or 0, verdict.max_context or 0
    at_most = words.at_most(most, longest, batch, context, limit)
    return [words.lacks(gpus, count, load, spare), " ", at_most]


def _ways(result: VerdictResult) -> Html:
    """A button for each change of one dimension that makes it fit; a context too short for the slider is only in the sentence."""
    ways = [way for way in result.verdict.ways if way.dimension != "context" or int(str(way.value)) >= CONTEXT.low]
    if not ways:
        return el("p", words.NO_WAY, class_="kv-ways")
    return el("p", words.WAYS, " ", join([_button(way) for way in ways], " "), class_="kv-ways")


def _button(way: Way) -> Html:
    sets = json.dumps(settings(way), separators=(",", ":"))
    return el("button", _text(way), type="button", class_="kv-way", data_set=sets, data_key=f"way-{way.dimension}")


def settings(way: Way) -> Mapping[str, str]:
    """The values of the page's controls that make the change: control name -> value."""
    value = way.value
    if isinstance(value, Split):
        return {control.name: str(getattr(value, control.name)) for control in DIVIDED}
    if isinstance(value, Dtype):
        return {CACHE_DTYPE.name: value.name, V_DTYPE.name: "same"}
    if isinstance(value, WeightStorage):
        return {WEIGHT_DTYPE.name: value.name}
    return {(CONTEXT if way.dimension == "context" else BATCH).name: str(value)}


def _text(way: Way) -> str:
    value = way.value
    if isinstance(value, Split):
        return words.gpus_way(value)
    if isinstance(value, Dtype):
        return words.cache_way(value.label)
    if isinstance(value, WeightStorage):
        return words.weights_way(value.label)
    return (words.context_way if way.dimension == "context" else words.batch_way)(value)
