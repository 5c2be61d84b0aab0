"""Search for slices of users in which a model is worse than over all others: from stored per-user values to `Slices`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..results.result import Result, columns_of, select
from ..results.row import shortened
from ..results.slices import Direction, Slices, SliceSearch, UserSlice
from ..results.spellings import without_aggregate
from ..scoring.truth_hash import hash_ids, spread_bits
from ..stats.equal_parts import equal_parts
from ..stats.estimates import mean_and_deviation
from ..stats.slices import Candidate, Groups, SliceSettings, SliceTest, confirm, find
from ..support.errors import ConfigError, worded
from ..tables.prepared import CROSS, MISSING, ranges
from .bases import own_models
from .comparing import refuse_incomparable, refuse_other_candidates
from .comparison_options import ComparisonOptions, all_named, rows_of
from .model_pair import ModelPair
from .pairing import Floats, sides_of

_MOST_NUMBERS: Final = 10
"""A column of whole numbers with more values than this is cut into groups of about equal size."""
_N_GROUPS: Final = 5


class SliceOptions(Struct, frozen=True):
    """Options of a search: `comparison` chooses models, measures (default: the first) and users; `by` the groupings, by default all."""

    comparison: ComparisonOptions = ComparisonOptions()
    by: tuple[str, ...] = ()
    depth: int = 2

    @property
    def settings(self) -> SliceSettings:
        """The settings of the search."""
        return SliceSettings(self.depth, alpha=self.comparison.settings.alpha, seed=self.comparison.settings.seed)


class Feature(Struct, frozen=True, eq=False):
    """A grouping of users: its name, the group of each user, and the names of the groups."""

    name: str
    groups: Groups
    names: tuple[str, ...]


class _Values(Struct, frozen=True, eq=False):
    """The values to search: of one measure of a model, or of its differences from `base`; and the features of the same users."""

    measure: str
    base: str | None
    model: str
    higher_is_better: bool | None
    users: pl.Series
    values: Floats
    features: tuple[Feature, ...]


def find_slices(results: Mapping[str, Result], options: SliceOptions) -> Slices:
    """Search the users of results for slices in which a model is worse, or better, than over all other users.

    With several models, their differences from the base of a comparison are searched (see `sides_of`); a single model by its values.
    Slices are found on one half of the users, by a hash of their id and the seed, and tested on the other half, corrected for all that
    are tested there: of all pairs of models and all measures.

    Raises `ConfigError` for folds, weights or clusters, without per-user values or groups of users, and for an unknown group; `DataError`
    for results that cannot be compared.
    """
    for result in results.values():
        refuse_dependent(result, options.comparison)
    settings, notes = options.settings, list[str]()
    searched = list(_all_values(results, options, notes))
    found = []
    for values in searched:
        in_first = halves(values.users, settings.seed)
        first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
        groupings = [feature.groups for feature in values.features]
        found.append((values, second, find(values.values[first], [groups.subset(first) for groups in groupings], settings)))
    family = sum(len(search.candidates) for _, _, search in found)
    searches = []
    for values, second, search in found:
        groupings = [feature.groups for feature in values.features]
        tests = confirm(values.values[second], [groups.subset(second) for groups in groupings], search.candidates, settings, family)
        slices = [_slice(values, candidate, test, groupings) for candidate, test in zip(search.candidates, tests, strict=True)]
        slices.sort(key=lambda made: (not made.confirmed, 1.0 if made.p is None else made.p, -made.score))
        mean = mean_and_deviation(values.values)[0] if len(values.values) else None
        n, n_finding = len(values.values), len(values.values) - len(second)
        of_models = (values.measure, values.base, values.model, values.higher_is_better)
        searches.append(SliceSearch(*of_models, n, n_finding, search.n_scored, mean, tuple(slices)))
    features = tuple(dict.fromkeys(feature.name for values in searched for feature in values.features))
    level = options.comparison.settings.level
    return Slices(tuple(searches), features, options.depth, family, level, settings.seed, tuple(dict.fromkeys(notes)))


def halves(users: pl.Series, seed: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask of the users of the first half: a hash of the id as it is written, and of the seed."""
    key = spread_bits(np.array([seed], dtype=np.uint64) + np.uint64(0xD1B54A32D192ED03))
    return np.asarray(spread_bits(hash_ids(users) ^ key) >> np.uint64(63) == 1)


