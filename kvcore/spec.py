"""A shape as a short text for a link, and back: what a URL carries of a model that no catalogue holds.

    Shape(h:4096,q:32,groups:(Layers(l:32,k:8,d:128,e:128)),mlps:(Mlp(l:32,i:14336,gated:!t)),v:32000,tied:!f,c:8192)

A part is a name and its fields in brackets; fields at their defaults are left out; several parts stand in a tuple.
Reading makes the parts through their own constructors, so a text can hold nothing that they would refuse.
"""

import re
from dataclasses import MISSING, fields
from typing import get_args, get_origin

from kvcore.dtypes import CACHE_DTYPES, Dtype
from kvcore.errors import Invalid, KvcoreError
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.mlp import Mlp
from kvcore.recurrent import RecurrentGroup, State
from kvcore.shape import Shape

__all__ = ["LONGEST_NAME", "MOST_CHARACTERS", "clean_name", "read_spec", "spell_spec"]

MOST_CHARACTERS = 4000
LONGEST_NAME = 60

_PARTS: dict[str, type] = {
    "Shape": Shape,
    "Layers": LayerGroup,
    "Latent": LatentGroup,
    "Recurrent": RecurrentGroup,
    "State": State,
    "Mlp": Mlp,
}
_NAMES = {kind: name for name, kind in _PARTS.items()}
_SHORT = {
    "hidden_size": "h",
    "query_heads": "q",
    "kv_heads": "k",
    "key_dim": "d",
    "value_dim": "e",
    "layers": "l",
    "window": "w",
    "intermediate_size": "i",
    "vocab_size": "v",
    "context_limit": "c",
}
_LONG = {short: name for name, short in _SHORT.items()}
_WORDS: dict[str, object] = {"!t": True, "!f": False, "!n": None}
_TOKEN = re.compile(r"-?[0-9]{1,15}|![tfn]|@[a-z0-9_]+|[A-Za-z][A-Za-z0-9_+.\-]*|[(),:]")
_NUMBER = re.compile(r"-?[0-9]+")
_WHOLE_PART = "a part with all of its fields, each of its kind"


def clean_name(name: str) -> str:
    """A model's name as a spec can hold it: letters, digits, dots, hyphens and single spaces, at most LONGEST_NAME of them."""
    kept = re.sub(r"[^A-Za-z0-9.\- ]+", " ", name)
    return " ".join(kept.split())[:LONGEST_NAME].strip(" .-")


def spell_spec(name: str, shape: Shape) -> str:
    """The text of a named shape; only characters that a URL fragment carries as they are."""
    return f"{clean_name(name).replace(' ', '+')}~{_spell(shape)}"


def _spell(value: object) -> str:
    for word, meaning in _WORDS.items():
        if value is meaning:
            return word
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value.replace(" ", "+")
    if isinstance(value, Dtype):
        return f"@{value.name}"
    if isinstance(value, tuple):
        return f"({','.join(_spell(part) for part in value)})"
    named = [
        f"{_SHORT.get(field.name, field.name)}:{_spell(getattr(value, field.name))}"
        for field in fields(value)  # type: ignore[arg-type]
        if field.default is MISSING or getattr(value, field.name) != field.default
    ]
    return f"{_NAMES[type(value)]}({','.join(named)})"


def read_spec(text: str) -> tuple[str, Shape]:
    """The name and the shape that a text spells.

    Raises:
        KvcoreError: naming the field, when it spells none: `spec` where the text itself is wrong, else the part's own field.
    """
    if len(text) > MOST_CHARACTERS:
        raise Invalid("spec", len(text), f"at most {MOST_CHARACTERS} characters")
    name, mark, spelled = text.partition("~")
    if not mark or not name:
        raise Invalid("spec", text, "a name, ~ and a shape")
    shape = _Reader(spelled).whole()
    if not isinstance(shape, Shape):
        raise Invalid("spec", spelled, "a Shape(...)")
    cleaned = clean_name(name.replace("+", " "))
    if not cleaned:
        raise Invalid("spec", name, "a name with a letter or a digit")
    return cleaned, shape


def _is(value: object, kind: object) -> bool:
    """Whether a value is of the kind that a field is annotated with: a class, one of several, or a tuple of them."""
    kind = getattr(kind, "__value__", kind)
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_is(item, inner[0]) for item in value)
    return any(_is(value, one) for one in inner) if inner else type(value) is kind


class _Reader:
    """One pass over the tokens of a text; parts are made from the inside out."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0
        if "".join(self.tokens) != text:
            raise Invalid("spec", text, "a shape as a link of this page spells it")

    def whole(self) -> object:
        """The value that all of the text spells."""
        value = self.value(depth=0)
        if self.at != len(self.tokens):
            raise Invalid("spec", self.tokens[self.at], "the end of the shape")
        return value

    def value(self, depth: int) -> object:
        """The value that begins here."""
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
        """The values of a tuple, after its opening bracket."""
        found: list[object] = []
        while self.next() != ")":
            if found:
                self.take(",")
            found.append(self.value(depth + 1))
        self.take(")")
        return tuple(found)

    def part(self, name: str, depth: int) -> object:
        """A part by its name, made of the fields in its brackets."""
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
            if field not in known or field in given:
                raise Invalid("spec", field, f"a field of {name}, once")
            self.take(":")
            given[field] = self.value(depth + 1)
        self.take(")")
        try:
            made = kind(**given)
        except KvcoreError:
            raise
        except (TypeError, AttributeError, ValueError) as error:  # a field is missing, or of the wrong kind
            raise Invalid("spec", name, _WHOLE_PART) from error
        if not all(_is(value, known[field]) for field, value in given.items()):
            raise Invalid("spec", name, _WHOLE_PART)
        return made

    def next(self) -> str | None:
        """The token that comes next."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected: str | None = None) -> str:
        """The next token, which must be the expected one."""
        token = self.next()
        if token is None or (expected is not None and token != expected):
            raise Invalid("spec", token or "its end", expected or "more of the shape")
        self.at += 1
        return token
