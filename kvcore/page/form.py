"""The forms as HTML: controls with their labels, number boxes, sliders and notes, at their defaults."""

from collections.abc import Mapping

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.page import words
from kvcore.page.controls import FORMS, IMPORTED, Choice, Control, Number, Spec, Values
from kvcore.page.svg import Html, el, join

GROUPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "lab": {
        "model": ("model", "spec"),
        "load": ("context", "batch"),
        "shape": ("layers", "query_heads", "head_dim", "attention", "kv_heads"),
        "storage": ("cache_dtype", "v_dtype", "weight_dtype", "gpu"),
        "show": ("units", "scale", "compare"),
    },
    "split": {"split": ("tp", "pp", "dp", "reserve", "engine_block")},
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
    if isinstance(control, Spec):
        return _import(ident, control, note)
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
    finder = el(
        "input",
        type="search",
        id="kv-find",
        aria_label=words.FIND_MODEL,
        placeholder=words.FIND_MODEL,
        spellcheck="false",
    )
    return el(
        "div",
        el("label", *_label(name), for_=ident),
        finder if name == "model" else None,
        el("select", _entries(control, str(values[name])), id=ident, name=name, aria_describedby=f"{ident}-note"),
        note,
        class_="kv-control",
        data_control=name,
    )


def _entries(control: Choice, chosen: str) -> Html:
    """The options of a select: models by their families, all else in a row."""
    known = words.OPTIONS.get(control.name, {})
    single: list[Html] = []
    families: dict[str, list[Html]] = {}
    for option in control.options:
        if option in catalog.MODELS:
            model = catalog.MODELS[option]
            families.setdefault(model.family, []).append(_entry(option, model.name, chosen))
        elif option == IMPORTED:
            single.append(el("option", words.IMPORTED, value=option, hidden=True))
        else:
            single.append(_entry(option, known.get(option) or _name(option), chosen))
    groups = [el("optgroup", *entries, label=family) for family, entries in families.items()]
    return join([*single, *groups])


def _name(option: str) -> str:
    return catalog.GPUS[option].name if option in catalog.GPUS else CACHE_DTYPES[option].label


def _entry(value: str, text: str, chosen: str) -> Html:
    return el("option", text, value=value, selected=value == chosen)


def _import(ident: str, control: Spec, note: Html) -> Html:
    """Three ways to bring a config.json: as text, as a file, or by its id on Hugging Face; the spec it becomes is hidden."""
    text = el("textarea", id="kv-config-text", rows=4, spellcheck="false", autocomplete="off")
    file = el("input", type="file", id="kv-config-file", accept=".json,application/json")
    name = el(
        "input",
        type="text",
        id="kv-config-id",
        placeholder=words.IMPORT_ID_EXAMPLE,
        spellcheck="false",
        autocapitalize="none",
    )
    return el(
        "details",
        el("summary", words.IMPORT),
        el("input", type="hidden", id=ident, name=control.name, value=""),
        el("label", words.IMPORT_TEXT, for_="kv-config-text"),
        text,
        el("button", words.IMPORT_USE, type="button", id="kv-config-use"),
        el("label", words.IMPORT_FILE, for_="kv-config-file"),
        file,
        el("label", words.IMPORT_ID, for_="kv-config-id"),
        el("div", name, el("button", words.IMPORT_FETCH, type="button", id="kv-config-fetch"), class_="kv-fetch"),
        note,
        class_="kv-import",
        id="kv-import",
        data_control=control.name,
    )
