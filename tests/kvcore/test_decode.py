from dataclasses import replace
from fractions import Fraction

import pytest

from kvcore.catalog import GPUS, MODELS, own_gpu
from kvcore.decode import DecodeStep
from kvcore.dtypes import cache_dtype, weight_dtype
from kvcore.errors import OutOfRange
from kvcore.footprint import Footprint


def step(*, model="llama-3-70b", context=8192, batch=8, gpus=2):
    gpu = GPUS["h100-80gb"]
    footprint = Footprint(
        shape=MODELS[model].shape,
        context=context,
        batch=batch,
        cache_dtype=cache_dtype("fp16"),
        weight_dtype=weight_dtype("fp16"),
        gpu_bytes=gpu.memory_bytes,
    )
    return DecodeStep(footprint=footprint, gpu=gpu, gpus=gpus)


def test_a_step_reads_weights_and_cache_once():
    assert step().bytes_read == 141_107_412_992 + 21_474_836_480


def test_a_step_takes_two_flops_a_parameter_and_four_a_cached_number_and_query_head():
    # 8 * (2 * 70,553,706,496 + 4 * 80 layers * 64 heads * 128 numbers * 8,192 tokens)
    assert step().flops == 8 * (141_107_412_992 + 21_474_836_480)


def test_memory_bandwidth_limits_decoding_llama_3_70b():
    # each of 8 sequences needs one flop a byte of weights (2 flops, 2 bytes) and one a byte of the batch's cache (8 query
    # heads share a KV head, 1/8 of the cache is its own), so 8 flops a byte in all
    ratio = step().memory_over_compute
    assert ratio == Fraction(162_582_249_472, GPUS["h100-80gb"].bandwidth_bytes_per_second) / Fraction(
        8 * 162_582_249_472, GPUS["h100-80gb"].fp16_flops
    )
    assert ratio > 30


@pytest.mark.parametrize(
    ("model", "context", "tokens"), [("mistral-7b-v0.1", 32_768, 4_096), ("mistral-7b-v0.3", 32_768, 32_768)]
)
def test_a_window_limits_the_flops_of_attention(model, context, tokens):
    one_sequence = step(model=model, context=context, batch=1)
    assert one_sequence.flops - 2 * MODELS[model].shape.params == 4 * 32 * 32 * 128 * tokens


def test_the_bytes_are_divided_among_the_gpus():
    two, eight = step(), step(gpus=8)
    # 162,582,249,472 bytes at 3.35 TB/s a GPU
    assert two.memory_seconds == Fraction(162_582_249_472, 2 * 3_350_000_000_000)
    assert eight.memory_seconds == two.memory_seconds / 4
    assert eight.compute_seconds == two.compute_seconds / 4


def test_a_step_on_no_gpu_is_refused():
    with pytest.raises(OutOfRange, match="gpus: 0"):
        step(gpus=0)


@pytest.mark.parametrize("name", ["memory_seconds", "compute_seconds", "memory_over_compute"])
def test_a_gpu_of_unknown_rates_has_work_and_no_time(name):
    untimed = replace(step(), gpu=own_gpu(80 * 2**30))
    assert (untimed.bytes_read, untimed.flops) == (step().bytes_read, step().flops)
    assert getattr(untimed, name) is None


def test_a_gpu_of_known_bandwidth_alone_has_a_time_to_read():
    mac = replace(step(gpus=1), gpu=GPUS["m4-max-128gb"])
    assert (mac.memory_seconds, mac.compute_seconds) == (Fraction(162_582_249_472, 546_000_000_000), None)
