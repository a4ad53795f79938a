"""A model as an engine loads it when it is asked to: with its MTP layers, or with K and V of all heads in place of latents."""

from dataclasses import replace

from kvcore.errors import Unsupported
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.mlp import Mlp
from kvcore.shape import Shape

__all__ = ["as_loaded", "can_expand", "with_expanded_latents", "with_mtp"]


def as_loaded(shape: Shape, *, mtp: bool = False, expanded: bool = False, padded: bool = False) -> Shape:
    """Return the shape with what is asked for: its MTP layers, and K and V of all heads in place of latents.

    Raises:
        Unsupported: as `with_mtp` and `with_expanded_latents` do.
    """
    shape = with_mtp(shape) if mtp else shape
    return with_expanded_latents(shape, padded=padded) if expanded else shape


def with_mtp(shape: Shape) -> Shape:
    """Return a shape with its MTP layers among its layers, as an engine loads it that drafts with them.

    Raises:
        Unsupported: when no MTP layers are published with it.

    >>> from kvcore.catalog import model
    >>> shape = model("deepseek-v3").shape
    >>> with_mtp(shape).layers, with_mtp(shape).params - shape.params
    (62, 11610068224)
    """
    if shape.mtp is None:
        raise Unsupported("mtp", True, "an option of this model: no MTP layers of it are known")
    return replace(
        shape,
        groups=_joined(shape.groups, shape.mtp.groups),
        mlps=_joined(shape.mlps, shape.mtp.mlps),
        other_tensors=(*shape.other_tensors, *shape.mtp.tensors(shape.hidden_size)),
        mtp=None,
    )


def _joined[T: (Group, Mlp)](parts: tuple[T, ...], more: tuple[T, ...]) -> tuple[T, ...]:
    """Add groups, or MLPs, to others: to one that differs from it in the number of layers alone, if there is one."""
    found = list(parts)
    for one in more:
        for index, part in enumerate(found):
            if replace(part, layers=one.layers) == one:
                found[index] = replace(part, layers=part.layers + one.layers)
                break
        else:
            found.append(one)
    return tuple(found)


def can_expand(shape: Shape) -> bool:
    """Whether the K and V of all heads can be cached in place of latents: there are latents, and none with an indexer.

    >>> from kvcore.catalog import model
    >>> [can_expand(model(name).shape) for name in ("deepseek-v3", "deepseek-v3.2", "llama-3-70b")]
    [True, False, False]
    """
    latents = [group for group in shape.groups if isinstance(group, LatentGroup)]
    return bool(latents) and all(group.nope_dim and group.value_dim and not group.index_dim for group in latents)


def with_expanded_latents(shape: Shape, *, padded: bool = False) -> Shape:
    """Return a shape with the K and V of all heads cached in place of latents, as by engines that cannot compute with latents.

    padded: V is as wide as K, as vLLM has it.

    Raises:
        Unsupported: when no layer caches a latent, and as `LatentGroup.expanded` does.

    >>> from kvcore.catalog import model
    >>> from kvcore.dtypes import cache_dtype
    >>> with_expanded_latents(model("deepseek-v3").shape).bytes_per_token(cache_dtype("fp16"))
    4997120
    """
    if not any(isinstance(group, LatentGroup) for group in shape.groups):
        raise Unsupported("latents", "expanded", "an option of this model: no layer of it caches a latent")
    return replace(
        shape,
        groups=tuple(
            group.expanded(shape.query_heads, padded=padded) if isinstance(group, LatentGroup) else group
            for group in shape.groups
        ),
    )
