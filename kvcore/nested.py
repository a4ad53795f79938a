"""Reads the config of a model that sees or hears: its `text_config` describes the layers, and what stands beside it must agree.

`tie_word_embeddings` is looked for in both places. In huggingface/transformers 4 the language model had the output layer,
and its own config decided. In transformers 5 the whole model has it: the outer field decides, and where that is missing the
default of the outer class (TIED_OUTSIDE); vLLM then copies it inside (vllm-project/vllm, pull request 33359, VllmConfig.with_hf_config).
A file that means one thing to the one and another to the other is refused, unless it says nothing in either place: then the
default of the text model is taken, as when the file was written, and is noted as assumed. That is right for Mistral Small 3.1 and
3.2, which say nothing and publish an output layer of their own.

Sizes of layers beside `text_config` are read by no code; they must be those inside, since a reader of the file cannot know
which of two sizes is meant.
"""

from collections.abc import Mapping

from kvcore.errors import Invalid, Unsupported
from kvcore.families import NESTED, REFUSED, TIED_OUTSIDE
from kvcore.fields import Fields, speaks_of_shape
from kvcore.harmless import HARMLESS, HARMLESS_AT, HARMLESS_OUTSIDE, OTHER_PARTS

__all__ = ["text_fields"]

_LIFTED = ("llava", "llava_onevision", "qwen2_5_vl", "qwen2_vl")
"""model_types whose class takes true from inside where it is false outside (transformers 5.24, __post_init__)."""

_TIE = "tie_word_embeddings"


def text_fields(outer: Fields, kind: str) -> tuple[Fields, object]:
    """The fields of `text_config` and its model_type, with the outer `tie_word_embeddings` among them where there is one.

    Raises:
        Invalid: when `text_config` is no object, or a field beside it contradicts one inside.
        Unsupported: when its model_type is not one that `kind` can have, or a field beside it belongs inside.
    """
    allowed = NESTED[kind]
    text = outer.value("text_config")
    inner = Fields(text, "text_config.")
    inner_kind = inner.value("model_type")
    if inner_kind is None and len(allowed) == 1:
        inner_kind = allowed[0]
    if inner_kind not in allowed:
        expected = REFUSED.get(str(inner_kind), f"one of {', '.join(allowed)}, as {kind} has it")
        raise Unsupported("text_config.model_type", inner_kind, expected)
    tied = _tied(outer, inner, kind)
    _agree(outer, inner, kind)
    if tied is not None and isinstance(text, Mapping):
        inner = Fields({**text, _TIE: tied}, "text_config.")
    return inner, inner_kind


def _tied(outer: Fields, inner: Fields, kind: str) -> object:
    """What the config says about tied embeddings, None if nothing."""
    outside, inside = outer.value(_TIE), inner.value(_TIE)
    if kind == "llama4":
        outer.only(_TIE, False, why="Llama4ForConditionalGeneration ties nothing")
    if outside is not None and inside is not None and outside != inside:
        raise Invalid(_TIE, outside, f"what text_config.{_TIE} says")
    lifted = inside is True and kind in _LIFTED
    if outside is None and inside is not None and inside != TIED_OUTSIDE[kind] and not lifted:
        raise Invalid(
            _TIE, None, f"there beside text_config's {inside}; transformers 5 would take {TIED_OUTSIDE[kind]}"
        )
    return inside if outside is None else outside


def _agree(outer: Fields, inner: Fields, kind: str) -> None:
    """Refuse what stands beside `text_config`, speaks of layers, and is not what stands inside."""
    known = {"text_config", "model_type", _TIE, *HARMLESS, *HARMLESS_AT, *HARMLESS_OUTSIDE.get(kind, ())}
    outside, inside = dict(outer.items()), dict(inner.items())
    if outside.get("use_sliding_window") is False:
        known |= {"sliding_window", "max_window_layers"}
    for key, value in outside.items():
        if key in known or not value or any(part in key for part in OTHER_PARTS) or not speaks_of_shape(key):
            continue
        if key not in inside:
            raise Unsupported(key, value, "known outside text_config, and it may change the shape")
        if inside[key] != value:
            raise Invalid(key, value, f"what text_config.{key} says")
