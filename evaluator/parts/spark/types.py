"""Spark's names of types → Polars types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

_TYPES: Final[Mapping[str, type[pl.DataType]]] = {
    "bigint": pl.Int64,
    "int": pl.Int32,
    "smallint": pl.Int16,
    "tinyint": pl.Int8,
    "double": pl.Float64,
    "float": pl.Float32,
    "string": pl.String,
    "boolean": pl.Boolean,
}


def polars_type(name: str) -> type[pl.DataType]:
    """Return the Polars type of a column that Spark names so."""
    return _TYPES[name]
