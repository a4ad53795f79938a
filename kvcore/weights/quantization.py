"""Reads how a checkpoint stores its weights, from the `quantization_config` and the dtype of its config.json.

Each quantization tool writes fields of its own; `quant_method` names the tool. A method or a setting that is not known is
not guessed: the weights are then counted in 16 bits, and the storage's `note` says so.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from kvcore.dtypes import WEIGHT_DTYPES, Dtype
from kvcore.errors import Invalid, short_repr
from kvcore.weights.formats import MatrixFormat, fp8_blocks, fp8_channels, fp8_tensor, grouped, nf4
from kvcore.weights.modules import Modules, named_modules
from kvcore.weights.storage import MXFP4, NVFP4, SHIPPED, WeightStorage

__all__ = ["LEFT_OUT", "shipped_storage"]

_DTYPES: Mapping[str, str] = MappingProxyType({"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"})
_EXPERTS = frozenset({"expert"})
_OUTPUT = ("lm_head",)
_MOST_PATTERNS = 200_000

LEFT_OUT = "kvcore_left_out"
"""A setting that links of the page add: the names of the settings that were too long for a link."""

type Settings = Mapping[str, object]


def shipped_storage(config: Settings) -> WeightStorage:
    """Return the storage of the weights of a config.json, or of the one that is nested in it as `text_config`.

    Raises:
        Invalid: naming the field, when a known method has a setting of the wrong type, or out of range.

    >>> shipped_storage({"dtype": "bfloat16"}).label
    'BF16, as shipped'
    >>> shipped_storage({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}).label
    'FP8, as shipped'
    """
    inner = config.get("text_config")
    configs = [config, *([inner] if isinstance(inner, Mapping) else [])]
    rest = _rest(configs)
    for found in configs:
        settings = found.get("quantization_config") or found.get("compression_config")
        if isinstance(settings, Mapping):
            return _quantized(settings, rest)
    return WeightStorage(name=SHIPPED, label=f"{rest.label}, as shipped", source="config.json: dtype", rest=rest)


def _rest(configs: Iterable[Settings]) -> Dtype:
    """The type of what is not quantized: that of the config's dtype, BF16 if it names none or a type of a byte."""
    for config in configs:
        for key in ("dtype", "torch_dtype"):
            name = config.get(key)
            if isinstance(name, str) and (known := _DTYPES.get(name.removeprefix("torch."))):
                return WEIGHT_DTYPES[known]
    return WEIGHT_DTYPES["bf16"]


def _quantized(settings: Settings, rest: Dtype) -> WeightStorage:
    method = settings.get("quant_method")
    reader = _METHODS.get(method) if isinstance(method, str) else None
    found = None if reader is None else reader(settings)
    if found is None:
        return _unknown(settings, rest)
    label, matrix, kinds = found
    kept, unread = named_modules([*_patterns(settings), *_exceptions(settings)])
    targets, unread_targets = _targets(settings)
    unread += unread_targets
    note = ""
    if settings.get(LEFT_OUT):
        note = f"The link left out which modules stay in {rest.label}: all are counted as {label}."
    elif unread:
        note = (
            f"The config names modules that are stored otherwise by patterns that are not read here, such as {short_repr(unread[0])}: "
            f"they are counted as {label}."
        )
    return WeightStorage(
        name=SHIPPED, label=f"{label}, as shipped", source=f"config.json: quantization_config ({method})", rest=rest, matrix=matrix,
        kinds=kinds, kept=kept, targets=targets, note=note,
    )  # fmt: skip


def _exceptions(settings: Settings) -> list[str]:
    """The modules that GPTQ's `dynamic` and auto-round's `extra_config` leave in 16 bits; those with other bits, as they are.

    A pattern after "other bits: " cannot be read as a module, so it becomes a part of the note.
    """
    found: list[str] = []
    for key, sixteen in (("dynamic", 0), ("extra_config", 16)):
        modules = settings.get(key)
        for name, own in modules.items() if isinstance(modules, Mapping) else ():
            bits = own.get("bits") if isinstance(own, Mapping) else None
            if key == "dynamic" and str(name).startswith("-:"):
                found.append(f"re:{str(name)[2:]}")
            elif sixteen and type(bits) is int and bits >= sixteen:
                found.append(str(name))
            else:
                found.append(f"re:(other bits: {name}")
    return found


