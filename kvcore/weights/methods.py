"""The settings of each quantization tool: `quant_method` names the tool."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.weights.by_module import GROUPS, PACKED_BITS, compressed_tensors, fp8_of_blocks, model_optimizer, quark
from kvcore.weights.formats import MatrixFormat, fp8_channels, fp8_tensor, grouped, nf4
from kvcore.weights.scheme import LINEAR, WITH_OUTPUT, Found, Scheme, Settings
from kvcore.weights.storage import INT8, MXFP4, MXFP8

__all__ = ["METHODS"]

_EXPERTS = frozenset({"expert"})


def _number(settings: Settings, key: str, default: int, allowed: Iterable[int]) -> int:
    value = settings.get(key, default)
    if value is None:
        value = default
    if type(value) is not int or value not in allowed:
        raise Invalid(f"quantization_config.{key}", value, f"one of {', '.join(map(str, allowed))}")
    return value


def _fp8(settings: Settings) -> Found:
    """Transformers' FineGrainedFP8 and DeepSeek: a scale for each block of `weight_block_size`; without it, one for the matrix.

    DeepSeek-V4's experts have four bits if `expert_dtype`, a field of the model, is "fp4": a scale of one byte for 32
    numbers, as MXFP4. A checkpoint in this method that Model Optimizer has changed in part is not known.
    """
    if settings.get("quant_algo") is not None:
        return None
    block = settings.get("weight_block_size")
    static = settings.get("activation_scheme") == "static"
    scale = 1 if settings.get("scale_fmt") == "ue8m0" and settings.get("scale_dtype") == "uint8" else 4
    matrix = fp8_tensor(static=static) if block is None else fp8_of_blocks(block, scale)
    if settings.get("expert_dtype") == "fp4":
        return Scheme(label="MXFP4 and FP8", matrix=matrix, parts=((MXFP4, ("experts",)),))
    return Scheme(label="FP8", matrix=matrix)


def _mxfp8(settings: Settings) -> Found:  # noqa: ARG001 - every method is asked the same way
    """MXFP8: a scale of one byte for 32 numbers of a row (sgl-project/sglang, layers/quantization/fp8.py)."""
    return Scheme(label="MXFP8", matrix=MXFP8)


def _gptq(settings: Settings) -> Found:
    """GPTQ: packed numbers, scales of 16 bits and zero points for each group of a row, and each column's group in four bytes."""
    bits, group = _number(settings, "bits", 4, PACKED_BITS), _number(settings, "group_size", 128, GROUPS)
    kinds = WITH_OUTPUT if settings.get("lm_head") is True else LINEAR
    return Scheme(label=f"INT{bits}", matrix=grouped(bits, group, zeros=True, column_bytes=4), kinds=kinds)


def _awq(settings: Settings) -> Found:
    """AWQ: as GPTQ, without a list of the columns' groups."""
    bits = _number(settings, "bits" if "bits" in settings else "w_bit", 4, PACKED_BITS)
    group = _number(settings, "group_size" if "group_size" in settings else "q_group_size", 128, GROUPS)
    return Scheme(label=f"INT{bits}", matrix=grouped(bits, group, zeros=settings.get("zero_point") is not False))


def _auto_round(settings: Settings) -> Found:
    """Intel's auto-round: the packing of GPTQ or AWQ, by `packing_format`; symmetric numbers have zero points all the same."""
    bits, group = _number(settings, "bits", 4, PACKED_BITS), _number(settings, "group_size", 128, GROUPS)
    gptq = "gptq" in str(settings.get("packing_format", "auto_gptq"))
    return Scheme(label=f"INT{bits}", matrix=grouped(bits, group, zeros=True, column_bytes=4 if gptq else 0))


def _bitsandbytes(settings: Settings) -> Found:
    """bitsandbytes: four bits in blocks of 64, or eight bits with a four-byte scale for each row."""
    if settings.get("load_in_4bit") is True:
        return Scheme(label="NF4", matrix=nf4(double=settings.get("bnb_4bit_use_double_quant") is True))
    if settings.get("load_in_8bit") is True:
        return Scheme(label="INT8", matrix=MatrixFormat(numbers=INT8, row_bytes=4))
    return None


def _mxfp4(settings: Settings) -> Found:  # noqa: ARG001 - as above
    """Transformers' MXFP4 (gpt-oss): the experts alone."""
    return Scheme(label="MXFP4", matrix=MXFP4, kinds=_EXPERTS)


def _fbgemm(settings: Settings) -> Found:  # noqa: ARG001 - as above
    """fbgemm_fp8: a four-byte scale for each row."""
    return Scheme(label="FP8", matrix=fp8_channels(4))


METHODS: Mapping[str, Callable[[Settings], Found]] = MappingProxyType(
    {
        "fp8": _fp8,
        "mxfp8": _mxfp8,
        "gptq": _gptq,
        "awq": _awq,
        "auto-round": _auto_round,
        "bitsandbytes": _bitsandbytes,
        "mxfp4": _mxfp4,
        "fbgemm_fp8": _fbgemm,
        "compressed-tensors": compressed_tensors,
        "modelopt": model_optimizer,
        "modelopt_fp4": model_optimizer,
        "quark": quark,
    }
)
"""`quant_method` -> the function that reads its settings."""
