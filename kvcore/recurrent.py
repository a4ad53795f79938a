"""Recurrent and linear layers: a state of constant size for each sequence, whatever its context.

Mamba and its successors, gated delta-nets and their kin fold each token into a matrix, and keep the last few inputs of a
short convolution, `kernel - 1` of them, as the next output needs no more (vLLM and llama.cpp keep as many; Hugging Face's
code keeps one more).
"""

from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype
from kvcore.errors import Invalid, Unsupported, check_int
from kvcore.layers import MOST_LAYERS, MOST_WIDTH
from kvcore.tensors import Tensor, check_tensors

__all__ = ["RecurrentGroup", "State"]

_ROLES = ("state", "convolution")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One tensor of a layer's state for a sequence: `parts` equal pieces (heads) of `values` numbers each.

    `role` is "state" (the recurrent one) or "convolution" (its last inputs). Tensor parallelism divides the parts.
    """

    role: str
    parts: int
    values: int
    dtype: Dtype

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            raise Unsupported("role", self.role, f"one of {', '.join(_ROLES)}")
        check_int("parts", self.parts, 1, MOST_WIDTH)
        check_int("values", self.values, 0, 2**40)

    @property
    def bytes(self) -> int:
        """All of the numbers: parts * values * p."""
        return self.dtype.row_bytes(self.parts * self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentGroup:
    """Layers that keep a state and cache no tokens.

    `name` is what the field calls such layers ("Mamba-2", "gated delta-net"). `tensors` are all of one layer but its MLP
    and the norms that the shape counts. `parallel`: these run beside another group in the same layers (Falcon-H1), so they
    add no layers to the count.
    """

    name: str
    layers: int
    states: tuple[State, ...]
    tensors: tuple[Tensor, ...] = ()
    parallel: bool = False

    def __post_init__(self) -> None:
        check_int("layers", self.layers, 1, MOST_LAYERS)
        if not self.states:
            raise Invalid("states", self.states, "a tuple of at least one state")
        check_tensors(self.tensors)

    @property
    def kind(self) -> str:
        """How these layers cache."""
        return "recurrent"

    @property
    def max_cached_tokens(self) -> int:
        """The most tokens a layer caches: none."""
        return 0

    def cached_tokens(self, context: int) -> int:  # noqa: ARG002 - as the docstring says
        """Tokens a layer holds: none, each is folded into the state."""
        return 0

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype) -> int:  # noqa: ARG002 - as above
        """Bytes that one more token takes: none."""
        return 0

    def flops_per_cached_token(self, query_heads: int) -> int:  # noqa: ARG002 - as above
        """Multiplications and additions of a step for each cached token: none, whatever the context."""
        return 0

    def shard(self, tp: int) -> "RecurrentGroup":
        """The group as the fullest of `tp` GPUs holds it: ceil(parts / tp) of each state's parts, one at least (vLLM)."""
        return replace(self, states=tuple(replace(state, parts=-(-state.parts // tp)) for state in self.states))

    @property
    def state_bytes(self) -> int:
        """Bytes of state per sequence in all layers of the group."""
        return self.layers * sum(state.bytes for state in self.states)
