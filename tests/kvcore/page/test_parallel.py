import pytest

from kvcore.page import update
from kvcore.page.chart import words as chart_words
from kvcore.page.parallel import words
from tests.kvcore.page.reading import figures, numbers, slots, value


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(
            {"tp": 8},
            {"split.bytes_per_token": "40960", "split.cache": "2684354560", "split.weights": "17638426624"},
            id="llama-3-70b on 8: one KV head each",
        ),
        pytest.param({"tp": 16}, {"split.bytes_per_token": "40960"}, id="on 16: KV heads are copied"),
        pytest.param({"tp": 2, "pp": 4}, {"split.bytes_per_token": "40960"}, id="4 KV heads of 20 layers"),
        pytest.param({"tp": 8, "dp": 2}, {"split.cache": "1342177280"}, id="two copies share the requests"),
        pytest.param(
            {"tp": 8, "context": 8193, "batch": 1, "engine_block": 16},
            {"split.cache": str(8208 * 40960)},
            id="whole blocks of 16",
        ),
    ],
)
def test_cache_and_weights_are_split_over_the_gpus(request_, expected):
    found = slots(**request_)
    assert {name: value(found[name]) for name in expected} == expected


def test_the_largest_batch_and_context_leave_the_reserve_free():
    # 81,559 MiB less a tenth, less an eighth of the weights, in sequences of 8,192 * 40,960 bytes
    usable = int(81_559 * 2**20 * 0.9)
    found = slots(tp=8)
    assert value(found["split.max_batch"]) == str((usable - 17_638_426_624) // 335_544_320)
    assert value(found["split.max_context"]) == str((usable - 17_638_426_624) // 8 // 40_960)
    assert value(slots(tp=8, reserve=0)["split.max_batch"]) == str((81_559 * 2**20 - 17_638_426_624) // 335_544_320)


def test_a_model_that_does_not_fit_has_negative_free_memory():
    found = slots(tp=1)
    # 81,559 MiB less a tenth (rounded up), less 141,107,412,992 bytes of weights and 20 GiB of cache
    assert int(value(found["split.fits"])) == int(81_559 * 2**20 * 0.9) - 141_107_412_992 - 20 * 2**30
    assert value(found["split.max_batch"]) == "0"
    assert f">{words.FITS_NOT}</data>" in found["split.fits"]


@pytest.mark.parametrize(
    ("request_", "control", "says"),
    [
        pytest.param(
            {"tp": 3}, "tp", "tp: 3 is not a divisor of the 64 query heads", id="GPUs that do not divide the heads"
        ),
        pytest.param({"pp": 81}, "pp", "pp: 81", id="more stages than layers"),
    ],
)
def test_an_impossible_split_is_explained_under_its_control(request_, control, says):
    answer = update(request_)
    assert says in answer["controls"][control]["note"]
    assert value(answer["slots"]["split.cache"]) == ""


def test_k_and_v_may_have_different_dtypes():
    found = slots(v_dtype="q8_0")
    assert value(found["lab.bytes_per_token"]) == "250880"  # 80 * 8 * 128 * (2 + 1.0625)
    assert "1.0625" in found["lab.formula"]


def test_marginal_average_and_asymptotic_rates_differ_once_windows_are_full():
    found = slots(model="gemma-2-27b")["lab.rates"]
    # 46 layers, 16 heads of 128: 8,192 bytes a layer and token; 23 of them stop at 4,096
    assert numbers(found) == [str(23 * 8192), str(23 * 8192 * 3 // 2), str(23 * 8192)]
    assert numbers(slots()["lab.rates"]) == ["327680"]


def test_the_chart_shows_a_compared_model_and_its_crossing():
    chart = slots(compare="llama-2-7b")["lab.chart"]
    # 8 sequences of 524,288 bytes a token, 6,738,415,616 parameters of 2 bytes
    assert chart_words.compare_finding("Llama-2 7B", 3214) in chart
    # 8 sequences of 163,840 bytes a token, 141,107,412,992 bytes of weights
    fp8 = slots(compare="fp8")["lab.chart"]
    assert chart_words.compare_finding(chart_words.COMPARED_FP8, 107_657) in fp8
    for compared in (chart, fp8):
        assert all(svg.find(".//*[@class='kv-compared']") is not None for svg in figures(compared))
    assert "kv-compared" not in slots()["lab.chart"]
