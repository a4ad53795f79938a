"""Which modules of a checkpoint a pattern means: the patterns that quantization tools write into config.json.

Tools name modules in four ways: by a full path ("model.layers.0.self_attn.q_proj"), by a part of it ("lm_head",
"self_attn"), with stars ("model.layers.*.self_attn"), or by a regular expression after "re:". Patterns are text from strangers,
so a regular expression is only run if it cannot take long: without nested repetition, and with few stars.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from fractions import Fraction
from functools import lru_cache

from kvcore.shape import Shape
from kvcore.tensors import Tensor

__all__ = ["Modules", "named_modules"]

_LONGEST, _MOST_STARS = 300, 4
_SAFE = re.compile(r"(?:[\w^$()|:?!=<-]|\\[.dw]|\[[\w.-]*\]|\.[*+]?|\\d\+|\[0-9\]\+)*")
_LAYERED = re.compile(r"(?:^|.*\.)(?:layers|blocks|h)\.(\d+)(?:\.(.*))?")
_PREFIX = re.compile(r"^.*?(?:layers|blocks|h)\.(?=[\d*\[])")
_PREFIXES = ("model.layers.", "model.language_model.layers.", "backbone.layers.")
_INSIDE = {
    "attention": ("self_attn.{leaf}", "attention.{leaf}", "mixer.{leaf}"),
    "recurrent": ("linear_attn.{leaf}", "mamba.{leaf}", "mixer.{leaf}"),
    "router": ("mlp.gate", "mixer.gate"),
    "expert": ("mlp.experts.0.{leaf}", "block_sparse_moe.experts.0.{leaf}", "mixer.experts.0.{leaf}"),
    "mlp": ("mlp.{leaf}", "feed_forward.{leaf}", "mixer.{leaf}"),
    "shared": (
        "mlp.shared_experts.{leaf}",
        "mlp.shared_expert.{leaf}",
        "block_sparse_moe.shared_experts.{leaf}",
        "mixer.shared_experts.{leaf}",
    ),
}
_BESIDE = {"expert": ("experts.0.{leaf}",), "shared": ("mlp.{leaf}",)}
"""The modules of layers whose experts stand beside an MLP, in place of a shared expert: Gemma 4 (huggingface/transformers,
models/gemma4/modeling_gemma4.py). Its routers alone have a scale for each expert."""
_LEAVES = {
    "q_proj.gate": ("q_proj",),
    "in_proj_qkvz": ("in_proj_qkvz", "in_proj_qkv", "in_proj_z"),
    "in_proj_ba": ("in_proj_ba", "in_proj_b", "in_proj_a"),
    "experts.gate_proj": ("gate_proj", "w1"),
    "experts.down_proj": ("down_proj", "w2"),
    "experts.up_proj": ("up_proj", "w3"),
}
"""Other names of a matrix in checkpoints: Qwen3.5 splits the projections of Qwen3-Next, and Mixtral and MiniMax number an
expert's matrices. A pattern for a part of a matrix is taken for the whole."""
_OUTSIDE = {"embedding": ("model.embed_tokens",), "output": ("lm_head",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
    """Modules by their names.

    everywhere: patterns that name no layer. numbered: those that do, with stars or as regular expressions. by_layer: parts
    of a layer's path, and the layers.
    """

    everywhere: tuple[re.Pattern[str], ...] = ()
    numbered: tuple[re.Pattern[str], ...] = ()
    by_layer: tuple[tuple[str, frozenset[int]], ...] = ()

    def share(self, tensor: Tensor, shape: Shape) -> Fraction:
        """Return the share of the tensors of this name that are in these modules.

        A pattern that names layers is tried on each of them. Where only some layers have the tensor, those that are named are
        taken to be among them, as tools name modules that there are.
        """
        if tensor.kind in _OUTSIDE:
            return Fraction(any(_is_meant(self, path) for path in _OUTSIDE[tensor.kind]))
        return _share(self, _paths(tensor, shape), shape.layers, _layers_with(tensor, shape))


def _paths(tensor: Tensor, shape: Shape) -> tuple[str, ...]:
    """The paths of a tensor in its layer, by the names that checkpoints have for it."""
    kind = "shared" if tensor.kind == "mlp" and tensor.name.startswith("shared_expert") else tensor.kind
    beside = kind in _BESIDE and any(one.name == "router.per_expert_scale" for one in shape.tensors)
    paths = _BESIDE[kind] if beside else _INSIDE.get(kind, ())
    leaves = _LEAVES.get(tensor.name, (tensor.name.rsplit(".", 1)[-1],))
    return tuple(path.format(leaf=leaf) for path in paths for leaf in leaves)


def _layers_with(tensor: Tensor, shape: Shape) -> int:
    """The number of layers that have a tensor of this name."""
    count = sum(one.count for one in shape.tensors if (one.name, one.kind) == (tensor.name, tensor.kind))
    return min(shape.layers, max(1, count // max(1, shape.experts) if tensor.kind == "expert" else count))


@lru_cache(maxsize=1024)
def _share(modules: Modules, inside: tuple[str, ...], layers: int, having: int) -> Fraction:
    if any(_is_meant(modules, f"{prefix}0.{path}") for prefix in _PREFIXES for path in inside):
        return Fraction(1)
    named = {
        layer for part, found in modules.by_layer for layer in found if any(_within(part, path) for path in inside)
    }
    if modules.numbered:
        named |= {
            layer
            for layer in range(layers)
            for prefix in _PREFIXES
            if any(pattern.search(f"{prefix}{layer}.{path}") for path in inside for pattern in modules.numbered)
        }
    return min(Fraction(1), Fraction(len([layer for layer in named if layer < layers]), having))


def _is_meant(modules: Modules, path: str) -> bool:
    return any(pattern.search(path) for pattern in modules.everywhere)


def _within(part: str, path: str) -> bool:
    """Whether these are the first or the last names of the path, or all of them; every layer's path begins with ""."""
    return not part or path == part or path.startswith(f"{part}.") or path.endswith(f".{part}")


def named_modules(patterns: Iterable[str]) -> tuple[Modules, list[str]]:
    """Read patterns of modules; also return those that are not read, as they could take long.

    >>> modules, unread = named_modules(["lm_head", "re:.*self_attn.*", "model.layers.0.mlp.gate", "re:(a+)+b"])
    >>> len(modules.everywhere), modules.by_layer, unread
    (2, (('mlp.gate', frozenset({0})),), ['re:(a+)+b'])
    """
    everywhere: list[re.Pattern[str]] = []
    numbered: list[re.Pattern[str]] = []
    by_layer: dict[str, set[int]] = {}
    unread: list[str] = []
    for pattern in dict.fromkeys(patterns):
        layer = _LAYERED.fullmatch(pattern) if "*" not in pattern and not pattern.startswith("re:") else None
        if layer is not None:
            by_layer.setdefault(layer[2] or "", set()).add(int(layer[1]))
            continue
        found = _compiled(pattern)
        if found is None:
            unread.append(pattern)
        else:
            (numbered if re.search(r"layers\W*[\[(\d]|\\d", pattern) else everywhere).append(found)
    layers = tuple((part, frozenset(found)) for part, found in by_layer.items())
    return Modules(everywhere=tuple(everywhere), numbered=tuple(numbered), by_layer=layers), unread


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
        short = _PREFIX.sub("layers.", pattern)
        return re.compile(f"(?:^|\\.){translate(short)[:-2]}(?:\\.|$)")
    return re.compile(f"(?:^|\\.){re.escape(pattern)}(?:\\.|$)")
