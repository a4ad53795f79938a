"""The splits over a number of GPUs that engines are run with, and the one that is most like another."""

from collections.abc import Iterator

from kvcore.layers import LayerGroup
from kvcore.parallel import Split, most_context_parallel
from kvcore.shape import Shape

__all__ = ["GPU_COUNTS", "divides_heads", "split_for", "splits_over"]

GPU_COUNTS = (
    *range(1, 17), *(20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 768, 1024),
)  # fmt: skip
"""The numbers of GPUs that are tried: every small one, then those that whole nodes of eight make."""


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
