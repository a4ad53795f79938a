import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import kvcore.catalog
from kvcore.catalog import DEFAULT_GPU, DEFAULT_MODEL, GPUS, MODELS, NUMBER_TYPES, OWN_GPU, Gpu, gpu, model, own_gpu
from kvcore.config import read_config
from kvcore.dtypes import cache_dtype
from kvcore.errors import Invalid, OutOfRange, UnknownName
from kvcore.gpu_sources import GPU_SOURCES, GpuSource

FP16 = cache_dtype("fp16")
PUBLISHED = [row for row in MODELS.values() if row.published_params is not None]
REQUIRED = """
    llama-2-7b llama-2-13b llama-2-70b llama-3-8b llama-3-70b llama-3.1-8b llama-3.1-70b llama-3.1-405b mistral-7b-v0.1
    mistral-7b-v0.3 mixtral-8x7b qwen3-8b qwen3-32b gemma-2-27b phi-4 falcon-7b starcoder-15b gpt-2-xl gpt-3-175b opt-66b
""".split()  # noqa: SIM905 - as a literal it would be a column of quotation marks


@pytest.mark.parametrize("name", REQUIRED)
def test_the_required_models_are_in_the_catalog(name):
    assert model(name).id == name


def test_the_default_model_and_gpu_are_the_first_of_their_lists():
    assert (next(iter(MODELS)), next(iter(GPUS))) == (DEFAULT_MODEL, DEFAULT_GPU) == ("llama-3-70b", "h100-80gb")


@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.id)
def test_every_model_has_a_name_a_source_and_the_day_it_was_read(row):
    assert re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", row.id)
    assert row.name
    assert len(row.source) > 10
    assert date(2026, 1, 1) <= date.fromisoformat(row.read) <= date(2100, 1, 1)


DERIVED = {
    "head_dim", "n_inner", "ffn_hidden_size", "num_kv_heads", "num_ln_in_parallel_attn", "no_rope_layer_interval",
    "decoder_sparse_step", "n_shared_experts", "layer_types", "mlp_only_layers", "moe_latent_size", "num_hidden_layers", "q_lora_rank",
}  # fmt: skip
"""Fields that published configs omit because their family's code derives them: head_dim is hidden_size / heads, n_inner
is 4 x hidden_size, every fourth layer has no rotary positions, the pattern of windows is the family's own, every layer has experts and none of them is shared, the
pattern has one letter for each layer, and queries have no low-rank projection."""


@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.id)
def test_a_config_states_every_size_that_its_family_does_not_derive(row):
    assumed = read_config(row.config).assumed
    assert {key for key, value in assumed.items() if not isinstance(value, bool)} <= DERIVED


def test_models_of_one_family_are_next_to_each_other():
    seen = [row.family for row in MODELS.values()]
    assert [name for index, name in enumerate(seen) if index == 0 or seen[index - 1] != name] == list(
        dict.fromkeys(seen)
    )


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row.id)
def test_parameters_and_uncounted_parameters_add_up_to_the_published_count(row):
    assert row.shape.params + row.uncounted_params == row.published_params
    assert len(row.params_source) > 10
    assert bool(row.uncounted) == bool(row.uncounted_params)


def test_most_models_have_a_published_count():
    assert len(PUBLISHED) >= 73
    assert len(set(REQUIRED) & {row.id for row in PUBLISHED}) >= 17


