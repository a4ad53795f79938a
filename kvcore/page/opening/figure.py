"""The opening figure: a column of weights, a column of cache with a slice for each user, and how many users outweigh the weights."""

from collections.abc import Iterator

from kvcore.page import phrases
from kvcore.page.html import Html, data, el, filled, label_text
from kvcore.page.lab.result import LabResult
from kvcore.page.opening import words
from kvcore.units import format_bytes, format_ratio

_WIDTH, _HEIGHT = 360, 196
_TOP, _FLOOR = 30, 168
_COLUMN = 96
_WEIGHTS_X, _CACHE_X = 28, 148
_MOST_SLICES = 64
_ROOM = 1.25
"""The figure has room for so many times the weights. A larger cache fills its height, and the weights shrink beside it."""


def columns(result: LabResult) -> Html:
    """The figure for the Lab's model and load."""
    footprint, units, tipping = result.footprint, result.units, result.footprint.cliff_batch
    weights, cache = footprint.weights_bytes, footprint.cache_bytes
    per_byte = (_FLOOR - _TOP) / max(_ROOM * weights, cache)
    weights_y, cache_y = _FLOOR - per_byte * weights, _FLOOR - per_byte * cache
    return el(
        "svg",
        el("rect", class_="kv-weights-solid", x=_WEIGHTS_X, y=weights_y, width=_COLUMN, height=_FLOOR - weights_y),
        el("rect", class_="kv-cache-solid", x=_CACHE_X, y=cache_y, width=_COLUMN, height=_FLOOR - cache_y),
        *_slices(cache_y, footprint.batch),
        el("path", class_="kv-axis", d=f"M16,{_FLOOR}H{_WIDTH - 16}"),
        el("path", class_="kv-cliff", d=f"M{_WEIGHTS_X},{weights_y:.1f}H{_WIDTH - 16}"),
        _label(format_bytes(weights, units), "kv-weights-name", _WEIGHTS_X, weights_y - 8),
        _label(format_bytes(cache, units), "kv-cache-name", _CACHE_X, cache_y - 8),
        label_text(words.tipping(tipping), "kv-cliff-name", _WIDTH - 16, weights_y - 6, "end") if tipping else None,
        _label(words.WEIGHTS, "kv-tick", _WEIGHTS_X, _FLOOR + 18),
        _label(phrases.kept(result.shape.attention), "kv-tick", _CACHE_X, _FLOOR + 18),
        class_="kv-svg kv-opening-svg",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=words.finding(
            result.name,
            format_bytes(weights, units),
            format_bytes(cache, units),
            phrases.kept(result.shape.attention),
            footprint.batch,
        ),
    )


def sentence(result: LabResult) -> Html:
    """What the cache of these users takes, and how many users it takes to outweigh the weights."""
    footprint, ratio = result.footprint, result.footprint.ratio
    tipping = footprint.cliff_batch

    def takes(cache: str, share: str) -> str:
        return words.takes(
            phrases.kept(result.shape.attention), footprint.batch, cache, share, result.name, above=ratio > 1
        )

    cache = data(footprint.cache_bytes, format_bytes(footprint.cache_bytes, result.units))
    said = filled(takes, el("strong", cache, class_="kv-c"), el("strong", format_ratio(ratio)))
    if tipping is None:
        return said
    return Html(f"{said} {filled(words.tips, el('strong', data(tipping, words.tipping(tipping))))}")


def _label(text: str, class_: str, x: float, y: float) -> Html:
    """A text centred over or under a column."""
    return label_text(text, class_, x + _COLUMN / 2, y, "middle")


def _slices(top: float, users: int) -> Iterator[Html]:
    """Lines that divide the cache's column into one slice for each user, while slices can be told apart."""
    each = (_FLOOR - top) / users
    if users <= _MOST_SLICES and each >= 2:
        lines = "".join([f"M{_CACHE_X},{_FLOOR - each * user:.1f}h{_COLUMN}" for user in range(1, users)])
        if lines:
            yield el("path", class_="kv-rule", d=lines)
