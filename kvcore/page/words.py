"""Every phrase that a reader sees from Python, in one place: with the Markdown, all that a translation needs.

Constants are phrases; functions put numbers into them. Numbers arrive as integers or as text that `kvcore.units`
has formatted. Nothing here computes.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kvcore.units import format_count

LABELS = MappingProxyType(
    {
        "model": "Model",
        "layers": "Layers",
        "query_heads": "Query heads",
        "head_dim": "Head dim",
        "attention": "Attention",
        "kv_heads": "KV heads",
        "cache_dtype": "Cache dtype",
        "v_dtype": "V stored as",
        "weight_dtype": "Weight dtype",
        "context": "Context",
        "batch": "Batch",
        "gpu": "GPU",
        "units": "Units",
        "scale": "Memory axis",
        "compare": "Compare with",
        "spec": "Import",
        "tp": "Tensor parallel",
        "pp": "Pipeline stages",
        "dp": "Data-parallel copies",
        "reserve": "Reserve",
        "engine_block": "Engine's block",
        "strategy": "Allocation",
        "sequences": "Sequences at once",
        "block_size": "Block size",
    }
)
SYMBOLS = MappingProxyType(
    {"layers": "L", "query_heads": "n_h", "head_dim": "d_h", "kv_heads": "n_kv", "cache_dtype": "p"}
)
UNITS = MappingProxyType(
    {
        "context": "tokens",
        "batch": "sequences",
        "block_size": "tokens",
        "tp": "GPUs",
        "reserve": "%",
        "engine_block": "tokens",
    }
)
GROUPS = MappingProxyType(
    {
        "model": "Model",
        "paging": "Allocation",
        "shape": "Model shape",
        "load": "Load",
        "storage": "Storage",
        "split": "Split over GPUs",
        "show": "Show as",
    }
)
OPTIONS = MappingProxyType(
    {
        "attention": {"mha": "MHA", "gqa": "GQA", "mqa": "MQA"},
        "units": {"binary": "GiB", "decimal": "GB"},
        "scale": {"linear": "linear", "log": "log"},
        "strategy": {"contiguous": "contiguous", "paged": "paged"},
        "v_dtype": {"same": "the same as K"},
        "compare": {"none": "its twins only", "fp8": "its FP8 cache"},
    }
)
ATTENTION = MappingProxyType(
    {
        "mha": "multi-head attention",
        "gqa": "grouped-query attention",
        "mqa": "multi-query attention",
        "mla": "multi-head latent attention",
        "hybrid": "attention in some layers, a state of constant size in the others",
        "recurrent": "no attention: a state of constant size",
        "mixed": "mixed attention",
    }
)
TWINS = MappingProxyType({"mha": "if MHA", "gqa": "if GQA", "mqa": "if MQA"})
BACK_TO_PUBLISHED = "Back to the published shape"
SLIDER = "slider"

# problems and notes of controls


def _range(low: int, high: int) -> str:
    return f"a whole number from {format_count(low)} to {format_count(high)}"


def not_a_number(name: str, raw: str, low: int, high: int, kept: int) -> str:
    return f"{LABELS[name]}: {raw} is not {_range(low, high)}. {format_count(kept)} is kept."


def too_small(name: str, raw: str, low: int, high: int) -> str:
    return f"{LABELS[name]}: {raw} is too small; expected {_range(low, high)}. {format_count(low)} is used."


def too_large(name: str, raw: str, low: int, high: int) -> str:
    return f"{LABELS[name]}: {raw} is too large; expected {_range(low, high)}. {format_count(high)} is used."


_MOST_NAMED = 10


def not_an_option(name: str, raw: str, options: Sequence[str], kept: str) -> str:
    known = (
        ", ".join(options) if len(options) <= _MOST_NAMED else f"the {len(options)} in the list, such as {options[0]}"
    )
    return f"{LABELS[name]}: {raw} is not one of {known}. {kept} is kept."


def unknown_control(name: str) -> str:
    return f"{name} is not a control of this page."


def unknown_in_fragment(name: str, known: Sequence[str]) -> str:
    return f"The link sets {name}, which this page does not know; expected {', '.join(known)}."


def not_our_fragment(head: str, expected: str) -> str:
    return f"The link begins with {head}; this page reads links that begin with {expected}."


BROUGHT = "the config you gave"
UNNAMED = "Imported model"
NOTHING_IMPORTED = "Model: no shape has been imported; the default is shown."


def not_a_spec(error: str) -> str:
    return f"The link's model cannot be read: {error}."


def not_edited(field: str, value: str, expected: str) -> str:
    return f"The model keeps its own shape: {field}, {value}, would not be {expected}."


def not_a_config(raw: str) -> str:
    return f"Import: {raw} is not the text of a config.json."


def not_imported(name: str, field: str, value: str, expected: str) -> str:
    """Why a config is refused; a list of names too long to read is only counted."""
    names = expected.removeprefix("one of ").split(", ")
    if expected.startswith("one of ") and len(names) > _MOST_NAMED:
        expected = f"one of the {len(names)} that are known here"
    return f"{name or 'The config'} is not imported. {field}: {value} is not {expected}."


_FAILURES = MappingProxyType(
    {
        "network": "Hugging Face cannot be reached from here: {name} is not fetched. Paste its config.json instead.",
        "missing": "Hugging Face has no config.json for {name}. Expected an id such as Qwen/Qwen3-8B.",
        "gated": "{name} is gated: Hugging Face gives its config.json only to readers who are signed in. Open it there and paste it here.",
        "id": "{name} is not a model id; expected owner/name, such as Qwen/Qwen3-8B.",
        "size": "{name} is too large for a config.json; expected at most 1,000,000 characters.",
        "depth": "{name} is nested too deeply for a config.json; expected at most 64 brackets within brackets.",
        "file": "{name} cannot be read; expected a config.json.",
    }
)


def import_failed(reason: str, name: str) -> str:
    template = _FAILURES.get(reason, "{name} is not fetched: Hugging Face answered with status {reason}.")
    return template.format(name=name, reason=reason)


def fault(kind: str, message: str) -> str:
    return f"This state cannot be computed, which is our fault ({kind}: {message}). The last one is kept."


def not_json(error: str) -> str:
    return f"The request is not JSON ({error}); expected an object of controls."


def not_an_object(kind: str) -> str:
    return f"The request is {kind}; expected an object of controls."


def snapped(asked: int, query_heads: int, heads: int) -> str:
    of = "1 query head" if query_heads == 1 else f"{query_heads} query heads"
    return f"{asked} does not divide {of}: {heads} is the nearest that does."


def no_grouping(query_heads: int) -> str:
    return f"{query_heads} query heads divide by 1 and {query_heads} only: nothing lies between MHA and MQA."


LAYERS_DIFFER = "Fixed: the layers of this model differ."
LAYERS_ALTERNATE = "Fixed: the layers of this model follow a pattern."
LATENT_FIXED = "Fixed: each layer keeps a latent, and no KV heads."


def cache_dtype_note(per_value: str, block: tuple[int, int] | None) -> str:
    if block is None:
        return f"p = {per_value} B a number"
    return f"p = {per_value} B a number: {block[1]} bytes hold {block[0]} numbers and their scale"


def weight_dtype_note(per_value: str) -> str:
    return f"{per_value} B a parameter"


def gpu_note(memory: str, bandwidth: str, flops: str) -> str:
    return f"{memory} as its driver reports, {bandwidth}, {flops}"


def bandwidth(value: str) -> str:
    return f"{value} TB/s"


def flops(value: str) -> str:
    return f"{value} TFLOP/s dense FP16"


def past_limit(model: str, limit: int) -> str:
    return f"Past the {format_count(limit)} tokens that {model} was made for."


def shared_by(query_heads: int, kv_heads: int) -> str:
    each = query_heads // kv_heads
    if each == 1:
        return "one for each query head"
    return f"each shared by {each} query heads"


# readouts


def edited(model: str) -> str:
    return f"{model}, edited"


def model_note(attention: str, kv_heads: int | None, params: str, source: str, read: str | None) -> str:
    heads = f", {kv_heads} KV head{'' if kv_heads == 1 else 's'}" if kv_heads else ""
    when = f", read {read}" if read else ""
    return f"{attention[0].upper()}{attention[1:]}{heads}, {params} parameters. Shape: {source}{when}."


def imported_note(model: str, note: str) -> str:
    return f"{model}. {note}"


def edited_note(model: str, params: str) -> str:
    return f"Edited from {model}: widths follow the heads, the vocabulary stays, {params} parameters."


def params_at(dtype: str) -> str:
    return f"parameters at {dtype}"


def load(context: int, batch: int) -> str:
    return f"{format_count(context)} tokens \N{MULTIPLICATION SIGN} {sequences(batch)}"


def sequences(count: int) -> str:
    return "1 sequence" if count == 1 else f"{format_count(count)} sequences"


_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_words(count: int) -> str:
    return _SMALL[count] if count < len(_SMALL) else format_count(count)


def gpus(count: int, label: str) -> str:
    return f"{in_words(count)} {label} GPU" if count == 1 else f"{in_words(count)} GPUs of {label}"


def tokens(count: int) -> str:
    return f"{format_count(count)} token" if count == 1 else f"{format_count(count)} tokens"


def times(ratio: str) -> str:
    return f"{ratio}\N{MULTIPLICATION SIGN}"


NO_KV_HEADS = "no one number"
NO_CLIFF = "never: the cache stops growing before it reaches the weights"


def cliff_at_batch(batch: int) -> str:
    return f"at {sequences(batch)}"


def batch_at_context(context: int) -> str:
    return f"at {tokens(context)} each"


def cliff_past_limit(limit: int) -> str:
    return f"past the model's own limit of {tokens(limit)}"


def on_gpus(count: int, label: str, context: int) -> str:
    return f"on {gpus(count, label)} at {tokens(context)} each"


NOTHING_TO_FIT = "any: sequences cost nothing"


def context_note(model: str, context: int, limit: int | None, source_window: int | None) -> str:
    if limit is None:
        text = f"{model} has no published context limit."
    elif context > limit:
        text = f"{model} was made for {tokens(limit)}: this context is past it."
    else:
        text = f"{model} was made for up to {tokens(limit)}."
    if source_window is not None:
        text += f" Its attention looks back {tokens(source_window)} at most in the layers with a window: there the cache stops growing."
    return text


# figures

CHART_TABLE = "The chart as a table"
FOOTPRINT_TABLE = "The bar as a table"
CONTEXT_AXIS = "context of each sequence, tokens (1K = 1,024)"
CONTEXT_AXIS_SHORT = "context, tokens (1K = 1,024)"
CACHE = "KV cache"
HEAD_CONTEXT = "Context, tokens"
HEAD_CACHE = "Cache"
HEAD_RATIO = "Cache / weights"
HEAD_GPUS = "GPUs"
HEAD_PART = "Part"
HEAD_BYTES = "Memory"
HEAD_SHARE = "Share of the GPUs"
ROW_WEIGHTS = "Weights"
ROW_CACHE = "KV cache"
ROW_FREE = "Free"


def weights_label(size: str) -> str:
    return f"weights {size}"


def cache_label(size: str) -> str:
    return f"cache {size}"


def limit_label(limit: int) -> str:
    return f"model's limit: {format_count(limit)}"


def gpu_label(count: int, label: str) -> str:
    return f"{format_count(count)} \N{MULTIPLICATION SIGN} {label}"


def gpu_cell(index: int) -> str:
    return f"GPU {format_count(index)}"


def free_label(size: str) -> str:
    return f"{size} free"


def chart_finding(model: str, batch: int, cliff: int | None, limit: int) -> str:
    """The chart's finding in one sentence: where the cache overtakes the weights, if it does in the chart's range."""
    load = f"With {sequences(batch)}"
    if cliff is None:
        return (
            f"{load} the cache of {model} never overtakes its weights: there is no crossing, as it stops growing first."
        )
    if cliff > limit:
        return f"{load} the cache of {model} does not overtake its weights in this range: the crossing is at {tokens(cliff)}."
    return f"{load} the cache of {model} overtakes its weights at {tokens(cliff)} a sequence."


def twin_sooner(twin: str, cliff: int, factor: str) -> str:
    return f"As {twin} it would at {format_count(cliff)}, {factor} times sooner: its cache is larger, and so are its K and V weights."


def twin_later(twin: str, cliff: int, factor: str) -> str:
    return f"As {twin} it would at {format_count(cliff)}, {factor} times later."


def chart_legend(label: str, batch: int, *, cliff: bool, twins: bool, compared: str | None) -> str:
    """What each line of the chart is; lines that it does not have are not named."""
    parts = [
        "Flat blue band: the weights, which no context changes.",
        f"Orange area: the cache of {sequences(batch)}.",
        "Dashed vertical: the cliff, where cache and weights meet." if cliff else "",
        "Solid orange line: the context you chose.",
        f"Dashed horizontals: the memory of {label} GPUs.",
        "Faint lines: the same model with other KV heads." if twins else "",
        f"Dashed curve: the cache of {compared}." if compared and compared != COMPARED_FP8 else "",
        "Dashed curve: its FP8 cache." if compared == COMPARED_FP8 else "",
    ]
    return " ".join(part for part in parts if part)


def footprint_finding(total: str, gpu_count: int, label: str, room: int | None) -> str:
    need = f"{total} in all: {gpus(gpu_count, label)} {'holds' if gpu_count == 1 else 'hold'} it"
    if room is None:
        return f"{need}."
    if room == 0:
        return f"{need}, with no room for one more sequence."
    return f"{need}, with room for {sequences(room).replace(' ', ' more ', 1)}."


def footprint_legend(memory: str) -> str:
    return f"Blue: weights. Orange: cache. Grey: free. Each cell is one GPU of {memory}; engines keep some of that for themselves."


def announce(model: str, *, cache: str, weights: str, ratio: str, held_by: str) -> str:
    return f"{model}: cache {cache}, weights {weights}, ratio {ratio}, {held_by}."


def count(number: int) -> str:
    return format_count(number)


TIMES = " \N{MIDDLE DOT} "
A_TOKEN = "a token"
NO_TWIN = "not applicable"


def gpu_each(name: str) -> str:
    return f"{name}, all of its memory"


def formula_load(context: int, batch: int, capped: int | None) -> str:
    text = f"\N{MULTIPLICATION SIGN} {tokens(context)} \N{MULTIPLICATION SIGN} {sequences(batch)}"
    if capped is not None and context > capped:
        return f"{text}, {tokens(capped)} at most in a layer with a window"
    return text


LATENT = "Latent vector"
ROTARY_KEY = "Rotary key"
INDEXER = "Indexer key"
KEY_DIM = "Key head dim"
VALUE_DIM = "Value head dim"


def with_state(load: str, state: str) -> str:
    return f"{load}, and {state} of state for each"


def marked_context(context: int, *, here: bool, cliff: bool) -> str:
    mark = ", you are here" if here else ""
    return f"{format_count(context)}{', the cliff' if cliff else ''}{mark}"


FORMS = MappingProxyType(
    {"lab": "Controls of the Lab", "split": "Controls of the split", "paging": "Controls of the allocation"}
)


def here_labels(context: int, *, at_limit: bool) -> tuple[tuple[str, ...], ...]:
    """Wordings of the context chosen, the fullest first."""
    here = format_count(context)
    if at_limit:
        return ((f"you are here: {here},", "the model's limit"), (f"here: {here},", "the limit"))
    return ((f"you are here: {here}",), (f"here: {here}",), ("here:", here))


def cliff_labels(context: int) -> tuple[tuple[str, ...], ...]:
    """Wordings of the crossing, the fullest first."""
    return (
        ("the cache overtakes the", f"weights at {tokens(context)}"),
        ("cache overtakes", "weights at", tokens(context)),
        ("the cliff:", format_count(context)),
    )


def no_cliff_labels(cliff: int | None, first: int, last: int) -> tuple[tuple[str, ...], ...]:
    """Wordings of a chart without a crossing, the fullest first."""
    if cliff is None:
        return (("no crossing:", "the cache stops first"), ("no crossing:", "the cache", "stops first"))
    where = tokens(cliff)
    if cliff < first:
        return (("the whole chart is past", f"the cliff, at {where}"), ("all past the", "cliff, at", where))
    if cliff > last:
        return (("no crossing in this range:", f"the cliff is at {where}"), ("no crossing", "in this range:", where))
    return (("the crossing is above", f"the chart, at {where}"), ("crossing above", "the chart, at", where))


# paging

PAGING_TABLE = "The grid as a table"
HEAD_SEQUENCE = "Sequence"
HEAD_PROMPT = "Prompt"
HEAD_REPLY = "Reply"
HEAD_STORED = "Stored"
HEAD_BLOCKS = "Blocks"
HEAD_EMPTY = "Empty"
STRATEGY = MappingProxyType({"contiguous": "Contiguous reservation", "paged": "Paging"})


def percent(value: str) -> str:
    return f"{value}\N{NO-BREAK SPACE}%"


def blocks(count: int) -> str:
    return "1 block" if count == 1 else f"{format_count(count)} blocks"


def in_blocks(blocks: str, size: str, model: str) -> str:
    return f"{blocks}, {size} of {model}"


def paging_finding(strategy: str, sequence_count: int, *, stored: int, reserved: int, utilisation: str) -> str:
    return (
        f"{STRATEGY[strategy]}: {sequences(sequence_count)} {'stores' if sequence_count == 1 else 'store'} {tokens(stored)} "
        f"in room for {format_count(reserved)}; {percent(utilisation)} of it is used."
    )


def paging_legend(strategy: str, longest: int) -> str:
    legend = "A cell stands for a block. Solid: tokens that are stored"
    if strategy == "contiguous":
        return f"{legend}. Hatched: reserved for a longer reply, and empty. A row is one sequence's {format_count(longest)} tokens."
    return (
        f"{legend}; two tints keep neighbours apart where cells are large enough. Hatched: the empty rest of a sequence's last block. Outlined: free for others. "
        f"The pool is the contiguous server's, {format_count(longest)} tokens for each sequence."
    )


def row_label(index: int) -> str:
    return format_count(index)


FIT_MORE = "in the same memory"


# escape hatches

APPLY = "Apply it in the Lab"
APPLY_IN_GRID = "Apply it in the grid"
APPLIED_AS_MHA = "See the Lab as MHA"
APPLIED_AS_FP16 = "See the Lab in FP16"
APPLIED_AS_CONTIGUOUS = "See the grid contiguous"


def load_model(name: str) -> str:
    return f"Load {name}"


def _use(*, in_use: bool) -> str:
    return "In use" if in_use else "Not in use"


def saved_heads(kv_heads: int, model: str, full: str, small: str, *, in_use: bool) -> str:
    heads = "1 KV head" if kv_heads == 1 else f"{format_count(kv_heads)} KV heads"
    return f"less cache than {model} as MHA: {full} a token come down to {small} with {heads}. {_use(in_use=in_use)}."


def two_dtypes(keys: str, values: str) -> str:
    return f"{keys} keys and {values} values"


def saved_dtype(dtype: str, full: str, small: str, *, in_use: bool) -> str:
    return f"less cache than the same model's in FP16: {full} a token come down to {small} in {dtype}. {_use(in_use=in_use)}."


def saved_paging(sequence_count: int, full: int, small: int, *, in_use: bool) -> str:
    return (
        f"less memory than contiguous reservation for the grid's {sequences(sequence_count)}: room for {tokens(full)} "
        f"comes down to {format_count(small)}. {_use(in_use=in_use)}."
    )


def saved_layers(kept: int, layers: int, window: int, context: int) -> str:
    return (
        f"less cache at {tokens(context)} if only {format_count(kept)} of the {format_count(layers)} layers kept everything, "
        f"and the others the last {tokens(window)}."
    )


def saved_latent(values: int, model: str, full: str, small: str) -> str:
    return (
        f"less cache than {model} as MHA if each layer kept one vector of {format_count(values)} numbers a token: {full} a token "
        f"would come down to {small}."
    )


# where each model lands

MODELS_TABLE = "Where each model lands"
MODEL_HEADS = (
    "Model",
    "Attention",
    "KV heads",
    "Cache a token, FP16",
    "Layers",
    "Head dim",
    "Context limit",
    "Cache at the limit",
    "Weights, FP16",
    "Batch at 8,192 past the weights",
)
ATTENTION_SHORT = MappingProxyType(
    {"mha": "MHA", "gqa": "GQA", "mqa": "MQA", "mla": "MLA", "hybrid": "hybrid", "recurrent": "none", "mixed": "mixed"}
)
UNKNOWN = "\N{EN DASH}"


def twin_name(model: str, kind: str) -> str:
    return f"{model}, if it were {ATTENTION_SHORT[kind]}"


# prelude

WORK_TABLE = "Work for one reply, counted"
WORK_HEADS = ("Reply", "Vectors made, cached", "without a cache", "Scores computed, cached", "without a cache")


def decode_step(*, flops: str, gpus: str, reading: str, computing: str, experts: bool) -> str:
    """What one decode step takes; a mixture of experts is counted as if a token passed all of them."""
    counted = " with every expert counted, of which a token passes only a few" if experts else ""
    return f"read and {flops} computed{counted}; on {gpus} that is at least {reading} of the one and {computing} of the other"


def milliseconds(value: str) -> str:
    return f"{value} ms"


def teraflop(value: str) -> str:
    return f"{value} TFLOP"


# the catalogue

CATALOGUE_TABLE = "Every model of the catalogue"
CATALOGUE_HEADS = (
    "Model",
    "Family",
    "Attention",
    "Layers",
    "What they keep",
    "Query heads",
    "KV heads",
    "Head dim",
    "Hidden size",
    "Vocabulary",
    "Context limit",
    "Cache a token, FP16",
    "at the limit",
    "State a sequence",
    "Parameters",
    "Left out",
    "Published",
    "Difference",
    "Weights, FP16",
)
SOURCES_TABLE = "Where each model's facts are from"
SOURCES_HEADS = ("Model", "Read", "Shape from", "Published count from", "Remarks")
GPUS_TABLE = "Every GPU of the catalogue"
GPU_HEADS = (
    "GPU", "Sold as", "Memory", "in bytes", "Bandwidth", "Dense FP16", "Memory from", "Rates from", "Read", "Remarks",
)  # fmt: skip
PAPER_ONLY = "No public weights: written out of the paper."
EQUAL = "equal"
NO_COUNT = "none found"


def teraflops(value: str) -> str:
    return f"{value} TFLOP/s"


def left_out(what: str) -> str:
    return f"Left out of the shape, as no part of the language model's cache: {what}."


def keeps(kind: str, layers: int, *, window: int | None, values: int, index: int) -> str:
    """What a group of layers keeps of a sequence."""
    what = {
        "full": "all tokens",
        "sliding": f"the last {format_count(window or 0)}",
        "chunked": f"chunks of {format_count(window or 0)}",
        "shared": "nothing: they share",
        "latent": f"a latent of {format_count(values)}{f', an index key of {format_count(index)}' if index else ''}",
        "recurrent": "a state",
        "none": "nothing",
    }
    return f"{format_count(layers)} {what[kind]}"


# evidence

EVIDENCE_HEADS = (
    "Run",
    "Engine",
    "Line",
    "Printed",
    "kvcore says",
    "Apart",
    "Standing",
    "Reckoned as",
    "Published in",
    "Remarks",
)
EVIDENCE_TABLES = MappingProxyType(
    {
        "plain": "One product, many models",
        "types": "Types of number",
        "blocks": "Memory in blocks",
        "parallel": "Several GPUs",
        "latent": "Latents",
        "windows": "Windows",
        "state": "Recurrent state",
        "labels": "Published tables",
        "weights": "Weights",
    }
)
STANDING = MappingProxyType(
    {"reproduced": "reproduced", "inferred": "reproduced, part inferred", "mismatch": "does not match"}
)
FORMULAS = MappingProxyType(
    {
        "product": "2 \N{MIDDLE DOT} L \N{MIDDLE DOT} n_kv \N{MIDDLE DOT} d_h \N{MIDDLE DOT} p a token",
        "apart": "L \N{MIDDLE DOT} n_kv \N{MIDDLE DOT} (d_k \N{MIDDLE DOT} p_k + d_v \N{MIDDLE DOT} p_v) a token",
        "blocks": "the same product, in whole blocks",
        "sglang": "the same product for K and V each, and a page more",
        "latent": "L \N{MIDDLE DOT} (r_kv + d_rope) \N{MIDDLE DOT} p a token",
        "latent_index": "L \N{MIDDLE DOT} ((r_kv + d_rope) \N{MIDDLE DOT} p + index key) a token",
        "cells": "min(context, window \N{MULTIPLICATION SIGN} sequences + micro-batch) cells, padded to 256, in layers with a window",
        "ignored": "every token in every layer, windows or not",
        "pages": "vLLM's pages for layers of different kinds",
        "weights": "parameters \N{MIDDLE DOT} p / tp, and vLLM's rotary table",
        "mixed": "MLPs in one type, the rest in 16 bits, / tp, and vLLM's rotary table",
    }
)


def evidence_table(title: str) -> str:
    return f"{title}: what engines printed, and what kvcore says"


def printed_for(name: str, *, count: int, length: int) -> str:
    """A line's name, and what it is for: that many tokens, or requests of that length."""
    if length:
        return f"{name}, at {format_count(length)}"
    return f"{name}, {format_count(count)} tokens" if count else name


