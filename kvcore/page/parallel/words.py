"""Every phrase of the split over several GPUs: controls, notes and readouts."""

from kvcore.page.phrases import in_words, sequences, tokens
from kvcore.units import format_count

FORM = "Controls of the split"
GROUP = "Split over GPUs"
TP = "Tensor parallel"
PP = "Pipeline stages"
DP = "Data-parallel copies"
RESERVE = "Reserve"
ENGINE_BLOCK = "Engine's block"
UNIT_GPUS = "GPUs"
UNIT_PERCENT = "%"
UNIT_TOKENS = "tokens"


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
