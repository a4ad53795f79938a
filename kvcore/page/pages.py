"""The pages that `update` answers for: the article is the only one."""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.page.article import SENTENCES, TECHNIQUES, WORK
from kvcore.page.chart import CHART
from kvcore.page.controls import Values
from kvcore.page.lab import LAB, UNITS
from kvcore.page.lab.controls import CONFIG
from kvcore.page.lab.packed import pack_v1
from kvcore.page.lab.readouts import linked
from kvcore.page.link import VERSION
from kvcore.page.opening import OPENING
from kvcore.page.paging import PAGING, PAGING_MEMORY
from kvcore.page.parts import Page
from kvcore.page.verdict import DECODE, VERDICT

_V1: Values = MappingProxyType(
    {
        "model": "llama-3-70b", "config": "", "context": 8192, "batch": 8, "shared_prompt": 0, "host_memory": 0, "cache_dtype": "fp16", "v_dtype": "same",
        "weight_dtype": "fp16", "gpu": "h100-80gb", "gpu_memory": 24, "engine": "none", "mtp": "no", "latents": "compressed", "units": "binary", "scale": "linear", "compare": "none", "tp": 2,
        "pp": 1, "dp": 1, "cp": 1, "ep": 1, "reserve": 10, "engine_block": 1, "strategy": "contiguous", "sequences": 6, "block_size": 128,
    }
)  # fmt: skip
"""The values that a link of version 1 leaves out. Never change one: they give the links that readers saved their meaning. A
control that is new is added with its first default. The shape controls are missing because the model implies them, and the average length because the context does."""

_V2: Values = MappingProxyType({**_V1, "model": "llama-3.1-70b"})
"""Version 2 begins with the model whose limit of 131,072 tokens lies past the cliff, so that the cliff can be reached."""


def _spec(text: str) -> Mapping[str, str]:
    """The imported model of an old link, `spec=Name~Shape(...)`: those links carried a shape, today's carry a config."""
    return {CONFIG.name: pack_v1(text)} if text else {}


ARTICLE = Page(
    name="article",
    parts=(LAB, OPENING, VERDICT, UNITS, CHART, DECODE, PAGING, PAGING_MEMORY, TECHNIQUES, SENTENCES, WORK),
    linked=lambda view: linked(view[LAB]),
    link_defaults=MappingProxyType({"v1": _V1, VERSION: _V2}),
    old_link_keys=MappingProxyType({"spec": _spec}),
)

PAGES: Mapping[str, Page] = MappingProxyType({page.name: page for page in (ARTICLE,)})
"""Page name -> page."""
