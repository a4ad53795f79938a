"""The allocation grid: a pool of blocks, what is stored in it, what is reserved and empty, and what is free.

A contiguous pool has a row for each sequence. A paged one is filled row by row in the order its blocks are handed
out; neighbours of different sequences differ in tint where the cells are large enough to tell.
"""

from collections.abc import Iterator

from kvcore.page.draw.placement import FONT
from kvcore.page.draw.widths import WIDTHS, in_widths
from kvcore.page.html import Html, el, figure, join, label_text, number
from kvcore.page.paging import words
from kvcore.page.paging.readouts import percent_used
from kvcore.page.paging.result import PagingResult
from kvcore.paging import LONGEST, block_order

_LEFT, _TOP = 26, 2
_LEAST_ROWS = 6
_SMALLEST_RULED = 4.0
"""Below this width of a cell, in the figure's units, lines between cells would hide the cells."""


_TALLEST_ROW = {"wide": 27.0, "narrow": 24.0}
_TALLEST_GRID = {"wide": 288.0, "narrow": 300.0}
"""The tallest that a row, and all rows together, may be in each width."""

_TINTS = ("kv-stored", "kv-stored-other")

type Run = tuple[int, float, float, str]
"""A row, then where in it a run begins and how far it goes (in cells), and the class it is painted with."""


def grid(result: PagingResult, width: str | None = None) -> Html:
    """The grid with its caption; `width` asks for one of its drawings only."""
    found = finding(result)
    caption = join([el("strong", found), el("span", words.paging_legend(result.strategy, LONGEST))], " ")
    return figure(in_widths(lambda name: _draw(name, result, found), width), caption)


def finding(result: PagingResult) -> str:
    """How much of what is reserved is used, in a sentence."""
    held = result.allocation
    return words.paging_finding(
        result.strategy,
        len(result.requests),
        stored=held.stored_tokens,
        reserved=held.reserved_tokens,
        utilisation=percent_used(held),
    )


def _draw(size: str, result: PagingResult, finding: str) -> Html:
    width, count = WIDTHS[size], len(result.requests)
    columns = result.pool_blocks // count
    row = min(_TALLEST_ROW[size], _TALLEST_GRID[size] / count)
    cell = (width - _LEFT - 1) / columns
    height = _TOP + row * max(_LEAST_ROWS, count) + 2
    gap = 3.0 if row > 14 else 1.0 if row > 6 else 0.5
    hatch = f"kv-hatch-{size}"
    spots: dict[str, list[str]] = {"kv-free": [], "kv-hatched": [], "kv-stored": [], "kv-stored-other": []}
    for at, start, length, kind in _runs(result, columns, cell):
        x, y = _LEFT + cell * start, _TOP + row * at
        spots[kind].append(
            f"M{number(x)},{number(y)}h{number(cell * length)}v{number(row - gap)}h{number(-cell * length)}z"
        )
    paint = {"kv-hatched": f"url(#{hatch})"}
    paths = [el("path", class_=kind, d=Html("".join(d)), fill=paint.get(kind)) for kind, d in spots.items() if d]
    return el(
        "svg",
        el("defs", _hatching(hatch)),
        *paths,
        *_rules(columns, cell, row, gap, count),
        *(_row_names(row, count) if result.strategy == "contiguous" else ()),
        class_=f"kv-svg kv-grid-figure kv-{size}",
        viewBox=f"0 0 {width} {number(height)}",
        role="img",
        aria_label=finding,
    )


def _hatching(name: str) -> Html:
    stripes = el("path", class_="kv-hatch", d="M-1,1l2,-2M0,6l6,-6M5,7l2,-2")
    return el("pattern", stripes, id=name, width=6, height=6, patternUnits="userSpaceOnUse")


def _runs(result: PagingResult, columns: int, cell: float) -> Iterator[Run]:
    """Row, first cell, cells and class of everything that is painted."""
    if result.strategy == "contiguous":
        for index, tokens in enumerate(result.allocation.stored):
            full = tokens / result.allocation.block_size
            yield index, full, columns - full, "kv-hatched"
            yield index, 0.0, full, "kv-stored"
        return
    yield from _paged_runs(result, columns, tinted=cell >= _SMALLEST_RULED)


def _paged_runs(result: PagingResult, columns: int, *, tinted: bool) -> Iterator[Run]:
    held = result.allocation
    order = block_order(result.requests, held.block_size)
    left = list(held.stored)
    run: list[int] | None = None  # row, first cell, cells, tint
    for position, index in enumerate(order):
        at, column = divmod(position, columns)
        filled = min(held.block_size, left[index])
        left[index] -= filled
        tint = index % 2 if tinted else 0
        if filled < held.block_size:
            part = filled / held.block_size
            yield at, column + part, 1 - part, "kv-hatched"
            yield at, float(column), part, _TINTS[tint]
            continue
        if run is not None and run[0] == at and run[3] == tint and run[1] + run[2] == column:
            run[2] += 1
        else:
            if run is not None:
                yield run[0], float(run[1]), float(run[2]), _TINTS[run[3]]
            run = [at, column, 1, tint]
    if run is not None:
        yield run[0], float(run[1]), float(run[2]), _TINTS[run[3]]
    yield from _free(len(order), result.pool_blocks, columns)


def _free(used: int, blocks: int, columns: int) -> Iterator[Run]:
    at, column = divmod(used, columns)
    for row in range(at, -(-blocks // columns)):
        start = column if row == at else 0
        yield row, float(start), float(columns - start), "kv-free"


def _rules(columns: int, cell: float, row: float, gap: float, count: int) -> Iterator[Html]:
    """The lines between cells, where cells are wide enough to be told apart."""
    if cell >= _SMALLEST_RULED:
        end = _TOP + row * count - gap
        lines = [f"M{number(_LEFT + cell * column)},{_TOP}V{number(end)}" for column in range(1, columns)]
        yield el("path", class_="kv-rule", d=Html("".join(lines)))


def _row_names(row: float, count: int) -> Iterator[Html]:
    """The number of each sequence before its row; of every fifth or tenth where rows are low."""
    every = next(step for step in (1, 2, 5, 10, 20) if row * step >= FONT + 1)
    for index in range(0, count, every):
        y = max(FONT - 2.0, _TOP + row * (index + 0.5) + 4)
        yield label_text(words.row_label(index + 1), "kv-tick", _LEFT - 6, y, "end")
