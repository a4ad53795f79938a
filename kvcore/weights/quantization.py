"""Reads how a checkpoint stores its weights, from the `quantization_config` and the dtype of its config.json.

Each quantization tool writes fields of its own; `quant_method` names the tool. A method or a setting that is not known is
not guessed: the weights are then counted in 16 bits, and the storage's `note` says so.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from kvcore.dtypes import WEIGHT_DTYPES, Dtype
from kvcore.errors import Invalid, short_repr
from kvcore.weights.methods import METHODS
from kvcore.weights.modules import named_modules
from kvcore.weights.scheme import Scheme, Settings
from kvcore.weights.storage import SHIPPED, WeightStorage

__all__ = ["LEFT_OUT", "shipped_storage"]

_DTYPES: Mapping[str, str] = MappingProxyType({"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"})
_MOST_PATTERNS = 200_000

LEFT_OUT = "kvcore_left_out"
"""A setting that links of the page add: the names of the settings that were too long for a link."""


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
            return _quantized({**settings, "expert_dtype": found.get("expert_dtype")}, rest)
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
    method = _method(settings)
    reader = METHODS.get(method)
    found = None if reader is None else reader(settings)
    if found is None:
        return _unknown(settings, rest)
    kept, unread = named_modules([*_patterns(settings), *_exceptions(settings)])
    targets, unread_targets = (None, []) if found.targets is None else named_modules(found.targets)
    unread += unread_targets
    parts = []
    for matrix, names in found.parts:
        modules, unread_names = named_modules(names)
        parts.append((matrix, modules))
        unread += unread_names
    return WeightStorage(
        name=SHIPPED, label=f"{found.label}, as shipped", source=f"config.json: quantization_config ({method})", rest=rest,
        matrix=found.matrix, kinds=found.kinds, kept=kept, targets=targets, parts=tuple(parts),
        note=_note(settings, found, unread, rest),
    )  # fmt: skip


def _method(settings: Settings) -> str:
    """The tool: `quant_method`, or "modelopt" where older files of Model Optimizer name it as their `producer` alone."""
    method, producer = settings.get("quant_method"), settings.get("producer")
    if method is None and isinstance(producer, Mapping):
        method = producer.get("name")
    return method if isinstance(method, str) else ""


def _note(settings: Settings, found: Scheme, unread: list[str], rest: Dtype) -> str:
    if settings.get(LEFT_OUT):
        return f"The link left out which modules stay in {rest.label}: all are counted as {found.label}."
    if unread:
        return (
            f"The config names modules that are stored otherwise by patterns that are not read here, such as {short_repr(unread[0])}: "
            f"they are counted as {found.label}."
        )
    return ""


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


def _unknown(settings: Settings, rest: Dtype) -> WeightStorage:
    what = {key: settings[key] for key in ("quant_method", "quant_algo", "format", "bits") if key in settings}
    said = ", ".join(f"{key} {short_repr(value)}" for key, value in what.items())
    why = "by settings that the link left out" if settings.get(LEFT_OUT) else "in a way that is not known here"
    note = f"The config says that the weights are quantized ({said}), {why}: they are counted in {rest.label}."
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
