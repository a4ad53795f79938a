import contextlib
import html
import io
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvcore.cli import main
from kvcore.engines import ENGINES
from kvcore.page import update
from kvcore.page.chart import words as chart_words
from kvcore.page.verdict import words
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
    assert value(found["lab.max_batch"]) == str((usable - 17_638_426_624) // 335_544_320)
    assert value(found["lab.max_context"]) == str((usable - 17_638_426_624) // 8 // 40_960)
    assert value(slots(tp=8, reserve=0)["lab.max_batch"]) == str((81_559 * 2**20 - 17_638_426_624) // 335_544_320)


def test_a_model_that_does_not_fit_has_negative_free_memory():
    found = slots(tp=1)
    # 81,559 MiB less a tenth (rounded up), less 141,107,412,992 bytes of weights and 20 GiB of cache
    assert int(value(found["split.free"])) == int(81_559 * 2**20 * 0.9) - 141_107_412_992 - 20 * 2**30
    assert value(found["lab.max_batch"]) == "0"
    assert value(found["lab.verdict"]) == "0"
    assert words.NO in found["lab.verdict"]


def split_of(**request):
    controls = update(request)["controls"]
    return {name: controls[name]["value"] for name in ("gpus", "tp", "pp", "dp", "cp", "ep")}


ALONE = {"gpus": 1, "tp": 1, "pp": 1, "dp": 1, "cp": 1, "ep": 1}


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param({}, {"gpus": 2, "tp": 2}, id="defaults"),
        pytest.param({"gpus": 8}, {"gpus": 8, "tp": 8}, id="the number of GPUs alone"),
        pytest.param({"gpus": "6", "tp": "2", "changed": ["gpus"]}, {"gpus": 6, "tp": 2, "pp": 3}, id="6 = 2 x 3"),
        pytest.param({"gpus": "2", "tp": "4", "changed": ["tp"]}, {"gpus": 4, "tp": 4}, id="tp moved"),
        pytest.param({"tp": "3", "changed": ["tp"]}, {"gpus": 2, "tp": 2}, id="3 does not divide 64 heads"),
        pytest.param({"tp": 4, "pp": 2, "dp": 3}, {"gpus": 24, "tp": 4, "pp": 2, "dp": 3}, id="a product"),
        pytest.param({"pp": "81", "changed": ["pp"]}, {"gpus": 160, "tp": 2, "pp": 80}, id="81 stages of 80 layers"),
        pytest.param({"tp": 8, "cp": 8}, {"gpus": 8, "tp": 8}, id="no copies for context parallelism"),
        pytest.param({"tp": 64, "cp": 8}, {"gpus": 64, "tp": 64, "cp": 8}, id="8 copies of each head"),
        pytest.param({"model": "falcon-7b", "tp": 2}, {"gpus": 2, "pp": 2}, id="71 heads: the number of GPUs stays"),
        pytest.param(
            {"model": "deepseek-v3", "tp": 8, "dp": 2, "ep": 16, "cp": 8},
            {"gpus": 16, "tp": 8, "dp": 2, "ep": 16, "cp": 8},
            id="experts over all",
        ),
        pytest.param({"tp": 8, "ep": "5", "changed": ["ep"]}, {"gpus": 8, "tp": 8, "ep": 4}, id="ep 5 of 8"),
        pytest.param({"fragment": "#v1&model=llama-3-70b&tp=4"}, {"gpus": 4, "tp": 4}, id="an old link"),
        pytest.param({"gpus": "1009", "changed": ["gpus"]}, {"gpus": 2, "tp": 2}, id="a prime beyond the layers"),
        pytest.param({"tp": 1024, "pp": 80, "dp": 1024}, {"gpus": 64 * 80 * 12, "tp": 64, "pp": 80, "dp": 12}, id="65,536 at most"),
    ],
)  # fmt: skip
def test_the_gpus_are_divided_so_that_they_can_divide_the_model(request_, expected):
    assert split_of(**request_) == {**ALONE, **expected}


@pytest.mark.parametrize(
    ("request_", "control", "says"),
    [
        pytest.param({"tp": "3", "changed": ["tp"]}, "tp", "3 is not a divisor of the 64 query heads", id="tp"),
        pytest.param({"pp": "81", "changed": ["pp"]}, "pp", "81 is not at most the 80 layers", id="pp"),
        pytest.param({"gpus": "6", "changed": ["gpus"]}, "gpus", "6 does not divide 64 query heads", id="gpus"),
        pytest.param({"gpus": "1009", "changed": ["gpus"]}, "gpus", "1,009 GPUs cannot divide", id="too many stages"),
    ],
)
def test_a_number_that_had_to_change_is_explained_under_its_control(request_, control, says):
    assert says in update(request_)["controls"][control]["note"]


WAYS = re.compile(r'data-set="([^"]*)"')


def ways(slot):
    return [json.loads(html.unescape(sets)) for sets in WAYS.findall(slot)]


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({}, id="defaults"),
        pytest.param({"model": "qwen3-32b", "context": 32768, "batch": 40}, id="the engineer's question"),
        pytest.param({"tp": 8, "batch": 256}, id="more GPUs than KV heads"),
        pytest.param({"model": "deepseek-v3", "tp": 8, "batch": 256, "weight_dtype": "fp8"}, id="a latent"),
        pytest.param({"cache_dtype": "fp32", "v_dtype": "q8_0", "tp": 4, "batch": 100}, id="K and V apart"),
        pytest.param({"model": "falcon-7b", "gpu": "rtx-4090", "tp": 1, "weight_dtype": "fp32"}, id="71 heads"),
    ],
)
def test_each_button_makes_it_fit(request_):
    found = slots(**request_)
    assert value(found["lab.verdict"]) == "0"
    buttons = ways(found["lab.verdict"])
    assert buttons
    for sets in buttons:
        assert value(slots(**{**request_, **sets})["lab.verdict"]) == "1"


