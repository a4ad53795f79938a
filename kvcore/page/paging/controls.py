"""The controls of the allocation grid."""

from kvcore.page.controls import Choice, Number
from kvcore.page.paging import words
from kvcore.page.parts import Form, Group

STRATEGY = Choice(name="strategy", label=words.ALLOCATION, default="contiguous", options=words.STRATEGIES)
SEQUENCES = Number(name="sequences", label=words.SEQUENCES, default=6, low=1, high=64, stops=tuple(range(1, 65)))
BLOCK_SIZE = Number(
    name="block_size", label=words.BLOCK_SIZE, unit=words.UNIT_TOKENS, default=128, low=8, high=256,
    stops=(8, 16, 24, 32, 48, 64, 96, 128, 192, 256),
)  # fmt: skip

FORM = Form(name="paging", label=words.FORM)
GROUPS = (Group(name="paging", label=words.GROUP, controls=(STRATEGY, SEQUENCES, BLOCK_SIZE)),)
