from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.errors import KvcoreError
from kvcore.paging import LONGEST, STRATEGIES, Request, allocate, block_order, fit, requests

SIX = (669, 80, 175, 571, 473, 100)
"""Tokens of the first six requests of the stream: written down when the stream was made, and never to change."""


def test_the_stream_is_the_same_in_every_python():
    assert tuple(request.tokens for request in requests(6)) == SIX
    assert requests(2) == (Request(prompt=255, reply=414), Request(prompt=5, reply=75))


def test_the_stream_has_the_means_of_its_source():
    many = requests(20_000)
    assert abs(sum(request.prompt for request in many) / len(many) - 161) < 4
    assert abs(sum(request.reply for request in many) / len(many) - 338) < 8  # a little less: the longest are cut
    assert max(request.tokens for request in many) <= LONGEST


def test_the_article_s_state():
    arrived = requests(6)
    contiguous, paged = (allocate(strategy, arrived, 128) for strategy in STRATEGIES)
    assert contiguous.stored_tokens == paged.stored_tokens == 2068  # 669 + 80 + 175 + 571 + 473 + 100
    assert contiguous.blocks == (16,) * 6  # 2,048 / 128
    assert contiguous.reserved_tokens == 12_288
    assert contiguous.utilisation == Fraction(2068, 12_288)
    assert paged.blocks == (6, 1, 2, 5, 4, 1)  # each a ceiling of tokens / 128
    assert paged.reserved_tokens == 19 * 128
    assert contiguous.used_blocks == paged.used_blocks == 19


@pytest.mark.parametrize(
    ("strategy", "blocks", "block_size", "expected"),
    [
        pytest.param("contiguous", 96, 128, 6, id="six whole reservations"),
        pytest.param("contiguous", 95, 128, 5, id="one block short of six"),
        pytest.param("paged", 19, 128, 6, id="six exactly"),
        pytest.param("paged", 18, 128, 5, id="one block short"),
        pytest.param("paged", 0, 128, 0, id="no room"),
    ],
)
def test_how_many_fit(strategy, blocks, block_size, expected):
    assert fit(strategy, blocks, block_size) == expected


def test_blocks_are_handed_out_as_sequences_grow():
    arrived = (Request(prompt=3, reply=4), Request(prompt=1, reply=2))
    # blocks of 2: the prompts take two and one; both sequences write into their last block, then both need another
    # (their tokens 5 and 3), and the first needs one more for its token 7
    assert block_order(arrived, 2) == [0, 0, 1, 0, 1, 0]


lengths = st.lists(st.integers(2, LONGEST), min_size=1, max_size=80)
block_sizes = st.integers(1, 512)


def arrivals(tokens):
    return tuple(Request(prompt=1, reply=length - 1) for length in tokens)


@given(lengths, block_sizes)
def test_paged_waste_is_below_one_block_a_sequence(tokens, block_size):
    paged = allocate("paged", arrivals(tokens), block_size)
    for blocks, stored in zip(paged.blocks, paged.stored, strict=True):
        assert 0 <= blocks * block_size - stored < block_size


@given(lengths, block_sizes)
def test_contiguous_never_takes_less_than_paged(tokens, block_size):
    contiguous, paged = (allocate(strategy, arrivals(tokens), block_size) for strategy in STRATEGIES)
    assert contiguous.reserved_tokens >= paged.reserved_tokens
    assert 0 < contiguous.utilisation <= paged.utilisation <= 1


@given(lengths, block_sizes)
def test_every_block_belongs_to_one_sequence(tokens, block_size):
    arrived = arrivals(tokens)
    order = block_order(arrived, block_size)
    assert tuple(order.count(index) for index in range(len(arrived))) == allocate("paged", arrived, block_size).blocks


def test_allocators_agree_with_brute_force_over_thousands_of_cases():
    numpy = pytest.importorskip("numpy", reason="numpy is the oracle, and is not in the browser's Python")
    random = numpy.random.default_rng(2309)
    for _ in range(3000):
        block_size, count = int(random.integers(1, 300)), int(random.integers(1, 65))
        tokens = random.integers(2, LONGEST + 1, count)
        paged = allocate("paged", arrivals(tokens.tolist()), block_size)
        contiguous = allocate("contiguous", arrivals(tokens.tolist()), block_size)
        grown = numpy.zeros(count, dtype=int)
        marks = numpy.arange(0, LONGEST, block_size)  # a block is taken at each token whose number is one of these
        for index, length in enumerate(tokens):
            grown[index] = numpy.count_nonzero(marks < length)
        assert paged.blocks == tuple(grown.tolist())
        assert contiguous.blocks == (len(marks),) * count
        assert paged.stored_tokens == contiguous.stored_tokens == int(tokens.sum())


@pytest.mark.parametrize(
    ("call", "field"),
    [
        pytest.param(lambda: allocate("buddy", requests(1), 16), "strategy", id="an unknown strategy"),
        pytest.param(lambda: allocate("paged", requests(1), 0), "block_size", id="an empty block"),
        pytest.param(lambda: allocate("paged", (), 16), "sequences", id="no request"),
        pytest.param(lambda: allocate("paged", (Request(prompt=LONGEST, reply=1),), 16), "tokens", id="too long"),
        pytest.param(lambda: requests(0), "sequences", id="no sequence"),
        pytest.param(lambda: Request(prompt=0, reply=1), "prompt", id="an empty prompt"),
        pytest.param(lambda: Request(prompt=1, reply=-1), "reply", id="a negative reply"),
        pytest.param(lambda: fit("paged", -1, 16), "blocks", id="a negative pool"),
    ],
)
def test_bad_input_is_refused_by_name(call, field):
    with pytest.raises(KvcoreError) as caught:
        call()
    assert caught.value.field == field
