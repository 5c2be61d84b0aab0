"""Input of the body of a metric: tables of a part, counts of its users, parameters, and the values of combined metrics.

Per-user values are arrays of cut-offs × users, so that a body runs once for all cut-offs. Sums over users and over items are columns, one
row for each cut-off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import TABLES, Choice, Tables
from ..tables.prepared import Group, Prepared
from ..tables.rows import Cutoffs, Rows
from .arrays import NO_VALUE, quotient
from .table_views import CutTable, ItemTable, Trace


class Ratio(Struct, frozen=True):
    """A per-user value `numerator / denominator` that can also be pooled over users.

    `empty` is the value where the denominator is 0, or that of each user; with `None` or NaN such a user has none.
    """

    numerator: Any
    denominator: Any
    empty: Any = 0.0

    def value(self) -> Array:
        """Return the per-user value."""
        return quotient(self.numerator, self.denominator, NO_VALUE if self.empty is None else self.empty)


class Sums(Protocol):
    """Sums over all parts, for values per model: the first run of a body collects them, the last run reads them."""

    def total(self, values: Array, counts: Array) -> Array:
        """Return Σ `values` (cut-offs × users) over the users who count, as a column; while parts are measured, a column of ones."""
        ...

    def item_columns(self, measure: Measure, name: str, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
        """Return the columns of a table of items over all parts, in the order of the items; while parts are measured, empty columns."""
        ...


class BodySettings(Struct, frozen=True):
    """Settings that few bodies read.

    `offset` is t of the gain 2^(g-t+1) - 1, `level` the threshold of relevance, even if it does not apply (0 without one);
    `truth_duplicates` is the axis with this name; with `single_precision` scores are compared in single precision.
    """

    offset: float = 1.0
    level: float = 0.0
    single_precision: bool = False
    truth_duplicates: str = "best"


class Measure(Struct, frozen=True, eq=False):
    """The input of one metric under one choice of lists, truth and users; `counted_mask` marks the users who count."""

    cutoffs: Cutoffs
    params: Mapping[str, Scalar]
    tables: Tables
    choice: Choice
    prepared: Prepared
    n_users: int
    counted_mask: Array
    sums: Sums
    population: Any = None
    """A key for the users who count and their data: measures with the same key can share a table of items."""
    components: tuple[Array, ...] = ()
    settings: BodySettings = BodySettings()
    settings_read: set[str] = field(default_factory=set)
    """Names of the settings that the body has read: its result depends on no others."""
    trace: Trace | None = None
    declared: frozenset[str] = frozenset()
    """Tables that the metric declares in `uses`, and the tables that these use."""

    @property
    def k(self) -> Array | None:
        """Cut-offs as a column; `None` is the whole list."""
        return None if self.cutoffs is None else np.asarray(self.cutoffs)[:, None]

    @property
    def cutoff(self) -> int | None:
        """Cut-off of a metric whose body runs for one cut-off at a time."""
        if self.cutoffs is None:
            return None
        (k,) = self.cutoffs
        return k

    @property
    def deepest(self) -> int:
        """Largest cut-off, 0 for the whole list: for tables that are not needed below it."""
        return 0 if self.cutoffs is None else self.cutoffs[-1]

    @property
    def offset(self) -> float:
        """The t of the gain 2^(g-t+1) - 1."""
        return float(self._setting("offset"))

    @property
    def level(self) -> float:
        """The threshold of relevance, even if it does not apply; 0 without one."""
        return float(self._setting("level"))

    @property
    def single_precision(self) -> bool:
        """Return whether scores are compared in single precision."""
        return bool(self._setting("single_precision"))

    @property
    def truth_duplicates(self) -> str:
        """The axis with this name."""
        return str(self._setting("truth_duplicates"))

    def _setting(self, name: str) -> Scalar:
        self.settings_read.add(name)
        value: Scalar = getattr(self.settings, name)
        return value

    @property
    def truth_counts_copies(self) -> bool:
        """Return whether a test pair may count as several relevant items."""
        return "row" in self.truth_duplicates

    @property
    def at_hit_ranks(self) -> Measure:
        """The same measure at the ranks down to which hits count: the cut-offs, unless a parameter ends in `eleven_at_10`."""
        if self.cutoffs is None or not has_eleven_ranks(self.params):
            return self
        return replace(self, cutoffs=tuple(map(last_hit_rank, self.cutoffs)))

    def at(self, k: int | None) -> Measure:
        """Return the same measure at one cut-off; `None` is the whole list."""
        return replace(self, cutoffs=None if k is None else (k,))

    @property
    def hits(self) -> CutTable:
        """The recommended items that are relevant: `rank`, `gain`, `found`, `n_relevant`."""
        return self.table("hits")

    @property
    def rated(self) -> CutTable:
        """The recommended items that are in the user's test rows, relevant or not: `rank`."""
        return self.table("rated")

    @property
    def ideal(self) -> CutTable:
        """The relevant items in the best order: `rank`, `gain`."""
        return self.table("ideal")

    @property
    def retrieved(self) -> CutTable:
        """The hits in the best order: `rank`, `gain`."""
        return self.table("retrieved")

    @property
    def listed(self) -> CutTable:
        """Every recommended item: `rank`, and the columns of items."""
        return self.table("listed")

    @property
    def n_relevant(self) -> Array:
        """R: number of relevant items of each user."""
        return self.user("n_relevant")

    @property
    def n_recommended(self) -> Array:
        """Length of each user's list."""
        return self._note("the length of the list", self._get("reading").lengths[None, :])

    @property
    def n_listed(self) -> Array:
        """Length of each user's list, cut at k: the number of its items with a rank of at most k."""
        if self.choice.positions == "among_judged":  # other items are not in the list
            return self._cut("judged_rows", self.tables.get("judged_rows", self.choice)).count()
        reading = self._get("reading")
        if reading.file_rank is not None:
            return self._cut("listed", reading.table()).count()
        length, dropped = self.at_most_k(self.n_recommended), self.tables.get("dropped", self.choice)  # computed from the reading
        return length if dropped is None else length - self._cut("dropped", dropped).count()

    @property
    def last_rank(self) -> Array:
        """Last rank of each user's list: its length, unless ranks have gaps or ties."""
        return self._get("reading").last_rank[None, :] if self._get("reading").file_rank is not None else self.n_listed

    @property
    def n_negatives(self) -> Array:
        """Number of the user's candidates that are not relevant, plus other irrelevant items among the first k of the list."""
        return self.user("n_candidates") + self.table("outside").count()

    @property
    def n_unseen(self) -> Array:
        """Number of items of data.train, minus the user's own."""
        return self.user("n_unseen")

    @property
    def n_items(self) -> float:
        """N: number of items of the catalogue."""
        n_items = self.number("items")
        self._note("N, the items of the catalogue", np.full((1, self.n_users), n_items))
        return n_items

    @property
    def depth(self) -> Array:
        """k, or without a cut-off the length of the list."""
        return self.n_listed if self.k is None else self.k.astype(np.float64)

    def size(self, choice: Scalar) -> Array:
        """Return the divisor of a value by its name in `notation.SIZES`; `min_r_k_eleven_at_10` is `min_r_k`."""
        if choice in ("r", "min_r_length"):
            return self.n_relevant if choice == "r" else np.minimum(self.n_relevant, self.n_listed)
        if choice in ("hits", "rated"):
            return self.table(str(choice)).count()
        if choice == "places" and self._get("reading").file_rank is None:
            return self.at_most_k(self.n_recommended)
        return self.depth if choice == "k" else self.n_listed if choice in ("list_length", "places") else self.at_most_k(self.n_relevant)

    def table(self, name: str, **params: Scalar) -> CutTable:
        """Return a table with rows per user, down to the cut-offs."""
        return self._cut(name, self._get(name, **params))

    def items(self, name: str, **params: Scalar) -> ItemTable:
        """Return a table of items over all users who count, for a value per model."""
        self._refuse_undeclared(name)
        return ItemTable(self.sums.item_columns(self, name, params), self.prepared)

    def user(self, name: str, **params: Scalar) -> Array:
        """Return a number of each user, as a row."""
        title = TABLES[name].title if name in TABLES else ""
        return self._note(title, self._get(name, **params)[None, :])

    def number(self, name: str) -> float:
        """Return a number of the side inputs, such as `train_users`."""
        return self.prepared.number(name)

    def groups(self, column: str) -> tuple[Group, ...]:
        """Return the groups that a column of users or items names."""
        return self.prepared.groups_of(column)

    def total(self, values: Any) -> Array:
        """Return Σ `values` over the users who count, as a column, for a value per model; users without a value add nothing."""
        return self.sums.total(np.atleast_2d(values), self.counted_mask)

    @property
    def n_counted(self) -> Array:
        """Number of users who count, as a column, for a value per model."""
        return self.total(np.ones((1, self.n_users)))

    def at_most_k(self, count: Array) -> Array:
        """Return min(`count`, k)."""
        return count if self.k is None else np.minimum(count, self.k)

    def _cut(self, name: str, rows: Rows) -> CutTable:
        return CutTable(name, rows, self.cutoffs, self.prepared, self.trace)

    def _get(self, name: str, **params: Scalar) -> Any:
        self._refuse_undeclared(name)
        return self.tables.get(name, self.choice, **params)

    def _refuse_undeclared(self, name: str) -> None:
        """Raise `LookupError` for a table outside `declared`: `uses` decides which inputs a run opens."""
        if name not in self.declared:
            raise LookupError(f"the body reads the table {name!r}, which the metric does not declare in `uses`")

    def _note(self, title: str, counts: Array) -> Array:
        """Pass a count of each user to the trace, if there is one; a count without a title is not shown."""
        if self.trace is not None and title:
            self.trace.count(title, counts)
        return counts


