"""The parameters of transformers' model, and where its count is not what a checkpoint holds.

* Routers of DeepSeek-V3 and its kin have a correction bias for each expert. Checkpoints hold it; in transformers it is a
  parameter in some families and a persistent buffer in others, which `parameters()` leaves out. Buffers are counted apart,
  as `biases`, and what a config comes to is the sum of both.
* Gemma 4 scales each layer by `layer_scalar`, a buffer of one number: it is held by checkpoints, and kvcore leaves it out.
  It is counted apart, as `scalars`.
* A text model without an output layer (Qwen2-VL's and its successors') has the one of the model around it, which is a matrix
  of its own unless the config ties it.
"""

import re
from dataclasses import dataclass
from typing import Any

from site_hooks.oracle.models import WITH_IMAGES

__all__ = ["Count", "counted"]

_NOT_TEXT = re.compile(
    "visual|vision|image|audio|video|projector|connector|aligner|speech|mtp|img_|sound|qformer|resampler|merger|view_"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Parameters of the language model; its persistent buffers: correction biases, and other numbers."""

    params: int
    biases: int
    scalars: int


def counted(model: Any) -> Count:
    """Count a model that was built on any device; weights that are tied count once."""
    config = model.config
    nested = config.model_type in WITH_IMAGES and hasattr(config, "text_config")
    transient = {
        f"{module_name}.{name}" if module_name else name
        for module_name, module in model.named_modules()
        for name in module._non_persistent_buffers_set  # noqa: SLF001 - torch has no other way to ask
    }
    buffers = {
        name: buffer.numel()
        for name, buffer in model.named_buffers()
        if name not in transient and (not nested or _of_language(name))
    }
    biases = sum(numbers for name, numbers in buffers.items() if "bias" in name.rsplit(".", 1)[-1])
    params = sum(weight.numel() for name, weight in model.named_parameters() if not nested or _of_language(name))
    if model.get_output_embeddings() is None and not getattr(config, "tie_word_embeddings", False):
        params += config.vocab_size * config.hidden_size
    return Count(params=params, biases=biases, scalars=sum(buffers.values()) - biases)


def _of_language(name: str) -> bool:
    """Whether a tensor belongs to the language model; what stands inside one of its layers does."""
    return not _NOT_TEXT.search(name.rsplit(".layers.", 1)[0] if ".layers." in name else name)
