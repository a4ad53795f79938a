"""Every phrase of the other slots in the article: the cards of techniques, the table of models, the counted work."""

from kvcore.page.phrases import ATTENTION_SHORT, sequences, tokens
from kvcore.units import format_count

NO_TWIN = "not applicable"
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
    "Weights, as shipped",
    "Batch at 8,192 past the weights",
)


def twin_name(model: str, kind: str) -> str:
    return f"{model}, if it were {ATTENTION_SHORT[kind]}"


WORK_TABLE = "Work for one reply, counted"

WORK_HEADS = ("Reply", "Vectors made, cached", "without a cache", "Scores computed, cached", "without a cache")
