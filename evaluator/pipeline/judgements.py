"""Tables that look at every test row: what is judged, what grades add up to, scores and predictions beside ratings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import narwhals as nw

from .. import load, match
from ..engine import Engine
from ..errors import DataError
from ..frames import Frame
from ..metrics import Request, Truth
from ..score import Rows
from .asked import PAIR, given, table
from .truths import Read

if TYPE_CHECKING:
    from .model import ModelTables

_PREDICTION: Final = nw.col("prediction")


def read_predictions(source: load.Source, tested: Frame, engine: Engine, read: Read) -> Frame:
    """`user item prediction`: of the pairs that the test file holds, each once, with its highest prediction."""

    def compute(source: load.Source, scan: Frame) -> list[Frame]:
        kept = scan.select(*PAIR, _PREDICTION.cast(nw.Float64)).join(tested, on=PAIR, how="semi")
        return engine.settle([kept.group_by(PAIR).agg(_PREDICTION.max()), load.counted(scan, source)])

    (found,) = read(source, compute)
    return found


def _test_pairs(model: ModelTables, request: Request) -> Frame:
    """`user item rating` of every pair of the test file, each once."""
    params = given(request)
    assert model.truths.rows is not None, "the plan keeps the rows of the test file"
    choice = Truth("all_rows", None, True, str(params["duplicates"]), str(params["filter"]))
    return match.rated_pairs(model.truths.rows, choice, model.sides.known)


@table("judged", test=True)
def judged(model: ModelTables, request: Request) -> Rows:
    """`user item rank relevant judged found pooled n_relevant n_other`: listed items that the test file holds, with counts from the top.

    `judged`, `found` and `pooled` count up to the row what is judged, what is relevant, and what has a rating below 0 that is no judgement.
    """
    view = request.view
    truth = model.truth_of(view)
    relevant = truth.relevant.select(*PAIR, relevant=nw.lit(1))
    pairs = _test_pairs(model, request).join(relevant, on=PAIR, how="left").with_columns(nw.col("relevant").fill_null(0))
    no_judgement = (nw.col("rating") < 0) & (nw.col("relevant") == 0) & nw.lit(given(request)["negative"] == "pooled")
    pairs = pairs.with_columns(known=nw.when(no_judgement).then(nw.lit(0)).otherwise(nw.lit(1))).drop("rating")
    others = pairs.group_by("user").agg(n_other=(nw.col("known") - nw.col("relevant")).sum())
    rows = model.readings[int(view.lists)].found.rows
    rows = match.among_rated(rows, model.engine) if view.hits.endswith("_rated") else rows
    found = rows.join(pairs, on=PAIR, how="inner").with_columns(other=1 - nw.col("known"))
    found = found.with_columns(
        nw.col(column).cum_sum().over("user", order_by="rank").alias(name)
        for column, name in (("known", "judged"), ("relevant", "found"), ("other", "pooled"))
    )
    counted = found.join(truth.users.select("user", "n_relevant"), on="user", how="left").join(others, on="user", how="left")
    counted = counted.with_columns(nw.col("n_relevant").fill_null(0)).drop("known", "other")
    (settled,) = model.engine.settle([counted.sort("user", "rank")], ordered=True)
    return Rows(settled)


def _ideal(model: ModelTables, request: Request) -> Frame:
    """`twin at ideal_dcg ideal_cost gain`: of every place of an ideal list its DCG, and Σ max(gain, 1)."""
    ideal = model.truth_of(request.view).ideal
    terms = ideal.with_columns(term=nw.col("gain") / (nw.col("rank") + 1).log(base=2.0), least=nw.max_horizontal("gain", nw.lit(1.0)))
    summed = terms.with_columns(
        ideal_dcg=nw.col("term").cum_sum().over("user", order_by="rank"), ideal_cost=nw.col("least").cum_sum().over("user", order_by="rank")
    )
    (settled,) = model.engine.settle([summed.select("gain", "ideal_dcg", "ideal_cost", twin="user", at="rank")])
    return settled


def _gained(model: ModelTables, request: Request) -> Frame:
    """The hits with what is gained up to each: `gained`, and `dcg`."""
    hits = model.rows[request.view.hits].frame.select(*PAIR, "rank", "gain", "n_relevant")
    terms = hits.with_columns(term=nw.col("gain") / (nw.col("rank") + 1).log(base=2.0))
    summed = terms.with_columns(
        gained=nw.col("gain").cum_sum().over("user", order_by="rank"), dcg=nw.col("term").cum_sum().over("user", order_by="rank")
    )
    (settled,) = model.engine.settle([summed.drop("term")])
    return settled


@table("graded")
def graded(model: ModelTables, request: Request) -> Rows:
    """`user item rank gain gained dcg ideal_dcg cost`: the hits, with what the list and the ideal list give up to the rank of each."""
    users = model.truth_of(request.view).users.select("user", "twin")
    hits = _gained(model, request).join(users, on="user", how="left")
    hits = hits.with_columns(at=nw.min_horizontal("rank", "n_relevant"))
    found = hits.join(_ideal(model, request).drop("gain"), on=["twin", "at"], how="left")
    found = found.with_columns(cost=nw.col("ideal_cost") + (nw.col("rank") - nw.col("at")))
    (settled,) = model.engine.settle([found.drop("ideal_cost", "at", "twin").sort("user", "rank")], ordered=True)
    return Rows(settled)


@table("grade_changes")
def grade_changes(model: ModelTables, request: Request) -> Rows:
    """`user rank ndcg`: the ranks after which the ideal list has a lower grade, and nDCG there."""
    ideal = _ideal(model, request).filter(nw.col("gain") > 0)
    ends = ideal.group_by("twin", "gain").agg(at=nw.col("at").max()).drop("gain")
    points = ends.join(ideal.select("twin", "at", "ideal_dcg"), on=["twin", "at"], how="left")
    users = model.truth_of(request.view).users.select("user", "twin")
    (places,) = model.engine.settle([users.join(points, on="twin", how="inner").drop("twin")])
    hits = _gained(model, request).select("user", "rank", "dcg")
    above = places.join(hits, on="user", how="inner").filter(nw.col("rank") <= nw.col("at"))
    best = above.group_by("user", "at").agg(nw.col("dcg").max())
    found = places.join(best, on=["user", "at"], how="left")
    found = found.select("user", rank="at", ndcg=(nw.col("dcg") / nw.col("ideal_dcg")).fill_null(0.0))
    (settled,) = model.engine.settle([found.sort("user", "rank")], ordered=True)
    return Rows(settled)


@table("cascade")
def cascade(model: ModelTables, request: Request) -> Rows:
    """The hits with `satisfied`, how likely the reader stops there, and `reached`, how likely the reader comes there."""
    hits = model.rows[request.view.hits].frame.unique(["user", "item", "rank"])
    most = float(str(given(request)["max_grade"]))
    likely = nw.min_horizontal((nw.lit(2.0) ** nw.col("gain") - 1.0) / 2.0**most, nw.lit(1.0))
    # Where the reader stops for certain, the logarithm of going on is one whose exponential is 0.
    goes_on = nw.when(nw.col("satisfied") < 1).then(1.0 - nw.col("satisfied")).otherwise(nw.lit(1.0)).log(base=math.e)
    found = hits.with_columns(satisfied=likely)
    found = found.with_columns(step=nw.when(nw.col("satisfied") < 1).then(goes_on).otherwise(nw.lit(-1000.0)))
    found = found.with_columns(steps=nw.col("step").cum_sum().over("user", order_by="rank") - nw.col("step"))
    found = found.with_columns(reached=nw.col("steps").exp()).drop("step", "steps")
    (settled,) = model.engine.settle([found.sort("user", "rank")], ordered=True)
    return Rows(settled)


def _scores(model: ModelTables, request: Request) -> Frame:
    """The rows of the lists, with their scores."""
    rows = model.listed(request.view)
    if "score" not in rows.collect_schema().names():
        raise DataError(
            "data.recommendations: the lists have no scores, which correlations, and rating errors without data.predictions, need",
            "name the column of the scores in the config, columns: {score: NAME}, or give data.predictions",
        )
    return rows


def _best_place(rows: Frame) -> Frame:
    """Each item of a list once, at its best place."""
    best = rows.group_by(PAIR).agg(nw.col("rank").min())
    return rows.join(best, on=[*PAIR, "rank"], how="semi")


@table("agreement", scores=True, test=True)
def agreement(model: ModelTables, request: Request) -> Rows:
    """`user score rating`, all of rank 1: those of items among the first k, or of pairs of them, as the method compares them."""
    params = given(request)
    rows = _scores(model, request)
    place = "place" if "place" in rows.collect_schema().names() else "rank"
    rows = rows.filter(nw.col(place) <= int(str(params["k"]))) if params["k"] else rows
    both = _best_place(rows).select(*PAIR, nw.col("score").cast(nw.Float64)).join(_test_pairs(model, request), on=PAIR, how="inner")
    (both,) = model.engine.settle([both.select(*PAIR, "score", nw.col("rating").cast(nw.Float64)).sort(*PAIR)], ordered=True)
    if params["method"] == "kendall":
        others = both.select("user", other="item", other_score="score", other_rating="rating")
        pairs = both.join(others, on="user", how="inner").filter(nw.col("item") < nw.col("other"))
        found = pairs.select(
            *PAIR, "other", score=_sign("score", "other_score"), rating=_sign("rating", "other_rating"), rank=nw.lit(1)
        ).sort("user", "item", "other")
    else:
        for column in ("score", "rating"):
            both = _mean_ranks(both, column) if params["method"] == "spearman" else both
            both = _less_mean(both, column)
        found = both.with_columns(rank=nw.lit(1)).sort("user", "item")
    (settled,) = model.engine.settle([found], ordered=True)
    return Rows(settled)


def _sign(column: str, other: str) -> nw.Expr:
    one, two = nw.col(column), nw.col(other)
    return nw.when(one > two).then(nw.lit(1.0)).otherwise(nw.when(one < two).then(nw.lit(-1.0)).otherwise(nw.lit(0.0)))


def _mean_ranks(rows: Frame, column: str) -> Frame:
    """`column` as places among those of the user, smallest first, equal ones sharing their mean."""
    levels = rows.group_by("user", column).agg(n=nw.len().cast(nw.Int64))
    upto = levels.with_columns(upto=nw.col("n").cum_sum().over("user", order_by=column))
    places = upto.select("user", column, place=nw.col("upto") - (nw.col("n") - 1) / 2.0)
    return rows.join(places, on=["user", column], how="left").drop(column).rename({"place": column})


def _less_mean(rows: Frame, column: str) -> Frame:
    """`column` without its mean over the user; 0 where all of the user's are equal."""
    value = nw.col(column)
    of_user = rows.group_by("user").agg(mean=value.mean(), least=value.min(), most=value.max())
    centred = nw.when(nw.col("least") < nw.col("most")).then(value - nw.col("mean")).otherwise(nw.lit(0.0))
    return rows.join(of_user, on="user", how="left").with_columns(centred.alias(column)).drop("mean", "least", "most")