@pytest.mark.parametrize(
    ("name", "expected"),
    # Counts that others published, copied here independently of the catalog: totals of safetensors files on the Hugging
    # Face hub (Llama-2 without its rotary buffers), Keras Hub's presets, model cards. GPT-3 and OPT: by hand from papers.
    [
        pytest.param("llama-2-7b", 6_738_415_616, id="llama-2-7b"),
        pytest.param("llama-2-13b", 13_015_864_320, id="llama-2-13b"),
        pytest.param("llama-2-70b", 68_976_648_192, id="llama-2-70b"),
        pytest.param("llama-3-8b", 8_030_261_248, id="llama-3-8b"),
        pytest.param("llama-3-70b", 70_553_706_496, id="llama-3-70b"),
        pytest.param("llama-3.1-405b", 405_853_388_800, id="llama-3.1-405b"),
        pytest.param("mistral-7b-v0.1", 7_241_732_096, id="mistral-7b-v0.1"),
        pytest.param("mistral-7b-v0.3", 7_248_023_552, id="mistral-7b-v0.3"),
        pytest.param("mixtral-8x7b", 46_702_792_704, id="mixtral-8x7b"),
        pytest.param("qwen3-8b", 8_190_735_360, id="qwen3-8b"),
        pytest.param("qwen3-32b", 32_762_123_264, id="qwen3-32b"),
        pytest.param("qwen3-30b-a3b", 30_532_122_624, id="qwen3-30b-a3b"),
        pytest.param("gemma-2-27b", 27_227_128_320, id="gemma-2-27b"),
        pytest.param("phi-4", 14_659_507_200, id="phi-4"),
        pytest.param("starcoder-15b", 15_517_456_384, id="starcoder-15b"),
        pytest.param("gpt-2-xl", 1_557_611_200, id="gpt-2-xl"),
        pytest.param("bloom-176b", 176_247_271_424, id="bloom-176b"),
        pytest.param("falcon-7b", 7_217_189_760 - 65_024 * 4544, id="falcon-7b without its tied output layer"),
        # 96 x (12 x 12288^2 + 13 x 12288) + 2 x 12288 + (50257 + 2048) x 12288
        pytest.param("gpt-3-175b", 174_604_259_328, id="gpt-3-175b"),
        # 64 x (12 x 9216^2 + 13 x 9216) + 2 x 9216 + (50272 + 2050) x 9216
        pytest.param("opt-66b", 65_719_701_504, id="opt-66b"),
    ],
)
def test_parameters_of_known_models(name, expected):
    assert MODELS[name].shape.params == expected


def test_palm_has_the_rounded_parameter_count_of_its_paper():
    assert round(MODELS["palm-540b"].shape.params / 1e7) == 54_036  # the paper says 540.35 billion, without norms


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("llama-3-70b", 327_680, id="llama-3-70b: GQA"),
        pytest.param("llama-2-70b", 327_680, id="llama-2-70b: GQA"),
        pytest.param("llama-3.1-8b", 131_072, id="llama-3.1-8b"),
        pytest.param("llama-3.1-405b", 516_096, id="llama-3.1-405b"),
        pytest.param("llama-2-7b", 524_288, id="llama-2-7b: MHA"),
        pytest.param("llama-2-13b", 819_200, id="llama-2-13b: MHA"),
        pytest.param("mistral-7b-v0.1", 131_072, id="mistral-7b-v0.1"),
        pytest.param("mistral-nemo-12b", 163_840, id="mistral-nemo-12b: head_dim 128, not 160"),
        pytest.param("qwen3-32b", 262_144, id="qwen3-32b"),
        pytest.param("qwen3-4b", 147_456, id="qwen3-4b"),
        pytest.param("qwen3-0.6b", 114_688, id="qwen3-0.6b"),
        pytest.param("qwen2.5-7b", 57_344, id="qwen2.5-7b"),
        pytest.param("falcon-7b", 8_192, id="falcon-7b: MQA"),
        pytest.param("starcoder-15b", 20_480, id="starcoder-15b: MQA"),
        pytest.param("gpt-3-175b", 4_718_592, id="gpt-3-175b: MHA"),
        pytest.param("opt-66b", 2_359_296, id="opt-66b: MHA"),
        pytest.param("palm-540b", 120_832, id="palm-540b: MQA"),
        pytest.param("phi-3-mini-4k", 393_216, id="phi-3-mini-4k: MHA"),
        pytest.param("command-r-v01", 1_310_720, id="command-r-v01: MHA"),
    ],
)
def test_bytes_per_token_of_known_models(name, expected):
    assert MODELS[name].shape.bytes_per_token(FP16) == expected


