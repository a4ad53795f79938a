"""The families of models whose configs can be read, each by a reader of its own.

A new family is one function that reads its fields into a shape, and one line in the table below its module.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.families.gated import GATED
from kvcore.families.gpt import GPT
from kvcore.families.parts import Reader
from kvcore.families.plain import PLAIN

__all__ = ["FAMILIES", "Reader"]

FAMILIES: Mapping[str, Reader] = MappingProxyType(dict(sorted({**GATED, **GPT, **PLAIN}.items())))
"""model_type -> the reader of its configs."""
