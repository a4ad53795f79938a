"""The allocation grid: contiguous reservation beside paging, and what it takes of the Lab's model."""

from kvcore.page.lab import LAB
from kvcore.page.paging.controls import FORM, GROUPS
from kvcore.page.paging.grid import grid
from kvcore.page.paging.readouts import readouts, table
from kvcore.page.paging.result import PagingResult, paging_result
from kvcore.page.parts import Part, block, figure, phrases

PAGING: Part[PagingResult] = Part(
    name="paging",
    form=FORM,
    groups=GROUPS,
    result=lambda view: paging_result(view.values),
    sections=(
        figure("paging.grid", lambda view: grid(view[PAGING], view.width)),
        block("paging.table", lambda view: table(view[PAGING]), folded=True),
    ),
)
"""Requests and blocks, which are the same for every model."""

PAGING_MEMORY: Part[None] = Part(
    name="paging_memory",
    form=FORM,
    needs=(LAB, PAGING),
    result=lambda _: None,
    sections=(phrases("paging.readouts", lambda view: readouts(view[PAGING], view[LAB])),),
)
"""What they take of the Lab's model: readouts that stand beside the grid's controls."""
