"""Convert frames to those of other libraries, whose types only type checkers need: see other_frames.pyi."""

from __future__ import annotations

from typing import Any

import polars as pl

from ..support.errors import MissingExtraError
from ..support.forks import refuse_lost_threads

PandasFrame = Any
ArrowTable = Any


def as_pandas(frame: pl.DataFrame) -> PandasFrame:
    """Return a frame as a pandas DataFrame, without pyarrow; raise `MissingExtraError` if pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("to_pandas needs pandas, which is not installed", "pip install pandas, or use to_polars()") from None
    return pandas.DataFrame({column.name: column.to_list() for column in frame})


def as_arrow(frame: pl.DataFrame) -> ArrowTable:
    """Return a frame as a pyarrow Table; raise `MissingExtraError` if pyarrow is not installed."""
    refuse_lost_threads()
    try:
        return frame.to_arrow()
    except ImportError:
        hint = "pip install pyarrow; other libraries can also read values directly through the Arrow interface"
        raise MissingExtraError("to_arrow needs pyarrow, which is not installed", hint) from None
