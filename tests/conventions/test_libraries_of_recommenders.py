"""RecPack, Cornac and LibRecommender on random worlds: short and empty lists, users without test items, train items, tied scores.

Each test needs its library and is skipped without it.
"""

from __future__ import annotations

import importlib.util
import random
from typing import Any

import numpy as np
import pytest
import receval

from tests.conventions.scored import WORLDS, assert_near

N_ITEMS, N_USERS, K = 9, 5, (1, 2, 3, 10)
Pairs = list[tuple[int, int]]


def frame(rows: list[tuple[Any, ...]], *columns: str) -> dict[str, list[Any]]:
    """Return rows as a table."""
    return {name: [row[place] for row in rows] for place, name in enumerate(columns)}


def scored_lists(chance: random.Random, least: int = 0, most: int = N_ITEMS) -> list[tuple[int, int, float]]:
    """Return lists of some users, of different lengths, without ties."""
    rows = []
    for user in range(N_USERS):
        items = chance.sample(range(N_ITEMS), chance.randint(least, most))
        rows += [(user, item, float(score)) for item, score in zip(items, chance.sample(range(1, 30), len(items)), strict=True)]
    return rows


def some_pairs(chance: random.Random, share: float) -> Pairs:
    """Return pairs of user and item, at least one."""
    pairs = [(user, item) for user in range(N_USERS) for item in range(N_ITEMS) if chance.random() < share]
    return pairs or [(0, 0)]


def values(convention: str, measures: list[str], **tables: Any) -> dict[str, float]:
    found = receval.evaluate(metrics=measures, convention=convention, health=False, **tables)
    return dict(zip(measures, (row.value for row in found.rows), strict=True))


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
def test_recpack_and_receval_give_the_same_values():
    library, sparse = pytest.importorskip("recpack.metrics"), pytest.importorskip("scipy.sparse")

    def matrix(rows: list[tuple[Any, ...]], width: int = N_ITEMS, height: int = N_USERS) -> Any:
        data = [row[2] if len(row) > 2 else 1.0 for row in rows]
        return sparse.csr_matrix((data, ([row[0] for row in rows], [row[1] for row in rows])), shape=(height, width))

    for seed in range(WORLDS):
        chance = random.Random(seed)
        lists, test, train = scored_lists(chance), some_pairs(chance, 0.3), some_pairs(chance, 0.3)
        if not lists:
            continue
        if seed % 3 == 0:
            lists += [(user, item, 40.0) for user, item, _ in lists[:1]]  # a repeated item: its scores are added up
        features = [[int(chance.random() < 0.5) for _ in range(4)] for _ in range(N_ITEMS)]
        features = [row if any(row) else [1, 0, 0, 0] for row in features]  # the distance of two items without a feature is not a number
        predicted, wanted = matrix(lists), matrix(test)
        expected = {}
        for name in ("PrecisionK", "RecallK", "CalibratedRecallK", "HitK", "DCGK", "NDCGK", "ReciprocalRankK", "CoverageK", "IPSHitRateK"):
            for k in K:
                metric = getattr(library, name)(k)
                if name == "IPSHitRateK":
                    metric.fit(matrix(train))
                metric.calculate(wanted, predicted)
                expected[f"{name}@{k}"] = float(metric.value)
        for k in K:
            metric = library.IntraListDiversityK(k)
            metric.fit(sparse.csr_matrix(np.array(features)))
            metric.calculate(wanted, predicted)
            expected[f"IntraListDiversityK_{k}"] = float(metric.value)
        metric = library.PercentileRanking()
        metric.calculate(wanted, predicted)
        expected["PercentileRanking"] = float(metric.value)
        items = [(item, "|".join(f"c{n}" for n, has in enumerate(row) if has)) for item, row in enumerate(features)]
        tables = {
            "test": frame(test, "user", "item"),
            "train": frame(train, "user", "item"),
            "items": frame(items, "item", "categories"),
            "recommendations": frame(lists, "user", "item", "score"),
            "categories": "categories",
            "split": "|",
        }
        assert_near(values("recpack", list(expected), **tables), expected, tables)


