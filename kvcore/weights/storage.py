"""How the weights of a model are stored: which tensors are quantized, in which format, and the type of the others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from kvcore.dtypes import WEIGHT_DTYPES, Dtype
from kvcore.errors import UnknownName, Unsupported
from kvcore.shape import Shape
from kvcore.tensors import TENSOR_KINDS, Tensor
from kvcore.weights.formats import MatrixFormat, fp8_blocks, grouped
from kvcore.weights.gguf import MIXES, Mix
from kvcore.weights.modules import Modules

__all__ = [
    "INT8",
    "MXFP4",
    "MXFP8",
    "NVFP4",
    "SHIPPED",
    "SUGGESTED",
    "WEIGHT_STORAGES",
    "WeightStorage",
    "as_storage",
    "weight_storage",
]

SHIPPED = "shipped"
"""The name that stands for a model's own storage."""

_LINEAR = frozenset({"attention", "recurrent", "mlp", "expert"})
_NAMED = _LINEAR | {"output"}
"""The kinds of matrices that are quantized where tools name them."""
_MATRIX, _NARROW = 2, 16
"""Matrices with fewer columns are kernels of short convolutions, which no tool quantizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightStorage:
    """A rule that says for each tensor how it is stored.

    rest: the type of what is not quantized. matrix: the format of quantized matrices, None if all is stored as `rest`.
    kinds: the kinds of tensors whose matrices are quantized, see `tensors.TENSOR_KINDS`. kept: modules that stay in the type `rest`.
    targets: the only modules that are quantized, None for all of these kinds. parts: formats of modules that have one of their own.
    mix: llama.cpp's rule for a mix of types, in place of `matrix`. note: a sentence about what is not known of the storage.

    >>> from kvcore import model
    >>> llama = model("llama-3-8b").shape
    >>> weight_storage("bf16").bytes_of(llama), weight_storage("mxfp4").bytes_by_kind(llama)["output"]
    (16060522496, 1050673152)
    """

    name: str
    label: str
    source: str
    rest: Dtype
    matrix: MatrixFormat | None = None
    kinds: frozenset[str] = _LINEAR
    kept: Modules | None = None
    targets: Modules | None = None
    parts: tuple[tuple[MatrixFormat, Modules], ...] = ()
    mix: Mix | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in TENSOR_KINDS:
                raise Unsupported("kinds", kind, f"one of {', '.join(TENSOR_KINDS)}")

    def bytes_of(self, shape: Shape) -> int:
        """Return the bytes of all weights of a model."""
        if not self.quantized and self.mix is None:
            return self.rest.row_bytes(shape.params)
        return sum(_bytes_by_kind(self, shape).values())

    def bytes_by_kind(self, shape: Shape) -> dict[str, int]:
        """Return the bytes of each kind of tensor that the model has."""
        return dict(_bytes_by_kind(self, shape))

    @property
    def quantized(self) -> bool:
        """Whether some matrices are stored in another format than the rest."""
        return self.matrix is not None or bool(self.parts)

    def tensor_bytes(self, tensor: Tensor, shape: Shape) -> int:
        """Return the bytes of all `count` tensors of this name, their scales included."""
        if self.mix is not None:
            return self.mix.tensor_bytes(tensor, shape)
        plain = self.rest.row_bytes(tensor.params)
        if not self.quantized or len(tensor.shape) != _MATRIX or min(tensor.shape) < _NARROW:
            return plain
        left, size = Fraction(1), Fraction(0)
        for share, matrix in self._shares(tensor, shape):
            taken = min(left, share)
            left -= taken
            size += taken * (plain if matrix is None else tensor.count * matrix.bytes_of(tensor.shape))
        return round(size + left * plain)

    def _shares(self, tensor: Tensor, shape: Shape) -> Iterator[tuple[Fraction, MatrixFormat | None]]:
        """The shares of the tensors of this name, and their formats, None for `rest`; the first ones go before the others."""
        if self.kept is not None:
            yield self.kept.share(tensor, shape), None
        for matrix, modules in self.parts:
            if tensor.kind in _NAMED:
                yield modules.share(tensor, shape), matrix
        if self.matrix is not None and tensor.kind in self.kinds:
            yield Fraction(1) if self.targets is None else self.targets.share(tensor, shape), self.matrix

    def bytes_per_parameter(self, shape: Shape) -> Fraction:
        """Return the average bytes of a parameter of this model."""
        return Fraction(self.bytes_of(shape), shape.params)


@lru_cache(maxsize=128)
def _bytes_by_kind(storage: WeightStorage, shape: Shape) -> Mapping[str, int]:
    """The bytes of each kind of tensor; kept, as a verdict tries the same types at every move of a slider."""
    found: dict[str, int] = {}
    for tensor in shape.tensors:
        found[tensor.kind] = found.get(tensor.kind, 0) + storage.tensor_bytes(tensor, shape)
    return found


def as_storage(dtype: "Dtype | WeightStorage") -> WeightStorage:
    """Return the storage of all weights in one type; a WeightStorage as it is."""
    if isinstance(dtype, WeightStorage):
        return dtype
    return WeightStorage(name=dtype.name, label=dtype.label, source=dtype.source, rest=dtype)


_BF16 = WEIGHT_DTYPES["bf16"]
_MX = "OCP Microscaling Formats (MX) 1.0, section 5.3: 32 four-bit numbers share a scale of one byte"
_MXFP4 = Dtype(name="mxfp4", label="MXFP4", block_values=32, block_bytes=17, source=_MX)
_MXFP8 = Dtype(
    name="mxfp8", label="MXFP8", block_values=32, block_bytes=33, source=_MX.replace("four-bit", "eight-bit")
)
_NV = "NVIDIA Model Optimizer, NVFP4: 16 four-bit numbers share a scale of one byte, a matrix two of four bytes"
NVFP4 = MatrixFormat(
    numbers=Dtype(name="nvfp4", label="NVFP4", block_values=16, block_bytes=9, source=_NV), matrix_bytes=8
)
MXFP4 = MatrixFormat(numbers=_MXFP4)
MXFP8 = MatrixFormat(numbers=_MXFP8)
INT8 = WEIGHT_DTYPES["int8"]
_KEPT = "embeddings, output layer, norms and routers stay in BF16"
_QUANTIZED = (
    WeightStorage(
        name="fp8_block128", label="FP8, a scale for 128 x 128", source="DeepSeek-V3, arXiv 2412.19437, section 3.3.2",
        rest=_BF16, matrix=fp8_blocks(128, 128),
    ),
    WeightStorage(name="mxfp4", label="MXFP4", source=f"{_MX}; {_KEPT}", rest=_BF16, matrix=MXFP4),
    WeightStorage(name="nvfp4", label="NVFP4", source=f"{_NV}; {_KEPT}", rest=_BF16, matrix=NVFP4),
    WeightStorage(
        name="int4_g128", label="INT4, groups of 128", rest=_BF16, matrix=grouped(4, 128, zeros=True),
        source=f"casper-hansen/AutoAWQ, awq/modules/linear/gemm.py: a scale of 16 bits and a zero point of 4 for 128 numbers; {_KEPT}",
    ),
    WeightStorage(
        name="int4_g64", label="INT4, groups of 64", rest=_BF16, matrix=grouped(4, 64, zeros=True),
        source=f"as for groups of 128; casper-hansen/AutoAWQ pull request 688: DeepSeek-V3 needs groups of 64; {_KEPT}",
    ),
    WeightStorage(
        name="int4_g32", label="INT4, groups of 32", rest=_BF16, matrix=grouped(4, 32, zeros=False),
        source=f"moonshotai/Kimi-K2-Thinking, config.json: compressed-tensors, symmetric, a scale of 16 bits for 32 numbers; {_KEPT}",
    ),
)  # fmt: skip
_GGUF = tuple(
    WeightStorage(name=mix.name, label=mix.label, source=mix.source, rest=WEIGHT_DTYPES["fp32"], mix=mix)
    for mix in MIXES
)

WEIGHT_STORAGES = MappingProxyType(
    {
        storage.name: storage
        for storage in (*(as_storage(dtype) for dtype in WEIGHT_DTYPES.values()), *_QUANTIZED, *_GGUF)
    }
)
"""The ways to store weights that may be chosen, by name, in the order a reader is offered them."""

SUGGESTED = tuple(WEIGHT_STORAGES[name] for name in ("bf16", "fp8", "int4_g128", "nvfp4", "mxfp4"))
"""Those that are suggested to make a model fit: checkpoints of many models are published in them."""


def weight_storage(name: object, shipped: WeightStorage | None = None, field: str = "weight_dtype") -> WeightStorage:
    """Return the storage called `name`; `shipped` for the name "shipped", if the model's own storage is known.

    Raises:
        UnknownName: naming `field`, for any other name.
    """
    if name == SHIPPED and shipped is not None:
        return shipped
    found = WEIGHT_STORAGES.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName(field, name, f"one of {', '.join((SHIPPED, *WEIGHT_STORAGES))}")
    return found
