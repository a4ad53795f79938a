"""MTP layers: no part of a model unless they are asked for, and then counted with their cache and their weights."""

import pytest

import kvcore
from kvcore.catalog import MODELS
from kvcore.dtypes import cache_dtype
from kvcore.engines import cached_as, engine
from kvcore.errors import OutOfRange, Unsupported
from kvcore.loaded import with_mtp
from kvcore.mtp import MtpLayers

FP16 = cache_dtype("fp16")


@pytest.mark.parametrize(
    ("model", "copies", "published"),
    # What the published checkpoints have beside the model, by the catalog's sources: DeepSeek's and GLM's files also have copies of
    # the embedding and of the output layer, which engines share with the model; Qwen's have none.
    [
        pytest.param("deepseek-v3", 2 * 129_280 * 7168, 13_463_426_304, id="DeepSeek-V3: 11.6 billion and two copies"),
        pytest.param("glm-4.5", 2 * 151_552 * 5120, 5_539_962_272, id="GLM-4.5"),
        pytest.param("glm-4.5-air", 2 * 151_552 * 4096, 3_616_573_568, id="GLM-4.5-Air"),
        pytest.param("qwen3-next-80b", 0, 1_650_471_424, id="Qwen3-Next, whose config does not name the layer"),
        pytest.param("qwen3.6-27b", 0, 424_699_392, id="Qwen3.6 27B"),
    ],
)
def test_the_parameters_are_those_of_the_published_checkpoint(model, copies, published):
    shape = MODELS[model].shape
    assert with_mtp(shape).params - shape.params + copies == published


@pytest.mark.parametrize(
    ("model", "name", "dtype", "without", "with_them"),
    [
        # As local-inference-lab/vllm#82 measured it with MTP: 54,728 and 37,032 bytes a token in all layers. The MTP layer has a
        # latent and an indexer's key: 656 + 132 = 788, or 432 + 132 = 564 bytes.
        pytest.param("glm-5.2", "vllm", "fp8", 53_940, 54_728, id="GLM-5.2 in vLLM's fp8"),
        pytest.param("glm-5.2", "vllm", "nvfp4_ds_mla", 36_468, 37_032, id="GLM-5.2 in nvfp4_ds_mla"),
        pytest.param("glm-5.2", "none", "fp16", 78 * 1152 + 21 * 132, 79 * 1152 + 22 * 132, id="GLM-5.2 in 16 bits"),
        pytest.param("deepseek-v3", "none", "fp16", 61 * 1152, 62 * 1152, id="DeepSeek-V3: one more latent"),
        pytest.param("glm-4.5", "none", "fp16", 92 * 4096, 93 * 4096, id="GLM-4.5: 8 heads of 128"),
        pytest.param(
            "qwen3.6-27b", "none", "fp16", 16 * 4096, 17 * 4096, id="Qwen3.6: the layer attends, 4 heads of 256"
        ),
        # 8 and 12 attention layers with 2 heads of 128, and one of the MTP step
        pytest.param("nemotron-3-super-120b", "none", "fp16", 8 * 1024, 9 * 1024, id="Nemotron 3 Super"),
        pytest.param("nemotron-3-ultra-550b", "none", "fp16", 12 * 1024, 13 * 1024, id="Nemotron 3 Ultra"),
        pytest.param("mimo-7b", "none", "fp16", 36 * 4096, 37 * 4096, id="MiMo-7B: 8 heads of 128"),
    ],
)
def test_bytes_of_a_token_with_and_without_them(model, name, dtype, without, with_them):
    shape = MODELS[model].shape
    chosen = engine(name)
    assert shape.bytes_per_token(cached_as(chosen, cache_dtype(dtype), shape)) == without
    loaded = with_mtp(shape)
    assert loaded.bytes_per_token(cached_as(chosen, cache_dtype(dtype), loaded)) == with_them


def test_they_are_counted_only_when_they_are_asked_for():
    plain, drafting = (kvcore.size("deepseek-v3", mtp=asked) for asked in (False, True))
    assert (plain.shape.layers, drafting.shape.layers) == (61, 62)
    assert plain.cache_bytes == 8192 * 61 * 1152
    assert drafting.cache_bytes == 8192 * 62 * 1152
    assert drafting.weights_bytes - plain.weights_bytes == 2 * 11_610_068_224


def test_the_recurrent_state_stays_as_it_is():
    shape = MODELS["qwen3.6-27b"].shape
    assert with_mtp(shape).state_bytes == shape.state_bytes


def test_in_an_fp8_checkpoint_the_matrix_that_makes_the_input_stays_in_16_bits():
    """DeepSeek-V3: of the layer, 11,505,434,624 parameters in a byte, a scale of 4 bytes for 128 x 128, and all else in 2 bytes.

    Scaled matrices, in blocks: attention 12 x 56 + 192 x 12 + 5 x 56 + 256 x 4 + 56 x 128; each of 257 experts 3 x 16 x 56.
    """
    row = MODELS["deepseek-v3"]
    scales = 12 * 56 + 192 * 12 + 5 * 56 + 256 * 4 + 56 * 128 + 257 * 3 * 16 * 56
    more = row.weights.bytes_of(with_mtp(row.shape)) - row.weights.bytes_of(row.shape)
    assert more == 11_505_434_624 + 4 * scales + 2 * (11_610_068_224 - 11_505_434_624)


def test_editing_a_shape_edits_them_too():
    """GLM-4.5 with half of its heads: hidden size 2,560; the MTP layer stays one layer, and its heads are 4 as the model's."""
    shape = MODELS["glm-4.5"].shape.edited(query_heads=48, kv_heads=4)
    assert with_mtp(shape).bytes_per_token(FP16) == 93 * 2048
    assert [tensor.shape for tensor in with_mtp(shape).tensors if tensor.name == "mtp.eh_proj"] == [(2560, 5120)]


def test_a_config_says_how_many_there_are():
    config = dict(MODELS["mimo-7b"].config)
    for count in (0, 1, 3):
        shape = kvcore.read_config({**config, "num_nextn_predict_layers": count}).shape
        assert (shape.mtp.layers if shape.mtp else 0) == count
    with pytest.raises(OutOfRange) as caught:
        kvcore.read_config({**config, "num_nextn_predict_layers": 65})
    assert caught.value.field == "num_nextn_predict_layers"


@pytest.mark.parametrize("model", ["llama-3-70b", "kimi-k2"])
def test_a_model_without_them_refuses_to_count_them(model):
    with pytest.raises(Unsupported) as caught:
        kvcore.size(model, mtp=True)
    assert caught.value.field == "mtp"


def test_the_number_of_projections_is_checked():
    with pytest.raises(OutOfRange):
        MtpLayers(groups=(), mlps=(), projections=0)