@pytest.mark.parametrize(
    ("name", "context", "expected"),
    [
        pytest.param("mistral-7b-v0.1", 32_768, 4096 * 131_072, id="v0.1 caches at most its window of 4,096 tokens"),
        pytest.param("mistral-7b-v0.3", 32_768, 32_768 * 131_072, id="v0.3 has no window"),
        pytest.param("llama-3.1-405b", 131_072, 63 * 2**30, id="llama-3.1-405b@128k: 63 GiB"),
        pytest.param("qwen3-0.6b", 40_960, 4_697_620_480, id="qwen3-0.6b@40k: 4.375 GiB"),
    ],
)
def test_cache_of_known_models(name, context, expected):
    assert MODELS[name].shape.cache_bytes(context, FP16) == expected


MIB, KIB, GIB = 2**20, 2**10, 2**30
T = 10**12


@pytest.mark.parametrize(
    ("name", "memory", "gigabytes", "teraflops", "link"),
    # Memory as nvidia-smi (MiB), rocminfo (KB of 1,024 bytes), XLA (G of 2**30) or MLX (bytes) printed it; GB/s; dense
    # TFLOP/s of FP16; of FP8, or INT8 where the GPU has no FP8; GB/s of its links in one direction.
    [
        pytest.param("h100-80gb", 81_559 * MIB, 3350, (989, 1979), 450, id="h100-80gb"),
        pytest.param("a100-80gb", 81_920 * MIB, 2039, (312, 624), 300, id="a100-80gb"),
        pytest.param("h200", 143_771 * MIB, 4800, (989, 1979), 450, id="h200"),
        pytest.param("b200", 183_359 * MIB, 7700, (2250, 4500), 900, id="b200"),
        pytest.param("rtx-4090", 24_564 * MIB, 1008, (165.2, 330.3), 32, id="rtx-4090"),
        pytest.param("rtx-3090", 24_576 * MIB, 936, (71, 284), 56.25, id="rtx-3090"),
        pytest.param("rtx-5090", 32_607 * MIB, 1792, (209.5, 419), 64, id="rtx-5090"),
        pytest.param("rtx-pro-6000", 97_887 * MIB, 1792, (500, 1000), 64, id="rtx-pro-6000"),
        pytest.param("l40s", 46_068 * MIB, 864, (362.05, 733), 32, id="l40s"),
        pytest.param("a100-40gb", 40_960 * MIB, 1555, (312, 624), 300, id="a100-40gb"),
        pytest.param("h100-nvl", 95_830 * MIB, 3938, (835.5, 1670.5), 300, id="h100-nvl"),
        pytest.param("h100-pcie", 81_559 * MIB, 2000, (756, 1513), 64, id="h100-pcie"),
        pytest.param("gb10", 128_538_451_968, 273, (213, 214), 25, id="gb10"),
        pytest.param("rtx-a6000", 49_140 * MIB, 768, (154.85, 309.7), 56.25, id="rtx-a6000"),
        pytest.param("rtx-6000-ada", 49_140 * MIB, 960, (364.25, 728.5), 32, id="rtx-6000-ada"),
        pytest.param("a10", 23_028 * MIB, 600, (125, 250), 32, id="a10"),
        pytest.param("a10g", 23_028 * MIB, 600, (70, 140), 32, id="a10g"),
        pytest.param("l4", 23_034 * MIB, 300, (121, 242), 32, id="l4"),
        pytest.param("t4", 15_360 * MIB, 320, (65, 130), 16, id="t4"),
        pytest.param("v100-32gb", 32_768 * MIB, 900, (125, None), 150, id="v100-32gb"),
        pytest.param("v100-16gb", 16_384 * MIB, 900, (125, None), 150, id="v100-16gb"),
        pytest.param("h20-96gb", 97_871 * MIB, 4000, (148, 296), 450, id="h20-96gb"),
        pytest.param("h20-141gb", 143_771 * MIB, 4800, (148, 296), 450, id="h20-141gb"),
        pytest.param("l20", 46_068 * MIB, 864, (119.5, 239), 32, id="l20"),
        pytest.param("b300", 275_040 * MIB, 7750, (2250, 4500), 900, id="b300"),
        pytest.param("gb200", 189_471 * MIB, 8000, (2500, 5000), 900, id="gb200"),
        pytest.param("mi300x", 201_310_208 * KIB, 5300, (1307.4, 2614.9), 448, id="mi300x"),
        # 256 GiB, less the 16 MiB that are missing from 64 GiB of the MI250, 192 of the MI300X and 288 of the MI355X
        pytest.param("mi325x", (256 * 1024 - 16) * MIB, 6000, (1307.4, 2614.9), 448, id="mi325x"),
        pytest.param("mi355x", 309_220_868_096, 8000, (2516.6, 5033.2), 537.6, id="mi355x"),
        pytest.param("mi250", 67_092_480 * KIB, 1638, (181.05, 181), 200, id="mi250"),
        pytest.param("mi210", 67_092_480 * KIB, 1638, (181, None), 150, id="mi210"),
        pytest.param("tpu-v5e", 16_911_433_728, 819, (197, 393), 200, id="tpu-v5e: 15.75 GiB"),
        pytest.param("tpu-v6e", 33_554_432_000, 1638, (918, 1836), 400, id="tpu-v6e: 31.25 GiB"),
        pytest.param("tpu-v5p", 102_800_042_230, 2765, (459, 918), 600, id="tpu-v5p: 95.74 GiB"),
        pytest.param("m4-max-128gb", 115_448_725_504, 546, (None, None), None, id="m4-max-128gb"),
        pytest.param("m3-ultra-512gb", 498_216_206_336, 819, (None, None), None, id="m3-ultra-512gb"),
        pytest.param("m3-ultra-256gb", 223_338_299_392, 819, (None, None), None, id="m3-ultra-256gb"),
        pytest.param("m2-ultra-192gb", 173_173_080_064, 800, (27.2, None), None, id="m2-ultra-192gb"),
        pytest.param("m3-max-64gb", 55_662_788_608, 400, (None, None), None, id="m3-max-64gb"),
        pytest.param("m4-pro-48gb", 40_200_896_512, 273, (None, None), None, id="m4-pro-48gb"),
    ],
)
def test_a_gpu_has_what_its_driver_and_its_data_sheet_say(name, memory, gigabytes, teraflops, link):
    row = gpu(name)
    assert row.memory_bytes == memory
    assert row.bandwidth_bytes_per_second == gigabytes * 10**9
    assert (row.fp16_flops, row.peak_flops.get("fp8", row.peak_flops.get("int8"))) == tuple(
        None if rate is None else round(rate * T) for rate in teraflops
    )
    assert row.link_bytes_per_second == (link and link * 10**9)


