"""The options that commands share: a model or config, its load and types, and the GPUs and how they divide it."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from kvcore.catalog import DEFAULT_GPU, GPUS, MODELS, gpu
from kvcore.config import parse_config, read_config
from kvcore.dtypes import CACHE_DTYPES, Dtype, cache_dtype
from kvcore.engines import (
    ENGINES,
    STATE_DTYPES,
    as_engine_stores,
    cached_as,
    can_compute,
    engine,
    suggested_cache_dtypes,
    with_state_dtypes,
)
from kvcore.errors import Invalid
from kvcore.footprint import Footprint
from kvcore.loaded import as_loaded
from kvcore.parallel import PerGpu
from kvcore.shape import Shape
from kvcore.splits import Split
from kvcore.terminal import config_text
from kvcore.units import split_suffix
from kvcore.verdict import Verdict
from kvcore.weights import SHIPPED, SUGGESTED, WEIGHT_STORAGES, WeightStorage, weight_storage

__all__ = ["Asked", "add_deployment", "add_dtypes", "add_model", "dtypes", "model", "number", "read_deployment"]

_MOST_DIGITS = 1000  # CPython refuses to read above 4,300 digits; every allowed number is far shorter
_EDITS = ("layers", "query_heads", "head_dim", "kv_heads")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a command was asked about: the name of the model, what its config leaves out, the GPU's name, and the verdict.

    mtp_layers: how many MTP layers are published with the model; mtp: they are counted. shipped: how the model's own checkpoint
    stores its weights. cache_note: what the cache's type asks of a GPU that this one is not known to have, or "".
    """

    name: str
    mtp_layers: int
    mtp: bool
    assumed: Mapping[str, object]
    shipped: WeightStorage
    gpu_name: str
    cache_note: str
    verdict: Verdict

    @property
    def share(self) -> PerGpu:
        """What the fullest GPU stores."""
        return self.verdict.deployment

    @property
    def footprint(self) -> Footprint:
        """The weights and the cache of the whole load."""
        return self.share.footprint


def add_model(parser: argparse.ArgumentParser, flag: str, **options: str) -> None:
    """Add the argument that names a model, a config.json, or standard input."""
    text = "id of a model (see `kvcore models`), a config.json, or - to read one from standard input"
    parser.add_argument(flag, metavar="MODEL_OR_CONFIG", help=options.pop("help", text), **options)  # type: ignore[arg-type] # strings only


def add_dtypes(parser: argparse.ArgumentParser) -> None:
    """Add the options for the types of K and V."""
    names = ", ".join(CACHE_DTYPES)
    parser.add_argument("--cache-dtype", default="fp16", metavar="D", help=f"{names} (default: %(default)s)")
    parser.add_argument("--v-dtype", metavar="D", help="type of V where it differs from that of K")


def add_deployment(parser: argparse.ArgumentParser) -> None:
    """Add the options of a load, the types, the GPUs, and how they divide the model."""
    add_model(parser, "model")
    for name, default, text in (
        ("context", "8192", "tokens a sequence"),
        ("batch", "1", "sequences"),
    ):
        parser.add_argument(f"--{name}", default=default, metavar="N", help=f"{text} (default: %(default)s)")
    for flag, metavar, text in (
        ("--average", "N", "tokens that a sequence has on average (default: the context)"),
        ("--shared-prompt", "N", "tokens with which all sequences begin alike, stored once"),
        ("--host-memory", "BYTES", "memory of the host for the caches of users who wait, such as 256GiB"),
    ):
        parser.add_argument(flag, metavar=metavar, help=text)
    add_dtypes(parser)
    names = ", ".join((SHIPPED, *WEIGHT_STORAGES))
    parser.add_argument("--weight-dtype", default="fp16", metavar="D", help=f"{names} (default: %(default)s)")
    parser.add_argument("--gpu", default=DEFAULT_GPU, metavar="NAME", help=f"{', '.join(GPUS)} (default: %(default)s)")
    parser.add_argument("--gpu-bytes", metavar="BYTES", help="memory of a GPU that has no name here, such as 24GiB")
    for name, text in (
        ("tp", "GPUs that share every layer (tensor parallel)"),
        ("pp", "pipeline stages, which divide the layers"),
        ("dp", "data-parallel copies of the attention, which divide the sequences"),
        ("cp", "GPUs of tp that divide the tokens of a sequence (context parallel)"),
        ("ep", "GPUs that divide the experts (expert parallel)"),
    ):
        parser.add_argument(f"--{name}", default="1", metavar="N", help=f"{text} (default: %(default)s)")
    parser.add_argument("--engine", default="none", metavar="E", help=f"{', '.join(ENGINES)} (default: %(default)s)")
    parser.add_argument(
        "--reserve", metavar="P", help="percent of each GPU left free (default: the engine's; 10 without one)"
    )
    parser.add_argument("--block-size", metavar="N", help="tokens of a block (default: the engine's; 1 without one)")
    parser.add_argument(
        "--state-dtype",
        default="",
        metavar="D",
        help=f"type of recurrent states: {', '.join(STATE_DTYPES)} (default: the engine's)",
    )
    parser.add_argument(
        "--conv-dtype",
        default="",
        metavar="D",
        help="type of convolution states, one of the same (default: the engine's)",
    )
    parser.add_argument(
        "--mtp",
        action="store_true",
        help="count the MTP layers that are published with the model, to guess tokens ahead",
    )
    parser.add_argument(
        "--expand-latents", action="store_true", help="cache the K and V of all heads in place of latents (MLA)"
    )
    for name in _EDITS:
        parser.add_argument(
            f"--{name.replace('_', '-')}", metavar="N", help=f"another number of {name.replace('_', ' ')}"
        )


