"""The rules between the Lab's controls: a model sets the shape controls, and KV heads divide the query heads."""

from collections.abc import Mapping
from typing import Any

from kvcore.config import parse_config
from kvcore.dtypes import CACHE_DTYPES
from kvcore.errors import KvcoreError, short_repr
from kvcore.groups import check_cache_dtype
from kvcore.page.controls import Value, Values, is_value
from kvcore.page.lab import words
from kvcore.page.lab.controls import (
    ATTENTION,
    CACHE_DTYPE,
    CONFIG,
    CONTEXT,
    IMPORTED,
    KV_HEADS,
    MODEL,
    QUERY_HEADS,
    SHAPE,
    SHARED_PROMPT,
    V_DTYPE,
    WEIGHT_DTYPE,
)
from kvcore.page.lab.packed import clean_name, pack, unpack
from kvcore.page.lab.shape import (
    divisors,
    edited_shape,
    fixed_controls,
    grouped_kv_heads,
    lab_model,
    loaded_shape,
    nearest,
    own_shape,
)
from kvcore.page.parts import Part
from kvcore.page.request import Request
from kvcore.shape import Shape
from kvcore.weights import SHIPPED


def read_lab(part: Part[Any], request: Request) -> dict[str, Value]:
    """Read the values of the Lab's controls, and change those that contradict each other."""
    _take_import(request)
    values = _read_model(request)
    model = lab_model(values)
    own, fixed = own_shape(model), fixed_controls(model)
    same_model = MODEL.name not in request.changed and request.last_good.get(MODEL.name) == model.id
    for control in part.controls:
        if control.name in values:
            continue
        if control not in SHAPE:
            values[control.name] = request.read(control, control.default)
            continue
        implied = own[control.name]
        # The model's own value may be outside of the control's range, which is for typed values.
        if control.name in fixed or is_value(request.sent.get(control.name, implied), implied):
            values[control.name] = implied
        else:
            bad = request.last_good.get(control.name, implied) if same_model else implied
            values[control.name] = request.read(control, implied, bad)
    _fit_prompt(values, request)
    if ATTENTION.name not in fixed:
        _fit_heads(values, request, own)
    try:
        edited_shape(values, model)
    except KvcoreError as error:  # the edits make a width larger than a shape may have
        values |= own
        request.problems.append(words.not_edited(error.field, short_repr(error.value), error.expected))
    for control in (CACHE_DTYPE, V_DTYPE):
        dtype = CACHE_DTYPES.get(str(values[control.name]))
        if dtype is not None:
            try:
                check_cache_dtype(dtype, loaded_shape(values, model.shape).groups, control.name)
            except KvcoreError as error:  # a type for latents, and the model caches none
                values[control.name] = control.default
                request.refuse(control.name, words.wrong_cache_dtype(dtype.label, error.expected, control.default))
    return values


def _fit_prompt(values: dict[str, Value], request: Request) -> None:
    """Make the shared prompt shorter than the context, in `values`."""
    context, prompt = CONTEXT.of(values), SHARED_PROMPT.of(values)
    if prompt >= context:
        values[SHARED_PROMPT.name] = context - 1
        request.notes.setdefault(SHARED_PROMPT.name, words.prompt_too_long(prompt, context))


def lab_shape(values: Values) -> Shape:
    """The shape of the Lab's model for values that `read_lab` has read: for the parts whose controls depend on it."""
    return loaded_shape(values, edited_shape(values, lab_model(values)))


def _take_import(request: Request) -> None:
    """If the request has a config.json, make it the model; if it cannot be used, record why."""
    imported, refused = _imported(request.other)
    if refused:
        request.refuse(CONFIG.name, refused)
    elif imported:
        request.sent |= {MODEL.name: IMPORTED, CONFIG.name: imported}
        request.changed.append(MODEL.name)


def _imported(other: Mapping[str, object]) -> tuple[str | None, str | None]:
    """The packed config of the request and None, or None and the problem; None twice if there is no config."""
    name = clean_name(str(other.get("config_name") or ""))
    failed = other.get("config_failed")
    if failed is not None:
        unnamed = failed == "size" and other.get("config_name") == ""  # text that was pasted has no name
        return None, words.import_failed(
            str(failed), words.UNNAMED_TEXT if unnamed else short_repr(other.get("config_name"))
        )
    text = other.get("config_text")
    if text is None:
        return None, None
    if not isinstance(text, str):
        return None, words.not_a_config(short_repr(text))
    try:
        packed = pack(name or words.UNNAMED, parse_config(text))
        unpack(packed)
    except KvcoreError as error:
        return None, words.not_imported(name, error.field, short_repr(error.value), error.expected)
    return packed, None


def _read_model(request: Request) -> dict[str, Value]:
    """The values of the model and of the imported config.

    If the reader has just chosen a model, the shape controls that were sent still have the old model's values: they are
    removed from the request, except those moved after the choice. The weights are then as the model's checkpoint has them.
    """
    last_good = request.last_good
    config = request.read(CONFIG, last_good.get(CONFIG.name, ""))
    model = request.read(MODEL, last_good.get(MODEL.name, MODEL.default))
    if model == IMPORTED and not config:
        model = MODEL.default
        request.problems.append(words.NOTHING_IMPORTED)
    if MODEL.name in request.changed:
        later = request.changed[len(request.changed) - request.changed[::-1].index(MODEL.name) :]
        for control in SHAPE:
            if control.name not in later:
                request.sent.pop(control.name, None)
        if WEIGHT_DTYPE.name not in later:
            request.sent[WEIGHT_DTYPE.name] = SHIPPED
    return {MODEL.name: model, CONFIG.name: config}


def _fit_heads(values: dict[str, Value], request: Request, own: Mapping[str, Value]) -> None:
    """Make attention and KV heads agree with each other and with the query heads, in `values`.

    The one of the two that was moved last decides. If neither was moved, attention decides, unless only KV heads were
    sent. own: the model's own shape, whose KV heads are used when the reader goes back to GQA.
    """
    query_heads, asked = QUERY_HEADS.of(values), KV_HEADS.of(values)
    if not query_heads or not asked:
        return
    moved = [name for name in request.changed if name in {ATTENTION.name, KV_HEADS.name}]
    only_heads_sent = ATTENTION.name not in request.sent and KV_HEADS.name in request.sent
    by_heads = moved[-1] == KV_HEADS.name if moved else only_heads_sent
    attention = ATTENTION.of(values)
    if attention == "mha" and not by_heads:
        heads = query_heads
    elif attention == "mqa" and not by_heads:
        heads = 1
    else:
        heads = nearest(asked, divisors(query_heads))
        if heads != asked:
            request.notes.setdefault(KV_HEADS.name, words.snapped(asked, query_heads, heads))
        if not by_heads and moved and heads in {1, query_heads}:
            grouped = grouped_kv_heads(query_heads, int(own[KV_HEADS.name]))
            if grouped is None:
                request.notes[ATTENTION.name] = words.no_grouping(query_heads)
            else:
                heads = grouped
                request.notes.pop(KV_HEADS.name, None)
    values[KV_HEADS.name] = heads
    kinds = {query_heads: "mha", 1: "mqa"} if query_heads > 1 else {1: "mqa" if attention == "mqa" else "mha"}
    values[ATTENTION.name] = kinds.get(heads, "gqa")