def agreement(*, same: bool, rounded: bool, agrees: bool, difference: str) -> str:
    if same:
        return "0"
    if rounded:
        return f"{difference}, rounding"
    return f"{difference}, within a block" if agrees else difference


def run_options(
    key_dtype: str,
    value_dtype: str,
    *,
    tp: int,
    pp: int,
    cp: int,
    block_size: int,
    cells: Mapping[str, int] | None,
    batched: int,
) -> str:
    """Settings of a run, as far as they enter its formula."""
    parts = [f"K in {key_dtype}, V in {value_dtype}" if value_dtype else key_dtype]
    parts += [f"{name} {count}" for name, count in (("tp", tp), ("pp", pp), ("cp", cp)) if count > 1]
    if block_size > 1:
        parts.append(f"blocks of {block_size}")
    if cells:
        parts.append(f"micro-batch {format_count(cells['micro_batch'])}, {sequences(cells['sequences'])}")
    if batched:
        parts.append(f"{format_count(batched)} tokens computed at a time")
    return ", ".join(parts)


def weights_options(mlp_dtype: str, *, tp: int) -> str:
    """The types of weights, and how many GPUs share them."""
    kind = f"MLPs in {mlp_dtype}" if mlp_dtype else "16 bits"
    return f"{kind}, tp {tp}" if tp > 1 else kind


