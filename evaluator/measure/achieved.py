"""The values of a model beside those of other lists over the same users, and the share of the best possible value that it achieves."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction

import polars as pl
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..results.result import Row
from ..sums.exact import ExactSums, rounded
from .partial import Partial
from .reads import of_hits
from .yardstick_facts import LeftOut
from .yardsticks import YardstickTask


def values_over_same_users(
    definitions: Sequence[Definition], rows: Sequence[Sequence[Row]], left_out: LeftOut, yardstick: YardstickTask, partial: Partial
) -> dict[str, float]:
    """Label → the mean of a yardstick over the users who count for a model, of measures that look at hits alone.

    `definitions` are the measures of the model, `rows` those of each measure, and `partial` is that of the yardstick. A user who has no
    value there, having nothing relevant, would have 0 with any list.
    """
    indexes = {definition: position for position, definition in enumerate(yardstick.task.definitions)}
    values = partial.user_values.frame() if left_out.frames and partial.user_values is not None else None
    means = {}
    for index, (definition, of_measure) in enumerate(zip(definitions, rows, strict=True)):
        row = next((row for row in of_measure if row.aggregate == "mean"), None)
        if row is None or not row.n_users or definition not in indexes or not of_hits(definition):
            continue
        position = indexes[definition]
        total = partial.moments.totals.fraction(position)
        if values is not None:
            total -= _total(values, f"v{position}", left_out.users(index))
        means[row.label] = rounded(total / row.n_users)
    return means


def _total(values: pl.DataFrame, column: str, users: pl.Series) -> Fraction:
    """The sum of the values of some users."""
    if not len(users):
        return Fraction(0)
    theirs = values.join(users.to_frame("user"), on="user", how="semi")[column].drop_nulls()
    return ExactSums.of(theirs.to_numpy()[None, :]).fraction(0)


def achieved_by_group(rows: Iterable[Row], of_best: Iterable[Row], labels: Container[str]) -> list[Row]:
    """Rows of groups of users with the share of the best possible value in each group that measures with those `labels` reach.

    `of_best` are the rows of the best possible lists. A group in which they have a value for other users than the model has no share, and a
    group of items has none: the best lists are the best for all relevant items together.
    """
    best = {(row.by, row.group, row.label): row for row in of_best if row.aggregate == "mean" and row.label in labels}
    shared = []
    for row in rows:
        other = best.get((row.by, row.group, row.label))
        alike = other is not None and other.n_users == row.n_users and not (row.by or "").startswith("items.")
        shared += achieved([row], {row.label: other.value or 0.0} if alike and other is not None else {})
    return shared


def achieved(rows: Iterable[Row], best: Mapping[str, float]) -> list[Row]:
    """Rows with the share of the best possible value that they reach, where more is better and the best is above 0."""
    return [
        replace(row, achieved=row.value / best[row.label])
        if row.value is not None and row.higher_is_better and row.aggregate == "mean" and best.get(row.label, 0.0) > 0
        else row
        for row in rows
    ]
