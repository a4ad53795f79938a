"""How weights are stored: published files, worked examples by hand, and what a quantization_config says."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

import kvcore
from kvcore.catalog import MODELS
from kvcore.errors import Invalid, KvcoreError, UnknownName
from kvcore.shape import LayerGroup, Mlp, Shape
from kvcore.weights import SHIPPED, SUGGESTED, WEIGHT_STORAGES, shipped_storage, weight_storage
from kvcore.weights.formats import fp8_blocks, grouped, nf4
from kvcore.weights.gguf import MIXES
from kvcore.weights.modules import named_modules

PUBLISHED = json.loads((Path(__file__).parent / "published_checkpoints.json").read_text("utf-8"))
"""Bytes of published checkpoints. of: "tensors" has no header, "safetensors" and "gguf" are whole files, "rounded" was printed
with few digits. apart: bytes in it that are none of the text model's, and what they are. bf16_bytes: of the checkpoint in
BF16, which has the same encoder of images beside the text model."""


def computed(row):
    model = MODELS[row["model"]]
    if "quantization_config" in row:
        storage = shipped_storage({"dtype": "bfloat16", "quantization_config": row["quantization_config"]})
        assert storage.note == ""
    else:
        storage = weight_storage(row["storage"], model.weights)
    apart = row.get("apart", 0)
    if "bf16_bytes" in row:
        apart = row["bf16_bytes"] - 2 * model.shape.params
        assert apart > 0
    return storage.bytes_of(model.shape) + apart


def ident(row):
    return f"{row['model']} {row.get('storage', row['source'][:22])}"


@pytest.mark.parametrize("row", PUBLISHED, ids=ident)
def test_a_published_checkpoint_has_the_bytes_computed_for_it(row):
    """Files also have a header: names of tensors, and in GGUF the vocabulary, 8 MB for 128,256 tokens.

    The FP8 files of Qwen3 store the scale of each block in two bytes in place of four, which no field of their config says.
    """
    difference = row["bytes"] - computed(row)
    if row["of"] == "tensors":
        assert difference == 0
    elif row["of"] == "rounded":
        assert abs(difference) < row["bytes"] // 200
    elif "in blocks" in row["source"]:
        assert abs(difference) < row["bytes"] // 5000
    else:
        assert 0 < difference < 12_000_000 + row["bytes"] // 2000
        assert difference < row["bytes"] // 100


def test_what_is_left_of_a_gptq_file_is_its_header():
    """The zero biases are counted by hand; the names of a 13B's 1,200 tensors take 170 kB."""
    rows = [row for row in PUBLISHED if row["source"].startswith(("GPTQ", "NF4"))]
    assert len(rows) == 10
    for row in rows:
        assert 0 < row["bytes"] - computed(row) < 400_000


def test_the_mixes_of_one_model_differ_from_its_files_by_the_same_header():
    headers = defaultdict(set)
    for row in PUBLISHED:
        if row["of"] == "gguf":
            headers[row["model"]].add(row["bytes"] - computed(row))
    assert len(headers) == 16
    for found in headers.values():
        assert max(found) - min(found) < 256  # padding of the last bytes of the header


def test_at_least_thirty_checkpoints_of_every_kind_of_scheme_are_compared():
    assert len(PUBLISHED) == 118
    assert {row["of"] for row in PUBLISHED} == {"tensors", "safetensors", "gguf", "rounded"}
    assert all(row["source"] for row in PUBLISHED)
    assert all(bool(row.get("apart")) == bool(row.get("apart_is")) for row in PUBLISHED)


def test_blocks_of_fp8_have_as_many_scales_as_a_published_checkpoint():
    """MiniMaxAI/MiniMax-M2.5 has 228,703,644,928 numbers, its scales among them.

    Source: its page on Hugging Face, as github.com/atineoSE/coding-model-seeks-gpu@cbdfc2f quotes it,
    pipeline/tests/test_param_counter.py.
    """
    shape = MODELS["minimax-m2.5"].shape
    settings = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    four = quantized(**settings).bytes_of(shape)
    one = quantized(**settings, scale_fmt="ue8m0", scale_dtype="uint8").bytes_of(shape)
    assert shape.params + (four - one) // 3 == 228_703_644_928


