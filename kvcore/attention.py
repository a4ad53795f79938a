"""A tiny real attention, with and without a cache: the same numbers out, counted work.

One reply of n tokens is written by a stack of attention layers over vectors of width d. With a cache, a step makes
the query, key and value of the newest token only and reads the kept keys and values. Without one, a step makes them
again for every token so far, and attends again at every position, because the keys of the next layer are made from
what the layer below answered there:

                      with a cache            without
    vectors made      O(1) a step, O(n) all   O(n) a step, O(n^2) all
    scores computed   O(n) a step, O(n^2) all O(n^2) a step, O(n^3) all

Causal attention is why the kept ones stay right: what stands at a position depends on earlier positions only
(Vaswani et al. 2017, arXiv 1706.03762, section 3.2.3).
"""

import math
from dataclasses import dataclass, field

from kvcore.errors import Invalid, check_int

__all__ = ["Layer", "Work", "attend", "reply"]

type Vector = tuple[float, ...]


@dataclass(slots=True)
class Work:
    """What has been computed: vectors made by projections (queries, keys and values), and attention scores."""

    projections: int = 0
    scores: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One attention layer: three square matrices, by their rows, that make a query, a key and a value of a vector."""

    query: tuple[Vector, ...]
    key: tuple[Vector, ...]
    value: tuple[Vector, ...]

    def project(self, matrix: tuple[Vector, ...], vector: Vector, work: Work) -> Vector:
        """A matrix times a vector, counted."""
        work.projections += 1
        return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


@dataclass(slots=True)
class _Cache:
    keys: list[Vector] = field(default_factory=list)
    values: list[Vector] = field(default_factory=list)


def attend(query: Vector, keys: list[Vector], values: list[Vector], work: Work) -> Vector:
    """softmax(q . k_i / sqrt(d)) over all the keys, times their values; Invalid when there is nothing to attend to."""
    if not keys or len(keys) != len(values):
        raise Invalid("keys", len(keys), f"at least one, and as many as the {len(values)} values")
    work.scores += len(keys)
    scale = 1 / math.sqrt(len(query))
    scores = [scale * sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    total = sum(weights)
    return tuple(
        sum(weight * value[index] for weight, value in zip(weights, values, strict=True)) / total
        for index in range(len(values[0]))
    )


def reply(layers: tuple[Layer, ...], start: Vector, count: int, *, cached: bool) -> tuple[list[Vector], Work]:
    """Write `count` tokens after `start`, each the answer of the last layer at the newest position, fed back in.

    Answers the vectors and the work; with and without a cache the vectors are the same.
    """
    check_int("count", count, 1, 4096)
    work = Work()
    tokens = [start]
    caches = [_Cache() for _ in layers]
    for _ in range(count):
        tokens.append(_cached_step(layers, caches, tokens[-1], work) if cached else _full_step(layers, tokens, work))
    return tokens[1:], work


def _cached_step(layers: tuple[Layer, ...], caches: list[_Cache], newest: Vector, work: Work) -> Vector:
    vector = newest
    for layer, cache in zip(layers, caches, strict=True):
        cache.keys.append(layer.project(layer.key, vector, work))
        cache.values.append(layer.project(layer.value, vector, work))
        vector = attend(layer.project(layer.query, vector, work), cache.keys, cache.values, work)
    return vector


def _full_step(layers: tuple[Layer, ...], tokens: list[Vector], work: Work) -> Vector:
    vectors = list(tokens)
    for layer in layers:
        queries = [layer.project(layer.query, vector, work) for vector in vectors]
        keys = [layer.project(layer.key, vector, work) for vector in vectors]
        values = [layer.project(layer.value, vector, work) for vector in vectors]
        vectors = [attend(queries[i], keys[: i + 1], values[: i + 1], work) for i in range(len(vectors))]
    return vectors[-1]
