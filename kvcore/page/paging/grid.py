"""Draws the allocation grid: a pool of blocks, of which some hold tokens, some are reserved but empty, some are free.

A cell is a block. In a contiguous pool each row is one sequence. A paged pool is filled row by row in the order in which
blocks are allocated; the blocks of sequences with odd and even numbers have different tints, if cells are large enough.
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
_LEAST_CELL_WIDTH = 4.0
"""Narrower cells, in SVG units, have no lines between them and no tints: the lines would hide the cells."""

_MOST_ROW_HEIGHT = {"wide": 27.0, "narrow": 24.0}
_MOST_GRID_HEIGHT = {"wide": 288.0, "narrow": 300.0}
"""The most height of a row, and of all rows together, in each drawing, in SVG units."""

_TINTS = ("kv-stored", "kv-stored-other")

type Run = tuple[int, float, float, str]
"""Adjacent cells of one kind: their row, the position of the first and their number (in cells), and their CSS class."""


def grid(result: PagingResult, width: str | None = None) -> Html:
    """The grid with its caption; `width` is the name of the width to draw, None for both."""
    sentence = finding(result)
    caption = join([el("strong", sentence), el("span", words.paging_legend(result.strategy, LONGEST))], " ")
    return figure(in_widths(lambda name: _draw(name, result, sentence), width), caption)


def finding(result: PagingResult) -> str:
    """A sentence with the tokens stored, the tokens reserved, and their ratio in percent."""
    allocation = result.allocation
    return words.paging_finding(
        result.strategy,
        len(result.requests),
        stored=allocation.stored_tokens,
        reserved=allocation.reserved_tokens,
        utilisation=percent_used(allocation),
    )


def _draw(size: str, result: PagingResult, finding: str) -> Html:
    width, rows = WIDTHS[size], len(result.requests)
    columns = result.pool_blocks // rows
    row_height = min(_MOST_ROW_HEIGHT[size], _MOST_GRID_HEIGHT[size] / rows)
    cell_width = (width - _LEFT - 1) / columns
    height = _TOP + row_height * max(_LEAST_ROWS, rows) + 2
    gap = 3.0 if row_height > 14 else 1.0 if row_height > 6 else 0.5
    pattern = f"kv-hatch-{size}"
    rectangles: dict[str, list[str]] = {"kv-free": [], "kv-hatched": [], "kv-stored": [], "kv-stored-other": []}
    for row, start, length, class_ in _runs(result, columns, cell_width):
        x, y, across = _LEFT + cell_width * start, _TOP + row_height * row, cell_width * length
        rectangles[class_].append(
            f"M{number(x)},{number(y)}h{number(across)}v{number(row_height - gap)}h{number(-across)}z"
        )
    fills = {"kv-hatched": f"url(#{pattern})"}
    paths = [
        el("path", class_=class_, d=Html("".join(d)), fill=fills.get(class_)) for class_, d in rectangles.items() if d
    ]
    return el(
        "svg",
        el("defs", _hatching(pattern)),
        *paths,
        *_lines_between_cells(columns, cell_width, rows, row_height, gap),
        *(_row_labels(rows, row_height) if result.strategy == "contiguous" else ()),
        class_=f"kv-svg kv-grid-figure kv-{size}",
        viewBox=f"0 0 {width} {number(height)}",
        role="img",
        aria_label=finding,
    )


def _hatching(name: str) -> Html:
    stripes = el("path", class_="kv-hatch", d="M-1,1l2,-2M0,6l6,-6M5,7l2,-2")
    return el("pattern", stripes, id=name, width=6, height=6, patternUnits="userSpaceOnUse")


def _runs(result: PagingResult, columns: int, cell_width: float) -> Iterator[Run]:
    """All runs of the grid."""
    if result.strategy == "contiguous":
        for index, tokens in enumerate(result.allocation.stored):
            full = tokens / result.allocation.block_size
            yield index, full, columns - full, "kv-hatched"
            yield index, 0.0, full, "kv-stored"
        return
    yield from _paged_runs(result, columns, tinted=cell_width >= _LEAST_CELL_WIDTH)


def _paged_runs(result: PagingResult, columns: int, *, tinted: bool) -> Iterator[Run]:
    block_size = result.allocation.block_size
    order = block_order(result.requests, block_size)
    left = list(result.allocation.stored)  # tokens of each sequence that are not in a block yet
    run: list[int] | None = None  # full blocks: row, first cell, number of cells, tint
    for position, sequence in enumerate(order):
        row, column = divmod(position, columns)
        filled = min(block_size, left[sequence])
        left[sequence] -= filled
        tint = sequence % 2 if tinted else 0
        if filled < block_size:
            share = filled / block_size
            yield row, column + share, 1 - share, "kv-hatched"
            yield row, float(column), share, _TINTS[tint]
            continue
        if run is not None and run[0] == row and run[3] == tint and run[1] + run[2] == column:
            run[2] += 1
        else:
            if run is not None:
                yield run[0], float(run[1]), float(run[2]), _TINTS[run[3]]
            run = [row, column, 1, tint]
    if run is not None:
        yield run[0], float(run[1]), float(run[2]), _TINTS[run[3]]
    yield from _free(len(order), result.pool_blocks, columns)


def _free(used: int, blocks: int, columns: int) -> Iterator[Run]:
    first, column = divmod(used, columns)
    for row in range(first, -(-blocks // columns)):
        start = column if row == first else 0
        yield row, float(start), float(columns - start), "kv-free"


def _lines_between_cells(columns: int, cell_width: float, rows: int, row_height: float, gap: float) -> Iterator[Html]:
    """The vertical lines between cells, if cells are wide enough for them."""
    if cell_width >= _LEAST_CELL_WIDTH:
        end = _TOP + row_height * rows - gap
        lines = [f"M{number(_LEFT + cell_width * column)},{_TOP}V{number(end)}" for column in range(1, columns)]
        yield el("path", class_="kv-rule", d=Html("".join(lines)))


def _row_labels(rows: int, row_height: float) -> Iterator[Html]:
    """The number of the sequence to the left of its row: of each row, or of every 2nd to 20th if rows are too low."""
    every = next(step for step in (1, 2, 5, 10, 20) if row_height * step >= FONT + 1)
    for index in range(0, rows, every):
        y = max(FONT - 2.0, _TOP + row_height * (index + 0.5) + 4)
        yield label_text(words.row_label(index + 1), "kv-tick", _LEFT - 6, y, "end")
