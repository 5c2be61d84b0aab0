"""Files whose role nobody has said → what their first rows show. Nothing is read beyond a bounded number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..engine.base import Format, ReadError, Scan
from ..engine.polars import PolarsEngine
from ..errors import DataError
from ..guess import Column, Glance, Shape
from . import sniff
from .broken import explain
from .columns import usual_roles
from .source import Source, look

_SHOWN: Final = 300
_ROLE: Final = "init"


class Glimpse:
    """The first rows of a table, each value as text."""

    def __init__(self, given: str, label: str, paths: Sequence[Path], rows: int = 100_000) -> None:
        """Look at the first `rows` of the files; `DataError` if they cannot be read as a table."""
        self._paths, self._most = tuple(paths), rows
        try:
            self._source, stated, nested = _as_written(self._paths)
            self._frame = _rows(self._source, rows)
        except OSError as error:
            raise DataError(f"{given} may not be read ({error.strerror})") from None
        if self._frame.is_empty():
            raise DataError(f"{given}: there are no rows")
        n_rows, exact = self._size()
        header = self._source.scan.has_header or self._source.scan.format != "csv"
        seen = self._frame.height
        self.glance = Glance(given, label, self._paths, self._columns, header, stated, n_rows, exact, seen, nested)

    @cached_property
    def _columns(self) -> tuple[Column, ...]:
        names = self._source.scan.names.values()
        return tuple(_column(name, place, self._frame.to_series(place - 1)) for place, name in enumerate(names, 1))

    def _size(self) -> tuple[int, bool]:
        """The number of rows, and whether it is exact."""
        seen, scan = self._frame.height, self._source.scan
        if scan.format in ("parquet", "ipc"):
            opened = (pl.scan_parquet if scan.format == "parquet" else pl.scan_ipc)(list(self._paths), glob=False)
            return int(opened.select(pl.len()).collect().item()), True
        if seen < self._most:
            return seen, True
        if any(sniff.is_gzip(path) or sniff.is_zstd(path) for path in self._paths):
            return seen, False
        lines = sniff.head(self._paths[0])
        width = sum(len(line.encode()) + 1 for line in lines) / len(lines)
        return max(seen, round(sum(path.stat().st_size for path in self._paths) / width)), False

    def shape(self, user: Column, item: Column) -> Shape:
        """What the rows say if `user` and `item` hold the ids."""
        ids = self._frame.select(pl.nth(user.place - 1).alias("user"), pl.nth(item.place - 1).alias("item")).fill_null("")
        lengths = ids.group_by("user").len().get_column("len")
        numbers = [column for column in self._columns if column.kind != "text" and column.place not in (user.place, item.place)]
        return Shape(
            users=frozenset(ids["user"]) - {""},
            items=frozenset(ids["item"]) - {""},
            pairs=frozenset(ids.iter_rows()),
            longest=int(lengths.max() or 0),  # type: ignore[arg-type]
            median=int(lengths.median() or 0),  # type: ignore[arg-type]
            even=int(lengths.value_counts().get_column("count").max() or 0) / max(1, lengths.len()),  # type: ignore[arg-type]
            counting=frozenset(column.name for column in numbers if self._counts(ids, column)),
            falling=frozenset(column.name for column in numbers if self._falls(ids, column)),
            whole=(self.glance.exact and self.glance.n_seen == self.glance.n_rows) or ids["user"].rle().len() < 1.1 * lengths.len(),
        )

    def _of_users(self, ids: pl.DataFrame, column: Column) -> pl.DataFrame:
        return ids.select("user", self._frame.to_series(column.place - 1).cast(pl.Float64, strict=False).alias("value"))

    def _counts(self, ids: pl.DataFrame, column: Column) -> bool:
        value = pl.col("value")
        fits = value.min().is_in([0.0, 1.0]) & (value.max() - value.min() + 1 == pl.len()) & (value.n_unique() == pl.len())
        return _nearly_all(self._of_users(ids, column).group_by("user").agg(fits.alias("fits"), pl.len().alias("rows")))

    def _falls(self, ids: pl.DataFrame, column: Column) -> bool:
        value = pl.col("value")
        fits = (value.diff() <= 0).fill_null(True).all() & (value.n_unique() > 1)
        grouped = self._of_users(ids, column).group_by("user", maintain_order=True)
        return _nearly_all(grouped.agg(fits.alias("fits"), pl.len().alias("rows")))


def _nearly_all(users: pl.DataFrame) -> bool:
    """Whether it `fits` nine in ten of the users who have several rows."""
    several = users.filter(pl.col("rows") > 1)
    return bool(several.height and several["fits"].sum() >= 0.9 * several.height)


def _as_written(paths: Sequence[Path]) -> tuple[Source, dict[str, Any], tuple[str, ...]]:
    """How to read the files, every column being a label, what of it a config must say, and which columns have several values per row."""
    stated: dict[str, Any] = {}
    try:
        format = sniff.format_of(paths[0])
    except DataError:
        sniff.head(paths[0])  # refuses what is no text
        format = "csv"
        stated["format"] = "csv"
    if format in ("parquet", "ipc"):
        source, nested = _typed(paths, format)
        return source, stated, nested
    source = _text(paths, format, None)
    if format == "csv" and source.scan.has_header and _is_data(source):
        source = _text(paths, format, header=False)
    if format == "csv":
        stated |= _unusual(paths[0], source.scan, "format" in stated)
    return _all_columns(source, source.scan.header), stated, ()


def _text(paths: Sequence[Path], format: Format, header: bool | None) -> Source:
    return look(_ROLE, "catalogue", [str(path) for path in paths], paths, format=format, header=header, columns={"item": 1})


def _unusual(path: Path, scan: Scan, unknown: bool) -> dict[str, Any]:
    """What the ending of the name does not say of a file with separators."""
    ending = next((ending.lower() for ending in reversed(path.suffixes) if ending.lower() not in sniff.PACKED), "")
    usual = {".tsv": "\t", ".tab": "\t"}.get(ending, ",")
    stated: dict[str, Any] = {} if scan.separator == usual and not unknown else {"separator": scan.separator}
    return stated | ({} if scan.has_header else {"header": False})


def _is_data(source: Source) -> bool:
    """Whether the first line, taken for a header since it has no number, holds values that stand in the same columns further down."""
    names = source.scan.header
    if any(usual_roles(name) for name in names):
        return False
    rows = _rows(_all_columns(source, names), 1_000)
    return any((rows.to_series(place) == name).any() for place, name in enumerate(names))


def _typed(paths: Sequence[Path], format: Format) -> tuple[Source, tuple[str, ...]]:
    schema: dict[str, pl.DataType] = {}
    for path in reversed(paths):
        try:
            schema = dict((pl.read_parquet_schema if format == "parquet" else pl.read_ipc_schema)(path))
        except pl.exceptions.PolarsError as error:
            raise DataError(f"{path}: not a readable {format} file ({str(error).splitlines()[0]})", "is it complete?") from None
    flat = [name for name, dtype in schema.items() if not dtype.is_nested() and dtype not in (pl.Binary, pl.Object)]
    if not flat:
        raise DataError(f"{paths[0]}: it has no column of single values")
    given = tuple(str(path) for path in paths)
    nested = tuple(name for name, dtype in schema.items() if dtype.is_nested())
    return _all_columns(Source(_ROLE, "catalogue", given, Scan(given, format, {}, {}), {}), flat), nested


def _all_columns(source: Source, names: Iterable[str]) -> Source:
    """The source with every column read as text."""
    every = {f"column_{place}": name for place, name in enumerate(names)}
    return replace(source, scan=replace(source.scan, names=every, kinds=dict.fromkeys(every, "text")))


def _rows(source: Source, most: int) -> pl.DataFrame:
    """The first rows; `DataError` with the place of what cannot be read."""
    try:
        frame: pl.LazyFrame = PolarsEngine().scan(source.scan).to_native()
        return frame.head(most).drop("row").collect()
    except (pl.exceptions.PolarsError, ReadError) as error:
        raise explain(source, ReadError(str(error))) from None


def _column(name: str, place: int, values: pl.Series) -> Column:
    filled = values.filter(values.is_not_null() & (values != ""))
    distinct = filled.unique(maintain_order=True)
    numbers = distinct.cast(pl.Float64, strict=False)
    if not distinct.len() or numbers.is_null().any() or not numbers.is_finite().all():
        kind, least, most, stepped = "text", None, None, False
    else:
        kind = "integer" if distinct.str.contains(sniff.PLAIN_INTEGER).all() else "decimal"
        least, most, stepped = numbers.min(), numbers.max(), bool(((numbers * 2) % 1 == 0).all())
    shown = tuple(distinct.head(_SHOWN))
    return Column(name, place, usual_roles(name), kind, distinct.len(), filled.len(), least, most, stepped, shown)  # type: ignore[arg-type]
