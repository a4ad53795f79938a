"""Readers for families of multi-head latent attention: DeepSeek V2 and V3, and families with the same layer.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices; arXiv 2405.04434, section 2.1.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.families.common import (
    MTP,
    Reader,
    after_the_first,
    mtp_count,
    routed_mlps,
    usual_sizes,
    with_mtp_layers,
)
from kvcore.families.decoder import dense
from kvcore.fields import REQUIRED, Fields
from kvcore.latent import LatentGroup
from kvcore.shape import Mlp, Shape
from kvcore.tensors import Tensor

__all__ = ["LATENT_ATTENTION", "latent_layer"]


def latent_layer(fields: Fields, hidden: int, heads: int, *, direct: int = REQUIRED) -> LatentGroup:
    """Read one layer of latent attention: r_kv, d_rope, the widths of its heads, and its tensors.

    Q is computed through a low rank with a norm (`q_lora_rank`), or directly where that is null; `direct` 0 says that a config
    without the field means that too. K and V are computed from
    the cached latent of r_kv values, which has a norm; the rotary part of K (d_rope values) is cached next to it.
    Every head has d_nope + d_rope values of Q and K, and d_v of V.
    """
    rank, rope = fields.integer("kv_lora_rank"), fields.integer("qk_rope_head_dim")
    nope, value = fields.integer("qk_nope_head_dim"), fields.integer("v_head_dim")
    query_rank = fields.integer("q_lora_rank", direct, null=0)
    bias = fields.flag("attention_bias", default=False)
    fields.agree("qk_head_dim", nope + rope)
    fields.ignore("head_dim", why="the widths of heads are qk_nope_head_dim, qk_rope_head_dim and v_head_dim")
    if fields.has(
        "num_key_value_heads"
    ):  # and nothing depends on it: K and V of all heads are computed from one latent vector
        fields.integer("num_key_value_heads")
    queries = heads * (nope + rope)
    tensors = [
        Tensor("kv_a_proj_with_mqa", (rank + rope, hidden), "attention"),
        Tensor("kv_a_layernorm", (rank,), "norm"),
        Tensor("kv_b_proj", (heads * (nope + value), rank), "attention"),
        Tensor("o_proj", (hidden, heads * value), "attention"),
    ]
    if query_rank:
        tensors += [
            Tensor("q_a_proj", (query_rank, hidden), "attention"),
            Tensor("q_a_layernorm", (query_rank,), "norm"),
            Tensor("q_b_proj", (queries, query_rank), "attention"),
        ]
    else:
        tensors.append(Tensor("q_proj", (queries, hidden), "attention"))
    if bias:
        biases = (("q_a_proj.bias", query_rank), ("kv_a_proj_with_mqa.bias", rank + rope), ("o_proj.bias", hidden))
        tensors += [Tensor(name, (width,), "attention") for name, width in biases if width]
    return LatentGroup(layers=1, kv_rank=rank, rope_dim=rope, nope_dim=nope, value_dim=value, tensors=tuple(tensors))


def _experts(fields: Fields, layers: int, *, first: int, corrected: bool, shared: int = 1) -> tuple[Mlp, ...]:
    """Dense MLPs in the first layers, routed and shared experts after; `corrected` routers have a bias for each expert.

    `first` and `shared` are the defaults of `first_k_dense_replace` and `n_shared_experts` in the family's config class; null
    means no shared expert (deepseek-ai's modeling_deepseek.py).
    """
    routed = after_the_first(fields, layers, first)
    width = fields.integer("moe_intermediate_size")
    shared = fields.integer("n_shared_experts", shared, null=0, low=0, high=1024)
    fields.ignore("ep_size", why="over how many GPUs experts were divided in training")
    return routed_mlps(
        routed,
        width,
        fields.integer("intermediate_size"),
        experts=fields.integer("n_routed_experts"),
        shared_size=shared * width,
        router_bias=corrected,
    )


def _shape(fields: Fields, mlps: tuple[Mlp, ...], *, tied: bool = False) -> Shape:
    hidden, heads, layers = usual_sizes(fields)
    group = replace(latent_layer(fields, hidden, heads), layers=layers)
    fields.ignore("num_mtp_layers", why="another name of num_nextn_predict_layers")
    fields.ignore(
        "mlp_bias", why="the MLPs of these families have no biases, whatever it says; where they may, it is read"
    )
    shape = Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=(group,),
        mlps=mlps,
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", tied),
        context_limit=fields.tokens("max_position_embeddings"),
    )
    return with_mtp_layers(shape, mtp_count(fields))


def _deepseek_v2(fields: Fields) -> Shape:
    layers = fields.layers("num_hidden_layers")
    fields.require("mlp_bias", expected=False, default=False)
    return _shape(fields, _experts(fields, layers, first=0, corrected=False, shared=2))


def _deepseek_v3(fields: Fields) -> Shape:
    """DeepSeek-V3, R1, Kimi K2: the router has a correction bias."""
    return _shape(fields, _experts(fields, fields.layers("num_hidden_layers"), first=3, corrected=True))


def _mistral4(fields: Fields) -> Shape:
    return _shape(fields, _experts(fields, fields.layers("num_hidden_layers"), first=0, corrected=False))


def _lite(fields: Fields) -> Shape:
    """GLM-4.7-Flash: DeepSeek-V3's layer, the first one dense. Glm4MoeLiteConfig takes head_dim for qk_rope_head_dim."""
    if not fields.has("mlp_layer_types"):
        fields.only(
            "first_k_dense_replace", 1, why="Glm4MoeLiteConfig has no such field, and makes the first layer dense"
        )
    fields.agree("head_dim", fields.integer("qk_rope_head_dim"))
    return _shape(fields, _experts(fields, fields.layers("num_hidden_layers"), first=1, corrected=True))


def _sparse(fields: Fields) -> Shape:
    """DeepSeek-V3.2 and GLM-5: an indexer in each layer, whose keys are cached in addition to the latent.

    A layer of `indexer_types` "shared" (GLM-5.2) reuses the choice of an earlier layer's indexer: it has no indexer and no keys.
    An MTP layer always has one (vllm-project/vllm@002d607, vllm/model_executor/models/deepseek_v2.py).
    """
    layers = fields.layers("num_hidden_layers")
    fields.strings("layer_types", layers, ("indexed_attention", "deepseek_sparse_attention"))
    kinds = fields.strings("indexer_types", layers, ("full", "shared")) or ["full"] * layers
    heads, dim = fields.integer("index_n_heads"), fields.integer("index_head_dim")
    fields.ignore("index_topk", why="how many tokens are attended to; the keys of all are cached")
    fields.ignore("index_share_for_mtp_iteration", why=MTP)
    fields.ignore("index_skip_topk_offset", why="read only with an index_topk_freq above 1")
    if fields.has("indexer_types"):
        fields.ignore("index_topk_freq", "index_topk_pattern", why="indexer_types says it layer by layer")
    else:
        fields.only("index_topk_freq", 1, why="every layer has an indexer of its own")
    hidden, query_rank = fields.integer("hidden_size"), fields.integer("q_lora_rank")
    indexer = (
        Tensor("indexer.wq_b", (heads * dim, query_rank), "attention"),
        Tensor("indexer.wk", (dim, hidden), "attention"),
        Tensor("indexer.k_norm", (dim,), "norm"),
        Tensor("indexer.k_norm.bias", (dim,), "norm"),
        Tensor("indexer.weights_proj", (heads, hidden), "attention"),
    )
    shape = _shape(fields, _experts(fields, layers, first=3, corrected=True))
    plain = latent_layer(fields, hidden, shape.query_heads)
    indexed = replace(plain, index_dim=dim, tensors=plain.tensors + indexer)
    counted = ((indexed, kinds.count("full")), (plain, kinds.count("shared")))
    shape = replace(shape, groups=tuple(replace(group, layers=count) for group, count in counted if count))
    return with_mtp_layers(shape, mtp_count(fields), indexed)


def _youtu(fields: Fields) -> Shape:
    return _shape(fields, dense()(fields, fields.layers("num_hidden_layers")), tied=True)


def _minicpm3(fields: Fields) -> Shape:
    if fields.value("q_lora_rank") is None:
        raise Invalid(fields.name("q_lora_rank"), None, "a number")
    fields.require("mlp_bias", expected=False, default=False)
    fields.ignore("dim_model_base", why="a factor on the output's values")
    return _shape(fields, dense()(fields, fields.layers("num_hidden_layers")), tied=True)


LATENT_ATTENTION: Mapping[str, Reader] = MappingProxyType(
    {
        "deepseek_v2": _deepseek_v2,
        "deepseek_v3": _deepseek_v3,
        "deepseek_v32": _sparse,
        "glm4_moe_lite": _lite,
        "glm_moe_dsa": _sparse,
        "kimi_k2": _deepseek_v3,
        "minicpm3": _minicpm3,
        "mistral4": _mistral4,
        "youtu": _youtu,
    }
)
"""model_type -> reader."""
