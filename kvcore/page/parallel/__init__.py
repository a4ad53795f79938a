"""The Lab's model split over several GPUs: tensor, pipeline and data parallelism."""

from kvcore.errors import KvcoreError
from kvcore.page.lab import LAB
from kvcore.page.parallel.controls import FORM, GROUPS
from kvcore.page.parallel.readouts import notes, readouts, split_result
from kvcore.page.parts import Part, phrases
from kvcore.parallel import PerGpu

PARALLEL: Part[PerGpu | KvcoreError] = Part(
    name="split",
    form=FORM,
    groups=GROUPS,
    needs=(LAB,),
    result=lambda view: split_result(view.values, view[LAB]),
    sections=(phrases("split", lambda view: readouts(view[PARALLEL], view[LAB])),),
    notes=lambda view: notes(view[PARALLEL], view[LAB]),
)