TINY = Shape(
    hidden_size=256, query_heads=4, groups=(LayerGroup(layers=2, kv_heads=2, key_dim=64, value_dim=64),),
    mlps=(Mlp(layers=2, intermediate_size=512, gated=True),), vocab_size=1000, tied=False,
)  # fmt: skip
"""Two layers: q 256 x 256, k and v 128 x 256, o 256 x 256, gate and up 512 x 256, down 256 x 512; 5 norms of 256."""
LINEAR = 2 * (2 * 256 * 256 + 2 * 128 * 256 + 3 * 512 * 256)
"""1,179,648 parameters; the embedding and the output layer have 256,000 each, the norms 1,280."""
REST = 2 * (2 * 256_000 + 1_280)
"""Bytes in 16 bits of what is not quantized."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("fp16", 2 * (LINEAR + 2 * 256_000 + 1_280), id="two bytes a parameter"),
        pytest.param("int4", (LINEAR + 2 * 256_000 + 1_280) // 2, id="half a byte, without scales"),
        pytest.param("mxfp4", LINEAR // 32 * 17 + REST, id="mxfp4: 17 bytes for 32"),
        pytest.param("nvfp4", LINEAR // 16 * 9 + 14 * 8 + REST, id="nvfp4: 9 bytes for 16, 8 for each of 14 matrices"),
        pytest.param("int4_g128", LINEAR // 2 + LINEAR // 128 * 5 // 2 + REST, id="2 bytes and 4 bits for 128"),
        pytest.param("int4_g64", LINEAR // 2 + LINEAR // 64 * 5 // 2 + REST, id="2 bytes and 4 bits for 64"),
        pytest.param("int4_g32", LINEAR // 2 + LINEAR // 32 * 2 + REST, id="2 bytes for 32"),
        pytest.param("fp8_block128", LINEAR + LINEAR // 16_384 * 4 + REST, id="a byte, 4 bytes for 128 x 128"),
        # output layer in Q6_K (210 for 256); all else in Q8_0 or Q4_K; norms in 32 bits
        pytest.param("gguf_q8_0", (LINEAR + 512_000) // 32 * 34 + 4 * 1_280, id="Q8_0: 34 bytes for 32"),
        pytest.param(
            "gguf_q4_k_m",
            # of two layers the second one gets more bits: its V and its down projection
            (LINEAR + 256_000 - 128 * 256 - 512 * 256) // 256 * 144 + (128 * 256 + 512 * 256 + 256_000) // 256 * 210 + 4 * 1_280,
            id="Q4_K_M: 144 bytes for 256, 210 for the output layer, V and down of a layer",
        ),
        pytest.param(
            "gguf_q2_k",
            # V, o and down in 110 bytes for 256; two query heads share a KV head, with four V would have 144
            (LINEAR + 256_000 - 2 * (128 * 256 + 256 * 256 + 512 * 256)) // 256 * 84
            + 2 * (128 * 256 + 256 * 256 + 512 * 256) // 256 * 110 + 256_000 // 256 * 210 + 4 * 1_280,
            id="Q2_K: 84 bytes for 256, 110 for V, o and down",
        ),
        pytest.param(
            "gguf_q3_k_m",
            # both layers are among the first two, whose V has 176 bytes for 256; no layer is among the first sixteenth
            (LINEAR + 256_000 - 2 * (128 * 256 + 256 * 256 + 512 * 256)) // 256 * 110
            + 2 * (256 * 256 + 512 * 256) // 256 * 144 + 2 * 128 * 256 // 256 * 176 + 256_000 // 256 * 210 + 4 * 1_280,
            id="Q3_K_M: 110 bytes for 256, 144 for o and down, 176 for V of two layers",
        ),
        pytest.param(
            "gguf_q3_k_l",
            (LINEAR + 256_000 - 2 * (128 * 256 + 256 * 256 + 512 * 256)) // 256 * 110
            + 2 * (128 * 256 + 256 * 256 + 512 * 256) // 256 * 176 + 256_000 // 256 * 210 + 4 * 1_280,
            id="Q3_K_L: 176 bytes for V, o and down",
        ),
    ],
)  # fmt: skip
def test_bytes_of_a_tiny_model_by_hand(name, expected):
    storage = weight_storage(name)
    assert storage.bytes_of(TINY) == expected
    assert sum(storage.bytes_by_kind(TINY).values()) == expected


def quantized(**settings):
    return shipped_storage({"dtype": "bfloat16", "quantization_config": settings})


def quark(dtype, qscheme, **settings):
    return {"weight": {"dtype": dtype, "qscheme": qscheme, **settings}, "input_tensors": {"is_dynamic": True}}


GROUP = {"weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({"quant_method": "fp8", "weight_block_size": [128, 128]}, LINEAR + 72 * 4, id="fp8 in blocks"),
        pytest.param({"quant_method": "fp8", "activation_scheme": "static"}, LINEAR + 14 * 8, id="fp8, two scales a matrix"),
        pytest.param({"quant_method": "fbgemm_fp8"}, LINEAR + 4 * 2 * (2 * 256 + 2 * 128 + 2 * 512 + 256), id="fbgemm: 4 bytes a row"),
        pytest.param({"quant_method": "gptq", "bits": 4, "group_size": 128}, LINEAR // 2 + LINEAR // 128 * 5 // 2 + 4 * 2 * (6 * 256 + 512), id="gptq: and 4 bytes a column"),
        pytest.param({"quant_method": "gptq", "bits": 4, "group_size": -1}, LINEAR // 2 + 4096 * 5 // 2 + 4 * 4096, id="gptq, a group a row"),
        pytest.param({"quant_method": "awq", "bits": 4, "group_size": 64}, LINEAR // 2 + LINEAR // 64 * 5 // 2, id="awq"),
        pytest.param({"quant_method": "awq", "w_bit": 4, "q_group_size": 128, "zero_point": False}, LINEAR // 2 + LINEAR // 64, id="awq without zeros"),
        pytest.param({"quant_method": "auto-round", "bits": 2, "group_size": 128}, LINEAR // 4 + LINEAR // 128 * 9 // 4 + 4 * 4096, id="auto-round, 2 bits"),
        pytest.param({"quant_method": "bitsandbytes", "load_in_8bit": True}, LINEAR + 4 * 4096, id="bitsandbytes, 8 bits"),
        pytest.param({"quant_method": "bitsandbytes", "load_in_4bit": True}, LINEAR // 2 + LINEAR // 64 * 4 + 14 * 64, id="bitsandbytes, NF4"),
        pytest.param({"quant_method": "compressed-tensors", "config_groups": {"a": GROUP}}, LINEAR // 2 + LINEAR // 16 + 14 * 16, id="compressed-tensors, int4"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "NVFP4"}, LINEAR // 16 * 9 + 14 * 8, id="modelopt, NVFP4"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "FP8"}, LINEAR + 14 * 8, id="modelopt, FP8"),
        pytest.param({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}, LINEAR // 2 + LINEAR // 64 + LINEAR // 64 // 256 * 4 + 14 * (64 + 1024), id="NF4 with scales of a byte, and two tables a matrix"),
        pytest.param({"quant_method": "mxfp8"}, LINEAR // 32 * 33, id="mxfp8"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "MXFP8"}, LINEAR // 32 * 33, id="modelopt, MXFP8"),
        pytest.param({"producer": {"name": "modelopt"}, "quant_algo": "FP8"}, LINEAR + 14 * 8, id="modelopt, by its producer alone"),
        pytest.param({"quant_method": "quark", "global_quant_config": quark("fp8_e4m3", "per_tensor"), "layer_quant_config": {}}, LINEAR + 14 * 4, id="quark, FP8"),
        pytest.param({"quant_method": "quark", "global_quant_config": quark("fp8_e4m3", "per_channel")}, LINEAR + 4 * 2 * (2 * 256 + 2 * 128 + 2 * 512 + 256), id="quark, a scale a row"),
        pytest.param({"quant_method": "quark", "global_quant_config": quark("fp4", "per_group", group_size=32, scale_format="e8m0")}, LINEAR // 32 * 17, id="quark, MXFP4"),
        pytest.param({"quant_method": "mxfp4"}, 2 * LINEAR, id="mxfp4: the experts alone, and there are none"),
    ],
)  # fmt: skip
def test_each_method_by_hand(settings, expected):
    storage = quantized(**settings)
    assert storage.bytes_of(TINY) == expected + REST
    assert storage.note == ""
    assert storage.label.endswith("as shipped")


ATTENTION, Q_PROJ, UP_PROJ = 2 * (2 * 256 * 256 + 2 * 128 * 256), 2 * 256 * 256, 512 * 256
"""Parameters of attention in two layers, of Q in two layers, and of one matrix up."""


def test_each_module_in_a_format_of_its_own_by_hand():
    """NVIDIA Model Optimizer's MIXED_PRECISION: what is not listed stays in 16 bits."""
    storage = quantized(
        quant_method="modelopt",
        quant_algo="MIXED_PRECISION",
        exclude_modules=["mtp*"],
        quantized_layers={
            "lm_head": {"quant_algo": "W4A16_NVFP4", "group_size": 16},
            "model.layers.0.self_attn.q_proj": {"quant_algo": "FP8"},
            "model.layers.1.self_attn.q_proj": {"quant_algo": "FP8"},
            "model.layers.1.mlp.up_proj": {"quant_algo": "MXFP8"},
        },
    )
    fp8, mxfp8, nvfp4 = Q_PROJ + 2 * 8, UP_PROJ // 32 * 33, 256_000 // 16 * 9 + 8
    assert storage.bytes_of(TINY) == fp8 + mxfp8 + nvfp4 + 2 * (LINEAR - Q_PROJ - UP_PROJ) + 2 * (256_000 + 1_280)
    assert storage.label == "NVFP4 and FP8 and MXFP8, as shipped"
    assert storage.note == ""
    assert storage.quantized


