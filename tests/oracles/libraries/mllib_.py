"""Values of Spark MLlib 4.3.0: RankingMetrics of the pairs of test users; lists in order of score, ties in file order; needs Java 17."""

from __future__ import annotations

from common import KS, MODELS, Values, ordered_lists, truth_rows
from pyspark.mllib.evaluation import RankingMetrics
from pyspark.sql import SparkSession


def main() -> None:
    """Evaluate every model; a test user without a list has an empty one."""
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    values = Values("pyspark")
    for relevance in ("all", "rating>=4"):
        labels: dict[str, list[str]] = {}
        for row in truth_rows(relevance):
            labels.setdefault(row["user_id"], []).append(row["item_id"])
        for model in MODELS:
            lists = ordered_lists(model)
            pairs = [(lists.get(user, []), items) for user, items in labels.items()]
            found = RankingMetrics(session.sparkContext.parallelize(pairs, 1))
            values.add(model, "meanAveragePrecision", None, relevance, lambda found=found: found.meanAveragePrecision, users=len(pairs))
            for name in ("precisionAt", "recallAt", "ndcgAt", "meanAveragePrecisionAt"):
                for k in KS:
                    values.add(model, name, k, relevance, lambda found=found, name=name, k=k: getattr(found, name)(k), users=len(pairs))
    values.write("mllib")
    session.stop()


if __name__ == "__main__":
    main()
