"""The cards of techniques that make the cache smaller: the factor for the Lab's model, its baseline, and a button.

The article calls them escape hatches, so their slots are named `hatches.*`.
"""

from dataclasses import replace
from fractions import Fraction

from kvcore.catalog import model
from kvcore.dtypes import CACHE_DTYPES
from kvcore.footprint import Footprint
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.page import phrases
from kvcore.page.article import words
from kvcore.page.html import Html, data, el
from kvcore.page.lab.result import LabResult
from kvcore.page.paging.result import PagingResult
from kvcore.units import format_bytes, format_ratio

_LOCAL_WINDOW, _LAYERS_PER_FULL = 1024, 6
"""Gemma 3 (arXiv 2503.19786, section 2.1): five of every six layers look back 1,024 tokens."""

_LATENT_RANK, _LATENT_ROPE = 512, 64
"""What a layer of DeepSeek-V3 caches of a token: kv_lora_rank and qk_rope_head_dim values (arXiv 2412.19437, section 4.2)."""

_LOCAL_MODEL, _LATENT_MODEL = "gemma-3-27b", "deepseek-v3"


def cards(lab: LabResult, paging: PagingResult) -> dict[str, Html]:
    """All cards: slot name -> the factor, a sentence with its baseline, and the button."""
    return {
        "hatches.heads": _heads(lab),
        "hatches.dtype": _dtype(lab),
        "hatches.paging": _paging(paging),
        "hatches.layers": _layers(lab),
        "hatches.latent": _latent(lab),
    }


def _heads(lab: LabResult) -> Html:
    """Fewer KV heads; the baseline is the same shape with one KV head for each query head (MHA)."""
    footprint = lab.footprint
    mha = footprint if lab.shape.attention == "mha" else lab.twins.get("mha")
    grouped = lab.twins.get("gqa") if lab.shape.attention == "mha" else footprint
    if mha is None or grouped is None or grouped.shape.kv_heads is None:
        return data(None, words.NO_TWIN)
    in_use = grouped is footprint
    button = (
        _button(words.APPLIED_AS_MHA, '{"attention":"mha"}') if in_use else _button(words.APPLY, '{"attention":"gqa"}')
    )
    text = words.saved_heads(
        grouped.shape.kv_heads, lab.name, _per_token(lab, mha), _per_token(lab, grouped), in_use=in_use
    )
    return _card(Fraction(mha.bytes_per_token, grouped.bytes_per_token), text, button)


def _dtype(lab: LabResult) -> Html:
    """Fewer bytes per number; the baseline is the same cache in FP16."""
    footprint = lab.footprint
    full = replace(footprint, cache_dtype=CACHE_DTYPES["fp16"], value_dtype=None)
    in_use = footprint.bytes_per_token < full.bytes_per_token
    small = footprint if in_use else replace(full, cache_dtype=CACHE_DTYPES["int8"])
    if not small.bytes_per_token:
        return data(None, words.NO_TWIN)
    together = "" if footprint.value_dtype is None else ',"v_dtype":"same"'
    button = (
        _button(words.APPLIED_AS_FP16, f'{{"cache_dtype":"fp16"{together}}}')
        if in_use
        else _button(words.APPLY, f'{{"cache_dtype":"int8"{together}}}')
    )
    label, value_dtype = small.cache_dtype.label, small.value_dtype
    if value_dtype is not None and value_dtype is not small.cache_dtype:
        label = words.two_dtypes(label, value_dtype.label)
    text = words.saved_dtype(label, _per_token(lab, full), _per_token(lab, small), in_use=in_use)
    return _card(Fraction(full.bytes_per_token, small.bytes_per_token), text, button)


def _paging(paging: PagingResult) -> Html:
    """Blocks allocated when needed; the baseline reserves room for the longest sequence."""
    contiguous, paged = paging.allocations["contiguous"], paging.allocations["paged"]
    in_use = paging.strategy == "paged"
    button = (
        _button(words.APPLIED_AS_CONTIGUOUS, '{"strategy":"contiguous"}')
        if in_use
        else _button(words.APPLY_IN_GRID, '{"strategy":"paged"}')
    )
    text = words.saved_paging(len(paging.requests), contiguous.reserved_tokens, paged.reserved_tokens, in_use=in_use)
    return _card(Fraction(contiguous.reserved_tokens, paged.reserved_tokens), text, button)


def _layers(lab: LabResult) -> Html:
    """A sliding window in five of six layers; the baseline is full attention in all, at the Lab's context."""
    footprint, shape = lab.footprint, lab.shape
    group = shape.groups[0]
    alike = shape.uniform and len(shape.groups) == 1 and shape.layers >= _LAYERS_PER_FULL
    if not isinstance(group, LayerGroup) or group.kind != "full" or not alike:
        return _with_example(lab, data(None, words.NO_TWIN), _LOCAL_MODEL)
    kept = group.layers // _LAYERS_PER_FULL
    local = LayerGroup(
        kind="sliding",
        layers=group.layers - kept,
        kv_heads=group.kv_heads,
        key_dim=group.key_dim,
        value_dim=group.value_dim,
        window=_LOCAL_WINDOW,
    )
    fewer = replace(footprint, shape=replace(shape, groups=(replace(group, layers=kept), local)))
    text = words.saved_layers(kept, shape.layers, _LOCAL_WINDOW, footprint.context)
    return _with_example(lab, _card(Fraction(footprint.cache_bytes, fewer.cache_bytes), text), _LOCAL_MODEL)


def _latent(lab: LabResult) -> Html:
    """One latent vector per layer and token; the baseline is the model as the Lab has it."""
    footprint = lab.footprint
    if not lab.shape.uniform or lab.shape.kv_heads is None:
        return _with_example(lab, data(None, words.NO_TWIN), _LATENT_MODEL)
    group = LatentGroup(layers=lab.shape.layers, kv_rank=_LATENT_RANK, rope_dim=_LATENT_ROPE)
    latent = group.bytes_per_token(footprint.cache_dtype, footprint.cache_dtype)
    size = format_bytes(latent, lab.units)
    factor = Fraction(footprint.bytes_per_token, latent)
    text = words.saved_latent(
        _LATENT_RANK + _LATENT_ROPE, lab.name, _per_token(lab, footprint), size, smaller=factor > 1
    )
    return _with_example(lab, _card(factor, text), _LATENT_MODEL)


def _card(factor: Fraction, text: str, button: Html | None = None) -> Html:
    return Html(
        f"{data(float(factor), phrases.times(format_ratio(factor)))} {el('span', text)}{f' {button}' if button else ''}"
    )


def _with_example(lab: LabResult, card: Html, name: str) -> Html:
    """A card for a technique that no control can apply: its button loads a model that uses it, unless the Lab has it already."""
    example = model(name)
    if lab.model.id == example.id:
        return Html(f"{card} {el('span', words.in_use_by(example.name))}")
    return Html(f"{card} {_button(words.load_model(example.name), f'{{"model":"{example.id}"}}')}")


def _button(text: str, sets: str) -> Html:
    return el("button", text, type="button", class_="kv-apply", data_set=sets, data_key=f"apply-{sets}")


def _per_token(lab: LabResult, footprint: Footprint) -> str:
    return format_bytes(footprint.bytes_per_token, lab.units)
