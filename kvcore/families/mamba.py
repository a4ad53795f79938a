"""Readers for Mamba, Mamba-2, and hybrids of either with attention: Jamba, Bamba, Falcon-H1, Granite 4.

Sources: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py for names and defaults,
modeling_FAMILY.py for the matrices.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from kvcore.errors import Invalid
from kvcore.families.common import Reader, routed_mlps
from kvcore.families.decoder import decoder, dense
from kvcore.families.recurrent_layers import Mamba1, Mamba2, all_full, split_layers, state_dtype, weight_dtype
from kvcore.fields import Fields
from kvcore.recurrent import RecurrentGroup
from kvcore.shape import Mlp, Shape

__all__ = ["MAMBA"]


def _alone(fields: Fields, group: RecurrentGroup, hidden: int, *, tied: bool) -> Shape:
    """A model of recurrent layers only: one norm a layer, no MLPs, no context limit."""
    return Shape(
        hidden_size=hidden,
        query_heads=0,
        groups=(group,),
        mlps=(),
        vocab_size=fields.integer("vocab_size"),
        tied=fields.flag("tie_word_embeddings", tied),
        norms_per_layer=1,
    )


def _mamba1(fields: Fields, hidden: int, inner: int, *, prefix: str = "") -> Mamba1:
    """The Mamba layer of Mamba and Falcon-Mamba, or of Jamba, whose field names begin with `mamba_`."""
    names = ("state_size", "conv_kernel", "time_step_rank", "use_conv_bias", "use_bias")
    if prefix:
        names = ("mamba_d_state", "mamba_d_conv", "mamba_dt_rank", "mamba_conv_bias", "mamba_proj_bias")
    state, kernel, rank, conv_bias, bias = names
    given = fields.value(rank)
    return Mamba1(
        hidden=hidden,
        inner=inner,
        state=fields.integer(state, 16),
        kernel=fields.integer(kernel, 4, high=1024),
        rank=-(-hidden // 16) if given is None or given == "auto" else fields.integer(rank),
        conv_bias=fields.flag(conv_bias, default=True),
        bias=fields.flag(bias, default=False),
        norms=bool(prefix),
    )


def _mamba(fields: Fields) -> Shape:
    """Mamba and Falcon-Mamba. Falcon-Mamba's three extra norms have no parameters."""
    hidden, layers = fields.integer("hidden_size"), fields.layers("num_hidden_layers")
    expanded = fields.integer("expand", 2, high=64) * hidden
    inner = fields.integer("intermediate_size", expanded)
    fields.agree("d_inner", inner)
    fields.agree("d_model", hidden)
    fields.agree("n_layer", layers)
    fields.ignore(
        "fused_add_norm", "use_mambapy", "use_falcon_mambapy", "use_associative_scan", why="how it is computed"
    )
    fields.ignore("rms_norm", why="the norms of MambaModel are RMS norms, whatever it says")
    fields.ignore("ssm_cfg", why="the original code's settings, which transformers does not read")
    fields.ignore("pad_vocab_size_multiple", why="vocab_size is the number of rows, after padding")
    layer = _mamba1(fields, hidden, inner)
    group = layer.group(layers, weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype"))
    return _alone(fields, group, hidden, tied=True)


def _mamba2_alone(fields: Fields) -> Shape:
    """Mamba-2, Codestral Mamba: heads * head width must be the inner width."""
    hidden, layers = fields.integer("hidden_size"), fields.layers("num_hidden_layers")
    layer = _mamba2(
        fields, hidden, heads="num_heads", head_dim="head_dim", state="state_size", groups="n_groups", kernel="conv_kernel",
        conv_bias=fields.flag("use_conv_bias", default=True), bias=fields.flag("use_bias", default=False),
        default_groups=8,
    )  # fmt: skip
    inner = fields.integer("expand", 2, high=64) * hidden
    if inner != layer.heads * layer.head_dim:
        raise Invalid(fields.name("num_heads"), layer.heads, f"a number of heads that add up to {inner} values")
    fields.ignore("chunk_size", "time_step_rank", why="how it is computed; Mamba-2 has no low rank for its time steps")
    fields.ignore("rms_norm", "norm_before_gate", why="the order of norm and gate; the norm is there whatever they say")
    group = layer.group(layers, weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype"))
    return _alone(fields, group, hidden, tied=False)


def _jamba(fields: Fields) -> Shape:
    """Jamba: attention in every `attn_layer_period`-th layer, experts in every `expert_layer_period`-th, Mamba elsewhere."""
    period, offset = _period(fields, "attn", 8, 4)

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        every, first = _period(fields, "expert", 2, 1)
        experts, width = fields.integer("num_experts", 16), fields.integer("intermediate_size")
        routed = [experts > 1 and layer % every == first for layer in range(layers)]
        return routed_mlps(routed, width, width, experts=experts)

    shape = decoder(fields, default_kv_heads=8, mlps=mlps)
    hidden, layers = shape.hidden_size, shape.layers
    attending = sum(layer % period == offset for layer in range(layers))
    layer = _mamba1(fields, hidden, fields.integer("mamba_expand", 2, high=64) * hidden, prefix="mamba_")
    fields.ignore("use_mamba_kernels", "use_associative_scan", "use_mambapy", why="how it is computed")
    group = layer.group(layers - attending, weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype"))
    return split_layers(shape, attending, [group])


def _period(fields: Fields, kind: str, default_period: int, default_offset: int) -> tuple[int, int]:
    """Every how many layers one of a kind comes, and the index of the first; an index past the first period is refused."""
    period = fields.integer(f"{kind}_layer_period", default_period)
    key = f"{kind}_layer_offset"
    offset = fields.integer(key, default_offset, low=0)
    if offset >= period:
        raise Invalid(fields.name(key), offset, f"below {kind}_layer_period, which is {period}")
    return period, offset


def _mamba2(
    fields: Fields,
    hidden: int,
    *,
    heads: str,
    head_dim: str,
    state: str,
    groups: str,
    kernel: str,
    default_groups: int = 1,
    inner: int | None = None,
    **more: Any,
) -> Mamba2:
    """A Mamba-2 layer. The keyword arguments are the names of the config's fields; `more` are further fields of Mamba2.

    A head width that is missing or "auto" is `inner` values divided by the heads, where `inner` is given.
    """
    count = fields.integer(heads)
    width = fields.value(head_dim)
    if inner is not None and (width == "auto" or head_dim not in dict(fields.items())):
        if inner % count:
            raise Invalid(fields.name(heads), count, f"a divisor of the {inner} values that the heads share")
        fields.assume(head_dim, inner // count)
        width = inner // count
    else:
        width = fields.integer(head_dim)
    return Mamba2(
        hidden=hidden,
        heads=count,
        head_dim=width,
        state=fields.integer(state),
        groups=fields.integer(groups, default_groups),
        kernel=fields.integer(kernel, 4, high=1024),
        **more,
    )


def _mamba2_of(fields: Fields, hidden: int, *, inner: int | None = None, **more: Any) -> Mamba2:
    """The Mamba-2 layer of Bamba, Falcon-H1 and Granite: heads * head width must be the inner width."""
    expanded = fields.integer("mamba_expand", 2, high=64) * hidden
    inner = expanded if inner is None else inner
    layer = _mamba2(
        fields, hidden, heads="mamba_n_heads", head_dim="mamba_d_head", state="mamba_d_state", groups="mamba_n_groups",
        kernel="mamba_d_conv", conv_bias=fields.flag("mamba_conv_bias", default=True, null=False),
        bias=fields.flag("mamba_proj_bias", default=False), inner=inner, **more,
    )  # fmt: skip
    if inner != layer.heads * layer.head_dim:
        raise Invalid(fields.name("mamba_n_heads"), layer.heads, f"a number of heads that add up to {inner} values")
    fields.ignore("mamba_chunk_size", why="how many tokens are computed at once; the state has one size")
    return layer


def _bamba(fields: Fields) -> Shape:
    """Bamba: Mamba-2 layers, with attention in the layers that `attn_layer_indices` lists."""
    bias = fields.flag("attention_bias", default=False)
    mlps = dense(bias=fields.flag("mlp_bias", default=False))
    shape = decoder(fields, default_kv_heads=8, qkv_bias=bias, output_bias=bias, mlps=mlps)
    if not fields.has("attn_layer_indices"):
        raise Invalid(fields.name("attn_layer_indices"), None, "a list of the layers that attend")
    attending = len(fields.layer_indices("attn_layer_indices", shape.layers))
    if attending == shape.layers:
        return shape
    layer = _mamba2_of(fields, shape.hidden_size)
    group = layer.group(shape.layers - attending, weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype"))
    return split_layers(shape, attending, [group])


def _falcon_h1(fields: Fields) -> Shape:
    """Falcon-H1: attention and Mamba-2 run in parallel in every layer.

    `mamba_proj_bias` is the bias of the Mamba-2 layer's first projection, `projectors_bias` that of its last.
    """
    bias = fields.flag("attention_bias", default=False)
    mlps = dense(bias=fields.flag("mlp_bias", default=False))
    shape = decoder(fields, default_kv_heads=8, qkv_bias=bias, output_bias=bias, mlps=mlps)
    inner = fields.integer("mamba_d_ssm", 1024, null=0)  # null: mamba_expand * hidden_size
    layer = _mamba2_of(
        fields,
        shape.hidden_size,
        inner=inner or None,
        norm=fields.flag("mamba_rms_norm", default=False),
        out_bias=fields.flag("projectors_bias", default=False),
    )
    fields.only("mamba_use_mlp", True, why="every layer has an MLP")
    fields.only("attn_layer_indices", [], why="every layer attends")
    fields.ignore("mlp_expansion_factor", why="intermediate_size is the width")
    fields.ignore("mamba_norm_before_gate", why="the order of norm and gate")
    group = layer.group(shape.layers, weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype"), parallel=True)
    return replace(shape, groups=(*shape.groups, group))


def _granite_hybrid(fields: Fields) -> Shape:
    """Granite 4: Mamba-2 layers, with attention where `layer_types` says; a shared MLP, with experts in the larger models."""
    bias = fields.flag("attention_bias", default=False)

    def mlps(fields: Fields, layers: int) -> tuple[Mlp, ...]:
        experts = fields.integer("num_local_experts", 8, null=0, low=0)
        shared, width = fields.integer("shared_intermediate_size", 1024), fields.integer("intermediate_size")
        if not experts:
            return (Mlp(layers=layers, intermediate_size=shared, gated=True),)
        return (Mlp(layers=layers, intermediate_size=width, gated=True, experts=experts, shared_size=shared),)

    shape = decoder(fields, qkv_bias=bias, output_bias=bias, mlps=mlps, windows=all_full)
    types = fields.strings("layer_types", shape.layers, ("attention", "mamba", "full_attention", "linear_attention"))
    attending = sum(kind in {"attention", "full_attention"} for kind in types or ())
    if not attending:
        raise Invalid(
            fields.name("layer_types"), types, "a list with attention in it, without which no model of the family runs"
        )
    if attending == shape.layers:
        return shape
    layer = _mamba2_of(fields, shape.hidden_size)
    group = layer.group(shape.layers - attending, weight_dtype(fields), state_dtype(fields, "mamba_ssm_dtype"))
    return split_layers(shape, attending, [group])


MAMBA: Mapping[str, Reader] = MappingProxyType(
    {
        "bamba": _bamba,
        "falcon_h1": _falcon_h1,
        "falcon_mamba": _mamba,
        "granitemoehybrid": _granite_hybrid,
        "jamba": _jamba,
        "mamba": _mamba,
        "mamba2": _mamba2_alone,
    }
)
"""model_type -> reader."""