@pytest.mark.parametrize(
    ("name", "printed"),
    # recommendedMaxWorkingSetSize as llama.cpp prints it, in MB of 10**6 bytes
    [
        pytest.param("m4-max-128gb", "115448.73", id="M4 Max"),
        pytest.param("m3-ultra-512gb", "498216.21", id="M3 Ultra"),
        pytest.param("m3-max-64gb", "55662.79", id="M3 Max"),
    ],
)
def test_the_memory_of_a_mac_is_what_llama_cpp_prints(name, printed):
    assert f"{gpu(name).memory_bytes / 1e6:.2f}" == printed


@pytest.mark.parametrize(
    ("name", "fp4"),
    [
        pytest.param("b200", 9000, id="b200"),
        pytest.param("b300", 14_000, id="b300"),
        pytest.param("gb200", 10_000, id="gb200"),
        pytest.param("gb10", 427, id="gb10"),
        pytest.param("rtx-5090", 1676, id="rtx-5090"),
        pytest.param("rtx-pro-6000", 2000, id="rtx-pro-6000"),
        pytest.param("mi355x", 10_066.3, id="mi355x"),
    ],
)
def test_a_gpu_with_fp4_has_its_dense_rate(name, fp4):
    assert gpu(name).peak_flops["fp4"] == round(fp4 * T)