def test_groups_of_modules_by_hand():
    """compressed-tensors: attention in FP8 with a scale of two bytes for each of 1,536 rows, six other matrices in INT4."""
    rows = {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}, "targets": ["re:.*self_attn.*"]}
    groups = {"a": rows, "b": {**GROUP, "targets": ["Linear"]}}
    mlps = LINEAR - ATTENTION
    expected = ATTENTION + 2 * 1_536 + mlps // 2 + mlps // 32 * 2 + 6 * 16 + REST
    storage = quantized(quant_method="compressed-tensors", config_groups=groups, ignore=["lm_head"])
    assert storage.bytes_of(TINY) == expected
    assert storage.label == "FP8 and INT4, as shipped"


def test_what_is_kept_goes_before_what_is_quantized():
    by_name = {"*q_proj": quark("fp8_e4m3", "per_tensor")}
    whole = quark("fp4", "per_group", group_size=32, scale_format="e8m0")
    settings = {"quant_method": "quark", "global_quant_config": whole, "layer_quant_config": by_name}
    storage = quantized(**settings, exclude=["lm_head", "model.layers.0.*"])
    second_layer = LINEAR // 2 - Q_PROJ // 2
    assert storage.bytes_of(TINY) == LINEAR + Q_PROJ // 2 + 4 + second_layer // 32 * 17 + REST


