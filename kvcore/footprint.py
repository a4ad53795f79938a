"""Weights plus cache over context and batch: totals, the cliff, what fits.

    cache(context, batch) = batch * (cache of one sequence of that context + its state)
    total = weights + cache

For one full-attention group the cache of a sequence is the article's 2 * L * n_kv * d_h * p * context; for any
other shape it is the sum over the layer groups. Everything is in bytes, tokens, sequences or GPUs, and exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from kvcore.dtypes import Dtype
from kvcore.errors import check_int
from kvcore.groups import cache_curve
from kvcore.layers import MOST_TOKENS
from kvcore.shape import Shape

__all__ = ["MOST_SEQUENCES", "Footprint"]

MOST_SEQUENCES = 2**20


@dataclass(frozen=True, kw_only=True)
class Footprint:
    """What a model with its cache holds in memory at one context and batch.

    context: tokens a sequence; batch: sequences; gpu_bytes: memory of one GPU, as its driver reports it.
    value_dtype: the type of V where it differs from that of K. name: what the model is called where it is shown. Raises Invalid, naming the field, when a number is out of range.
    """

    shape: Shape
    context: int
    batch: int
    cache_dtype: Dtype
    weight_dtype: Dtype
    gpu_bytes: int
    value_dtype: Dtype | None = None
    name: str = ""

    def __post_init__(self) -> None:
        check_int("context", self.context, 1, MOST_TOKENS)
        check_int("batch", self.batch, 1, MOST_SEQUENCES)
        check_int("gpu_bytes", self.gpu_bytes, 1, 2**60)

    @cached_property
    def bytes_per_token(self) -> int:
        """Cache of one more token of one sequence, in all layers, while it is below every window."""
        return self.shape.bytes_per_token(self.cache_dtype, self.value_dtype)

    def sequence_curve(self, contexts: Sequence[int]) -> list[int]:
        """Cache and state of one sequence at each of these contexts."""
        state = self.shape.state_bytes
        curve = cache_curve(self.shape.groups, contexts, self.cache_dtype, self.value_dtype)
        return [size + state for size in curve] if state else curve

    def sequence_bytes(self, context: int) -> int:
        """Cache and state of one sequence of `context` tokens."""
        return self.sequence_curve((check_int("context", context, 0, MOST_TOKENS),))[0]

    def cache_curve(self, contexts: Sequence[int]) -> list[int]:
        """Cache and state of the whole batch at each of these contexts: what a chart is drawn from."""
        return [self.batch * size for size in self.sequence_curve(contexts)]

    @cached_property
    def bytes_per_sequence(self) -> int:
        """Cache and state of one sequence at this context."""
        return self.sequence_bytes(self.context)

    @cached_property
    def cache_bytes(self) -> int:
        """Cache and state of the whole batch at this context."""
        return self.batch * self.bytes_per_sequence

    @cached_property
    def weights_bytes(self) -> int:
        """All parameters in the weights' type."""
        return self.shape.weights_bytes(self.weight_dtype)

    @property
    def total_bytes(self) -> int:
        """Weights and cache together."""
        return self.weights_bytes + self.cache_bytes

    @property
    def ratio(self) -> Fraction:
        """Cache over weights, exactly."""
        return Fraction(self.cache_bytes, self.weights_bytes)

    @cached_property
    def cliff_context(self) -> int | None:
        """The least context whose cache exceeds the weights at this batch; None when no context's does."""
        return self.least_context_over(self.weights_bytes // self.batch)

    @property
    def cliff_batch(self) -> int | None:
        """The least batch whose cache exceeds the weights at this context; None for a model without a cache."""
        return self.weights_bytes // self.bytes_per_sequence + 1 if self.bytes_per_sequence else None

    @property
    def gpus(self) -> int:
        """GPUs whose memory, all of it, holds weights and cache."""
        return -(-self.total_bytes // self.gpu_bytes)

    @property
    def max_batch(self) -> int | None:
        """The largest batch at this context on those GPUs; None when sequences cost nothing."""
        if not self.bytes_per_sequence:
            return None
        return (self.gpus * self.gpu_bytes - self.weights_bytes) // self.bytes_per_sequence

    @property
    def free_bytes(self) -> int:
        """What those GPUs have left."""
        return self.gpus * self.gpu_bytes - self.total_bytes

    def least_context_over(self, budget: int) -> int | None:
        """The least context at which one sequence takes more than `budget` bytes; None when none does.

        A sequence's bytes grow linearly between the contexts at which a group of layers stops growing.
        """
        start = 0
        for end in (*sorted({cap for group in self.shape.groups if (cap := group.max_cached_tokens)}), None):
            base = self.sequence_bytes(start)
            slope = self.sequence_bytes(start + 1) - base
            if base > budget:
                return max(1, start)
            if slope:
                context = start + (budget - base) // slope + 1
                if end is None or context <= end:
                    return context
            start = end or start
        return None

    def _repr_svg_(self) -> str:
        """The cliff chart of this footprint, which a notebook shows in its place.

        The only place where numbers import drawing: within the call, so that nobody else pays for it.
        """
        from kvcore.page.chart.standalone import chart_svg  # noqa: PLC0415 - see above

        return chart_svg(self)