def _targets(settings: Settings) -> tuple[Modules | None, list[str]]:
    """The modules that compressed-tensors' groups name; None where they name the class of all matrices."""
    groups = settings.get("config_groups")
    names: list[str] = []
    for group in groups.values() if isinstance(groups, Mapping) else ():
        targets = group.get("targets") if isinstance(group, Mapping) else None
        names += [name for name in targets if isinstance(name, str)] if isinstance(targets, list) else ["Linear"]
    if not names or "Linear" in names:
        return None, []
    return named_modules(names)


def _unknown(settings: Settings, rest: Dtype) -> WeightStorage:
    what = {key: settings[key] for key in ("quant_method", "quant_algo", "format", "bits") if key in settings}
    note = (
        f"The config says that the weights are quantized ({', '.join(f'{key} {short_repr(value)}' for key, value in what.items())}), "
        f"in a way that is not known here: they are counted in {rest.label}."
    )
    return WeightStorage(
        name=SHIPPED, label=f"{rest.label}, not as shipped", source="config.json", rest=rest, note=note
    )


def _patterns(settings: Settings) -> list[str]:
    """The modules that the settings exclude, under any of the names that tools give to that list."""
    found: list[str] = []
    for key in (
        "ignore",
        "modules_to_not_convert",
        "ignored_layers",
        "exclude_modules",
        "llm_int8_skip_modules",
        "exclude",
    ):
        names = settings.get(key)
        if names is None:
            continue
        if (
            not isinstance(names, list)
            or not all(isinstance(name, str) for name in names)
            or len(names) > _MOST_PATTERNS
        ):
            raise Invalid(f"quantization_config.{key}", names, "a list of names of modules")
        found += names
    return found


_LINEAR = frozenset({"attention", "recurrent", "mlp", "expert"})
_WITH_OUTPUT = _LINEAR | {"output"}

type Found = tuple[str, MatrixFormat, frozenset[str]] | None


def _number(settings: Settings, key: str, default: int, allowed: Iterable[int]) -> int:
    value = settings.get(key, default)
    if value is None:
        value = default
    if type(value) is not int or value not in allowed:
        raise Invalid(f"quantization_config.{key}", value, f"one of {', '.join(map(str, allowed))}")
    return value


_BITS = (2, 3, 4, 8)
_GROUPS = (-1, 16, 32, 64, 128, 256, 512, 1024)


def _fp8(settings: Settings) -> Found:
    """Transformers' FineGrainedFP8 and DeepSeek: a scale for each block of `weight_block_size`; without it, one for the matrix."""
    block = settings.get("weight_block_size")
    scale = 1 if settings.get("scale_fmt") == "ue8m0" and settings.get("scale_dtype") == "uint8" else 4
    if block is None:
        return "FP8", fp8_tensor(static=settings.get("activation_scheme") == "static"), _LINEAR
    match block:
        case [int() as rows, int() as columns] if 0 < rows <= 2**16 and 0 < columns <= 2**16:
            return "FP8", fp8_blocks(rows, columns, scale), _LINEAR
    raise Invalid("quantization_config.weight_block_size", block, "two numbers, rows and columns")


def _gptq(settings: Settings) -> Found:
    """GPTQ: packed numbers, scales of 16 bits and zero points for each group of a row, and each column's group in four bytes."""
    bits, group = _number(settings, "bits", 4, _BITS), _number(settings, "group_size", 128, _GROUPS)
    kinds = _WITH_OUTPUT if settings.get("lm_head") is True else _LINEAR
    return f"INT{bits}", grouped(bits, group, zeros=True, column_bytes=4), kinds


def _awq(settings: Settings) -> Found:
    """AWQ: as GPTQ, without a list of the columns' groups."""
    bits = _number(settings, "bits" if "bits" in settings else "w_bit", 4, _BITS)
    group = _number(settings, "group_size" if "group_size" in settings else "q_group_size", 128, _GROUPS)
    return f"INT{bits}", grouped(bits, group, zeros=settings.get("zero_point") is not False), _LINEAR


def _auto_round(settings: Settings) -> Found:
    """Intel's auto-round: the packing of GPTQ or AWQ, by `packing_format`; symmetric numbers have zero points all the same."""
    bits, group = _number(settings, "bits", 4, _BITS), _number(settings, "group_size", 128, _GROUPS)
    gptq = "gptq" in str(settings.get("packing_format", "auto_gptq"))
    return f"INT{bits}", grouped(bits, group, zeros=True, column_bytes=4 if gptq else 0), _LINEAR


