"""Reads a Hugging Face config.json into a shape, or refuses it and names the field that is the reason.

A config is data from strangers. Every field that a family's code reads is read here with its type and range checked,
every default is that code's own and is remembered as assumed, and a field that nobody has read, but whose name speaks
of heads, layers, windows and the like, is refused: what kvcore does not know it does not count.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvcore.errors import Invalid, Unsupported
from kvcore.families import FAMILIES, NESTED, REFUSED
from kvcore.fields import Fields
from kvcore.shape import Shape

__all__ = ["Reading", "parse_config", "read_config", "shape_from_config"]

_MOST_FIELDS = 1024
_MOST_CHARACTERS = 1_000_000
_MOST_DEPTH = 64  # the JSON reader recurses, and in the browser there is little stack
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_NO_LAYOUT = ("architectures", "auto_map", "rope_parameters", "rope_scaling", "transformers_version")
_STORAGE = ("dtype", "quantization_config", "torch_dtype")
"""How the checkpoint's weights are stored: read, so that a link carries it, and no part of the shape."""

_ONCE_FLAT = {"qwen2_vl": "qwen2_vl_text", "qwen2_5_vl": "qwen2_5_vl_text"}  # before text_config there was one level


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a config says: the shape, the model_type it was read as, and the defaults taken for fields it leaves out.

    `fields` are those of its fields that were read: a smaller config that reads the same.
    """

    model_type: str
    shape: Shape
    assumed: Mapping[str, object]
    fields: Mapping[str, object]


def read_config(config: object) -> Reading:
    """Read the parsed JSON of a config.json.

    Raises:
        Invalid: a field is missing, of the wrong type, out of range, or contradicts another.
        Unsupported: model_type, a layer type or a field has no formula here.
    """
    outer = fields = Fields(config)
    if isinstance(config, Mapping) and len(config) > _MOST_FIELDS:
        raise Invalid("config", config, f"an object of at most {_MOST_FIELDS} fields")
    kind = fields.value("model_type")
    if isinstance(kind, str) and kind in NESTED:
        if isinstance(fields.value("text_config"), Mapping):
            fields, kind = _nested(fields, kind)
        elif kind in _ONCE_FLAT:
            kind = _ONCE_FLAT[kind]
        else:
            raise Invalid("text_config", fields.value("text_config"), "there, and it describes the layers")
    fields.ignore(*_NO_LAYOUT)
    fields.value("model_type")
    for key in _STORAGE:
        outer.value(key)
        fields.value(key)
    reader = FAMILIES.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise Unsupported(
            fields.name("model_type"), kind, REFUSED.get(str(kind), f"one of {', '.join((*FAMILIES, *NESTED))}")
        )
    shape = reader(fields)
    fields.finish()
    used = outer.used() if fields is outer else {**outer.used(), "text_config": fields.used()}
    return Reading(
        model_type=str(kind),
        shape=shape,
        assumed=MappingProxyType(fields.assumed),
        fields=MappingProxyType(used),
    )


def _nested(outer: Fields, kind: str) -> tuple[Fields, object]:
    """The fields of `text_config` and its model_type. `tie_word_embeddings` may be inside, outside, or the same in both."""
    allowed = NESTED[kind]
    text = outer.value("text_config")
    tied = outer.value("tie_word_embeddings")
    inner = Fields(text, "text_config.")
    inner_kind = inner.value("model_type")
    if inner_kind is None and len(allowed) == 1:
        inner_kind = allowed[0]
    if inner_kind not in allowed:
        expected = REFUSED.get(str(inner_kind), f"one of {', '.join(allowed)}, as {kind} has it")
        raise Unsupported("text_config.model_type", inner_kind, expected)
    if tied is not None and inner.has("tie_word_embeddings") and inner.value("tie_word_embeddings") != tied:
        raise Invalid("tie_word_embeddings", tied, "what text_config.tie_word_embeddings says")
    if tied is not None and isinstance(text, Mapping):
        inner = Fields({**text, "tie_word_embeddings": tied}, "text_config.")
    return inner, inner_kind


def parse_config(text: str) -> object:
    """The JSON of a config.json, which may hold NaN and Infinity as Python writes them.

    Raises:
        Invalid: when the text is too long, is no JSON, or nests or counts beyond what Python reads.
    """
    if len(text) > _MOST_CHARACTERS:
        raise Invalid("config", f"{len(text)} characters", f"at most {_MOST_CHARACTERS} characters")
    depth = deepest = 0
    for part in _STRING_OR_BRACKET.findall(text):
        depth += 1 if part in "[{" else -1 if part in "]}" else 0
        deepest = max(deepest, depth)
    if deepest > _MOST_DEPTH:
        raise Invalid("config", f"{deepest} levels", f"nested at most {_MOST_DEPTH} levels deep")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid("config", text, f"JSON that can be read ({type(error).__name__})") from error


def shape_from_config(config: object) -> Shape:
    """The shape that a config.json describes; raises as `read_config` does."""
    return read_config(config).shape
