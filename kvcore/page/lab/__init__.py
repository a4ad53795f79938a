"""The Lab: a model, a load and a GPU, and what they come to."""

from kvcore.page.controls import Value
from kvcore.page.html import Html
from kvcore.page.lab import words
from kvcore.page.lab.bar import footprint, footprint_table
from kvcore.page.lab.controls import CONFIG, FORM, GROUPS, IMPORTED, MODEL
from kvcore.page.lab.controls import UNITS as UNITS_CONTROL
from kvcore.page.lab.decode import decode
from kvcore.page.lab.formula import formula
from kvcore.page.lab.notes import lab_notes
from kvcore.page.lab.readouts import announcement, model_note, readouts, widest_window
from kvcore.page.lab.result import LabResult, lab_result
from kvcore.page.lab.rules import read_lab
from kvcore.page.lab.shape import own_shape
from kvcore.page.parts import Group, Part, View, block, figure, phrases

UNITS: Part[str] = Part(
    name="units",
    form=FORM,
    groups=(Group(name="show", label=words.GROUP_SHOW, controls=(UNITS_CONTROL,)),),
    result=lambda view: UNITS_CONTROL.of(view.values),
)
"""The system that sizes are written in, on the whole page."""

LAB: Part[LabResult] = Part(
    name="lab",
    form=FORM,
    groups=GROUPS,
    needs=(UNITS,),
    read=read_lab,
    result=lambda view: lab_result(view.values, view[UNITS], linked=_linked(view)),
    remember=lambda lab: lab.model.packed if lab.model.linked else None,
    implied=lambda view: _implied(view),  # noqa: PLW0108 - it is defined below
    sections=(
        phrases("lab.readouts", lambda view: readouts(view[LAB])),
        block("lab.formula", lambda view: _formula(view[LAB])),
        block("lab.model_note", lambda view: model_note(view[LAB])),
        figure("lab.footprint", lambda view: footprint(view[LAB], view.width)),
        block("lab.footprint_table", lambda view: footprint_table(view[LAB]), folded=True),
    ),
    notes=lambda view: lab_notes(view[LAB], view.values),
    announce=lambda view: announcement(view[LAB]),
)

DECODE: Part[None] = Part(
    name="decode",
    needs=(LAB,),
    result=lambda _: None,
    sections=(phrases("lab.decode", lambda view: decode(view[LAB])),),
)
"""The decode step's sentence, which stands in the Prelude and not beside the Lab's controls."""


def _linked(view: View) -> bool:
    """Whether the imported model is the one that the page's link brought."""
    config = str(view.values[CONFIG.name])
    return bool(config) and (view.arrived or view.remembered.get(LAB.name) == config)


def _formula(lab: LabResult) -> Html:
    return formula(lab.footprint, lab.units, widest_window(lab.footprint))


def _implied(view: View) -> dict[str, Value]:
    """What a link need not say: the model's own shape, and an imported one that is not in use. The model it always names."""
    unused = {} if MODEL.of(view.values) == IMPORTED else {CONFIG.name: view.values[CONFIG.name]}
    return {**own_shape(view[LAB].model), **unused, MODEL.name: ""}
