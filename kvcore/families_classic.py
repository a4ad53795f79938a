"""Readers for the families of plain MLPs and LayerNorms: GPT-2 and what came before or beside Llama.

Each reads the fields its own code reads and takes that code's defaults. Sources: huggingface/transformers,
src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults, modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvcore.decoders import attention_groups, checked_heads, head_width, layer_windows
from kvcore.errors import Invalid
from kvcore.families import Reader
from kvcore.fields import Fields
from kvcore.layers import LayerGroup
from kvcore.shape import Mlp, Shape

__all__ = ["CLASSIC"]


def _gpt2(fields: Fields) -> Shape:
    """GPT-2, GPT-3: learned positions, biases everywhere, tied."""
    fields.only("add_cross_attention", expected=False, default=False)
    hidden, heads, layers = fields.count("n_embd"), fields.count("n_head"), fields.layers("n_layer")
    positions = fields.count("n_positions")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads, hidden_key="n_embd"),
        mlps=_mlps(layers, fields.count("n_inner", 4 * hidden, null=4 * hidden)),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=positions,
        qkv_bias=True,
        output_bias=True,
        norm_bias=True,
        position_rows=positions,
    )


def _gpt_bigcode(fields: Fields) -> Shape:
    """StarCoder: GPT-2 with one KV head for all query heads, unless `multi_query` is false."""
    heads = fields.count("n_head")
    shape = _gpt2(fields)
    if not fields.flag("multi_query", default=True):
        return shape
    return shape.edited(kv_heads=1) if heads > 1 else shape


def _gptj(fields: Fields) -> Shape:
    """GPT-J: one norm a layer, its halves in parallel; biases in the MLPs and on the output layer only."""
    hidden, heads, layers = fields.count("n_embd"), fields.count("n_head"), fields.layers("n_layer")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads, hidden_key="n_embd"),
        mlps=_mlps(layers, fields.count("n_inner", 4 * hidden, null=4 * hidden)),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("n_positions"),
        norms_per_layer=1,
        norm_bias=True,
        lm_head_bias=True,
    )


def _gpt_neox(fields: Fields) -> Shape:
    """GPT-NeoX, Pythia: biases in the layers, none on the output layer."""
    hidden, heads, layers = _sizes(fields)
    bias = fields.flag("attention_bias", default=True)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads),
        mlps=_mlps(layers, fields.count("intermediate_size")),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=bias,
        output_bias=bias,
        norm_bias=True,
    )


def _opt(fields: Fields) -> Shape:
    """OPT: two rows more of learned positions than positions; the smaller embedding of OPT-350M has no reader."""
    hidden, heads, layers = _sizes(fields)
    fields.only("word_embed_proj_dim", expected=hidden, default=hidden)
    fields.only("do_layer_norm_before", expected=True, default=True)
    fields.only("layer_norm_elementwise_affine", expected=True, default=True)
    bias = fields.flag("enable_bias", default=True)
    positions = fields.count("max_position_embeddings")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads),
        mlps=_mlps(layers, fields.count("ffn_dim"), bias=bias),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=positions,
        qkv_bias=bias,
        output_bias=bias,
        outer_norms=0 if fields.flag("_remove_final_layer_norm", default=False) else 1,
        norm_bias=True,
        position_rows=positions + 2,
    )


def _falcon(fields: Fields) -> Shape:
    """Falcon: one KV head with `multi_query`, `num_kv_heads` of them in the newer layers, whose halves have a norm each."""
    hidden, heads, layers = _sizes(fields)
    newer = fields.flag("new_decoder_architecture", default=False)
    single = fields.flag("multi_query", default=True)
    given = fields.count("num_kv_heads", heads, null=heads)
    kv_heads = 1 if single and not newer else given
    parallel = fields.flag("parallel_attn", default=True)
    bias = fields.flag("bias", default=False)
    norms = fields.count("num_ln_in_parallel_attn", 2 if newer else 1, null=2 if newer else 1, high=2)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads, checked_heads(fields, "num_kv_heads", kv_heads, heads)),
        mlps=_mlps(layers, fields.count("ffn_hidden_size", 4 * hidden, null=4 * hidden), bias=bias),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_position_embeddings", 2048),
        qkv_bias=bias,
        output_bias=bias,
        norms_per_layer=norms if parallel else 2,
        norm_bias=True,
    )


def _bloom(fields: Fields) -> Shape:
    """BLOOM: no positions to learn (ALiBi), a norm after the embedding."""
    key = "n_embed" if fields.has("n_embed") else "hidden_size"
    hidden = fields.count(key)
    fields.only("hidden_size", expected=hidden, default=hidden)
    heads = fields.count("num_attention_heads" if fields.has("num_attention_heads") else "n_head")
    layers = fields.layers("num_hidden_layers" if fields.has("num_hidden_layers") else "n_layer")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads, hidden_key=key),
        mlps=_mlps(layers, 4 * hidden),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("seq_length"),
        qkv_bias=True,
        output_bias=True,
        outer_norms=2,
        norm_bias=True,
    )


def _phi(fields: Fields) -> Shape:
    """Phi-1, 1.5 and 2: one norm a layer, its halves in parallel; biases everywhere, on the output layer too."""
    hidden, heads, layers = _sizes(fields)
    fields.only("qk_layernorm", expected=False, default=False)
    kv_heads = checked_heads(
        fields, "num_key_value_heads", fields.count("num_key_value_heads", heads, null=heads), heads
    )
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads, kv_heads),
        mlps=_mlps(layers, fields.count("intermediate_size")),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=True,
        output_bias=True,
        norms_per_layer=1,
        norm_bias=True,
        lm_head_bias=True,
    )


def _starcoder2(fields: Fields) -> Shape:
    """StarCoder2: grouped KV heads, all layers slide where there is a window."""
    hidden, heads, layers = _sizes(fields)
    kv_heads = checked_heads(fields, "num_key_value_heads", fields.count("num_key_value_heads", 2, null=heads), heads)
    bias = fields.flag("use_bias", default=True)
    windows = layer_windows(fields, layers, fields.tokens("sliding_window"))
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=attention_groups(windows, kv_heads, head_width(fields, hidden, heads)),
        mlps=_mlps(layers, fields.count("intermediate_size"), bias=bias),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_position_embeddings"),
        qkv_bias=bias,
        output_bias=bias,
        norm_bias=True,
    )


def _mpt(fields: Fields) -> Shape:
    """MPT: no positions to learn (ALiBi), no biases, tied."""
    hidden, heads, layers = fields.count("d_model"), fields.count("n_heads"), fields.layers("n_layers")
    fields.only("no_bias", expected=True, default=True)
    ratio = fields.raw("expansion_ratio")
    if type(ratio) is not int or not 1 <= ratio <= 64:
        raise Invalid(fields.name("expansion_ratio"), ratio, "an integer from 1 to 64")
    attention = fields.raw("attn_config")
    if attention is not None:
        inner = Fields(attention, fields.name("attn_config."))
        inner.only("attn_type", expected="multihead_attention", default="multihead_attention")
        inner.only("alibi", expected=True, default=True)
        inner.only("qk_ln", expected=False, default=False)
        for key in (
            "alibi_bias_max",
            "attn_impl",
            "attn_pdrop",
            "attn_uses_sequence_id",
            "softmax_scale",
            "clip_qkv",
            "prefix_lm",
        ):
            inner.raw(key)
        inner.finish()
    for key in ("init_config", "learned_pos_emb", "emb_pdrop", "max_seq_len"):
        fields.raw(key)
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=_full(fields, layers, hidden, heads, hidden_key="d_model"),
        mlps=_mlps(layers, ratio * hidden, bias=False),
        vocab_size=fields.count("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=True),
        context_limit=fields.tokens("max_seq_len"),
    )


def _sizes(fields: Fields) -> tuple[int, int, int]:
    return fields.count("hidden_size"), fields.count("num_attention_heads"), fields.layers("num_hidden_layers")


def _full(
    fields: Fields,
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int | None = None,
    *,
    hidden_key: str = "hidden_size",
) -> tuple[LayerGroup, ...]:
    """One group of full attention; as many KV heads as query heads unless said."""
    windows = layer_windows(fields, layers, None)
    return attention_groups(windows, kv_heads or heads, head_width(fields, hidden, heads, hidden_key))


def _mlps(layers: int, width: int, *, bias: bool = True) -> tuple[Mlp, ...]:
    return (Mlp(layers=layers, intermediate_size=width, gated=False, bias=bias),)


CLASSIC: Mapping[str, Reader] = MappingProxyType(
    {
        "bloom": _bloom,
        "falcon": _falcon,
        "gpt2": _gpt2,
        "gpt_bigcode": _gpt_bigcode,
        "gpt_neox": _gpt_neox,
        "gptj": _gptj,
        "mpt": _mpt,
        "opt": _opt,
        "phi": _phi,
        "starcoder2": _starcoder2,
    }
)
"""model_type -> reader."""
