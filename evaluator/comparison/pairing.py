"""Pair the models of results, and pair their users: values in the same order, NaN for a user without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..results.result import Result, columns_of, select
from ..results.row import listed
from ..results.spellings import Definitions
from ..stats.concluding import users_text
from ..support.errors import ArgumentError, ConfigError, DataError, worded
from .bases import Base, base_of, gates_folder, known_name, own_models

_PLAIN = 2
"""Number of models or results up to which the title makes clear which is the base."""


class Side(Struct, frozen=True, eq=False):
    """One model of one result, under its name in the comparison."""

    name: str
    result: Result
    model: str


class Sides(Struct, frozen=True, eq=False):
    """The pairs to compare, base first; all sides in order; the base that all pairs share; and notes on models without a partner.

    `first` is the base if it is only the first of several, because nothing names another one. `left_out` is the sentence on models that
    cannot be compared with others of their result.
    """

    pairs: tuple[tuple[Side, Side], ...]
    all: tuple[Side, ...]
    base: str | None
    notes: tuple[str, ...] = ()
    first: str | None = None
    left_out: str = ""

    @property
    def definitions(self) -> Definitions:
        """The definitions of the measures of the first pair's base."""
        return self.pairs[0][0].result.definitions


def sides_of(
    results: Mapping[str, Result],
    baseline: str | None = None,
    baseline_model: str | None = None,
    *,
    all_pairs: bool = False,
    unnamed: str | None = None,
) -> Sides:
    """Pair the models of named results.

    The models of one result are compared with `baseline`, which may be reference lists. With several results, each model is compared with
    the one of the same name in the result named `baseline`, or with its `baseline_model`; if each result has one model, their names may
    differ. Without `baseline`, `base_of` decides. With `all_pairs`, all pairs of sides are compared. The models of the result with the
    label `unnamed` have their own names, unless another side has the same name.

    Raises `ConfigError` if there is no such baseline or `baseline_model`, or fewer than two models; `DataError` if results have no model in
    common.
    """
    if not results:
        raise ConfigError("there is nothing to compare")
    if baseline_model is not None and (len(results) == 1 or all_pairs):
        problem = "baseline_model goes with a baseline that is another result, and not with all_pairs"
        option = "--baseline-model goes with a --baseline that is another folder, and not with --all-pairs"
        raise ArgumentError(problem, option=option)
    if len(results) == 1:
        return _sides_within(next(iter(results.values())), baseline, all_pairs)
    base = base_of(results, baseline)
    if all_pairs:
        sides = tuple(side for label, result in results.items() for side in _sides(label, result))
        return _with_own_names(Sides(tuple(combinations(sides, 2)), sides, None), results, unnamed)
    sides_of_base = _with_own_names(_sides_across(results, base.name, baseline_model), results, unnamed)
    return replace(sides_of_base, first=base.name) if base.is_default and len(results) > _PLAIN else sides_of_base


def _with_own_names(sides: Sides, results: Mapping[str, Result], unnamed: str | None) -> Sides:
    """Return the sides, those of the result `unnamed` with the names of their models; if another side has such a name, as they are."""
    own = None if unnamed is None else results.get(unnamed)
    names = {side.name: side.model if side.result is own else side.name for side in sides.all}
    if len(set(names.values())) < len(names):
        return sides
    renamed = {side: replace(side, name=names[side.name]) for side in (*sides.all, *chain.from_iterable(sides.pairs))}
    pairs = tuple((renamed[base], renamed[model]) for base, model in sides.pairs)
    named = tuple(renamed[side] for side in sides.all)
    return replace(sides, pairs=pairs, all=named, base=None if sides.base is None else names[sides.base])


