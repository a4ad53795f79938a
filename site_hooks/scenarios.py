"""Everything a reader can make the page's Python do, as an exchange of requests and answers.

It is held when the snapshot is made, so that all that any request needs is imported in it, and again by tests, which
compare the answers of the restored snapshot with CPython's. It is made from `kvcore`'s own controls and models, so
that it grows with them. Only `kvcore` and `json` are used: it runs wherever they do, Pyodide included.
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
"""Values that no control has, or not in this spelling."""

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
"""Texts that are no request at all."""

NO_STATES: tuple[Request, ...] = (
    {"unknown": 1},
    {"changed": "batch"},
    {"changed": ["unknown", 1, None]},
    {"hold": 1},
    {"hold": {"values": 1, "axis": 1}},
    {"hold": {"values": {"model": "unknown", "batch": "x"}, "axis": ["linear", "binary", 1, 0]}},
    {"more": "unknown"},
    {"more": {"unknown": 1}},
    {"fragment": ""},
    {"fragment": "v0&model=x"},
    {"fragment": "v1&unknown=1&model&=&batch=x&model=unknown&é=é"},
)
"""Requests that say what no page says."""

MOST_FOLLOWING = 100
"""A computation that goes on longer than this many answers would never end."""


def exchange(update: Update) -> Iterator[tuple[str, str]]:
    """Every request and its answer, in order; later requests hold what earlier answers said."""
    for text in NO_REQUESTS:
        yield text, update(text)
    for request in _arrivals():
        yield from _asked(update, request)
    hold = json.loads(update("{}")).get("hold")
    for request in _changes():
        yield from _asked(update, {**request, "hold": hold})
    for values in _drags():
        held: object = hold
        for value in values:
            for pair in _asked(update, {**value, "settled": False, "hold": held}):
                held = json.loads(pair[1]).get("hold")
                yield pair


def _asked(update: Update, request: Request) -> Iterator[tuple[str, str]]:
    """A request and its answer, and then, while the answer says that there is more, the next ones."""
    for _ in range(MOST_FOLLOWING):
        text = json.dumps(request)
        answer = update(text)
        yield text, answer
        told = json.loads(answer)
        if told.get("more") is None:
            return
        request = {**request, "more": told["more"], "hold": told.get("hold")}
    raise ValueError(f"there is always more to {text[:200]}")


def _arrivals() -> Iterator[Request]:
    """The page as it is opened, by an address too, and odd states: each draws the whole page."""
    from kvcore.page.pages import ARTICLE  # noqa: PLC0415 - the snapshot's maker reads this file before kvcore is there

    yield {}
    yield {name: control.default for name, control in ARTICLE.controls.items()}
    yield {"fragment": "v1&" + "&".join(f"{name}={control.default}" for name, control in ARTICLE.controls.items())}
    yield from NO_STATES


def _changes() -> Iterator[Request]:
    """One control moved at a time: to each option, each end, past each end, and to what is no value at all."""
    from kvcore.page.pages import ARTICLE  # noqa: PLC0415

    for name, control in ARTICLE.controls.items():
        values: list[object] = [*getattr(control, "options", ()), *ODD]
        for edge, past in (("low", -1), ("high", 1)):
            if isinstance(end := getattr(control, edge, None), int):
                values += [end, str(end), end + past]
        for value in values:
            yield {name: value, "changed": [name]}


def _drags() -> Iterator[list[Request]]:
    """Each slider drawn over five of its stops, with the units and the scale as they may be."""
    from kvcore.page.pages import ARTICLE  # noqa: PLC0415

    looks: tuple[Request, ...] = ({}, {"units": "decimal", "scale": "log"})
    for name, control in ARTICLE.controls.items():
        stops = getattr(control, "stops", None) or ()
        chosen = stops[:: max(1, len(stops) // 5)]
        if chosen:
            yield from ([{**look, name: str(stop), "changed": [name]} for stop in chosen] for look in looks)
