"""`kvcore models`: the models of the catalog, one on a line."""

import argparse
import json

from kvcore.catalog import MODELS, Model
from kvcore.dtypes import Dtype, cache_dtype
from kvcore.units import format_bytes, format_parameters

__all__ = ["run"]


def run(options: argparse.Namespace) -> list[str]:
    """Return the output of the command."""
    fp16 = cache_dtype("fp16")
    if options.json:
        return json.dumps([_row(row, fp16) for row in MODELS.values()], indent=2).splitlines()
    return [
        f"{row.id:22}{row.shape.attention:10}{format_bytes(row.shape.bytes_per_token(fp16)):>10} a token"
        f"{format_parameters(row.shape.params):>16} parameters"
        for row in MODELS.values()
    ]


def _row(row: Model, dtype: Dtype) -> dict[str, object]:
    return {
        "id": row.id,
        "name": row.name,
        "family": row.family,
        "attention": row.shape.attention,
        "layers": row.shape.layers,
        "bytes_per_token": row.shape.bytes_per_token(dtype),
        "params": row.shape.params,
        "published_params": row.published_params,
        "context_limit": row.shape.context_limit,
        "source": row.source,
        "read": row.read,
    }
