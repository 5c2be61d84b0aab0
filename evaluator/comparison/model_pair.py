"""Compare the measures of one pair of sides, each by the test that its values allow. Long: a way for each kind of value."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import combinations, pairwise
from math import inf, isfinite
from typing import Final

import numpy as np
import polars as pl
from msgspec.structs import replace
from numpy.typing import NDArray

from ..metrics.registry import bounds_of
from ..results.result import Row, columns_of, select
from ..stats.concluding import users_text
from ..stats.difference import Difference, Subject
from ..stats.estimates import Estimate, RatioTerms, Summary, unpaired_estimate, weighted_estimate
from ..stats.paired import PairedSums
from ..stats.rare_changes import ValueRange
from ..stats.samples import fold_runs_estimate, pooled_with_clusters, runs_estimate
from ..stats.two_models import cut_to_bounds, difference_of, estimate_folds, estimate_paired, whole_estimate
from ..support.errors import ConfigError, DataError, worded
from ..syntax.measure_strings import parse
from ..tables.prepared import CROSS, MISSING, is_of_rows
from .comparison_options import ComparisonOptions, rows_of
from .pairing import Floats, Integers, Pairing, Side, mean_of_runs, padded, padded_folds, unpaired_text

_MEANS: Final = ("mean", "sum", "micro", "weighted", "geometric", "formula")
"""Aggregates that one user can change; medians and percentiles hardly change."""


def value_range(row: Row, sides: Callable[[], Iterable[Floats]]) -> ValueRange | None:
    """Return the bounds of the metric; an infinite end is replaced by the observed extreme on both `sides`, `None` without values.

    `None` also for medians and percentiles.
    """
    if row.aggregate not in _MEANS:
        return None
    bounds = ValueRange(*bounds_of(row.metric))
    if bounds.is_finite:
        return bounds
    known = [side[np.isfinite(side)] for side in sides()]
    observed = [float(end) for side in known if len(side) for end in (side.min(), side.max())]
    if not observed:
        return None
    ends = [end for end in (bounds.least, bounds.largest, *observed) if isfinite(end)]
    return ValueRange(min(ends), max(ends), is_observed=True)


NO_VALUES_IN_GROUPS: Final = "no interval for arithmetic of measures in groups of test rows"


class ModelPair:
    """The differences of one model from another, with `relative` with intervals as share of the base; `labels` are computed together."""

    def __init__(self, base: Side, model: Side, options: ComparisonOptions, relative: bool = True, labels: Iterable[str] = ()) -> None:
        self.base, self.model, self.options, self._relative = base, model, options, relative
        self._labels = tuple(labels)
        self._rows = {side: rows_of(side.result, side.model) for side in (base, model)}
        self._is_drawn = False
        self._unpaired: dict[str, int] = {}
        self._most_paired = 0
        self._group_columns: dict[str, pl.Series] = {}
        self._factor = 1.0

    @property
    def _n_folds(self) -> int:
        return len(self.base.result.folds)

    def row(self, side: Side, label: str) -> Row:
        """Return the row of a measure."""
        return self._rows[side][label]

    def value(self, side: Side, label: str) -> float | None:
        """Return the value of a measure."""
        return self.row(side, label).value

    @cached_property
    def pairing(self) -> Pairing | None:
        """The paired users of both sides; `None` if a side has no per-user values, or with the option `unpaired`."""
        stored = all(side.model in side.result.per_user for side in (self.base, self.model))
        if not stored or self.options.unpaired:
            return None
        pairing = Pairing.from_sides(self.base, self.model)
        if self.base.result.truths != self.model.result.truths:
            pairing.refuse_other_relevant_items()
        return pairing

    @property
    def has_same_lists(self) -> bool:
        """True if every user has the same list from both, up to the largest cut-off; False also if that is not known."""
        base, model = (side.result.list_hashes.get(side.model) for side in (self.base, self.model))
        if base is not None and model is not None:
            return base == model
        files = _list_files(self.base)
        return files is not None and files == _list_files(self.model)

    def difference(self, label: str, margin: float | None) -> Difference:
        """Return the difference of one measure over all users, not yet judged."""
        values, settings = self.value_range(label), self.options.settings
        return cut_to_bounds(difference_of(self.subject(label), self.estimate(label), settings, margin, values), self._bounds(label))

    def value_range(self, label: str) -> ValueRange | None:
        """Return the range of per-user values; `None` if it is unknown."""
        return value_range(self.row(self.base, label), lambda: self.sides_of(label) or ())

    def subject(self, label: str, by: str | None = None, group: str | None = None) -> Subject:
        """Return the subject of a comparison: a measure over all users, or within a group."""
        row = self.row(self.base, label)
        return Subject(label, self.base.name, self.model.name, row.higher_is_better, row.k, row.aggregate, by, group, self._n_folds)

    def estimate(self, label: str, by: str | None = None, group: str | None = None) -> Estimate:
        """Return the difference of one measure over all users, or over one group, with its standard error if known."""
        base, model = (self._row_within(side, label, by, group) for side in (self.base, self.model))
        if by is not None and self.pairing is not None and self._has_users(label):
            if is_of_rows(by) and self.row(self.base, label).aggregate == "formula":
                values = (None if base is None else base.value, None if model is None else model.value)
                return whole_estimate(values[0], values[1], NO_VALUES_IN_GROUPS, 0 if base is None else base.n_users)
            measure, users = self.members(label, by, group)
            return self._paired(label, self.pairing, users, measure if is_of_rows(by) else None)
        if base is None or model is None:
            return whole_estimate(None, None)
        if base.value is None or model.value is None or not self._has_users(label):
            return whole_estimate(base.value, model.value)
        if self.pairing is not None:
            return self._paired(label, self.pairing, None)
        if base.aggregate in ("mean", "formula") and base.repeats is None and model.repeats is None:
            return unpaired_estimate(*(Summary(row.value or 0.0, row.std, row.n_users) for row in (base, model)))
        return whole_estimate(base.value, model.value)

    def members(self, label: str, by: str | None, group: str | None) -> tuple[str, NDArray[np.bool_]]:
        """Return the column that has the values of a measure within a group, and a mask of the paired users who are in it."""
        assert self.pairing is not None
        measure = self.row(self.base, label).measure
        if by is None:
            return measure, np.ones(len(self.pairing.keys), dtype=np.bool_)
        if is_of_rows(by):
            return self._cell(label, by, group or "", self.pairing)
        return measure, (self._groups_by(by, self.pairing) == group).fill_null(False).to_numpy()

    def drawn(self, rows: Integers, swapped: NDArray[np.bool_], clusters: Integers | None, factors: tuple[Floats, Floats]) -> ModelPair:
        """Return the pair over other users: some of the `rows` of these, some `swapped` between the models, with a factor for each run."""
        assert self.pairing is not None
        pair = copy(self)
        pairing = self.pairing.drawn(rows, swapped, factors)
        vars(pair).update(pairing=pairing, clusters=clusters, _group_columns={}, _read={}, _is_drawn=True, _relative=False)
        return pair

    def _row_within(self, side: Side, label: str, by: str | None, group: str | None) -> Row | None:
        """Return the row of a measure over all users, or over one group; `None` if a side has no row of the group."""
        if by is None:
            return self.row(side, label)
        rows = (row for row in side.result.by_group if (row.model, row.label, row.by, row.group) == (side.model, label, by, group))
        return next(rows, None)

    def ratio_error(self, label: str, estimate: Estimate) -> float | None:
        """Return the standard error of ln(b/a), with the values a of the base and b of the model; `None` if it is not known.

        It is that of b - (b/a)·a, with a fixed ratio, divided by b: for means √((s_b²/b² + s_a²/a² - 2·s_ab/(a·b))/n).
        """
        if self.pairing is None or estimate.se is None or not estimate.base_value or not estimate.value:
            return None
        self._factor = estimate.value / estimate.base_value
        try:
            se = self.estimate(label).se
        finally:
            self._factor = 1.0
        return None if se is None else se / abs(estimate.value)

    def all(self, margins: Mapping[str, float | None]) -> list[Difference]:
        """Return the differences of all measures of `margins`, in its order."""
        made = [self.difference(label, margin) for label, margin in margins.items()]
        self.count_users({difference.subject.measure: (difference.n_users, difference.n_unpaired) for difference in made})
        return made

    def count_users(self, numbers: Mapping[str, tuple[int, int]]) -> None:
        """Record the numbers of paired and unpaired users of each measure, for `refuse_other_users` and `notes`."""
        if self.pairing is not None:
            self._most_paired = max([self._most_paired, *(n for n, _ in numbers.values())])
            self._unpaired |= {label: n_unpaired for label, (_, n_unpaired) in numbers.items() if n_unpaired}

    def by_group(self, label: str, margin: float | None, by: Sequence[str] | None = None) -> Iterator[Difference]:
        """Yield the differences of one measure within groups, by default those of the options; none without per-user values."""
        if self.pairing is None or not self._has_users(label) or self.row(self.base, label).value is None:
            return
        values = self.value_range(label)
        for name in self.options.by if by is None else by:
            for group in self._groups(name, label, self.pairing):
                subject, estimate = self.subject(label, name, group), self.estimate(label, name, group)
                yield cut_to_bounds(difference_of(subject, estimate, self.options.settings, margin, values), self._bounds(label))

    def sides_of(self, label: str) -> tuple[Floats, Floats] | None:
        """Return the per-user values on both sides, means over training runs; `None` if there are none."""
        if self.pairing is None or not self._has_users(label):
            return None
        base, model = (mean_of_runs(rows.values(self.row(self.base, label).measure)) for rows in (self.pairing.base, self.pairing.model))
        return base, model

    def other_users(self, labels: Iterable[str]) -> dict[str, int]:
        """Return, for each of `labels` whose users differ, the number of users who count for only one side; none with option `common`."""
        return {} if self.options.common else {label: self._unpaired[label] for label in labels if label in self._unpaired}

    def refuse_other_users(self, labels: Iterable[str]) -> None:
        """Raise `DataError` if the users of one of `labels` differ (unless with the option `common`), or none counts on both sides."""
        if self._unpaired and not self._most_paired:
            raise DataError(
                f"{self.model.name} cannot be compared with {self.base.name}: no user counts for both",
                f"{worded('--unpaired compares', argument='unpaired=True compares')} means of different users",
            )
        if differing := self.other_users(labels):
            label, n = max(differing.items(), key=lambda item: item[1])
            raise DataError(
                f"{self.model.name} cannot be compared with {self.base.name}: they count different users; "
                f"{label} counts {users_text(n)} for only one of them",
                f"{worded('--users common', argument='common=True')} compares users that count for both; missing_lists=zero counts users "
                "without a list",
            )

    def refuse_no_common_users(self, labels: Iterable[str]) -> None:
        """Raise `DataError` if no user counts on both sides for one of `labels`; one without per-user values is checked by all others."""
        if self.pairing is None:
            return
        of_users = [label for label in self._rows[self.base] if label in self._rows[self.model] and self._has_users(label)]
        for label in labels:
            own = [label] if label in of_users else of_users
            counted = [(np.isfinite(base), np.isfinite(model)) for base, model in filter(None, map(self.sides_of, own))]
            counted = [(base, model) for base, model in counted if base.any() and model.any()]
            if counted and not any((base & model).any() for base, model in counted):
                raise DataError(
                    f"{self.model.name} cannot be compared with {self.base.name}: no user counts for both in {label}",
                    "evaluate both on the same users; missing_lists: zero counts users without a list",
                )

    @property
    def lacking(self) -> list[str]:
        """The sides without per-user values, because of which users are not paired."""
        if self.pairing is not None or self.options.unpaired:
            return []
        return [side.name for side in (self.base, self.model) if side.model not in side.result.per_user]

    def notes(self, labels: Iterable[str], *, with_unpaired: bool = True) -> Iterator[str]:
        """Yield sentences on the pairing of users for these measures; `with_unpaired`: also on sides without per-user values."""
        if most := max((self._unpaired.get(label, 0) for label in labels), default=0):
            yield f"{self.model.name} and {self.base.name} count different users; up to {most:,} that count for only one are left out."
        if self.pairing is not None and self.pairing.folds is not None:
            again = "; a user who is in several folds is one cluster" if self.pairing.repeated_users is not None else ""
            yield f"Differences are means over {int(self.pairing.folds.max(initial=-1)) + 1} folds, and users count in each fold{again}."
        if with_unpaired and (lacking := self.lacking):
            yield unpaired_text(lacking)

    def is_testable(self, label: str) -> bool:
        """Return whether differences of a measure can have a verdict: it has a better direction, and values of users."""
        return self.row(self.base, label).higher_is_better is not None and self._has_users(label)

    def _has_users(self, label: str) -> bool:
        """Return whether the value of a measure is computed from per-user values."""
        row, definition = self.row(self.base, label), self.base.result.definitions[self.row(self.base, label).metric]
        if row.aggregate == "formula":
            return all(self._has_formula(side, row.metric) for side in (self.base, self.model))
        return not definition.of_models and definition.axes.get("f_of") != "means" and row.aggregate != "system"

    def _has_formula(self, side: Side, column: str) -> bool:
        """Return whether users have values of a formula, in every fold and run."""
        users = side.result.per_user
        if side.model not in users or column not in columns_of(users, side.model):
            return False
        names = [name for name in ("fold", "run") if name in columns_of(users, side.model)]
        counted = select(users, side.model, [*names, column]).group_by(names or pl.lit(0)).agg(pl.col(column).count())
        return bool((counted[column] > 0).all())

    def _paired(self, label: str, pairing: Pairing, mask: NDArray[np.bool_] | None, measure: str | None = None) -> Estimate:
        """Return the difference over the users in `mask`, by default all, named by its method; see `_estimated`."""
        estimate = self._estimated(label, pairing, mask, measure)
        return replace(estimate, test=self._method(label, pairing)) if estimate.test == "t" else estimate

    def _method(self, label: str, pairing: Pairing) -> str:
        """Return the method by which a measure is compared if its values are tested by t."""
        row = self.row(self.base, label)
        if pairing.has_runs:
            return "runs"
        if self.clusters is not None:
            return "clusters"
        if row.aggregate in ("micro", "geometric"):
            return row.aggregate
        if row.aggregate == "weighted" or self._is_weighted_formula(row):
            return "weighted"
        return "t" if pairing.folds is None else "folds"

    def _is_weighted_formula(self, row: Row) -> bool:
        return row.aggregate == "formula" and f"{row.measure} numerator" in columns_of(self.base.result.per_user, self.base.model)

    def _estimated(self, label: str, pairing: Pairing, mask: NDArray[np.bool_] | None, measure: str | None) -> Estimate:
        """Return the difference over the users in `mask`, by default all; `measure` has the values of a group of test rows."""
        row, settings = self.row(self.base, label), self.options.settings
        among = slice(None) if mask is None else mask

        def values(column: str) -> list[list[Floats]]:
            base, model = ([run[among] for run in rows.values(column)] for rows in (pairing.base, pairing.model))
            scales = self._factor != 1 and not column.endswith(" denominator")
            return [[self._factor * run for run in base] if scales else base, model]

        if row.aggregate in ("micro", "weighted") or self._is_weighted_formula(row):
            members = None if self.clusters is None else self.clusters[among]
            return self._pooled(label, pairing, values, measure, members, of_group=mask is not None)
        known = self._read.pop(label, None) if mask is None and self._factor == 1 else None
        base, model = values(measure or row.measure) if known is None else ([known[0]], [known[1]])
        untested = _untested(pairing, row.aggregate)
        if untested:
            return self._whole(label, untested, () if mask is not None else (base, model))
        if pairing.has_runs and pairing.folds is None:
            return runs_estimate(base, model)
        clusters = self.clusters
        members = None if clusters is None else clusters[among]
        one, other = base[0], model[0]
        if pairing.folds is not None:
            folds = pairing.folds[among]
            if mask is None and not self._is_drawn:
                base, model, folds, members = padded_folds(base, model, folds, members, self._users_of_folds(label))
            if pairing.has_runs:
                return fold_runs_estimate(base, model, folds, "sum" if row.aggregate == "sum" else "mean", members)
            return estimate_folds(base[0], model[0], folds, settings, row.aggregate, members)
        if mask is None and not self._is_drawn and row.n_users > np.isfinite(one).sum():
            one, other, members = padded(one, other, members, row.n_users)
        of_all = known[2] if known is not None and one is known[0] else None
        return estimate_paired(one, other, settings, row.aggregate, members, self._relative, of_all)

    @cached_property
    def _read(self) -> dict[str, tuple[Floats, Floats, PairedSums]]:
        """The values of both sides, and their sums, of the means and sums among `labels`; empty if they are many."""
        known = [label for label in self._labels if None not in (self.value(self.base, label), self.value(self.model, label))]
        some = [label for label in known if self.row(self.base, label).aggregate in ("mean", "sum") and self._has_users(label)]
        if self.pairing is None or self.pairing.has_runs or len(some) * len(self.pairing.keys) > 1 << 17:  # values, of few users
            return {}
        measures = [self.row(self.base, label).measure for label in some]
        base, model = ([runs[0] for runs in rows.columns(measures)] for rows in (self.pairing.base, self.pairing.model))
        sums = PairedSums.from_rows(base, model, shares=self._relative)
        return dict(zip(some, zip(base, model, sums, strict=True), strict=True))

    def _pooled(
        self,
        label: str,
        pairing: Pairing,
        values: Callable[[str], list[list[Floats]]],
        of_rows: str | None,
        clusters: Integers | None,
        *,
        of_group: bool,
    ) -> Estimate:
        """Return the difference of pooled ratios, or of weighted means, over the users of `values`."""
        measure = of_rows or self.row(self.base, label).measure
        columns = (f"{measure} numerator", f"{measure} denominator")
        known = all(columns[0] in columns_of(side.result.per_user, side.model) for side in (self.base, self.model))
        row = self.row(self.base, label)
        is_function = row.aggregate == "micro" and bool(self.base.result.definitions[row.metric].components)  # such as RMSE, of MSE
        untested = _untested(pairing, "micro" if row.aggregate == "micro" else "weighted") if known and not is_function else ""
        if not known or is_function or untested:
            return self._whole(label, untested, () if of_group else values(columns[0]) if untested else ([], []))
        (above, other_above), (below, other_below) = (values(column) for column in columns)
        terms = RatioTerms(above[0], below[0]), RatioTerms(other_above[0], other_below[0])
        if row.aggregate == "micro":
            return weighted_estimate(*terms) if clusters is None else pooled_with_clusters(*terms, clusters)
        return weighted_estimate(*terms, clusters)

    def _users_of_folds(self, label: str) -> list[int]:
        """Return the number of users by which the value of each fold is divided, in the order of fold names."""
        assert self.pairing is not None
        rows = (row for row in self.base.result.repeated if row.model == self.base.model and row.label == label)
        known = {row.fold: row.n_users for row in rows if row.by is None and row.run is None}
        return [known.get(name, 0) for name in self.pairing.keys["fold"].unique().sort().to_list()]

    def _bounds(self, label: str) -> tuple[float, float]:
        """Return the lowest and the highest possible value of a measure; infinite for a sum, and if there is none."""
        row = self.row(self.base, label)
        return (-inf, inf) if row.aggregate == "sum" else bounds_of(row.metric)

    def _whole(self, label: str, untested: str, sides: Sequence[Sequence[Floats]]) -> Estimate:
        """Return the difference of two values without an interval; for a group, which has no `sides`, an empty estimate.

        If there are per-user values, `sides` are those of all runs, and `untested` is the reason.
        """
        if not sides:
            return whole_estimate(None, None, untested)
        counted = [np.isfinite(runs).any(axis=0) for runs in sides] if untested else []
        n_users = int(np.all(counted, axis=0).sum()) if counted else 0
        return whole_estimate(self.value(self.base, label), self.value(self.model, label), untested, n_users)

    def _groups_by(self, by: str, pairing: Pairing) -> pl.Series:
        """Return the group of each paired user, by the name of the grouping."""
        if by not in self._group_columns:
            self._group_columns[by] = pairing.groups(self._column(by, "--by"))
        return self._group_columns[by]

    def _groups(self, by: str, label: str, pairing: Pairing) -> list[str]:
        """Return the groups of users, or of test rows in which both sides have per-user values of a measure."""
        if not is_of_rows(by):
            return self._groups_by(by, pairing).drop_nulls().unique().sort().to_list()
        row = self.row(self.base, label)
        rows = [
            group_row
            for group_row in self.base.result.by_group
            if (group_row.model, group_row.label, group_row.by) == (self.base.model, row.label, by)
        ]
        names = [group_row.group for group_row in rows if group_row.group is not None]
        of_users = {part for part in by.split(CROSS) if not is_of_rows(part)}
        for side in (self.base, self.model):
            there = columns_of(side.result.per_user, side.model)
            stored = of_users <= {*side.result.user_groups} and any(group_row.by == by for group_row in side.result.by_group)
            if row.aggregate != "formula" and not (stored and all(self._cell(label, by, name, pairing)[0] in there for name in names)):
                own = self.options.written_by.get(by, by)
                written, config = shlex.quote(own), f"{{'data': …, 'compare': {{'by': ['{own}']}}}}"
                again = worded(
                    f"evaluate again with compare.by: receval run CONFIG --set compare.by={written} -o DIR/",
                    argument=f"evaluate again by receval.evaluate({config}), a config whose key compare names the groups",
                )
                raise ConfigError(f"--by {written}: the results of {side.name} have no values of each user in the groups of {by}", again)
        return names

    def _cell(self, label: str, by: str, group: str, pairing: Pairing) -> tuple[str, NDArray[np.bool_]]:
        """Return the measure within the groups of test rows of a combination of groups, and a mask of the users in its groups of users."""
        parts, pieces = by.split(CROSS), group.split(CROSS)
        cuts = combinations(range(1, len(pieces)), len(parts) - 1)  # a name of a group may have the sign between groups, too
        names = [[CROSS.join(pieces[start:end]) for start, end in pairwise((0, *cut, len(pieces)))] for cut in cuts]
        there, found = columns_of(self.base.result.per_user, self.base.model), []
        for of_parts in names:
            measure, users = parse(self.row(self.base, label).measure), np.ones(len(pairing.keys), dtype=np.bool_)
            for part, name in zip(parts, of_parts, strict=True):
                if is_of_rows(part):
                    measure = measure.within(part, name)
                else:
                    users &= (self._groups_by(part, pairing) == name).fill_null(False).to_numpy()
            found.append((str(measure), users))
        return next(((measure, users) for measure, users in found if measure in there and users.any()), found[0])

    @cached_property
    def clusters(self) -> Integers | None:
        """The cluster number of each paired user; a user without a cluster is a separate cluster."""
        assert self.pairing is not None
        if self.options.cluster is None:
            return self.pairing.repeated_users
        names = self.pairing.groups(self._column(self.options.cluster, "--cluster"))
        known = (names.is_not_null() & (names != MISSING).fill_null(False)).to_numpy()
        codes = names.rank("dense").cast(pl.Int64).fill_null(0).to_numpy().copy()
        codes[~known] = codes.max(initial=0) + 1 + np.arange((~known).sum())
        return np.asarray(codes)

    def _column(self, name: str, option: str) -> str:
        if name not in self.base.result.user_groups:
            known = ", ".join(self.base.result.user_groups)
            written = self.options.written_by.get(name, name) if option == "--by" else name
            wanted = "train_count:4" if written == "train_count" else written  # alone it is no grouping
            again = worded(f"receval run CONFIG --by {shlex.quote(wanted)} -o DIR/", argument=f"receval.evaluate with by='{wanted}'")
            hint = f"evaluate both with the same groups: {again}" if option == "--by" else "evaluate again with compare.cluster"
            raise ConfigError(
                f"{option} {written}: the results of {self.base.name} do not have the groups of users by {name}",
                f"there are {known}; {hint}" if known else hint,
            )
        return name


def _list_files(side: Side) -> object | None:
    """Return all that decides the lists of a model that were not hashed: how its file is read, and the files; `None` if not known.

    The files are those of the lists, and those by which items are removed from them.
    """
    source, role = side.result.config.get("data", {}).get("recommendations"), f"data.recommendations.{side.model}"
    entry = source.get(side.model) if isinstance(source, Mapping) else None
    read = {role_input.role: [file.hash for file in role_input.files] for role_input in side.result.inputs}
    if not isinstance(entry, Mapping) or not read.get(role):
        return None
    settings = {name: value for name, value in entry.items() if name not in ("path", "frame")}
    return settings, *(read.get(name) for name in (role, "data.train", "data.items"))


def _untested(pairing: Pairing, aggregate: str) -> str:
    """Return the reason why values over folds or runs have no interval; empty if they have one."""
    if pairing.folds is None and not pairing.has_runs:
        return ""
    if aggregate not in ("mean", "sum", "formula"):
        return f"no interval for {aggregate} over folds or runs"
    if pairing.uneven:
        return f"no interval because the folds of {' and '.join(pairing.uneven)} have different numbers of runs"
    return ""
