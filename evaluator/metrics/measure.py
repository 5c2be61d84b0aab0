"""What a definition is written in: sums and maxima over a user's rows, the user's counts, and its axes.

A metric's body is its formula. `m.hits.sum(row)` stands for "the sum of `row` over the user's hits with rank ≤ k"; the
cut-off, the grouping, the fill with 0 for users without hits and the mean over users live in `score` and `aggregate`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import narwhals as nw

from ..naming import Scalar

RANK: Final = nw.col("rank")
FOUND: Final = nw.col("found")
GAIN: Final = nw.col("gain")
ONE: Final = nw.lit(1.0)
ZERO: Final = nw.lit(0.0)
N_RELEVANT: Final = nw.col("n_relevant")


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


@dataclass(frozen=True)
class Reduction:
    """One column of per-user values: `row`, reduced over the rows of `table` with rank ≤ k (`None`: all rows).

    A count has no row; `key` stands for the row where two reductions are compared. `label` says what a row adds, and `parts`
    what that is made of, to people.
    """

    table: str
    reduce: Literal["sum", "max", "count"]
    row: nw.Expr | None = field(compare=False)
    key: str
    k: int | None
    label: str = field(default="", compare=False)
    parts: Mapping[str, nw.Expr] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Ratio:
    """A per-user value `numerator / denominator` (0 where the denominator is 0) that can also be pooled over users."""

    numerator: nw.Expr
    denominator: nw.Expr

    def value(self) -> nw.Expr:
        """The per-user value."""
        return divide(self.numerator, self.denominator)


class Reductions:
    """Collects the reductions that the definitions ask for; equal ones share a column."""

    def __init__(self) -> None:
        self.columns: dict[Reduction, str] = {}
        self.user_columns: set[str] = set()

    def column(self, reduction: Reduction) -> nw.Expr:
        """The expression that reads `reduction` from the table of per-user values."""
        return nw.col(self.columns.setdefault(reduction, f"c{len(self.columns)}"))


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

    def count(self) -> nw.Expr:
        """The number of the user's rows with rank ≤ k."""
        return self.asked.column(Reduction(self.name, "count", None, "count", self.k, "hit"))


@dataclass(frozen=True)
class Measure:
    """The material of one definition at one cut-off: tables, the user's counts, parameters, and metrics it combines."""

    k: int | None
    params: Mapping[str, Scalar]
    asked: Reductions
    of: tuple[nw.Expr, ...] = ()
    view: View = View()

    @property
    def hits(self) -> Table:
        """The recommended items that are relevant: `rank`, `gain`, `found`, `n_relevant`."""
        return Table(self.view.hits, self.k, self.asked)

    @property
    def rated(self) -> Table:
        """The recommended items that the user's test rows hold, relevant or not: `rank`."""
        return Table(self.view.rated, self.k, self.asked)

    @property
    def ideal(self) -> Table:
        """The relevant items in the best order: `rank`, `gain`."""
        return Table(self.view.ideal, self.k, self.asked)

    @property
    def retrieved(self) -> Table:
        """The hits in the best order: `rank`, `gain`."""
        return Table(self.view.retrieved, self.k, self.asked)

    @property
    def n_relevant(self) -> nw.Expr:
        """R: the number of relevant items of the user."""
        return self._of_user(self.view.n_relevant)

    @property
    def n_listed(self) -> nw.Expr:
        """The length of the user's list, cut at k."""
        length = self.at_most_k(self._of_user(self.view.n_recommended))
        return length - Table(self.view.dropped, self.k, self.asked).count() if self.view.dropped else length

    @property
    def n_negatives(self) -> nw.Expr:
        """The candidates of the user that are not relevant, and what else the first k items hold that is not relevant."""
        return self._of_user(self.view.n_candidates) + Table(self.view.outside, self.k, self.asked).count()

    @property
    def n_unseen(self) -> nw.Expr:
        """The number of items of data.train, less the user's own."""
        return self._of_user(self.view.n_train)

    @property
    def n_items(self) -> nw.Expr:
        """N: the number of items of the catalogue."""
        return self._of_user(self.view.n_items)

    @property
    def depth(self) -> nw.Expr:
        """k, or the length of the list where there is no cut-off."""
        return self.n_listed if self.k is None else nw.lit(float(self.k))

    def at_most_k(self, count: nw.Expr) -> nw.Expr:
        """min(`count`, k)."""
        return count if self.k is None else nw.min_horizontal(count, nw.lit(self.k))

    def chosen(self, parameter: str, **choices: nw.Expr) -> nw.Expr:
        """The expression that stands for the value of `parameter`."""
        return choices[str(self.params[parameter])]

    def _of_user(self, column: str) -> nw.Expr:
        self.asked.user_columns.add(column)
        return nw.col(column)


def plain(value: nw.Expr | Ratio) -> nw.Expr:
    """The per-user value of a definition."""
    return value.value() if isinstance(value, Ratio) else value


def divide(numerator: nw.Expr, denominator: nw.Expr) -> nw.Expr:
    """`numerator / denominator`, and 0 where the denominator is 0."""
    return nw.when(denominator > 0).then(numerator / denominator).otherwise(ZERO)


_SHIFT: Final = 12
_EULER: Final = 0.577215664901532860606512090082


def harmonic(n: nw.Expr) -> nw.Expr:
    """H_n = Σ_{i≤n} 1/i, exact to 1e-14: the asymptotic series at n + 12, less its twelve last terms.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.18.
    """
    x = n + float(_SHIFT)
    series = x.log(base=math.e) + _EULER + 0.5 / x
    for place, coefficient in enumerate((-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132), 1):
        series = series + coefficient / x ** (2 * place)
    for term in range(1, _SHIFT + 1):
        series = series - 1.0 / (n + float(term))
    return series
