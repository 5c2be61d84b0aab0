"""Read files with per-user values, in the wide form and in the long one, as frames in the wide form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

import polars as pl

from ..support.errors import DataError
from ..support.file_states import state_of

AGAIN: Final = "evaluate again with receval run CONFIG -o FOLDER/"
_TERMS: Final = ("numerator", "denominator")


def open_users(path: Path, before: object, *, is_only: bool) -> UserFile:
    """Return a file in the form that its columns have; `before` is its state before its hash was checked, `is_only`: it has one model."""
    file = UserFile(path, before, is_only=is_only)
    with file.unchanged():
        is_long = pl.scan_parquet(path, glob=False).collect_schema().get("measure") == pl.String  # a measure of this name has numbers
    return LongUserFile(path, before, is_only=is_only) if is_long else file


def first_line(error: BaseException) -> str:
    """Return the kind and the first line of an error."""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}"[:120]


class UserFile:
    """A file with the per-user values, which must not change from now on. `is_only`: it has one model."""

    def __init__(self, path: Path, before: object, *, is_only: bool) -> None:
        self.path, self._is_only, self._before = path, is_only, before

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a model in the wide form."""
        with self.unchanged():
            return tuple(self._rows.collect_schema())[1:]

    @property
    def _rows(self) -> pl.LazyFrame:
        return pl.scan_parquet(self.path, glob=False)

    def values(self, model: str, names: Sequence[str]) -> pl.DataFrame:
        """Return columns of the users of a model; raise `DataError` if the file has changed, or cannot be read."""
        with self.unchanged():
            rows = self._rows.select(names)
            return (rows if self._is_only else rows.slice(*self._extents.get(model, (0, 0)))).collect()

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Read in the block; raise `DataError` if that fails, or if the file is not in its first state afterwards."""
        problem = None
        try:
            yield
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            problem = DataError(f"{self.path}: cannot be read: {first_line(error)}", AGAIN)
        if state_of(self.path) != self._before:
            problem = DataError(f"{self.path} changed after its hash was checked", "try again when no other program writes to the folder")
        if problem is not None:
            raise problem

    @cached_property
    def _extents(self) -> dict[str, tuple[int, int]]:
        """The first row and the number of rows of each model, whose rows are contiguous."""
        models = self._rows.select(pl.col("model").rle()).unnest("model").collect()
        ends = models["len"].cum_sum().to_list()
        return {model: (end - length, length) for model, length, end in zip(models["value"], models["len"], ends, strict=True)}


class LongUserFile(UserFile):
    """A file in the long form: the rows of each measure of a model are contiguous, and have the same users in the same order."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a model in the wide form."""
        with self.unchanged():
            measures = dict.fromkeys(measure for _, measure in self._blocks)
            terms = {measure: [f"{measure} {term}" for term in _TERMS] for measure in self._pooled}
            return (*self._user_columns, *(column for measure in measures for column in (measure, *terms.get(measure, ()))))

    def values(self, model: str, names: Sequence[str]) -> pl.DataFrame:
        """Return columns of the users of a model; the values of a measure that the model lacks are null."""
        with self.unchanged():
            first = next((place for (owner, _), place in self._blocks.items() if owner == model), (0, 0))
            columns = []
            for name in names:
                measure, column = self._place_of(name)
                place = first if measure is None else self._blocks.get((model, measure))
                if place is None:
                    columns.append(pl.Series(name, [None] * first[1], dtype=pl.Float64))
                else:
                    columns.append(self._rows.select(pl.col(column).alias(name)).slice(*place).collect()[name])
            return pl.DataFrame(columns)

    def _place_of(self, name: str) -> tuple[str | None, str]:
        """Return the measure of a column of the wide form (`None`: it is one of users), and the column of the file with its values."""
        if name in self._user_columns:
            return None, name
        measure, _, term = name.rpartition(" ")
        return (measure, term) if term in _TERMS else (name, "value")

    @cached_property
    def _user_columns(self) -> tuple[str, ...]:
        names = self._rows.collect_schema().names()
        return tuple(names[1 : names.index("measure")])

    @cached_property
    def _pooled(self) -> frozenset[str]:
        """The measures with a numerator and a denominator."""
        if _TERMS[0] not in self._rows.collect_schema():
            return frozenset()
        pooled = self._rows.filter(pl.col(_TERMS[0]).is_not_null()).select(pl.col("measure").unique())
        return frozenset(pooled.collect()["measure"])

    @cached_property
    def _blocks(self) -> dict[tuple[str, str], tuple[int, int]]:
        """The first row and the number of rows of each measure of each model."""
        runs = self._rows.select(pl.struct("model", "measure").alias("block").rle()).collect().unnest("block").unnest("value")
        ends = runs["len"].cum_sum().to_list()
        blocks = zip(runs["model"], runs["measure"], runs["len"], ends, strict=True)
        return {(model, measure): (end - length, length) for model, measure, length, end in blocks}
