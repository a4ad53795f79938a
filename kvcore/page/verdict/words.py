"""Every phrase of the verdict: its controls, notes, sentences, buttons and the footprint bar."""

from kvcore.page.phrases import gpus, in_words, past_limit, tokens, users
from kvcore.splits import Split
from kvcore.units import format_count

AVERAGE = "Average length"
HOST_MEMORY = "Host memory"
GROUP_GPUS = "GPUs"
GPUS = "How many"
TP = "Tensor parallel"
PP = "Pipeline stages"
DP = "Data-parallel copies"
CP = "Context parallel"
EP = "Expert parallel"
RESERVE = "Reserve"
NO_RATIO = "How much longer reading takes than computing is not known for this GPU."
NO_TIME = "a time not known"
ENGINE_BLOCK = "Engine's block"
UNIT_GPUS = "GPUs"
UNIT_PERCENT = "%"
UNIT_TOKENS = "tokens"

COMMAND_FILE = "with the config that you gave"

YES = "It fits."
NO = "It does not fit."


def held_by(count: int, name: str) -> str:
    return f"{in_words(count)} {name}"


def load(model: str, batch: int, context: int) -> str:
    return f"{model} for {users(batch)} at {tokens(context)}{'' if batch == 1 else ' each'}"


def holds(gpus: str, count: int, load: str, spare: str) -> str:
    verb, each = ("holds", "") if count == 1 else ("hold", " on each")
    return f"{gpus[0].upper()}{gpus[1:]} {verb} {load}, with {spare} to spare{each}."


def room(most: int | None, longest: int | None, batch: int, context: int, limit: int | None) -> str:
    at_most = "any number of users" if most is None else f"up to {users(most)}"
    long = "any context" if longest is None else f"up to {tokens(longest)}{_past(longest, limit)}"
    return f"At {tokens(context)} there is room for {at_most}; for {users(batch)}, for {long}."


def lacks(gpus: str, count: int, load: str, missing: str) -> str:
    return f"{load} takes {missing} more than {'' if count == 1 else 'each of '}{gpus} may use."


def weights_lack(gpus: str, count: int, model: str, missing: str) -> str:
    return f"The weights of {model} alone take {missing} more than {'' if count == 1 else 'each of '}{gpus} may use."


def _past(longest: int | None, limit: int | None) -> str:
    return "" if limit is None or longest is None or longest <= limit else f", {past_limit(limit)}"


def at_most(most: int, longest: int, batch: int, context: int, limit: int | None) -> str:
    if not most:
        return f"Not one user fits at {tokens(context)}."
    if not longest:
        return f"At {tokens(context)}, {users(most)} {'fits' if most == 1 else 'fit'}."
    return f"{users(most)} {'fits' if most == 1 else 'fit'} at {tokens(context)}, or {tokens(longest)} for {users(batch)}{_past(longest, limit)}."


def on_average(average: int, most: int | None, promised: int | None, context: int) -> str:
    """How many users fit at the average length, and how many of them can all grow to the longest."""
    at_most = "any number of users" if most is None else f"up to {users(most)}"
    of_them = "all" if promised is None else in_words(promised)
    return f"At the average of {tokens(average)} there is room for {at_most}; {of_them} of them can grow to {tokens(context)}."


def stored_once(prompt: int, copies: int, saved: str) -> str:
    where = "" if copies == 1 else f" in each of the {format_count(copies)} data-parallel copies"
    return f"The shared prompt of {tokens(prompt)} is stored once{where}, which leaves {saved} more on each GPU."


def in_host(memory: str, gpus: int, held: str) -> str:
    where = "" if gpus == 1 else f", divided among the {format_count(gpus)} GPUs,"
    return f"{memory} of host memory{where} keeps the cache of {held}, who wait."


def more_users(count: int | None, context: int) -> str:
    return f"{'any number of users' if count is None else f'{format_count(count)} more users'} at {tokens(context)}"


WAYS = "To make it fit, one of:"
NO_WAY = "No single change makes it fit: not the cache's type, the weights' type, the context, the users or the number of GPUs."


def cache_way(label: str) -> str:
    return f"{label} cache"


def weights_way(label: str) -> str:
    return f"{label} weights"


def context_way(longest: int) -> str:
    return tokens(longest)


def batch_way(most: int) -> str:
    return users(most)


def gpus_way(split: Split) -> str:
    text = f"{format_count(split.gpus)} GPUs"
    return text if split.gpus == split.tp else f"{text}: {divided(split)}"


def divided(split: Split) -> str:
    """How the GPUs divide the model, if there are several."""
    parts = [
        f"{format_count(count)} {name}"
        for count, name in ((split.tp, "tensor parallel"), (split.pp, "pipeline stages"), (split.dp, "data parallel"))
        if count > 1
    ]
    spread = [
        f"{name} over {format_count(count)} of them"
        for count, name in ((split.cp, "the context"), (split.ep, "the experts"))
        if count > 1
    ]
    return ", ".join([" \N{MULTIPLICATION SIGN} ".join(parts), *spread])


def in_stages(count: int, query_heads: int, tp: int, pp: int) -> str:
    return f"{count} does not divide {query_heads} query heads: {pp} stages of {tp}."


