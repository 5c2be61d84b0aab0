"""Errors of predicted ratings: p(i) is the predicted rating of item i, t(i) its rating in the test file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import table
from ..tables.hits import TestRatings, scores_of
from ..tables.rows import PartData, Rows
from ..tables.truth import TestPairs, TruthTable
from . import registry
from .arrays import NO_VALUE, divide_or_missing, fill, is_missing, where
from .measure import Measure, Ratio
from .notation import tex
from .registry import Number
from .table_views import CutTable


@table(
    "ratings",
    uses=("part", "test_pairs", "test_ratings", "scored_pairs"),
    columns=("item", "rating", "prediction"),
    title="The test ratings",
)
def ratings(part: PartData, test_pairs: TestPairs, test_ratings: TestRatings, scored_pairs: Rows) -> Rows:
    """Return every test rating (one per row if every row counts), all with rank 1: `rating`, and `prediction` (NaN without one).

    Of several predictions of a pair the highest counts; without predictions the scores of the lists are used.
    """
    prediction = np.full(len(test_pairs), np.nan)
    if "predictions" in part:
        row, pair = test_pairs.lookup.find(part.pairs["predictions"])
        np.fmax.at(prediction, pair, part.rows("predictions").column("prediction").astype(np.float64)[row])
    else:
        prediction[scored_pairs["pair"]] = scores_of(scored_pairs)
    pair = test_ratings.pair
    columns = {
        "rank": np.ones(len(pair), dtype=np.int64),
        "rating": test_ratings.rating,
        "prediction": prediction[pair],
    }
    return Rows(part.n_users, test_pairs.user[pair], columns, test_pairs.item.gather(pair))


@table(
    "judged_ratings",
    uses=("ratings", "test_ratings", "truth_table"),
    columns=("item", "rating", "prediction", "relevant"),
    title="The test ratings",
)
def judged_ratings(ratings: Rows, test_ratings: TestRatings, truth_table: TruthTable) -> Rows:
    """Return the test ratings with `relevant`."""
    columns = {name: ratings[name] for name in ("rank", "rating", "prediction")}
    return Rows(ratings.n_users, ratings.user, {**columns, "relevant": truth_table.relevant[test_ratings.pair]}, ratings.item)


_OVER = {
    "predicted": r"\frac{1}{|P_u|} \sum_{i \in P_u}",
    "predicted_relevant": r"\frac{1}{|P_u \cap T_u|} \sum_{i \in P_u \cap T_u}",
    "relevant": r"\frac{1}{|T_u|} \sum_{i \in P_u \cap T_u}",
}
_LEFT_OUT = "A user without a predicted test item has no value (NaN) and is left out of the mean."
_HERLOCKER = "Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004"


def _error(rows: CutTable) -> Array:
    """Return the error of every test rating, missing where there is no prediction."""
    return rows["prediction"] - rows["rating"]


def _uses_of_error(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the tables of a mean error: only those over relevant items read what is relevant."""
    return ("ratings",) if params["over"] == "predicted" else ("judged_ratings", "n_relevant")


def _ratings(m: Measure) -> CutTable:
    return m.table("ratings" if m.params["over"] == "predicted" else "judged_ratings")


def _mean_error(m: Measure, error: Array) -> Ratio:
    """Return the mean of `error`, one number for each test rating, over the ratings that the parameter `over` selects."""
    rows, over = _ratings(m), m.params["over"]
    predicted = ~is_missing(error)
    if over == "predicted":
        return Ratio(rows.sum(fill(error, 0.0), "error"), rows.tally(predicted, "predicted"), None)
    relevant = rows["relevant"]
    total = rows.sum(where(relevant, fill(error, 0.0), 0.0), "error")
    return Ratio(total, m.n_relevant if over == "relevant" else rows.tally(predicted & relevant, "predicted"), None)


metric = partial(registry.metric, family="rating", needs=("predictions?", "ratings?"), cut=False, population="tested")
of_error = partial(metric, uses=_uses_of_error, axes={"over": "error_over"}, higher_is_better=False, left_out=_LEFT_OUT)
of_variance = partial(metric, uses=("ratings",), bounds=(-math.inf, 1.0), per_model=True)


