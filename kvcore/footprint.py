"""The memory of a model's weights and cache at a context and batch: totals, and the cliff.

    cache(context, batch) = batch * (cache of one sequence of that context + its recurrent state)
    total = weights + cache

If all sequences begin with the same prompt of s tokens, it is stored once, and each sequence stores the rest:

    cache(context, batch) = sequence(s) + batch * sequence(context - s)

If all layers use full attention, the cache of a sequence is 2 * L * n_kv * d_h * p * context, as in the article. In
general it is the sum over the groups of layers. Results are exact integers (bytes, tokens, sequences, GPUs) or fractions.

The cliff is where the cache gets larger than the weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from kvcore.dtypes import Dtype
from kvcore.errors import check_int
from kvcore.groups import cache_curve, check_cache_dtype
from kvcore.layers import MOST_TOKENS
from kvcore.shape import Shape
from kvcore.weights import WeightStorage, as_storage

__all__ = ["MOST_SEQUENCES", "Footprint"]

MOST_SEQUENCES = 2**20


@dataclass(frozen=True, kw_only=True)
class Footprint:
    """The memory that a model's weights and cache take at one context and batch.

    context: tokens of each sequence. batch: sequences.
    weight_dtype: the type of the weights, or how they are stored if that is not one type.
    cache_dtype: the type of K and V. value_dtype: the type of V, if it differs from that of K.
    gpu_bytes: memory of one GPU, as its driver reports it.
    shared_prompt: tokens with which all sequences begin alike, and which are stored once; 0 if nothing is shared.
    name: the model's name for titles of figures; it may be empty.

    Raises:
        OutOfRange: naming the field, when context, batch, gpu_bytes or shared_prompt is out of range.
        Unsupported: for a type that the model's layers cannot be cached in.

    >>> from kvcore import size
    >>> footprint = size("llama-3-70b", context=8192, batch=8)
    >>> footprint.bytes_per_token, footprint.cache_bytes, footprint.weights_bytes, footprint.gpus_by_memory
    (327680, 21474836480, 141107412992, 2)
    """

    shape: Shape
    context: int
    batch: int
    cache_dtype: Dtype
    weight_dtype: Dtype | WeightStorage
    gpu_bytes: int
    value_dtype: Dtype | None = None
    shared_prompt: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        check_int("context", self.context, 1, MOST_TOKENS)
        check_int("batch", self.batch, 1, MOST_SEQUENCES)
        check_int("gpu_bytes", self.gpu_bytes, 1, 2**60)
        check_int("shared_prompt", self.shared_prompt, 0, MOST_TOKENS)
        check_cache_dtype(self.cache_dtype, self.shape.groups)
        if self.value_dtype is not None:
            check_cache_dtype(self.value_dtype, self.shape.groups, "value_dtype")

    @cached_property
    def bytes_per_token(self) -> int:
        """Bytes that one token adds to the cache of a sequence, in all layers, while the context is below every window."""
        return self.shape.bytes_per_token(self.cache_dtype, self.value_dtype)

    def sequence_curve(self, contexts: Sequence[int]) -> list[int]:
        """Return the bytes of cache and state of one sequence at each of these contexts."""
        state = self.shape.state_bytes
        curve = cache_curve(self.shape.groups, contexts, self.cache_dtype, self.value_dtype)
        return [size + state for size in curve] if state else curve

    def sequence_bytes(self, context: int) -> int:
        """Return the bytes of cache and state of one sequence of `context` tokens.

        Raises:
            OutOfRange: when `context` is not from 0 to MOST_TOKENS.
        """
        return self.sequence_curve((check_int("context", context, 0, MOST_TOKENS),))[0]

    def cache_curve(self, contexts: Sequence[int]) -> list[int]:
        """Return the bytes of cache and state of the whole batch at each of these contexts, as the cliff chart plots them.

        A shared prompt is one more sequence of its tokens, and every other one is shorter by them. So in a layer with a
        window the end of the prompt is kept as far as the window reaches, and a recurrent state as it was at that end:
        what a new sequence needs to begin from it.

        >>> from kvcore import size
        >>> size("llama-3-70b", context=8192, batch=8, shared_prompt=2048).cache_bytes / 2**30  # 2,048 + 8 * 6,144 tokens
        15.625
        """
        if not self.shared_prompt:
            return [self.batch * size for size in self.sequence_curve(contexts)]
        shared = [min(self.shared_prompt, context) for context in contexts]
        rest = [context - tokens for context, tokens in zip(contexts, shared, strict=True)]
        once, each = self.sequence_curve(shared), self.sequence_curve(rest)
        return [prompt + self.batch * own for prompt, own in zip(once, each, strict=True)]

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state among `cache_bytes`: of every sequence, and of the shared prompt's end."""
        return (self.batch + (self.shared_prompt > 0)) * self.shape.state_bytes

    @cached_property
    def bytes_per_sequence(self) -> int:
        """Bytes of cache and state of one sequence at this context."""
        return self.sequence_bytes(self.context)

    @property
    def bytes_per_next_token(self) -> int:
        """Bytes that the next token adds to one sequence at this context; it adds nothing in a layer whose window is full."""
        now, then = self.sequence_curve((self.context, self.context + 1))
        return then - now

    @property
    def average_bytes_per_token(self) -> int:
        """Bytes of cache and state of one sequence divided by its tokens, rounded down."""
        return self.bytes_per_sequence // self.context

    @cached_property
    def cache_bytes(self) -> int:
        """Bytes of cache and state of the whole batch at this context."""
        return self.cache_curve((self.context,))[0]

    @cached_property
    def weights_bytes(self) -> int:
        """Bytes of all parameters as `weight_dtype` stores them."""
        return as_storage(self.weight_dtype).bytes_of(self.shape)

    @cached_property
    def expert_bytes(self) -> int:
        """Bytes of the routed experts among the weights; 0 for a dense model."""
        return as_storage(self.weight_dtype).bytes_by_kind(self.shape).get("expert", 0)

    @property
    def total_bytes(self) -> int:
        """Bytes of weights and cache together."""
        return self.weights_bytes + self.cache_bytes

    @property
    def ratio(self) -> Fraction:
        """Cache divided by weights."""
        return Fraction(self.cache_bytes, self.weights_bytes)

    @cached_property
    def cliff_context(self) -> int | None:
        """The shortest context at which the cache exceeds the weights at this batch, or None if it never does."""
        return self._least_context(lambda context: self.cache_curve((context,))[0], self.weights_bytes)

    @property
    def cliff_batch(self) -> int | None:
        """The smallest batch at which the cache exceeds the weights at this context, or None if it never does."""
        prompt = min(self.shared_prompt, self.context)
        room = self.weights_bytes - (self.sequence_bytes(prompt) if prompt else 0)
        each = self.sequence_bytes(self.context - prompt)
        if room < 0:
            return 1
        return room // each + 1 if each else None

    @property
    def gpus_by_memory(self) -> int:
        """How many GPUs have enough memory for weights and cache: ceil(total / gpu_bytes).

        It reserves nothing and divides everything evenly, which engines do not. `kvcore.verdict` says what GPUs really hold.
        """
        return -(-self.total_bytes // self.gpu_bytes)

    def least_context_over(self, budget: int) -> int | None:
        """Return the shortest context at which one sequence takes more than `budget` bytes, or None if none does.

        >>> from kvcore import size
        >>> size("mistral-7b-v0.1").least_context_over(2**20)  # 131,072 bytes a token: 8 tokens are a MiB
        9
        >>> size("mistral-7b-v0.1").least_context_over(2**29) is None  # the window of 4,096 tokens takes 2**29 bytes
        True
        """
        return self._least_context(self.sequence_bytes, budget)

    def _least_context(self, size: Callable[[int], int], budget: int) -> int | None:
        """The shortest context at which this size exceeds the budget.

        The size is piecewise linear in the context: its slope changes only where the shared prompt ends and where the
        window of a group of layers is full. So each linear piece is solved in turn, from the shortest contexts on.
        """
        caps = {cap for group in self.shape.groups if (cap := group.max_cached_tokens)}
        bends = caps | {self.shared_prompt} | {self.shared_prompt + cap for cap in caps}
        start = 0
        for end in (*sorted(bends - {0}), None):
            base = size(start)
            slope = size(start + 1) - base
            if base > budget:
                return max(1, start)
            if slope:
                context = start + (budget - base) // slope + 1
                if end is None or context <= end:
                    return context
            start = end or start
        return None

    def _repr_svg_(self) -> str:
        """Return the cliff chart of this footprint as SVG; a notebook shows it as the value of a cell.

        This is the only import of drawing code by code that computes. It is inside the method so that `import kvcore`
        does not load the drawing code.
        """
        from kvcore.page.chart.standalone import chart_svg  # noqa: PLC0415 - the docstring says why

        return chart_svg(self)
