"""Transformers' model for the JSON of a config: on torch's meta device to be counted, on the processor to be run."""

import copy
import os
from collections.abc import Mapping
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # a config that names a file to fetch is refused
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"

import torch
import transformers
from transformers.initialization import no_init_weights
from transformers.models.auto import modeling_auto

from site_hooks.oracle.small import COMES_FROM, config_class

__all__ = ["WITH_IMAGES", "built", "read"]

WITH_IMAGES: Mapping[str, Any] = modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
"""model_type of a model that sees or hears -> transformers' class."""

_CAUSAL: Mapping[str, Any] = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
_WITHOUT_HEAD: Mapping[str, Any] = modeling_auto.MODEL_MAPPING_NAMES

torch.set_num_threads(1)
torch.set_grad_enabled(False)


def read(config: Mapping[str, Any]) -> Any:
    """Transformers' config object for this JSON; it raises where transformers refuses the config."""
    fields = copy.deepcopy(dict(config))
    model_type = fields["model_type"]
    fields["model_type"] = COMES_FROM.get(model_type, model_type)
    for key in ("quantization_config", "auto_map"):  # how weights are packed; code to download
        fields.pop(key, None)
    return config_class(model_type).from_dict(fields)


def built(config: Any, device: str) -> Any:
    """The model of a config object, its weights zero: shapes do not depend on them, and to draw them takes most of the time."""
    model_type = config.model_type
    name = (WITH_IMAGES.get(model_type) if hasattr(config, "text_config") else None) or _CAUSAL.get(model_type)
    name = name or WITH_IMAGES.get(model_type) or _WITHOUT_HEAD[model_type]
    if isinstance(name, tuple | list):
        name = name[0]
    config._attn_implementation = "eager"  # noqa: SLF001 - the one way of attending that every model has
    model_class = getattr(transformers, name)
    dtype = config.dtype if isinstance(config.dtype, torch.dtype) else torch.float32
    with torch.device(device), no_init_weights():
        model = model_class._from_config(config, dtype=dtype)  # noqa: SLF001 - from_config of the Auto classes calls it too
    model.eval()
    model.tie_weights()
    if device != "meta":
        for parameter in model.parameters():
            parameter.zero_()
    return model
