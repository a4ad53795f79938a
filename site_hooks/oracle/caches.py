"""What transformers' model keeps after it has read some tokens, made comparable with what engines keep.

* Window: transformers keeps the W - 1 tokens before the next one; kvcore counts W, as engines store the next one too.
* Latent attention: transformers keeps every head's K and V; engines keep what the layer's own `kv_a_proj_with_mqa` gives.
* Convolution: transformers keeps the last K inputs; engines K - 1, as the next one is not there yet.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["CONTEXTS", "Kept", "OtherCacheError", "kept"]

CONTEXTS = (5, 40)
"""Tokens: fewer than the window of the small configs, and more."""

_LAYER = re.compile(r"layers\.(\d+)\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Values of K and V (or latents), and of indexers' keys, after each of `CONTEXTS`; bytes of state, which do not grow."""

    cache: tuple[int, ...]
    index: tuple[int, ...]
    state_bytes: int


class OtherCacheError(Exception):
    """A layer of a cache holds tokens in a way that this module does not know."""


def kept(model: Any) -> Kept:
    """Run the model on the longest of `CONTEXTS` and measure its cache.

    Each layer must hold all tokens, or those of its window; so it is known what it held after fewer.
    """
    read = max(CONTEXTS)
    answer = model(input_ids=torch.arange(read).remainder(90).add(3).reshape(1, read), use_cache=True)
    caches = (getattr(answer, name, None) for name in ("past_key_values", "cache_params", "cache"))
    cache = next(found for found in caches if found is not None)
    rows = _latent_rows(model)
    values, index = [0] * len(CONTEXTS), [0] * len(CONTEXTS)
    for number, layer in enumerate(cache.layers):
        for place, context in enumerate(CONTEXTS):
            values[place] += _tokens(layer, read, context) * rows.get(number, _row(layer))
            index[place] += sum(
                keys.numel() // read * context for keys in _tensors(getattr(layer, "indexer_keys", None))
            )
    return Kept(cache=tuple(values), index=tuple(index), state_bytes=_state_bytes(cache))


def _latent_rows(model: Any) -> dict[int, int]:
    """Layer -> values that one token's latent and rotary key take, for layers of latent attention."""
    rows = {}
    for name, module in model.named_modules():
        if name.endswith("kv_a_proj_with_mqa"):
            found = _LAYER.search(name)
            if found:
                rows[int(found[1])] = module.out_features
    return rows


def _tokens(layer: Any, read: int, context: int) -> int:
    """The tokens that a layer of a cache holds after `context`; `read` is what it has been given."""
    keys = getattr(layer, "keys", None)
    if not isinstance(keys, torch.Tensor) or not keys.numel():
        return 0
    window = layer.sliding_window if getattr(layer, "is_sliding", False) else None
    expected = read if window is None or window == 1 else min(read, window - 1)  # a slice of the last 0 tokens is all
    if keys.shape[-2] != expected:
        raise OtherCacheError(type(layer).__name__)
    return context if window is None else min(context, window)


def _row(layer: Any) -> int:
    """The values of one token's K and V in a layer that attends, 0 in any other."""
    keys = getattr(layer, "keys", None)
    if not isinstance(keys, torch.Tensor) or not keys.numel():
        return 0
    return sum(int(part.shape[-3] * part.shape[-1]) for part in (keys, layer.values))


def _state_bytes(cache: Any) -> int:
    state = 0
    for layer in cache.layers:
        for inputs in _tensors(getattr(layer, "conv_states", None)):
            state += inputs.numel() // inputs.shape[-1] * (inputs.shape[-1] - 1) * inputs.element_size()
        for matrix in _tensors(getattr(layer, "recurrent_states", None)):
            state += matrix.numel() * matrix.element_size()
    for matrix in _tensors(getattr(cache, "linear_cache", None)):  # MiniMax's lightning attention
        state += matrix.numel() * matrix.element_size()
    return state


def _tensors(found: Any) -> Iterator[Any]:
    if isinstance(found, torch.Tensor):
        yield found
    elif isinstance(found, dict):
        yield from _tensors(list(found.values()))
    elif isinstance(found, list | tuple):
        for part in found:
            yield from _tensors(part)
