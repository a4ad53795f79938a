"""The forms as HTML: controls with their labels, number boxes, sliders and notes, at their defaults."""

from collections.abc import Mapping, Sequence

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.page import words
from kvcore.page.controls import Choice, Control, Number, Values
from kvcore.page.svg import Html, el, join

GROUPS: Mapping[str, tuple[str, ...]] = {
    "load": ("context", "batch"),
    "shape": ("layers", "query_heads", "head_dim", "attention", "kv_heads"),
    "storage": ("cache_dtype", "weight_dtype", "gpu"),
    "show": ("units", "scale"),
}
"""The form's groups in the order they stand; the model stands above them all."""

type Answered = Mapping[str, Mapping[str, object]]


def render_form(controls: Sequence[Control], values: Values, answered: Answered) -> Html:
    """Form #lab, its fields disabled until a script runs that can answer them."""
    named = {control.name: control for control in controls}
    groups = [
        el(
            "div",
            *(_control(named[name], values, answered) for name in names),
            class_=f"kv-group kv-group-{group}",
            role="group",
            aria_label=words.GROUPS[group],
        )
        for group, names in GROUPS.items()
    ]
    first = el("div", _control(named["model"], values, answered), class_="kv-group kv-group-model")
    fields = el("fieldset", first, *groups, class_="kv-fieldset", disabled=True)
    return el("form", fields, id="lab", class_="kv-controls", autocomplete="off", aria_label=words.FORM)


def _control(control: Control, values: Values, answered: Answered) -> Html:
    about = answered[control.name]
    note = el("p", str(about["note"]), class_="kv-note", id=f"lab-{control.name}-note")
    if isinstance(control, Number):
        return _number(control, int(values[control.name]), about, note)
    return _select(control, values, note) if control.style == "select" else _radios(control, values, note)


def _label(name: str) -> list[Html | str]:
    symbol = words.SYMBOLS.get(name)
    return [words.LABELS[name]] if symbol is None else [f"{words.LABELS[name]} ", _symbol(symbol)]


def _symbol(symbol: str) -> Html:
    letter, _, below = symbol.partition("_")
    return el("i", letter, el("sub", below) if below else None, class_="kv-symbol")


def _number(control: Number, value: int, about: Mapping[str, object], note: Html) -> Html:
    name = control.name
    found = about["stops"]
    stops = found if isinstance(found, tuple) else control.stops
    position = max((index for index, stop in enumerate(stops) if stop <= value), default=0)
    unit = words.UNITS.get(name)
    return el(
        "div",
        el("label", *_label(name), for_=f"lab-{name}"),
        el("input", class_="kv-number", type="text", inputmode="numeric", id=f"lab-{name}", name=name, value=str(value), spellcheck="false", aria_describedby=f"lab-{name}-note"),
        el("span", unit, class_="kv-unit") if unit else None,
        el(
            "input", class_="kv-range", type="range", min=0, max=len(stops) - 1, step=1, value=str(position), data_for=name,
            data_stops=" ".join(map(str, stops)), aria_label=f"{words.LABELS[name]}, {words.SLIDER}", aria_valuetext=str(about["text"]),
        ),
        note,
        class_="kv-control",
        data_control=name,
    )  # fmt: skip


def _radios(control: Choice, values: Values, note: Html) -> Html:
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
        aria_describedby=f"lab-{name}-note",
    )


def _option(name: str, option: str) -> str:
    tables = {"cache_dtype": CACHE_DTYPES, "weight_dtype": WEIGHT_DTYPES}
    return tables[name][option].label if name in tables else words.OPTIONS[name][option]


def _select(control: Choice, values: Values, note: Html) -> Html:
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
        el("label", *_label(name), for_=f"lab-{name}"),
        el("select", options, id=f"lab-{name}", name=name, aria_describedby=f"lab-{name}-note"),
        note,
        class_="kv-control",
        data_control=name,
    )


def _entry(value: str, text: str, chosen: object) -> Html:
    return el("option", text, value=value, selected=value == chosen)
