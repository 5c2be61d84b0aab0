"""Samples of files, cut into columns: each way to cut a file is a `Sheet`, with the evidence for this way."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from operator import ge, le
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from ..load import sniff
from ..load.columns import TYPED_NAME, usual_roles
from ..load.opening import FAILURES
from ..load.row_filters import kept_rows
from ..load.scan import TREC_COMMENT, TREC_RUN, Format, FormatName, ReadOptions
from ..load.source_file import FrameFile, SourceFile
from ..load.typed import panics_held_back, typed_rows
from ..support.errors import DataError
from ..syntax.row_filter import parse_filter
from .headers import SURE, header_bits
from .names import is_series, meanings
from .sampled_values import INTEGER, SampledColumn, number_of

_RECOGNISED: Final = ("user", "item", "rating", "score", "rank", "position", "row", "model")
"""Roles of columns; one that the config gives another role has none of them."""
_OF_LISTS: Final = (" ", ",", "\t", ";", "|")
"""Separators of items in lines of different lengths."""
SEPARATORS: Final = ("::", "\t", ";", "|", ",", " ")
_HEAD_BYTES: Final = 1 << 16
_ROWS, _CELLS, _MOST_ROWS = 300, 6_000, 50_000
"""The rows and cells of a sample, and the rows that are read if there is doubt."""
_MOST_COLUMNS: Final = 300
"""Further columns are not looked at."""
_NEARLY_ALL: Final = 0.9
_SURELY: Final = 6.0
"""Bits of an order that is hardly by chance."""
_SIGNS: Final = {":": re.compile(r"([^\s:,;|]+)\s*:\s+([^:]*\S[^:]*)")} | {
    sign: re.compile(rf"([^\s,;|]+){sign}(.*\S.*)") for sign in (" -> ", " => ")
}
"""What separates a user and its items in a line → such a line."""


class Sheet(Struct, eq=False, dict=True):
    """A sample of a file in one of the ways to cut it into columns: its format, separator, and whether it has a header.

    `bits` are the evidence for this way, `why` its reason, `first` the fields of the first line. `facts` are remembered results.
    """

    format: FormatName
    columns: Sequence[SampledColumn]
    header: bool | None = None
    separator: str | None = None
    bits: float = 0.0
    why: str = ""
    first: tuple[str, ...] = ()
    is_complete: bool = True
    labels: frozenset[str] = frozenset()
    """Columns that the config names for something else."""
    filtered: frozenset[str] = frozenset()
    """The columns that the filter reads."""
    facts: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def has_usual_time(self) -> bool:
        """True if a column has a usual name of times."""
        return any("timestamp" in usual_roles(column.name or "") for column in self.columns)

    @cached_property
    def model(self) -> SampledColumn | None:
        """The column with the names of models, if there is one."""
        found = [c for c in self.columns if not c.is_list and "model" in meanings(c.name) and len(c.distinct) <= 50 and c.kind == "text"]
        found = [c for c in found if c.name not in self.filtered]
        return found[0] if len(found) == 1 else None

    def groups(self, user: SampledColumn) -> dict[Any, list[int]]:
        """Return the numbers of the rows of each user (and model), without the last one of a cut sample."""
        if user.place not in self.facts:
            groups: dict[Any, list[int]] = {}
            keys: Iterable[Any] = zip(user.values, self.model.values, strict=True) if self.model else user.values
            for row, key in enumerate(keys):
                groups.setdefault(key, []).append(row)
            if not self.is_complete and len(groups) > 1:
                groups.popitem()
            self.facts[user.place] = groups
        found: dict[Any, list[int]] = self.facts[user.place]
        return found

    def repeats(self, user: SampledColumn, item: SampledColumn) -> float:
        """Return the share of rows whose item the user already has."""
        key = ("repeats", user.place, item.place)
        if key not in self.facts:
            groups = self.groups(user).values()
            distinct = sum(len({item.values[row] for row in rows}) for rows in groups)
            self.facts[key] = 1 - distinct / max(1, sum(map(len, groups)))
        found: float = self.facts[key]
        return found

    def order(self, user: SampledColumn, column: SampledColumn) -> Order:
        """Return what the numbers of a column say of the order of the rows of each user."""
        key = (user.place, column.place)
        if key not in self.facts:
            if column.is_list:
                lists = [list(map(number_of, values)) for values in column.values if len(values) > 1]
            else:
                lists = [[column.numbers[row] for row in rows] for rows in self.groups(user).values() if len(rows) > 1]
            self.facts[key] = _order_of(lists)
        found: Order = self.facts[key]
        return found


class Order(Struct, frozen=True):
    """The bits that numbers say: they count 1…n (or 0…n-1), are a permutation of that, fall, or rise; and the share of lists with ties.

    A sign counts only if nearly all lists have it. One of n! orders is by chance: a list in order says log2(n!).
    """

    counts: float = 0.0
    permutes: float = 0.0
    falls: float = 0.0
    rises: float = 0.0
    ties: float = 0.0


def _order_of(lists: Sequence[list[Any]]) -> Order:
    seen: Counter[str] = Counter()
    bits: dict[str, float] = dict.fromkeys(("counts", "permutes", "falls", "rises"), 0.0)
    for numbers in lists:
        if None in numbers:
            continue
        n, distinct, later = len(numbers), len(set(numbers)), numbers[1:]
        ways = math.lgamma(n + 1) / math.log(2)
        rises, falls = all(map(le, numbers, later)), all(map(ge, numbers, later))
        permutes = distinct == n and min(numbers) in (0, 1) and max(numbers) - min(numbers) == n - 1
        for sign, holds in (("falls", falls), ("rises", rises), ("permutes", permutes), ("counts", permutes and rises)):
            if holds:
                seen[sign] += 1
                bits[sign] += (distinct > 1) * (n * math.log2(n) - ways if sign == "permutes" else ways)
        seen["ties"] += distinct < n
    common = {sign: said if lists and seen[sign] >= _NEARLY_ALL * len(lists) else 0.0 for sign, said in bits.items()}
    if common["falls"] >= _SURELY:  # n to 1: points, rather than ranks of which the worst is first
        common["permutes"] = 0.0
    return Order(**common, ties=seen["ties"] / max(1, len(lists)))


def look(file: SourceFile, format: Format, options: ReadOptions, *, whole: bool = False) -> list[Sheet]:
    """Return the ways to cut a file into columns, from a sample of its head, or with `whole` from up to 50,000 rows or 1 MiB.

    The file is as `load.open_source` returns it: text is UTF-8, a JSON document has one object per line. None if no sample can be read.
    """
    n = _MOST_ROWS if whole or options.where else _ROWS
    try:
        with panics_held_back():
            sheets = list(_looked_at(file, format, options, n))
    except (*FAILURES, DataError, ValueError, RecursionError):  # `load` says what is wrong
        return []
    named = {*options.labels, *options.filter_columns, *(name for role, name in options.columns.items() if role not in _RECOGNISED)}
    for sheet in sheets:
        sheet.labels = frozenset(
            name for name in named if isinstance(name, str) and not usual_roles(name) & {"rating", "score", "position"}
        )
    return [kept for sheet in sheets if (kept := _kept(sheet, options, n if whole else _ROWS))] if options.where else sheets


def _looked_at(file: SourceFile, format: Format, options: ReadOptions, n: int) -> Iterable[Sheet]:
    """Return the ways to cut the first `n` rows of a file into columns."""
    if isinstance(file.path, FrameFile):
        return [_frame_sheet("frame", file.path.frame, n)]
    if not isinstance(file.path, Path):
        return []
    if format in ("ipc", "parquet"):
        return [_frame_sheet(format, typed_rows(file, format, options), n)]
    if format == "ndjson":
        return _object_sheets(file, n)
    is_trec = sniff.ending_of(file.pure_path) in (".qrels", ".qrel", ".run", ".trec")
    return _text_sheets(*_lines(file, n), options, n, is_trec=is_trec) if format == "csv" else []


def _lines(file: SourceFile, n: int) -> tuple[list[str], bool]:
    """Return the first lines of a file, for a header and `n` rows, that are not blank; and whether these are all."""
    lines, are_all = sniff.first_lines(file, n + 1, _HEAD_BYTES if n <= _ROWS else sniff.HEAD)
    return [line for line in lines if line.strip()], are_all


def _kept(sheet: Sheet, options: ReadOptions, n: int) -> Sheet | None:
    """Return the first `n` rows that the filter keeps; `None` if it reads lists.

    All rows are kept if the filter keeps none, or reads columns that are not there: `load` says so.
    """
    assert options.where is not None
    if any(column.is_list and column.name in options.filter_columns for column in sheet.columns):
        return None
    by_name = {column.name: column for column in sheet.columns if not column.is_list}
    found = {name: by_name.get(name) or by_name.get(str(options.columns.get(name))) for name in options.filter_columns}
    texts = {name: column.values for name, column in found.items() if column is not None}
    if len(texts) < len(found) or not sheet.columns:
        return sheet
    is_kept = kept_rows(parse_filter(options.where), {name: name for name in texts}, decimal_comma=bool(options.decimal_comma))
    sheet.filtered = frozenset(texts)
    rows = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String)).select(is_kept.arg_true()).to_series().to_list()
    if not rows:
        return sheet
    sheet.columns, sheet.is_complete = [column.only(rows[:n]) for column in sheet.columns], sheet.is_complete and len(rows) <= n
    return sheet


def _frame_sheet(format: Format, rows: pl.LazyFrame, n: int) -> Sheet:
    """Return the sample of the first `n` rows with typed columns."""
    names = [name for name, dtype in rows.collect_schema().items() if dtype not in (pl.Binary, pl.Object)][:_MOST_COLUMNS]
    frame = rows.select(names).head(n + 1).collect()
    columns = {name: _plain(frame[name].head(n)) for name in names}
    if any(dtype.is_nested() for dtype in frame.dtypes):
        sheet = _record_sheet(format, [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    else:
        plain = enumerate(columns.items(), 1) if frame.height else ()
        sheet = Sheet(format, [SampledColumn(name, place, list(map(_text, values))) for place, (name, values) in plain])
    sheet.is_complete = frame.height <= n
    return sheet


def _plain(values: pl.Series) -> list[Any]:
    """Return the values of a typed column: times, categories and enumerations as text, the rest as it is."""
    is_text = values.dtype.is_temporal() or values.dtype in (pl.Categorical, pl.Enum)
    return (values.cast(pl.String, strict=False) if is_text else values).to_list()


def _object_sheets(file: SourceFile, n: int) -> list[Sheet]:
    """Return the sample of lines of objects."""
    lines, are_all = _lines(file, n)
    records = [json.loads(line) for line in lines]
    if not all(isinstance(record, dict) for record in records):
        return []
    sheet = _record_sheet("ndjson", records)
    sheet.is_complete = are_all
    return [sheet]


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path → text, or list of texts, of a nested record; a list of objects is a list per field."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and all(isinstance(element, dict) for element in value):
            flat = [dict(_flat(element)) for element in value]
            yield from (
                (f"{prefix}{key}.{name}", [_text(flat_record.get(name)) for flat_record in flat]) for name in dict.fromkeys(chain(*flat))
            )
        else:
            yield f"{prefix}{key}", list(map(_text, value)) if isinstance(value, list) else _text(value)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _record_sheet(format: Format, records: Iterable[Mapping[str, Any]]) -> Sheet:
    flat, columns = [dict(_flat(record)) for record in records], []
    for place, name in enumerate(islice(dict.fromkeys(chain(*flat)), _MOST_COLUMNS), 1):
        values = [record.get(name, "") for record in flat]
        if any(isinstance(value, list) for value in values):
            values = [value if isinstance(value, list) else [value] if value else [] for value in values]
        columns.append(SampledColumn(name, place, values))
    return Sheet(format, columns)


def _text_sheets(lines: Sequence[str], are_all: bool, options: ReadOptions, n: int, *, is_trec: bool) -> Iterator[Sheet]:
    """Yield the ways to cut separated text; none for the features of libsvm. `is_trec`: the ending of the file says so."""
    if not lines or sniff.is_of_features(lines):
        return
    trec = _trec_sheet(lines) if options.format in (None, "trec") and options.separator is None else None
    if trec is not None:
        lines = [line for line in lines if not line.lstrip().startswith(TREC_COMMENT)]
        trec.bits = max(trec.bits, SURE * is_trec)
    sheets = [*([] if trec is None else [trec]), *(_cut(lines, options, whole=n > _ROWS) if trec is None or not trec.bits else ())]
    for sheet in sheets:
        sheet.is_complete = are_all and sheet.is_complete
        yield sheet


def _trec_sheet(lines: Sequence[str]) -> Sheet | None:
    """Return the fields of a TREC file, which white space separates: six of a run, or four of judgements; `None` for other lines.

    A run has Q0 in its second field, and words behind its tag are no fields.
    """
    rows = [line.split() for line in lines if not line.lstrip().startswith(TREC_COMMENT)]
    width = min(map(len, rows), default=0)
    is_run = width >= len(TREC_RUN) and all(row[1].upper() == "Q0" for row in rows)
    if max(map(len, rows), default=0) > width and all(line.count("\t") + 1 == len(TREC_RUN) for line in lines):
        return None  # tabs separate fields, of which some have spaces
    if not is_run and (width not in (4, len(TREC_RUN)) or max(map(len, rows)) > width):
        return None
    fields = zip(*(row[: len(TREC_RUN)] for row in rows), strict=True)
    return Sheet(
        "trec", [SampledColumn(None, place, values) for place, values in enumerate(fields, 1)], header=False, bits=SURE if is_run else 0.0
    )


def _cut(lines: Sequence[str], options: ReadOptions, *, whole: bool) -> Iterator[Sheet]:
    for sign, pattern in _SIGNS.items() if options.format is None and options.separator is None else ():
        if all(map(pattern.fullmatch, lines[:200])):
            yield _pair_sheet(lines, sign)
            return
    by_position = bool(options.columns) and all(isinstance(name, int) for name in options.names)
    if options.header is None and by_position:
        options = replace(options, header=False)
    separator = options.separator or ("\t" if options.format == "tsv" else _separator_of(lines, options.split))
    if not separator:
        return
    rows = split_rows(lines, separator)
    if options.format == "ragged" or (options.format is None and _is_ragged(rows, separator)):
        yield _ragged(rows, separator)
        return
    usual = Counter(map(len, rows)).most_common(1)[0][0]
    rows = [row for row in rows if len(row) == usual]  # `load` says which lines are of another length
    n = len(rows) if whole else max(200, _CELLS // len(rows[0]))
    is_complete, rows = n >= len(rows), [row[:_MOST_COLUMNS] for row in rows[:n]]
    first, below = tuple(rows[0]), zip(*rows[1:], strict=True)
    columns = [SampledColumn(_bare(name, first), place, values) for place, (name, values) in enumerate(zip(first, below, strict=False), 1)]
    bits, why = header_bits(first, columns)
    named = {*options.filter_columns, *(name for name in options.names if isinstance(name, str))}
    if not named.isdisjoint(first):
        bits, why = SURE, ""
    if options.header is not False and (bits > -14 or options.header) and columns:
        bits = SURE if options.header else bits
        yield Sheet("csv", columns, header=True, separator=separator, bits=bits, why=why, first=first, is_complete=is_complete)
    if options.header is not True and (bits < 14 or options.header is False):
        columns = [SampledColumn(None, place, values) for place, values in enumerate(zip(*rows, strict=True), 1)]
        yield Sheet("csv", columns, header=False, separator=separator, first=first, is_complete=is_complete)


def _bare(name: str, names: Sequence[str]) -> str:
    """Return the name of a column without the type of RecBole."""
    match = TYPED_NAME.fullmatch(name)
    return match["name"] if match and all(map(TYPED_NAME.fullmatch, names)) else name


def _pair_sheet(lines: Sequence[str], sign: str) -> Sheet:
    """Return the sample of lines `user: item, item`, with another sign than the colon perhaps."""
    pairs = [match.groups() for line in lines if (match := _SIGNS[sign].fullmatch(line))]
    users, rest = [user for user, _ in pairs], [items.strip() for _, items in pairs]
    split = next((sign for sign in (", ", ",", ";", "|", " ") if any(sign in text for text in rest)), " ")
    lists = [[part.strip() for part in text.strip("[]").split(split)] for text in rest]
    columns = [SampledColumn(None, 1, users, "user"), SampledColumn(None, 2, lists, "item")]
    why = "lines of a user, a sign and items"
    return Sheet("csv", columns, header=False, separator=sign, bits=20.0, why=why, facts={"split": split})


def split_rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Return the fields of lines, without white space around them; quotation marks quote if the separator is one character."""
    quotes = len(separator) == 1 and any('"' in line for line in lines)
    if not quotes:
        fields = [[field.strip() for field in line.split(separator)] for line in lines]
        return [[field for field in row if field] for row in fields] if separator == " " else fields
    return [[field.strip() for field in row] for row in sniff.rows(lines, separator, quotes=True)]


