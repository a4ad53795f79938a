"""Recurrent and linear layers: a state of constant size for each sequence, whatever its context.

Mamba and its successors, gated delta-nets and their kin fold each token into a matrix, and keep the last few inputs of a
short convolution, `kernel - 1` of them, as the next output needs no more (vLLM and llama.cpp keep as many; Hugging Face's
code keeps one more).
"""

from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype
from kvcore.errors import Unsupported, check_int
from kvcore.layers import MOST_LAYERS, MOST_WIDTH

__all__ = ["RecurrentGroup", "State"]

_ROLES = ("state", "convolution")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A part of what one layer keeps of a sequence: `parts` equal pieces, such as heads, of `values` numbers each.

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
    """Layers that keep a state and cache no tokens; without `states`, layers that mix no tokens at all (MLPs alone).

    `name` is what the field calls such layers ("Mamba-2", "gated delta-net"). `params_per_layer` counts all of a layer
    but its MLP and the norms that the shape counts. `beside` says that they stand in the very layers of another group,
    as in Falcon-H1, and are not to be counted again.
    """

    name: str
    layers: int
    states: tuple[State, ...]
    params_per_layer: int = 0
    beside: bool = False

    def __post_init__(self) -> None:
        check_int("layers", self.layers, 1, MOST_LAYERS)
        check_int("params_per_layer", self.params_per_layer, 0, 2**60)

    @property
    def kind(self) -> str:
        """How these layers cache: "recurrent", or "none" where they keep nothing."""
        return "recurrent" if self.states else "none"

    @property
    def max_cached_tokens(self) -> int:
        """The cache never grows."""
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

    def stored_as(self, *, state: Dtype | None = None, convolution: Dtype | None = None) -> "RecurrentGroup":
        """The group as an engine keeps it that stores its states otherwise (llama.cpp: both in fp32)."""
        new = {"state": state, "convolution": convolution}
        return replace(self, states=tuple(replace(part, dtype=new[part.role] or part.dtype) for part in self.states))

    @property
    def state_bytes(self) -> int:
        """Bytes of state per sequence in all layers of the group."""
        return self.layers * sum(state.bytes for state in self.states)
