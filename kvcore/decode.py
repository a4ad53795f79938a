"""The bytes and operations of one decode step, and whether memory or arithmetic limits it: the roofline model.

A step generates one token for each sequence of the batch. It reads all weights and the whole cache once:

    bytes = weights + cache

For every sequence it multiplies and adds each parameter once and, in attention, each cached key and value once for each
query head that reads it:

    flops = 2 * params * batch  +  4 * L * n_h * d_h * tokens * batch

The GPU needs at least bytes / bandwidth and at least flops / peak (Williams, Waterman and Patterson 2009). Activations
and all overheads are left out. The parameters of every expert are counted as read and as computed with; in truth a token
uses a few experts only, and only a large batch reads them all.
"""

from dataclasses import dataclass
from fractions import Fraction

from kvcore.catalog import Gpu
from kvcore.errors import check_int
from kvcore.footprint import Footprint
from kvcore.splits import MOST_GPUS

__all__ = ["DecodeStep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeStep:
    """One decode step at a footprint's context and batch, on `gpus` GPUs of one kind.

    Raises:
        OutOfRange: when there is not one GPU.

    >>> from kvcore import gpu, size
    >>> step = DecodeStep(footprint=size("llama-3-70b", batch=8), gpu=gpu("h100-80gb"), gpus=2)
    >>> step.bytes_read == 141_107_412_992 + 21_474_836_480  # weights and cache
    True
    >>> step.flops == 8 * (2 * 70_553_706_496 + 4 * 80 * 64 * 128 * 8192)  # 80 layers of 64 heads of 128
    True
    """

    footprint: Footprint
    gpu: Gpu
    gpus: int

    def __post_init__(self) -> None:
        check_int("gpus", self.gpus, 1, MOST_GPUS)

    @property
    def bytes_read(self) -> int:
        """Bytes read from memory: all weights, and the cache of each sequence, a shared prompt as often as it is read."""
        return self.footprint.weights_bytes + self.footprint.batch * self.footprint.bytes_per_sequence

    @property
    def flops(self) -> int:
        """Floating-point operations: a multiplication and an addition count as two."""
        shape, context = self.footprint.shape, self.footprint.context
        attention = sum(
            group.flops_per_cached_token(shape.query_heads) * group.cached_tokens(context) for group in shape.groups
        )
        return self.footprint.batch * (2 * shape.params + attention)

    @property
    def memory_seconds(self) -> Fraction | None:
        """The least time in seconds to read the bytes, divided evenly among the GPUs, at their peak bandwidth, if it is known."""
        bandwidth = self.gpu.bandwidth_bytes_per_second
        return None if bandwidth is None else Fraction(self.bytes_read, self.gpus * bandwidth)

    @property
    def compute_seconds(self) -> Fraction | None:
        """The least time in seconds for the arithmetic, divided evenly among the GPUs, at their peak rate of dense FP16, if it is known."""
        rate = self.gpu.fp16_flops
        return None if rate is None else Fraction(self.flops, self.gpus * rate)

    @property
    def memory_over_compute(self) -> Fraction | None:
        """memory_seconds / compute_seconds: above one, memory bandwidth limits the step. None if one of them is not known."""
        reading, computing = self.memory_seconds, self.compute_seconds
        return None if reading is None or computing is None else reading / computing
