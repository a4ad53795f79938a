"""Every phrase of the Lab: labels and notes of its controls, readouts, the footprint bar, and importing a model."""

from collections.abc import Sequence
from types import MappingProxyType

from kvcore.config import MOST_CHARACTERS
from kvcore.page.phrases import MOST_NAMED, tokens, users
from kvcore.units import format_count

FORM = "Controls of the Lab"
GROUP_MODEL = "Model"
GROUP_LOAD = "Load"
GROUP_LENGTHS = "Average length, shared prompt, host memory"
GROUP_GPUS = "GPUs"
GROUP_SPLIT = "Engine, reserve, split of the model"
GROUP_SHAPE = "Model shape"
GROUP_STORAGE = "Storage"
GROUP_SHOW = "Show as"
MODEL = "Model"
CONFIG = "Import"
CONTEXT = "Context"
BATCH = "Users (batch)"
SHARED_PROMPT = "Shared prompt"
LAYERS = "Layers"
QUERY_HEADS = "Query heads"
HEAD_DIM = "Head dim"
ATTENTION_LABEL = "Attention"
KV_HEADS = "KV heads"
CACHE_DTYPE = "Cache dtype"
V_DTYPE = "V stored as"
WEIGHT_DTYPE = "Weight dtype"
GPU = "GPU"
UNITS = "Units"
ENGINE = "Engine"
MTP = "MTP layers"
LATENTS = "Latents (MLA)"
AS_SHIPPED = "as shipped"


def engine_option(name: str, version: str) -> str:
    return f"{name} ({version})" if version else "none: the formula alone"


def engine_brings(reserve: int, block: int) -> str:
    """What choosing the engine sets: the reserve on this GPU in percent, and the tokens of a block."""
    blocks = "no blocks" if block == 1 else f"blocks of {block} tokens"
    return f"Brings a reserve of {reserve} % on this GPU, and {blocks}."


def engine_version(version: str, read: str) -> str:
    return f"As of {version}, read {read}."


def engine_note(sources: Sequence[str]) -> str:
    return f"Sources: {'; '.join(sources)}."


def needs_arithmetic(label: str, number: str, gpu: str) -> str:
    return f"Engines cache in {label} on GPUs that compute in {number.upper()}, as {gpu} is not known to."


MTP_OPTIONS = MappingProxyType({"no": "left out", "yes": "counted"})
LATENT_OPTIONS = MappingProxyType({"compressed": "cached as they are", "expanded": "K and V of all heads"})
NO_MTP = "No MTP layers of this model are known."
NO_LATENTS = "This model caches no latents."
INDEXED_LATENTS = "Fixed: this model's indexer needs the latents."


def mtp_note(layers: int) -> str:
    them = "1 is" if layers == 1 else f"{layers} are"
    return f"{them} published beside the model, to guess tokens ahead. Engines load MTP layers only when asked to."


def latents_note(engine: str, width: int) -> str:
    """engine: the engine that pads V to the width of K, if it does."""
    text = "Engines that cannot compute with latents cache the K and V of all heads, which are made from them."
    return f"{text} {engine} makes V as wide as K: {width} numbers." if engine else text


def engine_type(asked: str, engine: str, used: str) -> str:
    return f"{engine} caches this model in {used} when asked for {asked}."


def wrong_cache_dtype(value: str, expected: str, kept: str) -> str:
    return f"Cache dtype: {value} is not {expected}. {kept} is kept."


_LLAMA_CPP = frozenset({"q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"})
_LATENT = frozenset({"fp8_ds_mla", "nvfp4_ds_mla"})


def cache_group(name: str) -> str:
    """The group of a cache type in the list."""
    if name in _LLAMA_CPP:
        return "llama.cpp"
    if name.startswith("mlx_"):
        return "MLX"
    if name in _LATENT:
        return "for latents (vLLM)"
    return "with scales" if "_" in name or name == "nvfp4" else "without scales"


def weight_group(name: str) -> str:
    """The group of a weight type in the list: plain types, quantized ones, and llama.cpp's mixes."""
    if name.startswith("gguf_"):
        return "llama.cpp (GGUF)"
    return "with scales" if "_" in name or name in {"mxfp4", "nvfp4"} else "all in one type"


