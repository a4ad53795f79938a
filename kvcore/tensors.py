"""The tensors of a model: each with its name, its shape and what it is for. Their sizes add up to the parameter count.

A tensor is listed as the family's own code holds it, except that a matrix which that code fuses out of several (Q, K and V in
one) may be listed as its parts. Names are those of huggingface/transformers without the path to them. Shapes are (out, in).
"""

from dataclasses import dataclass, replace
from math import prod

from kvcore.errors import Unsupported, check_int

__all__ = ["TENSOR_KINDS", "Tensor", "check_tensors"]

TENSOR_KINDS = ("embedding", "attention", "recurrent", "mlp", "expert", "router", "norm", "output", "mtp")
"""What a tensor is for; checkpoints in mixed types store these kinds differently.

"expert" are those that a router chooses among; one that every token passes is "mlp". "recurrent" are the matrices of
layers that keep a state. "output" is the output layer, where it is not the token embedding. "mtp" makes the inputs of MTP layers:
published FP8 and FP4 checkpoints keep it in 16 bits (zai-org/GLM-5.2-FP8, config.json: modules_to_not_convert).
"""

_MOST_VALUES = 2**60


@dataclass(frozen=True, slots=True)
class Tensor:
    """`count` tensors of one name and shape.

    >>> Tensor("q_proj", (8192, 8192), "attention", count=80).params
    5368709120
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    count: int = 1

    @property
    def params(self) -> int:
        """Parameters of all of them: count * product of the shape."""
        return self.count * prod(self.shape)

    def times(self, count: int) -> "Tensor":
        """The same tensors, `count` times as often: those of one layer become those of all layers."""
        return replace(self, count=self.count * count)


def check_tensors(tensors: tuple[Tensor, ...]) -> None:
    """Check the kinds and sizes of further tensors of a layer or a model.

    Raises:
        OutOfRange, Unsupported: naming the field, for a size out of range, or an unknown kind.
    """
    for tensor in tensors:
        if tensor.kind not in TENSOR_KINDS:
            raise Unsupported("tensor", tensor.kind, f"one of {', '.join(TENSOR_KINDS)}")
        for width in (*tensor.shape, tensor.count):
            check_int("tensor", width, 1, _MOST_VALUES)
