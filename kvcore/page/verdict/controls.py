"""The controls of the deployment: how many GPUs there are, how the model is divided among them, and what is left free on each."""

from kvcore.page.controls import Number
from kvcore.page.lab.words import GROUP_SPLIT
from kvcore.page.parts import Group
from kvcore.page.verdict import words
from kvcore.splits import GPU_COUNTS

GPUS = Number(
    name="gpus", label=words.GPUS, unit=words.UNIT_GPUS, default=2, low=1, high=65536, stops=GPU_COUNTS,
)  # fmt: skip
RESERVE = Number(
    name="reserve", label=words.RESERVE, unit=words.UNIT_PERCENT, default=10, low=0, high=90, stops=tuple(range(51)),
)  # fmt: skip
TP = Number(
    name="tp", label=words.TP, unit=words.UNIT_GPUS, default=2, low=1, high=1024, stops=(1, 2, 4, 8, 16, 32, 64),
)  # fmt: skip
PP = Number(name="pp", label=words.PP, default=1, low=1, high=256, stops=(1, 2, 3, 4, 6, 8, 12, 16))
DP = Number(name="dp", label=words.DP, default=1, low=1, high=1024, stops=(1, 2, 4, 8, 16, 32, 64))
CP = Number(name="cp", label=words.CP, unit=words.UNIT_GPUS, default=1, low=1, high=1024, stops=(1, 2, 4, 8, 16))
EP = Number(
    name="ep", label=words.EP, unit=words.UNIT_GPUS, default=1, low=1, high=65536, stops=(1, 2, 4, 8, 16, 32, 64)
)
ENGINE_BLOCK = Number(
    name="engine_block", label=words.ENGINE_BLOCK, unit=words.UNIT_TOKENS, default=1, low=1, high=4096,
    stops=(1, 16, 32, 64, 128, 256),
)  # fmt: skip

DIVIDED = (TP, PP, DP, CP, EP)
"""The controls that say how the GPUs divide the model; `GPUS` is tp * pp * dp."""

GROUPS = (
    Group(name="gpus", label=words.GROUP_GPUS, controls=(GPUS,)),
    Group(name="split", label=GROUP_SPLIT, controls=(RESERVE, *DIVIDED, ENGINE_BLOCK), folded=True),
)
