"""llama.cpp's mixes of types: the type of each tensor when a model is quantized to "Q4_K_M" and the like.

The rule is `llama_tensor_get_type_impl` in ggml-org/llama.cpp@007dbbf, src/llama-quant.cpp, without its exceptions for
Falcon: the output layer gets more bits; so do the projections of V, the down projections of some layers, and more of the
attention of models with eight experts. Vectors, norms and routers keep 32 bits. A matrix whose rows are no multiple of
256 long falls back to a type with blocks of 32. Files made with an importance matrix may differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvcore.shape import Shape
from kvcore.tensors import Tensor
from kvcore.weights.formats import GGML

__all__ = ["MIXES", "Mix"]

_SOURCE = "ggml-org/llama.cpp@007dbbf, src/llama-quant.cpp (llama_tensor_get_type_impl)"
_FALLBACK: Mapping[str, str] = MappingProxyType({"iq4_xs": "iq4_nl", "q4_k": "q5_0", "q5_k": "q5_1", "q6_k": "q8_0"})
_KEPT_KINDS = frozenset({"norm", "router"})
_OF_V = frozenset({"v_proj", "kv_b_proj"})
_EIGHT_EXPERTS, _LAYERS_OF_70B, _GROUPED, _FIRST_LAYERS, _MATRIX = 8, 80, 4, 4, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """A mix of llama.cpp. base: the type of most matrices.

    >>> [mix.label for mix in MIXES]
    ['Q8_0', 'Q6_K', 'Q5_K_M', 'Q5_K_S', 'Q4_K_M', 'Q4_K_S', 'IQ4_XS']
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
        return _divided(self.base, "q5_k", tensor.count, layers // 8, layers)

    def _one_type(self, tensor: Tensor, shape: Shape) -> str | None:
        """The type of all tensors of this name; None if some of them get more bits."""
        name, few_experts = tensor.name, shape.experts == _EIGHT_EXPERTS
        if self.base != "q8_0" and (tensor.kind == "output" or (shape.tied and name == "embed_tokens")):
            return "q6_k"
        if few_experts and name in {"k_proj", "v_proj"}:
            return "q8_0"
        if few_experts and name == "o_proj" and self.label in {"Q4_K_M", "Q4_K_S", "IQ4_XS"}:
            return "q5_k"
        varies = name in _OF_V or (name.endswith("down_proj") and self.label not in {"Q6_K", "Q5_K_S"})
        return None if varies and self.base != "q8_0" else self.base

    def _counts_of_v(self, count: int, shape: Shape) -> dict[str, int]:
        """As `_counts`, of the projections of V, or of all heads' K and V from a latent."""
        base = "q5_k" if shape.layers == _LAYERS_OF_70B and self.base == "q4_k" else self.base
        if self.label in {"Q4_K_M", "Q5_K_M"}:
            return _divided(base, "q6_k", count, _with_more_bits(count), count)
        if self.label == "Q4_K_S":
            return _divided(base, "q5_k", count, min(count, _FIRST_LAYERS), count)
        grouped = shape.kv_heads is not None and shape.query_heads >= _GROUPED * shape.kv_heads
        return {"q5_k" if self.label == "IQ4_XS" and grouped else base: count}


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
    )
)
