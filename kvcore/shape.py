"""A model's shape: what its parameters and its KV cache are computed from, exactly."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from kvcore.dtypes import Dtype
from kvcore.errors import Invalid, Unsupported, check_int
from kvcore.groups import (
    Group,
    asymptotic_bytes,
    attention_name,
    bytes_per_token,
    cache_bytes,
    state_bytes,
)
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_LAYERS, MOST_TOKENS, MOST_WIDTH, LayerGroup, NoCacheGroup
from kvcore.mlp import Mlp
from kvcore.mtp import MtpLayers
from kvcore.recurrent import RecurrentGroup
from kvcore.tensors import Tensor, check_tensors

__all__ = ["Group", "LatentGroup", "LayerGroup", "Mlp", "MtpLayers", "NoCacheGroup", "RecurrentGroup", "Shape"]

_QK_NORMS = ("none", "head", "all")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A decoder-only transformer, as far as its parameters and its cache depend on it.

    Each layer is counted in `groups` by how it caches and, if it has an MLP, in `mlps`.
    `query_heads` is 0 where no layer attends. `norms_per_layer` and `model_norms` (after the last layer, after the embedding) count norms as wide as
    the hidden size; `qk_norm` is a norm over each query and key head ("head"), over all heads at once ("all"), or none.
    `sinks` are learned logits, one a query head and layer. `position_rows` are learned position vectors. `tied` says that the output
    layer reuses the token embedding. `other_tensors` are those of the language model that are none of the above.
    `mtp` are layers that guess further tokens; they are no part of the model unless `loaded.with_mtp` adds them.

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
    model_norms: int = 1
    norm_bias: bool = False
    position_rows: int = 0
    lm_head_bias: bool = False
    sinks: bool = False
    other_tensors: tuple[Tensor, ...] = ()
    mtp: MtpLayers | None = None

    def __post_init__(self) -> None:
        check_int("hidden_size", self.hidden_size, 1, MOST_WIDTH)
        attending = any(isinstance(group, LayerGroup) for group in self.groups)
        check_int("query_heads", self.query_heads, 1 if attending else 0, MOST_WIDTH)
        check_tensors(self.other_tensors)
        check_int("vocab_size", self.vocab_size, 1, MOST_WIDTH)
        if self.qk_norm not in _QK_NORMS:
            raise Unsupported("qk_norm", self.qk_norm, f"one of {', '.join(_QK_NORMS)}")
        check_int("norms_per_layer", self.norms_per_layer, 0, 16)
        check_int("model_norms", self.model_norms, 0, 16)
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

    @property
    def layers(self) -> int:
        """L, the number of layers."""
        return sum(group.layers for group in self.groups if not group.parallel)

    @property
    def experts(self) -> int:
        """Routed experts of a layer, the most that any has; 0 for a dense model."""
        return max((mlp.experts for mlp in self.mlps), default=0)

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
        plain = all(group.kind != "shared" and group.query_heads is None for group in groups)
        plain = plain and not any(
            group.values_from_keys or group.extra_tensors or group.latent_tensors for group in groups
        )
        same = len({(group.kv_heads, group.key_dim, group.value_dim) for group in groups}) == 1
        return plain and same and len(groups) == len(self.groups)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every tensor of the model: embeddings, learned positions, attention, MLPs, norms and the output layer.

        >>> from kvcore.catalog import model
        >>> [(tensor.name, tensor.shape, tensor.count) for tensor in model("llama-3-70b").shape.tensors[:3]]
        [('embed_tokens', (128256, 8192), 1), ('q_proj', (8192, 8192), 80), ('k_proj', (1024, 8192), 80)]
        """
        return tuple(self._tensors())

    @cached_property
    def params(self) -> int:
        """All parameters: the sum over the tensors.

        The sum is kept, the tensors are not: the page's snapshot of Python would carry those of a hundred models.
        """
        return sum([tensor.params for tensor in self._tensors()])

    def params_by_kind(self) -> dict[str, int]:
        """Parameters of each kind of tensor that there is; see `tensors.TENSOR_KINDS`."""
        found: dict[str, int] = {}
        for tensor in self._tensors():
            found[tensor.kind] = found.get(tensor.kind, 0) + tensor.params
        return found

    def _tensors(self) -> Iterator[Tensor]:
        hidden, vocab = self.hidden_size, self.vocab_size
        yield Tensor("embed_tokens", (vocab, hidden), "embedding")
        if self.position_rows:
            yield Tensor("embed_positions", (self.position_rows, hidden), "embedding")
        for group in self.groups:
            for tensor in self._layer_tensors(group):
                yield tensor.times(group.layers)
        for mlp in self.mlps:
            yield from mlp.tensors(hidden)
        for name, count in (("layer_norms", self.layers * self.norms_per_layer), ("norm", self.model_norms)):
            if count:
                yield Tensor(name, (hidden,), "norm", count)
                if self.norm_bias:
                    yield Tensor(f"{name}.bias", (hidden,), "norm", count)
        if not self.tied:
            yield Tensor("lm_head", (vocab, hidden), "output")
        if self.lm_head_bias:
            yield Tensor("lm_head.bias", (vocab,), "output")
        yield from self.other_tensors

    def _layer_tensors(self, group: Group) -> Iterable[Tensor]:
        """One layer's tensors besides its MLP and the norms as wide as the hidden size."""
        if isinstance(group, LayerGroup):
            return group.latent_tensors or self._attention_tensors(group)
        return group.tensors

    def _attention_tensors(self, group: LayerGroup) -> Iterator[Tensor]:
        """One layer's projections of Q, K, V and the output, their biases, the norms of Q and K, and what the group adds.

        Layers that share another's cache have no K and V of their own.
        """
        hidden, heads = self.hidden_size, group.query_heads or self.query_heads
        queries, mixed = heads * group.key_dim, heads * group.value_dim
        keys, values = group.kv_heads * group.key_dim, group.kv_heads * group.value_dim
        own, bias = group.kind != "shared", self.qkv_bias
        yield Tensor("q_proj", (queries, hidden), "attention")
        if bias:
            yield Tensor("q_proj.bias", (queries,), "attention")
        if own:
            yield Tensor("k_proj", (keys, hidden), "attention")
            if bias:
                yield Tensor("k_proj.bias", (keys,), "attention")
        if own and not group.values_from_keys:
            yield Tensor("v_proj", (values, hidden), "attention")
            if bias:
                yield Tensor("v_proj.bias", (values,), "attention")
        yield Tensor("o_proj", (hidden, mixed), "attention")
        if self.output_bias:
            yield Tensor("o_proj.bias", (hidden,), "attention")
        if self.qk_norm != "none":
            alike = self.qk_norm == "head"
            yield Tensor("q_norm", (group.key_dim if alike else queries,), "norm")
            if own:
                yield Tensor("k_norm", (group.key_dim if alike else keys,), "norm")
        if self.sinks:
            yield Tensor("sinks", (heads,), "attention")
        yield from group.extra_tensors

    def bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes the next token adds to one sequence's cache while it is below every window, all layers together.

        For one group of full attention: 2 * L * n_kv * d_h * p. `value_dtype` sets V apart from K.
        """
        return bytes_per_token(self.groups, key_dtype, value_dtype)

    def asymptotic_bytes_per_token(self, key_dtype: Dtype, value_dtype: Dtype | None = None) -> int:
        """Bytes a token adds once every window is full: the slope that a long context approaches."""
        return asymptotic_bytes(self.groups, key_dtype, value_dtype)

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
        return state_bytes(self.groups)

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

        def group(old: LayerGroup, layers: int) -> LayerGroup:
            return replace(
                old,
                layers=layers,
                kv_heads=old.kv_heads if kv_heads is None else kv_heads,
                key_dim=dim,
                value_dim=_scaled(old.value_dim, Fraction(dim, old_dim)),
            )

        def mlp(old: Mlp, layers: int) -> Mlp:
            return replace(
                old,
                layers=layers,
                intermediate_size=_scaled(old.intermediate_size, width),
                shared_size=_scaled(old.shared_size, width) if old.shared_size else 0,
            )

        mtp = self.mtp and replace(
            self.mtp,
            groups=tuple(group(one, one.layers) for one in self.mtp.groups if isinstance(one, LayerGroup)),
            mlps=tuple(mlp(one, one.layers) for one in self.mtp.mlps),
        )
        return replace(
            self,
            hidden_size=_scaled(self.hidden_size, width),
            query_heads=heads,
            groups=tuple(group(one, _share(one.layers, depth, count)) for one in self._with_heads),
            mlps=tuple(mlp(one, _share(one.layers, depth, count)) for one in self.mlps),
            mtp=mtp,
        )


def _common(values: list[int]) -> int | None:
    return values[0] if len(set(values)) == 1 else None


def _scaled(width: int, factor: Fraction) -> int:
    """`width` * `factor` to the nearest integer (halves up), at least 1."""
    return max(1, (2 * width * factor.numerator + factor.denominator) // (2 * factor.denominator))


def _share(layers: int, depth: Fraction, asked: int) -> int:
    """The layers of a group after the number of all layers changed by `depth` to `asked`; refused if that is no whole number."""
    share = layers * depth
    if share.denominator != 1:
        raise Unsupported(
            "layers", asked, "a number of layers that repeats the model's pattern of them a whole number of times"
        )
    return share.numerator