def test_only_the_newest_gpus_compute_in_fp4():
    found = {row.id for row in GPUS.values() if "fp4" in row.peak_flops}
    assert found == {"b200", "b300", "gb200", "gb10", "rtx-5090", "rtx-pro-6000", "mi355x"}


@pytest.mark.parametrize("row", [row for row in GPUS.values() if row.peak_flops], ids=lambda row: row.id)
def test_the_rates_of_a_gpu_stand_in_plausible_relation(row):
    # hardware with FP8 computes it twice as fast as FP16, but for the GB10; INT8 is four times as fast where FP32 accumulation
    # halves FP16, and just as fast on AMD's CDNA 2
    rates = row.peak_flops
    assert 25 * T < rates["fp16"] < 3000 * T
    eight = 1 if row.id == "gb10" else 2
    assert rates.get("fp8", eight * rates["fp16"]) == pytest.approx(eight * rates["fp16"], rel=0.03)
    assert rates["fp16"] * 0.99 < rates.get("int8", rates["fp16"]) < 4.1 * rates["fp16"]
    if "fp4" in rates:
        assert 1.98 * rates["fp8"] < rates["fp4"] < 4.1 * rates["fp8"]
    assert 30 < rates["fp16"] / row.bandwidth_bytes_per_second < 800  # operations for each byte read


@pytest.mark.parametrize("row", GPUS.values(), ids=lambda row: row.id)
def test_the_bandwidth_of_a_gpu_is_plausible_and_more_than_its_link(row):
    assert 2 * 10**11 < row.bandwidth_bytes_per_second <= 8 * 10**12
    assert (row.link_bytes_per_second or 0) < row.bandwidth_bytes_per_second


@pytest.mark.parametrize("row", GPUS.values(), ids=lambda row: row.id)
def test_a_gpu_reports_less_than_it_is_sold_with(row):
    sold = int(re.fullmatch(r"(\d+) GB", row.label)[1])
    least = 0.77 if row.maker == "Apple" else 0.92  # Metal lets a program use 78 to 91 percent of a Mac's memory
    assert least * sold * GIB < row.memory_bytes < 1.01 * sold * GIB


def test_gpus_of_one_group_are_next_to_each_other_under_names_of_their_own():
    makers = [row.maker for row in GPUS.values()]
    assert [name for index, name in enumerate(makers) if index == 0 or makers[index - 1] != name] == [
        "NVIDIA, data centre", "NVIDIA, workstation", "NVIDIA GeForce", "AMD Instinct", "Google TPU", "Apple",
    ]  # fmt: skip
    assert len({row.name for row in GPUS.values()}) == len(GPUS) == 40


def test_only_apple_publishes_no_rate_of_arithmetic():
    assert {row.maker for row in GPUS.values() if row.fp16_flops is None} == {"Apple"}


def test_no_two_rows_of_the_files_have_the_same_id():
    for name in ("gpus.json", "models.json"):
        ids = [
            row["id"]
            for row in json.loads((Path(kvcore.catalog.__file__).parent / "catalog" / name).read_text("utf-8"))
        ]
        assert len(ids) == len(set(ids)), name


