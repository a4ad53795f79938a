"""The opening figure: the Lab's weights and cache as two columns, beside the article's title, with a second handle of `batch`."""

from kvcore.page.html import Html, data, el
from kvcore.page.lab import LAB
from kvcore.page.lab.controls import FORM
from kvcore.page.lab.result import LabResult
from kvcore.page.opening import words
from kvcore.page.opening.figure import columns, sentence
from kvcore.page.parts import Part, block, phrases
from kvcore.units import format_count


def words_of(result: LabResult) -> dict[str, Html]:
    """The handle's label, the number of users, and the sentence below."""
    footprint = result.footprint
    return {
        "opening.handle": el("span", words.handle(footprint.context)),
        "opening.users": data(footprint.batch, format_count(footprint.batch)),
        "opening.sentence": sentence(result),
    }


OPENING: Part[None] = Part(
    name="opening",
    form=FORM,
    needs=(LAB,),
    result=lambda _: None,
    sections=(
        block("opening.figure", lambda view: columns(view[LAB])),
        phrases("opening", lambda view: words_of(view[LAB])),
    ),
)
"""It is in the Lab's form, so that it is updated in first answers: its handle moves one of the Lab's controls."""
