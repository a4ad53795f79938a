"""Reads the fields of a config: every read checks the type and range, errors name the field, and fields nobody read are refused."""

from collections.abc import Iterable, Mapping

from kvcore.errors import Invalid, Unsupported, check_int
from kvcore.harmless import HARMLESS, HARMLESS_AT
from kvcore.layers import MOST_LAYERS, MOST_TOKENS, MOST_WIDTH

__all__ = ["REQUIRED", "STRUCTURAL", "Fields", "speaks_of_shape"]

REQUIRED: int = -1

STRUCTURAL = (
    "attend", "attention", "attn", "bias", "block", "cache", "chunk", "compress", "config", "conv", "cross", "decoder", "delta",
    "depth", "dim", "embed", "encoder", "expert", "gate", "global", "group", "head", "hybrid", "index_", "kv", "latent", "layer",
    "linear", "local", "loop", "lora", "mamba", "memory", "mlp", "moe", "norm", "pattern", "query", "rank", "recurren", "reuse",
    "shar", "sink", "size", "sliding", "sparse", "ssm", "state", "tie_", "width", "window",
)  # fmt: skip
"""Parts of names of fields that may change a shape. A field with such a name that no reader has read is refused:
otherwise a config with an unknown feature would give a wrong number without a word."""

_STRUCTURAL_WORDS = frozenset({"cla", "gqa", "mha", "mla", "mqa", "mtp", "rnn", "swa"})
"""The same, as whole words between underscores: as parts they would be found in names such as "classifier"."""


def speaks_of_shape(key: str) -> bool:
    """Whether the name of a field says that it may change parameters or cache.

    >>> speaks_of_shape("use_mla"), speaks_of_shape("num_blocks"), speaks_of_shape("rope_theta"), speaks_of_shape("class_weights")
    (True, True, False, False)
    """
    lower = key.lower()
    if lower.startswith(("num_", "n_")) or any(part in lower for part in STRUCTURAL):
        return True
    return not _STRUCTURAL_WORDS.isdisjoint(lower.split("_"))


