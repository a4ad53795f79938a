"""Config fields that speak of heads, layers, windows or caches by name and change neither the parameters nor the cache.

A field that no reader has read and whose name is suspicious (`fields.STRUCTURAL`) is refused, unless it stands here with
the reason why it changes nothing. What is harmless at some values only stands in HARMLESS_AT with those values. A field
that is harmless in one family only is ignored by that family's reader, also with a reason.

>>> HARMLESS["attention_dropout"]
'dropout: values are dropped in training, and the matrices stay'
>>> HARMLESS_AT["norm_type"]
('default', 'layer_norm', 'low_precision_layernorm', 'rms', 'rms_norm')
"""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["HARMLESS", "HARMLESS_AT", "HARMLESS_OUTSIDE", "OTHER_PARTS"]

_REASONS = {
    "dropout: values are dropped in training, and the matrices stay": (
        "attention_dropout attention_probs_dropout_prob attn_pdrop embedding_dropout head_dropout layerdrop mlp_dropout"
    ),
    "the start of training: how weights are drawn": (
        "embedding_initializer_range layer_scale_init_value rescale_prenorm_residual"
    ),
    "a loss or a regularisation of training": "moe_aux_loss_coef",
    "the small number that a norm adds before it divides": (
        "attention_layernorm_epsilon final_layernorm_epsilon layer_norm_eps layer_norm_epsilon layernorm_epsilon "
        "norm_eps norm_epsilon rms_norm_eps"
    ),
    "a factor on values: scales what a matrix makes, and no matrix": (
        "attention_in_multiplier attention_multiplier attention_out_multiplier attention_value_scale "
        "attn_logit_softcapping attn_scale embedding_multiplier lm_head_multiplier mlp_multipliers "
        "mup_width_multiplier query_pre_attn_scalar scale_attn_by_inverse_layer_idx scale_attn_weights "
        "scale_depth scale_embedding ssm_in_multiplier ssm_multipliers ssm_out_multiplier"
    ),
    "in which precision or by which program attention is computed": (
        "_attn_implementation _attn_implementation_autoset _attn_implementation_internal _experts_implementation "
        "_experts_implementation_internal _flash_attn_2_enabled attention_softmax_in_fp32 attn_implementation "
        "chunk_size_feed_forward reorder_and_upcast_attn scale_attention_softmax_in_fp32 use_flash_attention "
        "use_flash_attn"
    ),
    "which experts a token is sent to, not how many there are": (
        "experts_per_token moe_renormalize moe_router_activation_func moe_router_dtype moe_shared_expert_overlap "
        "moe_topk n_group norm_topk_prob normalize_router_prob num_experts_per_tok num_experts_per_token "
        "topk_group"
    ),
    "rotary positions: they turn queries and keys, and have no parameters": (
        "global_rope_theta local_rope_theta original_max_position_embeddings rope_local_base_freq rotary_dim "
        "rotary_ndims swa_rope_theta"
    ),
    "a number of tokens or labels that neither weights nor cache depend on": (
        "decoder_start_token_id max_batch_size n_ctx num_image_tokens num_labels"
    ),
    "a setting of text generation": (
        "encoder_no_repeat_ngram_size no_repeat_ngram_size num_beam_groups num_beams num_logits_to_keep "
        "num_return_sequences output_attentions output_hidden_states"
    ),
    "whether a program keeps a cache at all; how large it is follows from the shape": "use_cache",
    "how transformers' generate() allocates its cache; an engine has its own way": "cache_implementation",
    "in which type an engine caches: the type of the cache is chosen beside the model": "kv_cache_scheme",
    "the kind of task, tokenizer or program that the file is for": "generation_config is_decoder",
    "BERT's token types, which no decoder here reads": "type_vocab_size",
    "where a residual is added, not which matrices there are": "apply_residual_connection_post_layernorm",
    "how the checkpoint's weights are stored": "compression_config expert_dtype quantization_config",
}

HARMLESS: Mapping[str, str] = MappingProxyType(
    {field: reason for reason, fields in _REASONS.items() for field in fields.split()}
)
"""field -> why no value of it changes parameters or cache, in any family."""

HARMLESS_AT: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        # StarCoder2's own code knows a gated one too
        "mlp_type": ("default",),
        # norms that have one weight vector
        "norm_type": ("default", "layer_norm", "low_precision_layernorm", "rms", "rms_norm"),
        # positions without parameters; learned ones have a table
        "position_embedding_type": ("alibi", "nope", "rope", "rotary"),
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
        # What lies between the image encoder and the language model is not counted.
        "aya_vision": ("adapter_layer_norm_eps", "alignment_intermediate_size"),
        "mistral3": ("spatial_merge_size",),
    }
)
"""model_type of a model that sees or hears -> fields beside its `text_config` that its code does not read for the layers."""
