"""What definitions ask for: reductions of the rows of tables, tables and columns made on demand. What is asked twice is made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import narwhals as nw

from .side import Params, Side


@dataclass(frozen=True)
class View:
    """The names under which a definition finds its tables and its columns of `users`.

    A run may hold several hits tables, one for each way in which lists are ordered and relevance is decided; a view says
    which of them a definition reads.
    """

    hits: str = "hits"
    rated: str = "rated"
    ideal: str = "ideal"
    retrieved: str = "retrieved"
    outside: str = "outside"
    n_relevant: str = "n_relevant"
    n_recommended: str = "n_recommended"
    n_candidates: str = "n_candidates"
    n_train: str = "n_train"
    n_items: str = "n_items"
    dropped: str = ""
    """Rows that a list holds but that do not count, where it is cut before they are taken out."""
    offset: float = 1.0
    """t of the gain 2^(g-t+1) - 1: the threshold of relevance, or 1 where every grade is 1."""
    lists: str = "0"
    """Which reading of the lists it is: part of the names of tables that depend on nothing else."""
    truth: str = "0"
    """Which truth it is."""
    counts: tuple[tuple[str, ...], ...] = ()
    """Who counts: of each group of columns of `users` one must be above 0."""
    side: Side = field(default_factory=Side)
    kept: tuple[str, str] = ("best", "none")
    """Which test row of a pair counts, and which test rows are left out."""
    level: float = 0.0
    """The threshold of relevance, whether it applies or not; 0 if there is none."""


@dataclass(frozen=True)
class Reduction:
    """One column of per-user values: `row`, reduced over the rows of `table` with rank ≤ k (`None`: all rows).

    A count has no row; `key` stands for the row where two reductions are compared. `label` says what a row adds, and `parts`
    what that is made of, to people.
    """

    table: str
    reduce: Literal["sum", "max", "count", "tally"]
    row: nw.Expr | None = field(compare=False)
    key: str
    k: int | None
    label: str = field(default="", compare=False)
    parts: Mapping[str, nw.Expr] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Request:
    """A table, or a column of items or users, that is made when a definition asks for it: what it is, and of which view."""

    kind: str
    params: Params
    view: View = field(compare=False)
    of: str
    """The part of the view that it depends on."""


class Reductions:
    """Collects what the definitions ask for; what is asked for twice is made once."""

    def __init__(self) -> None:
        self.columns: dict[Reduction, str] = {}
        self.user_columns: set[str] = set()
        self.tables: dict[Request, str] = {}
        self.of_items: dict[Request, str] = {}
        self.of_users: dict[Request, str] = {}
        self.totals: dict[tuple[int, str], nw.Expr] = {}
        self.sums: dict[tuple[str, str], tuple[str, nw.Expr]] = {}

    def column(self, reduction: Reduction) -> nw.Expr:
        """The expression that reads `reduction` from the table of per-user values."""
        return nw.col(self.columns.setdefault(reduction, f"c{len(self.columns)}"))

    def total(self, definition: int, value: nw.Expr) -> nw.Expr:
        """The expression that reads the sum of `value` over the users who count for a definition."""
        self.totals.setdefault((definition, repr(value)), value)
        return nw.col(f"t{list(self.totals).index((definition, repr(value)))}")

    def summed(self, table: str, row: nw.Expr) -> nw.Expr:
        """The expression that reads the sum of `row` over all rows of a table."""
        name, _ = self.sums.setdefault((table, repr(row)), (f"s{len(self.sums)}", row))
        return nw.col(name)


@dataclass(frozen=True)
class Table:
    """A table with rows per user, as a definition sees it."""

    name: str
    k: int | None
    asked: Reductions

    def sum(self, row: nw.Expr, label: str = "term", **parts: nw.Expr) -> nw.Expr:
        """Σ `row` over the user's rows with rank ≤ k; 0 without any."""
        return self.asked.column(Reduction(self.name, "sum", row, repr(row), self.k, label, parts))

    def max(self, row: nw.Expr, label: str = "term", **parts: nw.Expr) -> nw.Expr:
        """The largest `row` (which must be ≥ 0) over the user's rows with rank ≤ k; 0 without any."""
        return self.asked.column(Reduction(self.name, "max", row, repr(row), self.k, label, parts))

    def tally(self, condition: nw.Expr, label: str = "counts") -> nw.Expr:
        """The number of the user's rows with rank ≤ k for which a condition holds; null is no."""
        row = nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))
        return self.asked.column(Reduction(self.name, "tally", row, repr(row), self.k, label))

    def whole_sum(self, row: nw.Expr, label: str = "term") -> nw.Expr:
        """Σ `row` over the user's rows, whatever their rank."""
        return self.asked.column(Reduction(self.name, "sum", row, repr(row), None, label))

    def whole_tally(self, condition: nw.Expr, label: str = "counts") -> nw.Expr:
        """The number of the user's rows for which a condition holds, whatever their rank."""
        row = nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))
        return self.asked.column(Reduction(self.name, "tally", row, repr(row), None, label))

    def whole_count(self) -> nw.Expr:
        """The number of the user's rows, whatever their rank."""
        return self.asked.column(Reduction(self.name, "count", None, "count", None, "all"))

    def count(self) -> nw.Expr:
        """The number of the user's rows with rank ≤ k."""
        return self.asked.column(Reduction(self.name, "count", None, "count", self.k, "hit"))


@dataclass(frozen=True)
class Whole:
    """A table of items, or of whatever else belongs to no user, as the definition of a value of the whole model sees it."""

    name: str
    asked: Reductions

    def sum(self, row: nw.Expr) -> nw.Expr:
        """Σ `row` over all rows; 0 without any."""
        return self.asked.summed(self.name, row)
