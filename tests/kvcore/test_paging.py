from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.errors import KvcoreError
from kvcore.paging import LONGEST, STRATEGIES, Request, allocate, block_order, fit, requests

SIX = (669, 80, 175, 571, 473, 100)
"""Tokens of the first six requests of the random stream; they must never change."""


def test_the_random_stream_is_the_same_in_every_python():
    assert tuple(request.tokens for request in requests(6)) == SIX
    assert requests(2) == (Request(prompt=255, reply=414), Request(prompt=5, reply=75))


def test_the_random_stream_has_the_mean_lengths_of_sharegpt():
    many = requests(20_000)
    assert abs(sum(request.prompt for request in many) / len(many) - 161) < 4
    assert (
        abs(sum(request.reply for request in many) / len(many) - 338) < 8
    )  # a little less, because the longest replies are shortened
    assert max(request.tokens for request in many) <= LONGEST


def test_allocations_of_the_article_s_example():
    arrived = requests(6)
    contiguous, paged = (allocate(strategy, arrived, 128) for strategy in STRATEGIES)
    assert contiguous.stored_tokens == paged.stored_tokens == 2068  # 669 + 80 + 175 + 571 + 473 + 100
    assert contiguous.blocks == (16,) * 6  # 2,048 / 128
    assert contiguous.reserved_tokens == 12_288
    assert contiguous.utilisation == Fraction(2068, 12_288)
    assert paged.blocks == (6, 1, 2, 5, 4, 1)  # ceil(tokens / 128) each
    assert paged.reserved_tokens == 19 * 128
    assert contiguous.used_blocks == paged.used_blocks == 19


@pytest.mark.parametrize(
    ("strategy", "blocks", "block_size", "expected"),
    [
        pytest.param("contiguous", 96, 128, 6, id="room for exactly six"),
        pytest.param("contiguous", 95, 128, 5, id="one block too few for six"),
        pytest.param("paged", 19, 128, 6, id="room for exactly six, paged"),
        pytest.param("paged", 18, 128, 5, id="one block too few for six, paged"),
        pytest.param("paged", 0, 128, 0, id="no room"),
    ],
)
def test_fit_counts_the_sequences_that_fit(strategy, blocks, block_size, expected):
    assert fit(strategy, blocks, block_size) == expected


def test_block_order_gives_blocks_to_sequences_as_they_grow():
    arrived = (Request(prompt=3, reply=4), Request(prompt=1, reply=2))
    # Blocks of 2: the prompts take two blocks and one. Both sequences fill their last block, then both need another (for
    # tokens 5 and 3), and the first sequence needs one more for token 7.
    assert block_order(arrived, 2) == [0, 0, 1, 0, 1, 0]


lengths = st.lists(st.integers(2, LONGEST), min_size=1, max_size=80)
block_sizes = st.integers(1, 512)


def arrivals(tokens):
    return tuple(Request(prompt=1, reply=length - 1) for length in tokens)


@given(lengths, block_sizes)
def test_paged_allocation_wastes_less_than_one_block_a_sequence(tokens, block_size):
    paged = allocate("paged", arrivals(tokens), block_size)
    for blocks, stored in zip(paged.blocks, paged.stored, strict=True):
        assert 0 <= blocks * block_size - stored < block_size


@given(lengths, block_sizes)
def test_contiguous_allocation_never_reserves_less_than_paged(tokens, block_size):
    contiguous, paged = (allocate(strategy, arrivals(tokens), block_size) for strategy in STRATEGIES)
    assert contiguous.reserved_tokens >= paged.reserved_tokens
    assert 0 < contiguous.utilisation <= paged.utilisation <= 1


@given(lengths, block_sizes)
def test_block_order_has_the_blocks_of_every_sequence(tokens, block_size):
    arrived = arrivals(tokens)
    order = block_order(arrived, block_size)
    assert tuple(order.count(index) for index in range(len(arrived))) == allocate("paged", arrived, block_size).blocks


def test_allocations_agree_with_counting_blocks_token_by_token():
    numpy = pytest.importorskip("numpy", reason="this test compares with numpy, which is not installed in Pyodide")
    random = numpy.random.default_rng(2309)
    for _ in range(3000):
        block_size, count = int(random.integers(1, 300)), int(random.integers(1, 65))
        tokens = random.integers(2, LONGEST + 1, count)
        paged = allocate("paged", arrivals(tokens.tolist()), block_size)
        contiguous = allocate("contiguous", arrivals(tokens.tolist()), block_size)
        grown = numpy.zeros(count, dtype=int)
        block_starts = numpy.arange(0, LONGEST, block_size)  # the tokens, counted from 0, that start a new block
        for index, length in enumerate(tokens):
            grown[index] = numpy.count_nonzero(block_starts < length)
        assert paged.blocks == tuple(grown.tolist())
        assert contiguous.blocks == (len(block_starts),) * count
        assert paged.stored_tokens == contiguous.stored_tokens == int(tokens.sum())


@pytest.mark.parametrize(
    ("call", "field"),
    [
        pytest.param(lambda: allocate("buddy", requests(1), 16), "strategy", id="an unknown strategy"),
        pytest.param(lambda: allocate("paged", requests(1), 0), "block_size", id="a block of no tokens"),
        pytest.param(lambda: allocate("paged", (), 16), "sequences", id="no request"),
        pytest.param(lambda: allocate("paged", (Request(prompt=LONGEST, reply=1),), 16), "tokens", id="too long"),
        pytest.param(lambda: requests(0), "sequences", id="no sequence"),
        pytest.param(lambda: Request(prompt=0, reply=1), "prompt", id="an empty prompt"),
        pytest.param(lambda: Request(prompt=1, reply=-1), "reply", id="a negative reply"),
        pytest.param(lambda: fit("paged", -1, 16), "blocks", id="a negative pool"),
    ],
)
def test_bad_input_is_refused_naming_the_field(call, field):
    with pytest.raises(KvcoreError) as caught:
        call()
    assert caught.value.field == field
