"""Values of RecBole 1.2.1: its metric classes on a score matrix, unlisted items at minus infinity.

Only models whose lists are all full, and only users with a list and test rows: the library supports no others.
"""

from __future__ import annotations

from collections import Counter

import torch
from common import KS, Values, grades, read, scores
from recbole.evaluator.collector import DataStruct
from recbole.evaluator.metrics import (
    AUC,
    MAE,
    MAP,
    MRR,
    NDCG,
    RMSE,
    AveragePopularity,
    GiniIndex,
    Hit,
    ItemCoverage,
    LogLoss,
    Precision,
    Recall,
    ShannonEntropy,
    TailPercentage,
)

CONFIG = {"metric_decimal_place": 15, "topk": list(KS)}
NOTE = "score matrix of the users that have a list and truth"


def top_k(run: dict[str, dict[str, float]], truth: dict[str, dict[str, int]]) -> DataStruct:
    """Return the hits in the top ranks and the number of relevant items, as the library's own collector does."""
    users = sorted(run.keys() & truth.keys())
    items = sorted({item for found in (*run.values(), *truth.values()) for item in found})
    matrix = torch.tensor([[run[user].get(item, -torch.inf) for item in items] for user in users])
    relevant = torch.tensor([[item in truth[user] for item in items] for user in users], dtype=torch.int)
    places = torch.topk(matrix, max(KS), dim=-1).indices
    data = DataStruct()
    data.set("rec.topk", torch.cat((torch.gather(relevant, 1, places), relevant.sum(dim=1, keepdim=True)), dim=1))
    return data


PADDED = {"num_items": "catalogue + 1 (id 0 is the padding item)"}
TAILS = {"default 0.1": None, "0.5": 0.5, "5": 5}


def beyond(values: Values) -> None:
    """Evaluate the metrics of the lists alone, items numbered from 1 in the order of their ids, and those of predicted ratings."""
    numbers = {item: number for number, item in enumerate(sorted(row["item_id"] for row in read("items")), 1)}
    counts = Counter(numbers[row["item_id"]] for row in read("train"))
    for model in ("clean", "missing", "extra"):
        run = scores(model)
        data = DataStruct()
        ranked = [sorted(found, key=lambda item, found=found: -found[item]) for found in run.values()]
        data.set("rec.items", torch.tensor([[numbers[item] for item in items] for items in ranked]))
        data.set("data.num_items", len(numbers) + 1)
        data.set("data.count_items", counts)
        asked = [(ItemCoverage, None, PADDED), (GiniIndex, None, PADDED), (ShannonEntropy, None, None), (AveragePopularity, None, None)]
        asked += [(TailPercentage, ratio, {"tail_ratio": name if ratio is None else ratio}) for name, ratio in TAILS.items()]
        for metric, ratio, params in asked:
            for name, value in metric(CONFIG | {"tail_ratio": ratio}).calculate_metric(data).items():
                base, k = name.split("@")
                values.add(model, base, int(k), "none", value, users=len(run), params=params)
    known = {(row["user_id"], row["item_id"]): row["rating"] for row in read("test")}
    both = [(row["prediction"], known[pair]) for row in read("ratings_pred") if (pair := (row["user_id"], row["item_id"])) in known]
    low, high = min(both)[0], max(both)[0]
    scaled = [((score - low) / (high - low), float(rating >= 4)) for score, rating in both]
    for metrics, pairs, relevance, params, note in (
        ((MAE, RMSE), both, "rating values", None, "only the pairs with a prediction"),
        ((AUC, LogLoss), scaled, "rating>=4", {"prediction": "min-max scaled to 0..1"}, "scaled over the pairs that are also in test"),
    ):
        data = DataStruct()
        data.set("rec.score", torch.tensor([pair[0] for pair in pairs], dtype=torch.float64))
        data.set("data.label", torch.tensor([pair[1] for pair in pairs], dtype=torch.float64))
        for metric in metrics:

            def value(metric=metric, data=data) -> float:
                return next(iter(metric(CONFIG).calculate_metric(data).values()))

            values.add("ratings_pred", metric.__name__, None, relevance, value, params=params, note=note)


def main() -> None:
    """Evaluate the models with full lists and without ties or duplicates."""
    values = Values("recbole")
    for relevance in ("all", "rating>=4"):
        truth = grades(relevance)
        for model in ("clean", "missing", "unknown"):
            run = scores(model)
            data = top_k(run, truth)
            for metric in (Hit, MRR, MAP, Recall, NDCG, Precision):
                for name, value in metric(CONFIG).calculate_metric(data).items():
                    base, k = name.split("@")
                    values.add(model, base, int(k), relevance, value, users=len(run.keys() & truth.keys()), note=NOTE)
    beyond(values)
    values.write("recbole")


if __name__ == "__main__":
    main()
