"""Where kvcore rightly says something else than transformers 5.24, and why: the one table of such cases.

Transformers 5 checks the types of a config's fields, and needs all that it takes to run a model. Config files that earlier versions
wrote have nulls in the place of flags, and kvcore needs less than a run: it reads such a config like another one, which
the same test compares with transformers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kvcore.errors import KvcoreError
from tests.kvcore.transformers_said import LEFT_OUT, Question, changed, numbers

__all__ = ["DISPUTES", "READ_LIKE", "Dispute", "ReadLike", "reasons"]

ANY = object()
_LATENT = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe_lite", "glm_moe_dsa", "kimi_k2", "kimi_linear",
           "minicpm3", "mistral4", "youtu")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLike:
    """A change of one field which transformers refuses, or with which its model stops: kvcore reads the config like another.

    `like` are the values of the other config's fields, from the question; {} is the config before the change.
    `fields` is empty for every flag, `model_types` for all of them.
    """

    fields: tuple[str, ...] = ()
    values: tuple[Any, ...]
    like: Callable[[Question], Mapping[str, Any]]
    reason: str
    model_types: tuple[str, ...] = ()

    def covers(self, model_type: str, question: Question) -> bool:
        """Whether this is such a change."""
        if len(question.change) != 1 or (self.model_types and model_type not in self.model_types):
            return False
        key, value = next(iter(question.change.items()))
        known = key in self.fields if self.fields else isinstance(question.before.get(key), bool)
        return known and (ANY in self.values or value in self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """Configs with these fields, about which the two give different numbers: `differs` names them."""

    model_types: tuple[str, ...]
    fields: Mapping[str, Any]
    differs: frozenset[str]
    reason: str

    def covers(self, model_type: str, config: Mapping[str, Any]) -> bool:
        """Whether this is such a config."""
        return model_type in self.model_types and all(
            config.get(key, LEFT_OUT) == value for key, value in self.fields.items()
        )


DISPUTES = (
    Dispute(
        model_types=("falcon",),
        fields={"new_decoder_architecture": True},
        differs=frozenset({"cache"}),
        reason=(
            "transformers caches K and V repeated for all query heads (modeling_falcon.py, FalconAttention._split_heads); "
            "engines cache the KV heads (vLLM 00620f91, model_executor/models/falcon.py, FalconAttention)"
        ),
    ),
    Dispute(
        model_types=("internvl", "kimi_k25", "mistral3"),
        fields={"tie_word_embeddings": LEFT_OUT},
        differs=frozenset({"params"}),
        reason=(
            "nothing is said about ties: transformers 5 takes its outer class's default, transformers 4, with which such files "
            "were written, the text model's (kvcore/nested.py)"
        ),
    ),
    Dispute(
        model_types=("mimo_v2_flash",),
        fields={"swa_num_key_value_heads": 64},
        differs=frozenset({"params", "cache"}),
        reason=(
            "transformers never reads swa_num_key_value_heads and takes twice num_key_value_heads for layers with a window; "
            "vLLM reads it (91cf2f13, model_executor/models/mimo_v2_flash.py, MiMoV2FlashDecoderLayer)"
        ),
    ),
    Dispute(
        model_types=("mimo_v2_flash",),
        fields={"num_key_value_heads": 32, "swa_num_key_value_heads": 32},
        differs=frozenset({"params", "cache"}),
        reason=(
            "transformers never reads swa_num_key_value_heads and takes twice num_key_value_heads for layers with a window; "
            "vLLM reads it (91cf2f13, model_executor/models/mimo_v2_flash.py, MiMoV2FlashDecoderLayer)"
        ),
    ),
    Dispute(
        model_types=("mpt",),
        fields={"expansion_ratio": 8},
        differs=frozenset({"params"}),
        reason=(
            "transformers takes 4 whatever the config says (modeling_mpt.py, MptMLP); vLLM reads the field (ce35e1d5, "
            "model_executor/models/mpt.py, MPTMLP)"
        ),
    ),
    Dispute(
        model_types=("stablelm",),
        fields={"num_attention_heads": 128},
        differs=frozenset({"cache"}),
        reason="a quarter of a head's four values is one; transformers turns halves of it, and so makes it two",
    ),
)


def unchanged(_: Question) -> Mapping[str, Any]:
    """The config before the change."""
    return {}


def left_out(question: Question) -> Mapping[str, Any]:
    """The config without the field."""
    return dict.fromkeys(question.change, LEFT_OUT)


def zero(question: Question) -> Mapping[str, Any]:
    """The config with 0 for the field."""
    return dict.fromkeys(question.change, 0)


def false(question: Question) -> Mapping[str, Any]:
    """The config with false for the field."""
    return dict.fromkeys(question.change, False)


def as_many_as_query_heads(question: Question) -> Mapping[str, Any]:
    """The config with a KV head for each query head."""
    return {"num_key_value_heads": question.config["num_attention_heads"]}


def all_full(question: Question) -> Mapping[str, Any]:
    """The config with full attention in all layers."""
    return {"layer_types": ["full_attention"] * question.config["num_hidden_layers"]}


def as_many_heads(question: Question) -> Mapping[str, Any]:
    """The config with a latent's KV heads following the query heads."""
    return {"num_key_value_heads": question.config["num_attention_heads"]}


