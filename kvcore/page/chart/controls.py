"""The two controls of the chart; they are in the Lab's form."""

from kvcore import catalog
from kvcore.page.chart import words
from kvcore.page.controls import Choice

SCALE = Choice(name="scale", label=words.SCALE, default="linear", options=words.SCALES)
COMPARE = Choice(
    name="compare", label=words.COMPARE, default="none", style="select",
    options={**words.COMPARE_OPTIONS, **{model.id: model.name for model in catalog.MODELS.values()}},
    group_of={model.id: model.family for model in catalog.MODELS.values()},
)  # fmt: skip
