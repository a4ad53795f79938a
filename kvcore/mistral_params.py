"""Reads Mistral's own params.json, which lies beside config.json in Mistral's repositories or stands in its place.

The names are those of mistralai/mistral-inference (args.py, TransformerArgs and MoeArgs); what they mean for the newer fields is
as vLLM reads them (vllm-project/vllm 01da88c, vllm/transformers_utils/configs/mistral.py). There is no model_type. Three kinds
have been published: dense (Mistral 7B), experts in every layer (Mixtral), and latent attention with routed and shared experts
(Mistral Large 3), which vLLM reads as a DeepSeek-V3 whose router has no correction bias.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kvcore.errors import Invalid, Unsupported
from kvcore.families.common import attention_groups, checked_heads, routed_mlps
from kvcore.families.latent_attention import latent_layer
from kvcore.fields import Fields
from kvcore.layers import MOST_LAYERS
from kvcore.shape import Group, Mlp, Shape

__all__ = ["KIND", "is_mistral_params", "read_mistral_params"]

KIND = "Mistral params.json"
"""What stands for the model_type of such a file."""


def is_mistral_params(config: object) -> bool:
    """Whether the file is a params.json: it has `dim` and `n_layers`, and no model_type but Mistral's "transformer".

    >>> is_mistral_params({"dim": 4096, "n_layers": 32}), is_mistral_params({"model_type": "mpt", "d_model": 4096})
    (True, False)
    """
    return (
        isinstance(config, Mapping)
        and config.get("model_type", "transformer") == "transformer"
        and "dim" in config
        and "n_layers" in config
    )


def read_mistral_params(fields: Fields) -> Shape:
    """The shape of the language model. Encoders of images and sounds are not counted.

    Raises:
        Invalid, Unsupported: naming the field, as `read_config` does.

    >>> seven = {"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
    ...          "norm_eps": 1e-05, "sliding_window": 4096, "vocab_size": 32000}
    >>> read_mistral_params(Fields(seven)).params
    7241732096
    """
    fields.only("model_type", "transformer", why="Mistral's other models have other files")
    hidden, layers, heads = fields.integer("dim"), fields.layers("n_layers"), fields.integer("n_heads")
    width = fields.integer("hidden_dim")
    experts = fields.inside("moe") if fields.has("moe") else None
    groups = _latent(fields, hidden, layers, heads) if fields.has("kv_lora_rank") else _attention(fields, layers, heads)
    latent = groups[0].kind == "latent"
    if experts is None:
        mlps: tuple[Mlp, ...] = (Mlp(layers=layers, intermediate_size=width, gated=True),)
    elif latent:
        mlps = _shared_and_routed(experts, layers, width)
    else:
        count = experts.integer("num_experts")
        mlps = (Mlp(layers=layers, intermediate_size=width, gated=True, experts=count),)
    if experts is not None:
        experts.finish()
    limit = "max_position_embeddings" if fields.has("max_position_embeddings") else "max_seq_len"
    fields.ignore("max_seq_len", why="the same limit again, of the tokens in a context")
    fields.ignore("vision_encoder", "multimodal", why="encoders of images and sounds are not counted")
    fields.ignore("yarn", "llama_4_scaling", "rope_theta", why="positions have no parameters")
    fields.value("quantization")
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=groups,
        mlps=mlps,
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tied_embeddings", default=False),
        context_limit=fields.tokens(limit),
    )


def _attention(fields: Fields, layers: int, heads: int) -> tuple[Group, ...]:
    """Grouped-query attention: `head_dim` and `n_kv_heads` are always there."""
    kv_heads = checked_heads(fields, "n_kv_heads", fields.integer("n_kv_heads"), heads)
    return attention_groups(_windows(fields, layers), kv_heads, fields.integer("head_dim"))


def _windows(fields: Fields, layers: int) -> Sequence[int | None]:
    """`sliding_window` is a number for all layers, null, or a list that repeats over the layers, null for full attention."""
    given = fields.value("sliding_window")
    if not isinstance(given, list):
        return [fields.tokens("sliding_window")] * layers
    if not given or layers % len(given) or len(set(map(repr, given)) - {"None"}) > 1:
        raise Invalid(
            fields.name("sliding_window"), given, f"a list of one window or null, as long as a divisor of {layers}"
        )
    inner = Fields({str(index): window for index, window in enumerate(given)}, fields.name("sliding_window."))
    return [inner.tokens(str(layer % len(given))) for layer in range(layers)]


def _latent(fields: Fields, hidden: int, layers: int, heads: int) -> tuple[Group, ...]:
    """Latent attention, under DeepSeek's names."""
    latent = replace(latent_layer(fields, hidden, heads), layers=layers)
    fields.ignore("n_kv_heads", why="every head's K and V are computed from the one latent vector")
    fields.only("sliding_window", why="latent attention has no window")
    return (latent,)


def _shared_and_routed(moe: Fields, layers: int, dense: int) -> tuple[Mlp, ...]:
    """Dense MLPs in the first layers, routed and shared experts in the others."""
    first = moe.integer("first_k_dense_replace", low=0, high=MOST_LAYERS)
    width, shared = moe.integer("expert_hidden_dim"), moe.integer("num_shared_experts", high=1024)
    moe.only("route_every_n", 1, why="experts in every layer after the first ones")
    moe.only("use_load_balancing_bias", False, why="the router has no bias")
    moe.ignore(
        "num_experts_per_tok", "num_expert_groups", "num_expert_groups_per_tok", "expert_parallel", "expert_model_parallel",
        why="which experts a token is sent to, and on which GPUs they are",
    )  # fmt: skip
    routed = [layer >= first for layer in range(layers)]
    if not any(routed):
        raise Unsupported(moe.name("first_k_dense_replace"), first, f"below the {layers} layers, as there are experts")
    return routed_mlps(routed, width, dense, experts=moe.integer("num_experts"), shared_size=shared * width)
