"""The texts with the Lab's numbers: the readouts, the note about the model, and the announcement."""

from kvcore.footprint import Footprint
from kvcore.page import phrases
from kvcore.page.html import NOTHING, Html, data, el, filled, with_note
from kvcore.page.lab import words
from kvcore.page.lab.result import LabResult
from kvcore.page.link import VERSION
from kvcore.units import format_bytes, format_count, format_parameters, format_ratio


def readouts(result: LabResult) -> dict[str, Html]:
    """The readouts of the Lab: slot name -> a number, with words on what it counts."""
    footprint, units = result.footprint, result.units
    shape, limit = result.shape, result.model.shape.context_limit

    def size(count: int) -> Html:
        return data(count, format_bytes(count, units))

    params = data(shape.params, format_parameters(shape.params))
    kv_heads = shape.kv_heads
    return {
        "lab.bytes_per_token": with_note(size(footprint.bytes_per_token), words.BELOW_WINDOWS)
        if footprint.bytes_per_next_token != footprint.bytes_per_token
        else size(footprint.bytes_per_token),
        "lab.bytes_per_next_token": size(footprint.bytes_per_next_token),
        "lab.cache_total": with_note(
            size(footprint.cache_bytes), phrases.load(footprint.context, footprint.batch, footprint.shared_prompt)
        ),
        "lab.weights": size(footprint.weights_bytes),
        "lab.params": with_note(params, phrases.params_at(footprint.weight_dtype.label)),
        "lab.ratio": data(float(footprint.ratio), phrases.times(format_ratio(footprint.ratio))),
        "lab.effective_kv_heads": data(None, words.NO_KV_HEADS.get(shape.attention, words.KV_HEADS_DIFFER))
        if kv_heads is None
        else with_note(data(kv_heads, format_count(kv_heads)), words.shared_by(shape.query_heads, kv_heads)),
        "lab.cliff": _cliff(footprint, limit),
        "lab.cliff_batch": _cliff_batch(footprint),
        "lab.rates": _rates(footprint, units),
        "lab.model_name": el("span", result.name),
        "lab.context_note": el(
            "span", words.context_note(result.model.name, footprint.context, limit, widest_window(footprint))
        ),
    }


def model_note(result: LabResult) -> Html:
    """The note about the model: its attention, parameters and source; of an edited one, what it was edited from."""
    params = format_count(result.shape.params)
    if not result.edited:
        model = result.model
        attention = words.ATTENTION[model.shape.attention]
        note = words.model_note(attention, model.shape.kv_heads, params, model.source, model.read)
        return el("span", words.imported_note(model.name, note, model.assumed) if model.read is None else note)
    return el("span", words.edited_note(result.model.name, params, result.model.assumed))


def linked(result: LabResult) -> Html:
    """A line that says what a link has set, with a way back to the defaults."""
    footprint = result.footprint
    said = words.linked(result.name, footprint.context, footprint.batch)
    return el("p", said, " ", el("a", words.BACK_TO_DEFAULTS, href=f"#{VERSION}"), class_="kv-linked")


def way_back(result: LabResult) -> Html:
    """For an edited model, a button that undoes the edits."""
    sets = f'{{"model":"{result.model.id}"}}'
    return (
        el("button", words.BACK_TO_PUBLISHED, type="button", class_="kv-reset", data_set=sets)
        if result.edited
        else NOTHING
    )


def announcement(result: LabResult) -> str:
    """The sentence that a screen reader speaks after a change of a control."""
    footprint, units = result.footprint, result.units
    cache, weights = format_bytes(footprint.cache_bytes, units), format_bytes(footprint.weights_bytes, units)
    return words.announce(
        result.name,
        cache=cache,
        weights=weights,
        ratio=format_ratio(footprint.ratio),
    )


def widest_window(footprint: Footprint) -> int | None:
    """The most tokens that any layer with a window caches; None if no layer has a window."""
    windows = [group.max_cached_tokens for group in footprint.shape.groups if group.max_cached_tokens]
    return max(windows) if windows else None


def _cliff(footprint: Footprint, limit: int | None) -> Html:
    cliff = footprint.cliff_context
    if cliff is None:
        return data(None, words.NO_CLIFF)
    where = words.cliff_at_batch(footprint.batch)
    if limit is not None and cliff > limit:
        where = f"{where}, {phrases.past_limit(limit)}"
    return with_note(data(cliff, phrases.tokens(cliff)), where)


def _rates(footprint: Footprint, units: str) -> Html:
    """The bytes of cache per token: below every window, marginal, average and asymptotic; only one number if all are equal.

    Marginal: the bytes that the next token adds at this context. Average: those of a sequence divided by its tokens.
    Asymptotic: the bytes that each token adds once every window is full.
    """
    shape, marginal = footprint.shape, footprint.bytes_per_next_token
    asymptotic = shape.asymptotic_bytes_per_token(footprint.cache_dtype, footprint.value_dtype)
    sizes = (footprint.bytes_per_token, marginal, footprint.average_bytes_per_token, asymptotic)
    rates = [data(size, format_bytes(size, units)) for size in sizes]
    if shape.attention == "recurrent":
        return el("span", words.NO_RATE)
    if marginal == asymptotic == footprint.bytes_per_token and not shape.state_bytes:
        return filled(words.constant_rate, rates[0])
    return filled(words.rates, *rates)


def _cliff_batch(footprint: Footprint) -> Html:
    batch = footprint.cliff_batch
    if batch is None:
        return data(None, words.NO_CLIFF)
    return with_note(data(batch, phrases.users(batch)), words.batch_at_context(footprint.context))