def _separator_of(lines: Sequence[str], split: str | None) -> str:
    """Return the separator of fields: the one that gives lines the same number of them, or else is first in a line; empty if none does."""
    found = []
    for place, separator in enumerate(SEPARATORS):
        if separator == split or not any(separator in line for line in (lines[0], lines[len(lines) // 2], lines[-1])):
            continue
        rows = split_rows(lines[:200], separator)
        counts = Counter(map(len, rows[1:] or rows))
        if counts.most_common(1)[0][0] > 1 and counts[1] <= 0.05 * counts.total():
            is_uneven = len(counts) > 1 or len(rows[0]) not in counts
            line = lines[len(lines) // 2]
            found.append((is_uneven, line.find(separator) if separator in line.strip() and separator != " " else 10**6, place, separator))
    return min(found)[-1] if found else ""


def _is_ragged(rows: Sequence[Sequence[str]], separator: str) -> bool:
    """Return whether lines are lists of different lengths, rather than rows of a table of which a few are broken."""
    widths = Counter(map(len, rows))
    is_header = sum(map(bool, map(meanings, rows[0]))) > 1 and len(rows[0]) >= widths.most_common(1)[0][0]
    is_table = separator not in _OF_LISTS or is_header
    return len(widths) > 1 and not is_table and widths.most_common(1)[0][1] <= _NEARLY_ALL * len(rows)


def _ragged(rows: Sequence[Sequence[str]], separator: str) -> Sheet:
    """Return the sample of lines of different lengths: a user and its items."""
    first = rows[0]
    is_counted = any(list(first[1:]) == [str(n) for n in range(start, start + len(first) - 1)] for start in (0, 1))
    named = is_series(first[1:]) or (bool(meanings(first[0])) and (is_counted or not any(map(INTEGER.fullmatch, first))))
    columns = [
        SampledColumn(None, 1, [row[0] for row in rows[named:]], "user"),
        SampledColumn(None, 2, [list(row[1:]) for row in rows[named:]], "item"),
    ]
    return Sheet("ragged", columns, header=named, separator=separator, why="lines of different lengths: a user and its items")
