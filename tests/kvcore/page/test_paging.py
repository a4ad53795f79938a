import re

import pytest

from kvcore.page import update
from kvcore.page.article import words as article_words
from kvcore.page.html import escape
from kvcore.page.paging import words
from tests.kvcore.page.reading import numbers


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(
            {},
            {
                # 669 + 80 + 175 + 571 + 473 + 100 tokens in 6 + 1 + 2 + 5 + 4 + 1 blocks of 128, at 327,680 bytes a token
                "paging.used": ["2068", "19", str(2068 * 327_680)],
                "paging.reserved": ["12288", "96", str(12_288 * 327_680)],
                "paging.utilisation": [str(2068 / 12_288)],
                "paging.fit_contiguous": ["6"],
            },
            id="defaults: six sequences, contiguous",
        ),
        pytest.param(
            {"strategy": "paged"},
            {"paging.reserved": ["2432", "19", str(2432 * 327_680)], "paging.utilisation": [str(2068 / 2432)]},
            id="paged",
        ),
        pytest.param(
            {"strategy": "paged", "sequences": 1, "block_size": 16},
            {"paging.used": ["669", "42", str(669 * 327_680)], "paging.reserved": ["672", "42", str(672 * 327_680)]},
            id="one sequence in blocks of 16",
        ),
        pytest.param(
            {"model": "falcon-7b"},
            {"paging.used": ["2068", "19", str(2068 * 8192)]},
            id="in the bytes of another model",
        ),
    ],
)
def test_readouts_give_tokens_then_blocks_and_bytes(request_, expected):
    slots = update(request_)["slots"]
    assert {name: numbers(slots[name]) for name in expected} == expected


def test_a_paged_pool_holds_over_four_times_the_sequences_of_a_contiguous_one():
    slots = update({"strategy": "paged"})["slots"]
    assert int(numbers(slots["paging.fit_paged"])[0]) > 4 * int(numbers(slots["paging.fit_contiguous"])[0])


def test_the_grids_caption_has_its_counts_and_only_a_paged_grid_has_free_blocks():
    grid = update({})["slots"]["paging.grid"]
    finding = words.paging_finding("contiguous", 6, stored=2068, reserved=12_288, utilisation="16.8")
    assert f"<strong>{escape(finding)}</strong>" in grid
    assert 'class="kv-hatched"' in grid
    assert 'class="kv-free"' not in grid
    assert 'class="kv-free"' in update({"strategy": "paged"})["slots"]["paging.grid"]


@pytest.mark.parametrize("strategy", ["contiguous", "paged"])
@pytest.mark.parametrize("sequences", [1, 6, 64])
@pytest.mark.parametrize("block_size", [8, 128, 256])
def test_the_grid_is_small_and_inside_its_frame(strategy, sequences, block_size):
    grid = update({"strategy": strategy, "sequences": sequences, "block_size": block_size})["slots"]["paging.grid"]
    assert len(grid) < 20_000  # one path for each kind of cell: an element for each would be ten times as long
    for box, body in re.findall(r'viewBox="0 0 ([\d.]+ [\d.]+)"(.*?)</svg>', grid, re.DOTALL):
        width, height = map(float, box.split())
        for x, y, long, tall in re.findall(r"M([\d.]+),([\d.]+)h([\d.]+)v([\d.]+)", body):
            assert float(x) >= 26  # the row labels are to the left of the cells
            assert float(x) + float(long) <= width + 0.2
            assert float(y) + float(tall) <= height


def test_each_technique_has_a_factor_and_a_button_that_applies_it():
    slots = update({})["slots"]
    assert numbers(slots["hatches.heads"]) == ["8.0"]
    assert article_words.saved_heads(8, "Llama-3.1 70B", "2.5 MiB", "320 KiB", in_use=True) in slots["hatches.heads"]
    assert "{&quot;attention&quot;:&quot;mha&quot;}" in slots["hatches.heads"]
    assert numbers(slots["hatches.dtype"]) == ["2.0"]
    assert "{&quot;cache_dtype&quot;:&quot;int8&quot;}" in slots["hatches.dtype"]
    assert numbers(slots["hatches.paging"]) == [str(12_288 / 2432)]
    assert numbers(slots["hatches.latent"]) == [str(2 * 8 * 128 / 576)]
    # 13 of 80 layers keep 8,192 tokens, 67 keep 1,024
    assert numbers(slots["hatches.layers"]) == [str(80 * 8192 / (13 * 8192 + 67 * 1024))]