def test_experts_of_four_bits_beside_blocks_of_eight():
    """DeepSeek-V4's `expert_dtype`: a byte for 32 numbers of an expert's row; elsewhere four bytes for 128 x 128."""
    shape = Shape(
        hidden_size=256, query_heads=4, groups=(LayerGroup(layers=1, kv_heads=2, key_dim=64, value_dim=64),),
        mlps=(Mlp(layers=1, intermediate_size=128, gated=True, experts=4),), vocab_size=1000, tied=True,
    )  # fmt: skip
    settings = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    storage = shipped_storage({"dtype": "bfloat16", "expert_dtype": "fp4", "quantization_config": settings})
    experts, attention = 4 * 3 * 128 * 256, 2 * 256 * 256 + 2 * 128 * 256
    rest = 256_000 + 4 * 256 + 3 * 256  # the embedding, the router, three norms
    assert storage.bytes_of(shape) == experts // 32 * 17 + attention + attention // 16_384 * 4 + 2 * rest


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        pytest.param(["lm_head"], 0, id="the output layer stays anyway"),
        pytest.param(["re:.*self_attn.*"], 2 * (2 * 256 * 256 + 2 * 128 * 256), id="a regular expression"),
        pytest.param(["model.layers.*.self_attn"], 2 * (2 * 256 * 256 + 2 * 128 * 256), id="a star"),
        pytest.param(["self_attn.q_proj"], 2 * 256 * 256, id="the end of a path"),
        pytest.param(["q_proj", "k_proj"], 2 * 256 * 256 + 2 * 128 * 256, id="names of matrices"),
        pytest.param(["model.layers.1.mlp.down_proj"], 512 * 256, id="a matrix of one layer"),
        pytest.param(["model.layers.0.mlp"], 3 * 512 * 256, id="the MLP of one layer"),
        pytest.param(["model.layers.0"], LINEAR // 2, id="a whole layer"),
        pytest.param([r"re:.*mlp\.(gate|up)_proj.*"], 2 * 2 * 512 * 256, id="alternatives"),
        pytest.param(["visual", "vision_tower", "mtp.layers"], 0, id="parts that are not counted"),
    ],
)
def test_modules_that_stay_in_16_bits(patterns, kept):
    storage = quantized(quant_method="fp8", weight_block_size=[128, 128], modules_to_not_convert=patterns)
    scales = (LINEAR - kept) // 16_384 * 4
    assert storage.bytes_of(TINY) == LINEAR + kept + scales + REST
    assert storage.note == ""


