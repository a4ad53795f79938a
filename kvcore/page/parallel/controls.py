"""The controls of the split: the parallelism, the memory that an engine reserves, and its block size."""

from kvcore.page.controls import Number
from kvcore.page.parallel import words
from kvcore.page.parts import Form, Group

TP = Number(
    name="tp", label=words.TP, unit=words.UNIT_GPUS, default=2, low=1, high=1024, stops=(1, 2, 4, 8, 16, 32, 64),
)  # fmt: skip
PP = Number(name="pp", label=words.PP, default=1, low=1, high=256, stops=(1, 2, 3, 4, 6, 8, 12, 16))
DP = Number(name="dp", label=words.DP, default=1, low=1, high=1024, stops=(1, 2, 4, 8, 16, 32, 64))
RESERVE = Number(
    name="reserve", label=words.RESERVE, unit=words.UNIT_PERCENT, default=10, low=0, high=90, stops=tuple(range(51)),
)  # fmt: skip
ENGINE_BLOCK = Number(
    name="engine_block", label=words.ENGINE_BLOCK, unit=words.UNIT_TOKENS, default=1, low=1, high=4096,
    stops=(1, 16, 32, 64, 128, 256),
)  # fmt: skip

FORM = Form(name="split", label=words.FORM)
GROUPS = (Group(name="split", label=words.GROUP, controls=(TP, PP, DP, RESERVE, ENGINE_BLOCK)),)
