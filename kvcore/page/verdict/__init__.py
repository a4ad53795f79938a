"""The verdict: whether the Lab's model and load fit on the GPUs that the reader has, how much fits, and how to make it fit."""

from kvcore.page.lab import LAB
from kvcore.page.lab.controls import FORM
from kvcore.page.parts import Part, block, figure, phrases
from kvcore.page.verdict.bar import footprint_figure, footprint_table
from kvcore.page.verdict.command import command
from kvcore.page.verdict.controls import GROUPS
from kvcore.page.verdict.decode import decode
from kvcore.page.verdict.held import held_table
from kvcore.page.verdict.readouts import announcement, notes, readouts
from kvcore.page.verdict.result import VerdictResult, verdict_result
from kvcore.page.verdict.rules import read_deployment
from kvcore.page.verdict.sentence import verdict

VERDICT: Part[VerdictResult] = Part(
    name="verdict",
    form=FORM,
    groups=GROUPS,
    needs=(LAB,),
    read=read_deployment,
    result=lambda view: verdict_result(view.values, view[LAB]),
    implied=lambda view: {"gpus": view.values["gpus"], "average": view.values["context"]},  # gpus: tp * pp * dp
    sections=(
        block("lab.verdict", lambda view: verdict(view[VERDICT])),
        block("lab.command", lambda view: command(view.values, view[VERDICT])),
        block("lab.held", lambda view: held_table(view[VERDICT]), folded=True),
        phrases("verdict.readouts", lambda view: readouts(view[VERDICT])),
        figure("lab.footprint", lambda view: footprint_figure(view[VERDICT], view.width)),
        block("lab.footprint_table", lambda view: footprint_table(view[VERDICT]), folded=True),
    ),
    notes=lambda view: notes(view[VERDICT]),
    announce=lambda view: announcement(view[VERDICT]),
)

DECODE: Part[None] = Part(
    name="decode",
    needs=(VERDICT,),
    result=lambda _: None,
    sections=(phrases("lab.decode", lambda view: decode(view[VERDICT])),),
)
"""The sentence about a decode step. It is in the Prelude, away from the Lab's form, so it is updated in second answers."""
