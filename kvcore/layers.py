"""What one token leaves in the cache of a group of layers that attend alike.

A model's cache is a sum over such groups. The textbook formula 2 * L * n_kv * d_h * p is the case of one group of full
attention: 2 for K and V, L layers, n_kv KV heads, d_h values a head, p bytes a value. Layers that keep one latent
vector instead are in latent.py, layers that keep a state of constant size in recurrent.py.
"""

from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype
from kvcore.errors import Invalid, Unsupported, check_int

__all__ = ["KINDS", "MOST_LAYERS", "MOST_TOKENS", "MOST_WIDTH", "LayerGroup"]

KINDS = ("full", "sliding", "chunked", "shared")
MOST_LAYERS = 4096
MOST_WIDTH = 2**24
MOST_TOKENS = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerGroup:
    """Layers with K and V heads that cache alike.

    `layers` (L), `kv_heads` (n_kv), `key_dim` and `value_dim` (values a head, K and V). The `kind` says how many tokens
    a layer keeps: "full" all of them; "sliding" the newest `window`, the current one included; "chunked" attends within
    chunks of `window` tokens and is counted as min(context, window), its most, as engines reserve for it (at the start
    of a chunk it needs less); "shared" none, as it reads the cache of another layer.

    `query_heads` is set where they are not the model's own, `extra_params` counts the parameters of one layer beside
    the projections of Q, K, V and the output (gates, or a V that has no projection: then it is negative).

    Raises:
        Invalid, Unsupported: naming the field, when made of anything else.
    """

    kind: str = "full"
    layers: int
    kv_heads: int
    key_dim: int
    value_dim: int
    window: int | None = None
    query_heads: int | None = None
    extra_params: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Unsupported("kind", self.kind, f"one of {', '.join(KINDS)}")
        check_int("layers", self.layers, 1, MOST_LAYERS)
        check_int("kv_heads", self.kv_heads, 1, MOST_WIDTH)
        check_int("key_dim", self.key_dim, 1, MOST_WIDTH)
        check_int("value_dim", self.value_dim, 1, MOST_WIDTH)
        if self.query_heads is not None:
            check_int("query_heads", self.query_heads, 1, MOST_WIDTH)
        check_int("extra_params", self.extra_params, -(2**48), 2**48)
        if self.kind in {"sliding", "chunked"}:
            check_int("window", self.window, 1, MOST_TOKENS)
        elif self.window is not None:
            raise Invalid("window", self.window, f"None, which is all that layers of kind {self.kind} can have")

    @property
    def max_cached_tokens(self) -> int | None:
        """Tokens at which the group's cache stops growing: the window, 0 where it never grows; None where it never stops."""
        return 0 if self.kind == "shared" else self.window

    def cached_tokens(self, context: int) -> int:
        """Tokens a layer holds after `context` of them: all, or at most the window."""
        return context if self.max_cached_tokens is None else min(context, self.max_cached_tokens)

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype) -> int:
        """Bytes that one cached token takes in all layers of the group: 2 * L * n_kv * d_h * p where K and V are alike."""
        if self.kind == "shared":
            return 0
        key = key_dtype.row_bytes(self.kv_heads * self.key_dim)
        value = value_dtype.row_bytes(self.kv_heads * self.value_dim)
        return self.layers * (key + value)

    def shard(self, tp: int) -> "LayerGroup":
        """The group as the fullest of `tp` GPUs holds it: ceil(n_kv / tp) KV heads, one at least.

        KV heads are divided among the GPUs, and copied once there are more GPUs than heads (vLLM, TensorRT-LLM).
        """
        return replace(self, kv_heads=-(-self.kv_heads // tp))

    def flops_per_cached_token(self, query_heads: int) -> int:
        """Multiplications and additions that a step spends on each cached token: 2 * L * n_h * (d_k + d_v)."""
        return 2 * self.layers * (self.query_heads or query_heads) * (self.key_dim + self.value_dim)

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state per sequence, whatever the context: none where layers attend."""
        return 0
