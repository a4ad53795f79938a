"""Refusals: every one names the field, the value it had, and what was expected."""

__all__ = ["Invalid", "KvcoreError", "OutOfRange", "UnknownName", "Unsupported", "check_int", "short_repr"]

_SHOWN_CHARACTERS = 60
_SHOWN_BITS = 128


def short_repr(value: object) -> str:
    """A value as one short line of ASCII, however long, nested or odd it is.

    Integers above 128 bits are described rather than printed: CPython refuses to print those of more than 4,300 digits.
    """
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, dict | list | tuple | set):
        return f"a {type(value).__name__} of {len(value)}"
    text = ascii(value[:_SHOWN_CHARACTERS] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARACTERS + 2 else text[:_SHOWN_CHARACTERS] + "..."


class KvcoreError(ValueError):
    """Something kvcore was given is refused; `field`, `value` and `expected` say what and why."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f"{field}: {short_repr(value)} is not {expected}")
        self.field = field
        self.value = value
        self.expected = expected


class Invalid(KvcoreError):  # noqa: N818 - the base class says that it is an error; the name says which
    """A value of the wrong type, or one that contradicts another."""


class OutOfRange(Invalid):
    """A number of the wrong kind or size."""


class UnknownName(KvcoreError):  # noqa: N818 - as above
    """A name (a model, a GPU, a dtype) that no table holds."""


class Unsupported(KvcoreError):  # noqa: N818 - as above
    """A configuration that is well formed and that kvcore has no right formula for."""


def check_int(field: str, value: object, low: int, high: int) -> int:
    """`value` if it is an integer (and no bool) from `low` to `high`.

    Raises:
        OutOfRange: naming `field` otherwise.
    """
    if type(value) is not int or not low <= value <= high:
        raise OutOfRange(field, value, f"an integer from {low} to {high}")
    return value
