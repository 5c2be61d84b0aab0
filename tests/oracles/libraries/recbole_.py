"""Values of RecBole 1.2.1: its metric classes on a score matrix, unlisted items at minus infinity.

Only models whose lists are all full, and only users with a list and truth: the library knows no others.
"""

from __future__ import annotations

import torch
from common import KS, Values, grades, scores
from recbole.evaluator.collector import DataStruct
from recbole.evaluator.metrics import MAP, MRR, NDCG, Hit, Precision, Recall

CONFIG = {"metric_decimal_place": 15, "topk": list(KS)}
NOTE = "score matrix of the users that have a list and truth"


def top_k(run: dict[str, dict[str, float]], truth: dict[str, dict[str, int]]) -> DataStruct:
    """The hits in the top places and the number of relevant items, as the library's own collector makes them."""
    users = sorted(run.keys() & truth.keys())
    items = sorted({item for found in (*run.values(), *truth.values()) for item in found})
    matrix = torch.tensor([[run[user].get(item, -torch.inf) for item in items] for user in users])
    relevant = torch.tensor([[item in truth[user] for item in items] for user in users], dtype=torch.int)
    places = torch.topk(matrix, max(KS), dim=-1).indices
    data = DataStruct()
    data.set("rec.topk", torch.cat((torch.gather(relevant, 1, places), relevant.sum(dim=1, keepdim=True)), dim=1))
    return data


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
    values.write("recbole")


if __name__ == "__main__":
    main()