def share_of(model, **settings):
    """The bytes of a catalog model in this storage, as a share of its bytes in BF16."""
    shape = MODELS[model].shape
    return quantized(**settings).bytes_of(shape) / (2 * shape.params)


FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
INT4 = {"quant_method": "compressed-tensors"}


def with_targets(*targets):
    return {**INT4, "config_groups": {"a": {**GROUP, "targets": list(targets)}}}


@pytest.mark.parametrize(
    ("model", "settings", "same_as"),
    [
        pytest.param("llama-3.1-8b", {**FP8, "ignore": ["model.layers.0*"]}, {**FP8, "ignore": ["model.layers.0"]}, id="a star after a number"),
        pytest.param("llama-3.1-8b", {**FP8, "ignore": [r"re:model\.layers\.0\..*"]}, {**FP8, "ignore": ["model.layers.0"]}, id="a number in an expression"),
        pytest.param("llama-3.1-8b", {**FP8, "ignore": [r"re:model\.layers\.31\..*"]}, {**FP8, "ignore": ["model.layers.31"]}, id="not the first layer"),
        pytest.param("llama-3.1-8b", {**FP8, "ignore": [r"re:.*layers\.[0-2]\..*"]}, {**FP8, "ignore": [f"model.layers.{n}" for n in range(3)]}, id="three layers"),
        pytest.param("llama-3.1-8b", {**FP8, "ignore": [f"model.layers.{n}.self_attn*" for n in range(32)]}, {**FP8, "ignore": ["self_attn"]}, id="all layers, with stars"),
        pytest.param("qwen3.6-27b", {**FP8, "ignore": [f"model.layers.{n}.self_attn.q_proj" for n in range(3, 64, 4)]}, {**FP8, "ignore": ["q_proj"]}, id="all of 16 layers of 64"),
        pytest.param("deepseek-v3", {**FP8, "ignore": [f"model.layers.{n}.mlp.experts" for n in range(3, 61)]}, {**FP8, "ignore": ["re:.*experts\\.0.*"]}, id="all of 58 layers of 61"),
        pytest.param("llama-3.1-8b", with_targets("re:.*mlp.*"), {**INT4, "config_groups": {"a": GROUP}, "ignore": ["self_attn"]}, id="targets: the MLPs"),
        pytest.param("llama-3.1-8b", with_targets("Linear"), {**INT4, "config_groups": {"a": GROUP}}, id="targets: every matrix"),
        pytest.param("llama-3.1-8b", {"quant_method": "gptq", "bits": 4, "dynamic": {"-:.*self_attn.*": {}}}, {"quant_method": "gptq", "bits": 4, "ignore": ["self_attn"]}, id="gptq's dynamic"),
        pytest.param("llama-3.1-8b", {"quant_method": "auto-round", "bits": 4, "extra_config": {"q_proj": {"bits": 16}}}, {"quant_method": "auto-round", "bits": 4, "ignore": ["q_proj"]}, id="auto-round's extra_config"),
    ],
)  # fmt: skip
def test_modules_named_in_different_ways_are_the_same(model, settings, same_as):
    """Found by a second reader of this code: each of these was counted otherwise, without a word."""
    assert quantized(**settings).note == ""
    assert share_of(model, **settings) == pytest.approx(share_of(model, **same_as), rel=1e-9)
    assert share_of(model, **settings) < 1


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("nemotron-3-nano-30b", "mixer.in_proj"),
        ("nemotron-3-nano-30b", "mixer.q_proj"),
        ("nemotron-3-nano-30b", "mixer.shared_experts.up_proj"),
        ("nemotron-h-56b", "mixer.up_proj"),
    ],
)
def test_modules_of_nemotron_have_names_of_their_own(model, name):
    by_layer = [f"backbone.layers.{layer}.{name}" for layer in range(4)]
    for ignore in ([name], by_layer):
        assert share_of(model, **FP8, ignore=ignore) > share_of(model, **FP8)


