"""Values of RecPack 0.3.6: its metrics of the first k items, of lists without repeated items and tied scores."""

from __future__ import annotations

import warnings

import numpy as np
from common import KS, Values, read, truth_rows
from recpack import metrics
from scipy.sparse import csr_matrix

NAMES = ("PrecisionK", "RecallK", "CalibratedRecallK", "HitK", "DCGK", "NDCGK", "ReciprocalRankK")


def main() -> None:
    """Evaluate the models without tied scores, whose order is that of an unstable sort."""
    warnings.simplefilter("ignore")
    values = Values("recpack")
    for relevance in ("all", "rating>=4"):
        wanted = {(row["user_id"], row["item_id"]) for row in truth_rows(relevance)}
        users = {user: place for place, user in enumerate(sorted({user for user, _ in wanted}))}
        for model in ("clean", "short", "missing", "extra", "unknown"):
            scores = {(row["user_id"], row["item_id"]): row["score"] for row in read(model) if row["user_id"] in users}
            items = {item: place for place, item in enumerate(sorted({item for _, item in (*wanted, *scores)}))}

            def matrix(pairs: dict[tuple[str, str], float], users: dict[str, int] = users, items: dict[str, int] = items) -> csr_matrix:
                places = [users[user] for user, _ in pairs], [items[item] for _, item in pairs]
                return csr_matrix((np.array(list(pairs.values())), places), shape=(len(users), len(items)))

            lists, test = matrix(scores), matrix(dict.fromkeys(wanted, 1.0))
            for name in NAMES:
                for k in KS:
                    metric = getattr(metrics, name)(k)
                    metric.calculate(test, lists)
                    values.add(model, name, k, relevance, metric.value, users=len(users))
    values.write("recpack")


if __name__ == "__main__":
    main()
