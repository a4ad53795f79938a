"""Which modules of a checkpoint stay as they were: the patterns that quantization tools write into config.json.

Tools name modules in four ways: by a full path ("model.layers.0.self_attn.q_proj"), by a part of it ("lm_head",
"self_attn"), with stars ("model.layers.*.self_attn"), or by a regular expression after "re:". Patterns are text from strangers,
so a regular expression is only run if it cannot take long: without nested repetition, and with few stars.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from fractions import Fraction

from kvcore.shape import Shape
from kvcore.tensors import Tensor

__all__ = ["Kept", "kept_modules"]

_LONGEST, _MOST_STARS = 300, 4
_SAFE = re.compile(r"(?:[\w^$()|:?!=<-]|\\[.dw]|\[[\w.-]*\]|\.[*+]?|\\d\+|\[0-9\]\+)*")
_NAMES = {
    "embedding": ("model.embed_tokens",),
    "output": ("lm_head",),
    "attention": ("model.layers.{layer}.self_attn.{leaf}", "model.layers.{layer}.attention.{leaf}"),
    "recurrent": (
        "model.layers.{layer}.linear_attn.{leaf}",
        "model.layers.{layer}.mamba.{leaf}",
        "model.layers.{layer}.mixer.{leaf}",
    ),
    "router": ("model.layers.{layer}.mlp.gate",),
    "expert": ("model.layers.{layer}.mlp.experts.0.{leaf}", "model.layers.{layer}.block_sparse_moe.experts.0.{leaf}"),
    "mlp": ("model.layers.{layer}.mlp.{leaf}",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Modules that are not quantized. everywhere: patterns that name no layer. by_layer: parts of a path -> the layers."""

    everywhere: tuple[re.Pattern[str], ...] = ()
    by_layer: tuple[tuple[str, frozenset[int]], ...] = ()

    def share(self, tensor: Tensor, shape: Shape) -> Fraction:
        """Return the share of the tensors of this name that is not quantized.

        Where a checkpoint names layers one by one, the share is that of the model's layers.
        """
        for path in _paths(tensor):
            example = path.format(layer=0, leaf=tensor.name.rsplit(".", 1)[-1])
            if any(pattern.search(example) for pattern in self.everywhere):
                return Fraction(1)
            inside = example.removeprefix("model.layers.0.")
            layers = frozenset().union(*(found for part, found in self.by_layer if _within(part, inside)))
            if layers:
                return min(Fraction(1), Fraction(len(layers), shape.layers))
        return Fraction(0)


def _within(part: str, path: str) -> bool:
    """Whether these are the first or the last names of the path, or all of them; every layer's path begins with ""."""
    return not part or path == part or path.startswith(f"{part}.") or path.endswith(f".{part}")


def _paths(tensor: Tensor) -> Iterable[str]:
    """The names that the tensor's module may have in a checkpoint."""
    if tensor.kind == "mlp" and tensor.name.startswith("shared_expert"):
        return tuple(f"model.layers.{{layer}}.mlp.{name}.{{leaf}}" for name in ("shared_experts", "shared_expert"))
    return _NAMES.get(tensor.kind, ())


_LAYER = re.compile(r"(?:^|.*\.)(?:layers|blocks|h)\.(\d+)(?:\.(.*))?")


def kept_modules(patterns: Iterable[str]) -> tuple[Kept, list[str]]:
    """Read the patterns of modules that stay in 16 bits; also return those that are not read, as they could take long.

    >>> kept, unread = kept_modules(["lm_head", "re:.*self_attn.*", "model.layers.0.mlp.gate", "re:(a+)+b"])
    >>> len(kept.everywhere), kept.by_layer, unread
    (2, (('mlp.gate', frozenset({0})),), ['re:(a+)+b'])
    """
    everywhere: list[re.Pattern[str]] = []
    by_layer: dict[str, set[int]] = {}
    unread: list[str] = []
    for pattern in dict.fromkeys(patterns):
        layer = _LAYER.fullmatch(pattern)
        if layer is not None and not pattern.startswith("re:"):
            by_layer.setdefault(layer[2] or "", set()).add(int(layer[1]))
            continue
        found = _compiled(pattern)
        if found is None:
            unread.append(pattern)
        else:
            everywhere.append(found)
    layers = tuple((part, frozenset(found)) for part, found in by_layer.items())
    return Kept(everywhere=tuple(everywhere), by_layer=layers), unread


def _compiled(pattern: str) -> re.Pattern[str] | None:
    """The pattern as a regular expression for the path of a module; None if it cannot be read safely."""
    expression = pattern.removeprefix("re:")
    if len(pattern) > _LONGEST or expression.count("*") + expression.count("+") > _MOST_STARS:
        return None
    if pattern.startswith("re:"):
        if not _SAFE.fullmatch(expression) or re.search(r"\)[*+?{]", expression):
            return None
        try:
            return re.compile(f"^(?:{expression})")
        except re.error:
            return None
    if "*" in pattern:
        return re.compile(f"(?:^|\\.){translate(pattern)[:-2]}(?:\\.|$)")
    return re.compile(f"(?:^|\\.){re.escape(pattern)}(?:\\.|$)")
