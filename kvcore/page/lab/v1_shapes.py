"""Reads the shapes in old links. Links had the text of a shape before they had configs, and must keep their meaning.

    Shape(h:4096,q:32,groups:(Layers(l:32,k:8,d:128,e:128)),mlps:(Mlp(l:32,i:14336,gated:!t)),v:32000,tied:!f,c:8192)

An object is the name of a class and its fields in brackets, without fields at their defaults; several objects are a
tuple in brackets. Objects are made by their constructors, which check all values. The field names in links never
change: if a class renames a field, the old name must be translated here.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import get_args, get_origin

from kvcore.dtypes import CACHE_DTYPES
from kvcore.errors import Invalid, KvcoreError
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup, NoCacheGroup
from kvcore.mlp import Mlp
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape
from kvcore.tensors import Tensor

__all__ = ["MOST_CHARACTERS", "read_v1_shape"]

MOST_CHARACTERS = 4000

_PARTS: dict[str, type] = {
    "Shape": Shape,
    "Layers": LayerGroup,
    "Latent": LatentGroup,
    "Recurrent": RecurrentGroup,
    "State": State,
    "Mlp": Mlp,
}
_LONG = {
    "h": "hidden_size",
    "q": "query_heads",
    "k": "kv_heads",
    "d": "key_dim",
    "e": "value_dim",
    "l": "layers",
    "w": "window",
    "i": "intermediate_size",
    "v": "vocab_size",
    "c": "context_limit",
}
_RENAMED = {"Shape": {"outer_norms": "model_norms"}, "Recurrent": {"beside": "parallel"}}
"""Part -> a field's name of then -> its name of today."""

_COUNTED = {
    "Shape": {"other_params": ("other_tensors", "mlp")},
    "Layers": {"extra_params": ("extra_tensors", "attention")},
    "Latent": {"params_per_layer": ("tensors", "attention")},
    "Recurrent": {"params_per_layer": ("tensors", "recurrent")},
}
"""Part -> a number of parameters of then -> the field of tensors that it is in today, and their kind."""

_V1_FIELDS: dict[str, tuple[str, ...]] = {
    "Shape": (
        "hidden_size", "query_heads", "groups", "mlps", "vocab_size", "tied", "context_limit", "qkv_bias", "output_bias",
        "qk_norm", "norms_per_layer", "outer_norms", "norm_bias", "sinks", "position_rows", "lm_head_bias", "other_params",
    ),
    "Layers": ("kind", "layers", "kv_heads", "key_dim", "value_dim", "window", "query_heads", "extra_params"),
    "Latent": ("layers", "kv_rank", "rope_dim", "index_dim", "params_per_layer"),
    "Recurrent": ("name", "layers", "states", "params_per_layer", "beside"),
    "State": ("role", "parts", "values", "dtype"),
    "Mlp": (
        "layers", "intermediate_size", "gated", "bias", "experts", "shared_size", "shared_gate", "router_bias", "latent_size",
    ),
}  # fmt: skip
"""Part -> the fields that old links may name. The list never grows: old links cannot name what was added since."""

_WORDS: dict[str, object] = {"!t": True, "!f": False, "!n": None}
_TOKEN = re.compile(r"-?[0-9]{1,15}|![tfn]|@[a-z0-9_]+|[A-Za-z][A-Za-z0-9_+.\-]*|[(),:]")
_NUMBER = re.compile(r"-?[0-9]+")
_WHOLE_PART = "a part with all of its fields, each of its kind"  # readers of the page see it


def read_v1_shape(text: str) -> Shape:
    """Read the shape in the text of an old link.

    Raises:
        KvcoreError: with the field `spec` if the text is not of this language; else with the field that has a bad value.

    >>> read_v1_shape("Shape(h:64,q:1,groups:(Layers(l:2,k:1,d:64,e:64)),mlps:(),v:256,tied:!t)").layers
    2
    """
    if len(text) > MOST_CHARACTERS:
        raise Invalid("spec", f"{len(text)} characters", f"at most {MOST_CHARACTERS} characters")
    shape = _Reader(text).whole()
    if not isinstance(shape, Shape):
        raise Invalid("spec", text, "a Shape(...)")
    return shape


def _is(value: object, kind: object) -> bool:
    """Whether a value has the type that its field is annotated with: a class, a union of classes, or a tuple of them."""
    kind = getattr(kind, "__value__", kind)
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_is(item, inner[0]) for item in value)
    return any(_is(value, one) for one in inner) if inner else type(value) is kind


