"""Metrics × cut-offs → one value per (user, metric, k); one grouping per table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw

from .metrics import Definition, Measure, Ratio, Reduction, Reductions, Table, View, plain
from .tables import Frame


@dataclass(frozen=True)
class Rows:
    """A table with rows per user, and the column of `users` that finds a user's rows in it (`user`, or the `twin`)."""

    frame: Frame
    key: str = "user"


class Scoring:
    """The expressions of all measures over one table of per-user reductions.

    Column `v<i>` holds the value of the i-th measure; where it is pooled, `n<i>_<j>` and `d<i>_<j>` hold the numerator and
    denominator of its j-th part. Short names are used because printed ones (`F1(beta=0.5)@10`) are no column names on every
    engine. `views` says for every definition, and those it combines, where its tables are.
    """

    def __init__(
        self, definitions: Sequence[Definition], views: Callable[[Definition], View], pooled: frozenset[int] = frozenset()
    ) -> None:
        self.asked = Reductions()
        self.values: dict[str, nw.Expr] = {}
        self.with_hits: dict[int, nw.Expr] = {}
        for index, definition in enumerate(definitions):
            value = self._define(definition, views)
            if index in pooled and definition.is_pooled:
                ratios = [self._define(part, views) for part in definition.of] if definition.of else [value]
                for place, ratio in enumerate(ratios):
                    assert isinstance(ratio, Ratio)
                    self.values |= {f"n{index}_{place}": ratio.numerator, f"d{index}_{place}": ratio.denominator}
            defined = self._is_defined(definition, value, views(definition))
            if defined is not None:
                self.with_hits[index] = defined > 0
            own = plain(value)
            single = definition.axes["float_type"] == "float32"
            self.values[f"v{index}"] = own.cast(nw.Float32).cast(nw.Float64) if single else own

    def _define(self, definition: Definition, views: Callable[[Definition], View]) -> nw.Expr | Ratio:
        of = tuple(plain(self._define(part, views)) for part in definition.of)
        return definition.metric.define(Measure(definition.k, definition.params, self.asked, of, views(definition)))

    def _is_defined(self, definition: Definition, value: nw.Expr | Ratio, view: View) -> nw.Expr | None:
        """What is above 0 for a user who counts where not all without a hit do; `None` where all do."""
        if definition.counted.no_hits == "drop":
            return value.numerator if isinstance(value, Ratio) else Table(view.hits, definition.k, self.asked).count()
        undefined = definition.counted.no_hits == "drop_if_undefined" and isinstance(value, Ratio)
        return value.denominator if undefined and isinstance(value, Ratio) else None

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the measures read beside `users`."""
        return frozenset(reduction.table for reduction in self.asked.columns)

    @property
    def user_columns(self) -> frozenset[str]:
        """The columns of `users` that the measures read."""
        return frozenset(self.asked.user_columns)

    def per_user(
        self,
        users: Frame,
        rows: Mapping[str, Rows],
        kept: Mapping[str, nw.Expr],
        counts: Mapping[int, nw.Expr],
    ) -> Frame:
        """The value of every measure for every user of `users`; users without rows in a table read 0 from it.

        `kept` are further columns to keep; `counts` says of a measure which users count: the others have no value.
        """
        filled: dict[str, nw.Expr] = {}
        frame = users
        for name in sorted(self.tables):
            columns = {reduction: column for reduction, column in self.asked.columns.items() if reduction.table == name}
            frame = _reduce(frame, rows[name].key, rows[name].frame, columns, filled)
        values = []
        for name, value in self.values.items():
            index = int(name[1:].partition("_")[0])
            counted = counts.get(index)
            if index in self.with_hits:
                counted = self.with_hits[index] if counted is None else counted & self.with_hits[index]
            values.append((value if counted is None else nw.when(counted).then(value)).alias(name))
        return frame.with_columns(**filled).select("user", *(column.alias(name) for name, column in kept.items()), *values)


_MANY_CUTOFFS: Final = 16

_REDUCE: Final[dict[str, Callable[[str], nw.Expr]]] = {
    "sum": lambda row: nw.col(row).sum(),
    "max": lambda row: nw.col(row).max(),
    "count": lambda _: nw.len().cast(nw.Float64),
}


def _reduce(users: Frame, key: str, rows: Frame, columns: Mapping[Reduction, str], filled: dict[str, nw.Expr]) -> Frame:
    """Join to `users` what each row expression gives between one cut-off and the next, and say in `filled` how it adds up.

    Each row is reduced once, in the bucket of the smallest cut-off that holds it; a value at k is what the buckets up to k
    add up to. Users without rows in a bucket read 0 from it.
    """
    rows_of = {reduction.key: reduction.row for reduction in columns if reduction.row is not None}
    computed = rows.with_columns(row.cast(nw.Float64).alias(f"row{index}") for index, row in enumerate(rows_of.values()))
    names = {key: f"row{index}" for index, key in enumerate(rows_of)}
    table = next(iter(columns)).table
    place = "place" if "place" in rows.collect_schema().names() else "rank"
    cutoffs = sorted({reduction.k for reduction in columns if reduction.k is not None})
    ends: list[int | None] = [*cutoffs, None] if any(reduction.k is None for reduction in columns) else [*cutoffs]
    if len(ends) > _MANY_CUTOFFS:
        joined = _conditional(computed, place, columns, names, filled).rename({"user": f"user_{table}"})
        return users.join(joined, left_on=key, right_on=f"user_{table}", how="left")
    wanted = dict.fromkeys((reduction.reduce, names.get(reduction.key, "")) for reduction in columns)
    # Few users have an ideal of their own: their buckets are put together first, and joined to all users once.
    base = users if key == "user" else rows.select("user").unique("user")
    start = 0
    for bucket, end in enumerate(ends):
        within = nw.col(place) > start if end is None else (nw.col(place) > start) & (nw.col(place) <= end)
        parts = [_REDUCE[reduce](row).alias(f"{table}_{reduce}_{row}_{bucket}") for reduce, row in wanted]
        base = base.join(computed.filter(within).group_by("user").agg(*parts), on="user", how="left")
        start = end or start
    for reduction, column in columns.items():
        upto = ends.index(reduction.k) + 1
        prefix = f"{table}_{reduction.reduce}_{names.get(reduction.key, '')}"
        values = [nw.col(f"{prefix}_{bucket}") for bucket in range(upto)]
        together = nw.max_horizontal if reduction.reduce == "max" else nw.sum_horizontal
        filled[column] = (values[0] if upto == 1 else together(*values)).fill_null(0.0)
    return base if key == "user" else users.join(base.rename({"user": f"user_{table}"}), left_on=key, right_on=f"user_{table}", how="left")


def _conditional(
    computed: Frame, place: str, columns: Mapping[Reduction, str], names: Mapping[str, str], filled: dict[str, nw.Expr]
) -> Frame:
    """The same values in one grouping with a condition per cut-off: slower for a few, but it grows evenly with their number."""
    parts = []
    for reduction, column in columns.items():
        row = nw.col("one") if reduction.reduce == "count" else nw.col(names[reduction.key])
        within = row if reduction.k is None else nw.when(nw.col(place) <= reduction.k).then(row).otherwise(nw.lit(0.0))
        parts.append((within.max() if reduction.reduce == "max" else within.sum()).alias(f"at_{column}"))
        filled[column] = nw.col(f"at_{column}").fill_null(0.0)
    return computed.with_columns(one=nw.col("rank") * 0.0 + 1.0).group_by("user").agg(*parts)