def bytes_kept(model, **settings):
    """How many bytes more a catalog model takes in NVFP4 when the modules of `ignore` stay in 16 bits."""
    nvfp4 = {"quant_method": "modelopt", "quant_algo": "NVFP4"}
    shape = MODELS[model].shape
    return quantized(**nvfp4, **settings).bytes_of(shape) - quantized(**nvfp4).bytes_of(shape)


def saved(out, width):
    """What one matrix saves in NVFP4: two bytes a number, less 9 for 16 numbers and 8 for the matrix."""
    return 2 * out * width - out * width // 16 * 9 - 8


@pytest.mark.parametrize(
    ("model", "ignore", "expected"),
    [
        # q_proj has 6,144 rows of queries and 6,144 of their gates, in 16 of 64 layers
        pytest.param("qwen3.6-27b", "q_proj", 16 * 2 * saved(6144, 5120), id="the gates of queries are in q_proj"),
        pytest.param("qwen3.6-27b", "linear_attn.in_proj_z", 48 * saved(16_384, 5120), id="in_proj_qkvz, split"),
        pytest.param("gemma-4-26b-a4b", "re:.*layers\\.\\d+\\.mlp.*", 30 * 3 * saved(2112, 2816), id="gemma 4: an MLP beside experts"),
        pytest.param("gemma-4-26b-a4b", "experts", 30 * 128 * 3 * saved(704, 2816), id="gemma 4: experts beside an MLP"),
        pytest.param("minimax-m2.5", "block_sparse_moe.experts.0.w2", 62 * 256 * saved(3072, 1536), id="numbered matrices"),
    ],
)  # fmt: skip
def test_modules_have_the_names_that_checkpoints_have(model, ignore, expected):
    assert bytes_kept(model, ignore=[ignore]) == expected


def test_settings_that_a_link_left_out_are_not_called_unknown():
    storage = quantized(quant_method="modelopt", quant_algo="MIXED_PRECISION", kvcore_left_out=["quantized_layers"])
    assert "the link left out" in storage.note
    assert "counted in BF16" in storage.note


