"""How inference engines divide a model among several GPUs, the splits that they are run with, and the one most like another.

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

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kvcore.errors import Invalid, check_int
from kvcore.groups import Group
from kvcore.layers import MOST_LAYERS, LayerGroup
from kvcore.shape import Shape

__all__ = [
    "GPU_COUNTS",
    "MOST_GPUS",
    "Split",
    "divides_heads",
    "even_stages",
    "most_context_parallel",
    "split_for",
    "splits_over",
    "stage_groups",
]

MOST_GPUS = 2**16

GPU_COUNTS = (
    *range(1, 17), *(20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 768, 1024),
)  # fmt: skip
"""The numbers of GPUs that are tried: every small one, then those that whole nodes of eight make."""


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


def divides_heads(shape: Shape, tp: int) -> bool:
    """Whether engines accept tp GPUs for this model: they divide its query heads, and its KV heads or copies of them.

    Source: vllm-project/vllm, vllm/model_executor/layers/linear.py (QKVParallelLinear: num_kv_heads, num_kv_head_replicas).

    >>> from kvcore.catalog import model
    >>> [tp for tp in range(1, 17) if divides_heads(model("qwen2.5-14b").shape, tp)]  # 40 query heads, 8 KV heads
    [1, 2, 4, 8]
    """
    if shape.query_heads % tp:
        return False
    heads = {group.kv_heads for group in shape.groups if isinstance(group, LayerGroup) and group.kind != "shared"}
    return all(count % tp == 0 or tp % count == 0 for count in heads)


def splits_over(shape: Shape, gpus: int) -> Iterator[Split]:
    """Return the splits over this number of GPUs that engines are commonly run with.

    First, tensor parallelism over all of them. Then, as the GPUs beyond one for each KV head would only store copies of
    the cache, data-parallel copies of fewer, among which the experts are divided. None of both if the number divides
    neither the heads nor, where heads hardly divide at all, the layers.

    >>> from kvcore.catalog import model
    >>> [(split.tp, split.dp) for split in splits_over(model("llama-3-70b").shape, 16)]  # 8 KV heads
    [(16, 1), (8, 2)]
    >>> [(split.tp, split.dp, split.ep) for split in splits_over(model("deepseek-v3").shape, 16)]  # one latent
    [(16, 1, 1), (1, 16, 16)]
    """
    if divides_heads(shape, gpus):
        yield Split(tp=gpus)
        heads = _cached_heads(shape)
        tp = max(count for count in range(1, heads + 1) if gpus % count == 0 and divides_heads(shape, count))
        if tp < gpus:
            yield Split(tp=tp, dp=gpus // tp, ep=gpus if shape.experts else 1)
    elif not divides_heads(shape, 2) or gpus > max(count for count in GPU_COUNTS if divides_heads(shape, count)):
        split = split_for(shape, gpus)
        if split is not None:
            yield split


def _cached_heads(shape: Shape) -> int:
    """The most KV heads of any layer, which is how far tensor parallelism divides the cache; 1 for latents."""
    return max((g.kv_heads for g in shape.groups if isinstance(g, LayerGroup) and g.kind != "shared"), default=1)


def split_for(shape: Shape, gpus: int, like: Split | None = None) -> Split | None:
    """Return the split over this number of GPUs that is most like another: tensor parallel as far as the heads divide.

    like: a split whose data-parallel copies are kept, and whose pipeline stages, context and expert parallelism are kept
    where they are still possible. None if the copies do not divide the GPUs, or if there would be more stages than layers.

    >>> from kvcore.catalog import model
    >>> split_for(model("llama-3-70b").shape, 6)  # 64 query heads: 2 divides them, 3 and 6 do not
    Split(tp=2, pp=3, dp=1, cp=1, ep=1, stages=None)
    """
    old = like or Split()
    each, rest = divmod(gpus, old.dp)
    if rest or not each:
        return None
    tp, uneven = divmod(each, old.pp)
    if uneven or not tp or not divides_heads(shape, tp):
        tp = max(count for count in range(1, each + 1) if each % count == 0 and divides_heads(shape, count))
    pp = each // tp
    if pp > shape.layers:
        return None
    cp = old.cp if tp % old.cp == 0 and old.cp <= most_context_parallel(shape, tp) else 1
    spread = tp * old.dp if old.ep == old.tp * old.dp > 1 else old.ep
    ep = spread if tp % spread == 0 or (spread % tp == 0 and tp * old.dp % spread == 0) else 1
    return Split(tp=tp, pp=pp, dp=old.dp, cp=cp, ep=ep)
