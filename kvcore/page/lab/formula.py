"""The article's formula with a model's numbers: one product for each group of layers, then context and batch."""

from kvcore.dtypes import Dtype
from kvcore.footprint import Footprint
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.page.html import Html, data, el, join
from kvcore.page.lab import words
from kvcore.units import fixed, format_bytes, format_count

__all__ = ["formula", "per_value"]


def formula(footprint: Footprint, units: str, capped: int | None) -> Html:
    """The formula with the numbers of a footprint.

    units: "binary" or "decimal". capped: the most tokens that a layer with a window caches; None if no layer has one.
    """
    value_dtype = footprint.value_dtype if footprint.value_dtype not in {None, footprint.cache_dtype} else None
    products = []
    for group in footprint.shape.groups:
        products += _products(group, footprint.cache_dtype, value_dtype)
    per_token = data(footprint.bytes_per_token, f"{format_count(footprint.bytes_per_token)} B")
    total = data(footprint.cache_bytes, format_bytes(footprint.cache_bytes, units))
    load = words.formula_load(footprint.context, footprint.batch, shared=footprint.shared_prompt, capped=capped)
    state = footprint.shape.state_bytes
    if state:
        load = words.with_state(load, format_bytes(state, units))
    sides = [join(products, " + "), " = "] if products else []
    return Html(f"{el('span', *sides, per_token, ' ', words.A_TOKEN)} {el('span', load, ' = ', total)}")


def per_value(dtype: Dtype) -> str:
    """The bytes of one cached number, p in the formula, as text; its share of the block's scale is included.

    >>> from kvcore.dtypes import CACHE_DTYPES
    >>> per_value(CACHE_DTYPES["fp16"]), per_value(CACHE_DTYPES["q8_0"])
    ('2', '1.0625')
    """
    size = dtype.bytes_per_value
    return str(size.numerator) if size.denominator == 1 else fixed(size, 5).rstrip("0")


def _products(group: Group, keys: Dtype, values: Dtype | None) -> list[Html]:
    """The products that add up to a group's bytes per token, as HTML.

    L * 2 * n_kv * d_h * p for keys and values of one size, a sum of two sizes if they differ, L * (r_kv + d_rope) * p
    for a latent, and nothing for layers that cache no tokens of their own. values: the dtype of V if it is not that of K.
    """
    if group.kind == "shared" or not isinstance(group, LayerGroup | LatentGroup):
        return []
    layers = _factor(group.layers, words.LAYERS)
    p = Html(f"{_bytes_of(keys, words.CACHE_DTYPE)} B")
    if isinstance(group, LatentGroup):
        latent = _sum(_factor(group.kv_rank, words.LATENT), _factor(group.rope_dim, words.ROTARY_KEY))
        products = [join([layers, latent, p], words.MIDDLE_DOT)]
        if keys.latent_width:  # made for latents of this width, its bytes a number are no round number
            products = [join([layers, Html(f"{_factor(keys.block_bytes, words.LATENT)} B")], words.MIDDLE_DOT)]
        if keys.vector_bytes:
            products.append(_scales(layers, None, keys.vector_bytes))
        if group.index_bytes:
            products.append(join([layers, Html(f"{_factor(group.index_bytes, words.INDEXER)} B")], words.MIDDLE_DOT))
        return products
    heads = _factor(group.kv_heads, words.KV_HEADS)
    products = _of_heads(group, layers, heads, keys, values)
    scales = keys.vector_bytes + (values or keys).vector_bytes
    return [*products, _scales(layers, heads, scales)] if scales else products


def _scales(layers: Html, heads: Html | None, size: int) -> Html:
    """The product of the scales that stand beside each key and each value."""
    factors = [layers, *([heads] if heads else []), Html(f"{_factor(size, words.SCALES)} B")]
    return join(factors, words.MIDDLE_DOT)


def _of_heads(group: LayerGroup, layers: Html, heads: Html, keys: Dtype, values: Dtype | None) -> list[Html]:
    """The products of keys and values, without scales that stand beside them."""
    width = _factor(group.key_dim, words.HEAD_DIM)
    p = Html(f"{_bytes_of(keys, words.CACHE_DTYPE)} B")
    alike = group.key_dim == group.value_dim
    if values is not None:
        sides = [join([_factor(group.key_dim, words.KEY_DIM), _bytes_of(keys, words.CACHE_DTYPE)], words.MIDDLE_DOT)]
        sides.append(
            join([_factor(group.value_dim, words.VALUE_DIM), _bytes_of(values, words.V_DTYPE)], words.MIDDLE_DOT)
        )
        if alike:
            both = _sum(_bytes_of(keys, words.CACHE_DTYPE), _bytes_of(values, words.V_DTYPE))
            return [join([layers, heads, width, Html(f"{both} B")], words.MIDDLE_DOT)]
        return [join([layers, heads, Html(f"{_sum(*sides)} B")], words.MIDDLE_DOT)]
    if alike:
        return [join([Html("2"), layers, heads, width, p], words.MIDDLE_DOT)]
    widths = _sum(_factor(group.key_dim, words.KEY_DIM), _factor(group.value_dim, words.VALUE_DIM))
    return [join([layers, heads, widths, p], words.MIDDLE_DOT)]


def _factor(count: int, title: str) -> Html:
    return el("b", format_count(count), title=title)


def _bytes_of(dtype: Dtype, title: str) -> Html:
    return el("b", per_value(dtype), title=title)


def _sum(*parts: Html) -> Html:
    return Html(f"({join(parts, ' + ')})")