def test_a_context_past_what_the_model_was_made_for_is_called_so():
    """Eight H100 hold 1,448,493 tokens of one user; Llama-3 70B was made for 8,192."""
    found = slots(model="llama-3-70b", tp=8, batch=1)
    assert "1,448,493 tokens, past the model&#39;s own limit of 8,192 tokens" in found["lab.verdict"].replace(
        "&#x27;", "&#39;"
    )
    assert "past the model" in found["lab.max_context"]
    assert "past the model" not in slots(tp=8, batch=1, model="llama-4-scout")["lab.verdict"]


def test_the_note_under_the_gpus_names_every_kind_of_parallelism():
    note = update({"model": "deepseek-v3", "tp": 8, "dp": 2, "ep": 16, "cp": 8})["controls"]["gpus"]["note"]
    assert note == "8 tensor parallel × 2 data parallel, the context over 8 of them, the experts over 16 of them"


def test_a_context_that_the_slider_cannot_reach_is_no_button_but_in_the_sentence():
    """4,096 users of Llama-3 8B on two H100 leave 153,937,457,970 - 16,060,522,496 B, in sequences of 131,072 B a token: 256 tokens."""
    found = slots(model="llama-3-8b", batch=4096, weight_dtype="fp16")
    assert value(found["lab.max_context"]) == "256"
    assert "context" not in {name for sets in ways(found["lab.verdict"]) for name in sets}
    assert "256 tokens for 4,096 users" in found["lab.verdict"]


def test_where_no_single_change_helps_the_verdict_says_so():
    found = slots(model="deepseek-v3", tp=1, gpu="rtx-4090", batch=512, context=2**20, weight_dtype="fp32")
    assert ways(found["lab.verdict"]) == []
    assert words.NO_WAY in html.unescape(found["lab.verdict"])


def test_k_and_v_may_have_different_dtypes():
    found = slots(v_dtype="q8_0")
    assert value(found["lab.bytes_per_token"]) == "250880"  # 80 * 8 * 128 * (2 + 1.0625)
    assert "1.0625" in found["lab.formula"]


