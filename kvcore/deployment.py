"""`kvcore.size` and `kvcore.split`: make a Footprint or a PerGpu from names such as "llama-3-70b", "fp8" and "h100-80gb".

The classes themselves take the objects that these names stand for: a Shape, a Dtype, bytes of memory.
"""

from collections.abc import Mapping
from fractions import Fraction

from kvcore import catalog, dtypes
from kvcore.catalog import DEFAULT_GPU, Gpu, Model, model
from kvcore.config import Reading, read_config
from kvcore.errors import Invalid, OutOfRange
from kvcore.footprint import Footprint
from kvcore.loaded import as_loaded
from kvcore.parallel import PerGpu
from kvcore.shape import Shape
from kvcore.splits import Split
from kvcore.weights import WeightStorage, weight_storage

__all__ = ["Sizable", "size", "split"]

type Sizable = str | Model | Reading | Shape | Mapping[str, object]
"""The model to size: its id in the catalog, a Model, a Reading of a config, a Shape, or the parsed JSON of a config.json."""

_MOST_DECIMALS = 10_000


def size(
    of: Sizable,
    *,
    context: int = 8192,
    batch: int = 1,
    cache_dtype: str = "fp16",
    value_dtype: str | None = None,
    weight_dtype: str = "fp16",
    gpu: str | Gpu = DEFAULT_GPU,
    shared_prompt: int = 0,
    mtp: bool = False,
    expand_latents: bool = False,
) -> Footprint:
    """Return the Footprint of a model at a context (tokens of each sequence) and a batch (sequences).

    cache_dtype: the type of K and V. value_dtype: the type of V, if it differs. gpu: a GPU of the catalog, or its id.
    weight_dtype: a name of `kvcore.weights.WEIGHT_STORAGES`, or "shipped": as the published checkpoint or the config has them.
    shared_prompt: tokens with which all sequences begin alike; they are stored once.
    mtp: with the layers that guess further tokens (`kvcore.mtp`). expand_latents: K and V of all heads are cached in place of
    latents (`kvcore.latent`).

    Raises:
        UnknownName: for a model, type or GPU that kvcore does not have.
        Invalid, Unsupported: naming the field, for a config that cannot be read, or an option that the model does not have.
        OutOfRange: naming the field, for a context, batch or shared prompt out of range.

    >>> size("llama-3-70b", batch=8).cache_bytes
    21474836480
    >>> size("llama-3-70b", batch=8, cache_dtype="fp8").cliff_context
    107657
    >>> size("gpt-oss-120b", weight_dtype="shipped").weights_bytes  # experts in MXFP4
    65248815744
    """
    chosen = catalog.gpu(gpu) if isinstance(gpu, str) else gpu
    return Footprint(
        shape=as_loaded(_shape(of), mtp=mtp, expanded=expand_latents),
        context=context,
        batch=batch,
        cache_dtype=dtypes.cache_dtype(cache_dtype),
        value_dtype=None if value_dtype is None else dtypes.cache_dtype(value_dtype, "value_dtype"),
        weight_dtype=weight_storage(weight_dtype, _shipped(of)),
        gpu_bytes=chosen.memory_bytes,
        shared_prompt=shared_prompt,
        name=of.name if isinstance(of, Model) else model(of).name if isinstance(of, str) else "",
    )


def split(
    footprint: Footprint,
    *,
    tp: int = 1,
    pp: int = 1,
    dp: int = 1,
    cp: int = 1,
    reserve: float | Fraction = Fraction(1, 10),
    block_size: int = 1,
) -> PerGpu:
    """Return what the fullest GPU stores when a footprint is divided among tp * pp * dp GPUs, and what fits there.

    tp, pp, dp, cp: `kvcore.splits` says what each divides.
    reserve: the fraction of a GPU's memory that the engine does not use: 0.1 if vLLM's gpu_memory_utilization is 0.9.
    block_size: the engine allocates the cache in blocks of so many tokens.

    Raises:
        OutOfRange, Invalid: naming the field, for numbers out of range, or that cannot divide this model.

    >>> split(size("deepseek-v3", batch=64, weight_dtype="fp8"), tp=8).bytes_per_token
    70272
    """
    if not isinstance(footprint, Footprint):  # a caller without type checking may pass a model's id
        raise Invalid("footprint", footprint, "a Footprint, as kvcore.size makes it")
    if type(reserve) not in {int, float, Fraction} or not 0 <= reserve < 1:
        raise OutOfRange("reserve", reserve, "a number from 0 to below 1")
    return PerGpu(
        footprint=footprint,
        split=Split(tp=tp, pp=pp, dp=dp, cp=cp),
        block_size=block_size,
        reserve=Fraction(reserve).limit_denominator(_MOST_DECIMALS),
    )


def _shipped(of: Sizable) -> WeightStorage | None:
    """How the model's own checkpoint stores its weights; None for a shape, which does not say."""
    if isinstance(of, Model | Reading):
        return of.weights
    if isinstance(of, Shape):
        return None
    return model(of).weights if isinstance(of, str) else read_config(of).weights


def _shape(of: Sizable) -> Shape:
    if isinstance(of, Shape):
        return of
    if isinstance(of, Model | Reading):
        return of.shape
    return model(of).shape if isinstance(of, str) else read_config(of).shape
