"""A model over several GPUs, as engines spread it: what the fullest GPU holds, and what fits.

    tensor parallel (tp)     KV heads are divided, and copied once there are more GPUs than heads: ceil(n_kv / tp) heads a
                             GPU. A latent (MLA) has no heads: every GPU holds all of it. Recurrent state divides by heads.
    pipeline (pp)            layers are divided: the stage that has most of them decides.
    data-parallel attention  requests are divided, never one request: dp copies, each with its own sequences.
    context parallel (cp)    the tokens of a sequence are divided among cp of the tp GPUs, which would hold copies.
    weights                  divided by tp * pp.

Norms, and K and V projections that are copied with their heads, are small and counted once. Sources: vllm-project/vllm,
vllm/config/model.py (get_num_kv_heads), vllm/distributed/utils.py (get_pp_indices), docs/serving/data_parallel_deployment.md
and docs/serving/context_parallel_deployment.md; what it does with real models is in evidence/evidence.json.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from kvcore.errors import Invalid, OutOfRange, check_int
from kvcore.footprint import Footprint
from kvcore.groups import Group, cache_curve
from kvcore.layers import MOST_LAYERS, MOST_TOKENS
from kvcore.shape import Shape

__all__ = ["MOST_GPUS", "PerGpu", "Split", "even_stages", "split_over", "stage_groups"]

MOST_GPUS = 2**16
_NODE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How GPUs share a model: tp * pp * dp of them; `stages` gives the layers of each pipeline stage where they are set by hand.

    Raises:
        OutOfRange, Invalid: naming the field, for a number that is no count of GPUs, or counts that contradict.
    """

    tp: int = 1
    pp: int = 1
    dp: int = 1
    cp: int = 1
    stages: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for field in ("tp", "pp", "dp", "cp"):
            check_int(field, getattr(self, field), 1, MOST_GPUS)
        check_int("gpus", self.gpus, 1, MOST_GPUS)
        if self.tp % self.cp:
            raise Invalid("cp", self.cp, f"a divisor of tp, which is {self.tp}")
        if self.stages is not None:
            if len(self.stages) != self.pp:
                raise Invalid("stages", self.stages, f"a number of layers for each of the {self.pp} stages")
            for layers in self.stages:
                check_int("stages", layers, 1, MOST_LAYERS)

    @property
    def gpus(self) -> int:
        """All GPUs: tp * pp * dp."""
        return self.tp * self.pp * self.dp


def even_stages(layers: int, pp: int) -> tuple[int, ...]:
    """Layers of each pipeline stage: evenly, what remains going to the stages before the last, from the back.

    27 layers over 2 are (14, 13), 61 over 4 are (15, 15, 16, 15): the last stage has the output layer to hold, too.

    Raises:
        OutOfRange: when there are more stages than layers.
    """
    check_int("pp", pp, 1, layers)
    share, rest = divmod(layers, pp)
    return tuple(share + (pp - 1 - rest <= index < pp - 1) for index in range(pp))


