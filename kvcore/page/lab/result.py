"""The result of the Lab's controls, from which all its sentences, figures and tables are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from kvcore import catalog
from kvcore.catalog import Gpu
from kvcore.dtypes import CACHE_DTYPES
from kvcore.engines import ENGINES, Engine, as_engine_stores, cached_as
from kvcore.footprint import Footprint
from kvcore.page.controls import Values
from kvcore.page.lab import words
from kvcore.page.lab.controls import (
    BATCH,
    CACHE_DTYPE,
    CONTEXT,
    ENGINE,
    GPU,
    GPU_MEMORY,
    KV_HEADS,
    SHARED_PROMPT,
    V_DTYPE,
    WEIGHT_DTYPE,
)
from kvcore.page.lab.shape import LabModel, edited_shape, grouped_kv_heads, lab_model, loaded_shape, own_shape
from kvcore.shape import Shape
from kvcore.weights import weight_storage


@dataclass(frozen=True, slots=True, kw_only=True)
class LabResult:
    """The Lab's model, its footprint, and its twins: the same model with other numbers of KV heads.

    edited: the shape is not the model's own. twins: "mha", "gqa" or "mqa" -> footprint, without the kind that the model
    has itself. engine: the inference engine whose defaults and types count. units: "binary" or "decimal".
    """

    model: LabModel
    edited: bool
    footprint: Footprint
    twins: Mapping[str, Footprint]
    gpu: Gpu
    engine: Engine
    units: str

    @property
    def shape(self) -> Shape:
        """The shape in use: the model's own or the edited one, as the engine loads it."""
        return self.footprint.shape

    @property
    def name(self) -> str:
        """The model's name, with a mark if its shape was edited."""
        return words.edited(self.model.name) if self.edited else self.model.name


def lab_result(values: Values, units: str, *, linked: bool = False) -> LabResult:
    """Compute the result for the values of the Lab's controls.

    units: the system to write sizes in, "binary" or "decimal". linked: an imported model came with a link.

    Raises:
        KvcoreError: if a packed config or an edited shape is not valid; `read_lab` returns only valid values.
    """
    model = lab_model(values, linked=linked)
    shape = edited_shape(values, model)
    gpu, engine = chosen_gpu(values), ENGINES[ENGINE.of(values)]

    def footprint(shape: Shape) -> Footprint:
        loaded = loaded_shape(values, shape)
        return Footprint(
            shape=as_engine_stores(engine, loaded),
            context=CONTEXT.of(values),
            batch=BATCH.of(values),
            shared_prompt=SHARED_PROMPT.of(values),
            cache_dtype=cached_as(engine, CACHE_DTYPES[CACHE_DTYPE.of(values)], loaded),
            value_dtype=CACHE_DTYPES.get(V_DTYPE.of(values)),
            weight_dtype=weight_storage(WEIGHT_DTYPE.of(values), model.weights),
            gpu_bytes=gpu.memory_bytes,
        )

    own_kv_heads = int(own_shape(model)[KV_HEADS.name])
    return LabResult(
        model=model,
        edited=shape is not model.shape,
        footprint=footprint(shape),
        twins={name: footprint(twin) for name, twin in twin_shapes(shape, own_kv_heads).items()},
        gpu=gpu,
        engine=engine,
        units=units,
    )


def chosen_gpu(values: Values) -> Gpu:
    """The GPU of the catalog that these values choose, or one with the memory that they give."""
    name = GPU.of(values)
    return catalog.own_gpu(GPU_MEMORY.of(values) * 2**30) if name == catalog.OWN_GPU else catalog.GPUS[name]


@lru_cache(maxsize=16)
def twin_shapes(shape: Shape, own_kv_heads: int) -> Mapping[str, Shape]:
    """The shape as MHA, GQA and MQA: kind -> shape, without the kind that it has itself.

    Empty for a shape whose layers differ or have no KV heads. own_kv_heads: the number for GQA, if it is one.
    """
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
