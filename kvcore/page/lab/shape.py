"""The model of the Lab and its shape: the catalog's or the reader's own, as published or as edited."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kvcore import catalog
from kvcore.page.controls import Value, Values
from kvcore.page.lab import words
from kvcore.page.lab.controls import CONFIG, HEAD_DIM, IMPORTED, KV_HEADS, LAYERS, MODEL, QUERY_HEADS, SHAPE
from kvcore.page.lab.packed import clean_name, unpack
from kvcore.shape import Shape

_USUAL_KV_HEADS = 8
"""KV heads of a GQA twin where the model itself has none: the most common number in the catalog."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabModel:
    """A model of the catalog, or one that a reader or a link brought.

    `read` is the date on which its config was read, None where it was brought. `packed` is the text that a link carries of it,
    and `linked` says that it came with one.
    """

    id: str
    name: str
    shape: Shape
    source: str
    read: str | None
    packed: str = ""
    linked: bool = False


_CATALOG_NAMES = frozenset(
    clean_name(name).casefold() for model in catalog.MODELS.values() for name in (model.name, model.id)
)


def lab_model(values: Values, *, linked: bool = False) -> LabModel:
    """The model that these values name.

    `linked` says that an imported one came with a link. A link may give any shape the name of a model of the catalog, so
    that name is then marked wherever it is shown.
    """
    if MODEL.of(values) == IMPORTED:
        packed = str(values[CONFIG.name])
        name, shape = unpack(packed)
        if linked and name.casefold() in _CATALOG_NAMES:
            name = words.named_by_link(name)
        source = words.CAME_WITH_LINK if linked else words.GIVEN
        return LabModel(id=IMPORTED, name=name, shape=shape, source=source, read=None, packed=packed, linked=linked)
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
