"""The article's formula with a model's numbers in it: a product for each group of layers, then context and batch."""

from kvcore.footprint import Footprint
from kvcore.groups import Group
from kvcore.latent import LatentGroup
from kvcore.page import words
from kvcore.page.svg import Html, data, el, join
from kvcore.recurrent import RecurrentGroup
from kvcore.units import format_bytes, format_count

__all__ = ["formula"]


def formula(held: Footprint, units: str, per_value: str, capped: int | None) -> Html:
    """The formula for `held`: `per_value` is p as text, `capped` the tokens at which a window stops, where there is one."""
    products = []
    for group in held.shape.groups:
        products += _products(group, Html(f"{el('b', per_value, title=words.LABELS['cache_dtype'])} B"))
    per_token = data(held.bytes_per_token, f"{format_count(held.bytes_per_token)} B")
    total = data(held.cache_bytes, format_bytes(held.cache_bytes, units))
    load = words.formula_load(held.context, held.batch, capped=capped)
    state = held.shape.state_bytes
    if state:
        load = words.with_state(load, format_bytes(state, units))
    sides = [join(products, " + "), " = "] if products else []
    return Html(f"{el('span', *sides, per_token, ' ', words.A_TOKEN)} {el('span', load, ' = ', total)}")


def _products(group: Group, per_value: Html) -> list[Html]:
    """One group's bytes a token: 2 * L * n_kv * d_h * p, a sum of widths where K and V differ, a latent's own, or none."""

    def factor(count: int, title: str) -> Html:
        return el("b", format_count(count), title=title)

    def total(*widths: tuple[int, str]) -> Html:
        return Html(f"({join([factor(*width) for width in widths], ' + ')})")

    if group.kind == "shared" or isinstance(group, RecurrentGroup):
        return []
    layers = factor(group.layers, words.LABELS["layers"])
    if isinstance(group, LatentGroup):
        latent = total((group.kv_rank, words.LATENT), (group.rope_dim, words.ROTARY_KEY))
        products = [join([layers, latent, per_value], words.TIMES)]
        if group.index_bytes:
            products.append(join([layers, Html(f"{factor(group.index_bytes, words.INDEXER)} B")], words.TIMES))
        return products
    heads = factor(group.kv_heads, words.LABELS["kv_heads"])
    if group.key_dim == group.value_dim:
        width = factor(group.key_dim, words.LABELS["head_dim"])
        return [join([Html("2"), layers, heads, width, per_value], words.TIMES)]
    widths = total((group.key_dim, words.KEY_DIM), (group.value_dim, words.VALUE_DIM))
    return [join([layers, heads, widths, per_value], words.TIMES)]