def _sides_within(result: Result, baseline: str | None, all_pairs: bool) -> Sides:
    models = [model for model in result.models if model not in result.yardsticks]
    base = Base(models[0]) if all_pairs and baseline is None and models else base_of({"": result}, baseline)
    named = [base.name, *(model for model in models if model != base.name)]
    if len(named) < 2:
        folder = gates_folder(result)
        raise ConfigError(
            f"there is one model, {named[0]}, and nothing to compare it with",
            "give another folder of results as well, or a config with several models"
            if folder is None
            else f"to compare it with the baseline of its gates, add --baseline {folder}",
        )
    sides = tuple(Side(model, result, model) for model in named)
    if all_pairs:
        return Sides(tuple(combinations(sides, 2)), sides, None)
    first = base.name if base.is_default and len(named) > _PLAIN else None
    return Sides(tuple((sides[0], side) for side in sides[1:]), sides, base.name, first=first)


def _sides_across(results: Mapping[str, Result], base_label: str, base_model: str | None) -> Sides:
    base_models = own_models(results[base_label])
    if base_model is not None:
        known_name(base_model, results[base_label].models, "model")
    pairs: list[tuple[Side, Side]] = []
    alone: list[str] = []
    for label, result in results.items():
        if label == base_label:
            continue
        models = own_models(result)
        common = [model for model in models if base_model is not None or model in base_models]
        partners = [(base_model or model, model) for model in common] or (
            [(base_models[0], models[0])] if len(models) == len(base_models) == 1 else []
        )
        if not partners:
            raise DataError(
                f"{label} and {base_label} share no model: {_listed(models)}; {_listed(base_models)}",
                "choose the model of the baseline that every model is compared with: "
                + worded("--baseline-model NAME", argument="baseline_model='NAME'"),
            )
        single = len(partners) == 1
        for partner, model in partners:
            base_name, name = (base_label, label) if single else (f"{base_label}/{partner}", f"{label}/{model}")
            if base_model is not None and len(base_models) > 1:
                base_name = f"{base_label}/{base_model}"  # the label alone does not say which model it is
            pairs.append((Side(base_name, results[base_label], partner), Side(name, result, model)))
        left = [model for model in models if model not in common] if common else []
        alone += [f"{label}/{model}" for model in left]
    sides = {side.name: side for pair in pairs for side in pair}
    bases = {base.name for base, _ in pairs}
    notes = (f"Not compared, since {base_label} has no such model: {_listed(alone)}.",) if alone else ()
    return Sides(tuple(pairs), tuple(sides.values()), next(iter(bases)) if len(bases) == 1 else None, notes)


def _sides(label: str, result: Result) -> list[Side]:
    models = own_models(result)
    return [Side(label if len(models) == 1 else f"{label}/{model}", result, model) for model in models]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_MISSING = -1


class SideRows(Struct, frozen=True, eq=False):
    """The rows of one side: for each training run the row of each paired user, -1 for a missing user; `None` if all rows are in order."""

    side: Side
    runs: tuple[Integers | None, ...]

    @classmethod
    def from_runs(cls, side: Side, runs: Sequence[Integers]) -> SideRows:
        """Make the rows of a side from the rows of each run."""
        is_plain = len(runs) == 1 and np.array_equal(runs[0], np.arange(len(runs[0])))
        return cls(side, (None,) if is_plain else tuple(runs))

    def values(self, column: str) -> list[Floats]:
        """Return the values of a column for each run, in the order of the paired users."""
        return self.columns([column])[0]

    def columns(self, names: Sequence[str]) -> list[list[Floats]]:
        """Return the `values` of several columns, which are read at once."""
        stored = select(self.side.result.per_user, self.side.model, list(dict.fromkeys(names)))
        arrays = [stored[name].cast(pl.Float64).to_numpy() for name in names]  # of the rows below, -1 is one without a value
        return [[array if rows is None else np.append(array, np.nan)[rows] for rows in self.runs] for array in arrays]


