"""The forms as HTML: controls with their labels, number boxes, sliders and notes, at their defaults."""

from collections.abc import Mapping

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.page import words
from kvcore.page.controls import FORMS, Choice, Control, Number, Values
from kvcore.page.svg import Html, el, join

GROUPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "lab": {
        "model": ("model",),
        "load": ("context", "batch"),
        "shape": ("layers", "query_heads", "head_dim", "attention", "kv_heads"),
        "storage": ("cache_dtype", "weight_dtype", "gpu"),
        "show": ("units", "scale"),
    },
    "paging": {"paging": ("strategy", "sequences", "block_size")},
}
"""The groups of each form, in the order they stand."""

type About = Mapping[str, object]
type Answered = Mapping[str, About]


def render_form(form: str, values: Values, answered: Answered, *, hold: str, fragment: str) -> Html:
    """A form, its fields disabled until a script runs that can answer them; KeyError for a form there is not.

    hold, fragment: what an answer says under these names, for the state that the built page shows.
    """
    named = {control.name: control for control in FORMS[form]}
    groups = [
        el(
            "div",
            *(_control(form, named[name], values, answered[name]) for name in names),
            class_=f"kv-group kv-group-{group}",
            role="group",
            aria_label=words.GROUPS[group],
        )
        for group, names in GROUPS[form].items()
    ]
    fields = el("fieldset", *groups, class_="kv-fieldset", disabled=True)
    return el(
        "form",
        fields,
        id=form,
        class_="kv-controls",
        autocomplete="off",
        aria_label=words.FORMS[form],
        data_hold=hold,
        data_fragment=fragment,
    )


def _control(form: str, control: Control, values: Values, about: About) -> Html:
    ident = f"{form}-{control.name}"
    note = el("p", str(about["note"]), class_="kv-note", id=f"{ident}-note")
    if isinstance(control, Number):
        return _number(ident, control, int(values[control.name]), about, note)
    draw = _select if control.style == "select" else _radios
    return draw(ident, control, values, note)


def _label(name: str) -> list[Html | str]:
    symbol = words.SYMBOLS.get(name)
    return [words.LABELS[name]] if symbol is None else [f"{words.LABELS[name]} ", _symbol(symbol)]


def _symbol(symbol: str) -> Html:
    letter, _, below = symbol.partition("_")
    return el("i", letter, el("sub", below) if below else None, class_="kv-symbol")


def _number(ident: str, control: Number, value: int, about: About, note: Html) -> Html:
    name = control.name
    found = about["stops"]
    stops = found if isinstance(found, tuple) else control.stops
    position = max((index for index, stop in enumerate(stops) if stop <= value), default=0)
    unit = words.UNITS.get(name)
    return el(
        "div",
        el("label", *_label(name), for_=ident),
        el("input", class_="kv-number", type="text", inputmode="numeric", id=ident, name=name, value=str(value), spellcheck="false", aria_describedby=f"{ident}-note"),
        el("span", unit, class_="kv-unit") if unit else None,
        el(
            "input", class_="kv-range", type="range", min=0, max=len(stops) - 1, step=1, value=str(position), data_for=name,
            data_stops=" ".join(map(str, stops)), aria_label=f"{words.LABELS[name]}, {words.SLIDER}", aria_valuetext=str(about["text"]),
        ),
        note,
        class_="kv-control",
        data_control=name,
    )  # fmt: skip


def _radios(ident: str, control: Choice, values: Values, note: Html) -> Html:
    name = control.name
    options = [
        el(
            "label",
            el("input", type="radio", name=name, value=option, checked=option == values[name]),
            el("span", _option(name, option)),
        )
        for option in control.options
    ]
    legend = el("legend", *_label(name))
    return el(
        "fieldset",
        legend,
        el("div", *options, class_="kv-options"),
        note,
        class_="kv-control kv-choice",
        data_control=name,
        aria_describedby=f"{ident}-note",
    )


def _option(name: str, option: str) -> str:
    tables = {"cache_dtype": CACHE_DTYPES, "weight_dtype": WEIGHT_DTYPES}
    return tables[name][option].label if name in tables else words.OPTIONS[name][option]


def _select(ident: str, control: Choice, values: Values, note: Html) -> Html:
    name = control.name
    if name == "model":
        families: dict[str, list[Html]] = {}
        for model in catalog.MODELS.values():
            families.setdefault(model.family, []).append(_entry(model.id, model.name, values[name]))
        options = join(el("optgroup", *entries, label=family) for family, entries in families.items())
    else:
        options = join(_entry(gpu.id, gpu.name, values[name]) for gpu in catalog.GPUS.values())
    return el(
        "div",
        el("label", *_label(name), for_=ident),
        el("select", options, id=ident, name=name, aria_describedby=f"{ident}-note"),
        note,
        class_="kv-control",
        data_control=name,
    )


def _entry(value: str, text: str, chosen: object) -> Html:
    return el("option", text, value=value, selected=value == chosen)
