"""Errors of predicted ratings: p(i) is the predicted rating of item i, t(i) that of the test file.

Predictions are those of data.predictions; without them the scores of the lists are taken for ratings.
"""

from __future__ import annotations

import math

import narwhals as nw

from .collected import Table, Whole
from .measure import ONE, ZERO, Measure, Ratio, defined
from .registry import Number, metric

_NEEDS = ("predictions?", "ratings?")
_ERROR = nw.col("prediction") - nw.col("rating")
_RELEVANT = nw.col("relevant") > 0
_HERLOCKER = "Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004"


def _ratings(m: Measure) -> Table:
    duplicates, left_out = m.view.kept
    return m.table("ratings", "both", duplicates=duplicates, filter=left_out)


def _pooled(m: Measure, kind: str = "predicted") -> Whole:
    duplicates, left_out = m.view.kept
    return m.whole(kind, "found", duplicates=duplicates, filter=left_out)


def _mean_error(m: Measure, error: nw.Expr) -> Ratio:
    table, over = _ratings(m), m.params["over"]
    predicted = ~nw.col("prediction").is_null()
    if over == "predicted":
        return Ratio(table.sum(error.fill_null(0.0), "error"), table.tally(predicted, "predicted"), None)
    total = table.sum(nw.when(_RELEVANT).then(error.fill_null(0.0)).otherwise(ZERO), "error")
    return Ratio(total, m.n_relevant * 1.0 if over == "relevant" else table.tally(predicted & _RELEVANT, "predicted"), None)


@metric(
    "MSE",
    family="rating",
    bounds=(0.0, math.inf),
    aliases=("MeanSquaredError",),
    axes={"over": "error_over"},
    needs=_NEEDS,
    higher_is_better=False,
    cut=False,
    population="tested",
    reference=_HERLOCKER,
)
def mse(m: Measure) -> Ratio:
    """The mean squared error of the user's predicted ratings.

    MSE = 1/n · Σ_i (p(i) - t(i))²

    By `over` the sum runs over the n test ratings with a prediction (`predicted`), over those that are relevant (`predicted_relevant`), or
    over the n relevant test items, of which those without a prediction add no error (`relevant`). Pooled over users (`micro`) every rating
    weighs the same.

    Edge cases: a user without such a rating is left out. A pair that stands twice in the predictions counts with its highest prediction.
    """
    return _mean_error(m, _ERROR * _ERROR)


@metric(
    "RMSE",
    family="rating",
    bounds=(0.0, math.inf),
    combines=("MSE",),
    aliases=("RootMeanSquaredError",),
    needs=_NEEDS,
    higher_is_better=False,
    cut=False,
    population="tested",
    reference=_HERLOCKER,
)
def rmse(m: Measure) -> nw.Expr:
    """The root of the mean squared error of the user's predicted ratings.

    RMSE = √MSE

    Pooled over users (`micro`) it is the root of the pooled MSE, in which every rating weighs the same.

    Edge cases: as for MSE.
    """
    return m.of[0].sqrt()


@metric(
    "MAE",
    family="rating",
    bounds=(0.0, math.inf),
    aliases=("MeanAbsoluteError",),
    axes={"over": "error_over"},
    needs=_NEEDS,
    higher_is_better=False,
    cut=False,
    population="tested",
    reference=_HERLOCKER,
)
def mae(m: Measure) -> Ratio:
    """The mean absolute error of the user's predicted ratings.

    MAE = 1/n · Σ_i |p(i) - t(i)|

    The parameter `over` and pooling are those of MSE. Edge cases: as for MSE.
    """
    return _mean_error(m, _ERROR.abs())


@metric(
    "Unpredicted",
    family="rating",
    bounds=(0.0, math.inf),
    aliases=("unk",),
    needs=_NEEDS,
    higher_is_better=False,
    cut=False,
    average="sum",
    population="tested",
    reference="the number of unknown predictions that rating errors are silent about",
)
def unpredicted(m: Measure) -> nw.Expr:
    """The number of the user's test ratings without a prediction; over users, their sum.

    Unpredicted = |{i : t(i) is there, p(i) is not}|

    Edge cases: 0 for a user all of whose ratings are predicted.
    """
    return _ratings(m).tally(nw.col("prediction").is_null(), "unpredicted")


