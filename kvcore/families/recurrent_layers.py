"""Layers that keep a state: their shapes and parameters, from the sizes that configs give them.

The recurrent state is kept in fp32 by every family's code (huggingface/transformers 5.24) unless its config names
another type; the convolution's inputs are kept in the type of the weights. MiniMax's lightning attention keeps its
state in the type of the weights too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype, cache_dtype
from kvcore.errors import Unsupported
from kvcore.fields import Fields
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape

__all__ = [
    "Mamba1",
    "Mamba2",
    "all_full",
    "delta_net",
    "gated_convolution",
    "kimi_delta",
    "split_layers",
    "state_dtype",
    "weight_dtype",
]

_NAMES = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


def weight_dtype(fields: Fields) -> Dtype:
    """The type of the weights, as `torch_dtype` or `dtype` say; bf16 where they are silent."""
    key = "torch_dtype" if fields.has("torch_dtype") else "dtype"
    return _dtype(fields, key, "bfloat16")


def state_dtype(fields: Fields, key: str) -> Dtype:
    """The type of the recurrent state that the config names under `key`; fp32 where it is silent."""
    return _dtype(fields, key, "float32")


def _dtype(fields: Fields, key: str, default: str) -> Dtype:
    value = fields.raw(key)
    value = default if value is None or value == "auto" else value
    name = _NAMES.get(value.removeprefix("torch.")) if isinstance(value, str) else None
    if name is None:
        raise Unsupported(fields.name(key), value, f"one of {', '.join(_NAMES)}")
    return cache_dtype(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba1:
    """Selective state spaces (arXiv 2312.00752): `inner` channels of `state` values; `norms` are Jamba's."""

    hidden: int
    inner: int
    state: int
    kernel: int
    rank: int
    conv_bias: bool
    bias: bool
    norms: bool = False

    @property
    def params(self) -> int:
        """In, convolution, x, dt and out projections, A and D."""
        convolution = self.inner * (self.kernel + self.conv_bias)
        selection = self.inner * (self.rank + 2 * self.state) + (self.rank + 1) * self.inner
        projections = 3 * self.hidden * self.inner + (2 * self.inner + self.hidden if self.bias else 0)
        norms = self.rank + 2 * self.state if self.norms else 0
        return projections + convolution + selection + self.inner * (self.state + 1) + norms

    def group(self, layers: int, dtype: Dtype, state: Dtype) -> RecurrentGroup:
        """`layers` of these: a state of inner * state values, and kernel - 1 inputs of each channel."""
        states = (
            State(role="state", parts=self.inner, values=self.state, dtype=state),
            State(role="convolution", parts=self.inner, values=self.kernel - 1, dtype=dtype),
        )
        return RecurrentGroup(name="Mamba", layers=layers, states=states, params_per_layer=self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba2:
    """State-space duality (arXiv 2405.21060): `heads` of `head_dim` * `state` values, `groups` of B and C."""

    hidden: int
    heads: int
    head_dim: int
    state: int
    groups: int
    kernel: int
    conv_bias: bool
    bias: bool
    norm: bool = True

    @property
    def params(self) -> int:
        """In projection (gate, x, B, C, dt), convolution, dt bias, A and D, norm, out projection."""
        inner, shared = self.heads * self.head_dim, 2 * self.groups * self.state
        projected = 2 * inner + shared + self.heads
        convolution = (inner + shared) * (self.kernel + self.conv_bias)
        biases = projected + self.hidden if self.bias else 0
        return self.hidden * (projected + inner) + biases + convolution + 3 * self.heads + (inner if self.norm else 0)

    def group(self, layers: int, dtype: Dtype, state: Dtype, *, beside: bool = False) -> RecurrentGroup:
        """`layers` of these: a state of heads * head_dim * state values, and kernel - 1 inputs of x, B and C."""
        past = self.kernel - 1
        states = (
            State(role="state", parts=self.heads, values=self.head_dim * self.state, dtype=state),
            State(role="convolution", parts=self.heads, values=self.head_dim * past, dtype=dtype),
            State(role="convolution", parts=self.groups, values=2 * self.state * past, dtype=dtype),
        )
        return RecurrentGroup(name="Mamba-2", layers=layers, states=states, params_per_layer=self.params, beside=beside)


def delta_net(fields: Fields, layers: int, hidden: int) -> RecurrentGroup:
    """Gated delta-net (arXiv 2412.06464) of Qwen3-Next and 3.5: a state of d_k * d_v values a value head."""
    key_heads, value_heads = fields.count("linear_num_key_heads", 16), fields.count("linear_num_value_heads", 32)
    key_dim, value_dim = fields.count("linear_key_head_dim", 128), fields.count("linear_value_head_dim", 128)
    kernel = fields.count("linear_conv_kernel_dim", 4, high=1024)
    keys, values = key_heads * key_dim, value_heads * value_dim
    dtype, state = weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype")
    states = (
        State(role="state", parts=value_heads, values=key_dim * value_dim, dtype=state),
        State(role="convolution", parts=key_heads, values=2 * key_dim * (kernel - 1), dtype=dtype),
        State(role="convolution", parts=value_heads, values=value_dim * (kernel - 1), dtype=dtype),
    )
    params = (
        hidden * (2 * keys + 2 * values + 2 * value_heads)  # q, k, v, the output gate, and two gates a head
        + (2 * keys + values) * kernel
        + 2 * value_heads
        + value_dim
        + values * hidden
    )
    return RecurrentGroup(name="gated delta-net", layers=layers, states=states, params_per_layer=params)


def kimi_delta(hidden: int, layers: int, size: tuple[int, int], kernel: int, dtype: Dtype) -> RecurrentGroup:
    """Kimi delta attention (arXiv 2510.26692): a state of d * d values a head, a convolution on Q, K and V each.

    `size` is the number of heads and d.
    """
    heads, dim = size
    wide = heads * dim
    states = (
        State(role="state", parts=heads, values=dim * dim, dtype=cache_dtype("fp32")),
        State(role="convolution", parts=heads, values=3 * dim * (kernel - 1), dtype=dtype),
    )
    params = (
        4 * hidden * wide  # q, k, v and the output
        + 3 * wide * kernel
        + 2 * (hidden * dim + dim * wide)  # the forget gate and the output gate, each through a narrow middle
        + hidden * heads
        + wide
        + heads
        + dim
    )
    return RecurrentGroup(name="Kimi delta attention", layers=layers, states=states, params_per_layer=params)


def gated_convolution(hidden: int, layers: int, kernel: int, dtype: Dtype, *, bias: bool) -> RecurrentGroup:
    """The short convolution of LFM2: three projections of the input, kernel - 1 of whose products are kept."""
    params = 4 * hidden * hidden + hidden * kernel + (5 * hidden if bias else 0)
    states = (State(role="convolution", parts=hidden, values=kernel - 1, dtype=dtype),) if kernel > 1 else ()
    return RecurrentGroup(name="short convolution", layers=layers, states=states, params_per_layer=params)


def all_full(fields: Fields, layers: int) -> list[int | None]:  # noqa: ARG001 - the caller reads layer_types
    """No layer has a window, whatever `layer_types` says: the reader splits the layers itself."""
    return [None] * layers


def split_layers(shape: Shape, attending: int, others: Sequence[RecurrentGroup]) -> Shape:
    """`shape`, whose layers all attend, with `attending` of them left as they are and the rest as `others`."""
    (group,) = shape.groups
    kept = (replace(group, layers=attending),) if attending else ()
    return replace(shape, query_heads=shape.query_heads if attending else 0, groups=(*kept, *others))
