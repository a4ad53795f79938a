"""Other names of a config's fields: what a family's code accepts, or writes, for the same number.

The `attribute_map` of each family's config class in huggingface/transformers 5.24 makes two names one attribute, and what
it saves has one of the two, not always the one that was published: a Qwen3-MoE saved today says `num_local_experts`.
Where a config has both, they must agree.
"""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["ALIASES"]

type Names = Mapping[str, tuple[str, ...]]

_GPT: Names = {
    "n_embd": ("hidden_size",),
    "n_head": ("num_attention_heads",),
    "n_layer": ("num_hidden_layers",),
    "n_positions": ("max_position_embeddings",),
}
_ROUTED: Names = {"n_routed_experts": ("num_local_experts", "num_experts")}
_MTP: Names = {"num_nextn_predict_layers": ("num_mtp_layers",)}
_EXPERTS: Names = {"num_experts": ("num_local_experts",)}
_LOCAL: Names = {"num_local_experts": ("num_experts",)}

ALIASES: Mapping[str, Names] = MappingProxyType(
    {
        "bloom": {
            "hidden_size": ("n_embed",),
            "n_head": ("num_attention_heads",),
            "n_layer": ("num_hidden_layers",),
        },
        "deepseek_v2": {"n_routed_experts": ("num_experts",)},
        "deepseek_v3": {**_ROUTED, **_MTP},
        "deepseek_v32": _ROUTED,
        "dots1": _ROUTED,
        "ernie4_5_moe": {"moe_num_experts": ("num_experts",)},
        "falcon": {"hidden_size": ("n_embed",)},
        "glm4_moe": {**_ROUTED, **_MTP},
        "glm4_moe_lite": _ROUTED,
        "glm_moe_dsa": _ROUTED,
        "gpt2": _GPT,
        "gpt_bigcode": _GPT,
        "gpt_oss": _LOCAL,
        "gptj": _GPT,
        "granitemoehybrid": {"layer_types": ("layers_block_type",)},
        "jamba": _EXPERTS,
        "kimi_k2": {**_ROUTED, **_MTP},
        "kimi_linear": {
            **_EXPERTS,
            "model_max_length": ("max_position_embeddings",),
            "num_shared_experts": ("n_shared_experts",),
        },
        "lfm2": {"tie_word_embeddings": ("tie_embedding",)},
        "lfm2_moe": {"tie_word_embeddings": ("tie_embedding",)},
        "mimo_v2_flash": _ROUTED,
        "minimax": _LOCAL,
        "minimax_m2": _LOCAL,
        "mistral4": _ROUTED,
        "mixtral": _LOCAL,
        "mpt": {
            "d_model": ("hidden_size",),
            "n_heads": ("num_attention_heads",),
            "n_layers": ("num_hidden_layers",),
        },
        "nemotron_h": {
            "layers_block_type": ("layer_types",),
            "n_routed_experts": ("num_local_experts",),
            "n_groups": ("mamba_n_groups",),
            "conv_kernel": ("mamba_d_conv",),
            "use_conv_bias": ("mamba_conv_bias",),
        },
        "olmoe": _EXPERTS,
        "qwen3_moe": _EXPERTS,
        "qwen3_vl_moe_text": _EXPERTS,
        "solar_open": _ROUTED,
    }
)
"""model_type -> field -> its other names."""
