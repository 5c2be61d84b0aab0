"""Compare the values of two epochs, or of two trials, by their users."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import polars as pl

from ..api.calls import Evaluator
from ..api.epoch_values import EpochValues
from ..comparison.model_pair import value_range
from ..results.row import Row
from ..stats.concluding import judge_family
from ..stats.difference import Difference, Settings, Subject
from ..stats.two_models import difference_of, estimate_paired
from ..support.errors import ConfigError, MissingExtraError

PREFIX: Final = "receval/"
"""Start of the names under which values are logged: `receval/nDCG@10`."""
_LEAST_RESAMPLES: Final = 9_999
_ABOVE_FLOOR: Final = 4
"""The lowest possible p value of a resampling test is below the level by this factor."""


class NamedValues(NamedTuple):
    """The values of an epoch with its name in sentences."""

    name: str
    values: EpochValues


def row_to_watch(values: EpochValues, measure: str) -> Row:
    """Return the row of a measure, by default of the first; raise `ConfigError` if users cannot tell whether it is better."""
    if measure and measure not in values.rows:
        raise ConfigError(f"measure {measure!r} is not one of the Evaluator", f"its measures are {', '.join(values)}")
    row = values.rows[measure or next(iter(values))]
    if values.per_user is None:
        raise ConfigError("the Evaluator keeps no per-user values", "create it with keep_users=True")
    if row.measure not in values.per_user.columns or row.aggregate in ("micro", "weighted", "system"):
        raise ConfigError(f"{row.label} is not a mean over users, so it has no interval", "watch another measure: measure='nDCG@10'")
    if row.higher_is_better is None:
        raise ConfigError(f"{row.label} has no better direction", "watch another measure: measure='nDCG@10'")
    return row


def judge(base: NamedValues, other: NamedValues, row: Row, alpha: float) -> Difference:
    """Return the difference between two epochs with its verdict: `better` or `worse` is each wrong with probability `alpha` at most.

    The interval is that of level 1 - 2·`alpha`, over users who have a value in both; few or skewed changes are treated as in comparisons.
    """
    settings = Settings(alpha=2 * alpha, resamples=max(_LEAST_RESAMPLES, math.ceil(_ABOVE_FLOOR / alpha)))
    joined = _user_values(base.values, row, "base").join(_user_values(other.values, row, "other"), on="user", how="full")
    a, b = (joined[side].fill_null(math.nan).to_numpy() for side in ("base", "other"))
    subject = Subject(row.label, base.name, other.name, row.higher_is_better, row.k, row.aggregate)
    estimate = estimate_paired(a, b, settings, row.aggregate, relative=False)
    return judge_family([difference_of(subject, estimate, settings, None, value_range(row, lambda: (a, b)))], settings)[0]


def _user_values(values: EpochValues, row: Row, side: str) -> pl.DataFrame:
    """Return the value of each user in a column `side`; ids are text, because lists with text ids make all ids text."""
    assert values.per_user is not None
    return values.per_user.select(pl.col("user").cast(pl.String), pl.col(row.measure).alias(side))


def logged(values: Mapping[str, float | None]) -> dict[str, float]:
    """Return the defined values under the names of logs."""
    return {f"{PREFIX}{label}": value for label, value in values.items() if value is not None}


def refuse_without_users(evaluator: Evaluator, stopping: object) -> None:
    """Raise `ConfigError` if an evaluator has no per-user values and there is early `stopping`, which needs them, before the training."""
    if stopping is not None and not evaluator.keeps_users:
        raise ConfigError("early stopping compares users, but the Evaluator keeps no per-user values", "create it with keep_users=True")


def missing_library(error: ModuleNotFoundError, module: str, *packages: str) -> Exception:
    """Return the error about the one of `packages` that a module needs and pip can install; the same error if something else is missing."""
    package = (error.name or "").partition(".")[0]
    if package not in packages:
        return error
    return MissingExtraError(f"receval.integrations.{module} needs {package}, which is not installed", f"pip install {package}")
