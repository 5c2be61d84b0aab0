"""What a definition is written in: sums and maxima over a user's rows, the user's counts, and its axes.

A metric's body is its formula. `m.hits.sum(row)` stands for "the sum of `row` over the user's hits with rank ≤ k"; the
cut-off, the grouping, the fill with 0 for users without hits and the mean over users live in `score` and `aggregate`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

import narwhals as nw

from ..naming import Scalar
from .collected import Reductions, Request, Table, View, Whole
from .side import Group, Params, params

RANK: Final = nw.col("rank")
FOUND: Final = nw.col("found")
GAIN: Final = nw.col("gain")
ONE: Final = nw.lit(1.0)
ZERO: Final = nw.lit(0.0)
N_RELEVANT: Final = nw.col("n_relevant")


@dataclass(frozen=True)
class Ratio:
    """A per-user value `numerator / denominator` that can also be pooled over users.

    `empty` is the value where the denominator is 0; with `None` such a user has none.
    """

    numerator: nw.Expr
    denominator: nw.Expr
    empty: float | None = 0.0

    def value(self) -> nw.Expr:
        """The per-user value."""
        return (defined if self.empty is None else divide)(self.numerator, self.denominator)


@dataclass(frozen=True)
class Measure:
    """The material of one definition at one cut-off: tables, the user's counts, parameters, and metrics it combines."""

    k: int | None
    params: Mapping[str, Scalar]
    asked: Reductions
    of: tuple[nw.Expr, ...] = ()
    view: View = field(default_factory=View)
    place: int = 0
    """Which definition of the run it is."""

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

    def table(self, kind: str, part: str = "lists", **given: Scalar) -> Table:
        """A table that the pipeline makes, depending on the `lists`, the `truth`, `both` or `neither`."""
        return Table(self._asked(self.asked.tables, kind, part, given), self.k, self.asked)

    def whole(self, kind: str, part: str = "counted", **given: Scalar) -> Whole:
        """A table that belongs to no user, of those who count."""
        return Whole(self._asked(self.asked.tables, kind, part, given), self.asked)

    @property
    def listed(self) -> Table:
        """Every recommended item: `item`, `rank`, and the columns of items."""
        return self.table("listed")

    @property
    def exposure(self) -> Whole:
        """The recommended items: `item`, `count` (of the lists whose first k places hold it), and the columns of items."""
        return self.whole("exposure", k=self.k or 0)

    def item(self, kind: str, **given: Scalar) -> nw.Expr:
        """A column of items, in the rows of any table that has items."""
        return nw.col(self._asked(self.asked.of_items, kind, "neither", given))

    def user(self, kind: str, part: str = "neither", **given: Scalar) -> nw.Expr:
        """A column of users."""
        return self._of_user(self._asked(self.asked.of_users, kind, part, given))

    def number(self, name: str) -> float:
        """A number of the side inputs, such as `train_users`."""
        return self.view.side.number(name)

    def groups(self, column: str) -> tuple[Group, ...]:
        """The groups that a column of users or items names."""
        return self.view.side.groups_of(column)

    def total(self, value: nw.Expr) -> nw.Expr:
        """Σ `value` over the users who count: for a value of the whole model. Users without one add nothing."""
        return self.asked.total(self.place, value)

    @property
    def n_users(self) -> nw.Expr:
        """The number of users who count: for a value of the whole model."""
        return self.total(ONE)

    def _asked(self, found: dict[Request, str], kind: str, part: str, given: Mapping[str, Scalar]) -> str:
        counted = f"{self.view.lists} {self.view.counts}"
        parts = {"lists": self.view.lists, "truth": self.view.truth, "both": self.view.hits, "counted": counted, "neither": ""}
        parts["found"] = f"{self.view.hits} {self.view.counts}"
        request = Request(kind, params(given), self.view, parts[part])
        digest = sha256(repr((request.params, request.of)).encode()).hexdigest()[:12]  # the same name in every collection of requests
        return found.setdefault(request, f"{kind}_x{digest}")

    def at_most_k(self, count: nw.Expr) -> nw.Expr:
        """min(`count`, k)."""
        return count if self.k is None else nw.min_horizontal(count, nw.lit(self.k))

    def _of_user(self, column: str) -> nw.Expr:
        self.asked.user_columns.add(column)
        return nw.col(column)


def plain(value: nw.Expr | Ratio | Mapping[Params, nw.Expr]) -> nw.Expr:
    """The per-user value of a definition."""
    assert not isinstance(value, Mapping), "several values belong to a whole model"
    return value.value() if isinstance(value, Ratio) else value


def gain_of(kind: str, offset: float) -> nw.Expr:
    """The gain of a relevant item of grade `gain`, as the axis `ndcg_gain` says; `offset` is t of 2^(g-t+1) - 1."""
    # Float literals throughout: Polars 2.1 shares a cast literal between expressions and then fails on an empty frame.
    gains = {
        "binary": ONE,
        "linear": GAIN,
        "exp2": nw.lit(2.0) ** GAIN - 1.0,
        "exp2_plus1": nw.lit(2.0) ** (GAIN + 1.0) - 1.0,
        "exp2_offset": nw.lit(2.0) ** (GAIN + (1.0 - offset)) - 1.0,
    }
    return gains[kind]


def added(*terms: nw.Expr) -> nw.Expr:
    """Σ `terms`, two by two in their order; a term without a value adds nothing.

    Polars' own horizontal sum adds three columns or more in the order in which threads finish, which shows in the last bit.
    """
    parts = [term.fill_null(0.0) for term in terms] or [ZERO]
    while len(parts) > 1:
        pairs = [one + other for one, other in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(parts) - len(parts) % 2 :]
    return parts[0]


def divide(numerator: nw.Expr, denominator: nw.Expr) -> nw.Expr:
    """`numerator / denominator`, and 0 where the denominator is 0."""
    return nw.when(denominator > 0).then(numerator / denominator).otherwise(ZERO)


def defined(numerator: nw.Expr, denominator: nw.Expr) -> nw.Expr:
    """`numerator / denominator`, and no value where the denominator is 0: such a user, or model, does not count."""
    return nw.when(denominator > 0).then(numerator / denominator)


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