def _bitsandbytes(settings: Settings) -> Found:
    """bitsandbytes: four bits in blocks of 64, or eight bits with a four-byte scale for each row."""
    if settings.get("load_in_4bit") is True:
        return "NF4", nf4(double=settings.get("bnb_4bit_use_double_quant") is True), _LINEAR
    if settings.get("load_in_8bit") is True:
        return "INT8", MatrixFormat(numbers=WEIGHT_DTYPES["int8"], row_bytes=4), _LINEAR
    return None


def _mxfp4(settings: Settings) -> Found:  # noqa: ARG001 - every method is asked the same way
    """Transformers' MXFP4 (gpt-oss): the experts alone."""
    return "MXFP4", MXFP4, _EXPERTS


def _fbgemm(settings: Settings) -> Found:  # noqa: ARG001 - as above
    """fbgemm_fp8: a four-byte scale for each row."""
    return "FP8", fp8_channels(4), _LINEAR


def _compressed_tensors(settings: Settings) -> Found:
    """compressed-tensors: the weights of the one group of modules that it names; several groups that differ are not read."""
    groups = settings.get("config_groups")
    if not isinstance(groups, Mapping) or not groups:
        return None
    found = {_group(group) for group in groups.values()}
    return found.pop() if len(found) == 1 else None


def _group(group: object) -> Found:
    weights = group.get("weights") if isinstance(group, Mapping) else None
    if not isinstance(weights, Mapping):
        return None
    bits, strategy, size = weights.get("num_bits"), weights.get("strategy", "tensor"), weights.get("group_size")
    read = {"float": _floats, "int": _integers}.get(str(weights.get("type")))
    return None if read is None or type(bits) is not int else read(weights, bits, str(strategy), size)


def _floats(weights: Settings, bits: int, strategy: str, size: object) -> Found:
    """Numbers of type "float": FP8 by matrix, row or block; NVFP4 in groups of 16, MXFP4 in groups of 32."""
    if (bits, strategy) == (8, "block"):
        return _fp8({"weight_block_size": weights.get("block_structure")})
    formats = {
        (8, "channel", None): ("FP8", fp8_channels()),
        (8, "tensor", None): ("FP8", fp8_tensor(static=False)),
        (4, "tensor_group", 16): ("NVFP4", NVFP4),
        (4, "group", 32): ("MXFP4", MXFP4),
    }
    found = formats.get((bits, strategy, size if isinstance(size, int) else None))
    return None if found is None else (*found, _LINEAR)


def _integers(weights: Settings, bits: int, strategy: str, size: object) -> Found:
    """Numbers of type "int": INT8 by matrix or row; packed ones in groups, each matrix with its shape, two numbers of eight bytes."""
    if bits == 8 and strategy in {"channel", "tensor"}:
        return "INT8", MatrixFormat(numbers=WEIGHT_DTYPES["int8"], row_bytes=2 if strategy == "channel" else 0), _LINEAR
    group = -1 if size is None else size
    if bits not in _BITS or not isinstance(group, int) or group not in _GROUPS:
        return None
    return f"INT{bits}", grouped(bits, group, zeros=weights.get("symmetric") is False, matrix_bytes=16), _LINEAR


def _modelopt(settings: Settings) -> Found:
    """NVIDIA Model Optimizer, by `quant_algo`, or by the groups that it writes as compressed-tensors does."""
    algorithm = settings.get("quant_algo")
    if algorithm == "FP8":
        return "FP8", fp8_tensor(), _LINEAR
    if algorithm in {"NVFP4", "W4A16_NVFP4"}:
        return "NVFP4", NVFP4, _LINEAR
    if algorithm in {"FP8_PB_WO", "FP8_PB_REAL"}:
        return "FP8", fp8_blocks(128, 128), _LINEAR
    return _compressed_tensors(settings)


_METHODS: Mapping[str, Callable[[Settings], Found]] = MappingProxyType(
    {
        "fp8": _fp8,
        "gptq": _gptq,
        "awq": _awq,
        "auto-round": _auto_round,
        "bitsandbytes": _bitsandbytes,
        "mxfp4": _mxfp4,
        "fbgemm_fp8": _fbgemm,
        "compressed-tensors": _compressed_tensors,
        "modelopt": _modelopt,
        "modelopt_fp4": _modelopt,
    }
)
"""`quant_method` -> the function that reads its settings."""