@table("ratings", predictions=True)
def ratings(model: ModelTables, request: Request) -> Rows:
    """`user item rating prediction relevant`, all of rank 1: every test rating, and what is predicted for it, if anything."""
    predictions = model.predictions
    if predictions is None:
        predictions = _best_place(_scores(model, request)).select(*PAIR, prediction=nw.col("score").cast(nw.Float64))
    relevant = model.truth_of(request.view).relevant.select(*PAIR, relevant=nw.lit(1))
    found = _test_pairs(model, request).join(predictions, on=PAIR, how="left").join(relevant, on=PAIR, how="left")
    found = found.with_columns(nw.col("rating").cast(nw.Float64), nw.col("relevant").fill_null(0), rank=nw.lit(1))
    (settled,) = model.engine.settle([found.sort("user", "item")], ordered=True)
    return Rows(settled)


@table("predicted", predictions=True)
def predicted(model: ModelTables, request: Request) -> Rows:
    """The predicted ratings of the users who count: `rating_off` and `error_off` are rating and error less their least, `one` is 1."""
    rows = model.of_counted(ratings(model, request).frame.filter(~_PREDICTION.is_null()), request.view)
    error = _PREDICTION - nw.col("rating")
    least = model.engine.collect(rows.select(rating=nw.col("rating").min(), error=error.min())).rows()[0]
    offs = rows.with_columns(rating_off=nw.col("rating") - (least[0] or 0.0), error_off=error - (least[1] or 0.0), one=nw.lit(1.0))
    (settled,) = model.engine.settle([offs.sort("user", "item")], ordered=True)
    return Rows(settled)


@table("levels", predictions=True)
def levels(model: ModelTables, request: Request) -> Rows:
    """`prediction positive negative below`: how many relevant and other ratings have a prediction, and how many others a smaller one."""
    rows = model.of_counted(ratings(model, request).frame.filter(~_PREDICTION.is_null()), request.view)
    counted = rows.group_by("prediction").agg(
        positive=nw.col("relevant").sum().cast(nw.Float64), negative=(1 - nw.col("relevant")).sum().cast(nw.Float64)
    )
    upto = counted.with_columns(one=nw.lit(1)).with_columns(upto=nw.col("negative").cum_sum().over("one", order_by="prediction"))
    found = upto.select("prediction", "positive", "negative", below=nw.col("upto") - nw.col("negative"))
    (settled,) = model.engine.settle([found.sort("prediction")], ordered=True)
    return Rows(settled)
