"""Files whose role nobody has said → what their first rows show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final

import polars as pl

from ..engine import files
from ..errors import DataError
from ..load import sniff
from .column_summary import column, flat
from .raw_format import Written, as_written, every_row, rows
from .records import Column, Glance, Shape

_PEEK: Final = 100


class Glimpse:
    """The first rows of a table, each value as text.

    A bounded number of rows is read, and all of them only to see whether ids that are not among the first stand further on.
    """

    def __init__(self, given: str, label: str, paths: Sequence[Path], most: int = 100_000, written: Written | None = None) -> None:
        """Look at the first rows of the files, at `most` values of a column; `DataError` if they cannot be read as a table."""
        self._given, self._label, self._paths, self._most = given, label, tuple(paths), most
        try:
            self._written, self._asked, self._frame = self._first(written or as_written(paths))
        except OSError as error:
            raise DataError(f"{given} may not be read ({error.strerror})") from None
        if self._frame.is_empty():
            raise DataError(f"{given}: there are no rows")
        self._n_rows, self._exact = self._size()

    def split_at(self, split: str, places: Sequence[int]) -> Glimpse:
        """The same table, the columns at `places` holding lists in text."""
        return Glimpse(self._given, self._label, self._paths, self._most, self._written.split_at(split, places))

    @cached_property
    def glance(self) -> Glance:
        """What was seen."""
        written, seen = self._written, self._frame.height
        names = written.source.scan.names.values()
        columns = tuple(
            column(name, place, self._frame.to_series(place - 1), partial(self._holds, place)) for place, name in enumerate(names, 1)
        )
        sizes = (self._n_rows, self._exact, seen)
        return Glance(self._given, self._label, self._paths, columns, written.header, written.stated, *sizes, written.nested, written.table)

    def _first(self, written: Written) -> tuple[Written, int, pl.DataFrame]:
        """The first rows, as many as were asked for: fewer where they hold lists, which are text if they cannot be read."""
        listed, asked = written.source.scan.lists, self._most
        if not listed:
            return written, asked, rows(written.source, asked)
        try:
            peek = rows(written.source, _PEEK)
            values = peek.select(pl.max_horizontal(pl.col(name).list.len().sum() for name in listed)).item()
            asked = max(1, asked * peek.height // max(values, peek.height, 1))
            return written, asked, rows(written.source, asked)
        except DataError:
            if written.source.scan.is_text:
                return self._first(written.without_lists())
            raise

    def _size(self) -> tuple[int, bool]:
        """The number of rows, and whether it is exact."""
        seen, scan = self._frame.height, self._written.source.scan
        if scan.format in ("parquet", "ipc"):
            opened = (pl.scan_parquet if scan.format == "parquet" else pl.scan_ipc)(list(self._paths), glob=False)
            return int(opened.select(pl.len()).collect().item()), True
        if seen < self._asked:
            return seen, True
        if any(sniff.is_gzip(path) or sniff.is_zstd(path) for path in self._paths):
            return seen, False
        lines = sniff.head(self._paths[0])
        width = sum(len(line.encode()) + 1 for line in lines) / len(lines)
        return max(seen, round(sum(path.stat().st_size for path in self._paths) / width)), False

    def _holds(self, place: int, ids: Collection[str]) -> bool:
        """Whether any of `ids` stands in a column, in all rows; true where that cannot be told, the file being broken further on."""
        if bool(flat(self._frame.to_series(place - 1)).is_in(pl.Series(sorted(ids), dtype=pl.String).implode()).any()):
            return True
        if self._exact and self._frame.height == self._n_rows:
            return False
        name, source = f"column_{place}", self._written.source
        values = every_row(source).select(name)
        values = values.explode(name) if name in source.scan.lists else values
        wanted = pl.LazyFrame({name: sorted(ids)}, schema={name: pl.String})
        try:
            return values.join(wanted, on=name, how="semi").head(1).collect(engine="streaming").height > 0
        except files.FAILURES:
            return True

    def shape(self, user: Column, item: Column) -> Shape:
        """What the rows say if `user` and `item` hold the ids; a row with a list counts as one for each of its items."""
        frame = self._one_item_per_row(item)
        ids = frame.select(pl.nth(user.place - 1).alias("user"), pl.nth(item.place - 1).alias("item")).fill_null("")
        lengths = ids.group_by("user").len().get_column("len")
        others = [other for other in self.glance.columns if other.place not in (user.place, item.place)]
        numbers = [other for other in others if other.kind != "text" and (item.listed or not other.listed)]
        values = {other.name: frame.to_series(other.place - 1).cast(pl.Float64, strict=False) for other in numbers}
        return Shape(
            users=frozenset(ids["user"]) - {""},
            items=frozenset(ids["item"]) - {""},
            pairs=frozenset(ids.iter_rows()),
            longest=int(lengths.max() or 0),  # type: ignore[arg-type]
            median=int(lengths.median() or 0),  # type: ignore[arg-type]
            even=int(lengths.value_counts().get_column("count").max() or 0) / max(1, lengths.len()),  # type: ignore[arg-type]
            counting=frozenset(name for name, number in values.items() if _counts(ids["user"], number)),
            falling=frozenset(name for name, number in values.items() if _falls(ids["user"], number)),
            whole=(self.glance.exact and self.glance.n_seen == self.glance.n_rows) or ids["user"].rle().len() < 1.1 * lengths.len(),
        )

    def _one_item_per_row(self, item: Column) -> pl.DataFrame:
        """The rows, those with a list of items as one for each; lists of other lengths are left out of them."""
        frame = self._frame
        if not item.listed:
            return frame
        listed = [name for name, dtype in frame.schema.items() if dtype == pl.List]
        lengths = frame.to_series(item.place - 1).list.len()
        alike = [name for name in listed if frame[name].list.len().equals(lengths)]
        without = [pl.lit(None, dtype=pl.String).alias(name) for name in listed if name not in alike]
        return frame.with_columns(without).explode(alike, empty_as_null=False)


def _counts(users: pl.Series, numbers: pl.Series) -> bool:
    value = pl.col("value")
    fits = value.min().is_in([0.0, 1.0]) & (value.max() - value.min() + 1 == pl.len()) & (value.n_unique() == pl.len())
    return _nearly_all(_of_users(users, numbers).group_by("user").agg(fits.alias("fits"), pl.len().alias("rows")))


def _falls(users: pl.Series, numbers: pl.Series) -> bool:
    value = pl.col("value")
    fits = (value.diff() <= 0).fill_null(True).all() & (value.n_unique() > 1)
    grouped = _of_users(users, numbers).group_by("user", maintain_order=True)
    return _nearly_all(grouped.agg(fits.alias("fits"), pl.len().alias("rows")))


def _of_users(users: pl.Series, numbers: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"user": users, "value": numbers})


def _nearly_all(users: pl.DataFrame) -> bool:
    """Whether it `fits` nine in ten of the users who have several rows."""
    several = users.filter(pl.col("rows") > 1)
    return bool(several.height and several["fits"].sum() >= 0.9 * several.height)
