"""What is true about KV caches: bytes, tokens and parameters, exact until they are formatted.

What a program needs, in one line each:

>>> import kvcore
>>> llama = kvcore.model("llama-3-70b")  # a model of the catalog; kvcore.read_config reads any other
>>> deployment = kvcore.size(llama, context=8192, batch=32)
>>> deployment.cache_bytes, deployment.weights_bytes, deployment.cliff_context
(85899345920, 141107412992, 13458)
>>> share = kvcore.split(deployment, tp=4, reserve=0.08)  # what the fullest of four GPUs holds
>>> share.fits, share.max_batch, share.max_context
(True, 64, 16556)

In a notebook, a `Footprint` shows itself as the cliff chart. The modules behind these names may be imported too; the
formulas and their sources are in their docstrings.
"""

__version__ = "0.1.0"

from kvcore.catalog import GPUS, MODELS, Gpu, Model, gpu, model
from kvcore.config import Reading, parse_config, read_config
from kvcore.deployment import size, split
from kvcore.errors import Invalid, KvcoreError, OutOfRange, UnknownName, Unsupported
from kvcore.footprint import Footprint
from kvcore.parallel import PerGpu
from kvcore.shape import Shape
from kvcore.splits import Split

__all__ = [
    "GPUS",
    "MODELS",
    "Footprint",
    "Gpu",
    "Invalid",
    "KvcoreError",
    "Model",
    "OutOfRange",
    "PerGpu",
    "Reading",
    "Shape",
    "Split",
    "UnknownName",
    "Unsupported",
    "__version__",
    "gpu",
    "model",
    "parse_config",
    "read_config",
    "size",
    "split",
]
