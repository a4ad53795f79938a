"""Readers for GPT-2 and families with its layer: MLPs without a gate, LayerNorm, biases.

Each reads the fields its own code reads and takes that code's defaults. Sources: huggingface/transformers,
src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults, modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.families.common import (
    Reader,
    full_attention,
    plain_mlps,
    usual_sizes,
)
from kvcore.fields import Fields
from kvcore.shape import Shape

__all__ = ["GPT_LIKE"]


def _gpt2(fields: Fields) -> Shape:
    """GPT-2, GPT-3: learned positions, biases everywhere, tied."""
    fields.only("add_cross_attention", False, why="a decoder alone has none")
    hidden, heads, layers = fields.integer("n_embd"), fields.integer("n_head"), fields.layers("n_layer")
    positions = fields.integer("n_positions")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads, hidden_key="n_embd"),
        mlps=plain_mlps(layers, fields.integer("n_inner", 4 * hidden, null=4 * hidden)),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=positions,
        qkv_bias=True,
        output_bias=True,
        norm_bias=True,
        position_rows=positions,
    )


def _gpt_bigcode(fields: Fields) -> Shape:
    """StarCoder: GPT-2 with one KV head for all query heads, unless `multi_query` is false."""
    heads = fields.integer("n_head")
    shape = _gpt2(fields)
    single = fields.flag("multi_query", default=True)
    fields.agree("num_key_value_heads", 1 if single else heads)
    return shape.edited(kv_heads=1) if single and heads > 1 else shape


def _gptj(fields: Fields) -> Shape:
    """GPT-J: attention and MLP run in parallel after one norm; biases only in the MLPs and on the output layer."""
    hidden, heads, layers = fields.integer("n_embd"), fields.integer("n_head"), fields.layers("n_layer")
    groups = full_attention(fields, layers, hidden, heads, hidden_key="n_embd")
    if fields.has("rotary_dim"):
        fields.integer("rotary_dim", high=hidden // heads)  # the part of a head that is turned by its position
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=groups,
        mlps=plain_mlps(layers, fields.integer("n_inner", 4 * hidden, null=4 * hidden)),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("n_positions"),
        norms_per_layer=1,
        norm_bias=True,
        lm_head_bias=True,
    )


def _gpt_neox(fields: Fields) -> Shape:
    """GPT-NeoX, Pythia: biases in the layers, none on the output layer."""
    hidden, heads, layers = usual_sizes(fields)
    bias = fields.flag("attention_bias", default=True)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads),
        mlps=plain_mlps(layers, fields.integer("intermediate_size")),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=bias,
        output_bias=bias,
        norm_bias=True,
    )


def _opt(fields: Fields) -> Shape:
    """OPT: the table of learned positions has two rows more than there are positions. OPT-350M's narrower embedding is refused."""
    hidden, heads, layers = usual_sizes(fields)
    fields.agree("word_embed_proj_dim", hidden)
    fields.require("do_layer_norm_before", expected=True, default=True)
    fields.require("layer_norm_elementwise_affine", expected=True, default=True)
    bias = fields.flag("enable_bias", default=True)
    positions = fields.integer("max_position_embeddings")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=full_attention(fields, layers, hidden, heads),
        mlps=plain_mlps(layers, fields.integer("ffn_dim"), bias=bias),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=positions,
        qkv_bias=bias,
        output_bias=bias,
        model_norms=0 if fields.flag("_remove_final_layer_norm", default=False) else 1,
        norm_bias=True,
        position_rows=positions + 2,
    )


GPT_LIKE: Mapping[str, Reader] = MappingProxyType(
    {
        "gpt2": _gpt2,
        "gpt_bigcode": _gpt_bigcode,
        "gpt_neox": _gpt_neox,
        "gptj": _gptj,
        "opt": _opt,
    }
)
"""model_type -> reader."""
