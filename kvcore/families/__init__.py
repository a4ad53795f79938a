"""Readers of config.json files, one function for each architecture (model_type), in modules by kind of architecture.

Where does a new model go?

    llama_like           dense, gated MLPs, RMS norms, full attention or one window for all layers
    sliding_window       the same, with sliding-window and full-attention layers mixed
    gemma                Google's Gemma, which also shares caches and embeds tokens per layer
    gpt_like             GPT-2's layer: MLPs without a gate, LayerNorm, biases
    older_dense          other dense models from before Llama: BLOOM, Falcon, MPT, Phi
    mixture_of_experts   experts behind a router, with K and V heads
    moe_sliding_window   experts, with windows or chunks in some layers: gpt-oss, Llama 4
    latent_attention     multi-head latent attention: DeepSeek V2 and V3, Kimi K2, GLM-5
    linear_attention     attention mixed with linear attention or short convolutions
    mamba                Mamba, Mamba-2, and hybrids of either with attention
    nemotron             NVIDIA's models whose configs list every layer

A reader takes the `Fields` of a config and returns a `Shape`. Most are one call of `decoder.decoder` with what differs as
arguments; `common` has what several need, `recurrent_layers` the layers that keep a state. To add one: write the
function, add it to the table at the end of its module, and add a row to tests/kvcore/counted.json with a small config and the
parameters that huggingface/transformers counts for it on torch's "meta" device (or its name to UNCOUNTED in
tests/kvcore/test_families.py, with the reason). A field that changes the shape must be read, one that does not must be ignored
by name, with the reason; all others are refused. Other names of a field stand in `aliases`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.families.aliases import ALIASES
from kvcore.families.common import Reader
from kvcore.families.gemma import GEMMA
from kvcore.families.gpt_like import GPT_LIKE
from kvcore.families.latent_attention import LATENT_ATTENTION
from kvcore.families.linear_attention import LINEAR_ATTENTION
from kvcore.families.llama_like import LLAMA_LIKE
from kvcore.families.mamba import MAMBA
from kvcore.families.mixture_of_experts import MIXTURE_OF_EXPERTS
from kvcore.families.moe_sliding_window import MOE_SLIDING_WINDOW
from kvcore.families.nemotron import NEMOTRON
from kvcore.families.older_dense import OLDER_DENSE
from kvcore.families.sliding_window import SLIDING_WINDOW

__all__ = ["ALIASES", "FAMILIES", "NESTED", "REFUSED", "TIED_OUTSIDE", "Reader"]

FAMILIES: Mapping[str, Reader] = MappingProxyType(
    dict(
        sorted(
            {
                **LLAMA_LIKE, **GPT_LIKE, **OLDER_DENSE, **GEMMA, **SLIDING_WINDOW, **MIXTURE_OF_EXPERTS, **MOE_SLIDING_WINDOW, **LATENT_ATTENTION, **LINEAR_ATTENTION, **MAMBA, **NEMOTRON,
            }.items()
        )
    )
)  # fmt: skip
"""model_type -> the reader of its configs."""

NESTED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "aya_vision": ("cohere2",),
        "gemma3": ("gemma3_text",),
        "gemma3n": ("gemma3n_text",),
        "gemma4": ("gemma4_text",),
        "internvl": ("qwen2", "qwen3", "qwen3_moe", "gpt_oss", "llama"),
        "kimi_k25": ("kimi_k2", "deepseek_v3"),
        "llama4": ("llama4_text",),
        "llava": ("llama", "mistral", "qwen2"),
        "llava_next": ("llama", "mistral", "qwen2"),
        "llava_onevision": ("qwen2",),
        "mistral3": ("mistral", "ministral3", "mistral4"),
        "paligemma": ("gemma", "gemma2"),
        "qwen2_5_vl": ("qwen2_5_vl_text",),
        "qwen2_vl": ("qwen2_vl_text",),
        "qwen3_5": ("qwen3_5_text",),
        "qwen3_5_moe": ("qwen3_5_moe_text",),
        "qwen3_vl": ("qwen3_vl_text",),
        "qwen3_vl_moe": ("qwen3_vl_moe_text",),
    }
)
"""model_type of a model that sees or hears -> the model_types its `text_config` may have.

Images and sounds become tokens among the others in these, so the cache is that of the text model; its parameters alone
are counted, the encoders' are not."""

TIED_OUTSIDE: Mapping[str, bool] = MappingProxyType(
    {
        "aya_vision": True,
        "gemma3": True,
        "gemma3n": True,
        "gemma4": True,
        "internvl": True,
        "kimi_k25": True,
        "llama4": False,
        "llava": False,
        "llava_next": False,
        "llava_onevision": False,
        "mistral3": True,
        "paligemma": True,
        "qwen2_5_vl": False,
        "qwen2_vl": False,
        "qwen3_5": False,
        "qwen3_5_moe": False,
        "qwen3_vl": False,
        "qwen3_vl_moe": False,
    }
)
"""model_type of such a model -> what its class takes for `tie_word_embeddings` where the config does not say it outside
`text_config` (huggingface/transformers 5.24, configuration_FAMILY.py)."""

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "deepseek_v4": "one there is a formula for: its layers compress tokens by ratios that differ from layer to layer",
        "idefics": "one there is a formula for: its cross-attention caches images apart from tokens",
        "mllama": "one there is a formula for: its cross-attention caches images apart from tokens",
        "mllama_text_model": "one there is a formula for: its cross-attention caches images apart from tokens",
        "zamba": "one there is a formula for: its attention layers share parameters and not their caches",
        "zamba2": "one there is a formula for: its attention layers share parameters and not their caches",
    }
)
"""model_type -> why its configs are refused, for the well-known ones."""