class Fields:
    """The fields of one config, read one by one.

    Args:
        config: the parsed JSON object.
        path: where it stands in a larger one, as a prefix of names in errors ("text_config.").
        assumed: where to note the defaults taken, if that is shared with the larger one.

    Raises:
        Invalid: when `config` is no mapping of strings.
    """

    def __init__(self, config: object, path: str = "", assumed: dict[str, object] | None = None) -> None:
        if not isinstance(config, Mapping) or not all(isinstance(key, str) for key in config):
            raise Invalid(path.rstrip(".") or "config", config, "a JSON object")
        self._config = config
        self._path = path
        self._read: set[str] = set()
        self._ignored: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self.assumed: dict[str, object] = {} if assumed is None else assumed

    def name(self, key: str) -> str:
        """The full name of a key, for errors: text_config.hidden_size."""
        return self._path + self._names.get(key, key)

    def also_called(self, key: str, *names: str) -> None:
        """Read `key` from any of `names` too: the family's code, or what it saves, calls the same number so.

        Raises:
            Invalid: when the config has two of the names, with different values.
        """
        there = [name for name in (key, *names) if self.has(name)]
        for name in names:
            self.value(name)
        for name in there[1:]:
            if self._config[name] != self._config[there[0]] or type(self._config[name]) is not type(
                self._config[there[0]]
            ):
                raise Invalid(self.name(name), self._config[name], f"what {there[0]} says, which is the same field")
        found = there or [
            name for name in (key, *names) if name in self._config
        ]  # null under another name is no missing field
        if found and found[0] != key:
            self._names[key] = found[0]

    def inside(self, key: str) -> "Fields":
        """The fields of the object under `key`, whose defaults are noted with those of this one."""
        return Fields(self.value(key), self.name(f"{key}."), self.assumed)

    def has(self, key: str) -> bool:
        """Whether the config has the key, or another name of it, and its value is not null."""
        return self._config.get(self._names.get(key, key)) is not None

    def items(self) -> Iterable[tuple[str, object]]:
        """All keys and values; none of them counts as read."""
        return self._config.items()

    def value(self, key: str) -> object:
        """The value as it is, or None; the key counts as read."""
        key = self._names.get(key, key)
        self._read.add(key)
        return self._config.get(key)

    def ignore(self, *keys: str, why: str) -> None:
        """Mark keys as known, of which no value changes parameters or cache in this family, for the reason `why`."""
        self._ignored.update(dict.fromkeys(keys, why))

    def assume(self, key: str, value: object) -> None:
        """Remember a default that was taken for a field that is not there."""
        self.assumed[self.name(key)] = value

    def integer(
        self, key: str, default: int = REQUIRED, *, null: int = REQUIRED, low: int = 1, high: int = MOST_WIDTH
    ) -> int:
        """An integer from `low` to `high`; `default` where the key is missing, `null` where its value is null."""
        value = self.value(key)
        if value is None:
            present = key in self._config
            fallback = null if present else default
            if fallback == REQUIRED:
                raise Invalid(
                    self.name(key),
                    value,
                    "a number; the config leaves it out, and this model_type has no default for it"
                    if not present
                    else "a number",
                )
            self.assume(key, fallback)
            return fallback
        return check_int(self.name(key), value, low, high)

    def layers(self, key: str) -> int:
        """A number of layers."""
        return self.integer(key, high=MOST_LAYERS)

    def tokens(self, key: str, default: int | None = None) -> int | None:
        """A number of tokens, or None for no limit where the value is null; `default` where the key is missing."""
        value = self.value(key)
        if value is None:
            if key in self._config:
                return None
            self.assume(key, default)
            return default
        return check_int(self.name(key), value, 1, MOST_TOKENS)

    def integers_per_layer(self, key: str, length: int) -> list[int]:
        """A number for each of `length` layers: a list of them, or one number for all."""
        value = self.value(key)
        if isinstance(value, list):
            if len(value) != length:
                raise Invalid(self.name(key), value, f"a list of {length}, one entry a layer")
            return [check_int(self.name(key), item, 1, MOST_WIDTH) for item in value]
        return [self.integer(key)] * length

    def flag(self, key: str, default: bool, *, null: bool | None = None) -> bool:
        """A boolean; `default` where the key is missing.

        Null counts as false, as it does in the families' code. Where the default is true that would turn something off, so
        null is refused there unless `null` says what it means.
        """
        value = self.value(key)
        if value is None and (key not in self._config or null is not None or not default):
            value = default if key not in self._config else bool(null)
            self.assume(key, value)
        if not isinstance(value, bool):
            raise Invalid(self.name(key), value, "true or false")
        return value

    def strings(self, key: str, length: int, allowed: Iterable[str]) -> list[str] | None:
        """A list of `length` strings, each one of `allowed`; None if the key is missing or null."""
        value = self.value(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != length:
            raise Invalid(self.name(key), value, f"a list of {length}, one entry a layer")
        known = tuple(allowed)
        for word in value:
            if word not in known:
                raise Unsupported(self.name(key), word, f"one of {', '.join(known)}")
        return value

    def integers(self, key: str, length: int, allowed: tuple[int, ...]) -> list[int] | None:
        """A list of `length` integers, each one of `allowed`; None if the key is missing, null or an empty list."""
        value = self.value(key)
        if value is None or value == []:
            return None
        if not isinstance(value, list) or len(value) != length:
            raise Invalid(self.name(key), value, f"a list of {length}, one entry a layer")
        for item in value:
            if type(item) is not int or item not in allowed:
                raise Unsupported(self.name(key), item, f"one of {', '.join(map(str, allowed))}")
        return value

    def letters(self, key: str, letters: str) -> str:
        """A string with one letter per layer, all of them among `letters`."""
        value = self.value(key)
        if not isinstance(value, str) or not 1 <= len(value) <= MOST_LAYERS:
            raise Invalid(self.name(key), value, f"a word of the letters {letters}, one a layer")
        for letter in value:
            if letter not in letters:
                raise Unsupported(self.name(key), letter, f"one of {', '.join(letters)}")
        return value

    def layer_indices(self, key: str, below: int) -> frozenset[int]:
        """A list of layer indices below `below`, as a set; empty if the key is missing or null."""
        value = self.value(key)
        if value is None:
            self.assume(key, [])
            return frozenset()
        if not isinstance(value, list) or len(value) > below:
            raise Invalid(self.name(key), value, f"a list of layer numbers below {below}")
        return frozenset(check_int(self.name(key), index, 0, below - 1) for index in value)

    def require(self, key: str, expected: object, default: object) -> None:
        """Refuse any value but `expected`, the only one kvcore has a formula for.

        A missing key counts as `default`, and null as false: it is refused where true is expected.
        """
        value = self.value(key)
        if value is None and (key not in self._config or not default):
            value = default
            if default is not None:
                self.assume(key, default)
        if value != expected or type(value) is not type(expected):
            raise Unsupported(self.name(key), value, f"{expected}, the one case there is a formula for")

    def agree(self, key: str, value: object) -> None:
        """Refuse the field if it is there and differs from `value`, which other fields say already.

        Raises:
            Unsupported: naming the field.
        """
        given = self.value(key)
        if given is not None and (given != value or type(given) is not type(value)):
            raise Unsupported(self.name(key), given, f"{value}, as the other fields have it")

    def only(self, key: str, *allowed: object, why: str) -> None:
        """Refuse the field if it is there, is not null, and is none of `allowed`, at which it changes nothing, because of `why`."""
        given = self.value(key)
        if given is not None and not any(given == value and type(given) is type(value) for value in allowed):
            raise Unsupported(self.name(key), given, f"{' or '.join(map(str, (*allowed, 'null')))} ({why})")

    def used(self) -> dict[str, object]:
        """The fields that are there and were read: all that the shape was made of."""
        return {key: value for key, value in self._config.items() if key in self._read}

    def refuse_others(self) -> None:
        """Refuse every field that was not read, whatever its name: for objects that hold nothing but sizes."""
        for key, value in self._config.items():
            if key not in self._read and value is not None:
                raise Unsupported(self.name(key), value, "known here")

    def finish(self) -> None:
        """Refuse every field that may change the shape (by its name) and that the family's reader neither read nor ignored."""
        for key, value in self._config.items():
            if key in self._read or key in self._ignored or key in HARMLESS or not value:
                continue
            if key in HARMLESS_AT:
                self.only(key, *HARMLESS_AT[key], why="other values may change the shape")
            elif speaks_of_shape(key):
                raise Unsupported(self.name(key), value, "known for this model_type, and it may change the shape")
