"""The families of models whose configs can be read, each by a reader of its own.

A new family is one function that reads its fields into a shape, and one line in the table below its module.
"""

from collections.abc import Mapping
from types import MappingProxyType

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

__all__ = ["FAMILIES", "NESTED", "REFUSED", "Reader"]

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