def facts_from(source: str) -> str:
    return f"Facts: {source}."


def inferred_from(what: str) -> str:
    return f"Read out of the record: {what}."


def why_not(cause: str) -> str:
    return f"Why not: {cause}"


# importing a model

IMPORT = "Import a model from its config.json"
IMPORT_TEXT = "Paste the file's text, or drop the file here"
IMPORT_USE = "Use this config"
IMPORT_FILE = "Open a file"
IMPORT_ID = "Or name a model on Hugging Face; it is asked for when you press Fetch"
IMPORT_ID_EXAMPLE = "owner/name"
IMPORT_FETCH = "Fetch"
IMPORTED = "Imported model"
FIND_MODEL = "Find a model"

# the split over GPUs


def split_note(gpus: int) -> str:
    return f"{in_words(gpus)} GPU{'' if gpus == 1 else 's'} in all"


def per_gpu(kv_heads: str) -> str:
    return f"on the fullest GPU{kv_heads}"


def heads_per_gpu(kv_heads: int) -> str:
    return f", with {'1 KV head' if kv_heads == 1 else f'{format_count(kv_heads)} KV heads'} of each layer"


FITS = "yes"
FITS_NOT = "no"


def to_spare(free: str) -> str:
    return f"{free} to spare on each GPU"


