"""Propose what the files allow beyond the usual: a split by time, groups of test rows, the value of hits, and sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import polars as pl
from msgspec import Struct

from ..load.column_words import words_of
from ..load.row_filters import date_layout
from ..syntax.row_filter import in_filter
from ..tables.time_units import unit_of_number
from .choice import is_named_test_set
from .classification import ClassifiedFile
from .table_preview import ColumnSummary, collected, rows_of

_DAY: Final = 86_400
_MAX_SCANNED: Final = 5_000_000
"""A file with more rows is not read as a whole."""
_MIN_MATCH: Final = 0.98
"""Smallest ratio of the users of the lists in the rows from a day on, to those in either, for this day to be the border of the test set."""
_MIN_REPEATS: Final = 0.1
"""Smallest share of test pairs in train for groups of repeated and new pairs."""
_TEST_SHARE: Final = 0.2
_REVENUE_WORDS: Final = ("revenue", "paid", "amount", "sales", "spend", "turnover")
_PRICE_WORDS: Final = ("price",)
_PROFIT_WORDS: Final = ("profit", "margin")
_NO_MONEY: Final = ("id", "count", "date", "time", "currency", "type", "rate", "ratio", "percent", "share", "pct")
_QUANTITY_WORDS: Final = ("quantity", "qty", "units")
_SESSION_WORDS: Final = ("session", "basket", "visit")
_STEP_WORDS: Final = ("step", "turn", "prefix")


class TimeSplit(Struct, frozen=True):
    """Filters that split a log by its times: those of the test set and of the train set, and the first day of the test set.

    `evidence` says why this day is the border: the users of the lists are those with rows from then on. Without it the day is an example.
    """

    test: str
    train: str
    day: str
    evidence: str = ""


class Proposal(Struct, frozen=True):
    """A line to add to the config, with the reason. `key` is its place: data, data.test, by, evaluation, metrics or compare."""

    key: str
    text: str
    reason: str

    @property
    def setting(self) -> str:
        """The setting on one line, for messages."""
        return f"by: {self.text.removeprefix('- ')}" if self.key == "by" else self.text


def time_split(test: ClassifiedFile, lists: Sequence[ClassifiedFile]) -> TimeSplit | None:
    """Return filters that split a log at a day: by the users of the lists, or else an example; `None` if its times cannot be split.

    Times are numbers since 1970, or texts that begin with a date in ISO 8601.
    """
    column = test.columns.get("timestamp")
    if column is None or column.is_list or test.columns["user"].is_list:
        return None
    is_text = {*map(date_layout, column.examples)} == {"YYYY-MM-DD"}
    if not is_text and (column.kind == "text" or not column.holds_times or column.minimum is None or column.minimum <= 0):
        return None
    unit = 1 if is_text else int(unit_of_number(column.maximum or 0).per_second)
    rows = _rows_by_day(test, unit)
    if rows is None or rows["day"].n_unique() < 2:
        return None
    day, evidence = _border_of(rows, test, lists)
    if not evidence:
        at = rows.sort("day").select("day", reached=pl.col("rows").cum_sum() > pl.col("rows").sum() * (1 - _TEST_SHARE))
        day = at.filter(pl.col("reached"))["day"][0]
    if day == rows["day"].min():
        return None
    name = in_filter(column.name) if test.has_header else "timestamp"
    date = f"{datetime.fromtimestamp(int(day) * _DAY, UTC):%Y-%m-%d}"
    border = f"'{date}'" if is_text else str(int(day) * _DAY * unit)
    return TimeSplit(f"{name} >= {border}", f"{name} < {border}", date if is_text else f"{date} (UTC)", evidence)


def _rows_by_day(test: ClassifiedFile, unit: int) -> pl.DataFrame | None:
    """Return `user day rows` of a log, with times since 1970 in parts of a second; `None` if it cannot be read."""
    if "timestamp" not in test.opened.columns:
        return None
    day = (pl.col("timestamp").cast(pl.Float64, strict=False) / (_DAY * unit)).floor()
    rows = rows_of(test.opened).head(_MAX_SCANNED).select("user", day=day).drop_nulls().filter(pl.col("user") != "")
    return collected(rows.group_by("user", "day").agg(pl.len().alias("rows")))


def _border_of(rows: pl.DataFrame, test: ClassifiedFile, lists: Sequence[ClassifiedFile]) -> tuple[Any, str]:
    """Return the day from which on the users of a log are those of the lists, with the evidence; an empty text if no day is certain."""
    if is_named_test_set(test) or any(file.n_rows[0] > _MAX_SCANNED for file in (test, *lists)):
        return None, ""
    if any(file.columns["user"].is_list or file.columns["item"].is_list for file in lists):
        return None, ""
    users = [collected(rows_of(file.opened).select("user").unique()) for file in lists]
    if not users or any(frame is None for frame in users):
        return None, ""
    named = pl.concat([frame for frame in users if frame is not None]).unique()
    last = rows.group_by("user").agg(pl.col("day").max())
    is_listed = pl.col("user").is_in(named["user"].implode())
    counts = last.group_by("day").agg(pl.len().alias("users"), is_listed.sum().alias("listed"))
    days = rows.select("day").unique().join(counts, on="day", how="left").fill_null(0).sort("day", descending=True)
    days = days.with_columns(pl.col("users", "listed").cum_sum())
    matches = days.with_columns(match=pl.col("listed") / (pl.col("users") + named.height - pl.col("listed")))
    best = matches.filter(pl.col("match") == pl.col("match").max())
    if best.height != 1 or best["match"][0] < _MIN_MATCH or best["users"][0] == last.height:
        return None, ""
    n_listed, n_users = best["listed"][0], best["users"][0]
    return best["day"][0], f"the lists are of {n_listed:,} of the {n_users:,} users with rows from this day on"


def proposals(
    data: Mapping[str, ClassifiedFile], filters: Mapping[str, str], lists: Sequence[ClassifiedFile], events: str
) -> tuple[Proposal, ...]:
    """Return what the files of a config allow beyond the usual. `filters` are those of test and train, `events` the counts of events."""
    test = data["test"]
    by = [("rows." + events.partition(":")[0], events.partition(": ")[2])] if events else []
    if repeats := _repeats(data, filters):
        by.append(("rows.repeat", repeats))
    groups = [Proposal("by", f"- {_quoted(name)}", reason) for name, reason in by]
    return (*groups, *_values(data, purchases=bool(events)), *_sessions(test, data, lists))


def _quoted(name: str) -> str:
    """Write the name of a grouping or of a column in YAML."""
    return name if name.replace(".", "").replace("_", "").isalnum() else json.dumps(name, ensure_ascii=False).replace("$", "$$")


def _repeats(data: Mapping[str, ClassifiedFile], filters: Mapping[str, str]) -> str:
    """Say how many of the test pairs are in train; empty if these are few, or cannot be counted."""
    if "train" not in data:
        return ""
    pairs = []
    for key in ("test", "train"):
        file = data[key]
        if file.n_rows[0] > _MAX_SCANNED:
            return ""
        pairs.append(rows_of(file.filtered(filters.get(key, ""))).select("user", "item").drop_nulls())
    test = collected(pairs[0].unique())
    shared = None if test is None else collected(pairs[1].join(test.lazy(), on=["user", "item"], how="semi").unique())
    n_pairs, n_repeated = (0, 0) if test is None or shared is None else (test.height, shared.height)
    if n_repeated < _MIN_REPEATS * max(n_pairs, 1):
        return ""
    return f"{n_repeated:,} of {n_pairs:,} distinct test pairs ({n_repeated / n_pairs:.0%}) are in train".replace("%", " %")


def _values(data: Mapping[str, ClassifiedFile], *, purchases: bool) -> list[Proposal]:
    """Propose the value of a hit: what was paid, else the price of a test row, else that of an item; and the same for profit.

    If there are `purchases` among other events, only these have a value.
    """
    places = [(source, data[key]) for source, key in (("rows", "test"), ("items", "items")) if key in data]
    found: dict[str, str] = {}
    for role, words in (("revenue", _REVENUE_WORDS), ("revenue", _PRICE_WORDS), ("profit", _PROFIT_WORDS)):
        for source, file in places:
            name = _money(file, words, least=None if role == "profit" else 0)
            if name is not None:
                found.setdefault(role, f"{source}.{name}")
    if not found:
        return []
    reason = "the value of a hit; keep purchases only, with where in data.test" if purchases else "the value of a hit"
    quantity = _column(data["test"], _QUANTITY_WORDS)
    if found.get("revenue", "").startswith("rows.") and "price" in words_of(found["revenue"]) and quantity is not None:
        reason += f"; for price times {quantity.name} add a column with the product to the file"
    flow = ", ".join(f"{role}: {_quoted(column)}" for role, column in found.items())
    metrics = {"revenue": ("Revenue", "RevenueShare"), "profit": ("Profit",)}
    lines = [Proposal("evaluation", f"value_columns: {{{flow}}}", reason)]
    return lines + [Proposal("metrics", f"- {name}", "needs value_columns") for role in found for name in metrics[role]]


def _money(file: ClassifiedFile, words: Sequence[str], least: float | None) -> str | None:
    """Return the name of a column of amounts whose name has one of these words, if no value is below `least`."""
    column = _column(file, words)
    if column is None or column.kind == "text" or column.minimum is None or column.decimal_comma or column.n_distinct < 2:
        return None
    return None if least is not None and column.minimum < least else column.name


def _column(file: ClassifiedFile, words: Sequence[str]) -> ColumnSummary | None:
    """Return the first column without a role whose name has one of these words."""
    taken = {column.number for column in file.columns.values()}
    for column in file.every if file.has_header else ():
        own = words_of(column.name)
        if column.number not in taken and not column.is_list and {*words} & {*own} and not {*_NO_MONEY} & {*own}:
            return column
    return None


def _sessions(test: ClassifiedFile, data: Mapping[str, ClassifiedFile], lists: Sequence[ClassifiedFile]) -> list[Proposal]:
    """Propose users of two columns if every file has sessions of users or steps of sessions, else the last row of each session.

    If sessions are the users, the people behind them are clusters.
    """
    user = test.columns["user"]
    if not test.has_header:
        return []
    is_session = bool({*_SESSION_WORDS} & {*words_of(user.name)})
    part = _shared_column(_STEP_WORDS if is_session else _SESSION_WORDS, [test, *lists, *([data["train"]] if "train" in data else [])])
    found = []
    if part is not None:
        columns = f"columns: {{user: [{_quoted(user.name)}, {_quoted(part)}]}}"
        removed = "" if "user" in user.usual_roles else "; remove user from the columns of each file"
        found.append(Proposal("data", columns, f"one list for each {part} instead of each {user.name}{removed}"))
    elif is_session:
        found.append(Proposal("data.test", "target: last", "next item: only the last row of each session is relevant"))
    person = _person(test) if is_session else None
    if person is not None and "users" not in data and part is None:
        cluster = f"cluster: {_quoted(f'users.{person}')}"
        found.append(Proposal("compare", cluster, f"sessions of one {person} are not independent; needs data.users"))
    return found


def _shared_column(words: Sequence[str], files: Sequence[ClassifiedFile]) -> str | None:
    """Return the first column of the first file, without a role, whose name has one of these words and is in every file."""
    named = [column.name for column in _unused(files[0]) if {*words} & {*words_of(column.name)} and column.n_distinct > 1]
    every = [{column.name for column in file.every} for file in files]
    return next((name for name in named if all(name in names for names in every)), None)


def _unused(file: ClassifiedFile) -> list[ColumnSummary]:
    taken = {column.number for column in file.columns.values()}
    return [column for column in file.every if column.number not in taken and not column.is_list]


def _person(test: ClassifiedFile) -> str | None:
    """Return the column of the users behind the sessions of a test set: its usual name is that of a user, and its values repeat."""
    user = test.columns["user"]
    likely = [column for column in _unused(test) if "user" in column.usual_roles and column.n_distinct < user.n_distinct]
    return likely[0].name if likely else None
