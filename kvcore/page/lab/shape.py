"""The model of the Lab and its shape: the catalog's or the reader's own, as published or as edited."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kvcore import catalog
from kvcore.page.controls import Value, Values
from kvcore.page.lab import words
from kvcore.page.lab.controls import HEAD_DIM, IMPORTED, KV_HEADS, LAYERS, MODEL, QUERY_HEADS, SHAPE, SPEC
from kvcore.shape import Shape
from kvcore.spec import read_spec

_USUAL_KV_HEADS = 8
"""KV heads of a GQA twin where the model itself has none: the most common number in the catalog."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabModel:
    """A model of the catalog, or one that a reader brought; `read` is the date its config was read, None for the reader's."""

    id: str
    name: str
    shape: Shape
    source: str
    read: str | None


def lab_model(values: Values) -> LabModel:
    """The model that these values name."""
    if MODEL.of(values) == IMPORTED:
        name, shape = read_spec(str(values[SPEC.name]))
        return LabModel(id=IMPORTED, name=name, shape=shape, source=words.BROUGHT, read=None)
    model = catalog.MODELS[MODEL.of(values)]
    return LabModel(id=model.id, name=model.name, shape=model.shape, source=model.source, read=model.read)


def own_shape(model: LabModel) -> dict[str, Value]:
    """The shape controls as the model itself has them."""
    shape = model.shape
    return {
        "layers": shape.layers,
        "query_heads": shape.query_heads,
        "head_dim": shape.head_dim or 0,
        "attention": shape.attention,
        "kv_heads": shape.kv_heads or 0,
    }


def edited_shape(values: Values, model: LabModel) -> Shape:
    """The model's shape with what these values change of it; the very same where they change nothing.

    Raises:
        KvcoreError: where a width would grow past what a shape may have.
    """
    own = own_shape(model)
    asked = {control.name: control.of(values) for control in (LAYERS, QUERY_HEADS, HEAD_DIM, KV_HEADS)}
    changes = {name: value for name, value in asked.items() if value != own[name]}
    if QUERY_HEADS.name in changes:
        changes[KV_HEADS.name] = asked[KV_HEADS.name]
    return model.shape.edited(**changes) if changes else model.shape


def fixed_controls(model: LabModel) -> dict[str, str]:
    """The shape controls that cannot be moved for a model, each with the reason."""
    if not model.shape.uniform:
        kinds = {group.kind for group in model.shape.groups}
        reason = words.LATENT_FIXED if kinds == {"latent"} else words.LAYERS_DIFFER
        return dict.fromkeys((control.name for control in SHAPE), reason)
    if any(part.layers != model.shape.layers for part in (*model.shape.groups, *model.shape.mlps)):
        return {LAYERS.name: words.LAYERS_ALTERNATE}
    return {}


def divisors(count: int) -> tuple[int, ...]:
    """The numbers of KV heads that `count` query heads can share."""
    low = [heads for heads in range(1, math.isqrt(count) + 1) if count % heads == 0]
    return tuple(sorted({*low, *(count // heads for heads in low)}))


def nearest(number: int, allowed: Sequence[int]) -> int:
    """The allowed number nearest to `number`, the smaller of two as near."""
    return min(allowed, key=lambda candidate: (abs(candidate - number), candidate))


def grouped_kv_heads(query_heads: int, own: int) -> int | None:
    """KV heads of a GQA twin: the model's own where they group, else the divisor nearest to eight; None where none can."""
    between = [heads for heads in divisors(query_heads) if 1 < heads < query_heads]
    if own in between:
        return own
    return nearest(_USUAL_KV_HEADS, between) if between else None
