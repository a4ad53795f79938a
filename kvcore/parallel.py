"""A model on several GPUs, divided as inference engines divide it: what the fullest GPU stores, and what fits.

    tensor parallel (tp)     divides the KV heads: ceil(n_kv / tp) heads on each GPU, so that heads are copied when there
                             are more GPUs than heads. An MLA latent has no heads: every GPU stores all of it. Recurrent
                             state is divided by heads.
    pipeline (pp)            divides the layers. The stage with the most layers is the fullest.
    data-parallel attention  divides the sequences among dp copies of the attention. A sequence is never divided.
    context parallel (cp)    divides the tokens of a sequence among cp of the tp GPUs, instead of copying KV heads. So
                             there must be cp GPUs for each KV head.
    expert parallel (ep)     gives each of ep GPUs whole experts, ceil(experts / ep) of them. With ep = 1 experts are divided
                             like other matrices.
    weights                  are divided by tp * pp.

An approximation: engines copy norms, and the K and V projections of copied heads, to several GPUs; here they are counted
once, because they are small. Sources: vllm-project/vllm, vllm/config/model.py (get_num_kv_heads),
vllm/distributed/utils.py (get_pp_indices), docs/serving/data_parallel_deployment.md and
docs/serving/context_parallel_deployment.md. evidence/evidence.json compares the rules with logs of real models.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from kvcore.errors import Invalid, OutOfRange, check_int
from kvcore.footprint import Footprint
from kvcore.groups import Group, bytes_per_token, cache_curve, state_bytes
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_LAYERS, MOST_TOKENS, LayerGroup
from kvcore.shape import Shape

__all__ = ["MOST_GPUS", "PerGpu", "Split", "even_stages", "most_context_parallel", "stage_groups"]

MOST_GPUS = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How a model is divided among tp * pp * dp GPUs; the module docstring says what each of them divides.

    cp is a divisor of tp, and ep a divisor of tp or a multiple of tp that divides tp * dp; neither adds GPUs. stages: the
    number of layers in each pipeline stage, or None for `even_stages`.

    Raises:
        OutOfRange: naming the field, for a number that is not from 1 to MOST_GPUS, or more than MOST_GPUS GPUs in all.
        Invalid: when cp or ep does not divide what it must divide, or there are not pp stages.

    >>> Split(tp=4, pp=2, dp=3).gpus
    24
    """

    tp: int = 1
    pp: int = 1
    dp: int = 1
    cp: int = 1
    ep: int = 1
    stages: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for field in ("tp", "pp", "dp", "cp", "ep"):
            check_int(field, getattr(self, field), 1, MOST_GPUS)
        check_int("gpus", self.gpus, 1, MOST_GPUS)
        if self.tp % self.cp:
            raise Invalid("cp", self.cp, f"a divisor of tp, which is {self.tp}")
        if self.tp % self.ep and (self.ep % self.tp or self.tp * self.dp % self.ep):
            raise Invalid("ep", self.ep, f"a divisor of tp, which is {self.tp}, or a multiple that divides tp * dp")
        if self.stages is not None:
            if len(self.stages) != self.pp:
                raise Invalid("stages", self.stages, f"the number of layers of each of the {self.pp} stages")
            for layers in self.stages:
                check_int("stages", layers, 1, MOST_LAYERS)

    @property
    def gpus(self) -> int:
        """The number of GPUs: tp * pp * dp."""
        return self.tp * self.pp * self.dp


def even_stages(layers: int, pp: int) -> tuple[int, ...]:
    """Return the number of layers in each of `pp` pipeline stages, divided as evenly as vLLM divides them.

    Layers that remain go one each to the last stages but one: the last stage also stores the output layer.

    Raises:
        OutOfRange: when there are more stages than layers.

    >>> even_stages(27, 2), even_stages(61, 4)
    ((14, 13), (15, 15, 16, 15))
    """
    check_int("pp", pp, 1, layers)
    share, rest = divmod(layers, pp)
    return tuple(share + (pp - 1 - rest <= index < pp - 1) for index in range(pp))


