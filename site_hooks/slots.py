"""Slots and forms: places in the Markdown that the build fills with kvcore's text, so that the page is complete without scripts.

Markdown says `{{ slot("lab.cache_total") }}` or `{{ form("lab") }}`. Before the Markdown is rendered, each becomes an
empty element; in the finished page the element is filled. So neither Markdown nor the theme can change a byte of the
text that kvcore wrote.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module

_CALL = re.compile(r"\{\{\s*(?P<kind>[a-z_]+)\(\s*(?P<quote>[\"'])(?P<name>[^\"']*)(?P=quote)\s*\)\s*\}\}")
_EMPTY = re.compile(r'<(?P<tag>span|div) data-(?P<kind>slot|form|handle)="(?P<name>[^"]*)"></(?P=tag)>')
_ESCAPED = re.compile(r"&lt;(?:span|div) data-(?:slot|form|handle)=(?:&quot;|\")(?P<name>.*?)(?:&quot;|\")")


class SlotError(ValueError):
    """A page names a slot or form that kvcore does not have, or names one where it cannot be filled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """What kvcore says for the default values of the controls.

    `html` is the content of each slot, `form` and `handle` return the HTML of a form or of a second slider by its name, and `blocks` are the slots whose
    content is a figure or a table and needs a div.
    """

    html: Mapping[str, str]
    form: Callable[[str], str]
    handle: Callable[[str], str]
    blocks: frozenset[str]


def from_kvcore() -> Slots:
    """Ask `kvcore.page.update`, as the browser does, and add the slots that depend on no control.

    Raises:
        SlotError: kvcore refuses to print something, such as evidence that disagrees without a reason.
    """
    page, printed = import_module("kvcore.page"), import_module("kvcore.page.printed")
    html: dict[str, str] = {}
    for name, content in printed.PRINTED.items():
        try:
            html[name] = content()
        except ValueError as refusal:
            raise SlotError(f'the slot "{name}" cannot be printed: {refusal}') from refusal
    for name in page.PAGES:
        html |= json.loads(page.update(json.dumps({"hold": {"page": name}})))["slots"]
    return Slots(html=html, form=page.form, handle=page.handle, blocks=frozenset(page.BLOCK_SLOTS) | printed.BLOCKS)


def placeholders(markdown: str, blocks: Iterable[str] = ()) -> str:
    """The Markdown with an empty element for each slot or form it names: a div for forms and `blocks`, else a span.

    Raises:
        SlotError: The Markdown calls something other than `slot` or `form`.
    """

    def placeholder(call: re.Match[str]) -> str:
        kind, name = call["kind"], call["name"]
        if kind not in {"slot", "form", "handle"}:
            raise SlotError(f"{call[0]} is neither a slot nor a form nor a handle")
        tag = "div" if kind != "slot" or name in blocks else "span"
        return f'<{tag} data-{kind}="{escape(name)}"></{tag}>'

    return _CALL.sub(placeholder, markdown)


def fill(html: str, slots: Slots) -> str:
    """The page with its empty elements filled.

    Raises:
        SlotError: kvcore has no such slot or form, or a placeholder stands in code or in an attribute, where Markdown escaped it.
    """

    def filled(empty: re.Match[str]) -> str:
        name = empty["name"]
        if empty["kind"] != "slot":
            return _control(empty["kind"], name, slots)
        if name not in slots.html:
            raise SlotError(f'there is no slot "{name}"; there are: {", ".join(sorted(slots.html))}')
        return f'<{empty["tag"]} data-slot="{name}">{slots.html[name]}</{empty["tag"]}>'

    if escaped := _ESCAPED.search(html):
        raise SlotError(
            f'the slot or form "{escaped["name"]}" stands in code or in an attribute, where it cannot be filled'
        )
    return _EMPTY.sub(filled, html)


def contents(html: str) -> dict[str, list[str]]:
    """The content of each slot in the file of a built page, once for each place where the slot stands."""
    found: dict[str, list[str]] = {}
    for start in re.finditer(r'<(span|div) data-slot="([^"]*)">', html):
        tag, depth = start[1], 1
        for edge in re.finditer(rf"<(/?){tag}\b[^>]*>", html[start.end() :]):
            depth += -1 if edge[1] else 1
            if depth == 0:
                found.setdefault(start[2], []).append(html[start.end() : start.end() + edge.start()])
                break
    return found


def _control(kind: str, name: str, slots: Slots) -> str:
    """A form, or a second slider of one of its controls."""
    try:
        return slots.form(name) if kind == "form" else slots.handle(name)
    except (KeyError, ValueError) as unknown:
        raise SlotError(f'there is no {kind} "{name}"') from unknown
