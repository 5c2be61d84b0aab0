"""Metrics × cut-offs → one value per (user, metric, k); one grouping per table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import narwhals as nw

from . import tables
from .conventions import Convention
from .metrics import Measure, Ratio, Reduction, Reductions, find, parameters, parts
from .naming import MetricSpec
from .tables import Frame


class Scoring:
    """The expressions of all measures over one table of per-user reductions.

    Column `v<i>` holds the value of the i-th measure; where it is a ratio, `n<i>` and `d<i>` hold its parts, which pooled
    averages need. Short names are used because printed ones (`F1(beta=0.5)@10`) are no column names on every engine.
    """

    def __init__(self, specs: Sequence[MetricSpec], convention: Convention, pooled: frozenset[int] = frozenset()) -> None:
        self.asked = Reductions()
        self.convention = convention
        self.values: list[nw.Expr] = []
        for index, spec in enumerate(specs):
            value = self._define(spec)
            if isinstance(value, Ratio) and index in pooled:
                self.values += [value.numerator.alias(f"n{index}"), value.denominator.alias(f"d{index}")]
            self.values.append(_plain(value).alias(f"v{index}"))

    def _define(self, spec: MetricSpec) -> nw.Expr | Ratio:
        k = spec.k if isinstance(spec.k, int) else None
        of = tuple(_plain(self._define(part)) for part in parts(spec))
        return find(spec.name).define(Measure(k, parameters(spec, self.convention), self.asked, of))

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the measures read beside `users`."""
        return frozenset(reduction.table for reduction in self.asked.columns)

    @property
    def user_columns(self) -> frozenset[str]:
        """The columns of `users` that the measures read beside `n_relevant`."""
        return frozenset(self.asked.user_columns)

    def per_user(self, users: Frame, rows: Mapping[str, Frame]) -> Frame:
        """The value of every measure for every user of `users`; users without rows in a table read 0 from it."""
        frame = tables.check(users, "users")
        filled: dict[str, nw.Expr] = {}
        for name, key in (("hits", "user"), ("ideal", "twin"), ("outside", "user")):
            columns = {reduction: column for reduction, column in self.asked.columns.items() if reduction.table == name}
            if columns:
                frame = _reduce(frame, key, tables.check(rows[name], name), columns, filled)
        reduced = frame.with_columns(**filled)
        counts = [column for column in ("n_relevant", "n_recommended") if column in reduced.collect_schema().names()]
        return reduced.select("user", *counts, *self.values)


def _plain(value: nw.Expr | Ratio) -> nw.Expr:
    return value.value() if isinstance(value, Ratio) else value


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
    cutoffs = sorted({reduction.k for reduction in columns if reduction.k is not None})
    ends: list[int | None] = [*cutoffs, None] if any(reduction.k is None for reduction in columns) else [*cutoffs]
    if len(ends) > _MANY_CUTOFFS:
        return users.join(_conditional(computed, columns, names, filled), left_on=key, right_on="user", how="left")
    wanted = dict.fromkeys((reduction.reduce, names.get(reduction.key, "")) for reduction in columns)
    # Few users have an ideal of their own: their buckets are put together first, and joined to all users once.
    base = users if key == "user" else rows.select("user").unique("user")
    start = 0
    for place, end in enumerate(ends):
        within = nw.col("rank") > start if end is None else (nw.col("rank") > start) & (nw.col("rank") <= end)
        parts = [_REDUCE[reduce](row).alias(f"{table}_{reduce}_{row}_{place}") for reduce, row in wanted]
        base = base.join(computed.filter(within).group_by("user").agg(*parts), on="user", how="left")
        start = end or start
    for reduction, column in columns.items():
        upto = ends.index(reduction.k) + 1
        prefix = f"{table}_{reduction.reduce}_{names.get(reduction.key, '')}"
        values = [nw.col(f"{prefix}_{place}") for place in range(upto)]
        together = nw.max_horizontal if reduction.reduce == "max" else nw.sum_horizontal
        filled[column] = (values[0] if upto == 1 else together(*values)).fill_null(0.0)
    return base if key == "user" else users.join(base, left_on=key, right_on="user", how="left")


def _conditional(computed: Frame, columns: Mapping[Reduction, str], names: Mapping[str, str], filled: dict[str, nw.Expr]) -> Frame:
    """The same values in one grouping with a condition per cut-off: slower for a few, but it grows evenly with their number."""
    parts = []
    for reduction, column in columns.items():
        row = nw.col("one") if reduction.reduce == "count" else nw.col(names[reduction.key])
        within = row if reduction.k is None else nw.when(nw.col("rank") <= reduction.k).then(row).otherwise(nw.lit(0.0))
        parts.append((within.max() if reduction.reduce == "max" else within.sum()).alias(f"at_{column}"))
        filled[column] = nw.col(f"at_{column}").fill_null(0.0)
    return computed.with_columns(one=nw.col("rank") * 0.0 + 1.0).group_by("user").agg(*parts)
