import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kvcore.cli import main
from kvcore.config import MOST_CHARACTERS

CONFIG = {
    "model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "sliding_window": 4096,
    "max_position_embeddings": 32768, "tie_word_embeddings": False,
}  # fmt: skip


def size(capsys, *arguments):
    """Run `kvcore size ... --json` and return the parsed output."""
    assert main(["size", *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def refused(capsys, *arguments):
    """Run a command that must fail and return its error line: status 2, nothing on standard output, one line of ASCII."""
    try:
        status = main(arguments)
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert captured.err.count("\n") == 1
    assert captured.err.endswith("\n")
    assert captured.err.isascii()
    return captured.err


def test_size_as_json(capsys):
    assert size(capsys, "llama-3-70b", "--context", "8192", "--batch", "8", "--tp", "4") == {
        "model": "llama-3-70b",
        "layers": 80,
        "mtp_layers": 0,
        "bytes_per_token": 327_680,
        "bytes_per_next_token": 327_680,
        "cache_bytes": 20 * 2**30,
        "cache_bytes_per_sequence": 5 * 2**29,
        "cache_bytes_per_gpu": 5 * 2**30,
        "state_bytes": 0,
        "state_bytes_per_gpu": 0,
        "params": 70_553_706_496,
        "weights_bytes": 141_107_412_992,
        "weights_stored": "FP16",
        "weights_note": "",
        "cache_note": "",
        "weights_bytes_per_gpu": 35_276_853_248,
        "ratio": 20 * 2**30 / 141_107_412_992,
        "cliff_context": 53_829,
        "fits": True,
        # 81,559 MiB less a tenth, less a quarter of the weights, less 5 GiB of cache
        "free_bytes_per_gpu": 76_968_728_985 - 35_276_853_248 - 5 * 2**30,
        "max_batch": 62,  # 41,691,875,737 / (8,192 x 81,920)
        "max_context": 63_616,
        "average": 8192,
        "shared_prompt": 0,
        "host_bytes": 0,
        "held": [{"context": 8192, "on_gpus": 62, "in_host": 0}],
        "gpus": 4,
        "gpus_by_memory": 2,
        "assumed": {},
    }


@pytest.mark.parametrize(
    ("arguments", "key", "expected"),
    [
        pytest.param(["llama-3-70b", "--batch", "32"], "cliff_context", 13_458, id="the cliff at batch 32"),
        pytest.param(["llama-3-70b"], "cliff_context", 430_626, id="the cliff at batch 1"),
        pytest.param(["mistral-7b-v0.1"], "cliff_context", None, id="no cliff, because of a window"),
        pytest.param(["llama-3-70b", "--cache-dtype", "q8_0"], "bytes_per_token", 174_080, id="q8_0"),
        pytest.param(["llama-3-70b", "--v-dtype", "q8_0"], "bytes_per_token", 250_880, id="V of another type than K"),
        pytest.param(["llama-3-70b", "--cache-dtype", "q4_0", "--context", "1"], "cache_bytes", 92_160, id="one token"),
        pytest.param(["llama-3-70b", "--weight-dtype", "int4"], "weights_bytes", 35_276_853_248, id="int4 weights"),
        pytest.param(["llama-3-70b", "--tp", "16"], "cache_bytes_per_gpu", 5 * 2**26, id="copied KV heads"),
        pytest.param(["llama-3-70b", "--gpu", "b200"], "gpus", 1, id="another GPU"),
        pytest.param(
            ["glm-5.2", "--mtp", "--engine", "vllm", "--cache-dtype", "fp8"], "bytes_per_token", 54_728, id="MTP"
        ),
        pytest.param(["llama-3-70b", "--cache-dtype", "nvfp4", "--gpu", "b200"], "cache_note", "", id="FP4 on a B200"),
        pytest.param(
            ["llama-3-70b", "--cache-dtype", "nvfp4"],
            "cache_note",
            "engines cache in NVFP4 on GPUs that compute in FP4, as NVIDIA H100 SXM is not known to",
            id="FP4 on an H100",
        ),
        pytest.param(["deepseek-v3", "--mtp"], "mtp_layers", 1, id="MTP layers"),
        pytest.param(["deepseek-v3", "--mtp"], "params", 671_026_419_200 + 11_610_068_224, id="MTP: parameters"),
        pytest.param(["deepseek-v3", "--expand-latents"], "bytes_per_token", 4_997_120, id="K and V of all heads"),
        pytest.param(
            ["deepseek-v3", "--expand-latents", "--engine", "vllm"], "bytes_per_token", 5_996_544, id="vLLM pads V"
        ),
        pytest.param(
            ["llama-3-70b", "--gpu-bytes", "24GiB", "--reserve", "0"], "gpus", 8, id="6 x 24 GiB: 8 divide it"
        ),
        pytest.param(["llama-3-70b", "--gpu-bytes", "24GiB", "--reserve", "0"], "gpus_by_memory", 6, id="6 by memory"),
        pytest.param(["llama-3-70b", "--pp", "3"], "cache_bytes_per_gpu", 27 * 4096 * 8192, id="27 of 80 layers"),
        pytest.param(
            ["llama-3-70b", "--dp", "2", "--batch", "3"], "cache_bytes_per_gpu", 5 * 2**30, id="2 of 3 sequences"
        ),
        pytest.param(
            ["deepseek-v3", "--tp", "8", "--cp", "8"], "cache_bytes_per_gpu", 1024 * 70_272, id="cp divides a latent"
        ),
        pytest.param(
            ["llama-3-70b", "--block-size", "16", "--context", "1"], "cache_bytes_per_gpu", 16 * 327_680, id="a block"
        ),
        pytest.param(["llama-3-70b", "--tp", "8", "--reserve", "0"], "max_batch", 202, id="no reserve"),
        pytest.param(
            ["llama-3-70b", "--tp", "8", "--reserve", "12.5"],
            "max_batch",
            (74_830_708_736 - 17_638_426_624) // 335_544_320,
            id="an eighth in reserve",
        ),
        pytest.param(["llama-3-70b", "--tp", "8"], "max_context", 1_448_493, id="59,330,302,361 / 40,960"),
        pytest.param(["llama-3-70b", "--budget", "16GiB"], "budget_tokens", 52_428, id="16 GiB / 320 KiB"),
        pytest.param(["llama-3-70b", "--budget", "16GB"], "budget_tokens", 48_828, id="16 GB / 327,680"),
        pytest.param(["mistral-7b-v0.1", "--budget", "1GiB"], "budget_tokens", 2**40, id="a window never fills it"),
        pytest.param(["qwen3.6-27b", "--tp", "2"], "state_bytes_per_gpu", 76_972_032, id="half of the state"),
        pytest.param(["gemma-3-27b", "--context", "131072"], "bytes_per_next_token", 81_920, id="past the windows"),
        pytest.param(
            ["llama-3-70b", "--batch", "8", "--shared-prompt", "2048"],
            "cache_bytes",
            51_200 * 327_680,
            id="2,048 + 8 x 6,144",
        ),
        pytest.param(
            ["llama-3-70b", "--tp", "4", "--average", "2048", "--host-memory", "64GiB"],
            "held",
            [{"context": 8192, "on_gpus": 62, "in_host": 25}, {"context": 2048, "on_gpus": 248, "in_host": 102}],
            id="as in tests/kvcore/test_loads.py",
        ),
        pytest.param(["llama-3-70b", "--context", "32K"], "cache_bytes", 10 * 2**30, id="32K tokens"),
        pytest.param(["llama-3-70b", "--layers", "40"], "bytes_per_token", 163_840, id="half of the layers"),
        pytest.param(["llama-3-70b", "--kv-heads", "64"], "bytes_per_token", 2_621_440, id="as MHA"),
        pytest.param(
            ["mistral-7b-v0.1", "--context", "9999999"], "cache_bytes", 2**29, id="a context longer than the window"
        ),
    ],
)
def test_options_of_the_size_command(capsys, arguments, key, expected):
    assert size(capsys, *arguments)[key] == expected


def test_plan_says_what_fits_and_what_would_make_it_fit(capsys):
    """The ways of tests/kvcore/test_verdict.py, as options of the command."""
    asked = ["plan", "llama-3-70b", "--batch", "8", "--tp", "2"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["fits"], found["max_batch"], found["max_context"], found["gpus"]) == (False, 4, 4894, 4)
    assert [way["options"] for way in found["ways"]] == [
        "--cache-dtype q8_0", "--weight-dtype fp8", "--context 4894", "--batch 4", "--tp 4",
    ]  # fmt: skip
    for way in found["ways"]:
        assert main([*asked, *way["options"].split(), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["fits"]


def test_plan_says_what_a_load_holds(capsys):
    load = ["--average", "2048", "--shared-prompt", "1024", "--host-memory", "64GiB"]
    assert main(["plan", "llama-3-70b", "--tp", "4", "--batch", "8", *load]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "at 2,048 tokens       496 users, of the average length" in lines  # (508,934 - 1,024) / 1,024 = 496.0
    assert "shared prompt         1,024 tokens, stored once" in lines
    assert "64 GiB of host        29 more at 8,192 tokens or 204 more at 2,048 tokens" in lines


def test_plan_as_text(capsys):
    assert main(["plan", "qwen3-32b", "--context", "32768", "--batch", "40", "--tp", "2", "--pp", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # 64 layers of 8 heads of 128: a GPU has 32 layers, 4 heads, 65,536 B a token, and 16,381,061,632 B of weights;
    # 60,587,667,353 B are left, which is 28.2 times 32,768 tokens, and 40 times 23,112.4
    assert lines == [
        "it does not fit       qwen3-32b, 40 x 32,768 tokens, on 4 (tp 2, pp 2) NVIDIA H100 SXM",
        "on each GPU           15.3 GiB weights + 80 GiB cache of 71.7 GiB",
        "too little            23.6 GiB",
        "most users            28 at 32,768 tokens",
        "longest context       23,112 for 40 users",
        "fewest GPUs           8 (tp 8)",
        "to make it fit        --cache-dtype q8_0",
        "                      --context 23112",
        "                      --batch 28",
        "                      --tp 8 --pp 1",
    ]


def test_size_of_a_config_file(capsys, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    result = size(capsys, str(path), "--context", "32768")
    assert (result["model"], result["params"], result["cache_bytes"]) == (str(path), 7_241_732_096, 2**29)


def test_size_as_text(capsys):
    assert main(["size", "llama-3-70b", "--batch", "32", "--tp", "8"]) == 0
    output = capsys.readouterr().out
    for text in ("320 KiB", "80 GiB", "131.4 GiB", "13,458 tokens", "70.6 billion", "10 GiB", "4 x NVIDIA H100"):
        assert text in output


@pytest.mark.parametrize(
    ("arguments", "key", "expected"),
    [
        pytest.param(
            ["deepseek-v3", "--tp", "8"], "cache_bytes_per_gpu", 8192 * 70_272, id="every GPU stores the whole latent"
        ),
        pytest.param(["deepseek-v3.2"], "bytes_per_token", 61 * (576 * 2 + 132), id="a latent and an indexer key"),
        pytest.param(["deepseek-v3", "--v-dtype", "q4_0"], "bytes_per_token", 70_272, id="a latent has no V"),
        pytest.param(["gemma-3-27b", "--context", "1"], "bytes_per_token", 507_904, id="below every window"),
        pytest.param(
            ["gemma-3-27b", "--context", "131072"],
            "cache_bytes",
            11_173_625_856,
            id="a context longer than the windows",
        ),
        pytest.param(["qwen3.6-27b", "--batch", "2"], "state_bytes", 153_944_064, id="state of one sequence"),
        pytest.param(["qwen3.6-27b", "--batch", "2"], "cache_bytes", 2 * 8192 * 65_536, id="cache without the state"),
        pytest.param(["codestral-mamba-7b"], "bytes_per_token", 0, id="no cache"),
        pytest.param(["codestral-mamba-7b", "--tp", "2"], "cache_bytes_per_gpu", 0, id="no cache on two GPUs"),
        pytest.param(["llama-3-70b", "--cache-dtype", "q5_1"], "bytes_per_token", 122_880, id="q5_1: 24 for 32"),
        pytest.param(["llama-3-70b", "--cache-dtype", "iq4_nl"], "bytes_per_token", 92_160, id="iq4_nl: 18 for 32"),
        pytest.param(["llama-3-70b", "--cache-dtype", "fp8_block128"], "bytes_per_token", 168_960, id="132 for 128"),
    ],
)
def test_size_of_models_with_latents_windows_or_state(capsys, arguments, key, expected):
    assert size(capsys, *arguments)[key] == expected


def test_the_ratio_counts_the_state_and_cache_bytes_do_not(capsys):
    result = size(capsys, "qwen3.6-27b", "--context", "1", "--batch", "3")
    assert result["cache_bytes"] == 3 * 65_536
    assert result["ratio"] == 3 * (65_536 + 153_944_064) / (2 * 26_895_998_464)


def paging(capsys, *arguments):
    """Run `kvcore paging ... --json` and return the parsed output."""
    assert main(["paging", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_paging_as_json(capsys):
    contiguous, paged = (
        paging(capsys, "--strategy", strategy, "--sequences", "4", "--block-size", "128", "--model", "llama-2-7b")
        for strategy in ("contiguous", "paged")
    )
    assert contiguous["reserved_tokens"] == 4 * 2048
    assert contiguous["reserved_bytes"] == 4 * 2**30  # 2,048 tokens of 512 KiB each
    assert contiguous["stored_tokens"] == paged["stored_tokens"] <= paged["reserved_tokens"]
    assert paged["reserved_tokens"] - paged["stored_tokens"] < 4 * 128
    assert paged["stored_bytes"] == 524_288 * paged["stored_tokens"]
    assert paged["utilisation"] == paged["stored_tokens"] / paged["reserved_tokens"]


def test_paging_as_text(capsys):
    assert main(["paging"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("sequences             6, contiguous, blocks of 128 tokens\n")


def test_models_as_json(capsys):
    assert main(["models", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["id"] == "llama-3-70b"
    assert rows[0]["bytes_per_token"] == 327_680
    assert all(row["source"] and row["read"] for row in rows)


def test_models_as_text_has_one_line_for_each_model(capsys):
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 60
    assert lines[0].split() == ["llama-3-70b", "gqa", "320", "KiB", "a", "token", "70.6", "billion", "parameters"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        pytest.param(["size", "nope"], "model", id="an unknown model"),
        pytest.param(["size", "llama-3-70b", "--context", "abc"], "context", id="not a number"),
        pytest.param(["size", "llama-3-70b", "--context", "0"], "context", id="no tokens"),
        pytest.param(["size", "llama-3-70b", "--context", "-5"], "context", id="negative"),
        pytest.param(["size", "llama-3-70b", "--context", "8192.0"], "context", id="a fraction"),
        pytest.param(["size", "llama-3-70b", "--context", "NaN"], "context", id="NaN"),
        pytest.param(["size", "llama-3-70b", "--context", "9" * 30], "context", id="huge"),
        pytest.param(["size", "llama-3-70b", "--context", "9" * 9000], "context", id="more digits than Python reads"),
        pytest.param(["size", "llama-3-70b", "--context", "\u0663"], "context", id="digits that are not ASCII"),
        pytest.param(["size", "llama-3-70b", "--context"], "context", id="no value"),
        pytest.param(["size", "llama-3-70b", "--batch", "0"], "batch", id="no sequences"),
        pytest.param(["size", "llama-3-70b", "--cache-dtype", "fp12"], "cache_dtype", id="an unknown dtype"),
        pytest.param(["size", "llama-3-70b", "--v-dtype", "int4"], "v_dtype", id="a weight's dtype for V"),
        pytest.param(
            ["size", "llama-3-70b", "--weight-dtype", "q8_0"], "weight_dtype", id="a cache's dtype for weights"
        ),
        pytest.param(["size", "llama-3-70b", "--tp", "3"], "tp", id="heads that do not divide"),
        pytest.param(["size", "llama-3-70b", "--mtp"], "mtp", id="a model without MTP layers"),
        pytest.param(["plan", "glm-5.2", "--expand-latents"], "latents", id="latents with an indexer"),
        pytest.param(["size", "llama-3-70b", "--gpu", "abacus"], "gpu", id="an unknown GPU"),
        pytest.param(["size", "llama-3-70b", "--nope"], "--nope", id="an unknown option"),
        pytest.param(["paging", "--strategy", "buddy"], "strategy", id="an unknown strategy"),
        pytest.param(["paging", "--sequences", "0"], "sequences", id="no sequences to serve"),
        pytest.param(["paging", "--block-size", "x"], "block_size", id="a block size that is not a number"),
        pytest.param(["paging", "--model", "nope"], "model", id="an unknown model to serve"),
        pytest.param(["paging", "--v-dtype", "fp12"], "v_dtype", id="an unknown dtype for V"),
        pytest.param(["size"], "MODEL_OR_CONFIG", id="no model"),
        pytest.param(["measure"], "COMMAND", id="an unknown command"),
        pytest.param([], "COMMAND", id="no command"),
        pytest.param(["size", "."], "model", id="a folder"),
    ],
)
def test_bad_input_prints_one_line_that_names_the_field(capsys, arguments, field):
    assert field in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        pytest.param(b"{", "config", id="not JSON"),
        pytest.param(b"\xff\xfe", "model", id="not text"),
        pytest.param(b"[]", "config", id="not an object"),
        pytest.param(json.dumps({**CONFIG, "model_type": "mistrel"}).encode(), "model_type", id="an unknown family"),
        pytest.param(json.dumps({**CONFIG, "vocab_size": -1}).encode(), "vocab_size", id="a negative size"),
        pytest.param(b"[" * 5000, "config", id="deep nesting"),
        pytest.param(b" " * 9_000_000, "config", id="a file that is too long"),
    ],
)
def test_a_bad_config_prints_one_line_that_names_the_field(capsys, tmp_path, text, field):
    path = tmp_path / "config.json"
    path.write_bytes(text)
    assert f" {field}: " in refused(capsys, "size", str(path))


def test_a_byte_order_mark_before_a_config_is_ignored(capsys, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(CONFIG).encode())
    assert size(capsys, str(path))["bytes_per_token"] == 131_072


def test_an_error_line_is_printed_when_there_is_no_standard_output(monkeypatch):
    written = []
    monkeypatch.setattr(sys, "stdout", None)
    stderr = SimpleNamespace(write=written.append, flush=lambda: None, close=lambda: None)
    monkeypatch.setattr(sys, "stderr", stderr)
    assert main(["size", "llama-3-70b"]) == 1
    assert written == ["kvcore size: standard output cannot be written (AttributeError)\n"]


def test_python_m_kvcore_runs_the_command_line(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["kvcore", "size", "llama-3-70b", "--json"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("kvcore", run_name="__main__")
    assert stop.value.code == 0
    assert json.loads(capsys.readouterr().out)["bytes_per_token"] == 327_680


WITHOUT = {key: value for key, value in CONFIG.items() if key != "sliding_window"} | {"head_dim": 128}
"""CONFIG with its head width, and silent about a window: 131,072 bytes a token."""


@pytest.mark.parametrize(
    ("config", "gib", "assumed"),
    [
        pytest.param(WITHOUT, 4, {"sliding_window": 4096}, id="mistral's own window where the config is silent"),
        pytest.param(WITHOUT | {"sliding_window": None}, 128, {}, id="null: no window, and nothing is assumed"),
        pytest.param(
            {key: value for key, value in WITHOUT.items() if key != "num_key_value_heads"} | {"model_type": "llama"},
            512,
            {"num_key_value_heads": 32, "attention_bias": False, "mlp_bias": False},
            id="as many KV heads as query heads where the config is silent",
        ),
        pytest.param(
            {"model_type": "mistral3", "text_config": WITHOUT, "tie_word_embeddings": False},
            4,
            {"text_config.sliding_window": 4096},
            id="nested",
        ),
    ],
)
def test_what_was_assumed_for_a_config_is_in_the_json(capsys, tmp_path, config, gib, assumed):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    result = size(capsys, str(path), "--context", "131072", "--batch", "8")
    assert (result["cache_bytes"], result["assumed"]) == (gib * 2**30, assumed)
    assert paging(capsys, "--model", str(path))["assumed"] == assumed


@pytest.mark.parametrize("command", [["size"], ["paging", "--model"]], ids=["size", "paging"])
def test_what_was_assumed_for_a_config_is_printed_a_line_each(capsys, tmp_path, command):
    path = tmp_path / "config.json"
    silent = ("sliding_window", "head_dim", "tie_word_embeddings")
    path.write_text(json.dumps({key: value for key, value in CONFIG.items() if key not in silent}), encoding="utf-8")
    assert main([*command, str(path)]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("assumed")] == [
        "assumed               head_dim 128, which the config does not give",
        "assumed               sliding_window 4,096, which the config does not give",
        "assumed               tie_word_embeddings false, which the config does not give",
    ]


def test_nothing_is_said_to_be_assumed_for_a_model_of_the_catalog(capsys):
    assert main(["size", "mistral-7b-v0.1"]) == 0
    assert "assumed" not in capsys.readouterr().out


ROOT = Path(__file__).parents[2]
processes = pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide cannot start processes")


def run(*arguments, before="", **options):
    """Run `python -m kvcore` in a process of its own; with `before`, in a shell that first does that."""
    command = [sys.executable, "-m", "kvcore", *arguments]
    if before:
        command = ["sh", "-c", f'{before}\nexec "$@"', "sh", *command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60, **options)


@processes
@pytest.mark.parametrize(
    ("encoding", "name", "shown"),
    [
        pytest.param("ascii", "mod\u00e8le.json", b"mod\\xe8le.json", id="an accent in ASCII"),
        pytest.param("cp1252", "mod\u00e8le.json", b"mod\xe8le.json", id="an accent in cp1252, which has it"),
        pytest.param("cp1252", "\u6a21\u578b.json", b"\\u6a21\\u578b.json", id="Japanese in cp1252"),
        pytest.param("latin-1", "\u6a21\u578b.json", b"\\u6a21\\u578b.json", id="Japanese in latin-1"),
        pytest.param("utf-8", "\u6a21\u578b.json", "\u6a21\u578b.json".encode(), id="Japanese in UTF-8"),
    ],
)
def test_characters_that_a_terminal_cannot_spell_are_escaped(tmp_path, encoding, name, shown):
    (tmp_path / name).write_text(json.dumps(CONFIG), encoding="utf-8")
    done = run("size", name, cwd=tmp_path, env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"model                 " + shown + b": 32 layers")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        pytest.param("\x1b[2J.json", "\\x1b[2J.json", id="clear the screen"),
        pytest.param("a\nb.json", "a\\nb.json", id="a second line"),
        pytest.param("a\u202eb.json", "a\\u202eb.json", id="right to left"),
        pytest.param("a\udcffb.json", "a\\udcffb.json", id="a byte that is not UTF-8"),
    ],
)
def test_control_characters_of_a_path_are_escaped(capsys, tmp_path, monkeypatch, name, shown):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(json.dumps(CONFIG), encoding="utf-8")
    assert main(["size", name]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith(f"model                 {shown}: 32 layers")
    Path(name).unlink()
    assert ascii(name) in refused(capsys, "size", name)


def test_control_characters_of_an_option_are_escaped(capsys):
    assert "--\\x1b[2J" in refused(capsys, "size", "llama-3-70b", "--\x1b[2J")


@processes
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["size", "nope"], id="an unknown model"),
        pytest.param(["size", "llama-3-70b", "--nope"], id="an unknown option"),
        pytest.param(["nope"], id="an unknown command"),
    ],
)
@pytest.mark.parametrize("before", ["exec 2>&-", "exec 2>/dev/full"], ids=["closed", "full"])
def test_a_refusal_that_cannot_be_written_still_exits_with_status_2(arguments, before):
    if before.endswith("full") and not Path("/dev/full").exists():
        pytest.skip("this system has no file that is always full")
    done = run(*arguments, before=before)
    assert (done.returncode, done.stdout) == (2, b"")


@processes
def test_a_reader_that_closes_the_pipe_is_no_error_to_speak_of():
    """As in `kvcore models | head -1`: status 1, and nothing on standard error, from Python itself either."""
    read, write = os.pipe()
    os.close(read)
    try:
        command = [sys.executable, "-m", "kvcore", "models"]
        done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, check=False, timeout=60)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@processes
def test_output_that_cannot_be_written_exits_with_status_1_and_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no file that is always full")
    done = run("models", before="exec >/dev/full")
    assert done.returncode == 1
    assert done.stderr == b"kvcore models: standard output cannot be written (OSError)\n"
    assert run("models", before="exec >/dev/full 2>/dev/full").returncode == 1


@processes
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_config_is_read_from_a_pipe(name):
    if not (name == "-" or Path(name).exists()):
        pytest.skip("this system has no such file")
    done = run("size", name, "--json", input=json.dumps(CONFIG).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["bytes_per_token"] == 131_072


@processes
def test_a_config_is_read_from_a_named_pipe(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    done = run("size", str(path), "--json", before=f"printf '%s' '{json.dumps(CONFIG)}' > '{path}' &")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["bytes_per_token"] == 131_072


@processes
def test_a_pipe_that_never_ends_is_refused_at_the_limit():
    done = run("size", "-", "--json", before="exec < /dev/zero")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"kvcore size: config: 'more than {MOST_CHARACTERS:,} characters' is not at most {MOST_CHARACTERS:,} characters, "
        "the limit of kvcore.config\n"
    )


@processes
def test_a_closed_standard_input_is_refused():
    done = run("size", "-", before="exec <&-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"kvcore size: model: '-' is not a config.json that can be read (OSError)" in done.stderr


def test_the_refusal_of_a_file_that_is_too_long_says_its_size_and_whose_limit_it_is(capsys, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(b" " * (3 * MOST_CHARACTERS))
    assert refused(capsys, "size", str(path)) == (
        f"kvcore size: config: '{3 * MOST_CHARACTERS:,} bytes' is not at most {MOST_CHARACTERS:,} characters, "
        "the limit of kvcore.config\n"
    )
