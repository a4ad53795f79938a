"""Recurrent layers (Mamba, Mamba-2, delta-nets, short convolutions): their state and tensors, from a config's sizes.

The recurrent state is kept in fp32 by every family's code (huggingface/transformers 5.24) unless its config names
another type; the convolution's inputs are kept in the type of the weights. MiniMax's lightning attention keeps its
state in the type of the weights too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype, cache_dtype
from kvcore.errors import Invalid, Unsupported
from kvcore.fields import Fields
from kvcore.layers import NoCacheGroup
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape
from kvcore.tensors import Tensor

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
    """The type of the weights, as `torch_dtype` or `dtype` say; bf16 if neither is there."""
    key = "torch_dtype" if fields.has("torch_dtype") else "dtype"
    return _dtype(fields, key, "bfloat16")


def state_dtype(fields: Fields, key: str) -> Dtype:
    """The type of the recurrent state that the config names under `key`; fp32 if it is not there."""
    return _dtype(fields, key, "float32")


def _dtype(fields: Fields, key: str, default: str) -> Dtype:
    value = fields.value(key)
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

    def tensors(self) -> Iterator[Tensor]:
        """The tensors of one layer; see Mamba's own code (state-spaces/mamba, mamba_simple.py)."""
        yield Tensor("in_proj", (2 * self.inner, self.hidden), "recurrent")
        yield Tensor("conv1d", (self.inner, 1, self.kernel), "recurrent")
        yield Tensor("x_proj", (self.rank + 2 * self.state, self.inner), "recurrent")
        yield Tensor("dt_proj", (self.inner, self.rank), "recurrent")
        yield Tensor("dt_proj.bias", (self.inner,), "recurrent")
        yield Tensor("A_log", (self.inner, self.state), "recurrent")
        yield Tensor("D", (self.inner,), "recurrent")
        yield Tensor("out_proj", (self.hidden, self.inner), "recurrent")
        if self.conv_bias:
            yield Tensor("conv1d.bias", (self.inner,), "recurrent")
        if self.bias:
            yield Tensor("in_proj.bias", (2 * self.inner,), "recurrent")
            yield Tensor("out_proj.bias", (self.hidden,), "recurrent")
        if self.norms:
            yield Tensor("dt_layernorm", (self.rank,), "norm")
            yield Tensor("b_layernorm", (self.state,), "norm")
            yield Tensor("c_layernorm", (self.state,), "norm")

    def group(self, layers: int, dtype: Dtype, state: Dtype) -> RecurrentGroup:
        """`layers` of these: a state of inner * state values, and kernel - 1 inputs of each channel."""
        states = (
            State(role="state", parts=self.inner, values=self.state, dtype=state),
            State(role="convolution", parts=self.inner, values=self.kernel - 1, dtype=dtype),
        )
        return RecurrentGroup(name="Mamba", layers=layers, states=states, tensors=tuple(self.tensors()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba2:
    """State-space duality (arXiv 2405.21060): `heads` of `head_dim` * `state` values, `groups` of B and C.

    `bias` is that of both projections, or of the first alone where `out_bias` speaks of the other.
    """

    hidden: int
    heads: int
    head_dim: int
    state: int
    groups: int
    kernel: int
    conv_bias: bool
    bias: bool
    out_bias: bool | None = None
    norm: bool = True

    def tensors(self) -> Iterator[Tensor]:
        """The tensors of one layer; the in projection makes the gate, x, B, C and dt (state-spaces/mamba, mamba2.py)."""
        inner, shared = self.heads * self.head_dim, 2 * self.groups * self.state
        projected = 2 * inner + shared + self.heads
        yield Tensor("in_proj", (projected, self.hidden), "recurrent")
        yield Tensor("conv1d", (inner + shared, 1, self.kernel), "recurrent")
        yield Tensor("dt_bias", (self.heads,), "recurrent")
        yield Tensor("A_log", (self.heads,), "recurrent")
        yield Tensor("D", (self.heads,), "recurrent")
        yield Tensor("out_proj", (self.hidden, inner), "recurrent")
        if self.conv_bias:
            yield Tensor("conv1d.bias", (inner + shared,), "recurrent")
        if self.bias:
            yield Tensor("in_proj.bias", (projected,), "recurrent")
        if self.bias if self.out_bias is None else self.out_bias:
            yield Tensor("out_proj.bias", (self.hidden,), "recurrent")
        if self.norm:
            yield Tensor("norm", (inner,), "norm")

    def group(self, layers: int, dtype: Dtype, state: Dtype, *, parallel: bool = False) -> RecurrentGroup:
        """`layers` of these: a state of heads * head_dim * state values, and kernel - 1 inputs of x, B and C."""
        past = self.kernel - 1
        states = (
            State(role="state", parts=self.heads, values=self.head_dim * self.state, dtype=state),
            State(role="convolution", parts=self.heads, values=self.head_dim * past, dtype=dtype),
            State(role="convolution", parts=self.groups, values=2 * self.state * past, dtype=dtype),
        )
        return RecurrentGroup(
            name="Mamba-2", layers=layers, states=states, tensors=tuple(self.tensors()), parallel=parallel
        )


def delta_net(fields: Fields, layers: int, hidden: int) -> RecurrentGroup:
    """Gated delta-net (arXiv 2412.06464) of Qwen3-Next and 3.5: a state of d_k * d_v values a value head."""
    key_heads, value_heads = fields.integer("linear_num_key_heads", 16), fields.integer("linear_num_value_heads", 32)
    key_dim, value_dim = fields.integer("linear_key_head_dim", 128), fields.integer("linear_value_head_dim", 128)
    kernel = fields.integer("linear_conv_kernel_dim", 4, high=1024)
    if value_heads % key_heads:
        expected = f"a divisor of linear_num_value_heads, which is {value_heads}"
        raise Invalid(fields.name("linear_num_key_heads"), key_heads, expected)
    keys, values = key_heads * key_dim, value_heads * value_dim
    dtype, state = weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype")
    states = (
        State(role="state", parts=value_heads, values=key_dim * value_dim, dtype=state),
        State(role="convolution", parts=key_heads, values=2 * key_dim * (kernel - 1), dtype=dtype),
        State(role="convolution", parts=value_heads, values=value_dim * (kernel - 1), dtype=dtype),
    )
    tensors = (
        Tensor("in_proj_qkvz", (2 * keys + 2 * values, hidden), "recurrent"),  # q, k, v and the output gate
        Tensor("in_proj_ba", (2 * value_heads, hidden), "recurrent"),  # two gates a head
        Tensor("conv1d", (2 * keys + values, 1, kernel), "recurrent"),
        Tensor("dt_bias", (value_heads,), "recurrent"),
        Tensor("A_log", (value_heads,), "recurrent"),
        Tensor("norm", (value_dim,), "norm"),
        Tensor("out_proj", (hidden, values), "recurrent"),
    )
    return RecurrentGroup(name="gated delta-net", layers=layers, states=states, tensors=tensors)


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
    tensors = (
        *(Tensor(f"{name}_proj", (wide, hidden), "recurrent") for name in "qkv"),
        *(Tensor(f"{name}_conv1d", (wide, 1, kernel), "recurrent") for name in "qkv"),
        Tensor(
            "f_a_proj", (dim, hidden), "recurrent"
        ),  # the forget gate and the output gate go through a narrow middle
        Tensor("f_b_proj", (wide, dim), "recurrent"),
        Tensor("g_a_proj", (dim, hidden), "recurrent"),
        Tensor("g_b_proj", (wide, dim), "recurrent"),
        Tensor("b_proj", (heads, hidden), "recurrent"),
        Tensor("dt_bias", (wide,), "recurrent"),
        Tensor("A_log", (heads,), "recurrent"),
        Tensor("o_norm", (dim,), "norm"),
        Tensor("o_proj", (hidden, wide), "recurrent"),
    )
    return RecurrentGroup(name="Kimi delta attention", layers=layers, states=states, tensors=tensors)


def gated_convolution(
    hidden: int, layers: int, kernel: int, dtype: Dtype, *, bias: bool
) -> RecurrentGroup | NoCacheGroup:
    """The short convolution of LFM2: three projections of the input, kernel - 1 of whose products are kept."""
    tensors = [
        Tensor("in_proj", (3 * hidden, hidden), "recurrent"),
        Tensor("conv", (hidden, 1, kernel), "recurrent"),
        Tensor("out_proj", (hidden, hidden), "recurrent"),
    ]
    if bias:
        biases = (("in_proj.bias", 3 * hidden), ("conv.bias", hidden), ("out_proj.bias", hidden))
        tensors += [Tensor(name, (width,), "recurrent") for name, width in biases]
    if kernel == 1:  # nothing of the past is needed
        return NoCacheGroup(layers=layers, tensors=tuple(tensors))
    states = (State(role="convolution", parts=hidden, values=kernel - 1, dtype=dtype),)
    return RecurrentGroup(name="short convolution", layers=layers, states=states, tensors=tuple(tensors))


def all_full(fields: Fields, layers: int) -> list[int | None]:  # noqa: ARG001 - the caller reads layer_types
    """No layer has a window: for readers that read `layer_types` themselves, since theirs says which layers are recurrent."""
    return [None] * layers


def split_layers(shape: Shape, attending: int, others: Sequence[RecurrentGroup | NoCacheGroup]) -> Shape:
    """Keep `attending` of the shape's attention layers, and replace the rest by `others`."""
    (group,) = shape.groups
    kept = (replace(group, layers=attending),) if attending else ()
    return replace(shape, query_heads=shape.query_heads if attending else 0, groups=(*kept, *others))
