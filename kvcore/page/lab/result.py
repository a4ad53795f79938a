"""What the Lab's controls come to: one result, from which its sentences, figures and tables are all drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from kvcore import catalog
from kvcore.catalog import Gpu
from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES
from kvcore.footprint import Footprint
from kvcore.page.controls import Values
from kvcore.page.lab import words
from kvcore.page.lab.controls import BATCH, CACHE_DTYPE, CONTEXT, GPU, KV_HEADS, V_DTYPE, WEIGHT_DTYPE
from kvcore.page.lab.shape import LabModel, edited_shape, grouped_kv_heads, lab_model, own_shape
from kvcore.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class LabResult:
    """A model as the Lab has it, its footprint, and the same model with other KV heads.

    twins: "mha", "gqa" or "mqa" -> the footprint of the same shape with those KV heads; the Lab's own is not among them.
    """

    model: LabModel
    edited: bool
    footprint: Footprint
    twins: Mapping[str, Footprint]
    gpu: Gpu
    units: str

    @property
    def shape(self) -> Shape:
        """The shape the numbers are of: the model's, or what was edited from it."""
        return self.footprint.shape

    @property
    def name(self) -> str:
        """The model's name, marked where its shape was edited."""
        return words.edited(self.model.name) if self.edited else self.model.name


def lab_result(values: Values, units: str, *, linked: bool = False) -> LabResult:
    """Compute the Lab for the values of its controls.

    `units` is the system that sizes are written in; `linked` says that an imported model came with a link.
    """
    model = lab_model(values, linked=linked)
    shape = edited_shape(values, model)
    gpu = catalog.GPUS[GPU.of(values)]

    def footprint(shape: Shape) -> Footprint:
        return Footprint(
            shape=shape,
            context=CONTEXT.of(values),
            batch=BATCH.of(values),
            cache_dtype=CACHE_DTYPES[CACHE_DTYPE.of(values)],
            value_dtype=CACHE_DTYPES.get(V_DTYPE.of(values)),
            weight_dtype=WEIGHT_DTYPES[WEIGHT_DTYPE.of(values)],
            gpu_bytes=gpu.memory_bytes,
        )

    own_kv_heads = int(own_shape(model)[KV_HEADS.name])
    return LabResult(
        model=model,
        edited=shape is not model.shape,
        footprint=footprint(shape),
        twins={name: footprint(twin) for name, twin in twin_shapes(shape, own_kv_heads).items()},
        gpu=gpu,
        units=units,
    )


@lru_cache(maxsize=16)
def twin_shapes(shape: Shape, own_kv_heads: int) -> Mapping[str, Shape]:
    """The same shape with a KV head for each query head, with grouped ones, and with a single one; never the shape itself."""
    if not shape.uniform or shape.kv_heads is None:
        return {}
    heads = {"mha": shape.query_heads, "gqa": grouped_kv_heads(shape.query_heads, own_kv_heads), "mqa": 1}
    return MappingProxyType(
        {
            name: shape.edited(kv_heads=count)
            for name, count in heads.items()
            if count is not None and name != shape.attention and count != shape.kv_heads
        }
    )