def _explained(m: Measure, left: nw.Expr) -> nw.Expr:
    """1 - `left` / Σ (t - mean t)²; where all ratings are equal, 1 if nothing is left, else 0."""
    table = _pooled(m)
    n, off = table.sum(nw.col("one")), nw.col("rating_off")
    squares = table.sum(off * off)
    spread = squares - _mean(table.sum(off) * table.sum(off), n)
    constant = spread <= squares * 1e-12
    flat = nw.when(left <= table.sum(nw.col("rating") * nw.col("rating")) * 1e-28).then(ONE).otherwise(ZERO)
    value = nw.when(constant).then(flat).otherwise(1.0 - left / nw.when(constant).then(ONE).otherwise(spread))
    return nw.when(n > 1).then(value)


def _mean(total: nw.Expr, n: nw.Expr) -> nw.Expr:
    """`total / n`, and `total` where there is nothing to count."""
    return total / nw.max_horizontal(n, ONE)


@metric(
    "R2",
    family="rating",
    bounds=(-math.inf, 1.0),
    aliases=("RSquared",),
    needs=_NEEDS,
    system=True,
    cut=False,
    population="tested",
    reference="coefficient of determination, as sklearn.metrics.r2_score",
)
def r_squared(m: Measure) -> nw.Expr:
    """The share of the variance of the ratings that the predictions explain, over all users together.

    R2 = 1 - Σ (p - t)² / Σ (t - mean t)²

    Edge cases: with less than two predicted ratings there is no value; where all ratings are equal 1 if all predictions are right, else 0.
    """
    return _explained(m, _pooled(m).sum(_ERROR * _ERROR))


@metric(
    "ExplainedVariance",
    family="rating",
    bounds=(-math.inf, 1.0),
    aliases=("exp_var",),
    needs=_NEEDS,
    system=True,
    cut=False,
    population="tested",
    reference="explained variance, as sklearn.metrics.explained_variance_score",
)
def explained_variance(m: Measure) -> nw.Expr:
    """R2 of predictions from which their mean error was taken, over all users together.

    ExplainedVariance = 1 - Var(t - p) / Var(t)

    Edge cases: as for R2.
    """
    table, off = _pooled(m), nw.col("error_off")
    total = table.sum(off)
    return _explained(m, nw.max_horizontal(table.sum(off * off) - _mean(total * total, table.sum(nw.col("one"))), ZERO))


@metric(
    "LogLoss",
    family="rating",
    bounds=(0.0, math.inf),
    numbers={"eps": Number(1e-15, "how near a prediction may come to 0 and to 1", least=1e-300, most=0.5)},
    needs=_NEEDS,
    system=True,
    higher_is_better=False,
    cut=False,
    population="tested",
    reference="logistic loss, as sklearn.metrics.log_loss",
)
def log_loss(m: Measure) -> nw.Expr:
    """How far predicted probabilities are from what is relevant, over all users together.

    LogLoss = -1/n · Σ_i (y(i)·ln p(i) + (1 - y(i))·ln(1 - p(i))), y(i) = 1 if item i is relevant, else 0

    A prediction is taken for a probability, and moved to lie between `eps` and 1 - `eps`.

    Edge cases: without a predicted rating there is no value.
    """
    eps = float(m.params["eps"])
    p = nw.min_horizontal(nw.max_horizontal(nw.col("prediction"), nw.lit(eps)), nw.lit(1.0 - eps))
    loss = nw.when(_RELEVANT).then(p.log(base=math.e)).otherwise((1.0 - p).log(base=math.e))
    table = _pooled(m)
    return defined(0.0 - table.sum(loss), table.sum(nw.col("one")))


@metric(
    "LabelAUC",
    family="rating",
    needs=_NEEDS,
    system=True,
    cut=False,
    population="tested",
    reference="Hanley and McNeil, Radiology 143(1), 1982; as sklearn.metrics.roc_auc_score",
)
def label_auc(m: Measure) -> nw.Expr:
    """The share of pairs of a relevant and another test rating, of any users, of which the relevant one has the higher prediction.

    LabelAUC = (Σ_{i relevant} rank(i) - P·(P + 1)/2) / (P·N), P ratings being relevant and N not; equal predictions share their mean rank

    Edge cases: without a relevant rating, or without another, there is no value.
    """
    table = _pooled(m, "levels")
    right = table.sum(nw.col("positive") * (nw.col("below") + nw.col("negative") / 2.0))
    return defined(right, table.sum(nw.col("positive")) * table.sum(nw.col("negative")))