@of_error(
    "MSE",
    bounds=(0.0, math.inf),
    aliases=("MeanSquaredError",),
    tex=tex(r"<over> (\hat{y}_{u,i} - y_{u,i})^2", over=_OVER),
    reference=_HERLOCKER,
)
def mse(m: Measure) -> Ratio:
    """The mean squared error of predicted ratings; use it if one large error is worse than many small ones.

    Pooled over users (`micro`) every rating weighs the same.

    Edge cases: a user without such a rating is left out. A pair that appears twice in the predictions counts with its highest prediction.
    For a pair that appears twice in the test file `truth_duplicates` decides: with `rows` and `rows_count` each row has its own error.
    """
    return _mean_error(m, _error(_ratings(m)) ** 2)


@metric(
    "RMSE",
    uses=(),
    bounds=(0.0, math.inf),
    combines=("MSE",),
    aliases=("RootMeanSquaredError",),
    higher_is_better=False,
    left_out=_LEFT_OUT,
    tex=r"\sqrt{M_1}",
    reference=_HERLOCKER,
)
def rmse(m: Measure) -> Array:
    """The root of the mean squared error, in the unit of the ratings; the default choice for predicted ratings.

    Pooled over users (`micro`) it is the root of the pooled MSE, in which every rating weighs the same.

    Edge cases: as for MSE.
    """
    return np.asarray(np.sqrt(m.components[0]))


@of_error(
    "MAE",
    bounds=(0.0, math.inf),
    aliases=("MeanAbsoluteError",),
    tex=tex(r"<over> |\hat{y}_{u,i} - y_{u,i}|", over=_OVER),
    reference=_HERLOCKER,
)
def mae(m: Measure) -> Ratio:
    """The mean absolute error of predicted ratings; use it instead of RMSE if large errors should not weigh more than their size.

    Pooling works as for MSE.

    Edge cases: as for MSE.
    """
    return _mean_error(m, np.abs(_error(_ratings(m))))


@of_error(
    "SMAPE",
    bounds=(0.0, 2.0),
    aliases=("SymmetricMeanAbsolutePercentageError",),
    tex=tex(r"<over> \frac{2\,|\hat{y}_{u,i} - y_{u,i}|}{|\hat{y}_{u,i}| + |y_{u,i}|}", over=_OVER),
    reference="Makridakis, Accuracy measures: theoretical and practical concerns, International Journal of Forecasting 9(4), 1993",
)
def smape(m: Measure) -> Ratio:
    """The mean relative error of predicted ratings, from 0 to 2; use it if an error of 1 is worse at a rating of 1 than at one of 10.

    SMAPE is short for symmetric mean absolute percentage error, here as a share, not in percent. The parameter `over` and pooling work as
    for MSE.

    Edge cases: as for MSE; an item whose rating and prediction are 0 has no error.
    """
    rows = _ratings(m)
    error, size = np.abs(_error(rows)), np.abs(rows["prediction"]) + np.abs(rows["rating"])
    return _mean_error(m, np.where(size == 0, 0.0, 2.0 * error / np.where(size == 0, 1.0, size)))


@metric(
    "Unpredicted",
    is_count=True,
    uses=("ratings",),
    aliases=("unk",),
    higher_is_better=False,
    average="sum",
    tex=r"|J_u \setminus P_u|",
    reference="the number of test ratings without a prediction, which rating errors leave out",
)
def unpredicted(m: Measure) -> Array:
    """The number of test ratings without a prediction; use it to see how many ratings the error metrics leave out.

    This is the value of one user; the values are added up over users.

    Edge cases: 0 for a user with a prediction for every rating.
    """
    rows = m.table("ratings")
    return rows.tally(is_missing(rows["prediction"]), "unpredicted")


def _explained_share(m: Measure, left: Array) -> Array:
    """Return 1 - `left` / Σ (t - mean t)²; if all ratings are equal, 1 if nothing is left, else 0."""
    rows = m.table("ratings")
    predicted = ~is_missing(rows["prediction"])
    off = where(predicted, rows["rating"] - m.number("least_rating"), 0.0)  # near 0, so that the squares keep their digits
    n, total, squares = (m.total(sums) for sums in (rows.tally(predicted), rows.sum(off), rows.sum(off * off)))
    spread = squares - _mean(total * total, n)
    constant = spread <= squares * 1e-12
    flat = where(left <= m.total(rows.sum(where(predicted, rows["rating"] ** 2, 0.0))) * 1e-28, 1.0, 0.0)
    value = where(constant, flat, 1.0 - left / where(constant, 1.0, spread))
    return where(n > 1, value, NO_VALUE)


def _mean(total: Array, n: Array) -> Array:
    """Return `total / n`, or `total` where n is 0."""
    return total / np.maximum(n, 1.0)


