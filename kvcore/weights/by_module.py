"""Tools that may store modules in different formats: compressed-tensors, NVIDIA Model Optimizer, and AMD Quark."""

from collections.abc import Mapping

from kvcore.errors import Invalid
from kvcore.weights.formats import MatrixFormat, fp8_blocks, fp8_channels, fp8_tensor, grouped
from kvcore.weights.scheme import Format, Found, Settings, of_one, of_several
from kvcore.weights.storage import INT8, MXFP4, MXFP8, NVFP4

__all__ = ["GROUPS", "PACKED_BITS", "compressed_tensors", "fp8_of_blocks", "model_optimizer", "quark"]

PACKED_BITS = (2, 3, 4, 8)
GROUPS = (-1, 16, 32, 64, 128, 256, 512, 1024)
_MOST_MODULES = 200_000


def fp8_of_blocks(block: object, scale_bytes: int = 4) -> MatrixFormat:
    """FP8 with a scale for each block of rows and columns.

    Raises:
        Invalid: if these are no two numbers.
    """
    match block:
        case [int() as rows, int() as columns] if 0 < rows <= 2**16 and 0 < columns <= 2**16:
            return fp8_blocks(rows, columns, scale_bytes)
    raise Invalid("quantization_config.weight_block_size", block, "two numbers, rows and columns")


def compressed_tensors(settings: Settings) -> Found:
    """compressed-tensors: groups of modules, by names or by their class, each with a format.

    Source: vllm-project/compressed-tensors@ac8e2ba, quantization/quant_scheme.py; names go before the class.
    """
    groups = settings.get("config_groups")
    if not isinstance(groups, Mapping):
        return None
    return of_several((_group(group), _targets(group)) for group in groups.values())


def _targets(group: object) -> list[str]:
    targets = group.get("targets") if isinstance(group, Mapping) else None
    return [name for name in targets if isinstance(name, str)] if isinstance(targets, list) else ["Linear"]


def _group(group: object) -> Format | None:
    weights = group.get("weights") if isinstance(group, Mapping) else None
    if not isinstance(weights, Mapping):
        return None
    bits, strategy, size = weights.get("num_bits"), weights.get("strategy", "tensor"), weights.get("group_size")
    read = {"float": _floats, "int": _integers}.get(str(weights.get("type")))
    return None if read is None or type(bits) is not int else read(weights, bits, str(strategy), size)


def _floats(weights: Settings, bits: int, strategy: str, size: object) -> Format | None:
    """Numbers of type "float": FP8 by matrix, row or block; NVFP4 in groups of 16, MXFP4 and MXFP8 in groups of 32."""
    if (bits, strategy) == (8, "block"):
        return "FP8", fp8_of_blocks(weights.get("block_structure"))
    formats = {
        (8, "channel", None): ("FP8", fp8_channels()),
        (8, "tensor", None): ("FP8", fp8_tensor(static=False)),
        (8, "group", 32): ("MXFP8", MXFP8),
        (4, "tensor_group", 16): ("NVFP4", NVFP4),
        (4, "group", 32): ("MXFP4", MXFP4),
    }
    return formats.get((bits, strategy, size if isinstance(size, int) else None))


def _integers(weights: Settings, bits: int, strategy: str, size: object) -> Format | None:
    """Numbers of type "int": INT8 by matrix or row; packed ones in groups, each matrix with its shape, two numbers of eight bytes."""
    if bits == 8 and strategy in {"channel", "tensor"}:
        return "INT8", MatrixFormat(numbers=INT8, row_bytes=2 if strategy == "channel" else 0)
    group = -1 if size is None else size
    if bits not in PACKED_BITS or not isinstance(group, int) or group not in GROUPS:
        return None
    return f"INT{bits}", grouped(bits, group, zeros=weights.get("symmetric") is False, matrix_bytes=16)


_ALGORITHMS: Mapping[object, Format] = {
    "FP8": ("FP8", fp8_tensor()),
    "NVFP4": ("NVFP4", NVFP4),
    "W4A16_NVFP4": ("NVFP4", NVFP4),
    "FP8_PB_WO": ("FP8", fp8_blocks(128, 128)),
    "FP8_PB_REAL": ("FP8", fp8_blocks(128, 128)),
    "MXFP8": ("MXFP8", MXFP8),
    "W4A8_MXFP4_FP8": ("MXFP4", MXFP4),
}
"""NVIDIA/TensorRT-Model-Optimizer@5a4242f, modelopt/torch/export/quant_utils.py (process_layer_quant_config): `quant_algo`."""


def model_optimizer(settings: Settings) -> Found:
    """NVIDIA Model Optimizer: one `quant_algo`, or MIXED_PRECISION and `quantized_layers`, the algorithm of each module.

    Modules that are not listed there stay in 16 bits. Source: as `_ALGORITHMS`.

    >>> scheme = model_optimizer({"quant_algo": "MIXED_PRECISION", "quantized_layers": {
    ...     "lm_head": {"quant_algo": "W4A16_NVFP4"}, "model.layers.0.mlp.up_proj": {"quant_algo": "MXFP8"}}})
    >>> scheme.label, scheme.matrix, [names for _, names in scheme.parts]
    ('NVFP4 and MXFP8', None, [('lm_head',), ('model.layers.0.mlp.up_proj',)])
    """
    algorithm = settings.get("quant_algo")
    if algorithm != "MIXED_PRECISION":
        known = isinstance(algorithm, str) and algorithm in _ALGORITHMS
        return of_one(_ALGORITHMS[algorithm]) if known else compressed_tensors(settings)
    layers = settings.get("quantized_layers")
    if not isinstance(layers, Mapping) or len(layers) > _MOST_MODULES:
        return None
    return of_several((_algorithm_of(own), [str(name)]) for name, own in layers.items())


def _algorithm_of(own: object) -> Format | None:
    algorithm = own.get("quant_algo") if isinstance(own, Mapping) else None
    return _ALGORITHMS.get(algorithm) if isinstance(algorithm, str) else None


def quark(settings: Settings) -> Found:
    """AMD Quark: a format for all matrices, and other formats for the modules that patterns name.

    Source: sgl-project/sglang, python/sglang/srt/layers/quantization/quark (quark.py and its schemes).
    """
    whole, by_name = settings.get("global_quant_config"), settings.get("layer_quant_config")
    named = by_name.items() if isinstance(by_name, Mapping) else ()
    return of_several([*((_quark_format(own), [str(name)]) for name, own in named), (_quark_format(whole), ["Linear"])])


def _quark_format(own: object) -> Format | None:
    """FP8 with a four-byte scale for a matrix or each row, and one for a static input; or MXFP4."""
    weight = own.get("weight") if isinstance(own, Mapping) else None
    if not isinstance(own, Mapping) or not isinstance(weight, Mapping):
        return None
    inputs = own.get("input_tensors")
    static = isinstance(inputs, Mapping) and inputs.get("is_dynamic") is False
    match weight.get("dtype"), weight.get("qscheme"), weight.get("group_size"), weight.get("scale_format"):
        case "fp8_e4m3", "per_tensor", _, _:
            return "FP8", fp8_tensor(static=static)
        case "fp8_e4m3", "per_channel", _, _:
            return "FP8", fp8_channels(4)
        case "fp4", "per_group", 32, "e8m0":
            return "MXFP4", MXFP4
    return None