def too_many_stages(count: int, layers: int, kept: int) -> str:
    return f"How many: {format_count(count)} GPUs cannot divide the model's heads or its {layers} layers. {format_count(kept)} are kept."


def snapped(asked: int, found: int, reason: str) -> str:
    return f"{format_count(asked)} is not {reason}: {format_count(found)} is the nearest."


def divides_heads(heads: int) -> str:
    return f"a divisor of the {heads} query heads"


def at_most_layers(layers: int) -> str:
    return f"at most the {layers} layers"


def at_most_gpus(most: int) -> str:
    return f"possible with at most {format_count(most)} GPUs"


def divides_copies(tp: int, copies: int) -> str:
    return f"a divisor of the {tp} tensor-parallel GPUs of at most {copies}, the copies of each KV head"


def shares_experts(tp: int, dp: int) -> str:
    return f"a divisor or a multiple of the {tp} tensor-parallel GPUs within {format_count(tp * dp)}"


def per_gpu(kv_heads: str) -> str:
    return f"on the fullest GPU{kv_heads}"


def heads_per_gpu(kv_heads: int) -> str:
    return f", with {'1 KV head' if kv_heads == 1 else f'{format_count(kv_heads)} KV heads'} of each layer"


def to_spare(usable: str) -> str:
    return f"to spare of {usable} on each GPU"


TOO_LITTLE = "too little on each GPU"


def largest_batch(context: int, held_by: str) -> str:
    return f"at {tokens(context)} each, on {held_by}"


def largest_context(batch: int, held_by: str, longest: int | None, limit: int | None) -> str:
    return f"for {users(batch)}, on {held_by}{_past(longest, limit)}"


def fewest(name: str, split: Split) -> str:
    how = divided(split)
    return f"{name}{f', {how}' if how else ''}"


NO_GPUS = "more than a thousand, divided like this"
NO_CONTEXT_TOO_LONG = "any context"
NOT_ONE = "not one"


def reserve_note(size: str) -> str:
    return f"{size} of each GPU is left free"


ENGINE_BLOCK_NONE = "no rounding: tokens are counted singly"


def engine_block_note(block: int) -> str:
    return f"each sequence takes whole blocks of {tokens(block)}"


AS_LONG_AS_THE_CONTEXT = "every sequence may be as long as the context"
NO_HOST_MEMORY = "no cache is kept for users who wait"


def average_note(context: int) -> str:
    return f"no sequence is longer than the context, {tokens(context)}"


def not_between(asked: int, found: int, low: int, high: int) -> str:
    return f"{format_count(asked)} is not from {format_count(low)}, the shared prompt, to {tokens(high)}, the context: {format_count(found)} is the nearest."


def host_memory_note(each: str) -> str:
    return f"{each} for each GPU, which moves the caches of users who wait there and back"


HELD_TABLE = "How many users each memory holds"
HEAD_LENGTH = "If each has"
HEAD_ON_GPUS = "On the GPUs"
HEAD_IN_HOST = "In host memory"
HEAD_TOGETHER = "Together"
NO_LIMIT = "any number"


def announce(held_by: str, *, fits: bool) -> str:
    return f"It {'fits' if fits else 'does not fit'} on {held_by}."


FOOTPRINT_TABLE = "The bar as a table"
HEAD_PART = "Part"
HEAD_EACH = "On each GPU"
HEAD_ALL = "On all"
HEAD_SHARE = "Share of the memory"
ROW_RESERVE = "Reserve"
ROW_WEIGHTS = "Weights"
ROW_CACHE = "KV cache"
ROW_FREE = "Free"
ROW_MISSING = "Too little by"
ROW_MEMORY = "Memory"


def reserve_label(size: str) -> str:
    return f"reserve {size}"


def weights_label(size: str) -> str:
    return f"weights {size}"


def cache_label(size: str) -> str:
    return f"cache {size}"


def free_label(size: str) -> str:
    return f"{size} free"


def missing_label(size: str) -> str:
    return f"{size} too much"


def gpu_cell(index: int) -> str:
    return f"GPU {format_count(index)}"


def footprint_finding(total: str, usable: str, count: int, label: str) -> str:
    return f"{total} of weights and cache, on {gpus(count, label)} with {usable} to use."


def footprint_legend(memory: str) -> str:
    return f"Each cell is one GPU of {memory}. Hatched: its reserve. Blue: weights. Orange: cache, with the copies that the GPUs keep."


def decode_step(*, flops: str, gpus: str, reading: str, computing: str) -> str:
    """The work and time of one decode step, after the bytes that it reads."""
    return f"read and {flops} computed; on {gpus} at least {reading} to read and {computing} to compute"


def decode_ratio(ratio: str) -> str:
    return f"Reading takes {ratio} as long as computing."


MIXTURE_STEP = "read at most, if its tokens pass every expert"
MIXTURE_RATIO = (
    "How much of that is read, and computed with, depends on the experts that they pass: of these a token passes a few."
)


def milliseconds(value: str) -> str:
    return f"{value} ms"


def teraflop(value: str) -> str:
    return f"{value} TFLOP"
