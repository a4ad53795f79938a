"""Bytes per cached value and per weight, block scales included.

A plain type stores each value alone. A block type stores a run of values with a scale of their own, so a row of values
takes whole blocks: ggml's q8_0 is 32 one-byte values and a two-byte scale, 34 bytes, hence 1.0625 bytes a value.
"""

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from kvcore.errors import UnknownName, check_int

__all__ = ["CACHE_DTYPES", "LAB_CACHE_DTYPES", "WEIGHT_DTYPES", "Dtype", "cache_dtype", "weight_dtype"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dtype:
    """How numbers are stored: `block_values` of them in `block_bytes` bytes.

    vector_bytes: bytes beside each vector (a head's key or value of one token), such as its scale.
    latent_width: the numbers of a latent and its rotary key that the type is made for, if it is made for latents alone.
    arithmetic: the type of number that a GPU must compute with for engines to cache in this type, one of
        `catalog.NUMBER_TYPES`; "" if any GPU will do.
    """

    name: str
    label: str
    block_values: int = 1
    block_bytes: int
    source: str
    vector_bytes: int = 0
    latent_width: int = 0
    arithmetic: str = ""

    def __post_init__(self) -> None:
        check_int("block_values", self.block_values, 1, 2**16)
        check_int("block_bytes", self.block_bytes, 1, 2**16)

    @property
    def bytes_per_value(self) -> Fraction:
        """p, the bytes one value takes, its share of the block's scale included: block_bytes / block_values."""
        return Fraction(self.block_bytes, self.block_values)

    def row_bytes(self, values: int) -> int:
        """Bytes of a row of `values` numbers, in whole blocks: ceil(values / block_values) * block_bytes."""
        return -(-values // self.block_values) * self.block_bytes

    def bytes_of_vectors(self, vectors: int, width: int) -> int:
        """Bytes of so many vectors of `width` numbers: one row, and what each vector has beside it."""
        return self.row_bytes(vectors * width) + vectors * self.vector_bytes


_IEEE = "IEEE 754-2019, table 3.5"
_BF16 = "bfloat16: the upper half of an IEEE binary32 (Google Cloud TPU documentation)"
_FP8 = "Micikevicius et al. 2022, arXiv 2209.05433 (E4M3 and E5M2); scales per tensor, none stored per value"
_INT8 = "one byte a value; scales per tensor or per channel, none stored per value"
_GGML = "ggml-org/llama.cpp@01243c5, ggml/src/ggml-common.h"

_FP32 = Dtype(name="fp32", label="FP32", block_bytes=4, source=_IEEE)
_FP16 = Dtype(name="fp16", label="FP16", block_bytes=2, source=_IEEE)
_BFLOAT16 = Dtype(name="bf16", label="BF16", block_bytes=2, source=_BF16)
_FLOAT8 = Dtype(name="fp8", label="FP8", block_bytes=1, source=_FP8)
_INTEGER8 = Dtype(name="int8", label="INT8", block_bytes=1, source=_INT8)
_INTEGER4 = Dtype(name="int4", label="INT4", block_values=2, block_bytes=1, source="two values a byte; scales left out")
_Q8_0, _Q5_1, _Q5_0, _Q4_1, _Q4_0, _IQ4_NL = (
    Dtype(name=name, label=name, block_values=32, block_bytes=size, source=f"{_GGML}: block_{name}")
    for name, size in (("q8_0", 34), ("q5_1", 24), ("q5_0", 22), ("q4_1", 20), ("q4_0", 18), ("iq4_nl", 18))
)
_FP8_BLOCK = Dtype(
    name="fp8_block128", label="FP8, a scale for 128", block_values=128, block_bytes=132,
    source="DeepSeek-V3, arXiv 2412.19437, section 3.3.2: 128 values share a four-byte scale",
)  # fmt: skip
_INT8_BLOCK = Dtype(
    name="int8_block128", label="INT8, a scale for 128", block_values=128, block_bytes=132,
    source="LMDeploy, docs/en/quantization/kv_quant.md: a head's values (128) share a scale and a zero point, two bytes each",
)  # fmt: skip

_VLLM = "vllm-project/vllm@001cabc, vllm/v1/kv_cache_interface.py"
_ON_BLACKWELL = "vllm-project/vllm#49011 (it wants the FlashInfer kernels of SM100)"
_PER_HEAD = tuple(
    Dtype(
        name=f"{kind}_per_token_head", label=f"{kind.upper()}, a scale a head", block_bytes=1, vector_bytes=4,
        source=f"{_VLLM}: a four-byte scale for each token and head, of K and of V",
    )
    for kind in ("fp8", "int8")
)  # fmt: skip
_NVFP4 = Dtype(
    name="nvfp4", label="NVFP4", block_values=16, block_bytes=9, arithmetic="fp4",
    source=f"{_VLLM} (nvfp4_kv_cache_full_dim): two numbers a byte, and a scale of a byte for 16; {_ON_BLACKWELL}",
)  # fmt: skip
_FP8_DS_MLA = Dtype(
    name="fp8_ds_mla", label="fp8_ds_mla", block_values=576, block_bytes=656, latent_width=576,
    source="deepseek-ai/FlashMLA@066b5ba, README.md: 512 in fp8, four four-byte scales, 64 rotary numbers in 16 bits",
)  # fmt: skip
_NVFP4_DS_MLA = Dtype(
    name="nvfp4_ds_mla", label="nvfp4_ds_mla", block_values=576, block_bytes=432, latent_width=576, arithmetic="fp4",
    source="local-inference-lab/vllm#82: 512 in four bits, a scale of a byte for 16, 16 bytes of padding, 64 rotary numbers in 16 bits",
)  # fmt: skip
_MLX_SOURCE = "ml-explore/mlx-lm@d78bf58, mlx_lm/models/cache.py (QuantizedKVCache)"
_MLX = tuple(
    Dtype(
        name=f"mlx_q{bits}" if group == 64 else f"mlx_q{bits}_g{group}",
        label=f"MLX, {bits} bits" if group == 64 else f"MLX, {bits} bits, groups of {group}",
        block_values=group, block_bytes=group * bits // 8 + 4,
        source=f"{_MLX_SOURCE}: groups of {group} with a scale and a bias of 16 bits",
    )
    for group, widths in ((64, (8, 6, 4, 3, 2)), (32, (8, 4)), (128, (8, 4)))
    for bits in widths
)  # fmt: skip

_OFFERED = (_FP32, _FP16, _BFLOAT16, _FLOAT8, _INTEGER8, _Q8_0, _Q4_0)
_BESIDES = (
    _Q5_1, _Q5_0, _Q4_1, _IQ4_NL, _FP8_BLOCK, _INT8_BLOCK, *_PER_HEAD, _NVFP4, _FP8_DS_MLA, _NVFP4_DS_MLA, *_MLX,
)  # fmt: skip

CACHE_DTYPES = MappingProxyType({d.name: d for d in (*_OFFERED, *_BESIDES)})
"""The types a cache may be stored in, by name; those the page offers come first."""

LAB_CACHE_DTYPES = tuple(d.name for d in _OFFERED)
"""The names that the page offers a reader, in its order."""

WEIGHT_DTYPES = MappingProxyType({d.name: d for d in (_FP32, _FP16, _BFLOAT16, _FLOAT8, _INTEGER8, _INTEGER4)})
"""The types weights may be stored in, by name, in the order a reader is offered them."""


def cache_dtype(name: object, field: str = "cache_dtype") -> Dtype:
    """The cache type called `name`; UnknownName otherwise, naming `field`."""
    return _named(field, name, CACHE_DTYPES)


def weight_dtype(name: object, field: str = "weight_dtype") -> Dtype:
    """The weight type called `name`; UnknownName otherwise, naming `field`."""
    return _named(field, name, WEIGHT_DTYPES)


def _named(field: str, name: object, table: "MappingProxyType[str, Dtype]") -> Dtype:
    found = table.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName(field, name, f"one of {', '.join(table)}")
    return found
