"""The article's formula with a model's numbers in it: a product for each group of layers, then context and batch."""

from kvcore.dtypes import Dtype
from kvcore.footprint import Footprint
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.layers import LayerGroup
from kvcore.page.html import Html, data, el, join
from kvcore.page.lab import words
from kvcore.units import fixed, format_bytes, format_count

__all__ = ["formula", "per_value"]


def formula(held: Footprint, units: str, capped: int | None) -> Html:
    """The formula for `held`; `capped` are the tokens at which a window stops, where there is one."""
    apart = held.value_dtype if held.value_dtype not in {None, held.cache_dtype} else None
    products = []
    for group in held.shape.groups:
        products += _products(group, held.cache_dtype, apart)
    per_token = data(held.bytes_per_token, f"{format_count(held.bytes_per_token)} B")
    total = data(held.cache_bytes, format_bytes(held.cache_bytes, units))
    load = words.formula_load(held.context, held.batch, capped=capped)
    state = held.shape.state_bytes
    if state:
        load = words.with_state(load, format_bytes(state, units))
    sides = [join(products, " + "), " = "] if products else []
    return Html(f"{el('span', *sides, per_token, ' ', words.A_TOKEN)} {el('span', load, ' = ', total)}")


def per_value(dtype: Dtype) -> str:
    """P as text: the bytes of one number, its share of a scale included."""
    size = dtype.bytes_per_value
    return str(size.numerator) if size.denominator == 1 else fixed(size, 5).rstrip("0")


def _products(group: Group, keys: Dtype, values: Dtype | None) -> list[Html]:
    """One group's bytes a token: 2 * L * n_kv * d_h * p, a sum where K and V differ, a latent's own, or none.

    values: the type of V where it is not that of K.
    """
    if group.kind == "shared" or not isinstance(group, LayerGroup | LatentGroup):
        return []
    layers = _factor(group.layers, words.LAYERS)
    p = Html(f"{_price(keys, words.CACHE_DTYPE)} B")
    if isinstance(group, LatentGroup):
        latent = _sum(_factor(group.kv_rank, words.LATENT), _factor(group.rope_dim, words.ROTARY_KEY))
        products = [join([layers, latent, p], words.MIDDLE_DOT)]
        if group.index_bytes:
            products.append(join([layers, Html(f"{_factor(group.index_bytes, words.INDEXER)} B")], words.MIDDLE_DOT))
        return products
    heads = _factor(group.kv_heads, words.KV_HEADS)
    width = _factor(group.key_dim, words.HEAD_DIM)
    alike = group.key_dim == group.value_dim
    if values is not None:
        sides = [join([_factor(group.key_dim, words.KEY_DIM), _price(keys, words.CACHE_DTYPE)], words.MIDDLE_DOT)]
        sides.append(join([_factor(group.value_dim, words.VALUE_DIM), _price(values, words.V_DTYPE)], words.MIDDLE_DOT))
        if alike:
            prices = _sum(_price(keys, words.CACHE_DTYPE), _price(values, words.V_DTYPE))
            return [join([layers, heads, width, Html(f"{prices} B")], words.MIDDLE_DOT)]
        return [join([layers, heads, Html(f"{_sum(*sides)} B")], words.MIDDLE_DOT)]
    if alike:
        return [join([Html("2"), layers, heads, width, p], words.MIDDLE_DOT)]
    widths = _sum(_factor(group.key_dim, words.KEY_DIM), _factor(group.value_dim, words.VALUE_DIM))
    return [join([layers, heads, widths, p], words.MIDDLE_DOT)]


def _factor(count: int, title: str) -> Html:
    return el("b", format_count(count), title=title)


def _price(dtype: Dtype, title: str) -> Html:
    return el("b", per_value(dtype), title=title)


def _sum(*parts: Html) -> Html:
    return Html(f"({join(parts, ' + ')})")
