"""The slots in the rest of the article: the cards of techniques, the numbers in sentences, the table of models."""

from kvcore.page.article.facts import facts, work_table
from kvcore.page.article.models import models_table
from kvcore.page.article.techniques import cards
from kvcore.page.lab import LAB, UNITS
from kvcore.page.paging import PAGING
from kvcore.page.parts import Part, block, phrases

TECHNIQUES: Part[None] = Part(
    name="techniques",
    needs=(LAB, PAGING),
    result=lambda _: None,
    sections=(phrases("techniques", lambda view: cards(view[LAB], view[PAGING])),),
)

SENTENCES: Part[None] = Part(
    name="sentences",
    needs=(UNITS,),
    result=lambda _: None,
    sections=(
        phrases("facts", lambda view: facts(view[UNITS])),
        block("models.table", lambda view: models_table(view[UNITS])),
    ),
)

WORK: Part[None] = Part(name="work", result=lambda _: None, sections=(block("prelude.work", lambda _: work_table()),))
