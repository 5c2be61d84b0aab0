"""The rows of one user in all sources: a part of that user alone."""

from __future__ import annotations

import polars as pl

from ..errors import DataError
from ..inputs import Inputs
from ..load import Source
from ..load.tally import FaultTally
from ..prepare import SideFrames
from .sources import SourceReader


def user_id(inputs: Inputs, written: str) -> int | str:
    """The id of a user as the sources have it; `DataError` if their users are integers and it is none."""
    if inputs.test.scan.kinds["user"] != "integer":
        return written
    if not written.removeprefix("-").isdigit():
        raise DataError(f"no file holds the user {written!r}: users are integers")
    return int(written)


def user_frames(inputs: Inputs, model: str, reader: SourceReader, sides: SideFrames, user: int | str) -> dict[str, pl.DataFrame]:
    """The frames of a part that holds one user: the list of a model, and the rows of the user in the other sources that have users.

    The rows of test and train are those that were read as side inputs; of the other sources only the rows of the user are kept, though
    all are looked at for faults, as in a run.
    """
    sources = {"lists": inputs.models[model], "baseline": inputs.baseline, "predictions": inputs.predictions.get(model)}
    frames = {name: _rows_of(reader, source, user) for name, source in sources.items() if source is not None}
    for name, frame in (("test", sides.test), ("train", sides.train)):
        if frame is not None and "user" in frame.columns:
            frames[name] = frame.filter(pl.col("user") == user)
    return frames


def _rows_of(reader: SourceReader, source: Source, user: int | str) -> pl.DataFrame:
    """The rows of a user in a source."""

    def collect(lazy: pl.LazyFrame, tally: FaultTally) -> pl.DataFrame:
        tally.add(lazy)
        return lazy.filter(pl.col("user") == user).collect(engine="streaming")

    return reader.read(source, collect)