class _Reader:
    """A recursive-descent parser over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0
        self.saved: list[tuple[int, int]] = []
        if "".join(self.tokens) != text:
            raise Invalid("spec", text, "a shape as a link of this page spells it")

    def whole(self) -> object:
        """Parse the whole text as one value."""
        value = self.value(depth=0)
        if self.at != len(self.tokens):
            raise Invalid("spec", self.tokens[self.at], "the end of the shape")
        return value

    def value(self, depth: int) -> object:
        """Parse the value that begins at the next token; `depth` is the number of brackets around it."""
        if depth > len(_PARTS):
            raise Invalid("spec", depth, "fewer brackets within brackets")
        first = self.take()
        if first == "(":
            return self.items(depth)
        if first in _WORDS:
            return _WORDS[first]
        if _NUMBER.fullmatch(first):
            return int(first)
        if first.startswith("@"):
            if first[1:] not in CACHE_DTYPES:
                raise Invalid("spec", first, f"one of {', '.join(CACHE_DTYPES)}")
            return CACHE_DTYPES[first[1:]]
        return self.part(first, depth) if self.next() == "(" else first.replace("+", " ")

    def items(self, depth: int) -> tuple[object, ...]:
        """Parse the values of a tuple, after its opening bracket."""
        found: list[object] = []
        while self.next() != ")":
            if found:
                self.take(",")
            found.append(self.value(depth + 1))
        self.take(")")
        return tuple(found)

    def part(self, name: str, depth: int) -> object:
        """Parse the fields of an object, and make an object of the class with this name."""
        kind = _PARTS.get(name)
        if kind is None:
            raise Invalid("spec", name, f"one of {', '.join(_PARTS)}")
        self.take("(")
        known = {field.name: field.type for field in fields(kind)}
        given: dict[str, object] = {}
        while self.next() != ")":
            if given:
                self.take(",")
            field = self.take()
            field = _LONG.get(field, field)
            if field not in _V1_FIELDS[name] or field in given:
                raise Invalid("spec", field, f"a field of {name}, once")
            self.take(":")
            given[field] = self.value(depth + 1)
        self.take(")")
        return self.make(name, kind, known, given)

    def make(self, name: str, kind: type, known: Mapping[str, object], given: dict[str, object]) -> object:
        """A part of the fields in its brackets, each of which must be of its kind."""
        now = self.translate(name, given)
        if name == "Shape":
            self.check_saved(now.get("hidden_size"))
        if name == "Recurrent" and now.get("states") == ():  # an MLP alone: not a recurrent layer any more
            kind, now = NoCacheGroup, {field: now[field] for field in ("layers", "tensors") if field in now}
        try:
            made = kind(**now)
        except KvcoreError:
            raise
        except (TypeError, AttributeError, ValueError) as error:  # a field is missing, or has a value of the wrong type
            raise Invalid("spec", name, _WHOLE_PART) from error
        if not all(_is(value, known[field]) for field, value in now.items()):
            raise Invalid("spec", name, _WHOLE_PART)
        return made

    def translate(self, name: str, given: dict[str, object]) -> dict[str, object]:
        """The fields of a part under the names that they have today.

        Parameters that belonged to no known matrix were bare numbers; now they are a tensor called "other".
        """
        renamed = _RENAMED.get(name, {})
        now = {renamed.get(field, field): value for field, value in given.items()}
        for field, (tensors, kind) in _COUNTED.get(name, {}).items():
            count = now.pop(field, 0)
            if type(count) is not int:
                raise Invalid("spec", name, _WHOLE_PART)
            if count < 0:
                now |= self.without_values(field, count, now)
            elif count:
                now[tensors] = (Tensor("other", (count,), kind),)
        return now

    def without_values(self, field: str, count: int, now: Mapping[str, object]) -> dict[str, object]:
        """Fewer parameters than usual: V has no projection of its own. How large that would be, only the shape knows."""
        kv_heads, value_dim = now.get("kv_heads"), now.get("value_dim")
        if field != "extra_params" or not isinstance(kv_heads, int) or not isinstance(value_dim, int):
            raise Invalid(field, count, "0 or more")
        self.saved.append((count, kv_heads * value_dim))
        return {"values_from_keys": True}

    def check_saved(self, hidden_size: object) -> None:
        """Check that the parameters saved are those of the V projections."""
        for count, width in self.saved:
            if not isinstance(hidden_size, int) or -count != hidden_size * width:
                raise Invalid("extra_params", count, "minus the parameters of the V projection, or not negative")

    def next(self) -> str | None:
        """The next token, without taking it; None at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected: str | None = None) -> str:
        """Take the next token, which must be the expected one, if one is expected."""
        token = self.next()
        if token is None or (expected is not None and token != expected):
            raise Invalid("spec", token or "its end", expected or "more of the shape")
        self.at += 1
        return token
