import polars as pl
from pandas import DataFrame as PandasFrame
from pyarrow import Table as ArrowTable

__all__ = ["ArrowTable", "PandasFrame", "as_arrow", "as_pandas"]

def as_pandas(frame: pl.DataFrame) -> PandasFrame: ...
def as_arrow(frame: pl.DataFrame) -> ArrowTable: ...
