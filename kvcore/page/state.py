"""What a request means: every control read, and the rules between controls applied.

A model resets its shape. KV heads divide the query heads. A control that is wrong keeps its last good value (the
answer's `hold`, which the page echoes), so a reader's state is never lost. Nothing is remembered here.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kvcore import catalog
from kvcore.config import parse_config, shape_from_config
from kvcore.errors import KvcoreError, short_repr
from kvcore.page import words
from kvcore.page.controls import CONTROLS, IMPORTED, Number, Value, parse_fragment
from kvcore.shape import Shape
from kvcore.spec import clean_name, read_spec, spell_spec

SHAPE = ("layers", "query_heads", "head_dim", "attention", "kv_heads")
"""The controls that a model sets."""

OTHER_KEYS = frozenset(
    {"changed", "settled", "hold", "fragment", "more", "view", "opened", "config", "config_name", "config_failed"}
)
"""What a request may hold besides controls."""

_USUAL_KV_HEADS = 8
"""KV heads of a GQA twin where the model itself has none: the most common number in the catalogue."""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Values that fit together, and what there is to say about how they came to be."""

    values: dict[str, Value]
    problems: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    invalid: frozenset[str] = frozenset()
    """Controls that were given what cannot be used: their notes say why."""


def settle(request: Mapping[str, object]) -> Settled:
    """Read a request; never raises on what a reader can type."""
    problems: list[str] = []
    raw: dict[str, object] = {name: request[name] for name in CONTROLS if name in request}
    changed = names(request.get("changed"))
    fragment = request.get("fragment")
    if isinstance(fragment, str):
        spelled, problems = parse_fragment(fragment)
        raw, changed = dict(spelled), []
    problems += [
        words.unknown_control(short_repr(key)) for key in request if key not in CONTROLS and key not in OTHER_KEYS
    ]
    last_good = {} if isinstance(fragment, str) else _last_good(request.get("hold"))
    notes: dict[str, str] = {}
    values: dict[str, Value] = {}

    def read(name: str, fallback: Value) -> Value:
        value, problem = CONTROLS[name].read(raw[name], fallback) if name in raw else (fallback, None)
        if problem:
            notes[name] = problem
            problems.append(problem)
        return value

    brought, refused = _import(request)
    if refused:
        notes["spec"] = refused
        problems.append(refused)
    elif brought:
        raw |= {"model": IMPORTED, "spec": brought}
        changed = [*changed, "model"]
    values["spec"] = read("spec", last_good.get("spec", ""))
    values["model"] = read("model", last_good.get("model", CONTROLS["model"].default))
    if values["model"] == IMPORTED and not values["spec"]:
        values["model"] = CONTROLS["model"].default
        problems.append(words.NOTHING_IMPORTED)
    model = origin(values)
    own = own_shape(model)
    if "model" in changed:
        since = changed[len(changed) - changed[::-1].index("model") :]
        raw = {name: value for name, value in raw.items() if name not in SHAPE or name in since}
    kept = "model" not in changed and last_good.get("model") == model.id
    frozen = frozen_controls(model)
    for name, control in CONTROLS.items():
        if name in values:
            continue
        implied = own.get(name, control.default)
        known = last_good.get(name, implied) if kept or name not in SHAPE else implied
        as_it_is = name in frozen or name not in raw or _says(raw[name], implied)  # a model may be past a limit
        values[name] = implied if as_it_is else read(name, known)
    invalid = frozenset(notes)
    problems += _fit_together(values, raw, changed, model, notes)
    return Settled(values=values, problems=problems, notes=notes, invalid=invalid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the Lab's shape comes from: a model of the catalogue, or what a reader brought."""

    id: str
    name: str
    shape: Shape
    source: str
    read: str | None


def origin(values: Mapping[str, Value]) -> Origin:
    """The model that these values name."""
    if values["model"] == IMPORTED:
        name, shape = read_spec(str(values["spec"]))
        return Origin(id=IMPORTED, name=name, shape=shape, source=words.BROUGHT, read=None)
    model = catalog.MODELS[str(values["model"])]
    return Origin(id=model.id, name=model.name, shape=model.shape, source=model.source, read=model.read)


def _import(request: Mapping[str, object]) -> tuple[str | None, str | None]:
    """The spec of a config.json that came with the request, or why there is none."""
    given = clean_name(str(request.get("config_name") or ""))
    failed = request.get("config_failed")
    if failed is not None:
        return None, words.import_failed(str(failed), short_repr(request.get("config_name")))
    text = request.get("config")
    if text is None:
        return None, None
    if not isinstance(text, str):
        return None, words.not_a_config(short_repr(text))
    try:
        spec = spell_spec(given or words.UNNAMED, shape_from_config(parse_config(text)))
        read_spec(spec)
    except KvcoreError as error:
        return None, words.not_imported(given, error.field, short_repr(error.value), error.expected)
    return spec, None


def own_shape(model: Origin) -> dict[str, Value]:
    """The shape controls as the model itself has them."""
    shape = model.shape
    return {
        "layers": shape.layers,
        "query_heads": shape.query_heads,
        "head_dim": shape.head_dim or 0,
        "attention": shape.attention,
        "kv_heads": shape.kv_heads or 0,
    }


def edited_shape(values: Mapping[str, Value], model: Origin) -> Shape:
    """The model's shape with what these values change of it; the very same where they change nothing.

    Raises:
        KvcoreError: where a width would grow past what a shape may have.
    """
    own = own_shape(model)
    asked = {name: int(values[name]) for name in SHAPE if name != "attention"}
    changes = {name: value for name, value in asked.items() if value != own[name]}
    if "query_heads" in changes:
        changes["kv_heads"] = asked["kv_heads"]
    return model.shape.edited(**changes) if changes else model.shape


def frozen_controls(model: Origin) -> dict[str, str]:
    """The shape controls that have no meaning for a model, each with the reason."""
    if not model.shape.uniform:
        attends = {group.kind for group in model.shape.groups}
        reason = words.LATENT_FIXED if attends == {"latent"} else words.LAYERS_DIFFER
        return dict.fromkeys(SHAPE, reason)
    if any(part.layers != model.shape.layers for part in (*model.shape.groups, *model.shape.mlps)):
        return {"layers": words.LAYERS_ALTERNATE}
    return {}


def divisors(count: int) -> tuple[int, ...]:
    """The numbers of KV heads that `count` query heads can share."""
    low = [heads for heads in range(1, math.isqrt(count) + 1) if count % heads == 0]
    return tuple(sorted({*low, *(count // heads for heads in low)}))


def nearest(number: int, allowed: Sequence[int]) -> int:
    """The allowed number nearest to `number`, the smaller of two as near."""
    return min(allowed, key=lambda candidate: (abs(candidate - number), candidate))


def grouped_kv_heads(query_heads: int, own: int) -> int | None:
    """KV heads of a GQA twin: the model's own where they group, else the divisor nearest to eight; None where none can."""
    between = [heads for heads in divisors(query_heads) if 1 < heads < query_heads]
    if own in between:
        return own
    return nearest(_USUAL_KV_HEADS, between) if between else None


def _fit_heads(
    values: dict[str, Value],
    raw: Mapping[str, object],
    changed: Sequence[str],
    own: Mapping[str, Value],
    notes: dict[str, str],
) -> None:
    """Make attention and KV heads agree with the query heads: the one moved last decides, else attention does."""
    query_heads, asked = int(values["query_heads"]), int(values["kv_heads"])
    if not query_heads or not asked:
        return
    moved = [name for name in changed if name in ("attention", "kv_heads")]
    by_heads = moved[-1] == "kv_heads" if moved else "attention" not in raw and "kv_heads" in raw
    attention = values["attention"]
    if attention == "mha" and not by_heads:
        heads = query_heads
    elif attention == "mqa" and not by_heads:
        heads = 1
    else:
        heads = nearest(asked, divisors(query_heads))
        if heads != asked and "kv_heads" not in notes:
            notes["kv_heads"] = words.snapped(asked, query_heads, heads)
        if not by_heads and moved and heads in (1, query_heads):
            grouped = grouped_kv_heads(query_heads, int(own["kv_heads"]))
            if grouped is None:
                notes["attention"] = words.no_grouping(query_heads)
            else:
                heads = grouped
                notes.pop("kv_heads", None)
    values["kv_heads"] = heads
    kinds = {query_heads: "mha", 1: "mqa"} if query_heads > 1 else {1: "mqa" if attention == "mqa" else "mha"}
    values["attention"] = kinds.get(heads, "gqa")


def _fit_together(
    values: dict[str, Value],
    raw: Mapping[str, object],
    changed: Sequence[str],
    model: Origin,
    notes: dict[str, str],
) -> list[str]:
    """Make the values a shape: heads that divide, and the model's own where an edit would be wider than a shape can be."""
    if "attention" not in frozen_controls(model):
        _fit_heads(values, raw, changed, own_shape(model), notes)
    try:
        edited_shape(values, model)
    except KvcoreError as error:
        values |= own_shape(model)
        return [words.not_edited(error.field, short_repr(error.value), error.expected)]
    return []


def _says(raw: object, value: Value) -> bool:
    """Whether what came from the page is this very value, typed or not."""
    return raw == str(value) or (type(raw) is type(value) and raw == value)


def names(given: object) -> list[str]:
    """The names in what should be a list of them."""
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []


def _last_good(hold: object) -> dict[str, Value]:
    """The values of the answer before, where they are values at all."""
    values = hold.get("values") if isinstance(hold, dict) else None
    if not isinstance(values, dict):
        return {}
    good: dict[str, Value] = {}
    for name, control in CONTROLS.items():
        if name in values:
            value, problem = control.read(values[name], control.default)
            if problem is None:
                good[name] = value
    return good


def stops(name: str, values: Mapping[str, Value]) -> tuple[int, ...] | None:
    """The positions of a control's slider at these values."""
    control = CONTROLS[name]
    if name == "kv_heads":
        return divisors(int(values["query_heads"])) if values["query_heads"] else ()
    return control.stops if isinstance(control, Number) else None
