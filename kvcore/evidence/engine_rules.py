"""Rules by which inference engines allocate memory: padding, block pools, rotary tables and engines' own data types.

The rest of kvcore computes what a model needs to cache; an engine allocates more. Each rule follows the engine's code.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType

from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES, Dtype
from kvcore.errors import check_int
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_TOKENS, LayerGroup
from kvcore.recurrent import RecurrentGroup
from kvcore.shape import Shape

__all__ = [
    "ENGINE_DTYPES",
    "SWAP_BYTES",
    "VllmBlockPool",
    "at_full_size",
    "half_of",
    "in_cells",
    "llama_cells",
    "mixed_weights_bytes",
    "rotary_table_bytes",
]

_OWN = (
    Dtype(
        name="q8_KV",
        label="q8_KV",
        block_values=576,
        block_bytes=584,
        source="ikawrakow/ik_llama.cpp, pull request 208: a row of one-byte numbers (here 576) and eight bytes of scale",
    ),
    Dtype(
        name="mxfp4",
        label="MXFP4",
        block_values=32,
        block_bytes=17,
        source="OCP Microscaling Formats (MX) 1.0, section 5.3: 32 four-bit numbers share a scale of one byte",
    ),
)
ENGINE_DTYPES = MappingProxyType({**WEIGHT_DTYPES, **CACHE_DTYPES, **{dtype.name: dtype for dtype in _OWN}})
"""Every data type in the evidence, by name: those of kvcore, and those that only one engine has."""

SWAP_BYTES = 4 * 2**30
"""Bytes of host memory that vLLM V0 divides into blocks for each GPU: its default `swap_space` of 4 GiB."""

_CELLS = 256
_BLOCK = 16
_LATENT_BLOCK = 64
"""The tokens that a block of latents is a multiple of beside recurrent state: vllm-project/vllm, vllm/platforms/interface.py."""


def llama_cells(context: int, window: int, sequences: int, micro_batch: int) -> int:
    """Return the cells (tokens) that llama.cpp allocates in a layer with a sliding window.

    min(context, window * sequences + micro_batch), rounded up to a multiple of 256. `context` is the total of all
    sequences; the other sizes are in tokens, too. Source: ggml-org/llama.cpp, src/llama-kv-cache-iswa.cpp (size_swa).

    >>> llama_cells(131_072, 128, 1, 512)  # 128 + 512 = 640
    768
    """
    return -(-min(context, window * sequences + micro_batch) // _CELLS) * _CELLS


def in_cells(groups: Iterable[Group], context: int, sequences: int, micro_batch: int) -> tuple[Group, ...]:
    """Return the groups with each sliding window replaced by the cells that llama.cpp allocates for it.

    >>> windowed = LayerGroup(kind="sliding", layers=12, kv_heads=8, key_dim=64, value_dim=64, window=128)
    >>> in_cells([windowed], 131_072, 1, 512)[0].window
    768
    """
    return tuple(
        replace(group, window=llama_cells(context, group.window, sequences, micro_batch))
        if isinstance(group, LayerGroup) and group.window
        else group
        for group in groups
    )


def at_full_size(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Return the groups as cached by an engine that ignores sliding windows (llama.cpp --swa-full, ik_llama.cpp).

    >>> windowed = LayerGroup(kind="sliding", layers=12, kv_heads=8, key_dim=64, value_dim=64, window=128)
    >>> at_full_size([windowed])[0].kind, at_full_size([windowed])[0].window
    ('full', None)
    """
    return tuple(
        replace(group, kind="full", window=None) if isinstance(group, LayerGroup) and group.window else group
        for group in groups
    )


def half_of(
    groups: Iterable[Group], part: str, key_dtype: Dtype, value_dtype: Dtype
) -> tuple[tuple[Group, ...], Dtype]:
    """Return groups whose K and V both have the size of the half asked for, and that half's type.

    part: "keys" or "values". The cache of the returned groups is twice that of the half: divide it by two.

    >>> from kvcore.dtypes import cache_dtype
    >>> group = LayerGroup(layers=1, kv_heads=1, key_dim=192, value_dim=128)
    >>> (doubled,), dtype = half_of([group], "keys", cache_dtype("fp16"), cache_dtype("fp8"))
    >>> doubled.value_dim, dtype.name
    (192, 'fp16')
    """
    keys = part == "keys"
    halves = (
        replace(
            group,
            key_dim=group.key_dim if keys else group.value_dim,
            value_dim=group.key_dim if keys else group.value_dim,
        )
        for group in groups
        if isinstance(group, LayerGroup)
    )
    return tuple(halves), key_dtype if keys else value_dtype


def rotary_table_bytes(shape: Shape, positions: int) -> int:
    """Return the bytes of vLLM's table of rotary angles on each GPU: positions * head_dim (cosines and sines) * 2 bytes.

    >>> from kvcore.catalog import model
    >>> rotary_table_bytes(model("llama-3.1-8b").shape, 131_072) == 131_072 * 128 * 2
    True

    Source: vllm-project/vllm, vllm/model_executor/layers/rotary_embedding (cos_sin_cache, in the model's 16-bit type).
    """
    return positions * (shape.head_dim or 0) * 2