def refuse_dependent(result: Result, options: ComparisonOptions) -> None:
    """Raise `ConfigError` if the values of users are not independent, or do not count alike."""
    if result.folds:
        raise ConfigError(
            f"slices need one test set, and these results have {len(result.folds)} folds",
            f"evaluate one fold: --set 'data.folds=[{result.folds[0]}]'",
        )
    if options.cluster is not None:
        raise ConfigError(
            f"slices need independent users, and compare.cluster says that those with the same {options.cluster} are not",
            "leave out compare.cluster, if users are independent; compare --by has intervals with clusters",
        )


def _all_values(results: Mapping[str, Result], options: SliceOptions, notes: list[str]) -> Iterator[_Values]:
    """Yield the values of each judged measure of each pair of models, or of the only model."""
    models = [(result, model) for result in results.values() for model in own_models(result)]
    if len(models) == 1:
        yield from _model_values(*models[0], options, notes)
        return
    chosen = options.comparison
    sides = sides_of(results, chosen.baseline, chosen.baseline_model, unnamed=chosen.unnamed)
    for base, model in sides.pairs:
        pair = ModelPair(base, model, chosen, relative=False)
        labels = [label for label in rows_of(base.result, base.model) if label in rows_of(model.result, model.model)]
        for label in _measures(base.result, labels, chosen):
            refuse_other_candidates(base, model)
            refuse_incomparable(base, model, [pair.row(base, label).metric], unpaired=False)
            values = None if _is_weighted(base.result, label, base.model) else pair.sides_of(label)
            if values is None or pair.pairing is None:
                refuse_values(base.result, label, base.model)
            assert values is not None
            assert pair.pairing is not None
            pair.count_users({label: _counted(*values)})
            pair.refuse_other_users([label])
            notes += pair.notes([label])
            if pair.pairing.has_runs:
                notes.append("Users have their mean over training runs: slices do not include the variation between trainings.")
            differences = values[1] - values[0]
            known = np.isfinite(differences)
            names = feature_names(base.result, options)
            columns = {name: pair.pairing.groups(name) for name in names}
            features = tuple(features_in({name: column.filter(pl.Series(known)) for name, column in columns.items()}, notes))
            better = pair.row(base, label).higher_is_better
            users = pair.pairing.keys["user"].filter(pl.Series(known))
            yield _Values(label, base.name, model.name, better, users, differences[known], features)


def _model_values(result: Result, model: str, options: SliceOptions, notes: list[str]) -> Iterator[_Values]:
    rows = rows_of(result, model)
    for label in _measures(result, list(rows), options.comparison):
        if (
            model not in result.per_user
            or rows[label].measure not in columns_of(result.per_user, model)
            or _is_weighted(result, label, model)
        ):
            refuse_values(result, label, model)
        if "run" in columns_of(result.per_user, model):
            raise ConfigError("slices of a single model need one run of it", "compare it with another model, or evaluate one run")
        names = feature_names(result, options)
        stored = select(result.per_user, model, ["user", rows[label].measure, *names])
        values = stored[rows[label].measure].cast(pl.Float64).to_numpy()
        known = np.isfinite(values)
        stored = stored.filter(pl.Series(known))
        features = tuple(features_in({name: stored[name] for name in names}, notes))
        yield _Values(label, None, model, rows[label].higher_is_better, stored["user"], values[known], features)


def _counted(base: Floats, model: Floats) -> tuple[int, int]:
    """Return the number of users with both values, and that of users with only one."""
    one, other = np.isfinite(base), np.isfinite(model)
    return int((one & other).sum()), int((one ^ other).sum())


