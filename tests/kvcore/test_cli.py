import json
import runpy
import sys
from types import SimpleNamespace

import pytest

from kvcore.cli import main

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
        "bytes_per_token": 327_680,
        "cache_bytes": 20 * 2**30,
        "cache_bytes_per_sequence": 5 * 2**29,
        "cache_bytes_per_gpu": 5 * 2**30,
        "state_bytes": 0,
        "params": 70_553_706_496,
        "weights_bytes": 141_107_412_992,
        "ratio": 20 * 2**30 / 141_107_412_992,
        "cliff_context": 53_829,
        "gpus": 2,
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
            ["mistral-7b-v0.1", "--context", "9999999"], "cache_bytes", 2**29, id="a context longer than the window"
        ),
    ],
)
def test_options_of_the_size_command(capsys, arguments, key, expected):
    assert size(capsys, *arguments)[key] == expected


def test_size_of_a_config_file(capsys, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    result = size(capsys, str(path), "--context", "32768")
    assert (result["model"], result["params"], result["cache_bytes"]) == (str(path), 7_241_732_096, 2**29)


def test_size_as_text(capsys):
    assert main(["size", "llama-3-70b", "--batch", "32", "--tp", "8"]) == 0
    output = capsys.readouterr().out
    for text in ("320 KiB", "80 GiB", "131.4 GiB", "13,458 tokens", "70.6 billion", "10 GiB", "3 x NVIDIA H100"):
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
        pytest.param(b" " * 5_000_000, "config", id="a file that is too long"),
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
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(write=written.append, close=lambda: None))
    assert main(["size", "llama-3-70b"]) == 1
    assert written == ["kvcore size: standard output cannot be written (AttributeError)\n"]


def test_python_m_kvcore_runs_the_command_line(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["kvcore", "size", "llama-3-70b", "--json"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("kvcore", run_name="__main__")
    assert stop.value.code == 0
    assert json.loads(capsys.readouterr().out)["bytes_per_token"] == 327_680