def test_other_bits_for_some_modules_are_said_not_to_be_read():
    for settings in (
        {"quant_method": "gptq", "bits": 4, "dynamic": {"+:.*down.*": {"bits": 8}}},
        {"quant_method": "auto-round", "bits": 4, "extra_config": {"q_proj": {"bits": 8}}},
    ):
        assert "other bits" in quantized(**settings).note


@pytest.mark.parametrize(
    "pattern",
    ["re:(a+)+b", "re:(.*)*x", "re:a{1000}", "re:.*.*.*.*.*x", "re:[", "re:" + "a" * 400, "a" * 400],
)
def test_a_pattern_that_could_take_long_is_not_run_and_is_named(pattern):
    _, unread = named_modules([pattern])
    assert unread == [pattern]
    note = quantized(quant_method="fp8", weight_block_size=[128, 128], ignore=[pattern]).note
    assert "patterns that are not read here" in note


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"quant_method": "quip"}, id="a method that is not known"),
        pytest.param({"quant_method": 8}, id="a method that is no name"),
        pytest.param({"quant_method": "bitsandbytes"}, id="bitsandbytes that says no bits"),
        pytest.param({"quant_method": "compressed-tensors"}, id="no groups"),
        pytest.param({"quant_method": "compressed-tensors", "config_groups": {"a": GROUP, "b": {"weights": {"num_bits": 8, "type": "float"}}}}, id="two formats for every matrix"),
        pytest.param({"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 5, "type": "int"}}}}, id="5 bits"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}, id="a mix by layer that names no layers"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {"lm_head": {"quant_algo": "W8A16"}}}, id="a mix with an algorithm that is not known"),
        pytest.param({"quant_method": "quark", "global_quant_config": quark("int4", "per_group", group_size=128)}, id="quark, a type that is not known"),
        pytest.param({"quant_method": "quark", "global_quant_config": {"weight": [{}, {}]}}, id="quark, two stages"),
        pytest.param({"quant_method": "fp8", "weight_block_size": [128, 128], "quant_algo": "MIXED_PRECISION"}, id="fp8 that another tool changed"),
    ],
)  # fmt: skip
def test_a_scheme_that_is_not_known_is_counted_in_16_bits_and_says_so(settings):
    storage = quantized(**settings)
    assert storage.bytes_of(TINY) == 2 * LINEAR + REST
    assert "not known here" in storage.note
    assert "BF16" in storage.note


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"quant_method": "gptq", "bits": "4"}, "bits"),
        ({"quant_method": "gptq", "bits": 5}, "bits"),
        ({"quant_method": "awq", "bits": 4, "group_size": 0}, "group_size"),
        ({"quant_method": "fp8", "weight_block_size": [128]}, "weight_block_size"),
        ({"quant_method": "fp8", "weight_block_size": [0, 128]}, "weight_block_size"),
        ({"quant_method": "fp8", "modules_to_not_convert": "lm_head"}, "modules_to_not_convert"),
        ({"quant_method": "fp8", "ignore": [1]}, "ignore"),
    ],
)
def test_a_malformed_setting_of_a_known_method_is_refused_by_name(settings, field):
    with pytest.raises(Invalid) as caught:
        quantized(**settings)
    assert caught.value.field == f"quantization_config.{field}"


@pytest.mark.parametrize(
    ("model", "label"),
    # read in the published config.json of each, as ai-dynamo/aiconfigurator@095f58a copies it in model_configs
    [
        ("gpt-oss-20b", "MXFP4"),
        ("gpt-oss-120b", "MXFP4"),
        ("deepseek-v3", "FP8"),
        ("deepseek-v3.2", "FP8"),
        ("kimi-k2", "FP8"),
        ("kimi-k2.5", "INT4"),
        ("minimax-m2.5", "FP8"),
        ("mimo-v2-flash", "FP8"),
    ],
)
def test_a_model_that_is_published_quantized_is_so_in_the_catalog(model, label):
    assert MODELS[model].weights.label == f"{label}, as shipped"


