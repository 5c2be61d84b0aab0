"""Convert frames to pandas."""

from __future__ import annotations

from typing import Any

import polars as pl

from ..errors import MissingExtraError


def as_pandas(frame: pl.DataFrame) -> Any:
    """Return a frame as a pandas DataFrame, without pyarrow; raise `MissingExtraError` if pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("to_pandas needs pandas, which is not installed", "pip install pandas, or use to_polars()") from None
    return pandas.DataFrame({column.name: column.to_list() for column in frame})
