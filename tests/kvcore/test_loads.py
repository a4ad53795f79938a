"""Loads as they are: a prompt that all sequences share, the average length beside the longest, and host memory.

Llama-3 70B caches 327,680 bytes a token, 81,920 on each of four GPUs. A GPU of 81,559 MiB less a tenth has 76,968,728,985 bytes, of which
a quarter of the weights, 35,276,853,248, leave 41,691,875,737.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore import size
from kvcore.catalog import MODELS
from kvcore.errors import OutOfRange
from kvcore.parallel import PerGpu
from kvcore.splits import Split
from kvcore.verdict import Held, Verdict


def on_four(block_size=1, dp=1, **load):
    return PerGpu(footprint=size("llama-3-70b", **load), split=Split(tp=4, dp=dp), block_size=block_size)


@pytest.mark.parametrize(
    ("model", "load", "expected"),
    [
        pytest.param("llama-3-70b", {"batch": 8, "shared_prompt": 2048}, 327_680 * (2048 + 8 * 6144), id="stored once"),
        pytest.param("llama-3-70b", {"batch": 1, "shared_prompt": 2048}, 327_680 * 8192, id="nobody to share with"),
        pytest.param("llama-3-70b", {"batch": 8, "shared_prompt": 9000}, 327_680 * 8192, id="longer than the context"),
        # 32 layers of 8 KV heads of 128, 131,072 B a token; all layers look back 4,096 tokens
        pytest.param("mistral-7b-v0.1", {"batch": 4, "shared_prompt": 1024}, 131_072 * (1024 + 4 * 4096), id="out of sight"),
        pytest.param("mistral-7b-v0.1", {"batch": 4, "shared_prompt": 6192}, 131_072 * (4096 + 4 * 2000), id="a window of it"),
        # 64 layers, each with a state of 8,192 x 128 numbers of 4 B and 3 columns of 10,240 of 2 B: one more, at the prompt's end
        pytest.param("codestral-mamba-7b", {"batch": 4, "shared_prompt": 1024}, 5 * 64 * (8192 * 128 * 4 + 10_240 * 3 * 2), id="state"),
    ],
)  # fmt: skip
def test_a_shared_prompt_is_stored_once(model, load, expected):
    assert size(model, context=8192, **load).cache_bytes == expected


def test_the_cliff_comes_later_with_a_shared_prompt():
    """141,107,412,992 bytes of weights are 430,625.6 tokens. 2,048 shared leave 428,577 for 8 sequences: 53,572 each and one more."""
    footprint = size("llama-3-70b", batch=8, shared_prompt=2048)
    assert footprint.cliff_context == 2048 + 53_573
    assert footprint.cliff_batch == 70  # (430,625 - 2,048) / 6,144 = 69.8
    assert footprint.cache_curve((2048 + 53_572, 2048 + 53_573)) == [327_680 * 430_624, 327_680 * 430_632]


def test_a_cliff_within_the_shared_prompt():
    assert size("llama-3-70b", batch=8, shared_prompt=500_000, context=600_000).cliff_context == 430_626


def test_only_whole_blocks_of_a_prompt_are_shared():
    share = on_four(block_size=16, batch=8, shared_prompt=1000)  # 62 blocks, 992 tokens
    assert share.shared_tokens == 992
    assert share.cache_bytes == 81_920 * (992 + 8 * 7200)


def test_each_data_parallel_copy_keeps_the_prompt():
    """Four GPUs of four hold half of the 8 sequences each, and the prompt."""
    assert on_four(dp=2, batch=8, shared_prompt=2048).cache_bytes == 81_920 * (2048 + 4 * 6144)


def test_what_fits_with_a_shared_prompt():
    """The room is 508,934 tokens: less 2,048, in sequences of 6,144 of their own; or less 2,048, an eighth each."""
    share = on_four(batch=8, shared_prompt=2048)
    assert (share.max_batch, share.max_context) == (82, 2048 + 63_360)


def test_the_average_and_the_longest_length_and_host_memory():
    """62 sequences of 671,088,640 bytes at 8,192 tokens on each GPU, 248 at 2,048; 16 GiB of host memory for each GPU hold 25 and 102."""
    verdict = Verdict(deployment=on_four(batch=8), average=2048, host_bytes=64 * 2**30)
    assert verdict.held == (
        Held(context=8192, on_gpus=62, in_host=25),
        Held(context=2048, on_gpus=248, in_host=102),
    )
    assert verdict.at_average.cache_bytes == 8 * 2048 * 81_920


def test_host_memory_keeps_what_a_sequence_has_of_its_own():
    """1,024 of 8,192 tokens are its own, 83,886,080 bytes on each GPU, of which 16 GiB hold 204."""
    (held,) = Verdict(deployment=on_four(batch=8, shared_prompt=7168), host_bytes=64 * 2**30).held
    assert held.in_host == 204


def test_each_copy_of_the_attention_has_its_part_of_host_memory():
    """64 GiB among eight GPUs are 8 GiB each: 12 sequences on each of the two copies."""
    (held,) = Verdict(deployment=on_four(dp=2), host_bytes=64 * 2**30).held
    assert held.in_host == 24


@pytest.mark.parametrize(
    ("average", "host_bytes", "field"),
    [(8193, 0, "average"), (0, 0, "average"), (None, -1, "host_bytes")],
)
def test_an_impossible_load_is_refused_naming_the_field(average, host_bytes, field):
    with pytest.raises(OutOfRange) as caught:
        Verdict(deployment=on_four(), average=average, host_bytes=host_bytes)
    assert caught.value.field == field


def test_a_negative_shared_prompt_is_refused():
    with pytest.raises(OutOfRange) as caught:
        size("llama-3-70b", shared_prompt=-1)
    assert caught.value.field == "shared_prompt"


LOADS = {
    "model": st.sampled_from(("llama-3-70b", "gemma-3-27b", "deepseek-v3", "qwen3-next-80b", "mistral-7b-v0.1")),
    "context": st.integers(1, 2**17),
    "batch": st.integers(2, 64),
    "shared_prompt": st.integers(1, 2**17),
}


@given(**LOADS)
def test_the_cliff_is_the_first_context_whose_cache_is_larger_than_the_weights(model, **load):
    footprint = size(model, **load)
    cliff = footprint.cliff_context
    if cliff is not None:
        below, above = footprint.cache_curve((cliff - 1, cliff))
        assert below <= footprint.weights_bytes < above


@given(**LOADS, block_size=st.sampled_from((1, 16, 256)))
def test_sharing_never_takes_more_than_one_prompt_and_its_state(model, block_size, **load):
    """Where no window forgets the prompt's beginning, it takes less; what is kept for others is at most one sequence."""
    shared = PerGpu(footprint=size(model, **load), block_size=block_size, reserve=Fraction(0))
    alone = PerGpu(footprint=size(model, **{**load, "shared_prompt": 0}), block_size=block_size, reserve=Fraction(0))
    assert shared.cache_bytes <= alone.cache_bytes + shared.prompt_bytes(load["context"])
    if all(group.max_cached_tokens is None for group in MODELS[model].shape.groups):
        assert shared.cache_bytes <= alone.cache_bytes
