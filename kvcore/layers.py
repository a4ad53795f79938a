"""What one token leaves in the cache of a group of layers that attend alike.

A model's cache is a sum over such groups. The textbook formula 2 * L * n_kv * d_h * p is the case of one group of full
attention: 2 for K and V, L layers, n_kv KV heads, d_h values a head, p bytes a value.
"""

from dataclasses import dataclass, replace

from kvcore.dtypes import Dtype
from kvcore.errors import Invalid, Unsupported, whole

__all__ = ["KINDS", "MOST_LAYERS", "MOST_TOKENS", "MOST_WIDTH", "LayerGroup"]

KINDS = ("full", "sliding")
MOST_LAYERS = 4096
MOST_WIDTH = 2**24
MOST_TOKENS = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerGroup:
    """Layers that cache alike.

    `layers` (L), `kv_heads` (n_kv), `key_dim` and `value_dim` (values a head, K and V) and, for `kind` "sliding", the
    `window` in tokens that a layer looks back on, the current one included.

    Raises:
        Invalid, Unsupported: naming the field, when made of anything else.
    """

    kind: str = "full"
    layers: int
    kv_heads: int
    key_dim: int
    value_dim: int
    window: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Unsupported("kind", self.kind, f"one of {', '.join(KINDS)}")
        whole("layers", self.layers, 1, MOST_LAYERS)
        whole("kv_heads", self.kv_heads, 1, MOST_WIDTH)
        whole("key_dim", self.key_dim, 1, MOST_WIDTH)
        whole("value_dim", self.value_dim, 1, MOST_WIDTH)
        if self.kind == "sliding":
            whole("window", self.window, 1, MOST_TOKENS)
        elif self.window is not None:
            raise Invalid("window", self.window, "None, which is all a full-attention layer can have")

    def cached_tokens(self, context: int) -> int:
        """Tokens a layer holds after `context` of them: all, or the newest `window`."""
        return context if self.window is None else min(context, self.window)

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype) -> int:
        """Bytes that one cached token takes in all layers of the group: 2 * L * n_kv * d_h * p where K and V are alike."""
        key = key_dtype.row_bytes(self.kv_heads * self.key_dim)
        value = value_dtype.row_bytes(self.kv_heads * self.value_dim)
        return self.layers * (key + value)

    def shard(self, tp: int) -> "LayerGroup":
        """The group as the fullest of `tp` GPUs holds it: ceil(n_kv / tp) KV heads, one at least.

        KV heads are divided among the GPUs, and copied once there are more GPUs than heads (vLLM, TensorRT-LLM).
        """
        return replace(self, kv_heads=-(-self.kv_heads // tp))

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state per sequence, whatever the context: none where layers attend."""
        return 0