def has_eleven_ranks(params: Mapping[str, Scalar]) -> bool:
    """Return whether hits of eleven ranks count at k = 10, as in the script of GDE."""
    return any(isinstance(value, str) and value.endswith("eleven_at_10") for value in params.values())


def last_hit_rank(k: int) -> int:
    """Return the last rank whose hit counts at a cut-off, if eleven ranks count at k = 10."""
    return 11 if k == 10 else k


def plain(value: Any) -> Array:
    """Return the per-user value of a definition."""
    assert not isinstance(value, Mapping), "several values belong to a whole model"
    return value.value() if isinstance(value, Ratio) else np.asarray(value, dtype=np.float64)


def gain_of(kind: str, grade: Array, offset: float) -> Array:
    """Return the gain of relevant items of a `grade`, by the axis `ndcg_gain`; `offset` is t of 2^(g-t+1) - 1.

    Raises `OverflowError` if a gain is too large for a float.
    """
    if kind == "binary":
        return np.ones(len(grade))
    if kind == "linear":
        return grade
    power = grade + {"exp2": 0.0, "exp2_plus1": 1.0, "exp2_offset": 1.0 - offset}[kind]
    with np.errstate(over="ignore"):
        gain: Array = 2.0**power - 1.0
    if not np.isfinite(gain).all():
        raise OverflowError("a gain is too large for a number")
    return gain