def test_the_weights_of_minimax_as_published_by_hand():
    """All but the embedding, the output layer, the norms and the routers in FP8, with a scale of four bytes for 128 x 128.

    Attention has 2,730,491,904 numbers in 248 matrices, the experts 224,680,476,672 in 47,616; 13,880,064 scales.
    """
    row = MODELS["minimax-m2.5"]
    fp8 = 2_730_491_904 + 224_680_476_672
    rest = 2 * 200_064 * 3072 + 62 * (256 * 3072 + 256 + 6144 + 1024 + 2 * 3072) + 3072
    assert row.weights.bytes_of(row.shape) == fp8 + 4 * 13_880_064 + 2 * rest == 230_024_081_408


def test_the_type_of_what_is_not_quantized_is_the_dtype_of_the_config():
    assert shipped_storage({"torch_dtype": "float32"}).bytes_of(TINY) == 2 * (2 * LINEAR + REST)
    assert shipped_storage({}).bytes_of(TINY) == 2 * LINEAR + REST
    nested = {"text_config": {"dtype": "bfloat16", "quantization_config": {"quant_method": "mxfp4"}}}
    assert shipped_storage(nested).label == "MXFP4, as shipped"


def test_the_report_of_a_practitioner():
    """field.md A: a 70B in FP8 but for the output layer and the embedding, with a four-byte scale for each of 560 matrices.

    70,553,706,496 parameters: 2 x 1,050,673,152 of embedding and output layer and 1,318,912 of norms in two bytes, the rest in one.
    """
    config = {
        "model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
        "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": False,
        "quantization_config": {
            "quant_method": "compressed-tensors", "ignore": ["lm_head"],
            "config_groups": {"g": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float"}}},
        },
    }  # fmt: skip
    footprint = kvcore.size(config, context=131_072, gpu="h200", weight_dtype="shipped")
    wide = 2 * 1_050_673_152 + 1_318_912
    assert footprint.weights_bytes == 70_553_706_496 + wide + 560 * 4 == 72_656_373_952  # 67.7 GiB
    assert kvcore.split(footprint).fits


def test_deepseek_v3_in_groups_of_64_is_its_published_awq_checkpoint():
    """metadata.total_size of github.com/kvcache-ai/sglang_awq@1e697f1, model.safetensors.index.json."""
    assert weight_storage("int4_g64").bytes_of(MODELS["deepseek-v3"].shape) == 364_589_799_936


def test_a_name_that_is_not_known_is_refused():
    with pytest.raises(UnknownName) as caught:
        weight_storage("q9")
    assert caught.value.field == "weight_dtype"
    with pytest.raises(UnknownName):
        weight_storage(SHIPPED)
    with pytest.raises(KvcoreError):
        kvcore.size(TINY, weight_dtype="shipped")


@pytest.mark.parametrize("model", sorted(MODELS))
def test_each_storage_gives_every_model_of_the_catalog_its_bytes(model):
    row = MODELS[model]
    for storage in (row.weights, *WEIGHT_STORAGES.values()):
        whole = storage.bytes_of(row.shape)
        assert whole <= 4 * row.shape.params + 2**20
        assert whole >= row.shape.params // 4  # Q2_K has 2.6 bits for most matrices
        if storage.quantized or storage.mix is not None:
            assert sum(storage.bytes_by_kind(row.shape).values()) == whole


def test_what_is_suggested_can_be_chosen_and_every_source_is_named():
    assert {storage.name for storage in SUGGESTED} <= set(WEIGHT_STORAGES)
    assert all(storage.source and storage.label for storage in WEIGHT_STORAGES.values())
    assert len({mix.name for mix in MIXES}) == len(MIXES) == 11


def test_formats_round_up_to_whole_scales():
    assert fp8_blocks(128, 128).bytes_of((129, 1)) == 129 + 2 * 4
    assert (
        grouped(4, 128, zeros=True).bytes_of((1, 129)) == 17 * 4 + 5
    )  # 129 numbers in 17 groups of 8; two scales and zeros
    assert (
        nf4(double=True).bytes_of((16, 64)) == 16 * 32 + 17 + 64 + 1024
    )  # 16 scales of a byte, four bytes for 256 of them, and two tables
