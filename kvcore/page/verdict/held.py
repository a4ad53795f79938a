"""What a load really holds: how many users at the average length and at the longest, with a shared prompt, and in host memory."""

from collections.abc import Iterator

from kvcore.page.html import Html, data, folded
from kvcore.page.phrases import tokens
from kvcore.page.verdict import words
from kvcore.page.verdict.result import VerdictResult
from kvcore.units import format_bytes, format_count


def held_sentences(result: VerdictResult) -> Iterator[str]:
    """A sentence for each of them that the load has: the average length, the shared prompt, host memory."""
    share, units = result.share, result.units
    longest, *shorter = result.verdict.held
    for held in shorter:
        yield words.on_average(held.context, held.on_gpus, longest.on_gpus, longest.context)
    context = longest.context
    saved = share.sequences * share.sequence_bytes(context) - share.cache_bytes
    if saved > 0:
        yield words.stored_once(share.shared_tokens, share.split.dp, format_bytes(saved, units))
    if result.verdict.host_bytes:
        more = [words.more_users(held.in_host, held.context) for held in result.verdict.held]
        yield words.in_host(format_bytes(result.verdict.host_bytes, units), result.gpus, " or ".join(more))


def held_table(result: VerdictResult) -> Html:
    """The table of how many users the GPUs and host memory hold, if all have the longest context or the average length."""
    rows = []
    for held in result.verdict.held:
        both = None if held.on_gpus is None or held.in_host is None else held.on_gpus + held.in_host
        rows.append((tokens(held.context), _count(held.on_gpus), _count(held.in_host), _count(both)))
    heads = (words.HEAD_LENGTH, words.HEAD_ON_GPUS, words.HEAD_IN_HOST, words.HEAD_TOGETHER)
    return folded(words.HELD_TABLE, heads, rows)


def _count(count: int | None) -> Html:
    return data(count, words.NO_LIMIT if count is None else format_count(count))
