"""Values of replay-rec 0.22.0rc0: its experimental Spark metrics (they need Java 17)."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Any

from common import KS, MODELS, SIDE_MODELS, Values, read, truth_rows
from pyspark.sql import DataFrame, SparkSession
from replay.experimental.metrics import (
    MAP,
    MRR,
    NDCG,
    Coverage,
    HitRate,
    NCISPrecision,
    Precision,
    Recall,
    RocAuc,
    Surprisal,
    Unexpectedness,
)

METRICS = (HitRate, Precision, Recall, MAP, MRR, NDCG, RocAuc)
PAIRS = ["user_idx", "item_idx", "relevance"]
PLACES = (("train", "rating"), ("clean", "score"), ("previous_policy", "score"))
NCIS = (("all", 10.0, None), ("all", 3.0, None), ("all", 10.0, "sigmoid"), ("all", 10.0, "softmax"), ("rating>=4", 10.0, None))


def frame(spark: SparkSession, rows: list[dict[str, Any]], field: str) -> DataFrame:
    """Return user, item and one number, with the column names of the library."""
    return spark.createDataFrame([(row["user_id"], row["item_id"], row[field]) for row in rows], PAIRS).cache()


def ncis(metric: NCISPrecision, lists: DataFrame, truth: DataFrame, k: int) -> float:
    """Run the steps of the library with the arguments in the right order, on lists cut to k first (note N1)."""
    users = metric._get_enriched_recommendations(lists, truth, k).collect()
    found = [metric._get_metric_value_by_user(k, row["pred"], row["ground_truth"], row["weight"]) for row in users]
    return float(sum(found) / len(found))


def beyond(values: Values, spark: SparkSession) -> None:
    """Evaluate the metrics that read the train rows, a base list or the scores of an older system (P1)."""
    train, base, policy = (frame(spark, read(name), field) for name, field in PLACES)
    truths = {relevance: truth_rows(relevance) for relevance in ("all", "rating>=4")}
    frames = {relevance: frame(spark, rows, "rating") for relevance, rows in truths.items()}
    counts = {relevance: len({row["user_id"] for row in rows}) for relevance, rows in truths.items()}
    for model in SIDE_MODELS:
        rows = read(model)
        lists = frame(spark, rows, "score")
        listed, based = (len({row["user_id"] for row in found}) for found in (rows, read("clean")))
        asked = [(Coverage(train), None, None), (Surprisal(train), listed, None), (Unexpectedness(base), based, {"base": "clean"})]
        for metric, users, params in asked:
            for k in KS:
                values.add(model, type(metric).__name__, k, "none", partial(metric, lists, k), users=users, params=params, note="K1")
        for relevance, threshold, activation in NCIS:
            metric = NCISPrecision(policy, threshold=threshold, activation=activation)
            params = {"threshold": threshold, "activation": activation, "prev_policy": "P1"}
            for k in KS:
                call = partial(ncis, metric, lists, frames[relevance], k)
                values.add(model, "NCISPrecision", k, relevance, call, users=counts[relevance], params=params, note="N1")


def main() -> None:
    """Evaluate every model under every relevance; the mean is over the users with test rows."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {"spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1", "spark.ui.enabled": "false"}
    builder = SparkSession.builder.master("local[1]")
    for key, option in options.items():
        builder = builder.config(key, option)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    values = Values("replay-rec (experimental)", package="replay-rec")
    for relevance in ("all", "rating>=4"):
        rows = truth_rows(relevance)
        pairs = [(row["user_id"], row["item_id"], row["rating"]) for row in rows]
        truth = spark.createDataFrame(pairs, ["user_idx", "item_idx", "relevance"]).cache()
        users = len({row["user_id"] for row in rows})
        for model in MODELS:
            pairs = [(row["user_id"], row["item_id"], row["score"]) for row in read(model)]
            lists = spark.createDataFrame(pairs, ["user_idx", "item_idx", "relevance"]).cache()
            for metric in METRICS:
                found = metric()(lists, truth, list(KS))
                for k in KS:
                    values.add(model, metric.__name__, k, relevance, found[k], users=users)
    beyond(values, spark)
    values.write("replay-rec-experimental")


if __name__ == "__main__":
    main()