def _measures(result: Result, labels: Sequence[str], options: ComparisonOptions) -> tuple[str, ...]:
    """Return the measures to search: those of the options, or the first that is a mean of per-user values."""
    if options.measures:
        return all_named(options.measures, labels, definitions=result.definitions)
    of_users = [label for label in labels if not any(result.definitions[row.metric].of_models for row in result.rows if row.label == label)]
    return tuple(of_users[:1] or labels[:1])


def _is_weighted(result: Result, label: str, model: str) -> bool:
    return rows_of(result, model)[label].aggregate != "mean"


def refuse_values(result: Result, label: str, model: str) -> None:
    """Raise `ConfigError` for a measure that is not a mean of per-user values."""
    aggregate = rows_of(result, model)[label].aggregate
    if model not in result.per_user:
        raise ConfigError(f"the results of {model} have no per-user values", "evaluate again with output.per_user: [parquet]")
    if aggregate == "weighted":
        raise ConfigError(f"slices compare plain means, and {without_aggregate(label)[0]} is weighted", "leave out evaluation.weights")
    raise ConfigError(f"slices compare means of per-user values, and {label} is none", "choose another measure, such as --measure nDCG@10")


def feature_names(result: Result, options: SliceOptions) -> tuple[str, ...]:
    """Return the groupings of users to search; raise `ConfigError` if there are none, or not all that are named."""
    stored = tuple(name for name in result.user_groups if CROSS not in name)
    unknown = [name for name in options.by if name not in stored]
    if unknown or not stored:
        have = f"the results have {shortened(stored)}" if stored else "the results have no groups of users"
        wanted = f"no groups by {shortened(unknown)}: {have}" if unknown else have
        raise ConfigError(
            wanted,
            "give the config, receval slices CONFIG; or store groups with the results: "
            + worded("receval run CONFIG --by GROUPS -o DIR/", argument="receval.evaluate with by='GROUPS'"),
        )
    return options.by or stored


def features_in(columns: Mapping[str, pl.Series], notes: list[str]) -> Iterator[Feature]:
    """Yield the groupings with codes; a column of many whole numbers is cut into groups of about equal size."""
    for name, column in columns.items():
        texts = column.cast(pl.String).fill_null(MISSING)
        distinct = texts.unique().sort()
        if name.startswith("users.") and len(distinct) > _MOST_NUMBERS:
            numbers = texts.cast(pl.Int64, strict=False)
            if numbers.null_count() == texts.is_in([MISSING]).sum() and (least := numbers.min()) is not None and int(str(least)) >= 0:
                yield _number_feature(name, numbers)
                continue
        if len(distinct) < 2:
            notes.append(f"{name} has one group: it makes no slices.")
            continue
        codes = texts.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64).to_numpy()
        names = tuple(distinct.to_list())
        yield Feature(name, Groups(codes, len(distinct), names.index(MISSING) if MISSING in names else -1), names)


def _number_feature(name: str, numbers: pl.Series) -> Feature:
    """Return a column of whole numbers in groups of about equal size; the last group are users without a number."""
    known = numbers.drop_nulls().to_numpy()
    borders = equal_parts(known, _N_GROUPS)
    names = ranges(borders)
    codes = np.where(
        numbers.is_null().to_numpy(), len(names), np.searchsorted(np.asarray(borders), numbers.fill_null(0).to_numpy(), "right")
    )
    return Feature(name, Groups(codes.astype(np.int64), len(names) + 1, len(names)), (*names, MISSING))


def _slice(values: _Values, candidate: Candidate, test: SliceTest, groupings: Sequence[Groups]) -> UserSlice:
    conditions = tuple((values.features[index].name, values.features[index].names[code]) for index, code in candidate.conditions)
    better = values.higher_is_better
    words: tuple[Direction, Direction] = ("higher", "lower") if better is None or values.base is None else ("better", "worse")
    is_lower = candidate.lower if better is not False or values.base is None else not candidate.lower
    n_users = int(candidate.members(groupings).sum())
    tested = (test.mean, test.others, test.difference, test.low, test.high, test.p, test.p_adjusted, test.confirmed)
    return UserSlice(conditions, words[is_lower], candidate.score, n_users, test.n, test.n_apart, *tested)
