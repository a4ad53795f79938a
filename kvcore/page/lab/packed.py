"""A reader's own model as a short text, for a link: its name and the fields of its config.json that its shape is made of.

    base64url(zlib(JSON [name, fields]))

It is read back through `read_config`, as any config is, so a link can bring nothing that a config could not. How weights are
stored (`quantization_config`, `torch_dtype`) travels too, unless it would make the text too long. Both ways are bounded: a text in its length,
and what it unpacks to in its size.
"""

import binascii
import json
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache

from kvcore.config import Reading, read_config
from kvcore.errors import Invalid, KvcoreError
from kvcore.page.lab.v1_shapes import read_v1_shape
from kvcore.shape import Shape

__all__ = ["LONGEST_NAME", "MOST_CHARACTERS", "clean_name", "pack", "pack_v1", "unpack"]

MOST_CHARACTERS = 4000
"""Of a packed config: browsers and chat programs cut longer addresses."""

LONGEST_NAME = 60

_MOST_UNPACKED = 200_000
"""Bytes of JSON that a link may unpack to; the longest published config that packs at all has 37,069."""

_STORAGE = ("quantization_config", "torch_dtype", "dtype")
"""Fields that say how weights are stored."""

_V1_SHAPE = "kvcore_v1_shape"
"""In the place of a config: the shape that a link of before configs carried, in that link's own spelling."""

_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")
_PACKED = re.compile(r"[A-Za-z0-9_-]+")


def clean_name(name: str) -> str:
    """A model's name as a link can hold it: letters, digits, dots, hyphens and single spaces, at most LONGEST_NAME of them.

    >>> clean_name("  My <b>Llama</b> 3.1! ")
    'My b Llama b 3.1'
    """
    kept = re.sub(r"[^A-Za-z0-9.\- ]+", " ", name)
    return " ".join(kept.split())[:LONGEST_NAME].strip(" .-")


def pack(name: str, config: object) -> str:
    """The text of a named config.

    Raises:
        KvcoreError: naming the field, as `read_config` does; `config` where it does not fit into a link.
    """
    fields = read_config(config).fields
    packed = _packed(name, fields)
    if len(packed) > MOST_CHARACTERS:
        packed = _packed(name, {key: value for key, value in fields.items() if key not in _STORAGE})
    if len(packed) > MOST_CHARACTERS:
        raise Invalid("config", f"{len(packed)} characters packed", f"at most {MOST_CHARACTERS}, to fit into a link")
    return packed


def pack_v1(spelled: str) -> str:
    """The same state from a link of before: `spelled` is "Name~Shape(...)".

    Raises:
        KvcoreError: when it spells no shape.
    """
    name, shape = spelled.partition("~")[::2]
    read_v1_shape(shape)
    cleaned = clean_name(name.replace("+", " "))
    if not cleaned:
        raise Invalid("spec", name, "a name with a letter or a digit")
    return _packed(cleaned, {_V1_SHAPE: shape})


@lru_cache(maxsize=8)
def unpack(text: str) -> tuple[str, Shape]:
    """The name and the shape that a text packs; remembered, as a page asks for them at every move.

    Raises:
        KvcoreError: `config` where the text itself is wrong, else the config's own field.
    """
    name, fields = _unpacked(text)
    if set(fields) == {_V1_SHAPE}:
        return name, read_v1_shape(str(fields[_V1_SHAPE]))
    return name, read_config(fields).shape


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
        inflating = zlib.decompressobj()
        padded = text.encode().translate(_FROM_URL) + b"=" * (-len(text) % 4)
        data = inflating.decompress(binascii.a2b_base64(padded), _MOST_UNPACKED)
        if not inflating.eof:
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
    """What the config of a packed text says, with the defaults taken for the fields it leaves out."""
    return read_config(_unpacked(text)[1])
