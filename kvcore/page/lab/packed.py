"""Packs an imported model into a short text for a link: its name, and the fields of its config.json that its shape needs.

    base64url(zlib(JSON [name, fields]))

`unpack` reads the fields with `read_config`, so a link can contain nothing that a config.json could not. The fields on
how weights are stored (`quantization_config`, `torch_dtype`) are packed too, unless they make the text too long. The
length of the text and the size of the unpacked JSON are limited, so a link cannot exhaust the browser's memory.
"""

import binascii
import json
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from kvcore.config import read_config
from kvcore.errors import Invalid, KvcoreError
from kvcore.page.lab.v1_shapes import read_v1_shape
from kvcore.shape import Shape

__all__ = ["LONGEST_NAME", "MOST_CHARACTERS", "assumed_in", "clean_name", "pack", "pack_v1", "unpack"]

MOST_CHARACTERS = 4000
"""The most characters of a packed config: browsers and chat programs cut off longer addresses."""

LONGEST_NAME = 60
"""The most characters of a model's name."""

_MOST_UNPACKED = 200_000
"""The most bytes of unpacked JSON; the longest published config that fits into a link has 37,069."""

_STORAGE = ("quantization_config", "torch_dtype", "dtype")
"""The config fields on how weights are stored; the shape does not need them."""

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
    packed = _packed(name, fields)
    if len(packed) > MOST_CHARACTERS:
        packed = _packed(name, {key: value for key, value in fields.items() if key not in _STORAGE})
    if len(packed) > MOST_CHARACTERS:
        raise Invalid("config", f"{len(packed)} characters packed", f"at most {MOST_CHARACTERS}, to fit into a link")
    return packed


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


def unpack(text: str) -> tuple[str, Shape]:
    """Read a packed text: the model's name and shape.

    Raises:
        KvcoreError: with the field `config` if the text is not a packed config; else with the config's field.
    """
    name, shape, _ = _read(text)
    return name, shape


def assumed_in(text: str) -> Mapping[str, object]:
    """Read a packed text: the defaults that were taken for fields that its config leaves out. An old link's shape is whole.

    Raises:
        KvcoreError: as `unpack` does.
    """
    return _read(text)[2]


@lru_cache(maxsize=8)
def _read(text: str) -> tuple[str, Shape, Mapping[str, object]]:
    """The name, the shape and the assumed values of a packed text; cached, because every answer needs them."""
    name, fields = _unpacked(text)
    if set(fields) == {_V1_SHAPE}:
        return name, read_v1_shape(str(fields[_V1_SHAPE])), MappingProxyType({})
    reading = read_config(fields)
    return name, reading.shape, reading.assumed


def _packed(name: str, fields: Mapping[str, object]) -> str:
    text = json.dumps([name, dict(fields)], separators=(",", ":"))
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
