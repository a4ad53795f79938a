"""The Lab: a model, its load and a GPU, and the memory that they take."""

from kvcore.page.controls import Value
from kvcore.page.html import Html
from kvcore.page.lab import words
from kvcore.page.lab.controls import CONFIG, FORM, GROUPS, IMPORTED, MODEL
from kvcore.page.lab.controls import UNITS as UNITS_CONTROL
from kvcore.page.lab.formula import formula
from kvcore.page.lab.notes import lab_notes
from kvcore.page.lab.readouts import announcement, model_note, readouts, widest_window
from kvcore.page.lab.result import LabResult, lab_result
from kvcore.page.lab.rules import read_lab
from kvcore.page.lab.shape import own_shape
from kvcore.page.parts import Group, Part, View, block, phrases

UNITS: Part[str] = Part(
    name="units",
    form=FORM,
    groups=(Group(name="show", label=words.GROUP_SHOW, controls=(UNITS_CONTROL,)),),
    result=lambda view: UNITS_CONTROL.of(view.values),
)
"""The unit system, "binary" or "decimal", in which the whole page writes sizes."""

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
    ),
    notes=lambda view: lab_notes(view[LAB], view.values),
    announce=lambda view: announcement(view[LAB]),
)


def _linked(view: View) -> bool:
    """Whether the imported model came with the link that opened the page, and not from the reader."""
    config = str(view.values[CONFIG.name])
    return bool(config) and (view.from_link or view.remembered.get(LAB.name) == config)


def _formula(lab: LabResult) -> Html:
    return formula(lab.footprint, lab.units, widest_window(lab.footprint))


def _implied(view: View) -> dict[str, Value]:
    """Values that a link leaves out: the model's own shape, and an imported config if another model is chosen.

    The empty model is no model's id, so a link always names the model.
    """
    unused = {} if MODEL.of(view.values) == IMPORTED else {CONFIG.name: view.values[CONFIG.name]}
    return {**own_shape(view[LAB].model), **unused, MODEL.name: ""}
