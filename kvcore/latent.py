"""Multi-head latent attention (MLA): one cached vector per token and layer, from which all heads' K and V are computed.

DeepSeek-V2 (arXiv 2405.04434, section 2.1) caches the compressed vector of `kv_rank` values and one rotary key of
`rope_dim` values that all heads share: L * (r_kv + d_rope) * p bytes a token, with no factor 2 and no head count.
DeepSeek-V3.2 adds an indexer (arXiv 2512.02556, section 2.1) whose keys, one of `index_dim` values a token and layer, its
own inference code keeps in fp8 with a four-byte scale for each 128 of them.

An engine that cannot compute with latents caches the K and V of all heads, made from them: `LatentGroup.expanded`.
"""

from dataclasses import dataclass

from kvcore.dtypes import CACHE_DTYPES, Dtype
from kvcore.errors import Unsupported, check_int
from kvcore.layers import MOST_LAYERS, MOST_WIDTH, LayerGroup
from kvcore.tensors import Tensor, check_tensors

__all__ = ["LatentGroup"]

_INDEX_DTYPE = CACHE_DTYPES["fp8_block128"]
"""How the indexer's keys are stored, whatever the cache's type (deepseek-ai/FlashMLA)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentGroup:
    """Layers of latent attention that cache alike.

    `layers` (L), `kv_rank` (r_kv: kv_lora_rank) and `rope_dim` (d_rope: qk_rope_head_dim) are cached. `index_dim` is the
    width of an indexer's key, 0 where there is none. `tensors` are the projections, norms and indexer of one layer.
    `nope_dim` (qk_nope_head_dim) and `value_dim` (v_head_dim) are the widths of a head's K without its rotary part and of its
    V, which are made from the latent; 0 where they are not known.

    Raises:
        Invalid: naming the field, when a number is out of range.
    """

    layers: int
    kv_rank: int
    rope_dim: int
    index_dim: int = 0
    nope_dim: int = 0
    value_dim: int = 0
    tensors: tuple[Tensor, ...] = ()

    def __post_init__(self) -> None:
        check_int("layers", self.layers, 1, MOST_LAYERS)
        check_int("kv_rank", self.kv_rank, 1, MOST_WIDTH)
        check_int("rope_dim", self.rope_dim, 0, MOST_WIDTH)
        check_int("index_dim", self.index_dim, 0, MOST_WIDTH)
        check_int("nope_dim", self.nope_dim, 0, MOST_WIDTH)
        check_int("value_dim", self.value_dim, 0, MOST_WIDTH)
        check_tensors(self.tensors)

    @property
    def kind(self) -> str:
        """How these layers cache."""
        return "latent"

    @property
    def parallel(self) -> bool:
        """Whether they run beside another group in the same layers."""
        return False

    @property
    def max_cached_tokens(self) -> None:
        """The most tokens a layer caches: None, as there is no limit."""
        return

    @property
    def index_bytes(self) -> int:
        """Bytes of one token's indexer key in one layer, in fp8 with scales whatever the cache's type: 132 for 128 values."""
        return _INDEX_DTYPE.row_bytes(self.index_dim)

    def cached_tokens(self, context: int) -> int:
        """Tokens a layer holds after `context` of them: all."""
        return context

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype) -> int:  # noqa: ARG002 - there is no V to store apart
        """Bytes that one cached token takes in all layers of the group: L * ((r_kv + d_rope) * p + the indexer's)."""
        return self.layers * (key_dtype.bytes_of_vectors(1, self.kv_rank + self.rope_dim) + self.index_bytes)

    def shard(self, tp: int) -> "LatentGroup":  # noqa: ARG002 - as the docstring says
        """The group as each of `tp` GPUs holds it: whole, as every head needs the whole latent vector (vLLM, SGLang)."""
        return self

    def flops_per_cached_token(self, query_heads: int) -> int:
        """Multiplications and additions of a step for each cached token: 2 * L * n_h * ((r_kv + d_rope) + r_kv).

        The heads' projections are folded into queries and output (arXiv 2405.04434, section 2.1.2); an indexer's own work
        is left out.
        """
        return 2 * self.layers * query_heads * (2 * self.kv_rank + self.rope_dim)

    def expanded(self, heads: int, *, padded: bool = False) -> LayerGroup:
        """Return these layers as an engine caches them that keeps the K and V of all heads: n_h * (d_nope + d_rope + d_v) numbers.

        padded: V is as wide as K, its rest zeros, as vLLM has it (vllm-project/vllm@002d607,
        vllm/model_executor/models/deepseek_v2.py, DeepseekV2Attention; it refuses an indexer).

        Raises:
            Unsupported: when the layers have an indexer, or the widths of their heads are not known.

        >>> deepseek = LatentGroup(layers=61, kv_rank=512, rope_dim=64, nope_dim=128, value_dim=128)
        >>> fp16 = CACHE_DTYPES["fp16"]
        >>> deepseek.bytes_per_token(fp16, fp16), deepseek.expanded(128).bytes_per_token(fp16, fp16)
        (70272, 4997120)
        """
        if self.index_dim:
            raise Unsupported("latents", "expanded", "an option of latents with an indexer")
        if not self.nope_dim or not self.value_dim:
            raise Unsupported("latents", "expanded", "an option of latents whose heads have no known width")
        key_dim = self.nope_dim + self.rope_dim
        return LayerGroup(
            layers=self.layers,
            kv_heads=heads,
            key_dim=key_dim,
            value_dim=max(key_dim, self.value_dim) if padded else self.value_dim,
            latent_tensors=self.tensors,
        )

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state per sequence: none where layers attend."""
        return 0
