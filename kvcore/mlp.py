"""MLPs, dense or behind a router: most of a model's parameters, and nothing of its cache."""

from collections.abc import Iterator
from dataclasses import dataclass

from kvcore.errors import Invalid, check_int
from kvcore.layers import MOST_LAYERS, MOST_WIDTH
from kvcore.tensors import Tensor

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

    def tensors(self, hidden_size: int) -> Iterator[Tensor]:
        """The matrices of all these layers, their biases, the routers and the gates of shared experts.

        >>> dense = Mlp(layers=80, intermediate_size=28672, gated=True)
        >>> [(tensor.name, tensor.shape, tensor.count) for tensor in dense.tensors(8192)]
        [('gate_proj', (28672, 8192), 80), ('up_proj', (28672, 8192), 80), ('down_proj', (8192, 28672), 80)]
        """
        if not self.experts:
            yield from self._matrices("", hidden_size, self.intermediate_size, "mlp", self.layers)
            return
        inside = self.latent_size or hidden_size
        yield from self._matrices("experts.", inside, self.intermediate_size, "expert", self.layers * self.experts)
        yield Tensor("router", (self.experts, hidden_size), "router", self.layers)
        if self.router_bias:
            yield Tensor("router.bias", (self.experts,), "router", self.layers)
        if self.shared_size:
            yield from self._matrices("shared_expert.", hidden_size, self.shared_size, "mlp", self.layers)
        if self.shared_gate:
            yield Tensor("shared_expert_gate", (1, hidden_size), "router", self.layers)
        if self.latent_size:
            yield Tensor("latent_in_proj", (self.latent_size, hidden_size), "mlp", self.layers)
            yield Tensor("latent_out_proj", (hidden_size, self.latent_size), "mlp", self.layers)

    def _matrices(self, prefix: str, hidden_size: int, width: int, kind: str, count: int) -> Iterator[Tensor]:
        """One MLP: gate and up, or up alone, and down."""
        for name in ("gate_proj", "up_proj") if self.gated else ("up_proj",):
            yield Tensor(f"{prefix}{name}", (width, hidden_size), kind, count)
            if self.bias:
                yield Tensor(f"{prefix}{name}.bias", (width,), kind, count)
        yield Tensor(f"{prefix}down_proj", (hidden_size, width), kind, count)
        if self.bias:
            yield Tensor(f"{prefix}down_proj.bias", (hidden_size,), kind, count)
