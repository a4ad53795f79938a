"""What inference engines do by default: the memory they leave free, the blocks they allocate, the types they cache in.

An engine is a choice beside the model. Its defaults are read from its own code or documentation, at the version and on the
date that stand with it. A source names the commit at which its file was read.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from kvcore.catalog import NUMBER_TYPES
from kvcore.dtypes import CACHE_DTYPES, LAB_CACHE_DTYPES, Dtype
from kvcore.errors import UnknownName
from kvcore.latent import LatentGroup
from kvcore.recurrent import RecurrentGroup
from kvcore.shape import Shape

__all__ = [
    "ENGINES",
    "NO_ENGINE",
    "STATE_DTYPES",
    "Engine",
    "as_engine_stores",
    "cached_as",
    "can_compute",
    "engine",
    "suggested_cache_dtypes",
    "with_state_dtypes",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An inference engine and its defaults.

    version, read: the version that was read, and when (ISO date).
    reserve: the fraction of a GPU's memory that it leaves free; margin_bytes: or so many bytes of it.
    margins: for an engine that leaves more free on larger GPUs: pairs of a memory and a margin, both in MiB; the margin counts for
        GPUs with less than this memory.
    reserve_of_rest: the fraction is of the memory that the weights leave.
    block_size: the tokens of a block (page).
    cache_dtypes: the names of the types that it can cache in, besides 16 bits.
    latent_cache_dtypes: those of them in which it can cache latents; empty stands for all of them.
    sparse_fp8: the type that "fp8" stands for where a latent has an indexer; "" if it is fp8.
    index_keys_copied: under context parallelism each GPU keeps all keys of an indexer.
    pads_values: where it caches K and V of all heads in place of latents, V is as wide as K.
    state_dtype, convolution_dtype: the types of recurrent states, "" for what the model's config says.
    sources: what each default is from.
    """

    id: str
    name: str
    version: str
    read: str
    reserve: Fraction
    margin_bytes: int = 0
    margins: tuple[tuple[int, int], ...] = ()
    reserve_of_rest: bool = False
    block_size: int = 1
    cache_dtypes: tuple[str, ...] = ()
    latent_cache_dtypes: tuple[str, ...] = ()
    sparse_fp8: str = ""
    index_keys_copied: bool = False
    pads_values: bool = False
    state_dtype: str = ""
    convolution_dtype: str = ""
    sources: tuple[str, ...] = ()

    def reserve_percent(self, gpu_bytes: int) -> int:
        """Return the reserve on a GPU with so much memory in percent, rounded up to a whole number.

        >>> engine("vllm").reserve_percent(80 * 2**30), engine("llama.cpp").reserve_percent(24 * 2**30)
        (8, 5)
        """
        margin = next(
            (margin * 2**20 for memory, margin in self.margins if gpu_bytes < memory * 2**20), self.margin_bytes
        )
        share = self.reserve + Fraction(margin, gpu_bytes)
        return min(90, -(-100 * share.numerator // share.denominator))


_READ = "2026-12-01"
_ALL = (
    Engine(
        id="none", name="none", version="", read=_READ, reserve=Fraction(1, 10),
        cache_dtypes=tuple(name for name in CACHE_DTYPES if name not in {"fp16", "bf16"}),
        sources=("no engine: the formula alone, and a tenth of the memory for what is computed in between",),
    ),
    Engine(
        id="vllm", name="vLLM", version="002f10e", read=_READ, reserve=Fraction(8, 100), block_size=16,
        cache_dtypes=("fp8", "fp8_per_token_head", "int8_per_token_head", "nvfp4", "fp8_ds_mla", "nvfp4_ds_mla"),
        latent_cache_dtypes=("fp8", "fp8_ds_mla", "nvfp4_ds_mla"), sparse_fp8="fp8_ds_mla",
        pads_values=True,
        sources=(
            "vllm-project/vllm@002f10e, vllm/config/cache.py: gpu_memory_utilization 0.92, DEFAULT_BLOCK_SIZE 16, CacheDType",
            (
                "vllm-project/vllm@0014ca6, vllm/model_executor/layers/attention/mla_attention.py: fp8 becomes fp8_ds_mla with an"
                " indexer (FLASHMLA_SPARSE; the backend FLASHINFER_MLA_SPARSE keeps fp8)"
            ),
            "vllm-project/vllm@002d607, vllm/model_executor/models/deepseek_v2.py (DeepseekV2Attention): V is padded to the width of K",
            "vllm-project/vllm@002d68e, vllm/v1/attention/backends/mla/flashinfer_mla.py: supported_kv_cache_dtypes fp8 besides 16 bits",
        ),
    ),
    Engine(
        id="sglang", name="SGLang", version="001067f", read=_READ, reserve=Fraction(0), block_size=1,
        margins=((20 * 1024, 4064), (35 * 1024, 4096), (60 * 1024, 7248), (160 * 1024, 13_904), (2**40, 26_832)),
        cache_dtypes=("fp8",), index_keys_copied=True, state_dtype="fp32",
        sources=(
            (
                "sgl-project/sglang@001067f, python/sglang/srt/server_args.py (_handle_gpu_memory_settings): 512 MiB, 1.5 for each token"
                " of a prefill chunk, 2 for each sequence and 8 for each size in CUDA graphs, 128 for each GPU; here for one GPU, and up"
                " to 2.5 GiB more for eight GPUs and latents"
            ),
            "docs.sglang.io, server arguments: --page-size 1, --mamba-ssm-dtype float32",
            "sgl-project/sglang#31821: under decode context parallelism the keys of an indexer are not divided",
        ),
    ),
    Engine(
        id="llama.cpp", name="llama.cpp", version="b8839", read=_READ, reserve=Fraction(0), margin_bytes=2**30, block_size=256,
        cache_dtypes=("fp32", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"), state_dtype="fp32", convolution_dtype="fp32",
        sources=(
            "ggml-org/llama.cpp b8839, tools/fit-params/README.md: a margin of 1,024 MiB on each device",
            "ggml-org/llama.cpp b8839, src/llama-context.cpp: n_ctx is padded to 256 cells; src/llama-memory-recurrent.cpp: R and S in f32",
        ),
    ),
    Engine(
        id="tensorrt-llm", name="TensorRT-LLM", version="1.4.0rc4", read=_READ, reserve=Fraction(10, 100), reserve_of_rest=True,
        block_size=32, cache_dtypes=("fp8", "int8", "nvfp4"),
        sources=("nvidia.github.io/TensorRT-LLM, 1.4.0rc4, KvCacheConfig: free_gpu_memory_fraction 0.9, tokens_per_block 32",),
    ),
)  # fmt: skip

STATE_DTYPES = ("fp32", "fp16", "bf16")
"""The types of recurrent states, by name: engines keep them in 32 or 16 bits, as they are written anew at every token."""

ENGINES: Mapping[str, Engine] = MappingProxyType({row.id: row for row in _ALL})
"""Every engine by id; "none" stands for the formula alone."""

NO_ENGINE = ENGINES["none"]


def engine(name: object) -> Engine:
    """Return the engine with this id.

    Raises:
        UnknownName: when there is no such engine here.

    >>> engine("vllm").block_size
    16
    """
    found = ENGINES.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName("engine", name, f"one of {', '.join(ENGINES)}")
    return found


def cached_as(chosen: Engine, dtype: Dtype, shape: Shape) -> Dtype:
    """Return the type that an engine caches in when it is asked for this one.

    >>> from kvcore.catalog import model
    >>> cached_as(engine("vllm"), CACHE_DTYPES["fp8"], model("deepseek-v3.2").shape).name
    'fp8_ds_mla'
    """
    if dtype.name != "fp8" or not chosen.sparse_fp8:
        return dtype
    sparse = CACHE_DTYPES[chosen.sparse_fp8]
    return sparse if _is_sparse(shape, sparse) else dtype


def suggested_cache_dtypes(chosen: Engine, shape: Shape, computes: Container[str] = NUMBER_TYPES) -> tuple[Dtype, ...]:
    """Return the types that may be suggested to make a model fit: those that the engine offers, or the common ones without it.

    computes: the types of number that the GPU has arithmetic for.

    >>> from kvcore.catalog import model
    >>> [dtype.name for dtype in suggested_cache_dtypes(engine("tensorrt-llm"), model("llama-3-70b").shape)]
    ['fp8', 'int8', 'nvfp4']
    """
    latents = [group for group in shape.groups if isinstance(group, LatentGroup)]
    names = LAB_CACHE_DTYPES if chosen is NO_ENGINE else chosen.cache_dtypes
    if latents and chosen.latent_cache_dtypes:
        names = chosen.latent_cache_dtypes
    offered = (cached_as(chosen, CACHE_DTYPES[name], shape) for name in names)
    suited = (dtype for dtype in offered if not dtype.latent_width or _is_sparse(shape, dtype))
    return tuple(dict.fromkeys(dtype for dtype in suited if can_compute(dtype, computes)))


def can_compute(dtype: Dtype, computes: Container[str]) -> bool:
    """Whether a GPU with arithmetic for these types of number can be asked to cache in a type.

    >>> from kvcore.catalog import gpu
    >>> [can_compute(CACHE_DTYPES["nvfp4"], gpu(name).peak_flops) for name in ("h100-80gb", "b200")]
    [False, True]
    """
    return not dtype.arithmetic or dtype.arithmetic in computes


def _is_sparse(shape: Shape, dtype: Dtype) -> bool:
    """Whether all that is cached is latents that this type is made for, some of them with an indexer."""
    latents = [group for group in shape.groups if isinstance(group, LatentGroup)]
    fits = {group.kv_rank + group.rope_dim for group in latents} == {dtype.latent_width}
    return fits and len(latents) == len(shape.groups) and any(group.index_dim for group in latents)


def with_state_dtypes(shape: Shape, state: str = "", convolution: str = "") -> Shape:
    """Return a shape whose recurrent states are stored in these types, by name; "" leaves a type as the config says.

    Raises:
        UnknownName: naming state_dtype or conv_dtype, for a name that is none of STATE_DTYPES.

    >>> from kvcore.catalog import model
    >>> qwen = model("qwen3.6-27b").shape
    >>> with_state_dtypes(qwen, "fp32", "fp32").state_bytes * 4 / 2**20  # as llama.cpp prints it for 4 sequences
    598.5
    """
    chosen = {}
    for role, field, name in (("state", "state_dtype", state), ("convolution", "conv_dtype", convolution)):
        if name and name not in STATE_DTYPES:
            raise UnknownName(field, name, f"one of {', '.join(STATE_DTYPES)}")
        if name:
            chosen[role] = CACHE_DTYPES[name]
    if not chosen or not shape.state_bytes:
        return shape
    return replace(
        shape,
        groups=tuple(
            replace(group, states=tuple(replace(one, dtype=chosen.get(one.role, one.dtype)) for one in group.states))
            if isinstance(group, RecurrentGroup)
            else group
            for group in shape.groups
        ),
    )


def as_engine_stores(chosen: Engine, shape: Shape) -> Shape:
    """Return the shape with the types in which an engine keeps recurrent states."""
    return with_state_dtypes(shape, chosen.state_dtype, chosen.convolution_dtype)
