"""The rows of one user in all sources: a part of that user alone."""

from __future__ import annotations

import polars as pl

from ..errors import DataError
from ..load import Source
from ..load.opening import FAILURES
from ..load.scan import ReadError
from ..load.tally import FaultTally
from ..tables.part import LISTS
from .files import Files
from .inputs import Inputs
from .sources import SourceReader, lazy_rows


def user_id(inputs: Inputs, written: str) -> int | str:
    """The id of a user as the sources have it; `DataError` if their users are integers and it is none."""
    if inputs.test.scan.kinds["user"] != "integer":
        return written
    if not written.removeprefix("-").isdigit():
        raise DataError(f"no file holds the user {written!r}: users are integers")
    return int(written)


def user_frames(files: Files, model: str, user: int | str) -> dict[str, pl.DataFrame]:
    """The frames of a part that holds one user: the user's list of a model, and the user's rows in the tables beside the lists."""
    sides = files.sides_of(model)
    users = pl.Series("user", [user], dtype=sides["test"].frame.schema["user"])
    rows = {role: side.rows_of(users) for role, side in sides.items()}
    return {LISTS: _rows_of(files.reader, files.inputs.models[model], user), **rows}


def _rows_of(reader: SourceReader, source: Source, user: int | str) -> pl.DataFrame:
    """The rows of a user in a source, of which all rows are looked at for faults, as in a run."""

    def collect(resolved: Source, tally: FaultTally) -> pl.DataFrame:
        lazy = lazy_rows(resolved)
        try:
            tally.add(lazy)
            rows = lazy.filter(pl.col("user") == user).collect(engine="streaming")
        except FAILURES as error:
            raise ReadError(str(error)) from error
        return rows.select(name for name in rows.columns if not name.startswith("odd_"))

    return reader.read_with_retries(source, collect)
