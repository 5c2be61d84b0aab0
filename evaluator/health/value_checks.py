"""Checks of values, T04, X13 and X14: too few users, impossible values, and models no better than popularity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Final

import numpy as np
import polars as pl

from ..metrics.definition import Definition
from ..results.result import Row
from ..scoring.aggregate import compute_aggregate
from ..scoring.partial import MomentTable
from ..tables.array import Array
from ..tables.hits import train_pairs
from ..tables.ids import gather
from ..tables.lists import Reading
from ..tables.prepared import Prepared
from ..tables.rows import LISTS, PartData, within_users
from ..tables.truth import TEST
from .checker import Context, HealthCheck, Symptom, check, count_text, share_text
from .examined import ExaminedPart
from .tallies import Examples, KeptRows, Sizes, Tally

_TOLERANCE: Final = 1e-9
_AS_LONG: Final = 0.9
"""Lists of this share of another length, or more, are not clearly shorter: full rankings leave out the seen items of the user."""
_Z: Final = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


def _first_of_users(definitions: Sequence[Definition]) -> int | None:
    """Return the index of the first measure with per-user values."""
    return next((index for index, definition in enumerate(definitions) if not definition.metric.per_model), None)


@check("T04")
class TooFewUsers(HealthCheck):
    """Too few users who count for the first measure, or too few to detect the configured difference."""

    def tally(self, part: ExaminedPart) -> Tally:
        index = _first_of_users(part.definitions)
        if index is None:
            return Tally()
        values = part.values[index : index + 1]
        sums = ("mean", "std") if part.setting.limits["mde"] else ("mean",)
        return Tally.of(moments=MomentTable.from_values(values, ~np.isnan(values), sums))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        index = _first_of_users(context.definitions)
        if index is None:
            return []
        moments, label = tally["moments"].measure(0), context.rows_by_measure[index][0].label
        n, least = moments.n, context.limit(self.id, "min_users")
        symptoms: list[Symptom] = []
        if n < least:
            few = "Only 1 user counts" if n == 1 else f"Only {n:,} users count" if n else "No user counts"
            symptoms += self.symptom(context, f"{few} for {label}; with fewer than {least:g} its value is very uncertain.", 1, 1)
        mde = context.setting(self.id).limits["mde"]
        deviation = compute_aggregate("std", moments, ddof=1)["std"] if mde and n > 1 else None
        if mde and deviation is not None and math.isfinite(deviation):
            needed = math.ceil((_Z * deviation / mde) ** 2)
            if n < needed:
                spread = f"{n:,} users count for {label}, whose standard deviation is {deviation:.4f}"
                sentence = f"{spread}: a difference of {mde:g} needs {needed:,} users to be detected."
                symptoms += self.symptom(context, sentence, 1, 1, details={"users_needed": needed})
        return symptoms


@check("X13", wants=("reference_lists",))
class ImpossibleValues(HealthCheck):
    """Values outside of the bounds of their metric, and values above those of the best possible lists."""

    def tally(self, part: ExaminedPart) -> Tally:
        bounds = np.asarray([definition.bounds for definition in part.definitions], dtype=np.float64)
        values = part.values
        odd = (values < bounds[:, :1] - _TOLERANCE) | (values > bounds[:, 1:] + _TOLERANCE)
        valued = np.count_nonzero(~np.isnan(values), axis=1)
        noted: dict[str, object] = {f"valued_{index}": int(n) for index, n in enumerate(valued)}
        for index in np.flatnonzero(odd.any(axis=1)).tolist():
            if part.definitions[index].metric.per_model:
                continue
            users = np.flatnonzero(odd[index])
            frame = pl.DataFrame({"user": gather(part.data.users, users), "value": values[index, users]})
            extreme = frame.with_columns(size=pl.col("value").abs()).select("size", "value")
            duplicates = {f"{role}_{index}": n for role, n in duplicates_of(part.data, users).items()}
            noted |= duplicates | {
                f"odd_{index}": len(users),
                f"examples_{index}": Examples.of(frame),
                f"extreme_{index}": Examples.of(extreme, ("size", "value"), most=1),
                **({f"rows_{index}": KeptRows((frame,))} if part.keeps_rows else {}),
            }
        return Tally(noted)

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        symptoms: list[Symptom] = []
        for index, (definition, rows) in enumerate(zip(context.definitions, context.rows_by_measure, strict=True)):
            if rows and definition.metric.per_model:
                symptoms += self._model_symptoms(rows[0], definition, context)
            elif rows:
                symptoms += self._user_symptoms(tally, index, rows[0].label, definition, context)
        return symptoms

    def _user_symptoms(self, tally: Tally, index: int, label: str, definition: Definition, context: Context) -> list[Symptom]:
        n, total = tally.count(f"odd_{index}"), tally.count(f"valued_{index}")
        if not n:
            return []
        bounds = definition.bounds
        (extreme,) = tally[f"extreme_{index}"].values("value")
        subject = f"{label} of {share_text(n, total, 'users')}"
        duplicates = {role: tally.count(f"{role}_{index}") for role in (LISTS, TEST)}
        outside = _outside(definition, cause(definition, duplicates, context.prepared))
        far = f"{'up' if extreme > bounds[1] else 'down'} to {extreme:.4g}"
        sentence = f"{subject} is {outside.format(far)}."
        examples = [f"user {user}: {value:.4g}" for user, value in tally[f"examples_{index}"].frame.rows()]
        rows = tally.rows(f"rows_{index}")
        return self.symptom(context, sentence, n, total, examples=examples, rows=None if rows is None else rows.rename({"value": label}))

    def _model_symptoms(self, row: Row, definition: Definition, context: Context) -> list[Symptom]:
        least, most = definition.bounds
        value = row.value if row.aggregate in ("mean", "system") else None
        if value is None or least - _TOLERANCE <= value <= most + _TOLERANCE:
            return []
        outside = _outside(definition, cause(definition, {}, context.prepared))
        return self.symptom(context, f"{row.label} is {outside.format(f'{value:.4g}')}.", 1, 1)

    def comparison(self, tally: Tally, context: Context) -> list[Symptom]:
        compared = list(_paired(context, context.best))
        above = [
            f"{row.label} {value:.4f} above {best:.4f}"
            for row, value, best in compared
            if row.higher_is_better and value > best + _TOLERANCE
        ]
        return self.symptom(context, f"The model is better than the best possible list: {_first_three(above)}.", len(above), len(compared))


@check("X14", uses=("reading",), wants=("popularity_lists",))
class NoBetterThanPopularity(HealthCheck):
    """Measures of the config at or below the popularity baseline.

    A model whose lists are those of this baseline cannot be better, and is skipped. It is not skipped if its lists of the most popular
    items treat seen items differently from the baseline.

    The lists of this baseline are as long as the longest list of any model of the run, and reach the largest cut-off. A model most of whose
    lists are clearly shorter is not compared in measures without a cut-off, in which longer lists have more hits.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        n_lists, n_popular, n_unseen_popular = popular_lists(part.table("reading"), part.data, part.prepared)
        sizes = Sizes.from_lengths(part.lists.counts)
        return Tally.of(lists=n_lists, popular=n_popular, unseen_popular=n_unseen_popular, sizes=sizes)

    def comparison(self, tally: Tally, context: Context) -> list[Symptom]:
        margin = context.limit(self.id, "margin")
        left_out = self._labels_of_whole_lists(tally, context)
        compared = [pair for pair in _paired(context, context.baseline) if pair[0].label in context.shown and pair[0].label not in left_out]
        if self.is_popularity(tally, context):
            return []
        below = [
            f"{row.label} {value:.4f} against {floor:.4f}"
            for row, value, floor in compared
            if (value - floor) * (1 if row.higher_is_better else -1) <= margin
        ]
        more = f" by more than {margin:g}" if margin else ""
        sentence = (
            f"{share_text(len(below), len(compared), 'measures')} are not above the popularity baseline{more}: {_first_three(below)}."
        )
        sentence += f" The lists of this baseline {context.popularity_rule.sentence}."
        return self.symptom(context, sentence, len(below), len(compared))

    def remark(self, tally: Tally, context: Context) -> str:
        if not self.is_popularity(tally, context):
            return ""
        return f"its lists are those of the popularity baseline, so {self.id} skips it"

    @staticmethod
    def _labels_of_whole_lists(tally: Tally, context: Context) -> set[str]:
        """Return the labels of measures without a cut-off if most lists are clearly shorter than those of the baseline; else nothing."""
        n_lists: Mapping[int, int] = tally["sizes"].n_lists
        n_short = sum(n for size, n in n_lists.items() if size < _AS_LONG * context.baseline_depth)
        if 2 * n_short <= sum(n_lists.values()):
            return set()
        measures = zip(context.definitions, context.rows_by_measure, strict=True)
        return {row.label for definition, rows in measures if any(part.k is None for part in definition.all) for row in rows}

    @staticmethod
    def is_popularity(tally: Tally, context: Context) -> bool:
        """Return whether all lists are those of the baseline: the most popular items, with the same treatment of the user's train items."""
        rule = context.popularity_rule
        unseen, every = (0 < tally.count("lists") == tally.count(name) for name in ("unseen_popular", "popular"))
        return unseen or every if rule.reads_without else unseen if rule.leaves_out else every


