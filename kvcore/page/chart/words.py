"""Every phrase of the cliff chart: its labels, its finding, its legend, its table and its two controls."""

from types import MappingProxyType

from kvcore.page.phrases import kept, tokens, users
from kvcore.units import format_count

SCALE = "Memory axis"
COMPARE = "Compare with"
SCALES = MappingProxyType({"linear": "linear", "log": "log"})
COMPARE_OPTIONS = MappingProxyType({"none": "its twins only", "fp8": "its FP8 cache"})
TWINS = MappingProxyType({"mha": "if MHA", "gqa": "if GQA", "mqa": "if MQA"})

CHART_TABLE = "The chart as a table"

CONTEXT_AXIS = "context of each sequence, tokens (1K = 1,024)"

CONTEXT_AXIS_SHORT = "context, tokens (1K = 1,024)"

CACHE = MappingProxyType({"recurrent": "state", "hybrid": "KV cache and state"})
KV_CACHE = "KV cache"

HEAD_CONTEXT = "Context, tokens"

HEAD_CACHE = "Cache"

HEAD_RATIO = "Cache / weights"

HEAD_GPUS = "GPUs by memory alone"


def compared_in_fp16(model: str) -> str:
    return f"{model} in FP16"


PAST_LIMIT = (("past what the model was made for",), ("past what the", "model was made for"), ("past the limit",))
"""Wordings of the name of the region past the model's limit, the longest first; each is the lines of the label."""


def limit_label(limit: int) -> str:
    return f"model's limit: {format_count(limit)}"


def gpu_label(count: int, label: str) -> str:
    return f"{format_count(count)} \N{MULTIPLICATION SIGN} {label}"


def chart_finding(model: str, attention: str, batch: int, cliff: int | None, limit: int) -> str:
    """The chart's finding in one sentence: where the cache overtakes the weights, if it does in the chart's range."""
    load = f"With {users(batch)} the {kept(attention)} of {model}"
    if attention == "recurrent":
        return f"{load} {'outweighs its weights' if cliff else 'stays below its weights'} at any length: it does not grow with the context."
    if cliff is None:
        return f"{load} never overtakes its weights: there is no crossing, as it stops growing first."
    if cliff > limit:
        return f"{load} does not overtake its weights in this range: the crossing is at {tokens(cliff)}."
    return f"{load} overtakes its weights at {tokens(cliff)} each."


def twin_sooner(twin: str, cliff: int, factor: str) -> str:
    return f"As {twin} it would at {format_count(cliff)}, {factor} times sooner: its cache is larger, and so are its K and V weights."


def twin_later(twin: str, cliff: int, factor: str) -> str:
    return f"As {twin} it would at {format_count(cliff)}, {factor} times later."


def chart_legend(label: str, *, twins: bool, compared: str | None) -> str:
    """Says what the lines are whose labels do not say it, for those that the chart has."""
    parts = [
        f"Dashed horizontals: the memory of {label} GPUs.",
        "Faint lines: the same model with other KV heads." if twins else "",
        f"Dashed curve: the cache of {compared}." if compared and compared != COMPARED_FP8 else "",
        "Dashed curve: its FP8 cache." if compared == COMPARED_FP8 else "",
    ]
    return " ".join(part for part in parts if part)


def marked_context(context: int, *, here: bool, cliff: bool) -> str:
    mark = ", you are here" if here else ""
    return f"{format_count(context)}{', the cliff' if cliff else ''}{mark}"


def here_labels(context: int, *, at_limit: bool) -> tuple[tuple[str, ...], ...]:
    """Wordings of the label of the chosen context, the longest first; each is the lines of the label."""
    here = format_count(context)
    if at_limit:
        return ((f"you are here: {here},", "the model's limit"), (f"here: {here},", "the limit"))
    return ((f"you are here: {here}",), (f"here: {here}",), ("here:", here))


def cliff_labels(context: int) -> tuple[tuple[str, ...], ...]:
    """Wordings of the label of the crossing, the longest first; each is the lines of the label."""
    return (
        ("the cache overtakes the", f"weights at {tokens(context)}"),
        ("cache overtakes", "weights at", tokens(context)),
        ("the cliff:", format_count(context)),
    )


def no_cliff_labels(cliff: int | None, first: int, last: int) -> tuple[tuple[str, ...], ...]:
    """Wordings of the label that says why a chart has no crossing, the longest first; each is the lines of the label."""
    if cliff is None:
        return (("no crossing:", "the cache stops first"), ("no crossing:", "the cache", "stops first"))
    where = tokens(cliff)
    if cliff < first:
        return (("the whole chart is past", f"the cliff, at {where}"), ("all past the", "cliff, at", where))
    if cliff > last:
        return (("no crossing in this range:", f"the cliff is at {where}"), ("no crossing", "in this range:", where))
    return (("the crossing is above", f"the chart, at {where}"), ("crossing above", "the chart, at", where))


def compare_finding(name: str, cliff: int | None) -> str:
    """The context at which the compared model's cache, or this model's FP8 cache, overtakes the weights."""
    if name == COMPARED_FP8:
        return (
            "With an FP8 cache it never would." if cliff is None else f"With an FP8 cache it would at {tokens(cliff)}."
        )
    if cliff is None:
        return f"The cache of {name} never overtakes its weights."
    return f"The cache of {name} overtakes its own weights at {tokens(cliff)}."


COMPARED_FP8 = "FP8 cache"

UNNAMED = "this model"
