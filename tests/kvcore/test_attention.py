import math
import random

import pytest

from kvcore.attention import Layer, Work, attend, reply
from kvcore.errors import KvcoreError


def layers(count, width, seed=3):
    draw = random.Random(seed)

    def matrix():
        return tuple(tuple(draw.uniform(-1, 1) for _ in range(width)) for _ in range(width))

    return tuple(Layer(query=matrix(), key=matrix(), value=matrix()) for _ in range(count))


@pytest.mark.parametrize(("count", "width", "tokens"), [(1, 2, 5), (2, 4, 12), (3, 3, 20)])
def test_the_reply_is_the_same_with_and_without_a_cache(count, width, tokens):
    start = tuple(1.0 / (index + 1) for index in range(width))
    with_cache, _ = reply(layers(count, width), start, tokens, cached=True)
    without, _ = reply(layers(count, width), start, tokens, cached=False)
    assert with_cache == without


@pytest.mark.parametrize(
    ("cached", "tokens", "projections", "scores"),
    [
        # with a cache, each of the two layers projects 3 vectors a step and computes 1 + 2 + ... + n scores in all
        pytest.param(True, 4, 2 * 3 * 4, 2 * (1 + 2 + 3 + 4), id="with a cache, 4 tokens"),
        pytest.param(True, 8, 2 * 3 * 8, 2 * 36, id="with a cache, 8 tokens"),
        # without, a step at n tokens projects 3n vectors and computes n (n + 1) / 2 scores in each layer
        pytest.param(False, 4, 2 * 3 * (1 + 2 + 3 + 4), 2 * (1 + 3 + 6 + 10), id="without a cache, 4 tokens"),
        pytest.param(False, 8, 2 * 3 * 36, 2 * 120, id="without a cache, 8 tokens"),
    ],
)
def test_projections_and_scores_are_counted(cached, tokens, projections, scores):
    _, work = reply(layers(2, 2), (1.0, 0.5), tokens, cached=cached)
    assert (work.projections, work.scores) == (projections, scores)


def test_attend_weights_values_by_the_softmax_of_the_scores():
    output = attend((1.0, 0.0), [(math.sqrt(2) * math.log(3), 0.0), (0.0, 0.0)], [(4.0, 0.0), (0.0, 8.0)], Work())
    assert output == pytest.approx((3.0, 2.0))  # scores ln 3 and 0: weights 3/4 and 1/4


@pytest.mark.parametrize(
    ("call", "field"),
    [
        pytest.param(lambda: attend((1.0,), [], [], Work()), "keys", id="no keys"),
        pytest.param(lambda: attend((1.0,), [(1.0,)], [], Work()), "keys", id="a key without a value"),
        pytest.param(lambda: reply(layers(1, 1), (1.0,), 0, cached=True), "count", id="no token"),
    ],
)
def test_bad_input_is_refused_naming_the_field(call, field):
    with pytest.raises(KvcoreError) as caught:
        call()
    assert caught.value.field == field