def read_deployment(options: argparse.Namespace) -> Asked:
    """Read the options of `add_deployment`.

    Raises:
        KvcoreError: naming the option.
    """
    shape, assumed, weights = model(options.model)
    edits = {name: number(name, text) for name in _EDITS if (text := getattr(options, name)) is not None}
    keys, values = dtypes(options)
    chosen, serving = gpu(options.gpu), engine(options.engine)
    own_memory = options.gpu_bytes is not None
    shape = shape.edited(**edits) if edits else shape
    mtp_layers = 0 if shape.mtp is None else shape.mtp.layers
    shape = as_loaded(shape, mtp=options.mtp, expanded=options.expand_latents, padded=serving.pads_values)
    footprint = Footprint(
        shape=with_state_dtypes(as_engine_stores(serving, shape), options.state_dtype, options.conv_dtype),
        context=number("context", options.context),
        batch=number("batch", options.batch),
        shared_prompt=0 if options.shared_prompt is None else number("shared_prompt", options.shared_prompt),
        cache_dtype=cached_as(serving, keys, shape),
        value_dtype=values if options.v_dtype is not None else None,
        weight_dtype=weight_storage(options.weight_dtype, weights),
        gpu_bytes=memory("gpu_bytes", options.gpu_bytes) if own_memory else chosen.memory_bytes,
    )
    share = PerGpu(
        footprint=footprint,
        split=Split(
            tp=number("tp", options.tp),
            pp=number("pp", options.pp),
            dp=number("dp", options.dp),
            cp=number("cp", options.cp),
            ep=number("ep", options.ep),
        ),
        block_size=serving.block_size if options.block_size is None else number("block_size", options.block_size),
        reserve=Fraction(serving.reserve_percent(footprint.gpu_bytes), 100)
        if options.reserve is None
        else _percent("reserve", options.reserve),
        reserve_of_rest=serving.reserve_of_rest,
        index_keys_copied=serving.index_keys_copied,
    )
    name, computes = (f"GPU of {options.gpu_bytes}", ()) if own_memory else (chosen.name, chosen.peak_flops)
    dtype = footprint.cache_dtype
    return Asked(
        name=options.model,
        mtp_layers=mtp_layers,
        mtp=options.mtp,
        assumed=assumed,
        shipped=weights,
        gpu_name=name,
        cache_note=""
        if can_compute(dtype, computes)
        else f"engines cache in {dtype.label} on GPUs that compute in {dtype.arithmetic.upper()}, as {name} is not known to",
        verdict=Verdict(
            deployment=share,
            average=None if options.average is None else number("average", options.average),
            host_bytes=0 if options.host_memory is None else memory("host_memory", options.host_memory),
            cache_dtypes=suggested_cache_dtypes(serving, shape, computes),
            weight_dtypes=(weights, *SUGGESTED),
        ),
    )


def dtypes(options: argparse.Namespace) -> tuple[Dtype, Dtype]:
    """Return the types of K and V."""
    keys = cache_dtype(options.cache_dtype)
    return keys, keys if options.v_dtype is None else cache_dtype(options.v_dtype, "v_dtype")


def model(name: str) -> tuple[Shape, Mapping[str, object], WeightStorage]:
    """Return the shape of the model with this id, or of the config.json at this path, what was assumed for it, and how it stores its weights.

    Raises:
        KvcoreError: when there is neither such a model nor a file that can be read as a config.
    """
    if name in MODELS:
        return MODELS[name].shape, MappingProxyType({}), MODELS[name].weights
    try:
        reading = read_config(parse_config(config_text(name)))
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid("model", name, f"a config.json that can be read ({type(error).__name__})") from error
    return reading.shape, reading.assumed, reading.weights


def number(field: str, text: str) -> int:
    """Return an option's integer, written in ASCII digits, with a K or M if need be; the code that uses it checks its range.

    >>> number("context", "8192"), number("context", "32K"), number("context", "1M")
    (8192, 32768, 1048576)
    """
    whole, scale = split_suffix(text)
    digits = whole.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        raise Invalid(field, text, "an integer")
    return int(whole) * scale


_UNITS = MappingProxyType(
    {"": 1, "B": 1, **{f"{p}iB": 1024**n for n, p in enumerate("KMGT", 1)}, **{f"{p}B": 1000**n for n, p in enumerate("KMGT", 1)}}
)  # fmt: skip


def memory(field: str, text: str) -> int:
    """Return an amount of memory in bytes: digits, with a decimal point if need be, and a unit such as GiB or GB.

    >>> memory("budget", "16GiB"), memory("budget", "1.5 GB"), memory("budget", "1024")
    (17179869184, 1500000000, 1024)
    """
    amount = text.strip().rstrip("kKMGTiB").strip()
    unit = text.strip()[len(amount) :].strip().replace("k", "K")
    whole, _, part = amount.partition(".")
    digits = f"{whole}{part}"
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS and unit in _UNITS):
        raise Invalid(field, text, "an amount of memory such as 16GiB, 16GB or a number of bytes")
    return int(Fraction(int(digits) * _UNITS[unit], 10 ** len(part)))


def _percent(field: str, text: str) -> Fraction:
    """Return the fraction that so many percent are, with decimals if need be; the code that uses it checks its range."""
    whole, _, part = text.partition(".")
    if not (f"{whole}{part}".isascii() and f"{whole}{part}".isdecimal() and len(text) <= _MOST_DIGITS):
        raise Invalid(field, text, "a number of percent")
    return Fraction(int(f"{whole}{part}"), 100 * 10 ** len(part))
