"""The Lab: settled values of its controls -> one result -> its slots."""

from fractions import Fraction

from kvcore.catalog import Gpu
from kvcore.decode import DecodeStep
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES, Dtype
from kvcore.footprint import Footprint
from kvcore.page import words
from kvcore.page.controls import Value, Values
from kvcore.page.figures.axes import FIRST_CONTEXT, LAST_CONTEXT, MemoryAxis
from kvcore.page.figures.bar import footprint_bar
from kvcore.page.figures.cliff import cliff_chart
from kvcore.page.formula import formula, per_value
from kvcore.page.results import LabResult
from kvcore.page.svg import NOTHING, Html, data, el, escape, filled, join, small
from kvcore.page.tables import figure
from kvcore.units import format_bytes, format_count, format_parameters, format_ratio, significant

BLOCKS = frozenset(
    {"lab.chart", "lab.chart_table", "lab.footprint", "lab.footprint_table", "lab.formula", "lab.model_note"}
)
"""Slots that hold more than a phrase: the page gives them a block of their own."""


def readouts(result: LabResult) -> dict[str, Html]:
    """The numbers of the Lab, each with the words that say what it counts."""
    footprint, units = result.footprint, result.units
    shape, limit = result.shape, result.model.shape.context_limit

    def size(count: int) -> Html:
        return data(count, format_bytes(count, units))

    params = data(shape.params, format_parameters(shape.params))
    kv_heads = shape.kv_heads
    return {
        "lab.bytes_per_token": size(footprint.bytes_per_token),
        "lab.cache_total": _with(size(footprint.cache_bytes), words.load(footprint.context, footprint.batch)),
        "lab.weights": size(footprint.weights_bytes),
        "lab.params": _with(params, words.params_at(footprint.weight_dtype.label)),
        "lab.ratio": data(float(footprint.ratio), words.times(format_ratio(footprint.ratio))),
        "lab.effective_kv_heads": data(None, words.NO_KV_HEADS)
        if kv_heads is None
        else _with(data(kv_heads, format_count(kv_heads)), words.shared_by(shape.query_heads, kv_heads)),
        "lab.cliff": _cliff(footprint, limit),
        "lab.cliff_batch": _cliff_batch(footprint),
        "lab.gpus": _with(data(footprint.gpus, format_count(footprint.gpus)), words.gpu_each(result.gpu.name)),
        "lab.max_batch": _max_batch(footprint, result.gpu),
        "lab.formula": formula(footprint, units, _window(footprint)),
        "lab.rates": _rates(footprint, units),
        "lab.model_name": el("span", result.name),
        "lab.model_note": _model_note(result),
        "lab.context_note": el(
            "span", words.context_note(result.model.name, footprint.context, limit, _window(footprint))
        ),
    }


def chart(result: LabResult, axis: MemoryAxis, width: str | None = None) -> Html:
    """The cliff chart with its caption; `width` asks for one of its drawings only."""
    finding = chart_finding(result)
    caption = join(
        [
            el("strong", finding),
            *_twin_sentence(result),
            *_compare_sentence(result),
            el("span", _legend(result)),
        ],
        " ",
    )
    return figure(cliff_chart(result, axis, finding, width), caption)


def _legend(result: LabResult) -> str:
    cliff = result.footprint.cliff_context
    return words.chart_legend(
        result.gpu.label,
        result.footprint.batch,
        cliff=cliff is not None and FIRST_CONTEXT <= cliff <= LAST_CONTEXT,
        twins=bool(result.twins),
        compared=result.compared[0] if result.compared else None,
    )


def footprint(result: LabResult, width: str | None = None) -> Html:
    """The footprint bar with its caption; `width` asks for one of its drawings only."""
    finding = footprint_finding(result)
    caption = join(
        [
            el("strong", finding),
            el("span", words.footprint_legend(format_bytes(result.gpu.memory_bytes, result.units))),
        ],
        " ",
    )
    return figure(footprint_bar(result, finding, width), caption)


def chart_finding(result: LabResult) -> str:
    """Where the cache overtakes the weights, in a sentence."""
    cliff = result.footprint.cliff_context
    return words.chart_finding(result.name, result.footprint.batch, cliff, LAST_CONTEXT)


def footprint_finding(result: LabResult) -> str:
    """How many GPUs it takes and what room they leave, in a sentence."""
    held = result.footprint
    room = None if held.max_batch is None else held.max_batch - held.batch
    return words.footprint_finding(format_bytes(held.total_bytes, result.units), held.gpus, result.gpu.label, room)


def announcement(result: LabResult) -> str:
    """What a screen reader says once a control has come to rest."""
    held, units = result.footprint, result.units
    cache, weights = format_bytes(held.cache_bytes, units), format_bytes(held.weights_bytes, units)
    return words.announce(
        result.name,
        cache=cache,
        weights=weights,
        ratio=format_ratio(held.ratio),
        held_by=words.gpus(held.gpus, result.gpu.label),
    )


def notes(result: LabResult, values: Values) -> dict[str, str]:
    """What stands beside the Lab's controls at these values."""
    held, limit = result.footprint, result.model.shape.context_limit
    found = {
        "cache_dtype": _dtype_note(CACHE_DTYPES[str(values["cache_dtype"])]),
        "weight_dtype": words.weight_dtype_note(per_value(WEIGHT_DTYPES[str(values["weight_dtype"])])),
        "gpu": _gpu_note(result.gpu, result.units),
        "attention": words.ATTENTION[str(values["attention"])],
    }
    if limit is not None and held.context > limit:
        found["context"] = words.past_limit(result.model.name, limit)
    return found


