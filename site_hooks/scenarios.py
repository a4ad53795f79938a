"""Requests that cover everything a reader can make the page's Python do, sent one after another.

They run when the snapshot is made, so that the snapshot contains every module that a request imports. Tests run them again
and compare the answers of the restored snapshot with CPython's. They are generated from kvcore's controls, so new controls are
covered at once. Only `kvcore` and `json` are used: this runs in Pyodide too.
"""

import json
from collections.abc import Callable, Iterator

type Update = Callable[[str], str]
type Request = dict[str, object]

ODD: tuple[object, ...] = (
    "",
    " ",
    "abc",
    "8,192",
    "1e6",
    "-1",
    "9" * 400,
    "0.5",
    "<b>&\"'",
    "é",
    None,
    True,
    1.5,
    [],
    {},
)
"""Values that are invalid for most controls, or spelled unusually."""

NO_REQUESTS = (
    "",
    "null",
    "[]",
    '"text"',
    "{",
    "{} {}",
    "NaN",
    '{"batch": NaN}',
    "[" * 2000,
    '{"batch": 1' + "0" * 5000 + "}",
)
"""Texts that are not requests."""

NO_STATES: tuple[Request, ...] = (
    {"unknown": 1},
    {"changed": "batch"},
    {"changed": ["unknown", 1, None]},
    {"hold": 1},
    {"hold": {"values": 1, "remembered": 1}},
    {"hold": {"values": {"model": "unknown", "batch": "x"}, "remembered": {"chart": ["linear", "binary", 1, 0]}}},
    {"view": "unknown", "opened": "unknown"},
    {"more": "unknown"},
    {"more": {"unknown": 1}},
    {"fragment": ""},
    {"fragment": "v0&model=x"},
    {"fragment": "v2&unknown=1&model&=&batch=x&model=unknown&é=é"},
)
"""Requests that no page sends."""

WIDTHS = ("wide", "narrow")
"""The widths of figures: a page names the one that it shows."""

OPENED = ["lab.chart_table"]
"""A table that the reader has opened; the others stay closed."""

CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
"""A config.json to import that lacks fields."""

WHOLE_CONFIG = {**CONFIG, "num_hidden_layers": 2, "vocab_size": 256, "max_position_embeddings": 4096}
"""The same with all fields, so that it can be read."""

MOST_FOLLOWING = 100
"""More answers than this to one request, each asking for the next, mean that it would never end."""


def exchange(update: Update) -> Iterator[tuple[str, str]]:
    """Every request and its answer, in order; a drag's requests send back the `hold` of the answer before."""
    for text in NO_REQUESTS:
        yield text, update(text)
    for request in _arrivals():
        yield from _asked(update, request)
    built = json.loads(update("{}")).get("hold")
    for index, request in enumerate(_changes()):
        yield from _asked(update, {**request, "hold": built, "view": WIDTHS[index % len(WIDTHS)]})
    for values in _drags():
        hold: object = built
        steps = [{**value, "settled": False} for value in values]
        for step in (*steps, {**values[-1], "settled": True, "opened": OPENED}):
            for pair in _asked(update, {**step, "hold": hold, "view": "wide"}):
                hold = json.loads(pair[1]).get("hold")
                yield pair


def _asked(update: Update, request: Request) -> Iterator[tuple[str, str]]:
    """A request and its answer; then, while the answer has a `more` token, the requests that send it back."""
    for _ in range(MOST_FOLLOWING):
        text = json.dumps(request)
        answer = update(text)
        yield text, answer
        parsed = json.loads(answer)
        if parsed.get("more") is None:
            return
        request = {**request, "more": parsed["more"], "hold": parsed.get("hold")}
    raise ValueError(f"the answers never end to the request {text[:200]}")


def _arrivals() -> Iterator[Request]:
    """Requests that draw the whole page: opening it, opening a link to a state, and unusual states."""
    from kvcore.page.pages import ARTICLE  # noqa: PLC0415 - this file is read before kvcore can be imported

    yield {}
    yield {name: control.default for name, control in ARTICLE.controls.items()}
    yield {"fragment": "v2&" + "&".join(f"{name}={control.default}" for name, control in ARTICLE.controls.items())}
    for config in (CONFIG, WHOLE_CONFIG):
        yield {"config_text": json.dumps(config), "config_name": "mine"}
    yield from NO_STATES


def _changes() -> Iterator[Request]:
    """One control changed at a time: to each option, to both ends, past both ends, and to invalid values."""
    from kvcore.page.pages import ARTICLE  # noqa: PLC0415

    for name, control in ARTICLE.controls.items():
        values: list[object] = [*getattr(control, "options", ()), *ODD]
        for edge, past in (("low", -1), ("high", 1)):
            if isinstance(end := getattr(control, edge, None), int):
                values += [end, str(end), end + past]
        for value in values:
            yield {name: value, "changed": [name]}


def _drags() -> Iterator[list[Request]]:
    """Each slider dragged over about five of its stops, twice: with two settings of units and scale."""
    from kvcore.page.pages import ARTICLE  # noqa: PLC0415

    looks: tuple[Request, ...] = ({}, {"units": "decimal", "scale": "log"})
    for name, control in ARTICLE.controls.items():
        stops = getattr(control, "stops", None) or ()
        chosen = stops[:: max(1, len(stops) // 5)]
        if chosen:
            yield from ([{**look, name: str(stop), "changed": [name]} for stop in chosen] for look in looks)
