"""Packs an imported model into a short text for a link: its name, and the fields of its config.json that its shape needs.

    base64url(zlib(JSON [name, fields]))

`unpack` reads the fields with `read_config`, so a link can contain nothing that a config.json could not. What the config
says on how its weights are quantized is packed too, unless that makes the text too long: then without the long parts, which
list single matrices, and if it is still too long, not at all. The length of the text and the size of the unpacked JSON are
limited, so a link cannot exhaust the browser's memory.
"""

import binascii
import json
import re
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from kvcore.config import read_config
from kvcore.errors import Invalid, KvcoreError
from kvcore.page.lab.v1_shapes import read_v1_shape
from kvcore.shape import Shape
from kvcore.weights import LEFT_OUT, WeightStorage, shipped_storage

__all__ = ["LONGEST_NAME", "MOST_CHARACTERS", "assumed_in", "clean_name", "pack", "pack_v1", "unpack"]

MOST_CHARACTERS = 4000
"""The most characters of a packed config: browsers and chat programs cut off longer addresses."""

LONGEST_NAME = 60
"""The most characters of a model's name."""

_MOST_UNPACKED = 200_000
"""The most bytes of unpacked JSON; the longest published config that fits into a link has 37,069."""

_QUANTIZATION = "quantization_config"
"""The field that may be long, up to megabytes, and that the shape does not need. (The dtype of the weights is short, and the
size of a recurrent state depends on it.)"""

_METHOD, _MOST_NAMES = "quant_method", 8

_LONGEST_SETTING = 500
"""The most characters, as JSON, of a setting in quantization_config that stays when the whole makes a link too long. Longer ones
list matrices one by one: `quantized_layers` of a published config has three million characters."""

_V1_SHAPE = "kvcore_v1_shape"
"""The one field of a packed model from an old link, which has the text of a shape in place of a config."""

_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")
_PACKED = re.compile(r"[A-Za-z0-9_-]+")


def clean_name(name: str) -> str:
    """Reduce a model's name to what a link allows: letters, digits, dots, hyphens and single spaces, at most LONGEST_NAME.

    >>> clean_name("  My <b>Llama</b> 3.1! ")
    'My b Llama b 3.1'
    """
    kept = re.sub(r"[^A-Za-z0-9.\- ]+", " ", name)
    return " ".join(kept.split())[:LONGEST_NAME].strip(" .-")


def pack(name: str, config: object) -> str:
    """Pack the name and the config of a model.

    Raises:
        KvcoreError: as `read_config` does, with the config's field; with the field `config` if the text is too long.
    """
    fields = read_config(config).fields
    packed = ""
    for tried in (fields, _reduced(fields, _without_lists), _reduced(fields, _without_quantization)):
        text = json.dumps([name, dict(tried)], separators=(",", ":"))
        if len(text) <= _MOST_UNPACKED:
            packed = _compressed(text)
            if len(packed) <= MOST_CHARACTERS:
                return packed
    size = f"{len(packed)} characters packed" if packed else f"{len(text)} characters"
    raise Invalid("config", size, f"at most {MOST_CHARACTERS} packed and {_MOST_UNPACKED} unpacked, to fit into a link")


def _reduced(
    fields: Mapping[str, object], reduce: Callable[[Mapping[str, object]], dict[str, object]]
) -> dict[str, object]:
    """The fields, and those of a `text_config` among them, with less on how weights are stored."""
    found = reduce(fields)
    inner = found.get("text_config")
    return {**found, "text_config": reduce(inner)} if isinstance(inner, Mapping) else found


def _without_quantization(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields with the method alone of how the weights are quantized."""
    settings = fields.get(_QUANTIZATION)
    if not isinstance(settings, Mapping):
        return dict(fields)
    left_out = {LEFT_OUT: [key for key in list(settings)[:_MOST_NAMES] if key != _METHOD]}
    return {**fields, _QUANTIZATION: {_METHOD: settings.get(_METHOD), **left_out}}


def _without_lists(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields with the short settings of their `quantization_config` alone."""
    found = dict(fields)
    settings = found.get(_QUANTIZATION)
    if isinstance(settings, Mapping):
        short = {key: value for key, value in settings.items() if len(json.dumps(value)) <= _LONGEST_SETTING}
        found[_QUANTIZATION] = {**short, LEFT_OUT: [key for key in settings if key not in short][:_MOST_NAMES]}
    return found


def pack_v1(text: str) -> str:
    """Pack the name and the shape of an old link; `text` is "Name~Shape(...)".

    Raises:
        KvcoreError: if the text has no name or no valid shape; its field is `spec` or a field of the shape.
    """
    name, shape = text.partition("~")[::2]
    read_v1_shape(shape)
    cleaned = clean_name(name.replace("+", " "))
    if not cleaned:
        raise Invalid("spec", name, "a name with a letter or a digit")
    return _packed(cleaned, {_V1_SHAPE: shape})


def unpack(text: str) -> tuple[str, Shape, WeightStorage]:
    """Read a packed text: the model's name, its shape, and how its checkpoint stores its weights.

    Raises:
        KvcoreError: with the field `config` if the text is not a packed config; else with the config's field.
    """
    return _read(text)[:3]


def assumed_in(text: str) -> Mapping[str, object]:
    """Read a packed text: the defaults that were taken for fields that its config leaves out. An old link's shape is whole.

    Raises:
        KvcoreError: as `unpack` does.
    """
    return _read(text)[3]


@lru_cache(maxsize=8)
def _read(text: str) -> tuple[str, Shape, WeightStorage, Mapping[str, object]]:
    """The name, the shape, the storage of the weights and the assumed values; cached, because every answer needs them."""
    name, fields = _unpacked(text)
    if set(fields) == {_V1_SHAPE}:
        return name, read_v1_shape(str(fields[_V1_SHAPE])), shipped_storage({}), MappingProxyType({})
    reading = read_config(fields)
    return name, reading.shape, reading.weights, reading.assumed


def _packed(name: str, fields: Mapping[str, object]) -> str:
    return _compressed(json.dumps([name, dict(fields)], separators=(",", ":")))


def _compressed(text: str) -> str:
    data = binascii.b2a_base64(zlib.compress(text.encode(), 9), newline=False)
    return data.rstrip(b"=").translate(_TO_URL).decode()


def _unpacked(text: str) -> tuple[str, dict[str, object]]:
    if len(text) > MOST_CHARACTERS:
        raise Invalid("config", f"{len(text)} characters", f"at most {MOST_CHARACTERS} characters")
    if not _PACKED.fullmatch(text):
        raise Invalid("config", text, "a config as a link of this page packs it")
    try:
        decompressor = zlib.decompressobj()
        padded = text.encode().translate(_FROM_URL) + b"=" * (-len(text) % 4)
        data = decompressor.decompress(binascii.a2b_base64(padded), _MOST_UNPACKED)
        if not decompressor.eof:
            raise Invalid("config", text, f"a whole one that unpacks to at most {_MOST_UNPACKED} bytes")
        found = json.loads(data)
    except KvcoreError:
        raise
    except (ValueError, RecursionError, zlib.error) as error:
        raise Invalid("config", text, f"a config as a link of this page packs it ({type(error).__name__})") from error
    match found:
        case [str() as name, dict() as fields] if name and name == clean_name(name):
            return name, fields
    raise Invalid("config", text, "a name and the fields of a config")
