"""Find the tables in files and folders, preview their first rows, and summarise their columns and their users."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..disk.result_folder import is_output_file, is_result_folder
from ..errors import DataError
from ..load import opening, sniff
from ..load.columns import usual_roles
from ..load.folders import is_table, refuse_name_in_bytes
from ..load.raw import RawTable, raw_table
from ..load.row_filters import kept_rows
from ..load.scan import NO_VALUE
from ..names.row_filter import parse_filter

_MAX_TABLES: Final = 200
DEPTHS: Final = (2, 3, 4)
"""Numbers of levels of folders to search: one more if the levels before do not suffice for a config."""
_MAX_FOLDERS: Final = 2_000
"""Largest number of folders that are searched beyond the first levels."""
_JSON: Final = ".json"
_DATABASES: Final = (".db", ".sqlite", ".sqlite3", ".duckdb")
_IGNORED_FOLDERS: Final = (".egg-info", "node_modules", "site-packages")
_PART: Final = re.compile(r"(?P<name>.*?)(?P<number>(?:part[-_.]?\d+|[-_.]\d+-of-\d+).*?)(?P<ending>(?:\.[A-Za-z]\w*)*)", re.IGNORECASE)
_PEEK: Final = 100
_N_EXAMPLES: Final = 300
_DECIMAL_COMMA: Final = r"^\s*[+-]?(\d+|\d*,\d+)\s*$"
_MIN_SHARE_OF_EQUAL_LENGTHS: Final = 0.8
_DATE: Final = re.compile(r"\d{4}[-/]\d\d?[-/]\d|\d\d?\.\d\d?\.\d{4}")
"""The start of a date."""
MIN_TIMESTAMP: Final = 100_000_000
"""Larger numbers are points in time, in seconds or finer."""
_MIN_LENGTH: Final = 3
"""Smallest number of rows per user with which equal lengths identify lists."""
_NEARLY_ALL: Final = 0.9
"""Smallest share of the users with several rows."""


class Query(Struct, frozen=True):
    """The query of a config that reads a table of a database: the kind of database, its file, and the statement."""

    scheme: str
    path: str
    statement: str


class DiscoveredTable(Struct, frozen=True):
    """A table as a config would name it.

    `path` is a path or, for a table in parts, a glob. `label` is the path below the folder that all tables share, without part numbers.
    """

    path: str
    label: str
    paths: tuple[Path, ...]
    query: Query | None = None
    """The query whose rows the paths contain, for a table of a database."""


def discover_tables(names: Sequence[str], depth: int = DEPTHS[0]) -> list[DiscoveredTable]:
    """List the tables in these files and folders, in order; folders are searched `depth` levels deep.

    The folder of a Delta or Iceberg table is one table.

    JSON files count, because they may have one object per line, unless a folder has too many tables.

    Raises `DataError` if there is no table, if a name does not exist, or if a folder has too many tables to guess.
    """
    files: dict[Path, None] = {}
    for text in names:
        path = Path(text)
        if os.path.isdir(path):
            files |= dict.fromkeys(_folder_tables(path, depth))
        elif os.path.isfile(path):
            files[path] = None
        else:
            raise DataError(_missing(text), "give files or a folder")
    for path in files:
        refuse_name_in_bytes("init", path)
    if not files:
        raise DataError(
            f"there is no table in {' and '.join(names)}",
            "receval reads CSV, TSV, TREC, RecBole, JSON, Parquet, Arrow, SQLite and DuckDB files, and Delta and Iceberg tables",
        )
    return _labelled(_grouped_parts(list(files)))


def _missing(text: str) -> str:
    """Return why a name is neither a file nor a folder."""
    try:
        os.stat(text)
    except FileNotFoundError:
        return f"there is no file {text}"
    except OSError as error:
        return f"{text} cannot be read: {error.strerror}"
    except ValueError:  # not a valid file name
        return f"there is no file {text!r}"
    return f"{text} is not a regular file"


def unread_folder(names: Sequence[str], depth: int) -> tuple[str, str] | None:
    """Return the first folder whose own folders are below `depth`, after the folder of the first level that leads to it; else `None`."""
    for name in filter(os.path.isdir, names):
        for above, folders, _ in os.walk(name):
            below = Path(above).relative_to(name).parts
            folders[:] = [] if is_table(Path(above)) else _visited(above, folders)
            if len(below) == depth and folders:
                return str(Path(name, below[0])), str(Path(above))
            folders[:] = folders if len(below) < depth else []
    return None


def _visited(above: str, folders: Sequence[str]) -> list[str]:
    """Return the folders that may have data, in order: no hidden ones, and none of packages."""
    own = (name for name in folders if not name.startswith((".", "_")) and not name.endswith(_IGNORED_FOLDERS))
    return sorted(name for name in own if not os.path.exists(os.path.join(above, name, "pyvenv.cfg")))


def _folder_tables(folder: Path, most_levels: int) -> list[Path]:
    """List the files of a folder that may be tables; raise `DataError` if there are too many."""
    tables: list[Path] = []
    for n_folders, (above, folders, names) in enumerate(os.walk(folder)):
        if most_levels > DEPTHS[0] and n_folders > _MAX_FOLDERS:
            raise DataError(f"there are more than {_MAX_FOLDERS:,} folders in {folder}", "list the files to use")
        if is_table(Path(above)):  # only its log or metadata says which of its files count
            tables.append(Path(above))
            folders.clear()
            continue
        depth = len(Path(above).relative_to(folder).parts)
        folders[:] = _visited(above, folders) if depth < most_levels else []
        has_results = is_result_folder(Path(above))  # what a run wrote is not its input
        files = [Path(above, name) for name in sorted(names) if not name.startswith(".") and not (has_results and is_output_file(name))]
        tables += [path for path in files if sniff.is_a_table(path) or path.suffix.lower() in (_JSON, *_DATABASES, *sniff.ARRAYS)]
    if len(tables) > _MAX_TABLES:
        tables = [path for path in tables if path.suffix.lower() != _JSON]
    if len(tables) > _MAX_TABLES:
        raise DataError(f"there are {len(tables)} tables in {folder}", f"list the files to use, at most {_MAX_TABLES}")
    return tables


def _grouped_parts(files: Sequence[Path]) -> dict[str, list[Path]]:
    """Group files by their path in a config: the parts of one table have a glob."""
    tables: dict[str, list[Path]] = {}
    for path in files:
        part = None if os.path.isdir(path) else _PART.fullmatch(path.name)
        pattern = f"{part['name']}*{part['ending']}" if part else ""
        is_single = part is None or glob.has_magic(f"{path.parent}{part['name']}")
        tables.setdefault(str(path) if is_single else str(path.parent / pattern), []).append(path)
    complete: dict[str, list[Path]] = {}
    for name, paths in tables.items():
        if glob.has_magic(name) and sorted(glob.glob(name)) != sorted(map(str, paths)):  # the glob would read other files too
            complete |= {str(path): [path] for path in paths}
        else:
            complete[name] = paths
    return complete


def _labelled(tables: dict[str, list[Path]]) -> list[DiscoveredTable]:
    """Label the tables with their paths below the folder that all share, without part numbers."""
    above = Path(os.path.commonpath([os.path.abspath(path.parent) for paths in tables.values() for path in paths]))
    labelled = []
    for path, paths in tables.items():
        below = Path(os.path.abspath(paths[0])).relative_to(above)
        if len(paths) > 1 or paths[0].name != Path(path).name:
            part = _PART.fullmatch(below.name)
            assert part is not None
            name = part["name"].rstrip("-_.")
            below = below.with_name(f"{name}{part['ending']}") if name else Path(f"{below.parent}{part['ending']}")
        labelled.append(DiscoveredTable(path, below.as_posix(), tuple(paths)))
    return labelled


class ColumnSummary(Struct, frozen=True):
    """One column of the rows that were previewed.

    `number` counts from 1. `usual_roles` are the roles (user, item, score, …) that a column of this name usually has. `examples` are the
    first distinct values, as text. `n_filled` counts the rows that have a value. A column `is_list` if a row has a list of values.
    `contains_any` tests whether any of some ids is in the column, in all rows of the file.

    Columns of numbers have a `minimum`, a `median` and a `maximum`; `half_steps` is true if all values are multiples of a half, as ratings
    in stars are; `decimal_comma` if decimals follow a comma; `n_missing_words` counts values such as NA.
    """

    name: str
    number: int
    usual_roles: frozenset[str]
    n_distinct: int
    n_filled: int
    examples: tuple[str, ...]
    is_list: bool
    contains_any: Callable[[Collection[str]], bool]
    kind: Literal["integer", "decimal", "text"] = "text"
    minimum: float | None = None
    median: float | None = None
    maximum: float | None = None
    half_steps: bool = False
    decimal_comma: bool = False
    n_missing_words: int = 0

    @property
    def holds_times(self) -> bool:
        """True for times, by the usual name of the column, by dates, or by large numbers."""
        if "timestamp" in self.usual_roles:
            return True
        if self.kind == "text":
            return bool(self.examples) and all(_DATE.match(value.strip()) for value in self.examples)
        return self.minimum is not None and self.minimum > MIN_TIMESTAMP


class PairSummary(Struct, frozen=True):
    """The users and items of the previewed rows, with ids as text; each item of a list counts as a row.

    `longest` and `median_length` are numbers of rows per user; `has_equal_lengths`: nearly all users have the same number, above one.
    `counting_columns` number each user's rows from 0 or 1; `falling_columns` never rise within a user's rows. `has_whole_users` is true if
    all rows of nearly every user were read: the rows of each user are contiguous, or the file was read to its end.
    """

    users: frozenset[str]
    items: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    longest: int
    median_length: int
    has_equal_lengths: bool
    counting_columns: frozenset[str]
    falling_columns: frozenset[str]
    has_whole_users: bool


class TablePreview:
    """The first rows of a table, with every value as text, and its columns; `n_rows` is a lower bound or an estimate unless exact.

    A bounded number of rows is read. All rows are scanned only to look for ids that are not among the first.
    """

    def __init__(self, place: DiscoveredTable, max_values: int = 100_000, raw: RawTable | None = None) -> None:
        """Read the first rows, at most `max_values` values of a column; raise `DataError` if the files are not a readable table."""
        self.place, self._max_values = place, max_values
        try:
            self.raw, self._max_rows, self._frame = self._read(raw or raw_table(place.paths))
        except OSError as error:
            raise DataError(f"{place.path} cannot be read ({error.strerror})") from None
        if self._frame.is_empty():
            raise DataError(f"{place.path}: there are no rows")
        self.n_previewed = self._frame.height
        self.n_rows, self.n_rows_exact = self._count_rows()
        self._is_whole = self.n_rows_exact and self.n_previewed == self.n_rows
        self.columns = tuple(
            _summarise(name, number, self._frame.to_series(number - 1), partial(self._contains_any, number))
            for number, name in enumerate(self.raw.scan.names.values(), 1)
        )

    @property
    def is_whole(self) -> bool:
        """True if all rows were previewed."""
        return self._is_whole

    def value_counts(self, column: ColumnSummary) -> list[tuple[str, int]]:
        """Return the values of a column of the previewed rows with their numbers of rows, the most frequent first."""
        values = pl.col(self._frame.columns[column.number - 1]).str.strip_chars().alias("value")
        counted = self._frame.select(values).filter(pl.col("value") != "").group_by("value").len()
        return counted.sort(["len", "value"], descending=[True, False]).rows()

    def selected(self, columns: Sequence[ColumnSummary], most_rows: int, where: str = "") -> pl.LazyFrame:
        """Return these columns of the rows that a filter keeps, as text; of the previewed rows if there are more than `most_rows`."""
        names = {column.name: f"column_{column.number}" for column in self.columns}
        rows = self._frame.lazy() if self._is_whole or self.n_rows > most_rows else self.raw.rows()
        kept = rows.filter(kept_rows(parse_filter(where), names)) if where else rows
        return kept.select(f"column_{column.number}" for column in columns)

    @staticmethod
    def collected(rows: pl.LazyFrame) -> pl.DataFrame | None:
        """Collect rows; `None` if a file cannot be read."""
        try:
            return rows.collect(engine="streaming")
        except opening.FAILURES:
            return None

    def with_lists(self, split: str, numbers: Sequence[int]) -> TablePreview:
        """Return the same table with the columns of these numbers read as lists in text, separated by `split`."""
        return TablePreview(self.place, self._max_values, self.raw.with_lists(split, numbers))

    def _read(self, raw: RawTable) -> tuple[RawTable, int, pl.DataFrame]:
        """Read the first rows, fewer if they contain lists. Lists in text that cannot be parsed are read as plain text."""
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
        """Return the exact or estimated number of rows of the table, and whether it is exact."""
        n_previewed, scan = self.n_previewed, self.raw.scan
        paths = [Path(path) for path in scan.paths]
        if scan.format in ("parquet", "ipc", "delta", "iceberg"):
            return int(opening.raw(scan).select(pl.len()).collect().item()), True
        if n_previewed < self._max_rows:
            return n_previewed, True
        if any(sniff.starts(path, sniff.GZIP) or sniff.starts(path, sniff.ZSTD) for path in paths):
            return n_previewed, False
        lines = sniff.head(self.raw.files[0])
        bytes_per_line = sum(len(line.encode()) + 1 for line in lines) / len(lines)
        return max(n_previewed, round(sum(path.stat().st_size for path in paths) / bytes_per_line)), False

    def _contains_any(self, number: int, ids: Collection[str]) -> bool:
        """Return whether any of `ids` is in a column, in all rows; true if the rest of the file cannot be read, to be safe."""
        if bool(_flat(self._frame.to_series(number - 1)).is_in(pl.Series(sorted(ids), dtype=pl.String).implode()).any()):
            return True
        if self._is_whole:
            return False
        name = f"column_{number}"
        values = self.raw.rows().select(name)
        values = values.explode(name) if name in self.raw.scan.lists else values
        wanted = pl.LazyFrame({name: sorted(ids)}, schema={name: pl.String})
        try:
            return values.join(wanted, on=name, how="semi").head(1).collect(engine="streaming").height > 0
        except opening.FAILURES:
            return True

    def pair_summary(self, user: ColumnSummary, item: ColumnSummary) -> PairSummary:
        """Summarise the rows by user, given the columns of the ids.

        A row with a list counts as one row per item; lists in other columns become null if their lengths differ from the items'.
        """
        frame = self._frame
        if item.is_list:
            list_columns = [name for name, dtype in frame.schema.items() if dtype == pl.List]
            item_lengths = frame.to_series(item.number - 1).list.len()
            parallel = [name for name in list_columns if frame[name].list.len().equals(item_lengths)]
            emptied = [pl.lit(None, dtype=pl.String).alias(name) for name in list_columns if name not in parallel]
            frame = frame.with_columns(emptied).explode(parallel, empty_as_null=False)
        ids = frame.select(pl.nth(user.number - 1).alias("user"), pl.nth(item.number - 1).alias("item")).fill_null("")
        lengths = ids.group_by("user").len().get_column("len")
        counts = lengths.value_counts().get_column("count")
        others = [column for column in self.columns if column.number not in (user.number, item.number)]
        numeric = [column for column in others if column.kind != "text" and (item.is_list or not column.is_list)]
        values = {column.name: frame.to_series(column.number - 1).cast(pl.Float64, strict=False) for column in numeric}
        value = pl.col("value")
        counting = value.min().is_in([0.0, 1.0]) & (value.max() - value.min() + 1 == pl.len()) & (value.n_unique() == pl.len())
        falling = (value.diff() <= 0).fill_null(True).all() & (value.n_unique() > 1)
        users, median_length = frozenset(ids["user"]) - {""}, int(lengths.median() or 0)  # type: ignore[arg-type]
        is_common = int(counts.max() or 0) / max(1, lengths.len()) >= _MIN_SHARE_OF_EQUAL_LENGTHS  # type: ignore[arg-type]
        return PairSummary(
            users=users,
            items=frozenset(ids["item"]) - {""},
            pairs=frozenset(ids.iter_rows()),
            longest=int(lengths.max() or 0),  # type: ignore[arg-type]
            median_length=median_length,
            has_equal_lengths=is_common and median_length >= _MIN_LENGTH and len(users) > 1,
            counting_columns=frozenset(name for name, column in values.items() if _nearly_all_users(ids["user"], column, counting)),
            falling_columns=frozenset(name for name, column in values.items() if _nearly_all_users(ids["user"], column, falling)),
            has_whole_users=self._is_whole or ids["user"].rle().len() < 1.1 * lengths.len(),
        )


def _summarise(name: str, number: int, values: pl.Series, contains_any: Callable[[Collection[str]], bool]) -> ColumnSummary:
    """Summarise a column of text, or of lists of text: then their values. Numbers may be mixed with words for missing values."""
    texts = _flat(values)
    is_empty = texts.is_null() | (texts == "")
    distinct = texts.filter(~is_empty).unique(maintain_order=True)
    is_missing_word = texts.str.to_lowercase().is_in([word for word in NO_VALUE if word]) & ~is_empty
    numbers, decimal_comma = _numbers(distinct.filter(~distinct.str.to_lowercase().is_in(NO_VALUE)))
    n_filled, examples = values.len() - int(is_empty.sum()), tuple(distinct.head(_N_EXAMPLES))
    column = ColumnSummary(name, number, usual_roles(name), distinct.len(), n_filled, examples, values.dtype == pl.List, contains_any)
    if numbers is None:
        return column
    is_integer = numbers.len() == distinct.len() and distinct.str.contains(sniff.PLAIN_INTEGER).all()
    return replace(
        column,
        kind="integer" if is_integer else "decimal",
        minimum=numbers.min(),
        median=numbers.median(),
        maximum=numbers.max(),
        half_steps=bool(((numbers * 2) % 1 == 0).all()),
        n_missing_words=int(is_missing_word.sum()),
        decimal_comma=decimal_comma,
    )


def _numbers(texts: pl.Series) -> tuple[pl.Series | None, bool]:
    """Parse texts as numbers; return them (`None` if any is not a number), and whether decimals follow a comma."""
    for decimal_comma in (False, True):
        plain = texts.str.replace(",", ".", literal=True) if decimal_comma and texts.str.contains(_DECIMAL_COMMA).all() else texts
        numbers = plain.cast(pl.Float64, strict=False)
        if texts.len() and numbers.is_not_null().all() and numbers.is_finite().all():
            return numbers, decimal_comma
    return None, False


def _flat(values: pl.Series) -> pl.Series:
    """Return the values of a column, with lists expanded."""
    return values.explode(empty_as_null=False) if values.dtype == pl.List else values


def _nearly_all_users(users: pl.Series, numbers: pl.Series, fits: pl.Expr) -> bool:
    """Return whether an expression over the values of a user is true for nearly all users with several rows."""
    frame = pl.DataFrame({"user": users, "value": numbers})
    by_user = frame.group_by("user", maintain_order=True).agg(fits.alias("fits"), pl.len().alias("rows")).filter(pl.col("rows") > 1)
    return bool(by_user.height and by_user["fits"].sum() >= _NEARLY_ALL * by_user.height)