@of_variance(
    "R2",
    aliases=("RSquared",),
    tex=r"1 - \frac{\sum_{u \in U} \sum_{i \in P_u} (\hat{y}_{u,i} - y_{u,i})^2}{\sum_{u \in U} \sum_{i \in P_u} (y_{u,i} - \bar{y})^2}",
    reference="coefficient of determination, as sklearn.metrics.r2_score",
)
def r_squared(m: Measure) -> Array:
    """The share of the variance of the ratings that the predictions explain; use it to compare data with different rating scales.

    The sums run over all users together.

    Edge cases: with fewer than two predicted ratings there is no value. If all ratings are equal, the value is 1 if all predictions are
    right, otherwise 0.
    """
    rows = m.table("ratings")
    return _explained_share(m, m.total(rows.sum(fill(_error(rows), 0.0) ** 2)))


@of_variance(
    "ExplainedVariance",
    aliases=("exp_var",),
    tex=r"1 - \frac{\mathrm{Var}(y_{u,i} - \hat{y}_{u,i})}{\mathrm{Var}(y_{u,i})}",
    reference="explained variance, as sklearn.metrics.explained_variance_score",
)
def explained_variance(m: Measure) -> Array:
    """R2 apart from a constant error; use it if all predictions may be too high, or too low, by the same amount.

    It is R2 after the mean error is subtracted from the predictions. The variances are those over all users together.

    Edge cases: as for R2.
    """
    rows = m.table("ratings")
    error = _error(rows)
    total, squares, n = (
        m.total(sums) for sums in (rows.sum(fill(error, 0.0)), rows.sum(fill(error, 0.0) ** 2), rows.tally(~is_missing(error)))
    )
    return _explained_share(m, np.maximum(squares - _mean(total * total, n), 0.0))


@metric(
    "LogLoss",
    uses=("judged_ratings",),
    bounds=(0.0, math.inf),
    numbers={"eps": Number(1e-15, "how close to 0 and 1 a prediction may be", least=1e-300, most=0.5, symbol=r"\varepsilon")},
    per_model=True,
    higher_is_better=False,
    tex=(
        r"-\frac{1}{\sum_{u \in U} |P_u|} "
        r"\sum_{u \in U} \sum_{i \in P_u} \bigl([i \in T_u] \ln \pi_{u,i} + [i \notin T_u] \ln(1 - \pi_{u,i})\bigr) "
        r"\\ \pi_{u,i} = \min(\max(\hat{y}_{u,i}, \varepsilon), 1 - \varepsilon)"
    ),
    reference="logistic loss, as sklearn.metrics.log_loss",
)
def log_loss(m: Measure) -> Array:
    """How far predicted probabilities are from what is relevant; use it if predictions are probabilities and should be calibrated.

    The sum runs over all users together. A prediction is read as a probability, and moved to lie between `eps` and 1 - `eps`.

    Edge cases: without a predicted rating there is no value.
    """
    eps = float(m.params["eps"])
    rows = m.table("judged_ratings")
    predicted = ~is_missing(rows["prediction"])
    p = np.clip(rows["prediction"], eps, 1.0 - eps)
    with np.errstate(divide="ignore"):  # 1 - eps may be 1
        loss = where(predicted, -np.log(where(rows["relevant"], p, 1.0 - p)), 0.0)
    boundless = np.isinf(loss)
    total, n_boundless = m.total(rows.sum(where(boundless, 0.0, loss))), m.total(rows.tally(boundless))
    return divide_or_missing(where(n_boundless > 0, math.inf, total), m.total(rows.tally(predicted)))


@metric(
    "LabelAUC",
    uses=("levels",),
    per_model=True,
    tex=(
        r"\frac{1}{P\,N} \biggl(\sum_{u \in U} \sum_{i \in P_u \cap T_u} \rho_{u,i} - \frac{P\,(P + 1)}{2}\biggr) \\ "
        r"P = \sum_{u \in U} |P_u \cap T_u|, \quad N = \sum_{u \in U} |P_u \setminus T_u|"
    ),
    reference="Hanley and McNeil, Radiology 143(1), 1982; as sklearn.metrics.roc_auc_score",
)
def label_auc(m: Measure) -> Array:
    """How often a relevant test row has a higher prediction than another test row, of any user; use it for clicks and other labels.

    The pairs are those of a relevant test rating and one that is not relevant.

    Edge cases: without a relevant rating, or without one that is not relevant, there is no value.
    """
    levels = m.items("levels")
    positive, negative = levels["positive"], levels["negative"]
    right = levels.sum(positive * (levels["below"] + negative / 2.0))
    return divide_or_missing(right, levels.sum(positive) * levels.sum(negative))
