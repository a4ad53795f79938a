"""Slots and forms: where Markdown names what kvcore says, the page holds it, to the byte, before any script runs.

Markdown says `{{ slot("lab.cache_total") }}` or `{{ form("lab") }}`. Before Markdown is rendered, each becomes an
empty element; on the finished page the element is filled. So nothing in between, neither Markdown nor the theme,
ever touches the text that kvcore wrote.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module

_CALL = re.compile(r"\{\{\s*(?P<kind>[a-z_]+)\(\s*(?P<quote>[\"'])(?P<name>[^\"']*)(?P=quote)\s*\)\s*\}\}")
_EMPTY = re.compile(r'<(?P<tag>span|div) data-(?P<kind>slot|form)="(?P<name>[^"]*)"></(?P=tag)>')
_LOST = re.compile(r"&lt;(?:span|div) data-(?:slot|form)=(?:&quot;|\")(?P<name>.*?)(?:&quot;|\")")


class SlotError(ValueError):
    """A slot or form that a page names and kvcore does not have, or one in a place where it cannot stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What kvcore says for the controls' defaults: the text of every slot, and the HTML of a form by its name."""

    slots: Mapping[str, str]
    form: Callable[[str], str]
    blocks: frozenset[str]


def telling() -> Telling:
    """Ask kvcore, through the same door that the browser uses; what no control changes is printed beside it.

    Raises:
        SlotError: kvcore will not print something, such as evidence that does not agree.
    """
    page, printed = import_module("kvcore.page"), import_module("kvcore.page.printed")
    slots: dict[str, str] = {}
    for name, tell in printed.PRINTED.items():
        try:
            slots[name] = tell()
        except ValueError as refusal:
            raise SlotError(f'the slot "{name}" cannot be printed: {refusal}') from refusal
    for name in page.PAGES:
        slots |= json.loads(page.update(json.dumps({"hold": {"page": name}})))["slots"]
    return Telling(slots=slots, form=page.form, blocks=frozenset(page.BLOCK_SLOTS) | printed.BLOCKS)


def placeholders(markdown: str, blocks: Iterable[str] = ()) -> str:
    """The Markdown with an empty element for each slot or form it names; a block where the content is one.

    Raises:
        SlotError: The Markdown calls something else than `slot` or `form`.
    """

    def placeholder(call: re.Match[str]) -> str:
        kind, name = call["kind"], call["name"]
        if kind not in {"slot", "form"}:
            raise SlotError(f"{call[0]} is neither a slot nor a form")
        tag = "div" if kind == "form" or name in blocks else "span"
        return f'<{tag} data-{kind}="{escape(name)}"></{tag}>'

    return _CALL.sub(placeholder, markdown)


def fill(html: str, told: Telling) -> str:
    """The page with its empty elements filled.

    Raises:
        SlotError: kvcore has no such slot or form, or Markdown took a placeholder for text to show.
    """

    def filled(empty: re.Match[str]) -> str:
        name = empty["name"]
        if empty["kind"] == "form":
            return _form(name, told)
        if name not in told.slots:
            raise SlotError(f'there is no slot "{name}"; there are: {", ".join(sorted(told.slots))}')
        return f'<{empty["tag"]} data-slot="{name}">{told.slots[name]}</{empty["tag"]}>'

    if lost := _LOST.search(html):
        raise SlotError(
            f'the slot or form "{lost["name"]}" stands in code or in an attribute, where it cannot be filled'
        )
    return _EMPTY.sub(filled, html)


def contents(html: str) -> dict[str, list[str]]:
    """The text of each slot of a built page, once for each place where it stands, as it is in the file."""
    found: dict[str, list[str]] = {}
    for start in re.finditer(r'<(span|div) data-slot="([^"]*)">', html):
        tag, depth = start[1], 1
        for edge in re.finditer(rf"<(/?){tag}\b[^>]*>", html[start.end() :]):
            depth += -1 if edge[1] else 1
            if depth == 0:
                found.setdefault(start[2], []).append(html[start.end() : start.end() + edge.start()])
                break
    return found


def _form(name: str, told: Telling) -> str:
    try:
        return told.form(name)
    except (KeyError, ValueError) as unknown:
        raise SlotError(f'there is no form "{name}"') from unknown
