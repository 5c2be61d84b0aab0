"""Preview the first rows of a file whose role is unknown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final

import polars as pl

from ..errors import DataError
from ..load import opening, sniff
from ..load.raw import RawTable, raw_table
from .column_summary import flat, summarise_column
from .discovery import DiscoveredTable
from .records import Column, FileSummary, PairSummary

_PEEK: Final = 100
_NEARLY_ALL: Final = 0.9
"""The least share of the users with several rows."""


class TablePreview:
    """The first rows of a table, with every value as text.

    A bounded number of rows is read. All rows are scanned only to look for ids that are not among the first.
    """

    def __init__(self, table: DiscoveredTable, max_values: int = 100_000, raw: RawTable | None = None) -> None:
        """Read the first rows, at most `max_values` values of a column; `DataError` if the files cannot be read as a table."""
        self._table, self._max_values = table, max_values
        try:
            self._raw, self._max_rows, self._frame = self._read(raw or raw_table("init", table.paths))
        except OSError as error:
            raise DataError(f"{table.path} may not be read ({error.strerror})") from None
        if self._frame.is_empty():
            raise DataError(f"{table.path}: there are no rows")
        self._n_rows, self._n_rows_exact = self._count_rows()

    def with_lists(self, split: str, numbers: Sequence[int]) -> TablePreview:
        """Return the same table with the columns of these numbers read as lists in text, separated by `split`."""
        return TablePreview(self._table, self._max_values, self._raw.with_lists(split, numbers))

    @cached_property
    def summary(self) -> FileSummary:
        """The file and its columns as far as they were read."""
        table, raw = self._table, self._raw
        return FileSummary(
            table.path,
            table.label,
            table.paths,
            columns=tuple(
                summarise_column(name, number, self._frame.to_series(number - 1), partial(self._contains_any, number))
                for number, name in enumerate(raw.scan.names.values(), 1)
            ),
            has_header=raw.has_header,
            read_keys=raw.config_keys,
            n_rows=self._n_rows,
            n_rows_exact=self._n_rows_exact,
            n_previewed=self._frame.height,
            nested_columns=raw.nested_columns,
            table=raw.table,
            is_by_user=raw.is_by_user,
            query=table.query,
        )

    def _read(self, raw: RawTable) -> tuple[RawTable, int, pl.DataFrame]:
        """Read the first rows: fewer where they hold lists. Lists in text that cannot be read as lists are read as plain text."""
        list_columns, max_rows = raw.scan.lists, self._max_values
        if not list_columns:
            return raw, max_rows, raw.first_rows(max_rows)
        try:
            peek = raw.first_rows(_PEEK)
            n_values = peek.select(pl.max_horizontal(pl.col(name).list.len().sum() for name in list_columns)).item()
            max_rows = max(1, max_rows * peek.height // max(n_values, peek.height, 1))
            return raw, max_rows, raw.first_rows(max_rows)
        except DataError:
            if raw.scan.is_text or raw.scan.lists_in_text:
                return self._read(raw.with_list_columns(frozenset()))
            raise

    def _count_rows(self) -> tuple[int, bool]:
        """Count or estimate the rows of the table, and say whether the number is exact."""
        n_previewed, scan = self._frame.height, self._raw.scan
        paths = [Path(path) for path in scan.paths]
        if scan.format in ("parquet", "ipc", "delta"):
            return int(opening.raw(scan).select(pl.len()).collect().item()), True
        if n_previewed < self._max_rows:
            return n_previewed, True
        if any(sniff.is_gzip(path) or sniff.is_zstd(path) for path in paths):
            return n_previewed, False
        lines = sniff.head(self._raw.files[0])
        bytes_per_line = sum(len(line.encode()) + 1 for line in lines) / len(lines)
        return max(n_previewed, round(sum(path.stat().st_size for path in paths) / bytes_per_line)), False

    def _contains_any(self, number: int, ids: Collection[str]) -> bool:
        """Whether any of `ids` is in a column, in all rows; true if the rest of the file cannot be read, since nobody knows then."""
        if bool(flat(self._frame.to_series(number - 1)).is_in(pl.Series(sorted(ids), dtype=pl.String).implode()).any()):
            return True
        if self._n_rows_exact and self._frame.height == self._n_rows:
            return False
        name = f"column_{number}"
        values = self._raw.rows().select(name)
        values = values.explode(name) if name in self._raw.scan.lists else values
        wanted = pl.LazyFrame({name: sorted(ids)}, schema={name: pl.String})
        try:
            return values.join(wanted, on=name, how="semi").head(1).collect(engine="streaming").height > 0
        except opening.FAILURES:
            return True

    def pair_summary(self, user: Column, item: Column) -> PairSummary:
        """Summarise the rows by user, given the columns of the ids; a row with a list counts as one row per item."""
        frame = self._one_item_per_row(item)
        ids = frame.select(pl.nth(user.number - 1).alias("user"), pl.nth(item.number - 1).alias("item")).fill_null("")
        lengths = ids.group_by("user").len().get_column("len")
        others = [column for column in self.summary.columns if column.number not in (user.number, item.number)]
        numeric = [column for column in others if column.kind != "text" and (item.is_list or not column.is_list)]
        values = {column.name: frame.to_series(column.number - 1).cast(pl.Float64, strict=False) for column in numeric}
        was_read_to_the_end = self._n_rows_exact and self._frame.height == self._n_rows
        return PairSummary(
            users=frozenset(ids["user"]) - {""},
            items=frozenset(ids["item"]) - {""},
            pairs=frozenset(ids.iter_rows()),
            longest=int(lengths.max() or 0),  # type: ignore[arg-type]
            median_length=int(lengths.median() or 0),  # type: ignore[arg-type]
            share_of_commonest_length=_largest_count(lengths) / max(1, lengths.len()),
            counting_columns=frozenset(name for name, column in values.items() if _counts(ids["user"], column)),
            falling_columns=frozenset(name for name, column in values.items() if _falls(ids["user"], column)),
            has_whole_users=was_read_to_the_end or ids["user"].rle().len() < 1.1 * lengths.len(),
        )

    def _one_item_per_row(self, item: Column) -> pl.DataFrame:
        """Return the rows with lists of items taken apart; lists in other columns become null if their lengths differ from the items'."""
        frame = self._frame
        if not item.is_list:
            return frame
        list_columns = [name for name, dtype in frame.schema.items() if dtype == pl.List]
        lengths = frame.to_series(item.number - 1).list.len()
        parallel = [name for name in list_columns if frame[name].list.len().equals(lengths)]
        emptied = [pl.lit(None, dtype=pl.String).alias(name) for name in list_columns if name not in parallel]
        return frame.with_columns(emptied).explode(parallel, empty_as_null=False)