def test_a_latent_larger_than_what_the_model_keeps_is_no_gain():
    """As MQA Llama-3.1 70B keeps 80 x 2 x 128 numbers of 2 B a token; a latent of 576 would be 80 x 576 x 2 B."""
    card = update({"attention": "mqa"})["slots"]["hatches.latent"]
    assert numbers(card) == [str(40_960 / 92_160)]
    assert "keeps 40 KiB per token, less than its 90 KiB" in card


def test_a_state_is_said_not_to_be_paged():
    assert (
        "Codestral Mamba 7B keeps a state, which is not paged"
        in update({"model": "codestral-mamba-7b"})["slots"]["paging.used"]
    )


def test_no_card_offers_the_model_in_use():
    found = update({"model": "deepseek-v3"})["slots"]
    assert "data-set" not in found["hatches.latent"]
    assert "which the Lab has now, uses it" in found["hatches.latent"]
    assert "data-set" in found["hatches.layers"]


def test_a_technique_in_use_has_a_button_that_undoes_it():
    slots = update({"cache_dtype": "q8_0", "attention": "mha", "strategy": "paged"})["slots"]
    assert numbers(slots["hatches.dtype"]) == [str(32 * 2 / 34)]
    assert "{&quot;cache_dtype&quot;:&quot;fp16&quot;}" in slots["hatches.dtype"]
    assert "{&quot;attention&quot;:&quot;gqa&quot;}" in slots["hatches.heads"]
    assert "{&quot;strategy&quot;:&quot;contiguous&quot;}" in slots["hatches.paging"]


def test_the_8_bit_technique_is_compared_with_k_and_v_in_fp16_and_its_button_sets_both():
    slots = update({"cache_dtype": "fp16", "v_dtype": "q8_0"})["slots"]
    assert numbers(slots["hatches.dtype"]) == [str(4 / (2 + 34 / 32))]
    assert article_words.two_dtypes("FP16", "q8_0") in slots["hatches.dtype"]
    assert "{&quot;cache_dtype&quot;:&quot;fp16&quot;,&quot;v_dtype&quot;:&quot;same&quot;}" in slots["hatches.dtype"]
    larger = update({"cache_dtype": "int8", "v_dtype": "fp32"})["slots"]["hatches.dtype"]  # 5 bytes where FP16 has 4
    assert numbers(larger) == ["2.0"]
    assert "{&quot;cache_dtype&quot;:&quot;int8&quot;,&quot;v_dtype&quot;:&quot;same&quot;}" in larger


def test_the_table_of_models_has_the_70b_shape_and_its_twins():
    table = update({})["slots"]["models.table"]
    rows = {
        re.sub(r"<[^>]+>", "", row.split("</th>")[0]): numbers(row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]
    }
    # KV heads, bytes a token, layers, head dim, limit, bytes at the limit, bytes of weights, batch at 8,192
    assert rows["Llama-3 70B"] == ["8", "327680", "80", "128", "8192", "2684354560", "141107412992", "53"]
    assert rows["Llama-3 70B, if it were MHA"][:2] == ["64", "2621440"]
    assert rows["Llama-3 70B, if it were MQA"][:2] == ["1", "40960"]
    assert rows["Mistral 7B v0.1"][4:6] == ["32768", "536870912"]
    assert rows["Llama-2 7B"][4:6] == ["4096", str(4096 * 524_288)]
    assert rows["Llama-3.1 8B"][4:6] == ["131072", str(131_072 * 131_072)]
    assert rows["Falcon 7B"][:2] == ["1", "8192"]


def test_the_numbers_in_the_articles_sentences_are_those_computed_by_hand():
    slots = update({})["slots"]
    assert numbers(slots["fact.70b.cliff.batch1"]) == ["430626"]
    assert numbers(slots["fact.70b.batch"]) == ["53"]
    assert numbers(slots["fact.70b.mha.more"]) == ["9395240960"]
    assert numbers(slots["fact.mistral.cap"]) == ["536870912"]
    # two tiny layers: with a cache 3 vectors a layer and token, without one 3 for each token so far
    assert numbers(slots["prelude.work"])[:4] == ["48", "216", "72", "240"]
