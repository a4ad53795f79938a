"""The controls of the Lab, and the groups of its form."""

from kvcore import catalog
from kvcore.dtypes import CACHE_DTYPES
from kvcore.engines import ENGINES
from kvcore.page import phrases
from kvcore.page.controls import Choice, Number, quarter_steps
from kvcore.page.lab import words
from kvcore.page.lab.imported import PackedConfig
from kvcore.page.parts import Form, Group
from kvcore.weights import SHIPPED, WEIGHT_STORAGES

IMPORTED = "imported"
"""The value of the model control when the reader's imported model is in use."""

_DEFAULT = catalog.MODELS["llama-3.1-70b"].shape
_BATCHES = (
    *range(1, 33),
    *range(34, 65, 2),
    *range(68, 129, 4),
    *range(136, 257, 8),
    *range(272, 513, 16),
    *range(544, 1025, 32),
    *range(1088, 2049, 64),
    *range(2176, 4097, 128),
)
_LAYERS = (*range(1, 65), *range(66, 129, 2), *range(132, 257, 4))
_HEADS = (*range(1, 33), *range(34, 65, 2), 71, *range(72, 129, 4), *range(136, 257, 8))
_HEAD_DIMS = (*range(16, 129, 16), *range(160, 513, 32))
_DTYPES = {name: dtype.label for name, dtype in CACHE_DTYPES.items()}

MODEL = Choice(
    name="model", label=words.MODEL, default="llama-3.1-70b", style="select", search=words.FIND_MODEL,
    options={**{model.id: model.name for model in catalog.MODELS.values()}, IMPORTED: words.IMPORTED},
    group_of={model.id: model.family for model in catalog.MODELS.values()}, hidden=frozenset({IMPORTED}),
)  # fmt: skip
CONFIG = PackedConfig(name="config", label=words.CONFIG)
CONTEXT = Number(
    name="context", label=words.CONTEXT, unit=words.UNIT_TOKENS, default=8192, low=2**10, high=2**20,
    stops=quarter_steps(2**10, 2**20), in_words=phrases.tokens,
)  # fmt: skip
BATCH = Number(
    name="batch", label=words.BATCH, default=8, low=1, high=4096, stops=_BATCHES, in_words=phrases.users,
)  # fmt: skip
SHARED_PROMPT = Number(
    name="shared_prompt", label=words.SHARED_PROMPT, unit=words.UNIT_TOKENS, default=0, low=0, high=2**20 - 1,
    stops=(0, *quarter_steps(2**8, 2**18)), in_words=phrases.tokens,
)  # fmt: skip
LAYERS = Number(
    name="layers", label=words.LAYERS, symbol="L", default=_DEFAULT.layers, low=1, high=256, stops=_LAYERS,
)  # fmt: skip
QUERY_HEADS = Number(
    name="query_heads", label=words.QUERY_HEADS, symbol="n_h", default=_DEFAULT.query_heads, low=1, high=256,
    stops=tuple(sorted(_HEADS)),
)  # fmt: skip
HEAD_DIM = Number(
    name="head_dim", label=words.HEAD_DIM, symbol="d_h", default=_DEFAULT.head_dim or 0, low=1, high=1024,
    stops=_HEAD_DIMS,
)  # fmt: skip
ATTENTION = Choice(
    name="attention", label=words.ATTENTION_LABEL, default="gqa", options=words.ATTENTION_OPTIONS,
)  # fmt: skip
KV_HEADS = Number(
    name="kv_heads", label=words.KV_HEADS, symbol="n_kv", default=_DEFAULT.kv_heads or 0, low=1, high=256, stops=_HEADS,
)  # fmt: skip
CACHE_DTYPE = Choice(
    name="cache_dtype", label=words.CACHE_DTYPE, symbol="p", default="fp16", style="select", options=_DTYPES,
    group_of={name: words.cache_group(name) for name in _DTYPES},
)  # fmt: skip
V_DTYPE = Choice(
    name="v_dtype", label=words.V_DTYPE, default="same", style="select",
    options={"same": words.SAME_AS_K, **{name: dtype.label for name, dtype in CACHE_DTYPES.items() if not dtype.latent_width}},
)  # fmt: skip
WEIGHT_DTYPE = Choice(
    name="weight_dtype", label=words.WEIGHT_DTYPE, default="fp16", style="select",
    options={SHIPPED: words.AS_SHIPPED, **{name: storage.label for name, storage in WEIGHT_STORAGES.items()}},
    group_of={name: words.weight_group(name) for name in WEIGHT_STORAGES},
)  # fmt: skip
GPU = Choice(
    name="gpu", label=words.GPU, default="h100-80gb", style="select",
    options={**{gpu.id: gpu.name for gpu in catalog.GPUS.values()}, catalog.OWN_GPU: words.OWN_GPU},
    group_of={gpu.id: gpu.maker for gpu in catalog.GPUS.values()},
)  # fmt: skip
GPU_MEMORY = Number(
    name="gpu_memory", label=words.OWN_MEMORY, unit=words.UNIT_GIB, default=24, low=1, high=1024,
    stops=(4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 288, 384, 512, 1024),
)  # fmt: skip
ENGINE = Choice(
    name="engine", label=words.ENGINE, default="none", style="select",
    options={row.id: words.engine_option(row.name, row.version) for row in ENGINES.values()},
)  # fmt: skip
MTP = Choice(name="mtp", label=words.MTP, default="no", style="select", options=words.MTP_OPTIONS)
LATENTS = Choice(
    name="latents", label=words.LATENTS, default="compressed", style="select", options=words.LATENT_OPTIONS,
)  # fmt: skip
UNITS = Choice(name="units", label=words.UNITS, default="binary", options=words.UNIT_SYSTEMS)

SHAPE = (LAYERS, QUERY_HEADS, HEAD_DIM, ATTENTION, KV_HEADS)
"""The shape controls: choosing a model sets them to its shape."""

FORM = Form(
    name="lab", label=words.FORM, order=("model", "load", "lengths", "gpus", "split", "shape", "storage", "show")
)
GROUPS = (
    Group(name="model", label=words.GROUP_MODEL, controls=(MODEL, CONFIG)),
    Group(name="load", label=words.GROUP_LOAD, controls=(CONTEXT, BATCH)),
    Group(name="lengths", label=words.GROUP_LENGTHS, controls=(SHARED_PROMPT,), folded=True),
    Group(name="shape", label=words.GROUP_SHAPE, controls=SHAPE),
    Group(name="gpus", label=words.GROUP_GPUS, controls=(GPU, GPU_MEMORY)),
    Group(name="split", label=words.GROUP_SPLIT, controls=(ENGINE, MTP, LATENTS), folded=True),
    Group(name="storage", label=words.GROUP_STORAGE, controls=(CACHE_DTYPE, V_DTYPE, WEIGHT_DTYPE)),
)
