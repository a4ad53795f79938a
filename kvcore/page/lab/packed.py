"""Packs an imported model into a short text for a link: its name, and the fields of its config.json that its shape needs.

    base64url(zlib(JSON [name, fields]))

`unpack` reads the fields with `read_config`, so a link can contain nothing that a config.json could not. The fields on
how weights are stored (`quantization_config`, `torch_dtype`) are packed too, but if they make the text too long: then without
the long parts of `quantization_config`, which list single matrices, and if it is still too long, not at all. The length of the
text and the size of the unpacked JSON are limited, so a link cannot exhaust the browser's memory.
"""

import binascii
import json
import re
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache

from kvcore.config import Reading, read_config
from kvcore.errors import Invalid, KvcoreError
from kvcore.page.lab.v1_shapes import read_v1_shape
from kvcore.shape import Shape

__all__ = ["LONGEST_NAME", "MOST_CHARACTERS", "clean_name", "pack", "pack_v1", "unpack"]

MOST_CHARACTERS = 4000
"""The most characters of a packed config: browsers and chat programs cut off longer addresses."""

LONGEST_NAME = 60
"""The most characters of a model's name."""

_MOST_UNPACKED = 200_000
"""The most bytes of unpacked JSON; the longest published config that fits into a link has 37,069."""

_STORAGE = ("quantization_config", "torch_dtype", "dtype")
"""The config fields on how weights are stored; the shape does not need them."""

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
    for tried in (fields, _reduced(fields, _without_lists), _reduced(fields, _without_storage)):
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


def _without_storage(fields: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key not in _STORAGE}


def _without_lists(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields with the short settings of their `quantization_config` alone."""
    found = dict(fields)
    settings = found.get("quantization_config")
    if isinstance(settings, Mapping):
        found["quantization_config"] = {
            key: value for key, value in settings.items() if len(json.dumps(value)) <= _LONGEST_SETTING
        }
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


@lru_cache(maxsize=8)
def unpack(text: str) -> tuple[str, Shape]:
    """Read a packed text: the model's name and shape. Cached, because every answer needs them.

    Raises:
        KvcoreError: with the field `config` if the text is not a packed config; else with the config's field.
    """
    name, fields = _unpacked(text)
    if set(fields) == {_V1_SHAPE}:
        return name, read_v1_shape(str(fields[_V1_SHAPE]))
    return name, read_config(fields).shape


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


def packed_reading(text: str) -> Reading:
    """Read the config in a packed text, with the defaults used for the fields that it leaves out.

    Raises:
        KvcoreError: as `unpack` does.
    """
    return read_config(_unpacked(text)[1])
