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


def in_use_by(model: str) -> str:
    return f"{model}, which the Lab has now, uses it."


def _use(*, in_use: bool) -> str:
    return "The Lab has this already" if in_use else "The Lab is without it"


def saved_heads(kv_heads: int, model: str, full: str, small: str, *, in_use: bool) -> str:
    heads = "1 KV head" if kv_heads == 1 else f"{format_count(kv_heads)} KV heads"
    return (
        f"less cache than {model} as MHA: {full} per token comes down to {small} with {heads}. {_use(in_use=in_use)}."
    )


def two_dtypes(keys: str, values: str) -> str:
    return f"{keys} keys and {values} values"


def saved_dtype(dtype: str, full: str, small: str, *, in_use: bool) -> str:
    return f"less cache than the same model's in FP16: {full} per token comes down to {small} in {dtype}. {_use(in_use=in_use)}."


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


def saved_latent(values: int, model: str, full: str, small: str, *, smaller: bool) -> str:
    if not smaller:
        return f"of what one vector of {format_count(values)} numbers per layer and token would take: {model} keeps {full} per token, less than its {small}."
    return (
        f"less cache than {model} has now, if each layer kept one vector of {format_count(values)} numbers per token: {full} per token "
        f"would come down to {small}."
    )


MODELS_TABLE = "Where each model lands"

MODEL_HEADS = (
    "Model",
    "Attention",
    "KV heads",
    "Cache per token, FP16",
    "Layers",
    "Head dim",
    "Context limit",
    "Cache at the limit",
    "Weights, as shipped",
    "Users at 8K until the cache outweighs the weights",
)


def twin_name(model: str, kind: str) -> str:
    return f"{model}, if it were {ATTENTION_SHORT[kind]}"


WORK_TABLE = "Work for one reply, counted"

WORK_HEADS = ("Reply", "Vectors made, cached", "without a cache", "Scores computed, cached", "without a cache")
