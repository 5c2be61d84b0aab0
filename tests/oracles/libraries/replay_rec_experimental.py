"""Values of replay-rec 0.22.0rc0: its experimental Spark metrics (they need Java 17)."""

from __future__ import annotations

import os
import sys

from common import KS, MODELS, Values, read, truth_rows
from pyspark.sql import SparkSession
from replay.experimental.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall, RocAuc

METRICS = (HitRate, Precision, Recall, MAP, MRR, NDCG, RocAuc)


def main() -> None:
    """Evaluate every model; the mean is over the users of the truth."""
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
    values.write("replay-rec-experimental")


if __name__ == "__main__":
    main()
