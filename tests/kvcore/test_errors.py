import pytest

from kvcore.errors import KvcoreError, OutOfRange, check_int, short_repr


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(10**5000, id="an integer too long to print"),
        pytest.param("x" * 10_000, id="a long text"),
        pytest.param("a\nb\x1b[31m", id="control characters"),
        pytest.param("\N{SNOWMAN}", id="not ASCII"),
        pytest.param([[]] * 10_000, id="a long list"),
        pytest.param({"a": "b" * 10_000}, id="a dict"),
        pytest.param(float("nan"), id="NaN"),
        pytest.param(None, id="None"),
    ],
)
def test_an_error_shows_any_value_as_one_short_line_of_ascii(value):
    text = str(KvcoreError("field", value, "expected"))
    assert text.isascii()
    assert text.isprintable()
    assert len(text) < 120
    assert text.startswith(f"field: {short_repr(value)} is not ")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(0, id="too small"),
        pytest.param(11, id="too large"),
        pytest.param(True, id="a bool"),
        pytest.param(5.0, id="a float"),
        pytest.param("5", id="a string"),
        pytest.param(None, id="None"),
    ],
)
def test_check_int_refuses_a_wrong_type_or_size_naming_the_field(value):
    with pytest.raises(OutOfRange) as caught:
        check_int("layers", value, 1, 10)
    assert (caught.value.field, caught.value.value) == ("layers", value)
    assert caught.value.expected == "an integer from 1 to 10"


def test_check_int_returns_a_number_in_range():
    assert [check_int("layers", value, 1, 10) for value in (1, 10)] == [1, 10]