UNIT_TOKENS = "tokens"
UNIT_GIB = "GiB"
OWN_GPU = "your own"
OWN_MEMORY = "Its memory"
OWN_MEMORY_UNUSED = "for a GPU of your own"
ATTENTION_OPTIONS = MappingProxyType({"mha": "MHA", "gqa": "GQA", "mqa": "MQA"})
UNIT_SYSTEMS = MappingProxyType({"binary": "GiB", "decimal": "GB"})
SAME_AS_K = "the same as K"

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

BACK_TO_DEFAULTS = "Back to the defaults"


def linked(model: str, context: int, batch: int) -> str:
    return f"This link set {model}, {tokens(context)}, {users(batch)}."


EDITED = "edited: its shape is not the published one"
BACK_TO_PUBLISHED = "Back to the published shape"

GIVEN = "the config you gave"
CAME_WITH_LINK = "the config that came with this link"


def named_by_link(name: str) -> str:
    """Marks a catalog model's name that a link gave to another shape."""
    return f"{name} (this link's own shape)"


UNNAMED = "Imported model"

NOTHING_IMPORTED = "Model: no shape has been imported; the default is shown."


def not_a_packed_config(error: str) -> str:
    return f"The link's model cannot be read: {error}."


def not_edited(field: str, value: str, expected: str) -> str:
    return f"The model keeps its own shape: {field}, {value}, would not be {expected}."


def not_a_config(raw: str) -> str:
    return f"Import: {raw} is not the text of a config.json."


def not_imported(name: str, field: str, value: str, expected: str) -> str:
    """Why a config is refused; of a long list of allowed names it gives only the length."""
    if (field, value) == ("model_type", "None"):
        return f"{name or 'The config'} is not imported: this JSON has no model_type."
    names = expected.removeprefix("one of ").split(", ")
    if expected.startswith("one of ") and len(names) > MOST_NAMED:
        expected = f"one of the {len(names)} that are known here"
    return f"{name or 'The config'} is not imported. {field}: {value} is not {expected}."


_FAILURES = MappingProxyType(
    {
        "network": "Hugging Face cannot be reached from here: {name} is not fetched. Paste its config.json instead.",
        "late": "Hugging Face has not answered within 30 seconds: {name} is not fetched. Try again, or paste its config.json instead.",
        "missing": "Hugging Face has no config.json for {name}. Expected an id such as Qwen/Qwen3-8B.",
        "gated": "{name} is gated: Hugging Face gives its config.json only to readers who are signed in. Open it there and paste it here.",
        "id": "{name} is not a model id; expected owner/name, such as Qwen/Qwen3-8B.",
        "size": "{name} is too large for a config.json; expected at most {limit} characters.",
        "file": "{name} cannot be read; expected a config.json.",
    }
)


UNNAMED_TEXT = "The text that you gave"


def import_failed(reason: str, name: str) -> str:
    template = _FAILURES.get(reason, "{name} is not fetched: Hugging Face answered with status {reason}.")
    return template.format(name=name, reason=reason, limit=format_count(MOST_CHARACTERS))


def snapped(asked: int, query_heads: int, heads: int) -> str:
    return f"{asked} does not divide {query_heads}: {heads} is the nearest."


def no_grouping(query_heads: int) -> str:
    return f"{query_heads} query heads divide by 1 and {query_heads} only: nothing lies between MHA and MQA."


LAYERS_DIFFER = "Fixed: the layers of this model differ."

LAYERS_ALTERNATE = "Fixed: the layers of this model follow a pattern."

STATE_FIXED = "Fixed: each layer keeps a state, and no KV heads."

LATENT_FIXED = "Fixed: each layer keeps a latent, and no KV heads."


def cache_dtype_note(per_value: str, block: tuple[int, int] | None, vector_bytes: int) -> str:
    if vector_bytes:
        return f"p = {per_value} B per number, and {vector_bytes} bytes of scale for each key and each value"
    if block is None:
        return f"p = {per_value} B per number"
    return f"p = {per_value} B per number: {block[1]} bytes hold {block[0]} numbers and their scale"


def weight_dtype_note(per_value: str, shipped: str, note: str) -> str:
    """shipped: the type of the published checkpoint, if it is chosen. note: what is not known of it."""
    return " ".join(
        filter(None, (f"{shipped}," if shipped else "", f"{per_value} B per parameter", note and f"({note})"))
    )


def not_as_shipped(label: str) -> str:
    return f"the published checkpoint is in {label}"


def gpu_note(memory: str, bandwidth: str, flops: str) -> str:
    """Its memory, bandwidth and rate of arithmetic; an empty text for what is not known."""
    return ", ".join(filter(None, (memory, bandwidth, flops)))


