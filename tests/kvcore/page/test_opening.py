"""The opening figure, read back: its columns are the Lab's bytes on one scale, and its sentence has the Lab's numbers.

Llama-3.1 70B: 141,107,412,992 bytes of weights, 2,684,354,560 of cache for a user of 8,192 tokens, so 53 users outweigh it.
"""

import re
import xml.etree.ElementTree as ET

import pytest

from tests.kvcore.page.reading import numbers, slots, value

ONE_USER, WEIGHTS = 2_684_354_560, 141_107_412_992


def drawing(**request):
    return ET.fromstring(slots(**request)["opening.figure"])


def heights(svg):
    """The heights of the columns: weights, cache."""
    return [float(svg.find(f"rect[@class='{name}']").get("height")) for name in ("kv-weights-solid", "kv-cache-solid")]


@pytest.mark.parametrize("users", [1, 8, 53, 64, 128, 512])
def test_the_columns_are_the_bytes_on_one_scale(users):
    weights, cache = heights(drawing(batch=users))
    assert cache / weights == pytest.approx(users * ONE_USER / WEIGHTS, rel=0.02, abs=0.002)


@pytest.mark.parametrize("users", [8, 53, 512])
def test_the_dashed_line_is_where_the_weights_end(users):
    svg = drawing(batch=users)
    (line,) = (path.get("d") for path in svg.iter("path") if path.get("class") == "kv-cliff")
    top = float(svg.find("rect[@class='kv-weights-solid']").get("y"))
    assert float(re.match(r"M\d+,([\d.]+)H", line)[1]) == pytest.approx(top, abs=0.1)


@pytest.mark.parametrize(("users", "lines"), [(1, 0), (8, 7), (53, 52), (65, 0)])
def test_the_cache_has_a_slice_for_each_user_while_they_can_be_told_apart(users, lines):
    svg = drawing(batch=users)
    drawn = [path.get("d") for path in svg.iter("path") if path.get("class") == "kv-rule"]
    assert sum(path.count("M") for path in drawn) == lines


@pytest.mark.parametrize(
    ("request_", "cache", "tipping"),
    [
        pytest.param({}, 8 * ONE_USER, 53, id="below"),
        pytest.param({"batch": 60}, 60 * ONE_USER, 53, id="above"),
        pytest.param({"context": 65536, "batch": 1}, 8 * ONE_USER, 7, id="another context"),
        pytest.param({"batch": 8, "shared_prompt": 4096}, 9 * ONE_USER // 2, 105, id="half of it shared"),
    ],
)
def test_the_sentence_has_the_labs_numbers(request_, cache, tipping):
    found = slots(**request_)
    assert numbers(found["opening.sentence"]) == [str(cache), str(tipping)]
    assert [value(found["lab.cache_total"]), value(found["lab.cliff_batch"])] == [str(cache), str(tipping)]
    assert value(found["opening.users"]) == str(request_.get("batch", 8))


def test_a_model_with_a_state_is_said_to_keep_one():
    assert "The state of 8 users" in slots(model="codestral-mamba-7b")["opening.sentence"]
    assert "The cache and state of 8 users" in slots(model="qwen3-next-80b")["opening.sentence"]