def _largest_count(lengths: pl.Series) -> int:
    """How many users have the commonest number of rows."""
    return int(lengths.value_counts().get_column("count").max() or 0)  # type: ignore[arg-type]


def _counts(users: pl.Series, numbers: pl.Series) -> bool:
    """Whether a column numbers the rows of nearly every user from 0 or 1."""
    value = pl.col("value")
    fits = value.min().is_in([0.0, 1.0]) & (value.max() - value.min() + 1 == pl.len()) & (value.n_unique() == pl.len())
    return _nearly_all_users(users, numbers, fits)


def _falls(users: pl.Series, numbers: pl.Series) -> bool:
    """Whether a column never rises, and is not constant, within the rows of nearly every user."""
    value = pl.col("value")
    return _nearly_all_users(users, numbers, (value.diff() <= 0).fill_null(True).all() & (value.n_unique() > 1))


def _nearly_all_users(users: pl.Series, numbers: pl.Series, fits: pl.Expr) -> bool:
    """Whether an expression over the values of a user is true for nearly all users who have several rows."""
    frame = pl.DataFrame({"user": users, "value": numbers})
    by_user = frame.group_by("user", maintain_order=True).agg(fits.alias("fits"), pl.len().alias("rows")).filter(pl.col("rows") > 1)
    return bool(by_user.height and by_user["fits"].sum() >= _NEARLY_ALL * by_user.height)