def value_text(name: str, value: Value) -> str:
    """A control's value as its slider says it aloud."""
    if name == "context":
        return words.tokens(int(value))
    return words.sequences(int(value)) if name == "batch" else format_count(int(value))


def _with(number: Html, text: str) -> Html:
    return Html(f"{number} {small(text)}")


def _dtype_note(dtype: Dtype) -> str:
    block = (dtype.block_values, dtype.block_bytes) if dtype.block_values > 1 else None
    return words.cache_dtype_note(per_value(dtype), block)


def _gpu_note(gpu: Gpu, units: str) -> str:
    bandwidth = words.bandwidth(significant(Fraction(gpu.bandwidth_bytes_per_second, 10**12)))
    flops = words.flops(significant(Fraction(gpu.fp16_flops, 10**12)))
    return words.gpu_note(format_bytes(gpu.memory_bytes, units), bandwidth, flops)


def _window(held: Footprint) -> int | None:
    windows = [group.max_cached_tokens for group in held.shape.groups if group.max_cached_tokens]
    return max(windows) if windows else None


def _cliff(held: Footprint, limit: int | None) -> Html:
    cliff = held.cliff_context
    if cliff is None:
        return data(None, words.NO_CLIFF)
    where = words.cliff_at_batch(held.batch)
    if limit is not None and cliff > limit:
        where = f"{where}, {words.cliff_past_limit(limit)}"
    return _with(data(cliff, words.tokens(cliff)), where)


def _rates(held: Footprint, units: str) -> Html:
    """The cache's marginal, average and asymptotic rate: three numbers where they differ, else one.

    The first number is the marginal one: the bytes that the next token of a sequence adds at this context.
    """
    marginal = held.sequence_bytes(held.context + 1) - held.sequence_bytes(held.context)
    average = held.bytes_per_sequence // held.context
    shape = held.shape
    asymptotic = shape.asymptotic_bytes_per_token(held.cache_dtype, held.value_dtype)
    rates = [data(size, format_bytes(size, units)) for size in (marginal, average, asymptotic)]
    if marginal == asymptotic == held.bytes_per_token and not shape.state_bytes:
        return filled(words.constant_rate, rates[0])
    return filled(words.rates, *rates)


def _cliff_batch(held: Footprint) -> Html:
    batch = held.cliff_batch
    if batch is None:
        return data(None, words.NO_CLIFF)
    return _with(data(batch, words.sequences(batch)), words.batch_at_context(held.context))


def _max_batch(held: Footprint, gpu: Gpu) -> Html:
    batch = held.max_batch
    if batch is None:
        return data(None, words.NOTHING_TO_FIT)
    return _with(data(batch, words.sequences(batch)), words.on_gpus(held.gpus, gpu.label, held.context))


def decode(result: LabResult) -> dict[str, Html]:
    """What one decode step waits for: how many times longer reading takes than computing, and why."""
    step = DecodeStep(footprint=result.footprint, gpu=result.gpu)
    ratio = step.memory_over_compute
    read = data(step.bytes_read, format_bytes(step.bytes_read, result.units))
    text = words.decode_step(
        flops=words.teraflop(significant(Fraction(step.flops, 10**12))),
        gpus=words.gpus(result.footprint.gpus, result.gpu.label),
        reading=words.milliseconds(significant(1000 * step.memory_seconds)),
        computing=words.milliseconds(significant(1000 * step.compute_seconds)),
        experts=any(mlp.experts for mlp in result.shape.mlps),
    )
    return {
        "lab.decode_ratio": data(float(ratio), words.times(format_ratio(ratio))),
        "lab.decode": Html(f"{read} {escape(text)}"),
    }


def _twin_sentence(result: LabResult) -> list[Html]:
    """How much sooner as MHA; for a model that is MHA, how much later with grouped heads."""
    cliff = result.footprint.cliff_context
    for name in ("mha", "gqa"):
        twin = result.twins.get(name)
        if twin is None or twin.cliff_context is None or cliff is None:
            continue
        label = words.OPTIONS["attention"][name]
        if twin.cliff_context <= cliff:
            return [
                el(
                    "span",
                    words.twin_sooner(label, twin.cliff_context, format_ratio(Fraction(cliff, twin.cliff_context))),
                )
            ]
        return [
            el("span", words.twin_later(label, twin.cliff_context, format_ratio(Fraction(twin.cliff_context, cliff))))
        ]
    return []


def _compare_sentence(result: LabResult) -> list[Html]:
    """Where what the Lab is compared with crosses its own weights."""
    if result.compared is None:
        return []
    name, other = result.compared
    return [el("span", words.compare_finding(name, other.cliff_context))]


def _model_note(result: LabResult) -> Html:
    params = format_count(result.shape.params)
    if not result.edited:
        model = result.model
        attention = words.ATTENTION[model.shape.attention]
        note = words.model_note(attention, model.shape.kv_heads, params, model.source, model.read)
        return el("span", words.imported_note(model.name, note) if model.read is None else note)
    reset = el(
        "button", words.BACK_TO_PUBLISHED, type="button", class_="kv-reset", data_set=f'{{"model":"{result.model.id}"}}'
    )
    return el("span", words.edited_note(result.model.name, params), " ", reset)


def problem_list(problems: list[str]) -> Html:
    """What was wrong with the request, a line each."""
    return el("ul", *(el("li", problem) for problem in problems), class_="kv-problem-list") if problems else NOTHING
