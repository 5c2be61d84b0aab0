"""Preview the first rows of a file whose role is unknown, and summarise its columns and its users."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final

import polars as pl
from msgspec.structs import replace

from ..errors import DataError
from ..load import opening, sniff
from ..load.columns import usual_roles
from ..load.raw import RawTable, raw_table
from .discovery import DiscoveredTable
from .records import ColumnSummary, FileSummary, PairSummary

_PEEK: Final = 100
_N_EXAMPLES: Final = 300
_DECIMAL_COMMA: Final = r"^\s*[+-]?(\d+|\d*,\d+)\s*$"
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
                _summarise(name, number, self._frame.to_series(number - 1), partial(self._contains_any, number))
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
        if any(sniff.starts(path, sniff.GZIP) or sniff.starts(path, sniff.ZSTD) for path in paths):
            return n_previewed, False
        lines = sniff.head(self._raw.files[0])
        bytes_per_line = sum(len(line.encode()) + 1 for line in lines) / len(lines)
        return max(n_previewed, round(sum(path.stat().st_size for path in paths) / bytes_per_line)), False

    def _contains_any(self, number: int, ids: Collection[str]) -> bool:
        """Whether any of `ids` is in a column, in all rows; true if the rest of the file cannot be read, since nobody knows then."""
        if bool(_flat(self._frame.to_series(number - 1)).is_in(pl.Series(sorted(ids), dtype=pl.String).implode()).any()):
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

    def pair_summary(self, user: ColumnSummary, item: ColumnSummary) -> PairSummary:
        """Summarise the rows by user, given the columns of the ids; a row with a list counts as one row per item."""
        frame = self._one_item_per_row(item)
        ids = frame.select(pl.nth(user.number - 1).alias("user"), pl.nth(item.number - 1).alias("item")).fill_null("")
        lengths = ids.group_by("user").len().get_column("len")
        counts = lengths.value_counts().get_column("count")
        others = [column for column in self.summary.columns if column.number not in (user.number, item.number)]
        numeric = [column for column in others if column.kind != "text" and (item.is_list or not column.is_list)]
        values = {column.name: frame.to_series(column.number - 1).cast(pl.Float64, strict=False) for column in numeric}
        value = pl.col("value")
        counting = value.min().is_in([0.0, 1.0]) & (value.max() - value.min() + 1 == pl.len()) & (value.n_unique() == pl.len())
        falling = (value.diff() <= 0).fill_null(True).all() & (value.n_unique() > 1)
        was_read_to_the_end = self._n_rows_exact and self._frame.height == self._n_rows
        return PairSummary(
            users=frozenset(ids["user"]) - {""},
            items=frozenset(ids["item"]) - {""},
            pairs=frozenset(ids.iter_rows()),
            longest=int(lengths.max() or 0),  # type: ignore[arg-type]
            median_length=int(lengths.median() or 0),  # type: ignore[arg-type]
            share_of_commonest_length=int(counts.max() or 0) / max(1, lengths.len()),  # type: ignore[arg-type]
            counting_columns=frozenset(name for name, column in values.items() if _nearly_all_users(ids["user"], column, counting)),
            falling_columns=frozenset(name for name, column in values.items() if _nearly_all_users(ids["user"], column, falling)),
            has_whole_users=was_read_to_the_end or ids["user"].rle().len() < 1.1 * lengths.len(),
        )

    def _one_item_per_row(self, item: ColumnSummary) -> pl.DataFrame:
        """Return the rows with lists of items taken apart; lists in other columns become null if their lengths differ from the items'."""
        frame = self._frame
        if not item.is_list:
            return frame
        list_columns = [name for name, dtype in frame.schema.items() if dtype == pl.List]
        lengths = frame.to_series(item.number - 1).list.len()
        parallel = [name for name in list_columns if frame[name].list.len().equals(lengths)]
        emptied = [pl.lit(None, dtype=pl.String).alias(name) for name in list_columns if name not in parallel]
        return frame.with_columns(emptied).explode(parallel, empty_as_null=False)


def _summarise(name: str, number: int, values: pl.Series, contains_any: Callable[[Collection[str]], bool]) -> ColumnSummary:
    """Summarise a column of text, or of lists of text: then their values. Numbers may be mixed with words for missing values."""
    texts = _flat(values)
    is_empty = texts.is_null() | (texts == "")
    distinct = texts.filter(~is_empty).unique(maintain_order=True)
    is_missing_word = texts.str.to_lowercase().is_in([word for word in opening.NO_VALUE if word]) & ~is_empty
    numbers, decimal_comma = _numbers(distinct.filter(~distinct.str.to_lowercase().is_in(opening.NO_VALUE)))
    column = ColumnSummary(
        name,
        number,
        usual_roles(name),
        "text",
        n_distinct=distinct.len(),
        n_filled=values.len() - int(is_empty.sum()),
        examples=tuple(distinct.head(_N_EXAMPLES)),
        is_list=values.dtype == pl.List,
        contains_any=contains_any,
    )
    if numbers is None:
        return column
    is_integer = numbers.len() == distinct.len() and distinct.str.contains(sniff.PLAIN_INTEGER).all()
    return replace(
        column,
        kind="integer" if is_integer else "decimal",
        minimum=numbers.min(),
        maximum=numbers.max(),
        half_steps=bool(((numbers * 2) % 1 == 0).all()),
        n_missing_words=int(is_missing_word.sum()),
        decimal_comma=decimal_comma,
    )


def _numbers(texts: pl.Series) -> tuple[pl.Series | None, bool]:
    """Parse texts as numbers, `None` if any is not one; and whether decimals follow a comma."""
    for decimal_comma in (False, True):
        plain = texts.str.replace(",", ".", literal=True) if decimal_comma and texts.str.contains(_DECIMAL_COMMA).all() else texts
        numbers = plain.cast(pl.Float64, strict=False)
        if texts.len() and numbers.is_not_null().all() and numbers.is_finite().all():
            return numbers, decimal_comma
    return None, False


def _flat(values: pl.Series) -> pl.Series:
    """Return the values of a column, lists taken apart."""
    return values.explode(empty_as_null=False) if values.dtype == pl.List else values


def _nearly_all_users(users: pl.Series, numbers: pl.Series, fits: pl.Expr) -> bool:
    """Whether an expression over the values of a user is true for nearly all users who have several rows."""
    frame = pl.DataFrame({"user": users, "value": numbers})
    by_user = frame.group_by("user", maintain_order=True).agg(fits.alias("fits"), pl.len().alias("rows")).filter(pl.col("rows") > 1)
    return bool(by_user.height and by_user["fits"].sum() >= _NEARLY_ALL * by_user.height)
