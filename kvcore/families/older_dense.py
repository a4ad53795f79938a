"""Readers for dense families from before Llama with layers of their own: BLOOM, Falcon, MPT, Phi, StarCoder2.

Each reads the fields its own code reads and takes that code's defaults. Sources: huggingface/transformers,
src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults, modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.errors import Invalid, Unsupported
from kvcore.families.common import (
    Reader,
    attention_groups,
    checked_heads,
    full_attention,
    head_width,
    layer_windows,
    plain_mlps,
    usual_sizes,
)
from kvcore.fields import Fields
from kvcore.shape import Shape

__all__ = ["OLDER_DENSE"]


def _bloom(fields: Fields) -> Shape:
    """BLOOM: ALiBi, so no position embeddings; a norm after the token embedding."""
    hidden, heads, layers = fields.integer("hidden_size"), fields.integer("n_head"), fields.layers("n_layer")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads, hidden_key="hidden_size"),
        mlps=plain_mlps(layers, 4 * hidden),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("seq_length"),
        qkv_bias=True,
        output_bias=True,
        model_norms=2,
        norm_bias=True,
    )


def _falcon(fields: Fields) -> Shape:
    """Falcon: one KV head with `multi_query`; `num_kv_heads` and two norms a layer with `new_decoder_architecture`."""
    hidden, heads, layers = usual_sizes(fields)
    newer = fields.flag("new_decoder_architecture", default=False)
    single = fields.flag("multi_query", default=True, null=False)
    given = fields.integer("num_kv_heads", heads, null=heads)
    kv_heads = 1 if single and not newer else given
    if not newer and not single:
        fields.only(
            "num_kv_heads", heads, why="without multi_query and new_decoder_architecture each query head has its own"
        )
    parallel = fields.flag("parallel_attn", default=True, null=False)
    if newer and not parallel:
        raise Unsupported(fields.name("parallel_attn"), False, "true, as new_decoder_architecture is")
    bias = fields.flag("bias", default=False)
    norms = fields.integer("num_ln_in_parallel_attn", 2 if newer else 1, null=2 if newer else 1, high=2)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads, checked_heads(fields, "num_kv_heads", kv_heads, heads)),
        mlps=plain_mlps(layers, fields.integer("ffn_hidden_size", 4 * hidden, null=4 * hidden), bias=bias),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_position_embeddings", 2048),
        qkv_bias=bias,
        output_bias=bias,
        norms_per_layer=norms if parallel else 2,
        norm_bias=True,
    )


def _mpt(fields: Fields) -> Shape:
    """MPT: ALiBi, so no position embeddings; no biases; tied embeddings."""
    hidden, heads, layers = fields.integer("d_model"), fields.integer("n_heads"), fields.layers("n_layers")
    fields.require("no_bias", expected=True, default=True)
    if not fields.has("expansion_ratio"):
        fields.assume("expansion_ratio", 4)
    ratio = fields.value("expansion_ratio") if fields.has("expansion_ratio") else 4
    if type(ratio) is not int or not 1 <= ratio <= 64:
        raise Invalid(fields.name("expansion_ratio"), ratio, "an integer from 1 to 64")
    if fields.has("attn_config"):
        inner = fields.inside("attn_config")
        inner.require("attn_type", expected="multihead_attention", default="multihead_attention")
        inner.require("alibi", expected=True, default=True)
        inner.require("qk_ln", expected=False, default=False)
        inner.ignore(
            "alibi_bias_max",
            "attn_impl",
            "attn_pdrop",
            "attn_uses_sequence_id",
            "softmax_scale",
            "clip_qkv",
            "prefix_lm",
            why="how scores are computed and masked: K and V keep their sizes",
        )
        inner.finish()
    fields.ignore("learned_pos_emb", why="ALiBi, which is required above, takes the place of learned positions")
    fields.ignore("init_config", "init_device", why="how weights are drawn before training")
    fields.ignore("embedding_fraction", why="how much of the embedding's gradient training keeps")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads, hidden_key="d_model"),
        mlps=plain_mlps(layers, ratio * hidden, bias=False),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_seq_len"),
    )


def _phi(fields: Fields) -> Shape:
    """Phi-1, 1.5 and 2: attention and MLP run in parallel after one norm; biases everywhere, also on the output layer."""
    hidden, heads, layers = usual_sizes(fields)
    fields.require("qk_layernorm", expected=False, default=False)
    kv_heads = checked_heads(
        fields, "num_key_value_heads", fields.integer("num_key_value_heads", heads, null=heads), heads
    )
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads, kv_heads),
        mlps=plain_mlps(layers, fields.integer("intermediate_size")),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=True,
        output_bias=True,
        norms_per_layer=1,
        norm_bias=True,
        lm_head_bias=True,
    )


def _starcoder2(fields: Fields) -> Shape:
    """StarCoder2: grouped KV heads; all layers have the window, if there is one."""
    hidden, heads, layers = usual_sizes(fields)
    kv_heads = checked_heads(fields, "num_key_value_heads", fields.integer("num_key_value_heads", 2, null=heads), heads)
    bias = fields.flag("use_bias", default=True)
    windows = layer_windows(fields, layers, fields.tokens("sliding_window"))
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=attention_groups(windows, kv_heads, head_width(fields, hidden, heads)),
        mlps=plain_mlps(layers, fields.integer("intermediate_size"), bias=bias),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=bias,
        output_bias=bias,
        norm_bias=True,
    )


OLDER_DENSE: Mapping[str, Reader] = MappingProxyType(
    {
        "bloom": _bloom,
        "falcon": _falcon,
        "mpt": _mpt,
        "phi": _phi,
        "starcoder2": _starcoder2,
    }
)
"""model_type -> reader."""
