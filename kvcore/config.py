"""Reads a Hugging Face config.json, or Mistral's params.json, into a shape, or refuses it and names the field that is the reason.

A config is data from strangers. Every field that a family's code reads is read here with its type and range checked,
every default is that code's own and is remembered as assumed, and a field that nobody has read, but whose name speaks
of heads, layers, windows and the like, is refused: what kvcore does not know it does not count.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvcore.errors import Invalid, KvcoreError, Unsupported
from kvcore.families import ALIASES, FAMILIES, NESTED, REFUSED
from kvcore.fields import Fields
from kvcore.mistral_params import KIND, is_mistral_params, read_mistral_params
from kvcore.nested import text_fields
from kvcore.shape import Shape
from kvcore.weights import WeightStorage, shipped_storage

__all__ = ["MOST_CHARACTERS", "Reading", "parse_config", "read_config", "shape_from_config"]

_MOST_FIELDS = 1024

MOST_CHARACTERS = 8_000_000
"""The most characters of a file. The longest published config that we know of has 3.1 million, nearly all of them in
`quantization_config.quantized_layers`, a list of the matrices of a model with 384 experts in 60 layers."""

_MOST_DEPTH = 64  # the JSON reader recurses, and in the browser there is little stack
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_NO_LAYOUT = (
    "architectures",
    "auto_map",
    "rope_parameters",
    "rope_scaling",
    "transformers_version",
    "vision_config",
    "audio_config",
)
_STORAGE = ("compression_config", "dtype", "quantization_config", "torch_dtype")
"""How the checkpoint's weights are stored (see `kvcore.weights`), which is no part of the shape."""

_ONCE_FLAT = {"qwen2_vl": "qwen2_vl_text", "qwen2_5_vl": "qwen2_5_vl_text"}  # before text_config there was one level


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a config says: the shape, the model_type it was read as, and the defaults taken for fields it leaves out.

    `assumed` maps the full name of each such field (`text_config.num_key_value_heads`) to the value that was taken, which is
    the default of the family's own code. `fields` are those of its fields that were read: a smaller config that reads the same.
    `weights` is how the checkpoint stores its weights.
    """

    model_type: str
    shape: Shape
    assumed: Mapping[str, object]
    fields: Mapping[str, object]
    weights: WeightStorage


def read_config(config: object) -> Reading:
    """Read the parsed JSON of a config.json, or of Mistral's params.json.

    Raises:
        Invalid: a field is missing, of the wrong type, out of range, or contradicts another.
        Unsupported: model_type, a layer type or a field has no formula here.

    >>> gpt2 = {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257}
    >>> reading = read_config(gpt2)
    >>> reading.shape.params, reading.assumed["n_inner"]
    (124439808, 3072)
    """
    outer = fields = Fields(config)
    if isinstance(config, Mapping) and len(config) > _MOST_FIELDS:
        raise Invalid("config", config, f"an object of at most {_MOST_FIELDS} fields")
    if is_mistral_params(config):
        return _reading(outer, fields, KIND, read_mistral_params(_with_storage(fields)))
    kind = fields.value("model_type")
    if isinstance(kind, str) and kind in NESTED:
        if isinstance(fields.value("text_config"), Mapping):
            fields, kind = text_fields(fields, kind)
        elif kind in _ONCE_FLAT:
            kind = _ONCE_FLAT[kind]
        else:
            raise Invalid("text_config", fields.value("text_config"), "an object with the fields of the text model")
    fields.value("model_type")
    _with_storage(outer)
    _with_storage(fields)
    reader = FAMILIES.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise Unsupported(
            fields.name("model_type"), kind, REFUSED.get(str(kind), f"one of {', '.join((*FAMILIES, *NESTED))}")
        )
    for key, names in ALIASES.get(str(kind), {}).items():
        fields.also_called(key, *names)
    return _reading(outer, fields, str(kind), reader(fields))


def _with_storage(fields: Fields) -> Fields:
    """Mark what says how the weights are stored as read, and what says nothing of the layers as known."""
    fields.ignore(*_NO_LAYOUT, why="names of programs, rotary positions, and encoders, which are not counted")
    for key in _STORAGE:
        fields.value(key)
    return fields


def _reading(outer: Fields, fields: Fields, kind: str, shape: Shape) -> Reading:
    """Refuse the fields that nobody knows, and put the reading together."""
    fields.finish()
    used = outer.used() if fields is outer else {**outer.used(), "text_config": fields.used()}
    return Reading(
        model_type=kind,
        shape=shape,
        assumed=MappingProxyType(fields.assumed),
        fields=MappingProxyType(used),
        weights=shipped_storage(used),
    )


def parse_config(text: str) -> object:
    """The JSON of a config.json, which may hold NaN and Infinity as Python writes them.

    Raises:
        Invalid: when the text is too long, is no JSON, is nested too deeply, or has an integer with too many digits; with the name of a field
            that an object has twice, as readers of JSON do not agree on which of them counts.

    >>> parse_config('{"hidden_size": 64, "hidden_size": 128}')
    Traceback (most recent call last):
    kvcore.errors.Invalid: hidden_size: 128 is not the only value of this field: the file has it twice
    """
    if len(text) > MOST_CHARACTERS:
        raise Invalid("config", f"{len(text)} characters", f"at most {MOST_CHARACTERS} characters")
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        part = text[match.start()]
        depth += 1 if part in "[{" else -1 if part in "]}" else 0
        if depth > _MOST_DEPTH:
            raise Invalid("config", f"{depth} levels", f"nested at most {_MOST_DEPTH} levels deep")
    try:
        return json.loads(text, object_pairs_hook=_object)
    except KvcoreError:
        raise
    except (ValueError, RecursionError) as error:
        raise Invalid("config", text, f"JSON that can be read ({type(error).__name__})") from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these fields."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, value in pairs:
            if key in seen:
                raise Invalid(key, value, "the only value of this field: the file has it twice")
            seen.add(key)
    return found


def shape_from_config(config: object) -> Shape:
    """The shape that a config.json describes; raises as `read_config` does."""
    return read_config(config).shape