def _outside(definition: Definition, why: str) -> str:
    """Say that a value, inserted at `{}`, is outside of the range of its metric, and why if the cause is known."""
    least, most = definition.bounds
    between = f"{least:g} or more" if math.isinf(most) else f"{most:g} or less" if math.isinf(least) else f"{least:g} to {most:g}"
    return f"outside of its range ({between}), {{}}" + (f", because {why}" if why else "; no cause is known")


def _paired(context: Context, others: Mapping[str, float]) -> Iterator[tuple[Row, float, float]]:
    """Yield each mean of the model with the value of the same measure in `others`: the row, its value, the other value."""
    for rows in context.rows_by_measure:
        for row in rows:
            if row.aggregate == "mean" and row.value is not None and row.label in others:
                yield row, row.value, others[row.label]


def _first_three(texts: Sequence[str]) -> str:
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


_SINGLE: Final = ("keep_best_rank", "keep_last_row", "sum_scores")
"""Policies under which an item is in a list once."""
_SUMMED: Final = ("rows", "rows_count", "sum")
"""Policies under which a duplicate test row changes a value."""


def duplicates_of(data: PartData, users: Array) -> dict[str, int]:
    """Return the number of duplicate rows of some users of a part, given by their indexes: in their lists, and in the test file."""
    inside = np.zeros(data.n_users, dtype=np.bool_)
    inside[users] = True
    counts = {}
    for role in (LISTS, TEST):
        rows = data.rows(role)
        frame = rows.frame.select("user", "item").filter(inside[rows.user])
        counts[role] = len(frame) - frame.n_unique()
    return counts