def mixed_weights_bytes(shape: Shape, mlp_dtype: Dtype, dtype: Dtype) -> int:
    """Return the bytes of weights with MLPs and routers stored as `mlp_dtype` and everything else as `dtype`.

    >>> from kvcore.catalog import model
    >>> shape = model("llama-3-8b").shape  # its MLPs have 32 * 3 * 4,096 * 14,336 parameters, of 8,030,261,248
    >>> fp8, bf16 = ENGINE_DTYPES["fp8"], ENGINE_DTYPES["bf16"]
    >>> mixed_weights_bytes(shape, fp8, bf16) == 2 * 8_030_261_248 - 32 * 3 * 4_096 * 14_336
    True
    """
    mlps = sum(count for kind, count in shape.params_by_kind().items() if kind in {"mlp", "expert", "router"})
    return mlp_dtype.row_bytes(mlps) + dtype.row_bytes(shape.params - mlps)


@dataclass(frozen=True, kw_only=True)
class VllmBlockPool:
    """vLLM's block pool for hybrid models: all blocks have one size, and each block serves `bundle` layers of one group.

    groups: the layer groups of one GPU. `bundle` is the number of layers of the smallest group.
    batched_tokens: vLLM's max_num_batched_tokens, the most tokens that it computes in one step.
    state_blocks: blocks of recurrent state that each request takes in each bundle.

    In one layer, a block has the bytes of 16 tokens of the layer that caches most bytes a token. If layers have recurrent
    state, the number of tokens is the least multiple of 16 with at least the bytes of a layer's state; of 64 for latents.

    In each bundle a request takes the blocks for its tokens. In layers with a window these are at most window - 1 +
    batched_tokens tokens, and the request takes one block more.

    Source: vllm-project/vllm, vllm/v1/core/kv_cache_utils.py and vllm/v1/kv_cache_interface.py (max_memory_usage_bytes).

    Raises:
        OutOfRange: naming the field, when batched_tokens or state_blocks is out of range.

    >>> from kvcore.dtypes import cache_dtype
    >>> full = LayerGroup(layers=8, kv_heads=1, key_dim=512, value_dim=512)
    >>> windowed = LayerGroup(kind="sliding", layers=40, kv_heads=4, key_dim=256, value_dim=256, window=1024)
    >>> fp16 = cache_dtype("fp16")
    >>> pool = VllmBlockPool(groups=(full, windowed), key_dtype=fp16, value_dtype=fp16, batched_tokens=4096)
    >>> pool.layer_bytes, pool.block_bytes  # 16 tokens of 4 * 256 * 2 numbers of 2 bytes, in 8 layers
    (65536, 524288)
    >>> pool.blocks_per_request(131_072) == 131_072 // 32 + 5 * (320 + 1)
    True
    """

    groups: tuple[Group, ...]
    key_dtype: Dtype
    value_dtype: Dtype
    batched_tokens: int = 0
    state_blocks: int = 1

    def __post_init__(self) -> None:
        check_int("batched_tokens", self.batched_tokens, 0, MOST_TOKENS)
        check_int("state_blocks", self.state_blocks, 1, 2**16)

    @property
    def _cached(self) -> list[Group]:
        """The groups that keep anything: layers that share another's cache, or have none, take no blocks."""
        keys, values = self.key_dtype, self.value_dtype
        return [group for group in self.groups if group.state_bytes or group.bytes_per_token(keys, values)]

    @property
    def bundle(self) -> int:
        """Layers that one block serves."""
        return min(group.layers for group in self._cached)

    def _token_bytes(self, group: Group) -> int:
        """Bytes of one token in one layer of the group."""
        return group.bytes_per_token(self.key_dtype, self.value_dtype) // group.layers

    @property
    def layer_bytes(self) -> int:
        """Bytes of a block in one layer."""
        widest = max(self._token_bytes(group) for group in self._cached)
        state = max(group.state_bytes // group.layers for group in self._cached)
        tokens = _LATENT_BLOCK if state and any(isinstance(group, LatentGroup) for group in self._cached) else _BLOCK
        return max(1, -(-state // (tokens * widest))) * tokens * widest

    @property
    def block_bytes(self) -> int:
        """Bytes of a block in all layers that it serves."""
        return self.bundle * self.layer_bytes

    @property
    def block_tokens(self) -> int:
        """Tokens in a block, in the layers that cache most bytes a token."""
        return self.layer_bytes // max(self._token_bytes(group) for group in self._cached)

    def blocks_per_request(self, length: int) -> int:
        """Return the blocks that a request of `length` tokens takes, in all bundles of layers."""
        return sum(-(-group.layers // self.bundle) * self._blocks(group, length) for group in self._cached)

    def _blocks(self, group: Group, length: int) -> int:
        """Return the blocks that a request of `length` tokens takes in one bundle of the group."""
        if isinstance(group, RecurrentGroup):
            return self.state_blocks
        tokens = self.layer_bytes // self._token_bytes(group)
        if isinstance(group, LayerGroup) and group.window:
            return -(-min(group.window - 1 + self.batched_tokens, length) // tokens) + 1
        return -(-length // tokens)

    def pool_blocks(self, tokens: int, length: int) -> int:
        """Return the blocks of a pool whose size vLLM prints as `tokens`, with requests of up to `length` tokens.

        The inverse of `pool_tokens`.
        """
        return -(-tokens * self.blocks_per_request(length) // length)

    def pool_tokens_by_groups(self, blocks: int) -> int:
        """Return the tokens that earlier versions print for a pool of `blocks` blocks: those of blocks // bundles blocks."""
        bundles = sum(-(-group.layers // self.bundle) for group in self._cached)
        return blocks // bundles * self.block_tokens

    def pool_tokens(self, blocks: int, length: int) -> int:
        """Return the tokens that vLLM prints as the size of a pool of `blocks` blocks: as many as full requests have."""
        return blocks * length // self.blocks_per_request(length)
