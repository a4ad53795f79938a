"""The allocation grid: contiguous reservation and paging of the same requests, in blocks and in bytes of the Lab's model."""

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
"""The grid and its table: requests and blocks, which do not depend on the model."""

PAGING_MEMORY: Part[None] = Part(
    name="paging_memory",
    form=FORM,
    needs=(LAB, PAGING),
    result=lambda _: None,
    sections=(phrases("paging.readouts", lambda view: readouts(view[PAGING], view[LAB])),),
)
"""The readouts next to the grid's controls: blocks, and their bytes for the Lab's model."""
