"""The Lab's model, from the catalog or imported, and its shape, as published or as edited."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kvcore import catalog
from kvcore.assumed import assumptions
from kvcore.engines import ENGINES
from kvcore.loaded import as_loaded, can_expand
from kvcore.page.controls import Value, Values
from kvcore.page.lab import words
from kvcore.page.lab.controls import (
    CONFIG,
    ENGINE,
    HEAD_DIM,
    IMPORTED,
    KV_HEADS,
    LATENTS,
    LAYERS,
    MODEL,
    MTP,
    QUERY_HEADS,
    SHAPE,
)
from kvcore.page.lab.packed import assumed_in, clean_name, unpack
from kvcore.shape import Shape
from kvcore.weights import WeightStorage

_USUAL_KV_HEADS = 8
"""The KV heads of a GQA twin of a model that is not GQA itself: the most common number in the catalog."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabModel:
    """A model of the catalog, or an imported one.

    source: where its facts are from. weights: how its checkpoint stores them. read: the date on which its config was read; None for an imported model. packed:
    the packed config of an imported model. linked: it came with a link. assumed: the values that its config does not
    give, as `kvcore.assumed.assumptions` spells them; none for a model of the catalog, whose numbers were checked.
    """

    id: str
    name: str
    shape: Shape
    source: str
    read: str | None
    weights: WeightStorage
    packed: str = ""
    linked: bool = False
    assumed: tuple[str, ...] = ()


_CATALOG_NAMES = frozenset(
    clean_name(name).casefold() for model in catalog.MODELS.values() for name in (model.name, model.id)
)


def lab_model(values: Values, *, linked: bool = False) -> LabModel:
    """The model that these values choose.

    linked: an imported model came with a link. A link can give any shape the name of a catalog model, so such a name is
    marked wherever the page shows it.

    Raises:
        KvcoreError: if the packed config of an imported model cannot be read.
    """
    if MODEL.of(values) == IMPORTED:
        packed = str(values[CONFIG.name])
        name, shape, weights = unpack(packed)
        if linked and name.casefold() in _CATALOG_NAMES:
            name = words.named_by_link(name)
        source = words.CAME_WITH_LINK if linked else words.GIVEN
        return LabModel(
            id=IMPORTED, name=name, shape=shape, source=source, read=None, weights=weights, packed=packed, linked=linked,
            assumed=assumptions(assumed_in(packed)),
        )  # fmt: skip
    model = catalog.MODELS[MODEL.of(values)]
    return LabModel(
        id=model.id, name=model.name, shape=model.shape, source=model.source, read=model.read, weights=model.weights
    )


def own_shape(model: LabModel) -> dict[str, Value]:
    """The values of the shape controls for the model's own shape; 0 for a number that its layers do not share."""
    shape = model.shape
    return {
        "layers": shape.layers,
        "query_heads": shape.query_heads,
        "head_dim": shape.head_dim or 0,
        "attention": shape.attention,
        "kv_heads": shape.kv_heads or 0,
    }


def edited_shape(values: Values, model: LabModel) -> Shape:
    """The model's shape, edited where these values differ from it; the same object if nothing differs.

    Raises:
        KvcoreError: if the edits make a width larger than a shape may have.
    """
    own = own_shape(model)
    asked = {control.name: control.of(values) for control in (LAYERS, QUERY_HEADS, HEAD_DIM, KV_HEADS)}
    changes = {name: value for name, value in asked.items() if value != own[name]}
    if QUERY_HEADS.name in changes:
        changes[KV_HEADS.name] = asked[KV_HEADS.name]
    return model.shape.edited(**changes) if changes else model.shape


def loads_mtp(values: Values, shape: Shape) -> bool:
    """Whether MTP layers are asked for, and the model has them."""
    return MTP.of(values) == "yes" and shape.mtp is not None


def expands_latents(values: Values, shape: Shape) -> bool:
    """Whether K and V of all heads are asked for in place of latents, and the model has latents that can be expanded."""
    return LATENTS.of(values) == "expanded" and can_expand(shape)


def loaded_shape(values: Values, shape: Shape) -> Shape:
    """This shape, own or edited, as the engine loads it: with MTP layers and expanded latents where these values ask for them."""
    return as_loaded(
        shape,
        mtp=loads_mtp(values, shape),
        expanded=expands_latents(values, shape),
        padded=ENGINES[ENGINE.of(values)].pads_values,
    )


def fixed_controls(model: LabModel) -> dict[str, str]:
    """The shape controls that the reader cannot set for this model: control name -> the reason."""
    if not model.shape.uniform:
        kinds = {group.kind for group in model.shape.groups}
        alike = {"latent": words.LATENT_FIXED, "recurrent": words.STATE_FIXED}
        reason = alike.get(kinds.pop(), words.LAYERS_DIFFER) if len(kinds) == 1 else words.LAYERS_DIFFER
        return dict.fromkeys((control.name for control in SHAPE), reason)
    if any(part.layers != model.shape.layers for part in (*model.shape.groups, *model.shape.mlps)):
        return {LAYERS.name: words.LAYERS_ALTERNATE}
    return {}


def divisors(count: int) -> tuple[int, ...]:
    """The divisors of a number of query heads, in order: the numbers of KV heads that they can share.

    >>> divisors(12)
    (1, 2, 3, 4, 6, 12)
    """
    low = [heads for heads in range(1, math.isqrt(count) + 1) if count % heads == 0]
    return tuple(sorted({*low, *(count // heads for heads in low)}))


def nearest(number: int, allowed: Sequence[int]) -> int:
    """The allowed number nearest to `number`; the smaller one of two at the same distance.

    >>> nearest(6, (1, 2, 4, 8)), nearest(7, (1, 2, 4, 8))
    (4, 8)
    """
    return min(allowed, key=lambda candidate: (abs(candidate - number), candidate))


def grouped_kv_heads(query_heads: int, own: int) -> int | None:
    """The number of KV heads for GQA: the model's own if that is GQA, else the divisor nearest to 8; None if there is none.

    >>> grouped_kv_heads(64, 16), grouped_kv_heads(64, 64), grouped_kv_heads(7, 1)
    (16, 8, None)
    """
    between = [heads for heads in divisors(query_heads) if 1 < heads < query_heads]
    if own in between:
        return own
    return nearest(_USUAL_KV_HEADS, between) if between else None
