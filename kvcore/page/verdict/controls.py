"""The controls of the deployment: how many GPUs there are, how the model is divided among them, and what is left free on each."""

from kvcore.page.controls import Number, quarter_steps
from kvcore.page.lab.controls import CONTEXT
from kvcore.page.lab.words import GROUP_LENGTHS, GROUP_SPLIT, UNIT_GIB
from kvcore.page.parts import Group
from kvcore.page.phrases import tokens
from kvcore.page.verdict import words
from kvcore.splits import GPU_COUNTS

AVERAGE = Number(
    name="average", label=words.AVERAGE, unit=words.UNIT_TOKENS, default=CONTEXT.default, low=1, high=CONTEXT.high,
    stops=quarter_steps(2**8, 2**20), in_words=tokens,
)  # fmt: skip
HOST_MEMORY = Number(
    name="host_memory", label=words.HOST_MEMORY, unit=UNIT_GIB, default=0, low=0, high=65536,
    stops=(0, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096),
)  # fmt: skip
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
    Group(name="lengths", label=GROUP_LENGTHS, controls=(AVERAGE, HOST_MEMORY), folded=True),
    Group(name="gpus", label=words.GROUP_GPUS, controls=(GPUS,)),
    Group(name="split", label=GROUP_SPLIT, controls=(RESERVE, *DIVIDED, ENGINE_BLOCK), folded=True),
)
