"""What the fullest GPU stores when a model is divided among several, and what fits there; `kvcore.splits` says how it is divided."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from kvcore.errors import OutOfRange, check_int
from kvcore.footprint import Footprint
from kvcore.groups import Group, bytes_per_token, cache_curve, state_bytes
from kvcore.latent import LatentGroup
from kvcore.layers import MOST_TOKENS
from kvcore.splits import Split, stage_groups

__all__ = ["PerGpu"]

_UNDIVIDED = Split()


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
    split: Split = _UNDIVIDED
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
