"""A model's shape: what its parameters and its KV cache are computed from, exactly."""

from dataclasses import dataclass, replace
from fractions import Fraction

from kvcore.dtypes import Dtype
from kvcore.errors import Invalid, Unsupported, check_int
from kvcore.groups import Group, asymptotic_bytes, attention_name, cache_bytes
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_LAYERS, MOST_TOKENS, MOST_WIDTH, LayerGroup
from kvcore.mlp import Mlp
from kvcore.recurrent import RecurrentGroup

__all__ = ["Group", "LatentGroup", "LayerGroup", "Mlp", "RecurrentGroup", "Shape"]

_QK_NORMS = ("none", "head", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A decoder-only transformer as far as its memory goes; it has no name.

    Layers are counted twice, as `groups` by how they cache and as `mlps` by their MLPs, which some layers lack.
    `query_heads` is 0 where no layer attends. `norms_per_layer` and `outer_norms` (after the last layer, after the embedding) count norms as wide as
    the hidden size; `qk_norm` is a norm over each query and key head ("head"), over all heads at once ("all"), or none.
    `sinks` are learned logits, one a query head and layer. `position_rows` are learned position vectors. `tied` says that the output
    layer reuses the token embedding. `other_params` are those of the language model that are none of the above.

    Raises:
        Invalid: naming the field, when the parts do not fit together.
    """

    hidden_size: int
    query_heads: int
    groups: tuple[Group, ...]
    mlps: tuple[Mlp, ...]
    vocab_size: int
    tied: bool
    context_limit: int | None = None
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: str = "none"
    norms_per_layer: int = 2
    outer_norms: int = 1
    norm_bias: bool = False
    position_rows: int = 0
    lm_head_bias: bool = False
    sinks: bool = False
    other_params: int = 0

    def __post_init__(self) -> None:
        check_int("hidden_size", self.hidden_size, 1, MOST_WIDTH)
        attending = any(isinstance(group, LayerGroup) for group in self.groups)
        check_int("query_heads", self.query_heads, 1 if attending else 0, MOST_WIDTH)
        check_int("other_params", self.other_params, 0, 2**60)
        check_int("vocab_size", self.vocab_size, 1, MOST_WIDTH)
        if self.qk_norm not in _QK_NORMS:
            raise Unsupported("qk_norm", self.qk_norm, f"one of {', '.join(_QK_NORMS)}")
        check_int("norms_per_layer", self.norms_per_layer, 0, 16)
        check_int("outer_norms", self.outer_norms, 0, 16)
        check_int("position_rows", self.position_rows, 0, MOST_TOKENS)
        if self.context_limit is not None:
            check_int("context_limit", self.context_limit, 1, MOST_TOKENS)
        if not self.groups:
            raise Invalid("groups", self.groups, "a tuple of at least one group of layers")
        check_int("layers", self.layers, 1, MOST_LAYERS)
        if sum(mlp.layers for mlp in self.mlps) > self.layers:
            raise Invalid("mlps", self.mlps, f"a tuple of MLPs for at most {self.layers} layers")
        for group in self._with_heads:
            heads = group.query_heads or self.query_heads
            if heads % group.kv_heads:
                raise Invalid("kv_heads", group.kv_heads, f"a divisor of the {heads} query heads")
            least = group.extra_params - self._mixer_params(group)
            if group.extra_params < least:
                raise Invalid("extra_params", group.extra_params, f"at least {least}, what takes all that a layer has")

    @property
    def layers(self) -> int:
        """L, the number of layers."""
        return sum(group.layers for group in self.groups if not (isinstance(group, RecurrentGroup) and group.beside))

    @property
    def _with_heads(self) -> list[LayerGroup]:
        return [group for group in self.groups if isinstance(group, LayerGroup)]

    @property
    def kv_heads(self) -> int | None:
        """n_kv of the layers that have K and V heads; None where they differ, or none has."""
        return _common([group.kv_heads for group in self._with_heads])

    @property
    def head_dim(self) -> int | None:
        """d_h, the values of a key head; None where layers differ, or none has K heads."""
        return _common([group.key_dim for group in self._with_heads])

    @property
    def attention(self) -> str:
        """One of "mha", "gqa", "mqa", "mla", "hybrid", "recurrent", "mixed", as `attention_name` says."""
        return attention_name(self.groups, self.query_heads)

    @property
    def uniform(self) -> bool:
        """Whether all layers have the same K and V heads, so that the shape can be edited: they differ in windows at most."""
        groups = self._with_heads
        plain = all(group.kind != "shared" and group.query_heads is None and not group.extra_params for group in groups)
        same = len({(group.kv_heads, group.key_dim, group.value_dim) for group in groups}) == 1
        return plain and same and len(groups) == len(self.groups)

    @property
    def params(self) -> int:
        """All parameters: embeddings, learned positions, attention, MLPs, norms and the output layer."""
        norm = self.hidden_size * (2 if self.norm_bias else 1)
        table = self.vocab_size * self.hidden_size
        output = (0 if self.tied else table) + (self.vocab_size if self.lm_head_bias else 0)
        return (
            table
            + self.position_rows * self.hidden_size
            + sum(group.layers * self._mixer_params(group) for group in self.groups)
            + sum(mlp.params(self.hidden_size) for mlp in self.mlps)
            + norm * (self.layers * self.norms_per_layer + self.outer_norms)
            + output
            + self.other_params
        )

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes the next token adds to one sequence's cache while it is below every window, all layers together.

        For one group of full attention: 2 * L * n_kv * d_h * p. `value_dtype` sets V apart from K.
        """
        return sum(group.bytes_per_token(key_dtype, value_dtype or key_dtype) for group in self.groups)

    def marginal_bytes(self, context: int, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes the next token adds after `context` of them: only groups that still grow count."""
        after = self.cache_bytes(context + 1, key_dtype, value_dtype)
        return after - self.cache_bytes(context, key_dtype, value_dtype)

    def asymptotic_bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes a token adds once every window is full: the slope that a long context approaches."""
        return asymptotic_bytes(self.groups, key_dtype, value_dtype)

    def average_bytes(self, context: int, key_dtype: Dtype, value_dtype: Dtype | None = None) -> Fraction:
        """Bytes a token has cost on average at `context` of them, state included: (cache + state) / context."""
        check_int("context", context, 1, MOST_TOKENS)
        return Fraction(self.cache_bytes(context, key_dtype, value_dtype) + self.state_bytes, context)

    def cache_bytes(self, context: int, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes of one sequence's cache at `context` tokens: the sum over groups of cached tokens * bytes a token."""
        return cache_bytes(self.groups, context, key_dtype, value_dtype)

    def cache_bytes_per_gpu(self, context: int, tp: int, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes of one sequence's cache on the fullest of the `tp` GPUs that share every layer (tensor parallelism).

        Raises:
            Invalid: when that many GPUs cannot divide the query heads: no engine serves that.
        """
        check_int("tp", tp, 1, MOST_WIDTH)
        if self.query_heads % tp:
            raise Invalid("tp", tp, f"a divisor of the {self.query_heads} query heads")
        return cache_bytes([group.shard(tp) for group in self.groups], context, key_dtype, value_dtype)

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state per sequence, whatever its context, kept apart from the cache."""
        return sum(group.state_bytes for group in self.groups)

    def weights_bytes(self, dtype: Dtype) -> int:
        """Bytes of all parameters stored as `dtype`."""
        return dtype.row_bytes(self.params)

    def edited(
        self,
        *,
        layers: int | None = None,
        query_heads: int | None = None,
        head_dim: int | None = None,
        kv_heads: int | None = None,
    ) -> "Shape":
        """This shape with other heads or layers: what the model would be if it had been built so.

        Hidden size and MLP widths follow query_heads * head_dim in proportion, to the nearest integer; `kv_heads` alone
        changes the K and V projections and nothing else. Vocabulary, biases and norms stay.

        Raises:
            Unsupported: where layers have different heads, or a pattern of layers does not divide.
            Invalid: where a number is out of range, or the KV heads do not divide the query heads.
        """
        old_dim = self.head_dim
        if not self.uniform or old_dim is None:
            raise Unsupported("layers", self.layers, "editable: these layers have different heads")
        heads = self.query_heads if query_heads is None else check_int("query_heads", query_heads, 1, MOST_WIDTH)
        dim = old_dim if head_dim is None else check_int("head_dim", head_dim, 1, MOST_WIDTH)
        count = self.layers if layers is None else check_int("layers", layers, 1, MOST_LAYERS)
        width = Fraction(heads * dim, self.query_heads * old_dim)
        depth = Fraction(count, self.layers)
        return replace(
            self,
            hidden_size=_scaled(self.hidden_size, width),
            query_heads=heads,
            groups=tuple(
                replace(
                    group,
                    layers=_share(group.layers, depth),
                    kv_heads=group.kv_heads if kv_heads is None else kv_heads,
                    key_dim=dim,
                    value_dim=_scaled(group.value_dim, Fraction(dim, old_dim)),
                )
                for group in self._with_heads
            ),
            mlps=tuple(
                replace(
                    mlp,
                    layers=_share(mlp.layers, depth),
                    intermediate_size=_scaled(mlp.intermediate_size, width),
                    shared_size=_scaled(mlp.shared_size, width) if mlp.shared_size else 0,
                )
                for mlp in self.mlps
            ),
        )

    def _mixer_params(self, group: Group) -> int:
        """Parameters of one layer's Q, K, V and output projections, their biases and the norms of queries and keys.

        Layers that share another's cache have no K and V of their own; latent and recurrent layers bring their count.
        """
        if not isinstance(group, LayerGroup):
            return group.params_per_layer
        heads = group.query_heads or self.query_heads
        kv_heads = 0 if group.kind == "shared" else group.kv_heads
        queries, mixed = heads * group.key_dim, heads * group.value_dim
        keys, values = kv_heads * group.key_dim, kv_heads * group.value_dim
        biases = (queries + keys + values if self.qkv_bias else 0) + (self.hidden_size if self.output_bias else 0)
        head_norms = group.key_dim * (2 if kv_heads else 1)
        norms = {"none": 0, "head": head_norms, "all": queries + keys}[self.qk_norm]
        sinks = heads if self.sinks else 0
        return self.hidden_size * (queries + keys + values + mixed) + biases + norms + sinks + group.extra_params


def _common(values: list[int]) -> int | None:
    return values[0] if len(set(values)) == 1 else None


def _scaled(width: int, factor: Fraction) -> int:
    """`width` * `factor` to the nearest integer (halves up), at least 1."""
    return max(1, (2 * width * factor.numerator + factor.denominator) // (2 * factor.denominator))


def _share(layers: int, depth: Fraction) -> int:
    """A group's part of an edited number of layers; the pattern is kept exactly or the edit is refused."""
    share = layers * depth
    if share.denominator != 1:
        raise Unsupported("layers", layers, "a part of the pattern that divides: choose a multiple of it")
    return share.numerator