@pytest.mark.parametrize("row", GPUS.values(), ids=lambda row: row.id)
def test_every_gpu_has_the_sources_of_its_facts_and_the_day_they_were_read(row):
    source = GPU_SOURCES[row.id]
    assert re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", row.id)
    assert min(len(source.memory), len(source.rates)) > 20
    assert bool(source.link) is bool(row.link) is (row.link_bytes_per_second is not None)
    assert date(2026, 1, 1) <= date.fromisoformat(source.read) <= date(2100, 1, 1)


def test_no_source_is_of_a_gpu_that_the_catalog_lacks():
    path = Path(kvcore.catalog.__file__).parent / "catalog" / "gpu_sources.json"
    assert list(json.loads(path.read_text("utf-8"))) == list(GPUS)


@pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide cannot start processes")
def test_the_page_does_not_load_the_sources_of_gpus():
    code = "import sys, kvcore.page; kvcore.page.update({}); print('kvcore.gpu_sources' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("missing", ["memory", "rates", "read"])
def test_a_gpu_without_a_source_is_refused(missing):
    known = {"memory": "nvidia-smi", "rates": "a data sheet", "link": "", "read": "2026-12-01", "confidence": ""}
    assert GpuSource(**known)
    with pytest.raises(Invalid) as caught:
        GpuSource(**{**known, missing: ""})
    assert caught.value.field == missing


PLAIN = {
    "id": "x", "name": "X", "maker": "Y", "label": "1 GB", "memory_bytes": GIB, "bandwidth_bytes_per_second": 10**9,
    "peak_flops": {"fp16": T},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"memory_bytes": 0}, "memory_bytes", id="no memory"),
        pytest.param({"bandwidth_bytes_per_second": -1}, "bandwidth_bytes_per_second", id="negative bandwidth"),
        pytest.param({"peak_flops": {"fp16": T, "fp6": T}}, "peak_flops", id="an unknown type of number"),
        pytest.param({"peak_flops": {"fp16": T, "fp8": 0}}, "fp8", id="a rate of zero"),
        pytest.param({"link": "NVLink"}, "link", id="a link without its rate"),
        pytest.param({"link_bytes_per_second": 10**9}, "link", id="a rate without its link"),
    ],
)
def test_a_gpu_that_contradicts_itself_is_refused(change, field):
    assert Gpu(**PLAIN).fp16_flops == T
    with pytest.raises(Invalid) as caught:
        Gpu(**{**PLAIN, **change})
    assert caught.value.field == field


def test_a_gpu_of_ones_own_has_its_memory_and_no_rates():
    row = own_gpu(24 * GIB)
    assert (row.id, row.name, row.label, row.memory_bytes) == (OWN_GPU, "GPU of 24 GiB", "24 GiB", 25_769_803_776)
    assert (row.bandwidth_bytes_per_second, row.fp16_flops, row.link_bytes_per_second) == (None, None, None)
    assert OWN_GPU not in GPUS
    assert set(NUMBER_TYPES) == {name for row in GPUS.values() for name in row.peak_flops}


@pytest.mark.parametrize(
    "memory", [pytest.param(0, id="none"), pytest.param(1.5, id="float"), pytest.param(2**61, id="huge")]
)
def test_a_gpu_of_ones_own_without_a_plausible_memory_is_refused(memory):
    with pytest.raises(OutOfRange) as caught:
        own_gpu(memory)
    assert caught.value.field == "gpu_bytes"


@pytest.mark.parametrize("look_up", [pytest.param(model, id="model"), pytest.param(gpu, id="gpu")])
@pytest.mark.parametrize(
    "name", [pytest.param("nope", id="unknown"), pytest.param(None, id="None"), pytest.param([], id="list")]
)
def test_an_unknown_id_is_refused(look_up, name):
    with pytest.raises(UnknownName) as caught:
        look_up(name)
    assert caught.value.field == look_up.__name__


def test_the_catalog_cannot_be_changed():
    with pytest.raises(TypeError):
        MODELS["mine"] = MODELS["llama-3-70b"]  # type: ignore[index]