def of_equal_width(question: Question) -> Mapping[str, Any]:
    """The config with the head width that hidden size and query heads come to."""
    return {"head_dim": question.config["hidden_size"] // question.config["num_attention_heads"]}


def a_period(question: Question) -> Mapping[str, Any]:
    """The config with the length of a pattern in the place of its letters."""
    return {key: len(pattern) for key, pattern in question.change.items()}


def without_rope(question: Question) -> Mapping[str, Any]:  # noqa: ARG001 - as all others
    """The config without a word about rotary positions."""
    return {"rope_parameters": LEFT_OUT}


def itself(question: Question) -> Mapping[str, Any]:
    """The config as it is: kvcore's number is compared with nothing."""
    return question.change


READ_LIKE = (
    ReadLike(values=(None,), like=false, reason="null for a flag: transformers 4 took it for false, 5 checks types"),
    ReadLike(
        fields=("max_position_embeddings", "n_positions", "max_seq_len", "original_max_position_embeddings"), values=(None,), like=unchanged,
        reason="a limit of the context, which no weight or cache depends on where positions are rotary; null says that there is none",
    ),
    ReadLike(
        fields=("n_group", "topk_group", "num_experts_per_tok", "top_k_experts", "num_expert_group"), values=(ANY,), like=unchanged,
        reason="which experts a token is sent to, not how many there are",
    ),
    ReadLike(
        fields=("num_key_value_heads", "head_dim"), values=(ANY,), like=unchanged, model_types=_LATENT,
        reason="latent attention has no KV heads; transformers repeats keys and turns positions by these fields all the same",
    ),
    ReadLike(
        fields=("num_attention_heads",), values=(ANY,), like=as_many_heads, model_types=_LATENT,
        reason="latent attention has no KV heads, and transformers wants as many as query heads",
    ),
    ReadLike(
        fields=("n_shared_experts", "num_shared_experts", "num_local_experts", "num_kv_shared_layers", "hidden_size_per_layer_input"),
        values=(None,), like=zero,
        reason="null says that there are none; in transformers 4 it was this field's default, or false in a condition",
    ),
    ReadLike(
        fields=("num_key_value_heads",), values=(None, LEFT_OUT), like=as_many_as_query_heads,
        reason="null says as many as query heads, which is what the config classes of transformers 4 made of it",
    ),
    ReadLike(
        fields=("head_dim",), values=(None, LEFT_OUT), like=of_equal_width,
        reason="without a width of its own a head has hidden size / query heads, as in most families' code",
    ),
    ReadLike(
        fields=("mamba_chunk_size", "chunk_size", "block_size", "index_topk", "pretraining_tp"), values=(ANY,), like=unchanged,
        reason="how much a program computes at a time: it stops at this value, and the matrices stay",
    ),
    ReadLike(
        fields=("attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar", "altup_active_idx",
                "activation_sparsity_pattern", "summary_activation", "use_bidirectional_attention", "floor_scale", "scale_emb",
                "time_step_limit", "logit_scale", "num_logits_to_keep", "full_attn_alpha_factor", "full_attn_beta_factor",
                "linear_attn_alpha_factor", "linear_attn_beta_factor", "mlp_alpha_factor", "mlp_beta_factor"),
        values=(ANY,), like=unchanged,
        reason="what is done to values, not how many there are",
    ),
    ReadLike(
        fields=("rotary_dim",), values=(ANY,), like=unchanged,
        reason="how many values of a head are turned by their position; more than a head has stop transformers",
    ),
    ReadLike(
        fields=("time_step_rank", "mamba_dt_rank"), values=(None,), like=left_out,
        reason="null is 'auto', hidden size / 16, as in the first Mamba configs",
    ),
    ReadLike(
        fields=("moe_intermediate_size", "num_experts"), values=(True,), like=unchanged, model_types=("gemma4_text",),
        reason="not used while enable_moe_block is false",
    ),
    ReadLike(
        fields=("sliding_window", "sliding_window_pattern"), values=(None,), like=all_full, model_types=("exaone4",),
        reason="no layer slides (Exaone4Config's docstring); its code divides by the period, and needs layer_types besides",
    ),
    ReadLike(
        fields=("sliding_window_pattern",), values=("LLLG", "LG"), like=a_period, model_types=("exaone4",),
        reason="local and global layers as letters (Exaone4Config's docstring); its code takes numbers, and needs layer_types besides",
    ),
    ReadLike(
        fields=("sliding_window", "max_window_layers"), values=(None, True), like=unchanged,
        model_types=("mimo", "qwen2", "qwen2_5_vl_text", "qwen2_moe", "qwen2_vl_text", "qwen3", "qwen3_moe", "smollm3"),
        reason="not used while use_sliding_window is false",
    ),
    ReadLike(
        fields=("no_rope_layer_interval", "no_rope_layers"), values=(ANY,), like=unchanged, model_types=("smollm3",),
        reason="which layers turn positions; their windows follow from it only where use_sliding_window is true",
    ),
    ReadLike(
        fields=("sliding_window",), values=(None,), like=unchanged, model_types=("mimo_v2_flash",),
        reason="the window stands in sliding_window_size",
    ),
    ReadLike(
        fields=("intermediate_size",), values=(None,), like=unchanged,
        reason="the width of dense layers, in a model that has none",
    ),
    ReadLike(
        fields=("num_nextn_predict_layers", "expand"), values=(None,), like=unchanged, model_types=("nemotron_h",),
        reason="layers that predict further tokens are left out; heads and their width say how far a layer expands",
    ),
    ReadLike(
        fields=("expansion_ratio",), values=(None,), like=left_out, model_types=("mpt",), reason="null is the default",
    ),
    ReadLike(
        fields=("hidden_size", "num_attention_heads"), values=(1024, 128), like=without_rope,
        model_types=("qwen2_5_vl_text", "qwen2_vl_text"),
        reason="sections of rotary positions that are not half a head's width stop transformers; they have no parameters",
    ),
    ReadLike(
        fields=("layer_types", "num_hidden_layers"), values=(ANY,), like=itself,
        model_types=("lfm2", "lfm2_moe", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next"),
        reason="no layer attends: transformers' model has the same parameters, and cannot make its mask",
    ),
    ReadLike(
        fields=("linear_conv_kernel_dim", "linear_head_dim", "linear_num_heads", "num_experts", "num_local_experts"),
        values=(None,), like=left_out, model_types=("kimi_linear", "qwen3_moe", "qwen3_vl_moe_text"),
        reason="null beside another name of the same field that has the number; transformers checks types",
    ),
)  # fmt: skip


def reasons(model_type: str, question: Question, differ: dict[str, Any]) -> set[str]:
    """The reasons in the table why this differs."""
    if differ.keys() != {"accepted"}:
        rows = [row for row in DISPUTES if row.covers(model_type, question.config) and row.differs >= differ.keys()]
        return {row.reason for row in rows}
    alike = [row for row in READ_LIKE if row.covers(model_type, question)]
    return {row.reason for row in alike if _is_read_like(question, row.like(question))}


def _is_read_like(question: Question, like: Mapping[str, Any]) -> bool:
    """Whether kvcore says the same about a config and about the other one, if it reads that."""
    try:
        return numbers(question.config) == numbers(_other(question, like))
    except KvcoreError:
        return False


def _other(question: Question, like: Mapping[str, Any]) -> dict[str, Any]:
    """The config that is read like this one."""
    return changed(question.config, dict(like)) if like else question.before
