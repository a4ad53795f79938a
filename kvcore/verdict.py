"""Whether a model fits on the GPUs one has, how much fits, and the smallest changes that would make it fit.

The page, `kvcore plan` and `--json` take every answer about fitting from here, so that no two of them differ.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kvcore.dtypes import Dtype
from kvcore.errors import check_int
from kvcore.parallel import PerGpu
from kvcore.splits import GPU_COUNTS, Split, splits_over
from kvcore.weights import WeightStorage

__all__ = ["DIMENSIONS", "Held", "Verdict", "Way"]

DIMENSIONS = ("cache_dtype", "weight_dtype", "context", "batch", "gpus")
"""What may be changed to make a deployment fit, in the order in which `Verdict.ways` lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A change of one dimension that makes a deployment fit.

    dimension: one of DIMENSIONS. value: its new value: a Dtype, a WeightStorage, tokens, sequences, or a Split.
    deployment: the deployment after the change; it fits, and after one step less it would not. before: the
    deployment after one step less.
    """

    dimension: str
    value: Dtype | WeightStorage | int | Split
    deployment: PerGpu
    before: PerGpu


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How many sequences of one length are held at the same time: on the GPUs, and besides these in host memory.

    context: tokens of each. on_gpus, in_host: sequences; None if there is no limit.
    """

    context: int
    on_gpus: int | None
    in_host: int | None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The answer about a deployment: does it fit, what fits at most, and how to make it fit.

    deployment: the load, the GPUs and how the model is divided among them. Its context is the longest that each user is
        promised: it fits if all are that long.
    average: tokens that a sequence has on average, None if all have the deployment's context.
    host_bytes: memory of the host for caches of users who wait; 0 if there is none.
    cache_dtypes, weight_dtypes: the types that may be suggested in place of the deployment's own.

    >>> from kvcore import size, split
    >>> verdict = Verdict(deployment=split(size("llama-3-70b", batch=8), tp=2))
    >>> verdict.fits, verdict.max_batch, verdict.max_context, verdict.fewest.gpus
    (False, 4, 4894, 4)
    """

    deployment: PerGpu
    average: int | None = None
    host_bytes: int = 0
    cache_dtypes: Sequence[Dtype] = ()
    weight_dtypes: Sequence[WeightStorage] = ()

    def __post_init__(self) -> None:
        if self.average is not None:
            check_int("average", self.average, 1, self.deployment.footprint.context)
        check_int("host_bytes", self.host_bytes, 0, 2**60)

    @property
    def fits(self) -> bool:
        """Whether weights and cache fit on each GPU, without its reserve."""
        return self.deployment.fits

    @cached_property
    def max_batch(self) -> int | None:
        """The largest batch at this context; 0 if not one sequence fits, None if there is no limit."""
        return self.deployment.max_batch

    @cached_property
    def max_context(self) -> int | None:
        """The largest context at this batch; 0 if not one token fits, None if there is no limit."""
        return self.deployment.max_context

    @property
    def at_average(self) -> PerGpu:
        """The deployment with sequences of the average length."""
        return self._with(context=self.average)

    @property
    def held(self) -> tuple[Held, ...]:
        """What is held if all sequences have the deployment's context, and if all have the average length, if it differs.

        Host memory is divided evenly among the GPUs, each of which keeps its share of a sequence there, without the
        shared prompt. Source: vllm-project/vllm, vllm/config/cache.py (kv_offloading_size: the sum over all GPUs).

        >>> from kvcore import size, split
        >>> share = split(size("llama-3-70b", context=8192, batch=8), tp=4)
        >>> Verdict(deployment=share, average=2048, host_bytes=64 * 2**30).held
        (Held(context=8192, on_gpus=62, in_host=25), Held(context=2048, on_gpus=248, in_host=102))
        """
        shares = [self.deployment]
        if self.average not in {None, self.deployment.footprint.context}:
            shares.append(self.at_average)
        return tuple(
            Held(context=share.footprint.context, on_gpus=share.max_batch, in_host=self._in_host(share))
            for share in shares
        )

    def _in_host(self, share: PerGpu) -> int | None:
        each = share.own_bytes(share.footprint.context)
        return self.host_bytes // share.split.gpus // each * share.split.dp if each else None

    @cached_property
    def fewest(self) -> Split | None:
        """The split over the fewest GPUs of this kind that hold the load; None if none that is tried does.

        Each number of GPUs is divided as `splits_over` does, or as in the deployment itself.
        """
        own = self.deployment.split
        for split in self._larger_splits(0):
            if self.fits and split.gpus >= own.gpus:
                return own
            if self._on(split).fits:
                return split
        return own if self.fits else None

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """For a deployment that does not fit: the smallest change of each dimension that makes it fit, if one does.

        They are in the order of DIMENSIONS. A smaller change of the same dimension does not make it fit.
        """
        if self.fits:
            return ()
        found = (self._cache_way(), self._weight_way(), self._context_way(), self._batch_way(), self._gpu_way())
        return tuple(way for way in found if way is not None)

    def _cache_way(self) -> Way | None:
        footprint = self.deployment.footprint

        def stored_as(dtype: Dtype) -> PerGpu:
            return replace(self.deployment, footprint=replace(footprint, cache_dtype=dtype, value_dtype=None))

        return self._smaller("cache_dtype", self.cache_dtypes, stored_as, lambda share: share.cache_bytes)

    def _weight_way(self) -> Way | None:
        footprint = self.deployment.footprint

        def stored_as(storage: WeightStorage) -> PerGpu:
            return replace(self.deployment, footprint=replace(footprint, weight_dtype=storage))

        return self._smaller("weight_dtype", self.weight_dtypes, stored_as, lambda share: share.weights_bytes)

    def _smaller[T: (Dtype, WeightStorage)](
        self, dimension: str, types: Iterable[T], stored_as: Callable[[T], PerGpu], size: Callable[[PerGpu], int]
    ) -> Way | None:
        """The largest of these types with which it fits. Of types that are equally large the first one counts."""
        tried: dict[int, tuple[T, PerGpu]] = {}
        for dtype in types:
            share = stored_as(dtype)
            if size(share) < size(self.deployment):
                tried.setdefault(size(share), (dtype, share))
        before = self.deployment
        for _, (dtype, share) in sorted(tried.items(), key=lambda item: -item[0]):
            if share.fits:
                return Way(dimension=dimension, value=dtype, deployment=share, before=before)
            before = share
        return None

    def _context_way(self) -> Way | None:
        longest = self.max_context
        if not longest or longest <= self.deployment.footprint.shared_prompt:  # nothing but the prompt would be left
            return None
        return Way(
            dimension="context",
            value=longest,
            deployment=self._with(context=longest),
            before=self._with(context=longest + 1),
        )

    def _batch_way(self) -> Way | None:
        most = self.max_batch
        if not most:
            return None
        return Way(dimension="batch", value=most, deployment=self._with(batch=most), before=self._with(batch=most + 1))

    def _gpu_way(self) -> Way | None:
        before = self.deployment
        for split in self._larger_splits(self.deployment.split.gpus):
            share = self._on(split)
            if share.fits:
                return Way(dimension="gpus", value=split, deployment=share, before=before)
            before = share
        return None

    def _larger_splits(self, gpus: int) -> Iterator[Split]:
        """The splits over more than so many GPUs, from the fewest on, that could hold the load if nothing were stored twice."""
        share = self.deployment
        if share.usable_bytes:
            least = -(-share.footprint.total_bytes // share.usable_bytes)
            for count in GPU_COUNTS:
                if count >= least and count > gpus:
                    yield from splits_over(share.footprint.shape, count)

    def _with(self, *, context: int | None = None, batch: int | None = None) -> PerGpu:
        old = self.deployment.footprint
        load = replace(old, context=context or old.context, batch=batch or old.batch)
        return replace(self.deployment, footprint=load)

    def _on(self, split: Split) -> PerGpu:
        return replace(self.deployment, split=split)
