"""One pair of sides: its measures, each compared in the way that its values allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, isfinite
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..errors import ConfigError, DataError
from ..metrics.registry import bounds_of
from ..results.result import Row, columns_of, select
from ..stats.concluding import users_text
from ..stats.difference import Difference, Subject
from ..stats.estimates import Estimate, RatioTerms, Summary, pooled_estimate, unpaired_estimate
from ..stats.rare_changes import ValueRange
from ..stats.samples import runs_estimate
from ..stats.two_models import bounded, difference_of, estimate_folds, estimate_paired, whole_estimate
from ..tables.prepared import MISSING
from .pairing import Floats, Integers, Pairing, Side
from .questions import Questions, rows_of

_MEANS: Final = ("mean", "sum", "micro", "geometric", "formula")
"""Aggregates that one user can move; medians and percentiles hardly move."""


def value_range(row: Row, sides: Iterable[Floats]) -> ValueRange | None:
    """The bounds of the metric; for an end without one what users have on both `sides`. `None` if that is not known either.

    `None` also for medians and percentiles.
    """
    if row.aggregate not in _MEANS:
        return None
    bounds = ValueRange(*bounds_of(row.metric))
    if bounds.is_finite:
        return bounds
    known = [side[np.isfinite(side)] for side in sides]
    observed = [float(end) for side in known if len(side) for end in (side.min(), side.max())]
    if not observed:
        return None
    ends = [end for end in (bounds.least, bounds.largest, *observed) if isfinite(end)]
    return ValueRange(min(ends), max(ends), is_observed=True)


_OF_SUMS = ("mean", "sum", "formula")


class Differing:
    """The differences of one model from another; those of means as a share of the base value have an interval if `relative`."""

    def __init__(self, base: Side, model: Side, questions: Questions, relative: bool = True) -> None:
        self.base, self.model, self.questions, self._relative = base, model, questions, relative
        self._rows = {side: rows_of(side.result, side.model) for side in (base, model)}
        self._unpaired: dict[str, int] = {}
        self._most_paired = 0

    def row(self, side: Side, label: str) -> Row:
        """The row of a measure."""
        return self._rows[side][label]

    def value(self, side: Side, label: str) -> float | None:
        """The value of a measure."""
        return self.row(side, label).value

    @cached_property
    def pairing(self) -> Pairing | None:
        """The users of both sides; `None` if not both have per-user values, or they are not to be paired."""
        stored = all(side.model in side.result.per_user for side in (self.base, self.model))
        if not stored or self.questions.unpaired:
            return None
        pairing = Pairing.of(self.base, self.model)
        if self.base.result.truths != self.model.result.truths:
            pairing.refuse_other_relevant_items()
        return pairing

    def of(self, label: str, margin: float | None) -> Difference:
        """The difference of one measure over all users, not yet judged."""
        values, settings = self.value_range(label), self.questions.settings
        return bounded(difference_of(self.subject(label), self.estimate(label), settings, margin, values), self._bounds(label))

    def value_range(self, label: str) -> ValueRange | None:
        """The range of the values of a user; `None` where nothing bounds them."""
        return value_range(self.row(self.base, label), self.sides_of(label) or ())

    def subject(self, label: str, by: str | None = None, group: str | None = None) -> Subject:
        """What is compared: a measure over all users, or within a group."""
        row = self.row(self.base, label)
        return Subject(label, self.base.name, self.model.name, row.higher_is_better, row.k, row.aggregate, by, group)

    def estimate(self, label: str, by: str | None = None, group: str | None = None) -> Estimate:
        """The difference of one measure over all users, or over one group of those that are asked for, with what is known of its error."""
        base, model = (self._row_within(side, label, by, group) for side in (self.base, self.model))
        if by is not None and self.pairing is not None and self._has_users(label):
            return self._paired(label, self.pairing, (self._groups[by] == group).fill_null(False).to_numpy())
        if base is None or model is None:
            return whole_estimate(None, None)
        if base.value is None or model.value is None or not self._has_users(label):
            return whole_estimate(base.value, model.value)
        if self.pairing is not None:
            return self._paired(label, self.pairing, None)
        if base.aggregate in ("mean", "formula") and base.repeats is None and model.repeats is None:
            return unpaired_estimate(*(Summary(row.value or 0.0, row.std, row.n_users) for row in (base, model)))
        return whole_estimate(base.value, model.value)

    def _row_within(self, side: Side, label: str, by: str | None, group: str | None) -> Row | None:
        """The row of a measure over all users, or over one group; `None` if a side has none of the group."""
        if by is None:
            return self.row(side, label)
        rows = (row for row in side.result.by_group if (row.model, row.label, row.by, row.group) == (side.model, label, by, group))
        return next(rows, None)

    def all(self, margins: Mapping[str, float | None]) -> list[Difference]:
        """The differences of all measures of `margins`, in its order."""
        made = [self.of(label, margin) for label, margin in margins.items()]
        self.count_users({one.subject.measure: (one.n_users, one.n_unpaired) for one in made})
        return made

    def count_users(self, numbers: Mapping[str, tuple[int, int]]) -> None:
        """Note how many users were paired for each measure, and how many were not, for `refuse_other_users` and `notes`."""
        if self.pairing is not None:
            self._most_paired = max([self._most_paired, *(n for n, _ in numbers.values())])
            self._unpaired |= {label: n_unpaired for label, (_, n_unpaired) in numbers.items() if n_unpaired}

    def by_group(self, label: str, margin: float | None) -> Iterator[Difference]:
        """The differences of one measure within the groups that are asked for; none of a measure without per-user values."""
        if self.pairing is None or not self._has_users(label) or self.row(self.base, label).value is None:
            return
        values = self.value_range(label)
        for by, groups in self._groups.items():
            for group in groups.drop_nulls().unique().sort().to_list():
                subject, estimate = self.subject(label, by, group), self.estimate(label, by, group)
                yield bounded(difference_of(subject, estimate, self.questions.settings, margin, values), self._bounds(label))

    def sides_of(self, label: str) -> tuple[Floats, Floats] | None:
        """The values of all users on both sides, means over training runs; `None` if there are none."""
        if self.pairing is None or not self._has_users(label):
            return None
        base, model = (_mean(rows.values(self.row(self.base, label).measure)) for rows in (self.pairing.base, self.pairing.model))
        return base, model

    def refuse_other_users(self) -> None:
        """`DataError` if not the same users count on both sides, unless those in common are asked for, and if there is no such user."""
        if self._unpaired and not self._most_paired:
            raise DataError(
                f"{self.model.name} cannot be compared with {self.base.name}: no user counts for both",
                "--unpaired compares means of different users",
            )
        if self._unpaired and not self.questions.common:
            label, n = max(self._unpaired.items(), key=lambda item: item[1])
            raise DataError(
                f"{self.model.name} cannot be compared with {self.base.name}: they count different users; "
                f"{label} counts {users_text(n)} for only one of them",
                "--users common compares users that count for both; missing_lists=zero counts users without a list",
            )

    def refuse_no_common_users(self, labels: Iterable[str]) -> None:
        """`DataError` if no user counts on both sides for one of some measures; of one without per-user values, for any measure."""
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

    def notes(self) -> Iterator[str]:
        """Sentences on what was paired and how."""
        if self._unpaired:
            most = max(self._unpaired.values())
            yield f"{self.model.name} and {self.base.name} count different users; up to {most:,} that count for only one are left out."
        if self.pairing is not None and self.pairing.folds is not None:
            again = "; a user who is in several folds is one cluster" if self.pairing.repeated_users is not None else ""
            yield f"Differences are means over {int(self.pairing.folds.max(initial=-1)) + 1} folds, and users count in each fold{again}."
        if self.pairing is None and not self.questions.unpaired:
            lacking = [side.name for side in (self.base, self.model) if side.model not in side.result.per_user]
            have = f"{' and '.join(lacking)} {'has' if len(lacking) == 1 else 'have'}"
            yield f"{have} no per-user values (output.per_user): users are not paired."

    def _has_users(self, label: str) -> bool:
        """Whether a measure has a value per user of which its value is made."""
        row, definition = self.row(self.base, label), self.base.result.definitions[self.row(self.base, label).metric]
        if row.aggregate == "formula":
            return all(self._has_formula(side, row.metric) for side in (self.base, self.model))
        return not definition.of_models and definition.axes.get("f_of") != "means" and row.aggregate != "system"

    def _has_formula(self, side: Side, column: str) -> bool:
        """Whether users have values of arithmetic of measures, in every fold and run."""
        users = side.result.per_user
        if side.model not in users or column not in columns_of(users, side.model):
            return False
        names = [name for name in ("fold", "run") if name in columns_of(users, side.model)]
        counted = select(users, side.model, [*names, column]).group_by(names or pl.lit(0)).agg(pl.col(column).count())
        return bool((counted[column] > 0).all())

    def _paired(self, label: str, pairing: Pairing, mask: NDArray[np.bool_] | None) -> Estimate:
        row, settings = self.row(self.base, label), self.questions.settings
        among = slice(None) if mask is None else mask

        def values(column: str) -> list[list[Floats]]:
            return [[run[among] for run in rows.values(column)] for rows in (pairing.base, pairing.model)]

        if row.aggregate == "micro":
            return self._pooled(label, pairing, values, of_group=mask is not None)
        base, model = values(row.measure)
        if pairing.has_runs:
            if row.aggregate not in _OF_SUMS or pairing.folds is not None:
                return self._whole(label, of_group=mask is not None)
            return runs_estimate(base, model)
        clusters = self._clusters
        members = None if clusters is None else clusters[among]
        one, other = base[0], model[0]
        if pairing.folds is not None:
            if row.aggregate not in _OF_SUMS:
                return self._whole(label, of_group=mask is not None)
            folds = pairing.folds[among]
            if mask is None:
                one, other, folds, members = _padded_folds(one, other, folds, members, self._users_of_folds(label))
            return estimate_folds(one, other, folds, settings, row.aggregate, members)
        if mask is None and row.n_users > np.isfinite(one).sum():
            one, other, members = _padded(one, other, members, row.n_users)
        return estimate_paired(one, other, settings, row.aggregate, members, self._relative)

    def _pooled(self, label: str, pairing: Pairing, values: Callable[[str], list[list[Floats]]], *, of_group: bool) -> Estimate:
        measure = self.row(self.base, label).measure
        columns = (f"{measure} numerator", f"{measure} denominator")
        known = all(columns[0] in columns_of(side.result.per_user, side.model) for side in (self.base, self.model))
        is_function = bool(self.base.result.definitions[self.row(self.base, label).metric].components)  # as RMSE is one of MSE
        if not known or is_function or pairing.has_runs or pairing.folds is not None:
            return self._whole(label, of_group=of_group)
        (above, other_above), (below, other_below) = (values(column) for column in columns)
        return pooled_estimate(RatioTerms(above[0], below[0]), RatioTerms(other_above[0], other_below[0]))

    def _users_of_folds(self, label: str) -> list[int]:
        """By how many users the value of each fold is divided, in the order of their numbers."""
        assert self.pairing is not None
        rows = (row for row in self.base.result.repeated if row.model == self.base.model and row.label == label)
        known = {row.fold: row.n_users for row in rows if row.by is None and row.run is None}
        return [known.get(name, 0) for name in self.pairing.keys["fold"].unique().sort().to_list()]

    def _bounds(self, label: str) -> tuple[float, float]:
        """The least and the largest value of a measure; infinite of a sum, and where there are none."""
        row = self.row(self.base, label)
        return (-inf, inf) if row.aggregate == "sum" else bounds_of(row.metric)

    def _whole(self, label: str, *, of_group: bool) -> Estimate:
        """The difference of two values of which there is no interval; of a group nothing is known."""
        return whole_estimate(*((None, None) if of_group else (self.value(side, label) for side in (self.base, self.model))))

    @cached_property
    def _groups(self) -> dict[str, pl.Series]:
        """The group of each paired user, by the name of what users are grouped by."""
        return {} if self.pairing is None else {by: self.pairing.groups(self._column(by, "--by")) for by in self.questions.by}

    @cached_property
    def _clusters(self) -> Integers | None:
        """A number for each paired user; users with the same one belong together. Users without a cluster are each one of their own."""
        assert self.pairing is not None
        if self.questions.cluster is None:
            return self.pairing.repeated_users
        names = self.pairing.groups(self._column(self.questions.cluster, "--cluster"))
        known = (names.is_not_null() & (names != MISSING).fill_null(False)).to_numpy()
        codes = names.rank("dense").cast(pl.Int64).fill_null(0).to_numpy().copy()
        codes[~known] = codes.max(initial=0) + 1 + np.arange((~known).sum())
        return np.asarray(codes)

    def _column(self, name: str, option: str) -> str:
        if name not in self.base.result.user_groups:
            known = ", ".join(self.base.result.user_groups)
            raise ConfigError(
                f"{option} {name}: the results of {self.base.name} do not contain the group of each user by {name}",
                f"there are {known}"
                if known
                else f"evaluate again with {option} {name}, evaluation.by or compare.cluster"
                if option == "--by"
                else "evaluate again with compare.cluster",
            )
        return name


def _mean(runs: Sequence[Floats]) -> Floats:
    return runs[0] if len(runs) == 1 else np.asarray(np.mean(runs, axis=0))


def _padded_folds(
    base: Floats, model: Floats, folds: Integers, clusters: Integers | None, n_users: Sequence[int]
) -> tuple[Floats, Floats, Integers, Integers | None]:
    """Values of the users by which the value of each fold is divided, 0 for those who have none on either side."""
    sizes = np.bincount(folds[np.isfinite(base)], minlength=len(n_users))
    more = np.repeat(np.arange(len(n_users)), np.maximum(np.asarray(n_users, dtype=np.int64) - sizes, 0))
    base, model, clusters = _padded(base, model, clusters, int(np.isfinite(base).sum()) + len(more))
    return base, model, np.append(folds, more), clusters


def _padded(base: Floats, model: Floats, clusters: Integers | None, n: int) -> tuple[Floats, Floats, Integers | None]:
    """Values of `n` users, 0 for those who have none on either side: a measure that is divided by more users than count."""
    missing = n - int(np.isfinite(base).sum())
    if clusters is not None:
        clusters = np.append(clusters, clusters.max(initial=0) + 1 + np.arange(missing))
    return np.append(base, np.zeros(missing)), np.append(model, np.zeros(missing)), clusters