class DrawnRows(SideRows, frozen=True, eq=False, kw_only=True):
    """Rows of users who were drawn; the values of those `swapped` are those of the `other` side, and each run has a factor."""

    other: SideRows
    swapped: NDArray[np.bool_]
    factors: Floats

    def values(self, column: str) -> list[Floats]:
        """Return the values of a column for each run."""
        own = super().values(column)
        if self.swapped.any():
            own = [np.where(self.swapped, other, run) for run, other in zip(own, self.other.values(column), strict=True)]
        return [run * factor if factor != 1 else run for run, factor in zip(own, self.factors, strict=True)]


class Pairing(Struct, frozen=True, eq=False, dict=True):
    """The paired users of two sides: `keys` has the columns user and, with folds, fold, in ascending order."""

    keys: pl.DataFrame
    base: SideRows
    model: SideRows

    @classmethod
    def from_sides(cls, base: Side, model: Side) -> Pairing:
        """Pair the users of two sides."""
        runs = {side: _runs(side) for side in (base, model)}
        keys, rows = _aligned([*runs[base], *runs[model]])
        n_base = len(runs[base])
        return cls(keys, SideRows.from_runs(base, rows[:n_base]), SideRows.from_runs(model, rows[n_base:]))

    def drawn(self, rows: Integers, swapped: NDArray[np.bool_], factors: tuple[Floats, Floats]) -> Pairing:
        """Return a pairing of some of the `rows` of this one, in any number."""

        def of_side(side: SideRows) -> SideRows:
            return SideRows(side.side, tuple(rows if run is None else run[rows] for run in side.runs))

        base, model = of_side(self.base), of_side(self.model)
        sides = (
            DrawnRows(own.side, own.runs, other=other, swapped=swapped, factors=of_runs)
            for own, other, of_runs in zip((base, model), (model, base), factors, strict=True)
        )
        folds = {} if self.folds is None else {"fold": self.keys["fold"].gather(rows)}
        return Pairing(pl.DataFrame({"user": rows, **folds}), *sides)

    @property
    def has_runs(self) -> bool:
        """True if one of the models was trained several times."""
        return len(self.base.runs) > 1 or len(self.model.runs) > 1

    @cached_property
    def uneven(self) -> tuple[str, ...]:
        """The names of the models whose folds have different numbers of runs."""
        if self.folds is None:
            return ()
        of_sides = {
            rows.side.name: {tuple(np.unique(self.folds[run != _MISSING])) for run in rows.runs if run is not None}
            for rows in (self.base, self.model)
        }
        return tuple(name for name, folds in of_sides.items() if len(folds) > 1)

    @cached_property
    def folds(self) -> Integers | None:
        """The fold number of each row, from 0; `None` without folds."""
        if "fold" not in self.keys.columns:
            return None
        return (self.keys["fold"].rank("dense") - 1).to_numpy().astype(np.int64)

    @cached_property
    def repeated_users(self) -> Integers | None:
        """A number for the user of each row, if users are in several folds; `None` if each row is another user."""
        if self.folds is None or self.keys["user"].n_unique() == len(self.keys):
            return None
        return (self.keys["user"].rank("dense") - 1).to_numpy().astype(np.int64)

    def groups(self, column: str) -> pl.Series:
        """Return the group of each user from a column; null for users that are missing on the base side."""
        return self._groups(self.base, column)

    def groups_of_model(self, column: str) -> pl.Series:
        """Return the group of each user from a column of the model; null for users that are missing there."""
        return self._groups(self.model, column)

    def _groups(self, rows_of_side: SideRows, column: str) -> pl.Series:
        side = rows_of_side.side
        stored = select(side.result.per_user, side.model, [column])[column]
        rows = rows_of_side.runs[0]
        if rows is None:
            return stored
        with_none = pl.concat([stored, pl.Series([None], dtype=stored.dtype)])
        return with_none.gather(np.where(rows == _MISSING, len(stored), rows))

    def refuse_other_relevant_items(self) -> None:
        """Raise `DataError` if a user has different numbers of relevant items on the two sides."""
        ours, theirs = (rows.values("n_relevant")[0] for rows in (self.base, self.model))
        other = np.flatnonzero(np.isfinite(ours) & np.isfinite(theirs) & (ours != theirs))
        if len(other):
            first = int(other[0])
            example = f"such as the user {self.keys['user'][first]} with {ours[first]:.0f} and {theirs[first]:.0f}"
            names = f"{self.model.side.name} cannot be compared with {self.base.side.name}"
            raise DataError(
                f"{names}: {users_text(len(other))} {'has' if len(other) == 1 else 'have'} different relevant items, {example}",
                "evaluate both on the same test data",
            )


