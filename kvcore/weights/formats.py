"""How a quantized matrix is stored: its numbers, and the scales and zero points beside them."""

from dataclasses import dataclass
from fractions import Fraction

from kvcore.dtypes import CACHE_DTYPES, WEIGHT_DTYPES, Dtype
from kvcore.errors import check_int

__all__ = ["GGML", "MatrixFormat", "fp8_blocks", "fp8_channels", "fp8_tensor", "grouped", "nf4"]

_GGML_SOURCE = "ggml-org/llama.cpp, ggml/src/ggml-common.h"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixFormat:
    """The bytes of a matrix of shape (out, in), whose rows have `in` numbers.

    numbers: the type of a row, with the scales that are stored within it.
    tile, tile_bytes: rows and columns that share scales and zero points stored apart, and their bytes.
    row_bytes, column_bytes, matrix_bytes: bytes for each row, for each column, and for the whole matrix besides.

    >>> fp8 = MatrixFormat(numbers=WEIGHT_DTYPES["fp8"], tile=(128, 128), tile_bytes=Fraction(4))
    >>> fp8.bytes_of((7168, 2048)) == 7168 * 2048 + 56 * 16 * 4
    True
    """

    numbers: Dtype
    tile: tuple[int, int] = (1, 1)
    tile_bytes: Fraction = Fraction(0)
    row_bytes: int = 0
    column_bytes: int = 0
    matrix_bytes: int = 0

    def __post_init__(self) -> None:
        for size in self.tile:
            check_int("tile", size, 1, 2**24)

    def bytes_of(self, shape: tuple[int, ...]) -> int:
        """Return the bytes of one matrix, rounded up to whole ones."""
        out, width = shape
        rows, columns = self.tile
        scales = -(-out // rows) * -(-width // columns) * self.tile_bytes
        size = out * self.numbers.row_bytes(width) + -(-scales.numerator // scales.denominator)
        return size + out * self.row_bytes + width * self.column_bytes + self.matrix_bytes


def grouped(bits: int, group: int, *, zeros: bool, column_bytes: int = 0, matrix_bytes: int = 0) -> MatrixFormat:
    """Numbers of 2, 3, 4 or 8 bits, in groups along a row that share a 16-bit scale and, if `zeros`, a zero point of `bits`.

    group: -1 for one group a row, as GPTQ and compressed-tensors write it. Sources: AutoGPTQ/AutoGPTQ, auto_gptq/nn_modules/qlinear;
    casper-hansen/AutoAWQ, awq/modules/linear/gemm.py; vllm-project/compressed-tensors, compressors/pack_quantized.

    >>> float(grouped(4, 128, zeros=True).bytes_of((4096, 4096)) / 4096**2)  # half a byte, and 2.5 bytes for 128 numbers
    0.51953125
    """
    width = 2**24 if group == -1 else group
    return MatrixFormat(
        numbers=_packed(bits),
        tile=(1, width),
        tile_bytes=2 + Fraction(bits, 8) * zeros,
        column_bytes=column_bytes,
        matrix_bytes=matrix_bytes,
    )


def _packed(bits: int) -> Dtype:
    return Dtype(name=f"int{bits}", label=f"INT{bits}", block_values=8, block_bytes=bits, source="packed without gaps")


def fp8_blocks(rows: int, columns: int, scale_bytes: int = 4) -> MatrixFormat:
    """One byte a number, and a scale for each block of rows x columns: DeepSeek-V3 (arXiv 2412.19437, section 3.3.2)."""
    return MatrixFormat(numbers=WEIGHT_DTYPES["fp8"], tile=(rows, columns), tile_bytes=Fraction(scale_bytes))


def fp8_channels(scale_bytes: int = 2) -> MatrixFormat:
    """One byte a number, and a scale for each row (vllm-project/compressed-tensors, strategy "channel")."""
    return MatrixFormat(numbers=WEIGHT_DTYPES["fp8"], row_bytes=scale_bytes)


def fp8_tensor(*, static: bool = True) -> MatrixFormat:
    """One byte a number, and a four-byte scale for the matrix; a second one for its input if that is `static`."""
    return MatrixFormat(numbers=WEIGHT_DTYPES["fp8"], matrix_bytes=8 if static else 4)


def nf4(*, double: bool) -> MatrixFormat:
    """Four bits a number and a scale for 64 of them, which is itself quantized to a byte if `double`; tables of their values.

    Sources: Dettmers et al. 2023, QLoRA (arXiv 2305.14314), section 3: 0.127 bits a number with blocks of 64 and 256;
    bitsandbytes-foundation/bitsandbytes@95f9af3, functional.py (QuantState.as_dict): the 16 values of a number and the 256 of
    a scale in four bytes, for each matrix.
    """
    scale = 1 + Fraction(4, 256) if double else Fraction(4)
    tables = 4 * 16 + 4 * 256 if double else 4 * 16
    return MatrixFormat(numbers=_packed(4), tile=(1, 64), tile_bytes=scale, matrix_bytes=tables)


def _ggml(name: str, values: int, size: int) -> Dtype:
    return Dtype(
        name=name, label=name.upper(), block_values=values, block_bytes=size, source=f"{_GGML_SOURCE}: block_{name}"
    )


GGML = {
    "f32": WEIGHT_DTYPES["fp32"],
    "f16": WEIGHT_DTYPES["fp16"],
    "bf16": WEIGHT_DTYPES["bf16"],
    **{name: CACHE_DTYPES[name] for name in ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")},
    **{
        name: _ggml(name, 256, size)
        for name, size in (
            ("q2_k", 84),
            ("q3_k", 110),
            ("q4_k", 144),
            ("q5_k", 176),
            ("q6_k", 210),
            ("iq4_xs", 136),
            ("iq3_s", 110),
        )
    },
    "mxfp4": _ggml("mxfp4", 32, 17),
}
"""The types of llama.cpp's tensors, by name."""