def too_little(missing: str) -> str:
    return f"{missing} too little on each GPU"


def largest_batch(context: int, gpus: str) -> str:
    return f"at {tokens(context)} each, on {gpus}"


def largest_context(batch: int, gpus: str) -> str:
    return f"with {sequences(batch)}, on {gpus}"


NO_CONTEXT_TOO_LONG = "any context"
NOT_ONE = "not one"


def reserve_note(size: str) -> str:
    return f"{size} of each GPU kept back; vLLM keeps 10\N{NO-BREAK SPACE}% by default"


ENGINE_BLOCK_NONE = "no rounding: tokens are counted singly"


def engine_block_note(block: int) -> str:
    return f"each sequence takes whole blocks of {tokens(block)}"


def cannot_split(error: str) -> str:
    return f"This split is not possible. {error}."


# rates


def rates(marginal: str, average: str, asymptotic: str) -> str:
    return f"The next token adds {marginal}; so far one has cost {average} on average; in the long run each adds {asymptotic}."


def constant_rate(rate: str) -> str:
    return f"Every token adds {rate}, the first as much as the last."


def compared(name: str) -> str:
    return f"as {name}" if name else ""


def compare_finding(name: str, cliff: int | None) -> str:
    """Where the other model crosses, or this one with the other cache."""
    if name == COMPARED_FP8:
        return (
            "With an FP8 cache it never would." if cliff is None else f"With an FP8 cache it would at {tokens(cliff)}."
        )
    if cliff is None:
        return f"The cache of {name} never overtakes its weights."
    return f"The cache of {name} overtakes its own weights at {tokens(cliff)}."


COMPARED_FP8 = "FP8 cache"