def stage_groups(shape: Shape, split: Split) -> tuple[Group, ...]:
    """Return the layer groups of the largest pipeline stage, each with one GPU's share of its heads.

    A stage of n of the model's L layers gets ceil(layers of the group * n / L) layers of each group. This is exact when
    the pattern of layers repeats evenly in the stages, and an upper bound for evenly mixed layers otherwise.

    Raises:
        Invalid: when tp does not divide the query heads, cp is larger than the copies of a KV head, or the stages do not
            add up to the model's layers.
        OutOfRange: when there are more stages than layers.

    >>> from kvcore.catalog import model
    >>> (group,) = stage_groups(model("llama-3-70b").shape, Split(tp=4, pp=2))  # of 80 layers with 8 KV heads
    >>> group.layers, group.kv_heads
    (40, 2)
    """
    if shape.query_heads % split.tp:
        raise Invalid("tp", split.tp, f"a divisor of the {shape.query_heads} query heads")
    if split.cp > most_context_parallel(shape, split.tp):
        most = most_context_parallel(shape, split.tp)
        raise Invalid("cp", split.cp, f"at most {most}, the GPUs of {split.tp} that there are for each KV head")
    stages = even_stages(shape.layers, split.pp) if split.stages is None else split.stages
    if sum(stages) != shape.layers:
        raise Invalid("stages", stages, f"stages that add up to the model's {shape.layers} layers")
    largest = max(stages)
    return tuple(
        replace(group.shard(split.tp), layers=-(-group.layers * largest // shape.layers)) for group in shape.groups
    )


def most_context_parallel(shape: Shape, tp: int) -> int:
    """Return the largest cp: the number of GPUs that would each store the same KV head, or the same latent.

    Source: vllm-project/vllm, docs/serving/context_parallel_deployment.md (decode context parallel).

    >>> from kvcore.catalog import model
    >>> most_context_parallel(model("deepseek-v3").shape, 8), most_context_parallel(model("llama-3-70b").shape, 16)
    (8, 2)
    """
    heads = [group.kv_heads for group in shape.groups if isinstance(group, LayerGroup) and group.kind != "shared"]
    return max(1, tp // max(heads, default=1))


def _checked_reserve(value: object) -> None:
    if not isinstance(value, Fraction) or not 0 <= value < 1:
        raise OutOfRange("reserve", value, "a Fraction from 0 to below 1")


@dataclass(frozen=True, kw_only=True)
class PerGpu:
    """What the fullest GPU stores of a footprint, and the largest batch and context that fit.

    block_size: the engine allocates the cache in blocks of so many tokens; 1 means no rounding.
    reserve: the fraction of a GPU's memory that the engine does not use. vLLM's gpu_memory_utilization of 0.9 is a
        reserve of 1/10. Memory for activations is counted nowhere.
    reserve_of_rest: the fraction is of the memory that the weights leave, as TensorRT-LLM counts it.
    index_keys_copied: with context parallelism each GPU keeps an indexer's keys of all tokens, as SGLang does.

    All sizes are in bytes and exact.

    Raises:
        OutOfRange, Invalid: naming the field, for a number out of range, and as `stage_groups` does.

    >>> from kvcore import size
    >>> share = PerGpu(footprint=size("llama-3-70b", batch=8), split=Split(tp=8))
    >>> share.bytes_per_token, share.max_batch
    (40960, 176)
    """

    footprint: Footprint
    split: Split = Split()
    block_size: int = 1
    reserve: Fraction = Fraction(1, 10)
    reserve_of_rest: bool = False
    index_keys_copied: bool = False

    def __post_init__(self) -> None:
        check_int("block_size", self.block_size, 1, MOST_TOKENS)
        _checked_reserve(self.reserve)
        self.groups  # noqa: B018 - raises here if the split does not fit the shape

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The layer groups of the fullest GPU, with its share of their heads."""
        return stage_groups(self.footprint.shape, self.split)

    @cached_property
    def bytes_per_token(self) -> int:
        """Bytes that one token of one sequence adds on a GPU that stores it, while the context is below every window."""
        return bytes_per_token(self.groups, self.footprint.cache_dtype, self.footprint.value_dtype)

    @cached_property
    def state_bytes(self) -> int:
        """Bytes of the recurrent state of one sequence."""
        return state_bytes(self.groups)

    def sequence_bytes(self, context: int) -> int:
        """Return the bytes of cache and state of one sequence of `context` tokens.

        Each layer stores ceil(tokens / cp) tokens, rounded up to whole blocks; tokens is at most the layer's window.
        """
        footprint = self.footprint
        curve = cache_curve(self.groups, (context,), footprint.cache_dtype, footprint.value_dtype, self._stored)
        return curve[0] + self.state_bytes + self._copied_index_bytes(context)

    def _copied_index_bytes(self, context: int) -> int:
        """The bytes of an indexer's keys that this GPU keeps of tokens whose latents are on other GPUs."""
        if not self.index_keys_copied or self.split.cp == 1:
            return 0
        extra = -(-context // self.block_size) * self.block_size - self._stored(context)
        return sum(g.layers * g.index_bytes * extra for g in self.groups if isinstance(g, LatentGroup))

    @property
    def sequences(self) -> int:
        """Sequences of the batch on one of the dp copies of the attention: ceil(batch / dp)."""
        return -(-self.footprint.batch // self.split.dp)

    @property
    def shared_tokens(self) -> int:
        """Tokens of the shared prompt that are stored once on each dp copy of the attention: its whole blocks.

        Source: vllm-project/vllm, docs/design/prefix_caching.md: only full blocks are cached.
        """
        block = self.block_size * self.split.cp
        return self.footprint.shared_prompt // block * block

    def own_bytes(self, context: int) -> int:
        """Return the bytes of one sequence of `context` tokens without the shared prompt."""
        return self.sequence_bytes(context - min(self.shared_tokens, context))

    def prompt_bytes(self, context: int) -> int:
        """Return the bytes of the shared prompt, as far as sequences of `context` tokens have it; 0 if nothing is shared."""
        return self.sequence_bytes(min(self.shared_tokens, context)) if self.shared_tokens else 0

    @property
    def cache_bytes(self) -> int:
        """Bytes of cache and state of `sequences` sequences at the footprint's context, a shared prompt counted once."""
        return self._load_bytes(self.footprint.context)

    @property
    def batch_state_bytes(self) -> int:
        """Bytes of recurrent state among `cache_bytes`: of every sequence, and of the shared prompt's end."""
        return (self.sequences + (self.shared_tokens > 0)) * self.state_bytes

    def _load_bytes(self, context: int) -> int:
        return self.prompt_bytes(context) + self.sequences * self.own_bytes(context)

    @cached_property
    def weights_bytes(self) -> int:
        """Bytes of weights: ceil(all weights / (tp * pp)); with expert parallelism, of the experts those of the fullest GPU.

        Of E experts, that GPU has ceil(E / ep), each divided among the tp / ep GPUs that share it, if there are so many.
        """
        footprint, split = self.footprint, self.split
        experts, count = footprint.expert_bytes, footprint.shape.experts
        if split.ep == 1 or not experts:
            return -(-footprint.weights_bytes // (split.tp * split.pp))
        others = -(-(footprint.weights_bytes - experts) // (split.tp * split.pp))
        own, sharing = -(-count // split.ep), max(1, split.tp // split.ep)
        return others + -(-experts * own // (count * sharing * split.pp))

    @cached_property
    def usable_bytes(self) -> int:
        """Memory of a GPU without the reserve."""
        memory, weights = self.footprint.gpu_bytes, self.weights_bytes
        if self.reserve_of_rest and weights < memory:
            return weights + int((memory - weights) * (1 - self.reserve))
        return int(memory * (1 - self.reserve))

    @property
    def room_bytes(self) -> int:
        """Usable memory less weights: the room for the cache. Negative when the weights alone do not fit."""
        return self.usable_bytes - self.weights_bytes

    @property
    def free_bytes(self) -> int:
        """Usable memory less weights and cache. Negative when they do not fit."""
        return self.room_bytes - self.cache_bytes

    @property
    def fits(self) -> bool:
        """Whether weights and cache fit at the footprint's context and batch."""
        return self.free_bytes >= 0

    @property
    def max_batch(self) -> int | None:
        """The largest batch at this context, on all dp copies together.

        0 when not one sequence fits; None when there is no limit, because a sequence takes no memory.
        """
        context = self.footprint.context
        room, each = self.room_bytes - self.prompt_bytes(context), self.own_bytes(context)
        if not each:
            return None if room >= 0 else 0
        return max(0, room // each) * self.split.dp

    @property
    def max_context(self) -> int | None:
        """The largest context at this batch; 0 when not one token fits, None when every context up to MOST_TOKENS fits."""
        room = self.room_bytes
        if self._load_bytes(1) > room:
            return 0
        if self._load_bytes(MOST_TOKENS) <= room:
            return None
        low, high = 1, MOST_TOKENS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._load_bytes(middle) <= room else (low, middle)
        return low

    def _stored(self, tokens: int) -> int:
        """Return the tokens that one GPU has room for: ceil(tokens / cp), rounded up to whole blocks."""
        share = -(-tokens // self.split.cp)
        return -(-share // self.block_size) * self.block_size
