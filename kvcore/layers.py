"""The KV cache of a group of layers with the same heads and window.

A model's cache is a sum over such groups. The textbook formula 2 * L * n_kv * d_h * p is the case of one group of full
attention: 2 for K and V, L layers, n_kv KV heads, d_h values a head, p bytes a value. Layers that keep one latent
vector instead are in latent.py, layers that keep a state of constant size in recurrent.py.
"""

from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype
from kvcore.errors import Invalid, Unsupported, check_int
from kvcore.tensors import Tensor, check_tensors

__all__ = ["KINDS", "MOST_LAYERS", "MOST_TOKENS", "MOST_WIDTH", "LayerGroup", "NoCacheGroup"]

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

    `query_heads` is set where they are not the model's own. `values_from_keys`: V is made by the projection of K, and has
    none of its own. `extra_tensors` are those of one layer besides the projections of Q, K, V and the output, such as gates.
    `latent_tensors` are those of a layer of latent attention, in place of all of these, where its heads' K and V are cached.

    Raises:
        Invalid, Unsupported: naming the field, for a value out of range or an unknown kind.
    """

    kind: str = "full"
    layers: int
    kv_heads: int
    key_dim: int
    value_dim: int
    window: int | None = None
    query_heads: int | None = None
    values_from_keys: bool = False
    extra_tensors: tuple[Tensor, ...] = ()
    latent_tensors: tuple[Tensor, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Unsupported("kind", self.kind, f"one of {', '.join(KINDS)}")
        check_int("layers", self.layers, 1, MOST_LAYERS)
        check_int("kv_heads", self.kv_heads, 1, MOST_WIDTH)
        check_int("key_dim", self.key_dim, 1, MOST_WIDTH)
        check_int("value_dim", self.value_dim, 1, MOST_WIDTH)
        if self.query_heads is not None:
            check_int("query_heads", self.query_heads, 1, MOST_WIDTH)
        check_tensors(self.extra_tensors)
        check_tensors(self.latent_tensors)
        if self.kind in {"sliding", "chunked"}:
            check_int("window", self.window, 1, MOST_TOKENS)
        elif self.window is not None:
            raise Invalid("window", self.window, f"None: layers of kind {self.kind} have no window")

    @property
    def parallel(self) -> bool:
        """Whether they run beside another group in the same layers, and are not to be counted again."""
        return False

    @property
    def max_cached_tokens(self) -> int | None:
        """The most tokens a layer caches: the window, 0 if it caches none, None without a limit."""
        return 0 if self.kind == "shared" else self.window

    def cached_tokens(self, context: int) -> int:
        """Tokens a layer holds after `context` of them: all, or at most the window."""
        return context if self.max_cached_tokens is None else min(context, self.max_cached_tokens)

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype) -> int:
        """Bytes that one cached token takes in all layers of the group: 2 * L * n_kv * d_h * p where K and V are alike."""
        if self.kind == "shared":
            return 0
        key = key_dtype.bytes_of_vectors(self.kv_heads, self.key_dim)
        value = value_dtype.bytes_of_vectors(self.kv_heads, self.value_dim)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCacheGroup:
    """Layers that neither attend nor keep a state: an MLP alone (Nemotron-H), or a layer whose attention was removed.

    `tensors` are those of one layer besides its MLP and the norms that the shape counts.
    """

    layers: int
    tensors: tuple[Tensor, ...] = ()

    def __post_init__(self) -> None:
        check_int("layers", self.layers, 1, MOST_LAYERS)
        check_tensors(self.tensors)

    @property
    def kind(self) -> str:
        """How these layers cache."""
        return "none"

    @property
    def parallel(self) -> bool:
        """Whether they run beside another group in the same layers."""
        return False

    @property
    def max_cached_tokens(self) -> int:
        """The most tokens a layer caches: none."""
        return 0

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state per sequence: none."""
        return 0

    def cached_tokens(self, context: int) -> int:  # noqa: ARG002 - every kind of group answers this
        """Tokens a layer holds: none."""
        return 0

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype) -> int:  # noqa: ARG002 - as above
        """Bytes that one more token takes: none."""
        return 0

    def flops_per_cached_token(self, query_heads: int) -> int:  # noqa: ARG002 - as above
        """Multiplications and additions of a step for each cached token: none."""
        return 0

    def shard(self, tp: int) -> "NoCacheGroup":  # noqa: ARG002 - as above
        """The group as one of `tp` GPUs holds it: the same, as there is no cache to divide."""
        return self
