"""The exceptions that kvcore raises for bad input: each names the field, its value, and what was expected.

>>> check_int("batch", 0, 1, 1024)
Traceback (most recent call last):
kvcore.errors.OutOfRange: batch: 0 is not an integer from 1 to 1024
"""

__all__ = ["Invalid", "KvcoreError", "OutOfRange", "UnknownName", "Unsupported", "check_int", "short_repr"]

_SHOWN_CHARACTERS = 60
_SHOWN_BITS = 128
_SHOWN_NAME = 120


def short_repr(value: object) -> str:
    """Return any value as one short line of ASCII for an error message.

    Integers above 128 bits are described, not printed: CPython refuses to print one of more than 4,300 digits.

    >>> short_repr("four"), short_repr([1, 2, 3]), short_repr(2**200)
    ("'four'", 'a list of 3', 'an integer of 201 bits')
    """
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, dict | list | tuple | set):
        return f"a {type(value).__name__} of {len(value)}"
    text = ascii(value[:_SHOWN_CHARACTERS] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARACTERS + 2 else text[:_SHOWN_CHARACTERS] + "..."


def _shown_name(field: str) -> str:
    """Return the name of a field, which may come from a stranger's file, as short printable ASCII."""
    if len(field) <= _SHOWN_NAME and field.isascii() and field.isprintable():
        return field
    return ascii(field)[1:-1][:_SHOWN_NAME] + ("..." if len(ascii(field)) > _SHOWN_NAME + 2 else "")


class KvcoreError(ValueError):
    """Input that kvcore refuses: the base class of all its exceptions.

    `field` is the name of the input, `value` what was given, `expected` completes the sentence "... is not ...".

    >>> print(KvcoreError("model", "llama-9", "the id of a model"))
    model: 'llama-9' is not the id of a model
    """

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f"{_shown_name(field)}: {short_repr(value)} is not {expected}")
        self.field = field
        self.value = value
        self.expected = expected


class Invalid(KvcoreError):  # noqa: N818 - the base class is called an error; this name says of which kind
    """A value of the wrong type, or one that contradicts another value.

    >>> print(Invalid("cp", 3, "a divisor of tp, which is 8"))
    cp: 3 is not a divisor of tp, which is 8
    """


class OutOfRange(Invalid):
    """A number of the wrong type, too small or too large.

    >>> print(OutOfRange("context", 0, "an integer from 1 to 1000"))
    context: 0 is not an integer from 1 to 1000
    """


class UnknownName(KvcoreError):  # noqa: N818 - as above
    """The name of a model, GPU or data type that kvcore does not have.

    >>> print(UnknownName("gpu", "abacus", "one of h100-80gb, h200"))
    gpu: 'abacus' is not one of h100-80gb, h200
    """


class Unsupported(KvcoreError):  # noqa: N818 - as above
    """A well-formed configuration for which kvcore has no correct formula.

    >>> print(Unsupported("model_type", "whale", "an architecture that kvcore can size"))
    model_type: 'whale' is not an architecture that kvcore can size
    """


def check_int(field: str, value: object, low: int, high: int) -> int:
    """Return `value` if it is an integer (not a bool) from `low` to `high`, both included.

    Raises:
        OutOfRange: naming `field`, for anything else.

    >>> check_int("batch", 8, 1, 1024)
    8
    """
    if type(value) is not int or not low <= value <= high:
        raise OutOfRange(field, value, f"an integer from {low} to {high}")
    return value
