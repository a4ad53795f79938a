"""The control for importing a model: its value is a packed config; its HTML offers three ways to import one."""

from dataclasses import dataclass

from kvcore.errors import KvcoreError
from kvcore.page.controls import Value
from kvcore.page.html import Html, el
from kvcore.page.lab import words
from kvcore.page.lab.packed import unpack


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedConfig:
    """A control whose value is the config of an imported model, packed as in a link (see `packed`); empty if there is none."""

    name: str
    label: str
    default: str = ""

    def read(self, raw: object, fallback: Value) -> tuple[Value, str | None]:
        """The packed config, if it can be read, or the fallback and the problem."""
        text = str(raw)
        if not text:
            return "", None
        try:
            unpack(text)
        except KvcoreError as error:
            return fallback, words.not_a_packed_config(str(error))
        return text, None

    def spoken(self, value: Value) -> str:
        """The value itself: no screen reader speaks it, because the input is hidden."""
        return str(value)

    def html(self, ident: str, note: Html) -> Html:
        """A hidden input with the packed config, and inputs for a config.json: its text, a file, or a model id on Hugging Face."""
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
            el("input", type="hidden", id=ident, name=self.name, value=""),
            el("label", words.IMPORT_TEXT, for_="kv-config-text"),
            text,
            el("button", words.IMPORT_USE, type="button", id="kv-config-use"),
            el("label", words.IMPORT_FILE, for_="kv-config-file"),
            file,
            el("label", words.IMPORT_ID, for_="kv-config-id"),
            el("div", name, el("button", words.IMPORT_FETCH, type="button", id="kv-config-fetch"), class_="kv-fetch"),
            el(
                "p",
                el("span", words.IMPORT_WAITING),
                " ",
                el("button", words.IMPORT_STOP, type="button", id="kv-config-stop"),
                id="kv-config-waiting",
                hidden=True,
            ),
            note,
            class_="kv-import",
            id="kv-import",
            data_control=self.name,
        )
