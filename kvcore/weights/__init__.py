"""How weights are stored: plain types, quantized types with their scales, llama.cpp's mixes, and what a config.json says."""

from kvcore.weights.quantization import LEFT_OUT, shipped_storage
from kvcore.weights.storage import SHIPPED, SUGGESTED, WEIGHT_STORAGES, WeightStorage, as_storage, weight_storage

__all__ = [
    "LEFT_OUT",
    "SHIPPED",
    "SUGGESTED",
    "WEIGHT_STORAGES",
    "WeightStorage",
    "as_storage",
    "shipped_storage",
    "weight_storage",
]