def test_marginal_average_and_asymptotic_rates_differ_once_windows_are_full():
    found = slots(model="gemma-2-27b")["lab.rates"]
    # 46 layers, 16 heads of 128: 8,192 bytes a layer and token; 23 of them stop at 4,096
    assert numbers(found) == [str(size) for size in (23 * 8192, 46 * 8192, 23 * 8192 * 3 // 2, 23 * 8192)]
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


def test_a_gpu_of_ones_own_has_the_memory_that_is_given():
    """8 GiB less a tenth hold 7,730,941,132 bytes; of Llama-3.2 1B the weights take 2,471,628,800 and a token 32,768."""
    found = slots(model="llama-3.2-1b", gpu="own", gpu_memory=8, tp=1, batch=1)
    assert value(found["lab.max_context"]) == str((8 * 2**30 * 9 // 10 - 2_471_628_800) // 32_768)
    assert value(found["lab.decode_ratio"]) == ""


def test_an_engine_brings_its_reserve_and_its_block_until_they_are_moved():
    brought = update({"engine": "vllm"})["controls"]
    assert (brought["reserve"]["value"], brought["engine_block"]["value"]) == (8, 16)
    first = update({})
    chosen = update(
        {"engine": "llama.cpp", "reserve": "10", "engine_block": "1", "changed": ["engine"], "hold": first["hold"]}
    )
    assert [chosen["controls"][name]["value"] for name in ("reserve", "engine_block")] == [2, 256]  # 1 GiB of 79.6
    values = {name: str(state["value"]) for name, state in chosen["controls"].items()}
    moved = update({**values, "reserve": "5", "changed": ["reserve"], "hold": chosen["hold"]})
    assert [moved["controls"][name]["value"] for name in ("reserve", "engine_block")] == [5, 256]
    linked = update({"fragment": f"#{chosen['fragment']}"})["controls"]
    assert [linked[name]["value"] for name in ("engine", "reserve", "engine_block")] == ["llama.cpp", 2, 256]


def test_fp8_in_vllm_is_a_type_of_its_own_for_a_latent_with_an_indexer():
    found = update({"model": "glm-5.2", "cache_dtype": "fp8", "engine": "vllm"})
    assert value(found["slots"]["lab.bytes_per_token"]) == str(78 * 656 + 21 * 132)
    assert "fp8_ds_mla" in found["controls"]["cache_dtype"]["note"]
    assert value(slots(model="glm-5.2", cache_dtype="fp8")["lab.bytes_per_token"]) == "47700"


def test_a_type_for_latents_is_refused_for_a_model_with_heads():
    found = update({"cache_dtype": "fp8_ds_mla"})
    assert found["controls"]["cache_dtype"]["value"] == "fp16"
    assert any("latents of 576" in problem for problem in found["problems"])


def average_after(before, **moved):
    values = {name: str(state["value"]) for name, state in before["controls"].items()}
    return update({**values, **moved, "changed": list(moved), "hold": before["hold"]})


def test_the_average_length_follows_the_context_until_it_is_moved():
    longer = average_after(update({}), context="16384")
    assert longer["controls"]["average"]["value"] == 16384
    moved = average_after(longer, average="2048")
    longest = average_after(moved, context="32768")
    assert longest["controls"]["average"]["value"] == 2048
    assert "average" not in longer["fragment"]
    assert "average=2048" in longest["fragment"]
    shorter = average_after(longest, context="1024")["controls"]["average"]
    assert shorter["value"] == 1024
    assert "2,048 is not from" in shorter["note"]
    assert update({"fragment": "#v1&context=32768"})["controls"]["average"]["value"] == 32768


def test_an_average_is_no_shorter_than_the_shared_prompt_and_the_prompt_shorter_than_the_context():
    found = update({"shared_prompt": "9000", "average": "100"})["controls"]
    assert (found["shared_prompt"]["value"], found["average"]["value"]) == (8191, 8191)
    assert "8,191 is the most" in found["shared_prompt"]["note"]


def test_what_a_load_holds_is_said_in_the_verdict():
    """The numbers of tests/kvcore/test_loads.py, with 1,024 of the 8,192 tokens shared: 70 of 7,168 of their own, 496 of 1,024."""
    found = slots(tp=4, average=2048, shared_prompt=1024, host_memory=64)
    said = found["lab.verdict"]
    assert words.on_average(2048, 496, 70, 8192) in said
    assert words.in_host("64 GiB", 4, f"{words.more_users(29, 8192)} or {words.more_users(204, 2048)}") in said
    assert "leaves 560 MiB more" in said  # 7 sequences of 8 need not store 1,024 tokens of 81,920 B
    assert numbers(found["lab.held"]) == ["70", "29", "99", "496", "204", "700"]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param({"model": "deepseek-v3"}, 61 * 1152, id="DeepSeek-V3"),
        pytest.param({"model": "deepseek-v3", "mtp": "yes"}, 62 * 1152, id="with its MTP layer"),
        pytest.param({"model": "deepseek-v3", "latents": "expanded"}, 61 * 128 * 320 * 2, id="K and V of 128 heads"),
        pytest.param(
            {"model": "deepseek-v3", "latents": "expanded", "engine": "vllm"}, 61 * 128 * 384 * 2, id="vLLM pads V"
        ),
        pytest.param(
            {"model": "glm-5.2", "mtp": "yes", "engine": "vllm", "cache_dtype": "fp8"}, 54_728, id="GLM-5.2 in vLLM"
        ),
        pytest.param({"mtp": "yes", "latents": "expanded"}, 327_680, id="Llama-3 has neither"),
    ],
)
def test_mtp_layers_and_expanded_latents_are_options_of_the_models_that_have_them(request_, expected):
    assert value(slots(**request_)["lab.bytes_per_token"]) == str(expected)


@pytest.mark.parametrize(
    ("model", "mtp", "latents"),
    [
        pytest.param("llama-3-70b", True, True, id="neither"),
        pytest.param("deepseek-v3", False, False, id="both"),
        pytest.param("glm-5.2", False, True, id="an indexer needs the latents"),
        pytest.param("kimi-k2", True, False, id="latents alone"),
    ],
)
def test_an_option_that_a_model_does_not_have_is_disabled_with_the_reason(model, mtp, latents):
    found = update({"model": model})["controls"]
    assert (found["mtp"]["disabled"], found["latents"]["disabled"]) == (mtp, latents)
    assert found["mtp"]["note"]
    assert found["latents"]["note"]


def test_nvfp4_on_a_gpu_without_fp4_arithmetic_has_a_sentence_in_its_note():
    for gpu, said in (("h100-80gb", True), ("b200", False)):
        note = update({"cache_dtype": "nvfp4", "engine": "vllm", "gpu": gpu})["controls"]["cache_dtype"]["note"]
        assert ("compute in FP4" in note) is said


def test_the_engines_note_says_what_it_brings_and_of_which_version():
    note = update({"engine": "vllm"})["controls"]["engine"]["note"]
    assert note.startswith(
        "Brings a reserve of 8 % on this GPU, and blocks of 16 tokens. As of 002f10e, read 2026-12-01."
    )


def test_a_type_for_latents_is_refused_where_they_are_expanded():
    found = update({"model": "deepseek-v3", "cache_dtype": "fp8_ds_mla", "latents": "expanded"})
    assert found["controls"]["cache_dtype"]["value"] == "fp16"


COMMAND = re.compile(r"<code>python -m kvcore (plan [^<]*)</code>")


@given(
    model=st.sampled_from(("llama-3-70b", "qwen3-32b", "falcon-7b", "gemma-3-27b", "deepseek-v3", "deepseek-v3.2", "qwen3-next-80b", "gpt-oss-120b")),
    context=st.integers(1024, 2**20), batch=st.integers(1, 512), gpus=st.integers(1, 32), reserve=st.integers(0, 90),
    cache_dtype=st.sampled_from(("fp16", "fp8", "q8_0", "int8_per_token_head")),
    weight_dtype=st.sampled_from(("shipped", "fp16", "fp8", "int4_g128", "gguf_q4_k_m")),
    gpu=st.sampled_from(("h100-80gb", "rtx-4090", "b300", "own", "m3-max-64gb")), gpu_memory=st.integers(1, 1024),
    engine=st.sampled_from(tuple(ENGINES)), engine_block=st.sampled_from((1, 16, 256)),
    average=st.integers(1, 2**20), shared_prompt=st.one_of(st.just(0), st.integers(0, 2**19)), host_memory=st.integers(0, 65536),
    mtp=st.sampled_from(("no", "yes")), latents=st.sampled_from(("compressed", "expanded")),
)  # fmt: skip
@settings(max_examples=60)
def test_the_page_and_the_command_that_it_shows_give_the_same_numbers(**asked):
    """Whatever speaks of fitting says the same: sentence, readouts, bar, buttons, and the terminal's JSON."""
    found = update(asked)["slots"]
    (command,) = COMMAND.findall(found["lab.command"])
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main([*html.unescape(command).split(), "--json"]) == 0
    terminal = json.loads(output.getvalue())
    shown = {name: value(found[slot]) for name, slot in SAID_BY.items()}
    assert shown == {name: "" if terminal[name] is None else str(terminal[name]) for name in SAID_BY}
    assert value(found["lab.verdict"]) == str(int(terminal["fits"]))
    assert (words.YES in found["lab.verdict"]) is terminal["fits"] is (int(value(found["split.free"])) >= 0)
    offered = [{name: str(sets) for name, sets in one.items()} for one in ways(found["lab.verdict"])]
    reachable = [way for way in terminal["ways"] if way["dimension"] != "context" or way["value"] >= 1024]
    for sets, way in zip(offered, reachable, strict=True):
        asked_for = {
            name.removeprefix("--").replace("-", "_"): number
            for name, number in zip(way["options"].split()[::2], way["options"].split()[1::2], strict=True)
        }
        assert asked_for.items() <= sets.items()
    assert f'value="{abs(terminal["free_bytes_per_gpu"])}"' in found["lab.footprint_table"]
    tiers = [number for held in terminal["held"] for number in (held["on_gpus"], held["in_host"])]
    in_table = numbers(found["lab.held"])
    assert [number for row in range(0, len(in_table), 3) for number in in_table[row : row + 2]] == [
        "" if number is None else str(number) for number in tiers
    ]
    assert terminal["held"][0]["on_gpus"] == terminal["max_batch"]


SAID_BY = {
    "max_batch": "lab.max_batch", "max_context": "lab.max_context", "gpus": "lab.gpus", "free_bytes_per_gpu": "split.free",
    "weights_bytes_per_gpu": "split.weights", "weights_bytes": "lab.weights", "bytes_per_token": "lab.bytes_per_token",
    "bytes_per_next_token": "lab.bytes_per_next_token", "cliff_context": "lab.cliff", "params": "lab.params",
}  # fmt: skip
"""A number of the terminal's JSON -> the slot of the page that shows it."""
