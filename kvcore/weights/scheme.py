"""What the settings of a quantization tool come to: the formats of matrices, and which matrices have them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kvcore.weights.formats import MatrixFormat

__all__ = ["LINEAR", "WITH_OUTPUT", "Format", "Found", "Scheme", "Settings", "of_one", "of_several"]

type Settings = Mapping[str, object]

LINEAR = frozenset({"attention", "recurrent", "mlp", "expert"})
"""The kinds of matrices that tools quantize unless they are told otherwise."""

WITH_OUTPUT = LINEAR | {"output"}

_ANY = "Linear"
"""The class of all matrices, which some tools write in place of names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """How a tool stores matrices. label: what a reader calls it.

    matrix: the format of the matrices of these `kinds`, None if they stay in 16 bits; targets: the only modules that have it,
    None for all. parts: formats of modules of their own, each with patterns of modules; they go before `matrix`.
    """

    label: str
    matrix: MatrixFormat | None
    kinds: frozenset[str] = LINEAR
    targets: tuple[str, ...] | None = None
    parts: tuple[tuple[MatrixFormat, tuple[str, ...]], ...] = ()


type Found = Scheme | None
"""None for settings that are not known."""

type Format = tuple[str, MatrixFormat]
"""What a reader calls a format, and the format."""


def of_one(found: Format | None, kinds: frozenset[str] = LINEAR) -> Found:
    """The scheme of one format for all matrices of these kinds."""
    return None if found is None else Scheme(label=found[0], matrix=found[1], kinds=kinds)


def of_several(groups: Iterable[tuple[Format | None, Iterable[str]]]) -> Found:
    """The scheme of groups of modules, each with its format and its names; the name "Linear" is every matrix not named.

    None if a format is not known, or if two formats are for every matrix.

    >>> from kvcore.weights.storage import MXFP4, NVFP4
    >>> found = of_several([(("NVFP4", NVFP4), ["self_attn"]), (("MXFP4", MXFP4), ["Linear"])])
    >>> found.label, found.matrix == MXFP4, found.parts == ((NVFP4, ("self_attn",)),)
    ('NVFP4 and MXFP4', True, True)
    """
    names: dict[Format, list[str]] = {}
    for found, targets in groups:
        if found is None:
            return None
        names.setdefault(found, []).extend(targets)
    whole = [found for found, targets in names.items() if _ANY in targets]
    if not names or len(whole) > 1:
        return None
    if len(names) == 1:
        ((label, matrix), targets) = next(iter(names.items()))
        return Scheme(label=label, matrix=matrix, targets=None if whole else tuple(targets))
    return Scheme(
        label=" and ".join(dict.fromkeys(label for label, _ in names)),
        matrix=whole[0][1] if whole else None,
        parts=tuple((found[1], tuple(targets)) for found, targets in names.items() if found not in whole),
    )
