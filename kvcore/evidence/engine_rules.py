"""What engines add to the logical cache: each rule by name, as the engine's own code has it.

Nothing here is part of a model. The library counts what a model must keep; these say what an engine allocates for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType

from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES, Dtype
from kvcore.errors import check_int
from kvcore.groups import Group
from kvcore.layers import MOST_TOKENS, LayerGroup
from kvcore.recurrent import RecurrentGroup
from kvcore.shape import Shape

__all__ = [
    "ENGINE_DTYPES",
    "SWAP_BYTES",
    "VllmPages",
    "at_full_size",
    "in_cells",
    "llama_cells",
    "mixed_weights_bytes",
    "only",
    "rotary_table_bytes",
]

_OWN = (
    Dtype(
        name="q8_KV",
        label="q8_KV",
        block_values=576,
        block_bytes=584,
        source="ikawrakow/ik_llama.cpp, pull request 208: one-byte numbers and eight bytes of scale a row, here of 576",
    ),
    Dtype(
        name="fp8_ds_mla",
        label="fp8_ds_mla",
        block_values=576,
        block_bytes=656,
        source="deepseek-ai/FlashMLA, README.md: 512 in fp8, four four-byte scales, 64 rotary numbers in 16 bits",
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
"""Every type that an engine is seen to store numbers in, by name."""

SWAP_BYTES = 4 * 2**30
"""vLLM V0's default `swap_space`: each GPU's part of the host's memory, divided into blocks like its own."""

_CELLS = 256
_BLOCK = 16


def llama_cells(context: int, window: int, sequences: int, micro_batch: int) -> int:
    """Cells that llama.cpp keeps in a layer with a window: min(context, window * sequences + micro_batch), padded to 256.

    `context` is that of all sequences together. Source: ggml-org/llama.cpp, src/llama-kv-cache-iswa.cpp (size_swa).
    """
    return -(-min(context, window * sequences + micro_batch) // _CELLS) * _CELLS


def in_cells(groups: Iterable[Group], context: int, sequences: int, micro_batch: int) -> tuple[Group, ...]:
    """The layers with their windows as many cells wide as llama.cpp makes them."""
    return tuple(
        replace(group, window=llama_cells(context, group.window, sequences, micro_batch))
        if isinstance(group, LayerGroup) and group.window
        else group
        for group in groups
    )


def at_full_size(groups: Iterable[Group]) -> tuple[Group, ...]:
    """The layers as an engine keeps them that makes nothing of windows (llama.cpp --swa-full, ik_llama.cpp)."""
    return tuple(
        replace(group, kind="full", window=None) if isinstance(group, LayerGroup) and group.window else group
        for group in groups
    )


def only(groups: Iterable[Group], part: str, key_dtype: Dtype, value_dtype: Dtype) -> tuple[tuple[Group, ...], Dtype]:
    """The keys or the values of layers, as layers whose two halves are alike, and their type: twice what the part takes."""
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
    """The table of rotary angles that vLLM keeps on each GPU: positions * head width (cosines and sines) * 2 bytes.

    Source: vllm-project/vllm, vllm/model_executor/layers/rotary_embedding (cos_sin_cache, in the model's 16-bit type).
    """
    return positions * (shape.head_dim or 0) * 2


def mixed_weights_bytes(shape: Shape, mlp_dtype: Dtype, dtype: Dtype) -> int:
    """Bytes of weights whose MLPs, routers included, are stored as `mlp_dtype` and everything else as `dtype`."""
    mlps = sum(count for kind, count in shape.params_by_kind().items() if kind in {"mlp", "expert", "router"})
    return mlp_dtype.row_bytes(mlps) + dtype.row_bytes(shape.params - mlps)


@dataclass(frozen=True, kw_only=True)
class VllmPages:
    """The pool of vLLM for layers of different kinds: pages of one size, each of them for a bundle of equally many layers.

    `groups` are those of one GPU. The bundle is as many layers as the smallest group has. A page is what the widest layer
    needs for 16 tokens, and where layers keep a state, the least multiple of 16 tokens of attention that is as large. A request
    takes, for each bundle, the pages of its length; those of window - 1 + `batched_tokens` tokens and one more where
    there is a window; or `state_pages` of state.

    Source: vllm-project/vllm, vllm/v1/core/kv_cache_utils.py and vllm/v1/kv_cache_interface.py (max_memory_usage_bytes).
    """

    groups: tuple[Group, ...]
    key_dtype: Dtype
    value_dtype: Dtype
    batched_tokens: int = 0
    state_pages: int = 1

    def __post_init__(self) -> None:
        check_int("batched_tokens", self.batched_tokens, 0, MOST_TOKENS)
        check_int("state_pages", self.state_pages, 1, 2**16)

    @property
    def bundle(self) -> int:
        """Layers that a page serves."""
        return min(group.layers for group in self.groups)

    def _token(self, group: Group) -> int:
        """Bytes of a token in one layer."""
        return group.bytes_per_token(self.key_dtype, self.value_dtype) // group.layers

    @property
    def layer_bytes(self) -> int:
        """Bytes of a page in one layer."""
        widest = max(self._token(group) for group in self.groups)
        state = max(group.state_bytes // group.layers for group in self.groups)
        return max(1, -(-state // (_BLOCK * widest))) * _BLOCK * widest

    @property
    def page_bytes(self) -> int:
        """Bytes of a page in all layers of its bundle."""
        return self.bundle * self.layer_bytes

    @property
    def page_tokens(self) -> int:
        """Tokens of a page in the layers that cache the most a token."""
        return self.layer_bytes // max(self._token(group) for group in self.groups)

    def per_request(self, length: int) -> int:
        """Pages of a request of `length` tokens."""
        return sum(-(-group.layers // self.bundle) * self._pages(group, length) for group in self.groups)

    def _pages(self, group: Group, length: int) -> int:
        if isinstance(group, RecurrentGroup):
            return self.state_pages
        tokens = self.layer_bytes // self._token(group)
        if isinstance(group, LayerGroup) and group.window:
            return -(-min(group.window - 1 + self.batched_tokens, length) // tokens) + 1
        return -(-length // tokens)

    def pool(self, tokens: int, length: int) -> int:
        """Pages of the pool whose size vLLM prints as `tokens`, which is floor(pages / per_request * length)."""
        return -(-tokens * self.per_request(length) // length)

    def tokens(self, pages: int, length: int) -> int:
        """What vLLM prints as the size of a pool of so many pages."""
        return pages * length // self.per_request(length)