def flops(value: str) -> str:
    return f"{value} TFLOP/s dense FP16"


def past_limit(limit: int) -> str:
    return f"past its limit of {tokens(limit)}"


NOTHING_SHARED = "no tokens are stored once for all"


def shared_prompt_note(prompt: int) -> str:
    return f"every sequence begins with the same {tokens(prompt)}, which are stored once"


def prompt_too_long(asked: int, context: int) -> str:
    return f"{format_count(asked)} leaves a sequence of {tokens(context)} none of its own: {format_count(context - 1)} is the most."


def shared_by(query_heads: int, kv_heads: int) -> str:
    each = query_heads // kv_heads
    if each == 1:
        return "one for each query head"
    return f"each shared by {each} query heads"


def edited(model: str) -> str:
    return f"{model}, edited"


def model_note(attention: str, kv_heads: int | None, params: str, source: str, read: str | None) -> str:
    heads = f", {kv_heads} KV head{'' if kv_heads == 1 else 's'}" if kv_heads else ""
    when = f", read {read}" if read else ""
    return f"{attention[0].upper()}{attention[1:]}{heads}, {params} parameters. Shape: {source}{when}."


def imported_note(model: str, note: str, assumed: Sequence[str]) -> str:
    return f"{model}. {note}{assumed_note(assumed)}"


def assumed_note(assumed: Sequence[str]) -> str:
    """Which values were assumed; each is the name of a field and its value."""
    return f" Assumed, as the config does not give it: {', '.join(assumed)}." if assumed else ""


def edited_note(model: str, params: str, assumed: Sequence[str]) -> str:
    return f"Edited from {model}: widths follow the heads, the vocabulary stays, {params} parameters.{assumed_note(assumed)}"


NO_KV_HEADS = MappingProxyType({"mla": "none: one latent per layer", "recurrent": "none: a state"})
KV_HEADS_DIFFER = "they differ from layer to layer"

NO_CLIFF = "never: the cache stops growing before it reaches the weights"


def cliff_at_batch(batch: int) -> str:
    return f"at {users(batch)}"


def batch_at_context(context: int) -> str:
    return f"at {tokens(context)} each"


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


def weights_label(size: str) -> str:
    return f"weights {size}"


def announce(model: str, *, cache: str, weights: str, ratio: str) -> str:
    return f"{model}: cache {cache}, weights {weights}, ratio {ratio}."


MIDDLE_DOT = " \N{MIDDLE DOT} "

A_TOKEN = "per token"


def formula_load(context: int, batch: int, *, shared: int, capped: int | None) -> str:
    text = f"\N{MULTIPLICATION SIGN} {tokens(context)} \N{MULTIPLICATION SIGN} {users(batch)}"
    if shared:
        text = (
            f"\N{MULTIPLICATION SIGN} ({format_count(shared)} shared + "
            f"{format_count(batch)} \N{MULTIPLICATION SIGN} {format_count(context - shared)}) tokens"
        )
    if capped is not None and context > capped:
        return f"{text}, {tokens(capped)} at most in a layer with a window"
    return text


LATENT = "Latent vector"

ROTARY_KEY = "Rotary key"

INDEXER = "Indexer key"

SCALES = "Scales of a key and a value"

KEY_DIM = "Key head dim"

VALUE_DIM = "Value head dim"


def with_state(load: str, state: str) -> str:
    return f"{load}, and {state} of state for each"


IMPORT = "Import a model from its config.json"

IMPORT_TEXT = "Paste the file's text, or drop the file here"

IMPORT_USE = "Use this config"

IMPORT_FILE = "Open a file"

IMPORT_ID = "Or fetch it from Hugging Face by name (contacts huggingface.co)"

IMPORT_ID_EXAMPLE = "owner/name"

IMPORT_FETCH = "Fetch"

IMPORT_WAITING = "Waiting for Hugging Face, for half a minute at most."

IMPORT_STOP = "Stop"

IMPORTED = "Imported model"

FIND_MODEL = "Find a model"


BELOW_WINDOWS = "below every window"


def rates(below: str, marginal: str, average: str, asymptotic: str) -> str:
    return (
        f"The next token adds {marginal}, and below every window {below}. The average so far is {average}; "
        f"in the long run each adds {asymptotic}."
    )


NO_RATE = "No token adds anything: a state keeps its size at any length."


def constant_rate(rate: str) -> str:
    return f"Every token costs the same: {rate}."