def stage_groups(shape: Shape, split: Split) -> tuple[Group, ...]:
    """The layers of the largest stage, each group cut to one GPU's share of its heads.

    Where layers differ, a stage of n out of L layers gets ceil(n / L) of each group: exact for patterns that divide,
    and never less than a stage of evenly mixed layers holds.

    Raises:
        Invalid: where the GPUs cannot divide the query heads, or the stages do not add up to the model's layers.
    """
    if shape.query_heads % split.tp:
        raise Invalid("tp", split.tp, f"a divisor of the {shape.query_heads} query heads")
    stages = even_stages(shape.layers, split.pp) if split.stages is None else split.stages
    if sum(stages) != shape.layers:
        raise Invalid("stages", stages, f"stages of {shape.layers} layers in all")
    largest = max(stages)
    return tuple(
        replace(group.shard(split.tp), layers=-(-group.layers * largest // shape.layers)) for group in shape.groups
    )


def split_over(shape: Shape, gpus: int) -> Split:
    """The usual way to use this many GPUs: the largest tp that divides them and the query heads within a node of 8, and pp.

    Raises:
        Invalid, OutOfRange: where that leaves more stages than layers.
    """
    check_int("gpus", gpus, 1, MOST_GPUS)
    tp = max(n for n in range(1, _NODE + 1) if gpus % n == 0 and shape.query_heads % n == 0)
    even_stages(shape.layers, gpus // tp)
    return Split(tp=tp, pp=gpus // tp)


def _checked_reserve(value: object) -> None:
    if not isinstance(value, Fraction) or not 0 <= value < 1:
        raise OutOfRange("reserve", value, "a Fraction from 0 to below 1")


@dataclass(frozen=True, kw_only=True)
class PerGpu:
    """What the fullest GPU holds of a footprint, and the largest batch and context that fit.

    block_size: tokens an engine allocates at a time (1: no rounding). reserve: the part of a GPU's memory that the
    engine leaves alone; vLLM's gpu_memory_utilization of 0.9 is a reserve of 1/10, and what one run needs for
    activations comes out of neither.

    Raises:
        OutOfRange, Invalid: naming the field; as `stage_groups` does.
    """

    footprint: Footprint
    split: Split = Split()
    block_size: int = 1
    reserve: Fraction = Fraction(1, 10)

    def __post_init__(self) -> None:
        check_int("block_size", self.block_size, 1, MOST_TOKENS)
        _checked_reserve(self.reserve)
        self.groups  # noqa: B018 - checks that the split fits the shape

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The layers of the fullest GPU, with its share of their heads."""
        return stage_groups(self.footprint.shape, self.split)

    @cached_property
    def bytes_per_token(self) -> int:
        """Cache of one more token of one sequence on a GPU that stores it, while it is below every window."""
        keys = self.footprint.cache_dtype
        return sum(group.bytes_per_token(keys, self.footprint.value_dtype or keys) for group in self.groups)

    @cached_property
    def state_bytes(self) -> int:
        """Recurrent state of one sequence."""
        return sum(group.state_bytes for group in self.groups)

    def sequence_bytes(self, context: int) -> int:
        """Cache and state of one sequence of `context` tokens: in each layer its share of the tokens, in whole blocks."""
        footprint = self.footprint
        curve = cache_curve(self.groups, (context,), footprint.cache_dtype, footprint.value_dtype, self._stored)
        return curve[0] + self.state_bytes

    @property
    def sequences(self) -> int:
        """Sequences of the batch that one copy of the attention serves: ceil(batch / dp)."""
        return -(-self.footprint.batch // self.split.dp)

    @property
    def cache_bytes(self) -> int:
        """Cache and state of those sequences at this context."""
        return self.sequences * self.sequence_bytes(self.footprint.context)

    @property
    def weights_bytes(self) -> int:
        """Weights: ceil(all of them / (tp * pp))."""
        return -(-self.footprint.weights_bytes // (self.split.tp * self.split.pp))

    @property
    def usable_bytes(self) -> int:
        """Memory of a GPU less the reserve."""
        return int(self.footprint.gpu_bytes * (1 - self.reserve))

    @property
    def room_bytes(self) -> int:
        """What the weights leave of that for the cache; below zero where not even they fit."""
        return self.usable_bytes - self.weights_bytes

    @property
    def free_bytes(self) -> int:
        """What weights and cache leave; below zero where they do not fit."""
        return self.room_bytes - self.cache_bytes

    @property
    def fits(self) -> bool:
        """Whether the batch fits at this context."""
        return self.free_bytes >= 0

    @property
    def max_batch(self) -> int | None:
        """The largest batch at this context, over all copies; 0 where none fits, None where sequences cost nothing."""
        each = self.sequence_bytes(self.footprint.context)
        if not each:
            return None if self.room_bytes >= 0 else 0
        return max(0, self.room_bytes // each) * self.split.dp

    @property
    def max_context(self) -> int | None:
        """The largest context at this batch; 0 where not one token fits, None where no context is too long."""
        budget = self.room_bytes // self.sequences
        if self.sequence_bytes(1) > budget:
            return 0
        if self.sequence_bytes(MOST_TOKENS) <= budget:
            return None
        low, high = 1, MOST_TOKENS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.sequence_bytes(middle) <= budget else (low, middle)
        return low

    def _stored(self, tokens: int) -> int:
        """One GPU's share of a sequence's tokens, in whole blocks."""
        share = -(-tokens // self.split.cp)
        return -(-share // self.block_size) * self.block_size
