"""Metrics × cut-offs → one value per (user, metric, k); one grouping per table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import narwhals as nw

from .frames import Frame
from .metrics import Definition, Many, Measure, Ratio, Reduction, Reductions, Table, View, plain
from .metrics.measure import ONE, added
from .metrics.side import Params


class Whole(NamedTuple):
    """A value of a whole model: the parameters that tell it from others of its measure, and over how many users it is."""

    params: Params
    value: float | None
    n_users: int


@dataclass(frozen=True)
class Rows:
    """A table with rows per user, and the column of `users` that finds a user's rows in it (`user`, or the `twin`).

    A `streamed` table is large: its sums are taken in whatever order the engine likes, as exact sums of integers. In a `weighted`
    one each row counts `weight`, the probability of its place; the maximum over the hits is then that of the first one.
    """

    frame: Frame
    key: str = "user"
    streamed: bool = False
    weighted: bool = False


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
        self.of_models: dict[int, nw.Expr | Many] = {}
        self.counted: dict[int, nw.Expr] = {}
        for index, definition in enumerate(definitions):
            value = self._define(definition, views, index)
            if definition.metric.system:
                assert not isinstance(value, Ratio)
                self.of_models[index] = value
                self.counted[index] = self.asked.total(index, ONE)
                self.values[f"v{index}"] = ONE
                continue
            assert not isinstance(value, Mapping)
            if index in pooled and definition.is_pooled:
                ratios = [self._define(part, views, index) for part in definition.of] if definition.of else [value]
                for place, ratio in enumerate(ratios):
                    assert isinstance(ratio, Ratio)
                    self.values |= {f"n{index}_{place}": ratio.numerator, f"d{index}_{place}": ratio.denominator}
            defined = self._is_defined(definition, value, views(definition))
            if defined is not None:
                self.with_hits[index] = defined > 0
            own = plain(value)
            if definition.counted.missing_lists == "undefined":
                own = nw.when(nw.col(views(definition).n_recommended) > 0).then(own).otherwise(nw.lit(float("nan")))
            self.values[f"v{index}"] = _rounded(own, str(definition.axes["float_type"]))

    def _define(self, definition: Definition, views: Callable[[Definition], View], index: int) -> nw.Expr | Ratio | Many:
        of = tuple(plain(self._define(part, views, index)) for part in definition.of)
        return definition.metric.define(Measure(definition.k, definition.params, self.asked, of, views(definition), index))

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
        settle: Callable[[Frame], Frame],
    ) -> Frame:
        """The value of every measure for every user of `users`; users without rows in a table read 0 from it.

        `kept` are further columns to keep; `counts` says of a measure which users count: the others have no value. `settle`
        computes a frame now.
        """
        filled: dict[str, nw.Expr] = {}
        frame = users
        for name in sorted(self.tables):
            columns = {reduction: column for reduction, column in self.asked.columns.items() if reduction.table == name}
            frame = _reduce(frame, rows[name], columns, filled, settle)
        values = []
        for name, value in self.values.items():
            index = int(name[1:].partition("_")[0])
            counted = counts.get(index)
            if index in self.with_hits:
                counted = self.with_hits[index] if counted is None else counted & self.with_hits[index]
            values.append((value if counted is None else nw.when(counted).then(value)).alias(name))
        for number, ((index, _), value) in enumerate(self.asked.totals.items()):
            counted = counts.get(index)
            values.append((value if counted is None else nw.when(counted).then(value)).cast(nw.Float64).alias(f"t{number}"))
        frame = frame.with_columns(**filled) if filled else frame
        return frame.select("user", *(column.alias(name) for name, column in kept.items()), *values)

    def wholes(
        self, per_user: nw.DataFrame[Any], rows: Mapping[str, Rows], collect: Callable[[Frame], nw.DataFrame[Any]]
    ) -> dict[int, tuple[Whole, ...]]:
        """Of every measure of whole models its values: the parameters that tell them apart, the value, and how many users count."""
        if not self.of_models:
            return {}
        sums = {f"t{number}": _number(per_user[f"t{number}"].sum()) for number in range(len(self.asked.totals))}
        for table in {table for table, _ in self.asked.sums}:
            of_table = [(name, row) for (where, _), (name, row) in self.asked.sums.items() if where == table]
            terms = rows[table].frame.with_columns(row.cast(nw.Float64).alias(name) for name, row in of_table)
            found = collect(terms.select(nw.col(name).sum() for name, _ in of_table))
            sums |= {name: _number(found[name].item()) for name, _ in of_table}
        row = per_user.select(nw.len()).with_columns(nw.lit(value).alias(name) for name, value in sums.items())
        values: dict[int, tuple[Whole, ...]] = {}
        for index, value in self.of_models.items():
            parts = value if isinstance(value, Mapping) else {(): value}
            n = int(_number(row.select(n=self.counted[index])["n"].item()))
            shown = (
                row.select(part.cast(nw.Float64).alias(f"p{place}") for place, part in enumerate(parts.values())).rows()[0] if parts else ()
            )
            values[index] = tuple(Whole(given, single, n) for given, single in zip(parts, shown, strict=True))
        return values


_MANY_CUTOFFS: Final = 16
_COARSE, _FINE = 2.0**16, 2.0**52

_REDUCE: Final[dict[str, Callable[[str], nw.Expr]]] = {
    "sum": lambda row: nw.col(row).sum(),
    "tally": lambda row: nw.col(row).sum(),
    "max": lambda row: nw.col(row).max(),
    "count": lambda _: nw.len().cast(nw.Float64),
}


def _reduce(
    users: Frame, source: Rows, columns: Mapping[Reduction, str], filled: dict[str, nw.Expr], settle: Callable[[Frame], Frame]
) -> Frame:
    """Join to `users` what each row expression gives between one cut-off and the next, and say in `filled` how it adds up.

    Each row is reduced once, in the bucket of the smallest cut-off that holds it; a value at k is what the buckets up to k
    add up to. Users without rows in a bucket read 0 from it.
    """
    key, rows = source.key, source.frame
    if source.weighted:
        columns = _as_sums(columns)
    rows_of = {reduction.key: reduction for reduction in columns if reduction.row is not None}
    names = {key: f"row{index}" for index, key in enumerate(rows_of)}
    table = next(iter(columns)).table
    place = "place" if "place" in rows.collect_schema().names() else "rank"
    cutoffs = sorted({reduction.k for reduction in columns if reduction.k is not None})
    ends: list[int | None] = [*cutoffs, None] if any(reduction.k is None for reduction in columns) else [*cutoffs]
    reduce = _REDUCE
    if source.streamed:
        computed = settle(_gathered(rows, place, ends, rows_of.values()))
        place, reduce = "rank", {**_REDUCE, "count": lambda _: nw.col("rows").sum()}
    else:
        computed = rows.with_columns(
            reduction.row.cast(nw.Float64).alias(f"row{index}")
            for index, reduction in enumerate(rows_of.values())
            if reduction.row is not None
        )
    if len(ends) > _MANY_CUTOFFS:
        joined = _conditional(computed, place, columns, names, filled, source.streamed).rename({"user": f"user_{table}"})
        return users.join(joined, left_on=key, right_on=f"user_{table}", how="left")
    wanted = dict.fromkeys((reduction.reduce, names.get(reduction.key, "")) for reduction in columns)
    # Few users have an ideal of their own: their buckets are put together first, and joined to all users once.
    base = users if key == "user" else rows.select("user").unique("user")
    start = 0
    for bucket, end in enumerate(ends):
        within = nw.col(place) > start if end is None else (nw.col(place) > start) & (nw.col(place) <= end)
        parts = [reduce[how](row).alias(f"{table}_{how}_{row}_{bucket}") for how, row in wanted]
        base = base.join(computed.filter(within).group_by("user").agg(*parts), on="user", how="left")
        start = end or start
    for reduction, column in columns.items():
        upto = ends.index(reduction.k) + 1
        prefix = f"{table}_{reduction.reduce}_{names.get(reduction.key, '')}"
        values = [nw.col(f"{prefix}_{bucket}") for bucket in range(upto)]
        together = nw.max_horizontal if reduction.reduce == "max" else added
        filled[column] = (values[0] if upto == 1 else together(*values)).fill_null(0.0)
    return base if key == "user" else users.join(base.rename({"user": f"user_{table}"}), left_on=key, right_on=f"user_{table}", how="left")


def _as_sums(columns: Mapping[Reduction, str]) -> dict[Reduction, str]:
    """The reductions of a weighted table: every one is a sum of what its rows add, times their weights."""
    weight = nw.col("weight")
    found = {}
    for reduction, column in columns.items():
        row = ONE if reduction.row is None else reduction.row
        if reduction.reduce == "max":
            row = nw.when(nw.col("found") == 1).then(row).otherwise(nw.lit(0.0))
        key = f"{reduction.reduce} {reduction.key}"
        found[replace(reduction, reduce="sum", row=row.cast(nw.Float64) * weight, key=key)] = column
    return found


def _bucket(place: nw.Expr, cutoffs: Sequence[int], last: int) -> nw.Expr:
    """The smallest cut-off that holds a place, or `last`: found by halving, so that a thousand cut-offs are ten questions deep."""
    if not cutoffs:
        return nw.lit(last)
    if len(cutoffs) == 1:
        return nw.when(place <= cutoffs[0]).then(nw.lit(cutoffs[0])).otherwise(nw.lit(last))
    half = len(cutoffs) // 2
    lower = _bucket(place, cutoffs[: half - 1], cutoffs[half - 1])
    return nw.when(place <= cutoffs[half - 1]).then(lower).otherwise(_bucket(place, cutoffs[half:], last))


def _gathered(rows: Frame, place: str, ends: Sequence[int | None], reductions: Iterable[Reduction]) -> Frame:
    """`rows` reduced to one row per user and bucket, whose `rank` is the end of the bucket.

    A sum of floats depends on the order of its terms, and an engine that streams has none. So each term is split into
    multiples of 2^-16 and what is left in multiples of 2^-52, which add up exactly as integers.
    """
    cutoffs = [end for end in ends if end is not None]
    bucket = _bucket(nw.col(place), cutoffs, max(cutoffs, default=0) + 1)
    terms: dict[str, nw.Expr] = {}
    sums = [nw.len().cast(nw.Float64).alias("rows")]
    restored: dict[str, nw.Expr] = {}
    for index, reduction in enumerate(reductions):
        name, row = f"row{index}", reduction.row
        assert row is not None
        if reduction.reduce == "sum":
            coarse = (row.cast(nw.Float64) * _COARSE).round(0)
            terms |= {f"{name}_a": coarse.cast(nw.Int64), f"{name}_b": ((row - coarse / _COARSE) * _FINE).round(0).cast(nw.Int64)}
            sums += [nw.col(f"{name}_a").sum(), nw.col(f"{name}_b").sum()]
            restored[name] = nw.col(f"{name}_a").cast(nw.Float64) / _COARSE + nw.col(f"{name}_b").cast(nw.Float64) / _FINE
        else:
            terms[name] = row.cast(nw.Float64 if reduction.reduce == "max" else nw.Int64)
            sums.append(nw.col(name).max() if reduction.reduce == "max" else nw.col(name).sum())
            restored[name] = nw.col(name).cast(nw.Float64)
    keyed = rows.select("user", bucket.cast(nw.Int64).alias("rank"), **terms)
    return keyed.group_by("user", "rank").agg(*sums).select("user", "rank", "rows", **restored)


def _conditional(
    computed: Frame, place: str, columns: Mapping[Reduction, str], names: Mapping[str, str], filled: dict[str, nw.Expr], gathered: bool
) -> Frame:
    """The same values in one grouping with a condition per cut-off: slower for a few, but it grows evenly with their number."""
    parts = []
    for reduction, column in columns.items():
        row = nw.col("one") if reduction.reduce == "count" else nw.col(names[reduction.key])
        within = row if reduction.k is None else nw.when(nw.col(place) <= reduction.k).then(row).otherwise(nw.lit(0.0))
        parts.append((within.max() if reduction.reduce == "max" else within.sum()).alias(f"at_{column}"))
        filled[column] = nw.col(f"at_{column}").fill_null(0.0)
    one = nw.col("rows") if gathered else nw.col("rank") * 0.0 + 1.0
    return computed.with_columns(one=one).group_by("user").agg(*parts)


def _rounded(value: nw.Expr, float_type: str) -> nw.Expr:
    if float_type == "decimals5":
        return value.round(5)
    return value.cast(nw.Float32).cast(nw.Float64) if float_type == "float32" else value


def _number(value: Any) -> float:
    return 0.0 if value is None else float(value)
