"""llama.cpp's mixes of types: the type of each tensor when a model is quantized to "Q4_K_M" and the like.

The rule is `llama_tensor_get_type_impl` in ggml-org/llama.cpp@007dbbf, src/llama-quant.cpp, without its exceptions for
Falcon: the output layer gets more bits; so do the projections of V, the down projections of some layers, and more of the
attention in mixes of two or three bits and in models with eight experts. Vectors, norms and routers keep 32 bits. A matrix whose rows are no multiple of
256 long falls back to a type with blocks of 32. Files made with an importance matrix may differ. Where a model's Q, K and V
are one tensor, as in Phi-3, it has a type of its own, which is not counted: such files differ by up to 4 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvcore.shape import Shape
from kvcore.tensors import Tensor
from kvcore.weights.formats import GGML

__all__ = ["MIXES", "Mix"]

_SOURCE = "ggml-org/llama.cpp@007dbbf, src/llama-quant.cpp (llama_tensor_get_type_impl)"
_FALLBACK: Mapping[str, str] = MappingProxyType(
    {"q2_k": "q4_0", "q3_k": "q4_0", "iq4_xs": "iq4_nl", "q4_k": "q5_0", "q5_k": "q5_1", "q6_k": "q8_0"}
)
_KEPT_KINDS = frozenset({"norm", "router"})
_OF_V = frozenset({"v_proj", "kv_b_proj"})
_OUTPUTS: Mapping[str, str] = MappingProxyType({"Q2_K": "q3_k", "Q3_K_M": "q4_k", "Q3_K_L": "q5_k"})
"""The type of the output projections of attention, where it is not that of most matrices."""
_DOWNS: Mapping[str, str] = MappingProxyType(
    {"Q2_K": "q3_k", "Q3_K_S": "q3_k", "Q3_K_L": "q5_k", "Q5_K_S": "q5_k", "Q6_K": "q6_k"}
)
"""The type of the down projections in mixes where all layers have the same."""
_OF_EIGHT: Mapping[str, str | None] = MappingProxyType({"k_proj": "q8_0", "v_proj": "q8_0", "o_proj": None})
"""The types in models with eight experts; None for that of most matrices."""
_MORE_OF_EIGHT = frozenset({"Q2_K", "Q3_K_S", "Q3_K_M", "Q4_K_M", "Q4_K_S", "IQ4_XS"})
"""The mixes that give the output projections of models with eight experts five bits."""
_EIGHT_EXPERTS, _LAYERS_OF_70B, _GROUPED, _FIRST_LAYERS, _MATRIX = 8, 80, 4, 4, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """A mix of llama.cpp. base: the type of most matrices.

    >>> [mix.label for mix in MIXES]
    ['Q8_0', 'Q6_K', 'Q5_K_M', 'Q5_K_S', 'Q4_K_M', 'Q4_K_S', 'IQ4_XS', 'Q3_K_L', 'Q3_K_M', 'Q3_K_S', 'Q2_K']
    """

    label: str
    base: str
    source: str = _SOURCE

    @property
    def name(self) -> str:
        """Its name as a weight type: "gguf_q4_k_m"."""
        return f"gguf_{self.label.lower()}"

    def tensor_bytes(self, tensor: Tensor, shape: Shape) -> int:
        """Return the bytes of all tensors of this name."""
        if len(tensor.shape) != _MATRIX or tensor.kind in _KEPT_KINDS or tensor.name == "embed_positions":
            return GGML["f32"].row_bytes(tensor.params)
        out, width = tensor.shape
        counts = self._counts(tensor, shape)
        return sum(count * out * GGML[_fitting(name, width)].row_bytes(width) for name, count in counts.items())

    def _counts(self, tensor: Tensor, shape: Shape) -> dict[str, int]:
        """Type -> how many of the tensors of this name are stored in it."""
        one_type = self._one_type(tensor, shape)
        if one_type is not None:
            return {one_type: tensor.count}
        if tensor.name in _OF_V:
            return self._counts_of_v(tensor.count, shape)
        layers = shape.layers if tensor.kind == "expert" else tensor.count
        if self.label in {"Q4_K_M", "Q5_K_M"}:
            return _divided(self.base, "q6_k", tensor.count, _with_more_bits(layers), layers)
        if self.label == "Q3_K_M":
            return _divided("q4_k", "q5_k", tensor.count, layers // 16, layers)
        return _divided(self.base, "q5_k", tensor.count, layers // 8, layers)

    def _one_type(self, tensor: Tensor, shape: Shape) -> str | None:
        """The type of all tensors of this name; None if some of them get more bits."""
        name = tensor.name
        if self.base == "q8_0":
            return self.base
        if tensor.kind == "output" or (shape.tied and name == "embed_tokens"):
            return "q6_k"
        if shape.experts == _EIGHT_EXPERTS and name in _OF_EIGHT:
            return "q5_k" if name == "o_proj" and self.label in _MORE_OF_EIGHT else _OF_EIGHT[name] or self.base
        if name.endswith("down_proj"):
            return _DOWNS.get(self.label)
        if name in _OF_V:
            return None
        return _OUTPUTS.get(self.label, self.base) if name == "o_proj" else self.base

    def _counts_of_v(self, count: int, shape: Shape) -> dict[str, int]:
        """As `_counts`, of the projections of V, or of all heads' K and V from a latent."""
        of_70b = shape.layers == _LAYERS_OF_70B
        base = "q5_k" if of_70b and self.base in {"q3_k", "q4_k"} else self.base
        grouped = shape.kv_heads is not None and shape.query_heads >= _GROUPED * shape.kv_heads
        if self.label in {"Q4_K_M", "Q5_K_M"}:
            return _divided(base, "q6_k", count, _with_more_bits(count), count)
        if self.label == "Q4_K_S":
            return _divided(base, "q5_k", count, min(count, _FIRST_LAYERS), count)
        if self.label == "Q3_K_M":
            return _divided("q5_k" if of_70b else "q4_k", "q5_k", count, min(count, 2), count)
        if self.label == "Q2_K":
            return {"q5_k" if of_70b else "q4_k" if grouped else "q3_k": count}
        return {"q5_k" if self.label == "Q3_K_L" or (self.label == "IQ4_XS" and grouped) else base: count}


def _fitting(name: str, width: int) -> str:
    return _FALLBACK.get(name, name) if width % GGML[name].block_values else name


def _divided(base: str, more: str, count: int, upgraded: int, layers: int) -> dict[str, int]:
    """The counts if the tensors of `upgraded` of so many layers get the type `more`; all layers have as many."""
    better = count * upgraded // layers
    return {more: count} if base == more else {base: count - better, more: better}


def _with_more_bits(layers: int) -> int:
    """The number of layers that get more bits: the first and last eighth, and every third between (`use_more_bits`)."""
    first, last = layers // 8, 7 * layers // 8
    return sum(layer < first or layer >= last or (layer - first) % 3 == 2 for layer in range(layers))


MIXES = tuple(
    Mix(label=label, base=base)
    for label, base in (
        ("Q8_0", "q8_0"),
        ("Q6_K", "q6_k"),
        ("Q5_K_M", "q5_k"),
        ("Q5_K_S", "q5_k"),
        ("Q4_K_M", "q4_k"),
        ("Q4_K_S", "q4_k"),
        ("IQ4_XS", "iq4_xs"),
        ("Q3_K_L", "q3_k"),
        ("Q3_K_M", "q3_k"),
        ("Q3_K_S", "q3_k"),
        ("Q2_K", "q2_k"),
    )
)
