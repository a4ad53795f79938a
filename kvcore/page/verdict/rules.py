"""The rules between the controls of the deployment: the number of GPUs is tp * pp * dp, and each of these must divide the model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kvcore.engines import ENGINES
from kvcore.page.controls import Number, Value
from kvcore.page.lab.controls import CONTEXT, ENGINE, SHARED_PROMPT
from kvcore.page.lab.result import chosen_gpu
from kvcore.page.lab.rules import lab_shape
from kvcore.page.lab.shape import divisors, nearest
from kvcore.page.parts import Part
from kvcore.page.request import Request
from kvcore.page.verdict import words
from kvcore.page.verdict.controls import AVERAGE, CP, DIVIDED, DP, ENGINE_BLOCK, EP, GPUS, PP, RESERVE, TP
from kvcore.shape import Shape
from kvcore.splits import MOST_GPUS, Split, most_context_parallel, split_for


def read_deployment(part: Part[Any], request: Request) -> dict[str, Value]:
    """Read the values of the controls of the deployment, and change those that cannot divide the Lab's model."""
    _take_engine(request)
    values = {
        control.name: request.read(control, control.default) for control in part.controls if control is not AVERAGE
    }
    shape = lab_shape(request.values)
    asked = _Asked(**{control.name: control.of(values) for control in DIVIDED})
    moved = [name for name in request.changed if name in _NAMES]
    only_gpus_sent = GPUS.name in request.sent and not any(control.name in request.sent for control in DIVIDED)
    if (moved and moved[-1] == GPUS.name) or (not moved and only_gpus_sent):
        split = _of_gpus(GPUS.of(values), shape, asked, request)
    elif moved or _possible(asked, shape):
        split = _nearest(asked, shape, request)
    else:  # another model was chosen, or came with a link: the number of GPUs stays
        split = _of_gpus(min(asked.tp * asked.pp * asked.dp, MOST_GPUS), shape, asked, request)
    return {
        **values,
        AVERAGE.name: _average(request),
        **{control.name: getattr(split, control.name) for control in DIVIDED},
        GPUS.name: split.gpus,
    }


def _take_engine(request: Request) -> None:
    """If another engine was chosen, take its reserve and its block, unless the reader moved these afterwards."""
    if ENGINE.name not in request.changed and not (
        ENGINE.name in request.sent and not request.from_link and not request.last_good
    ):
        return
    chosen = ENGINES[ENGINE.of(request.values)]
    changed = request.changed
    later = changed[len(changed) - changed[::-1].index(ENGINE.name) :] if ENGINE.name in changed else list(request.sent)
    memory = chosen_gpu(request.values).memory_bytes
    for control, value in ((RESERVE, chosen.reserve_percent(memory)), (ENGINE_BLOCK, chosen.block_size)):
        if control.name not in later:
            request.sent[control.name] = value


def _average(request: Request) -> int:
    """The average length: as long as the context until the reader moves it, then from the shared prompt to the context."""
    context, before = CONTEXT.of(request.values), request.last_good
    follows = AVERAGE.name in before and before[AVERAGE.name] == before.get(CONTEXT.name)
    if follows and AVERAGE.name not in request.changed:
        return context
    asked = int(request.read(AVERAGE, context))
    low = max(1, SHARED_PROMPT.of(request.values))
    found = min(max(asked, low), context)
    if found != asked:
        request.notes.setdefault(AVERAGE.name, words.not_between(asked, found, low, context))
    return found


_NAMES = frozenset(control.name for control in (GPUS, *DIVIDED))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The numbers that the controls have, which may not divide the model."""

    tp: int
    pp: int
    dp: int
    cp: int
    ep: int


def _possible(asked: _Asked, shape: Shape) -> bool:
    """Whether nothing has to change in the split that is asked for."""
    split = _nearest(asked, shape)
    return all(getattr(split, control.name) == getattr(asked, control.name) for control in DIVIDED)


def _of_gpus(gpus: int, shape: Shape, asked: _Asked, request: Request) -> Split:
    """The split over so many GPUs: with the copies asked for if they divide them, else with one."""
    for dp in (asked.dp, 1):
        split = split_for(shape, gpus, like=_nearest(replace(asked, dp=dp), shape))
        if split is not None:
            if split.pp > asked.pp:
                request.notes.setdefault(GPUS.name, words.in_stages(gpus, shape.query_heads, split.tp, split.pp))
            return split
    kept = _nearest(asked, shape)
    reason = words.too_many_stages(gpus, shape.layers, kept.gpus)
    if GPUS.name in request.changed:
        request.refuse(GPUS.name, reason)
    else:
        request.notes.setdefault(GPUS.name, reason)
    return kept


def _nearest(asked: _Asked, shape: Shape, request: Request | None = None) -> Split:
    """The split that is nearest to the one asked for; a note under each control whose number had to change."""

    def snapped(control: Number, number: int, allowed: Sequence[int], reason: str) -> int:
        found = number if number in allowed else nearest(number, allowed)
        if found != number and request is not None:
            request.notes.setdefault(control.name, words.snapped(number, found, reason))
        return found

    heads = shape.query_heads
    tp = snapped(TP, asked.tp, divisors(heads) if heads else range(1, MOST_GPUS + 1), words.divides_heads(heads))
    pp = snapped(PP, asked.pp, range(1, shape.layers + 1), words.at_most_layers(shape.layers))
    dp = snapped(DP, asked.dp, range(1, MOST_GPUS // (tp * pp) + 1), words.at_most_gpus(MOST_GPUS))
    copies = most_context_parallel(shape, tp)
    cp = snapped(CP, asked.cp, [count for count in divisors(tp) if count <= copies], words.divides_copies(tp, copies))
    whole = sorted({*divisors(tp), *(tp * count for count in divisors(dp))})
    ep = snapped(EP, asked.ep, whole, words.shares_experts(tp, dp))
    return Split(tp=tp, pp=pp, dp=dp, cp=cp, ep=ep)
