import re
from datetime import date

import pytest

from kvcore.catalog import DEFAULT_GPU, DEFAULT_MODEL, GPUS, MODELS, gpu, model, own_gpu
from kvcore.config import read_config
from kvcore.dtypes import cache_dtype
from kvcore.errors import OutOfRange, UnknownName

FP16 = cache_dtype("fp16")
PUBLISHED = [row for row in MODELS.values() if row.published_params is not None]
ROWS = [*MODELS.values(), *GPUS.values()]
REQUIRED = """
    llama-2-7b llama-2-13b llama-2-70b llama-3-8b llama-3-70b llama-3.1-8b llama-3.1-70b llama-3.1-405b mistral-7b-v0.1
    mistral-7b-v0.3 mixtral-8x7b qwen3-8b qwen3-32b gemma-2-27b phi-4 falcon-7b starcoder-15b gpt-2-xl gpt-3-175b opt-66b
""".split()  # noqa: SIM905 - as a literal it would be a column of quotation marks


@pytest.mark.parametrize("name", REQUIRED)
def test_the_required_models_are_in_the_catalog(name):
    assert model(name).id == name


@pytest.mark.parametrize("name", ["h100-80gb", "a100-80gb", "h200", "b200", "mi300x", "l40s", "rtx-4090"])
def test_the_required_gpus_are_in_the_catalog(name):
    assert gpu(name).id == name


def test_the_default_model_and_gpu_are_the_first_of_their_lists():
    assert (next(iter(MODELS)), next(iter(GPUS))) == (DEFAULT_MODEL, DEFAULT_GPU) == ("llama-3-70b", "h100-80gb")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_every_row_has_a_name_a_source_and_the_day_it_was_read(row):
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


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("h100-80gb", 81_559 * 2**20, id="h100-80gb"),
        pytest.param("a100-80gb", 81_920 * 2**20, id="a100-80gb"),
        pytest.param("h200", 143_771 * 2**20, id="h200"),
        pytest.param("b200", 183_359 * 2**20, id="b200"),
        pytest.param("mi300x", 201_310_208 * 2**10, id="mi300x"),
        pytest.param("l40s", 46_068 * 2**20, id="l40s"),
        pytest.param("rtx-4090", 24_564 * 2**20, id="rtx-4090"),
    ],
)
def test_a_gpu_has_the_memory_its_driver_reports(name, expected):
    assert GPUS[name].memory_bytes == expected
    assert GPUS[name].memory_source


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
def test_bandwidth_and_rates_of_a_gpu_are_plausible(gpu):
    assert 2 * 10**11 < gpu.bandwidth_bytes_per_second <= 8 * 10**12
    assert set(gpu.peak_flops) <= {"fp16", "fp8", "int8", "fp4"}
    if gpu.fp16_flops is not None:
        assert 6 * 10**13 < gpu.fp16_flops < 3 * 10**15
        # hardware with FP8 computes it twice as fast; consumer Blackwell and the GB10 do not
        assert gpu.peak_flops.get("fp8", 2 * gpu.fp16_flops) <= 2.05 * gpu.fp16_flops
    if gpu.link_bytes_per_second is not None:
        assert 10**10 < gpu.link_bytes_per_second < gpu.bandwidth_bytes_per_second


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
def test_the_memory_of_a_gpu_is_near_its_label(gpu):
    """A driver reports what is sold in decimal or binary units less ECC and firmware; Metal may use less than an Apple chip has."""
    sold = int(gpu.label.removesuffix(" GB"))
    least = 0.78 if gpu.maker == "Apple" else 0.93
    assert least * sold * 10**9 <= gpu.memory_bytes <= sold * 2**30


@pytest.mark.parametrize(
    ("name", "mib"),
    [
        ("h100-80gb", 81_559), ("h100-pcie", 81_559), ("h100-nvl", 95_830), ("h200", 143_771), ("h20-96gb", 97_871), ("b200", 183_359),
        ("b300", 275_040), ("gb200", 189_471), ("a100-80gb", 81_920), ("l4", 23_034), ("a10", 23_028), ("l40s", 46_068),
        ("rtx-pro-6000", 97_887), ("rtx-5090", 32_607), ("rtx-4090", 24_564), ("rtx-3090", 24_576),
    ],
)  # fmt: skip
def test_the_memory_of_a_gpu_is_what_nvidia_smi_prints(name, mib):
    assert GPUS[name].memory_bytes == mib * 2**20


def test_every_accelerator_that_reports_name_is_there():
    assert len(GPUS) == 33
    assert {gpu.maker for gpu in GPUS.values()} == {
        "NVIDIA, data centre", "NVIDIA, workstation", "NVIDIA GeForce", "AMD Instinct", "Google TPU", "Apple",
    }  # fmt: skip


def test_a_gpu_of_ones_own_has_its_memory_alone():
    gpu = own_gpu(12 * 2**30)
    assert (gpu.memory_bytes, gpu.label, gpu.fp16_flops, gpu.bandwidth_bytes_per_second) == (
        12 * 2**30,
        "12 GiB",
        None,
        None,
    )
    with pytest.raises(OutOfRange):
        own_gpu(0)


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
