"""Config fields that speak of heads, layers, windows or caches by name and change neither the parameters nor the cache.

A field that no reader has read and whose name is suspicious (`fields.STRUCTURAL`) is refused, unless it stands here with
the reason why it changes nothing. What is harmless at some values only stands in HARMLESS_AT with those values. A field
that is harmless in one family only is ignored by that family's reader, also with a reason.

>>> HARMLESS["attention_dropout"]
'dropout: values are dropped in training, and the matrices stay'
>>> HARMLESS_AT["norm_type"]
('default', 'layer_norm', 'low_precision_layernorm', 'rms_norm')
"""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["HARMLESS", "HARMLESS_AT", "HARMLESS_OUTSIDE", "OTHER_PARTS"]

_REASONS = {
    "dropout: values are dropped in training, and the matrices stay": (
        "attention_dropout attention_probs_dropout_prob attn_pdrop classifier_dropout embd_dropout embd_pdrop emb_pdrop"
        " embedding_dropout head_dropout hidden_dropout hidden_dropout_prob layerdrop mlp_dropout resid_pdrop"
        " residual_dropout summary_first_dropout"
    ),
    "the start of training: how weights are drawn": (
        "embedding_initializer_range initializer_range layer_scale_init_value rescale_prenorm_residual"
    ),
    "a loss or a regularisation of training": (
        "aux_loss_alpha moe_aux_loss_coef router_aux_loss_coef router_z_loss_coef z_loss_coefficient"
    ),
    "the small number that a norm adds before it divides": (
        "attention_layernorm_epsilon final_layernorm_epsilon layer_norm_eps layer_norm_epsilon layernorm_epsilon mixer_rms_eps"
        " norm_eps norm_epsilon rms_norm_eps"
    ),
    "a factor on values: scales what a matrix makes, and no matrix": (
        "attention_in_multiplier attention_multiplier attention_out_multiplier attn_logit_softcapping attn_scale"
        " attention_value_scale embedding_multiplier final_logit_softcapping key_multiplier lm_head_multiplier"
        " logits_scaling mlp_multipliers mup_width_multiplier query_pre_attn_scalar residual_multiplier scale_depth"
        " scale_embedding scale_attn_by_inverse_layer_idx scale_attn_weights ssm_in_multiplier ssm_multipliers"
        " ssm_out_multiplier"
    ),
    "in which precision or by which program attention is computed": (
        "_attn_implementation _attn_implementation_autoset _attn_implementation_internal attention_softmax_in_fp32"
        " attn_implementation masked_softmax_fusion pretraining_tp reorder_and_upcast_attn residual_in_fp32"
        " scale_attention_softmax_in_fp32 slow_but_exact _experts_implementation _experts_implementation_internal"
        " chunk_size_feed_forward use_flash_attn use_flash_attention _flash_attn_2_enabled"
    ),
    "which experts a token is sent to, not how many there are": (
        "experts_per_token moe_renormalize moe_router_activation_func moe_router_dtype moe_shared_expert_overlap n_group"
        " norm_topk_prob normalize_router_prob num_experts_per_tok num_experts_per_token topk_group moe_topk"
    ),
    "rotary positions: they turn queries and keys, and have no parameters": (
        "global_rope_theta initial_context_length local_rope_theta offset_alibi original_max_position_embeddings"
        " rope_local_base_freq rotary_dim rotary_emb_base rotary_ndims swa_rope_theta"
    ),
    "a number of tokens or labels that neither weights nor cache depend on": (
        "bos_token_id decoder_start_token_id max_batch_size max_sequence_length n_ctx num_labels pad_token_id prefix_token_id"
        " sep_token_id id2label label2id"
    ),
    "a setting of text generation": (
        "bad_words_ids encoder_no_repeat_ngram_size no_repeat_ngram_size num_beam_groups num_beams num_logits_to_keep"
        " num_return_sequences output_attentions output_hidden_states"
    ),
    "whether a program keeps a cache at all; how large it is follows from the shape": "use_cache",
    "how transformers' generate() allocates its cache; an engine has its own way": "cache_implementation",
    "in which type an engine caches: the type of the cache is chosen beside the model": "kv_cache_scheme",
    "the kind of task, tokenizer or program that the file is for": (
        "add_bos_token inference_runner problem_type tokenizer_class validate_runner_input is_decoder _name_or_path"
        " generation_config"
    ),
    "for classifiers: how a sequence is summed up": "summary_type summary_use_proj summary_activation",
    "BERT's token types, which no decoder here reads": "type_vocab_size",
    "where a residual is added, not which matrices there are": "apply_residual_connection_post_layernorm",
    "how the checkpoint's weights are stored": "expert_dtype quantization_config compression_config",
}

HARMLESS: Mapping[str, str] = MappingProxyType(
    {field: reason for reason, fields in _REASONS.items() for field in fields.split()}
)
"""field -> why no value of it changes parameters or cache, in any family."""

HARMLESS_AT: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "mlp_type": ("default",),  # StarCoder2's own code knows a gated one too
        "norm_type": (
            "default",
            "layer_norm",
            "low_precision_layernorm",
            "rms_norm",
        ),  # those that have one weight vector
        "position_embedding_type": ("alibi", "nope", "rope", "rotary"),  # without parameters; learned ones have a table
    }
)
"""field -> the only values at which it changes nothing; at others it is refused. What is false, null, 0 or empty never counts.

So `pruned_heads` {}, `is_encoder_decoder` false, `cross_attention_hidden_size` null and the like need no row: at any other
value they are refused."""

OTHER_PARTS = (
    "vision",
    "audio",
    "image",
    "video",
    "visual",
    "speech",
    "projector",
    "mm_",
    "multimodal",
    "media",
    "projection",
)
"""Words in names of fields that describe the encoders of images and sounds: their parameters are not counted."""

HARMLESS_OUTSIDE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # PaliGemmaConfig has both and its model reads text_config's alone; published files keep the defaults of the class.
        "paligemma": ("hidden_size", "vocab_size", "_vocab_size"),
        "gemma3": ("mm_tokens_per_image",),
        "llava": ("vision_feature_layer",),
        "llava_next": ("image_grid_pinpoints",),
        "mistral3": ("spatial_merge_size",),
    }
)
"""model_type of a model that sees or hears -> fields beside its `text_config` that its code does not read for the layers."""
