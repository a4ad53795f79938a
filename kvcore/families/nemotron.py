"""Readers for NVIDIA's models whose configs list every layer: Nemotron NAS (found by search) and Nemotron-H (hybrid).

Sources: the modeling_decilm.py and block_config.py that Nemotron NAS models publish beside their config;
huggingface/transformers, src/transformers/models/nemotron_h.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from kvcore.errors import Invalid
from kvcore.families.common import Reader, checked_heads, head_width, mtp_count
from kvcore.families.recurrent_layers import Mamba2, state_dtype, weight_dtype
from kvcore.fields import Fields
from kvcore.layers import MOST_LAYERS, LayerGroup, NoCacheGroup
from kvcore.shape import Group, Mlp, MtpLayers, Shape
from kvcore.tensors import Tensor

__all__ = ["NEMOTRON"]

_BLOCKS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
_MOST_MULT = 64
_ALIASES = {"linear_attention": "mamba", "full_attention": "attention"}


def _blocks(fields: Fields) -> list[str]:
    """The kind of each layer: from a string of M (Mamba-2), * (attention), - (MLP) and E (experts), or a list of names."""
    if fields.has("hybrid_override_pattern"):
        blocks = [_BLOCKS[letter] for letter in fields.letters("hybrid_override_pattern", "".join(_BLOCKS))]
    else:
        given = fields.value("layers_block_type")
        length = len(given) if isinstance(given, list) else 0
        found = fields.strings("layers_block_type", length, (*_BLOCKS.values(), *_ALIASES))
        if not found or length > MOST_LAYERS:
            raise Invalid(
                fields.name("hybrid_override_pattern"),
                None,
                "a string of the letters M, *, - and E, and there is no list layers_block_type",
            )
        blocks = [_ALIASES.get(block, block) for block in found]
    layers = fields.integer("num_hidden_layers", len(blocks), high=MOST_LAYERS)
    if layers != len(blocks):
        raise Invalid(fields.name("num_hidden_layers"), layers, f"the {len(blocks)} layers of the pattern")
    return blocks


def _nemotron_h(fields: Fields) -> Shape:
    """Nemotron-H, Nemotron 3: each layer is one norm and one of Mamba-2, attention, an MLP or experts; MLPs have no gate."""
    blocks = _blocks(fields)
    hidden, heads = fields.integer("hidden_size"), fields.integer("num_attention_heads")
    kv_heads = checked_heads(fields, "num_key_value_heads", fields.integer("num_key_value_heads", 8), heads)
    dim = fields.integer("head_dim", 128)
    fields.agree("attention_head_dim", dim)
    fields.only("sliding_window", why="no layer has a window")
    fields.require("attention_bias", expected=False, default=False)  # transformers 5.24 has no biases, whatever it says
    fields.require("tie_word_embeddings", expected=False, default=False)  # transformers 5.24 ties nothing
    mamba = Mamba2(
        hidden=hidden,
        heads=fields.integer("mamba_num_heads"),
        head_dim=fields.integer("mamba_head_dim"),
        state=fields.integer("ssm_state_size"),
        groups=fields.integer("n_groups"),
        kernel=fields.integer("conv_kernel", 4, high=1024),
        conv_bias=fields.flag("use_conv_bias", default=True),
        bias=fields.flag("use_bias", default=False),
    )
    fields.agree("mamba_proj_bias", mamba.bias)  # transformers reads use_bias alone, for both projections
    fields.ignore("expand", "mamba_expand", why="the inner width is mamba_num_heads * mamba_head_dim")
    fields.ignore("chunk_size", "mamba_chunk_size", "use_mamba_kernels", "time_step_rank", why="how it is computed")
    names = ("dt_min", "dt_max", "dt_limit", "dt_init_floor")
    fields.ignore(*(f"mamba_{name}" for name in names), why="limits of the time steps")
    fields.ignore("mamba_hidden_act", "mlp_hidden_act", why="activations have no parameters; MLPs have no gate")
    fields.agree("mamba_num_groups", mamba.groups)
    fields.agree("mamba_state_dim", mamba.state)
    counts = {kind: blocks.count(kind) for kind in _BLOCKS.values()}
    dtype, state = weight_dtype(fields), state_dtype(fields, "mamba_ssm_cache_dtype")
    groups: list[Group] = []
    attention = LayerGroup(layers=max(1, counts["attention"]), kv_heads=kv_heads, key_dim=dim, value_dim=dim)
    if counts["attention"]:
        groups.append(attention)
    if counts["mamba"]:
        groups.append(mamba.group(counts["mamba"], dtype, state))
    if counts["mlp"] + counts["moe"]:
        groups.append(NoCacheGroup(layers=counts["mlp"] + counts["moe"]))
    mlps = _plain_mlps(fields, counts["mlp"], counts["moe"])
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=tuple(groups),
        mlps=mlps,
        vocab_size=fields.integer("vocab_size"),
        tied=False,
        context_limit=fields.tokens("max_position_embeddings"),
        norms_per_layer=1,
        mtp=_mtp(fields, attention, mlps),
    )


def _mtp(fields: Fields, attention: LayerGroup, mlps: tuple[Mlp, ...]) -> MtpLayers | None:
    """The layers of one MTP step, attention and experts in the order of a pattern of their own; None if there is no such step.

    Source: vllm-project/vllm@01ca277, vllm/model_executor/models/nemotron_h_mtp.py.
    """
    steps = mtp_count(fields)
    if fields.has("mtp_hybrid_override_pattern"):
        blocks = [_BLOCKS[letter] for letter in fields.letters("mtp_hybrid_override_pattern", "*E")]
    else:
        given = fields.value("mtp_layers_block_type")
        length = len(given) if isinstance(given, list) else 0
        names = fields.strings(
            "mtp_layers_block_type", min(length, MOST_LAYERS), ("attention", "full_attention", "moe")
        )
        blocks = [_ALIASES.get(name, name) for name in names or []]
    attending, routed = steps * blocks.count("attention"), steps * blocks.count("moe")
    experts = [mlp for mlp in mlps if mlp.experts]
    if not attending + routed or (routed and not experts):
        return None
    groups: list[Group] = [replace(attention, layers=attending)] if attending else []
    return MtpLayers(
        groups=(*groups, *([NoCacheGroup(layers=routed)] if routed else [])),
        mlps=tuple(replace(mlp, layers=routed) for mlp in experts) if routed else (),
        projections=steps,
    )


def _plain_mlps(fields: Fields, dense: int, routed: int) -> tuple[Mlp, ...]:
    bias = fields.flag("mlp_bias", default=False)
    parts = []
    experts = ("n_routed_experts", "moe_intermediate_size", "moe_latent_size")
    if dense:
        parts.append(Mlp(layers=dense, intermediate_size=fields.integer("intermediate_size"), gated=False, bias=bias))
    else:
        fields.ignore("intermediate_size", why="the width of dense MLPs, and there are none")
    if routed:
        fields.require("mlp_bias", expected=False, default=False)
        shared = fields.integer("n_shared_experts", 1, null=0, low=0, high=1)
        width = fields.integer("moe_shared_expert_intermediate_size") if shared else 0
        parts.append(
            Mlp(
                layers=routed, intermediate_size=fields.integer("moe_intermediate_size"), gated=False,
                experts=fields.integer("n_routed_experts"), shared_size=width, router_bias=True,
                latent_size=fields.integer("moe_latent_size", 0, null=0),  # null: none; 0 would be matrices of rank 0
            )
        )  # fmt: skip
    else:
        fields.ignore(*experts, "n_shared_experts", "moe_shared_expert_intermediate_size", why="there are no experts")
    return tuple(parts)


def _nas(fields: Fields) -> Shape:
    """Llama-Nemotron: a Llama in which each layer has its own KV heads and MLP width, or lacks attention or MLP and its norm."""
    hidden, heads, layers = (
        fields.integer("hidden_size"), fields.integer("num_attention_heads"), fields.layers("num_hidden_layers"),
    )  # fmt: skip
    dim = head_width(fields, hidden, heads)
    fields.require("attention_bias", expected=False, default=False)
    fields.require("mlp_bias", expected=False, default=False)
    fields.require("intermediate_size", expected=None, default=None)
    fields.require("num_key_value_heads", expected=None, default=None)
    blocks = fields.value("block_configs")
    if not isinstance(blocks, list) or len(blocks) != layers:
        raise Invalid(fields.name("block_configs"), blocks, f"a list of {layers}, one entry a layer")
    kv_heads: list[int] = []
    widths: list[int] = []
    for index, block in enumerate(blocks):
        inner = Fields(block, fields.name(f"block_configs[{index}]."))
        kv_heads.append(_attention_of(Fields(inner.value("attention"), inner.name("attention.")), heads))
        widths.append(_width_of(Fields(inner.value("ffn"), inner.name("ffn.")), hidden))
        inner.finish()
    without = kv_heads.count(0)
    groups: list[Group] = [
        LayerGroup(layers=kv_heads.count(count), kv_heads=count, key_dim=dim, value_dim=dim)
        for count in dict.fromkeys(kv_heads)
        if count
    ]
    if without:
        groups.append(NoCacheGroup(layers=without))
    halves = (layers - without) + (layers - widths.count(0))
    return Shape(
        hidden_size=hidden,
        query_heads=heads,
        groups=tuple(groups),
        mlps=tuple(
            Mlp(layers=widths.count(width), intermediate_size=width, gated=True)
            for width in dict.fromkeys(widths)
            if width
        ),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", default=False),
        context_limit=fields.tokens("max_position_embeddings"),
        norms_per_layer=0,
        other_tensors=(Tensor("layer_norms", (hidden,), "norm", halves),) if halves else (),
    )


def _attention_of(inner: Fields, query_heads: int) -> int:
    """KV heads of one block, 0 where it has no attention; `n_heads_in_group` query heads share each of them."""
    skipped = inner.flag("no_op", default=False)
    for key in ("replace_with_linear", "unshifted_sink", "use_prefill_window_in_sink_attention"):
        inner.require(key, expected=False, default=False)
    for key in ("num_sink_tokens", "sparsify", "window_length"):
        inner.require(key, expected=None, default=None)
    group = inner.integer("n_heads_in_group", null=0, low=0)
    inner.finish()
    if skipped:
        return 0
    if not group or query_heads % group:
        raise Invalid(inner.name("n_heads_in_group"), group, f"a divisor of the {query_heads} query heads")
    return query_heads // group


def _width_of(inner: Fields, hidden: int) -> int:
    """Width of one block's MLP, 0 where it has none: 2/3 of ffn_mult * hidden, rounded up to a multiple of 256."""
    skipped = inner.flag("no_op", default=False)
    inner.require("replace_with_linear", expected=False, default=False)
    inner.require("sparsify", expected=None, default=None)
    mult = inner.value("ffn_mult")
    inner.finish()
    if skipped:
        return 0
    if isinstance(mult, bool) or not isinstance(mult, int | float) or not 0 < mult <= _MOST_MULT:
        raise Invalid(inner.name("ffn_mult"), mult, f"a number above 0 and up to {_MOST_MULT}")
    width = int(2 * Fraction(mult) * hidden / 3)
    return -(-width // 256) * 256


NEMOTRON: Mapping[str, Reader] = MappingProxyType({"nemotron-nas": _nas, "nemotron_h": _nemotron_h})
"""model_type -> reader."""