class _Run(NamedTuple):
    """The keys of the rows of a training run, and the positions of these rows."""

    keys: pl.DataFrame
    rows: Integers


def _runs(side: Side) -> list[_Run]:
    """Return the training runs of a side, each in the order of its stored rows."""
    columns = columns_of(side.result.per_user, side.model)
    names = ["user", *(name for name in ("fold", "run") if name in columns)]
    stored = select(side.result.per_user, side.model, names)
    if "run" not in columns:
        return [_Run(stored, np.arange(len(stored)))]
    runs = stored.with_columns(row=np.arange(len(stored))).partition_by("run", maintain_order=True)
    return [_Run(run.drop("run", "row"), run["row"].to_numpy()) for run in runs]


def _aligned(runs: Sequence[_Run]) -> tuple[pl.DataFrame, list[Integers]]:
    """Return all keys of some runs in ascending order, and for each run the row of each key, -1 if missing."""
    frames = [run.keys for run in runs]
    if len({frame["user"].dtype for frame in frames}) > 1:
        frames = [frame.with_columns(pl.col("user").cast(pl.String)) for frame in frames]
    first, *others = frames
    if all(frame.equals(first) for frame in others):
        return first, [run.rows for run in runs]
    names = first.columns
    keys = pl.concat(frames).unique().sort(names)
    rows = []
    for frame, run in zip(frames, runs, strict=True):
        joined = keys.join(frame.with_columns(row=run.rows), on=names, how="left", maintain_order="left")["row"]
        rows.append(joined.fill_null(_MISSING).to_numpy())
    return keys, rows


def unpaired_text(names: Sequence[str]) -> str:
    """Return a sentence on sides without per-user values."""
    return f"{listed(names)} {'has' if len(names) == 1 else 'have'} no per-user values (output.per_user): users are not paired."


def mean_of_runs(runs: Sequence[Floats]) -> Floats:
    """Return the mean of values over training runs."""
    return runs[0] if len(runs) == 1 else np.asarray(np.mean(runs, axis=0))


def padded_folds(
    base: Sequence[Floats], model: Sequence[Floats], folds: Integers, clusters: Integers | None, n_users: Sequence[int]
) -> tuple[list[Floats], list[Floats], Integers, Integers | None]:
    """Return values of all users by which the value of each fold is divided; users without a value on either side get 0."""
    counted = np.isfinite(mean_of_runs(base))
    sizes = np.bincount(folds[counted], minlength=len(n_users))
    more = np.repeat(np.arange(len(n_users)), np.maximum(np.asarray(n_users, dtype=np.int64) - sizes, 0))
    if clusters is not None:
        clusters = np.append(clusters, clusters.max(initial=0) + 1 + np.arange(len(more)))
    ones, others = ([np.append(run, np.zeros(len(more))) for run in runs] for runs in (base, model))
    return ones, others, np.append(folds, more), clusters


def padded(base: Floats, model: Floats, clusters: Integers | None, n: int) -> tuple[Floats, Floats, Integers | None]:
    """Return values of `n` users, 0 for users without a value on either side: the measure is divided by more users than count."""
    missing = n - int(np.isfinite(base).sum())
    if clusters is not None:
        clusters = np.append(clusters, clusters.max(initial=0) + 1 + np.arange(missing))
    return np.append(base, np.zeros(missing)), np.append(model, np.zeros(missing)), clusters
