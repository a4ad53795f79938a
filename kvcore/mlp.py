"""The parameters of MLPs, dense or behind a router: half of most models, and nothing to their cache."""

from dataclasses import dataclass

from kvcore.errors import Invalid, check_int
from kvcore.layers import MOST_LAYERS, MOST_WIDTH

__all__ = ["Mlp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mlp:
    """The MLPs of `layers` layers, all alike: one dense MLP, or `experts` of them behind a router.

    `gated` MLPs hold three matrices (gate, up, down), plain ones two. `shared_size` is the width of the expert that
    every token passes, beside the routed ones (0 where there is none), `shared_gate` says that it has a gate of its own.
    `router_bias` is a number for each expert. `latent_size` is the width the routed experts work in where it is not the
    hidden size: a projection leads into it and one out of it (Nemotron 3).
    """

    layers: int
    intermediate_size: int
    gated: bool
    bias: bool = False
    experts: int = 0
    shared_size: int = 0
    shared_gate: bool = False
    router_bias: bool = False
    latent_size: int = 0

    def __post_init__(self) -> None:
        check_int("layers", self.layers, 1, MOST_LAYERS)
        check_int("intermediate_size", self.intermediate_size, 1, MOST_WIDTH)
        check_int("experts", self.experts, 0, MOST_WIDTH)
        check_int("shared_size", self.shared_size, 0, MOST_WIDTH)
        check_int("latent_size", self.latent_size, 0, MOST_WIDTH)
        if self.shared_size and not self.experts:
            raise Invalid("shared_size", self.shared_size, "0, as there are no experts beside a shared one")

    def params(self, hidden_size: int) -> int:
        """Parameters of all these layers' MLPs: layers * (experts * MLP + shared MLP + router)."""
        if not self.experts:
            return self.layers * self._one(hidden_size, self.intermediate_size)
        routed = self.experts * self._one(self.latent_size or hidden_size, self.intermediate_size)
        router = self.experts * (hidden_size + (1 if self.router_bias else 0))
        shared = self._one(hidden_size, self.shared_size) if self.shared_size else 0
        gate = hidden_size if self.shared_gate else 0
        return self.layers * (routed + router + shared + gate + 2 * self.latent_size * hidden_size)

    def _one(self, hidden_size: int, width: int) -> int:
        inputs = 2 if self.gated else 1
        biases = inputs * width + hidden_size if self.bias else 0
        return (inputs + 1) * hidden_size * width + biases