def cause(definition: Definition, duplicates: Mapping[str, int], prepared: Prepared) -> str:
    """Return why the values of a measure are outside of its range, and what to do; empty if no cause is known.

    `duplicates` are those of the users whose values are outside.
    """
    each = definition.all
    in_train = int(prepared.numbers.get("train_rows", 0) - prepared.numbers.get("train_pairs", 0))
    if in_train and any(part.params.get("count") == "rows" for part in each):
        rows = count_text(in_train, "duplicate row")
        return f"data.train has {rows}, and count=rows counts each of them; remove them or set count=users"
    in_lists = duplicates.get(LISTS, 0)
    if in_lists and any(part.lists.duplicates not in _SINGLE for part in each):
        policy = "evaluation.policy.duplicates: keep_best_rank"
        return f"their lists have {count_text(in_lists, 'duplicate row')}; remove them or set {policy}"
    in_test = duplicates.get(TEST, 0)
    if in_test and any(part.truth.duplicates in _SUMMED for part in each):
        policy = "evaluation.policy.truth_duplicates: best"
        return f"the test file has {count_text(in_test, 'duplicate row')} for them; remove them or set {policy}"
    other = next((part.metric for part in each if part.metric.origin != "receval"), None)
    if other is not None:
        return f"{other.origin} defines {other.name}, and its formula and its bounds differ; correct one of them"
    return ""


_FIRST: Final = 10_000
"""Number of rows to test before all of them: only few models order their lists by popularity."""


def popular_lists(reading: Reading, part: PartData, prepared: Prepared) -> tuple[int, int, int]:
    """Return three numbers of lists: all, those of the most popular items, and those of the most popular items that the user has not seen.

    The last two are 0 if any list is not ordered by popularity.
    """
    listed = np.flatnonzero(np.diff(reading.starts))
    n_lists = len(listed)
    popularity = np.append(prepared.train_rows, 0)
    if not n_lists or reading.repeats or any(_rises(popularity, reading, n_rows) for n_rows in (_FIRST, len(reading))):
        return n_lists, 0, 0
    row = popularity[reading.item_index]
    least = np.zeros(part.n_users, dtype=row.dtype)
    least[listed] = row[reading.starts[listed + 1] - 1]
    n_above = np.bincount(reading.user[row > least[reading.user]], minlength=part.n_users)
    train = train_pairs(part)
    of_train = popularity[prepared.items.index_of(train.item)]
    n_seen_above = np.bincount(train.user[of_train > least[train.user]], minlength=part.n_users)
    n_seen = np.bincount(reading.user[part.lookup_of_train.find(reading.pairs)[0]], minlength=part.n_users)
    levels = np.sort(popularity[:-1])
    n_more_popular = len(levels) - np.searchsorted(levels, least, side="right")
    popular = n_above == n_more_popular
    unseen_popular = (n_seen == 0) & (n_above == n_more_popular - n_seen_above)
    return n_lists, int(popular[listed].sum()), int(unseen_popular[listed].sum())


def _rises(popularity: Array, reading: Reading, n_rows: int) -> bool:
    """Return whether an item in the first rows of the lists is below a less popular one."""
    row = popularity[reading.item_index[:n_rows]]
    return bool(within_users(row[1:] > row[:-1], reading.starts).any())
