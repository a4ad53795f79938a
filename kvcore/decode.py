"""What one decode step reads and computes, and which of the two a GPU waits for: the roofline.

A step writes one token for each sequence of a batch. It reads all weights once and the whole cache once,

    bytes = weights + cache

and for every sequence multiplies and adds each parameter once and, in attention, each cached key and value once for
each query head that reads it:

    flops = 2 * params * batch  +  4 * L * n_h * d_h * tokens * batch

The GPU takes at least bytes / bandwidth and at least flops / peak (Williams, Waterman and Patterson 2009). Left out:
activations, the token embedding's lookup, and every overhead; parameters of experts that a token does not pass are
counted as read and computed, which a large batch makes true of the reading only.
"""

from dataclasses import dataclass
from fractions import Fraction

from kvcore.catalog import Gpu
from kvcore.footprint import Footprint

__all__ = ["DecodeStep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeStep:
    """One step at a footprint's context and batch, on as many GPUs of a kind as it takes to hold it."""

    footprint: Footprint
    gpu: Gpu

    @property
    def bytes_read(self) -> int:
        """Weights and cache: what has to come out of memory."""
        return self.footprint.total_bytes

    @property
    def flops(self) -> int:
        """Multiplications and additions, of weights and in attention."""
        held = self.footprint
        heads = held.shape.query_heads
        attention = sum(
            group.flops_per_cached_token(heads) * group.cached_tokens(held.context) for group in held.shape.groups
        )
        return held.batch * (2 * held.shape.params + attention)

    @property
    def memory_seconds(self) -> Fraction:
        """The least time for the bytes, shared evenly by the GPUs."""
        return Fraction(self.bytes_read, self.footprint.gpus * self.gpu.bandwidth_bytes_per_second)

    @property
    def compute_seconds(self) -> Fraction:
        """The least time for the arithmetic at the peak of dense FP16."""
        return Fraction(self.flops, self.footprint.gpus * self.gpu.fp16_flops)

    @property
    def memory_over_compute(self) -> Fraction:
        """How many times longer the bytes take than the arithmetic: above one, the step is memory-bound."""
        return self.memory_seconds / self.compute_seconds