def test_cornac_and_receval_give_the_same_values():
    pytest.importorskip("cornac")
    from cornac import metrics as library
    from cornac.data import Dataset
    from cornac.eval_methods.base_method import ranking_eval

    class Model:
        """A model with fixed scores; `rank` is that of the library, with an order of ties that does not depend on NumPy's sort."""

        def __init__(self, scores: np.ndarray) -> None:
            self.scores = scores

        def rank(self, user_idx: int, item_indices: np.ndarray, k: int = -1, **_: Any) -> tuple[np.ndarray, np.ndarray]:
            mine = self.scores[user_idx][item_indices]
            return item_indices[np.argsort(-mine, kind="stable")], mine

    lists = [library.NDCG, library.NCRR, library.HitRatio, library.Precision, library.Recall, library.FMeasure]
    compared = 0
    for seed in range(2 * WORLDS):
        chance = random.Random(seed)
        train = some_pairs(chance, 0.25)
        rated = [(user, item, chance.choice([0.5, 1.0, 2.0])) for user, item in some_pairs(chance, 0.4) if (user, item) not in train]
        if not any(rating >= 1 for *_, rating in rated):
            continue
        scores = [[float(chance.choice([0.0, 1.0, 1.0, 2.0, 3.0])) for _ in range(N_ITEMS)] for _ in range(N_USERS + 1)]
        everyone = [(N_USERS, item) for item in range(N_ITEMS)]  # a user who has every item, so that all of them are known
        maps = {"global_uid_map": {user: user for user in range(N_USERS + 1)}, "global_iid_map": {item: item for item in range(N_ITEMS)}}
        data = Dataset.build([(user, item, 1.0) for user, item in (*everyone, *train)], **maps)
        held_out = Dataset.build(rated, **maps)
        negatives = [N_ITEMS - sum(u == user for u, _ in train) - sum(u == user and r >= 1 for u, _, r in rated) for user in range(N_USERS)]
        users = {user for user, _, rating in rated if rating >= 1}
        asked = [metric(k=k) for metric in lists for k in (1, 2, 3, -1)] + [library.MRR(), library.MAP()]
        asked += [library.AUC()] if all(negatives[user] for user in users) else []
        found, _ = ranking_eval(Model(np.array(scores)), asked, data, held_out)
        expected = dict(zip((metric.name for metric in asked), map(float, found), strict=True))
        open_items = [(user, item, scores[user][item]) for user in range(N_USERS) for item in range(N_ITEMS)]
        tables = {
            "test": frame(rated, "user", "item", "rating"),
            "train": frame([*everyone, *train], "user", "item"),
            "recommendations": frame(open_items, "user", "item", "score"),
        }
        assert_near(values("cornac", list(expected), **tables), expected, tables)
        compared += 1
    assert compared >= WORLDS


def test_librecommender_and_receval_give_the_same_values():
    for needed in ("pandas", "sklearn"):
        pytest.importorskip(needed)
    spec = importlib.util.find_spec("libreco")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("needs libreco")
    # The package imports TensorFlow; the file of its metrics does not.
    place = f"{next(iter(spec.submodule_search_locations))}/evaluation/metrics.py"
    loaded = importlib.util.spec_from_file_location("libreco_metrics", place)
    assert loaded is not None
    assert loaded.loader is not None
    library = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(library)
    functions = {"precision": library.precision_at_k, "recall": library.recall_at_k}
    functions |= {"map": library.average_precision_at_k, "ndcg": library.ndcg_at_k}
    for seed in range(WORLDS):
        chance = random.Random(seed)
        test = some_pairs(chance, 0.3)
        users = sorted({user for user, _ in test})
        wanted = {user: [item for u, item in test if u == user] for user in users}
        k = chance.randint(1, 5)
        lists = {user: np.array(chance.sample(range(N_ITEMS), k)) for user in users}
        expected = {
            f"{name}@{k}": float(library.listwise_scores(function, wanted, lists, users, k)) for name, function in functions.items()
        }
        expected[f"coverage@{k}"] = library.rec_coverage(lists, users, N_ITEMS)
        ranked = [(user, int(item), rank) for user, items in lists.items() for rank, item in enumerate(items, 1)]
        tables = {
            "test": frame(test, "user", "item"),
            "items": {"item": list(range(N_ITEMS))},
            "recommendations": frame(ranked, "user", "item", "rank"),
        }
        assert_near(values("librecommender", list(expected), **tables), expected, tables, near=1e-6)
