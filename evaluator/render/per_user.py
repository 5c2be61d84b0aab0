"""The value of every measure for every user and model, sorted by user within a model: one pure function per format."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

from ..render import encoding
from ..render.result_data import is_spreadsheet_safe
from ..results.result import Result


def as_parquet(result: Result) -> bytes:
    """The values as Parquet; a value that is not defined is NaN, one that a user does not have is null."""
    return encoding.as_parquet(_values(result))


def as_csv(result: Result) -> bytes:
    """The values as CSV in full precision; empty where a user has none, or it is not defined."""
    values = _without_nan(result)
    if is_spreadsheet_safe(result):
        values = values.with_columns(cs.string().map_elements(encoding.guard, pl.String))
    return values.write_csv().encode()


def as_jsonl(result: Result) -> bytes:
    """A JSON object per user and model, in full precision; null where a user has no value, or it is not defined."""
    return _without_nan(result).write_ndjson().encode()


def _values(result: Result) -> pl.DataFrame:
    # A yardstick may lack a measure, and then it has no numerator and denominator of it.
    frames = [frame.select(pl.lit(model).alias("model"), pl.all()) for model, frame in result.per_user.items()]
    return pl.concat(frames, how="diagonal")


def _without_nan(result: Result) -> pl.DataFrame:
    return _values(result).with_columns(cs.float().fill_nan(None))
