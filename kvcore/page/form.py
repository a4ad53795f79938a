"""Renders a form as HTML: groups of controls with their labels, number boxes, sliders and notes."""

from collections.abc import Iterable, Mapping
from typing import cast

from kvcore.page import phrases
from kvcore.page.controls import Choice, Control, Drawn, Number, Values
from kvcore.page.html import Html, el, join
from kvcore.page.parts import Form, Group

type ControlState = Mapping[str, object]
"""The entry of a control under "controls" in an answer, see `kvcore.page`."""


def render_form(
    form: Form, groups: Iterable[Group], values: Values, states: Mapping[str, ControlState], *, hold: str, fragment: str
) -> Html:
    """Render a form. Its fields are disabled until the script of the page has loaded and enables them.

    states: control name -> its entry in an answer. hold, fragment: the entries of that answer with these names, for the
    values that the built page shows.
    """
    rendered = [
        _group(group, [_control(form.name, control, values, states[control.name]) for control in group.controls])
        for group in groups
    ]
    fields = el("fieldset", *rendered, class_="kv-fieldset", disabled=True)
    return el(
        "form",
        fields,
        id=form.name,
        class_="kv-controls",
        autocomplete="off",
        aria_label=form.label,
        data_hold=hold,
        data_fragment=fragment,
    )


def render_handle(control: Number, value: int, state: ControlState, labelled_by: str) -> Html:
    """Render a second slider of a control, for a place away from its form; disabled until the script enables it.

    labelled_by: the ids of the elements that name it.
    """
    fields = el(
        "fieldset", _range(control, value, state, aria_labelledby=labelled_by), class_="kv-fieldset", disabled=True
    )
    return el("form", fields, class_="kv-controls kv-handle", autocomplete="off")


def _range(control: Number, value: int, state: ControlState, **named: str) -> Html:
    """The slider of a control: its positions are indices into the stops."""
    state_stops = state["stops"]
    stops = state_stops if isinstance(state_stops, tuple) else control.stops
    position = max((index for index, stop in enumerate(stops) if stop <= value), default=0)
    return el(
        "input", class_="kv-range", type="range", min=0, max=len(stops) - 1, step=1, value=str(position),
        data_for=control.name, data_stops=" ".join(map(str, stops)), **named, aria_valuetext=str(state["text"]),
    )  # fmt: skip


def _group(group: Group, controls: list[Html]) -> Html:
    class_ = f"kv-group kv-group-{group.name}"
    if group.folded:
        return el(
            "details", el("summary", group.label), *controls, class_=f"{class_} kv-folded", id=f"kv-group-{group.name}"
        )
    return el("div", *controls, class_=class_, role="group", aria_label=group.label)


def _control(form: str, control: Control, values: Values, state: ControlState) -> Html:
    ident = f"{form}-{control.name}"
    note = el("p", str(state["note"]), class_="kv-note", id=f"{ident}-note")
    if isinstance(control, Number):
        return _number(ident, control, control.of(values), state, note)
    if isinstance(control, Choice):
        return (_select if control.style == "select" else _radios)(ident, control, control.of(values), note)
    return cast("Drawn", control).html(ident, note)


def _label(control: Number | Choice) -> list[Html | str]:
    if not control.symbol:
        return [control.label]
    letter, _, subscript = control.symbol.partition("_")
    return [f"{control.label} ", el("i", letter, el("sub", subscript) if subscript else None, class_="kv-symbol")]


def _number(ident: str, control: Number, value: int, state: ControlState, note: Html) -> Html:
    name = control.name
    return el(
        "div",
        el("label", *_label(control), for_=ident),
        el("input", class_="kv-number", type="text", inputmode="numeric", id=ident, name=name, value=str(value), spellcheck="false", aria_describedby=f"{ident}-note"),
        el("span", control.unit, class_="kv-unit") if control.unit else None,
        _range(control, value, state, aria_label=f"{control.label}, {phrases.SLIDER}"),
        note,
        class_="kv-control",
        data_control=name,
    )  # fmt: skip


def _radios(ident: str, control: Choice, chosen: str, note: Html) -> Html:
    options = [
        el(
            "label",
            el("input", type="radio", name=control.name, value=option, checked=option == chosen),
            el("span", text),
        )
        for option, text in control.options.items()
    ]
    return el(
        "fieldset",
        el("legend", *_label(control)),
        el("div", *options, class_="kv-options"),
        note,
        class_="kv-control kv-choice",
        data_control=control.name,
        aria_describedby=f"{ident}-note",
    )


def _select(ident: str, control: Choice, chosen: str, note: Html) -> Html:
    search = el(
        "input",
        type="search",
        id="kv-find",
        aria_label=control.search,
        placeholder=control.search,
        spellcheck="false",
    )
    return el(
        "div",
        el("label", *_label(control), for_=ident),
        search if control.search else None,
        el("select", _options(control, chosen), id=ident, name=control.name, aria_describedby=f"{ident}-note"),
        note,
        class_="kv-control",
        data_control=control.name,
    )


def _options(control: Choice, chosen: str) -> Html:
    """The options of a list: first the options without a group, then each group."""
    single: list[Html] = []
    groups: dict[str, list[Html]] = {}
    for value, text in control.options.items():
        place = groups.setdefault(control.group_of[value], []) if value in control.group_of else single
        hidden = value in control.hidden
        place.append(el("option", text, value=value, selected=value == chosen and not hidden, hidden=hidden))
    return join([*single, *(el("optgroup", *options, label=label) for label, options in groups.items())])
