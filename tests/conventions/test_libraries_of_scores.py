"""scikit-learn, TorchMetrics, implicit and LightFM on random worlds with tied, zero and negative scores, and users without a relevant item.

They are compared with the installed library (the test is skipped without it), LightFM also with the text of its definition.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.conventions.scored import CUTS, WORLDS, User, assert_near, values, worlds


def test_scikit_learn_and_receval_give_the_same_values():
    metrics = pytest.importorskip("sklearn.metrics")
    for users in (*worlds(least=2), *worlds(tied=False, least=2)):
        scores, grades = np.array([user[0] for user in users]), np.array([user[1] for user in users])
        expected = {}
        for k in CUTS:
            expected[f"ndcg_score@{k or 'none'}"] = metrics.ndcg_score(grades, scores, k=k)
            expected[f"dcg_score@{k or 'none'}"] = metrics.dcg_score(grades, scores, k=k)
            if all(len(set(user[0])) == len(user[0]) for user in users):  # else the order of ties is that of an unstable sort
                expected[f"ndcg_score(ignore_ties=true)@{k or 'none'}"] = metrics.ndcg_score(grades, scores, k=k, ignore_ties=True)
        expected["dcg_score(log_base=10)@2"] = metrics.dcg_score(grades, scores, k=2, log_base=10)
        labels = (grades > 0).astype(int)
        expected["label_ranking_average_precision_score"] = metrics.label_ranking_average_precision_score(labels, scores)
        of_users = [metrics.average_precision_score(y, s) if y.any() else 0.0 for y, s in zip(labels, scores, strict=True)]
        expected["coverage_error"] = metrics.coverage_error(labels, scores)
        expected["label_ranking_loss"] = metrics.label_ranking_loss(labels, scores)
        expected["average_precision_score"] = float(np.mean(of_users))
        assert_near(values(users, "sklearn", list(expected)), expected, users)


@pytest.mark.parametrize("action", ["neg", "pos", "skip"])
def test_torchmetrics_and_receval_give_the_same_values(action):
    torch, library = pytest.importorskip("torch"), pytest.importorskip("torchmetrics.retrieval")

    def value(metric: str, users: list[User], **more: Any) -> float:
        made = getattr(library, metric)(empty_target_action=action, **more)
        every = [(u, s, y) for u, user in enumerate(users) for s, y in zip(*user, strict=True)]
        index, scores, grades = (list(column) for column in zip(*every, strict=True))
        return float(made(torch.tensor(scores), torch.tensor(grades), indexes=torch.tensor(index)))

    compared = 0
    for users in worlds():
        expected = {
            f"RetrievalNormalizedDCG(empty_target_action={action})@{k or 'none'}": value("RetrievalNormalizedDCG", users, top_k=k)
            for k in CUTS
        }
        if action != "skip" or any(any(user[1]) for user in users):
            assert_near(values(users, "torchmetrics", list(expected)), expected, users, near=1e-6)
            compared += 1
    for users in worlds(tied=False, graded=False):
        expected = {f"RetrievalRPrecision(empty_target_action={action})": value("RetrievalRPrecision", users)}
        for name in ("MAP", "MRR", "Precision", "Recall", "HitRate"):
            for k in CUTS:
                expected[f"Retrieval{name}(empty_target_action={action})@{k or 'none'}"] = value(f"Retrieval{name}", users, top_k=k)
        adaptive = f"RetrievalPrecision(adaptive_k=true,empty_target_action={action})@5"
        expected[adaptive] = value("RetrievalPrecision", users, top_k=5, adaptive_k=True)
        if action != "skip" or any(any(user[1]) for user in users):
            assert_near(values(users, "torchmetrics", list(expected)), expected, users, near=1e-6)
            compared += 1
    assert compared > WORLDS
    for users in worlds(tied=False, graded=False):
        if all(not all(user[1]) for user in users):  # the class counts a query without an irrelevant item by another rule
            expected = {f"RetrievalFallOut@{k or 'none'}": value("RetrievalFallOut", users, top_k=k) for k in CUTS}
            assert_near(values(users, "torchmetrics", list(expected)), expected, users, near=1e-6)


def test_implicit_and_receval_give_the_same_values():
    evaluation, sparse = pytest.importorskip("implicit.evaluation"), pytest.importorskip("scipy.sparse")

    class Model:
        """A model with fixed lists."""

        def __init__(self, lists: list[list[int]]) -> None:
            self.lists = lists

        def recommend(self, users: Any, user_items: Any, N: int = 10) -> tuple[Any, Any]:  # noqa: N803, the library's name
            ids = np.array([self.lists[user][:N] for user in users], dtype=np.int32)
            return ids, np.zeros(ids.shape)

    for seed, users in enumerate(worlds(least=3)):
        if any(all(user[1]) for user in users) or not any(any(user[1]) for user in users):
            continue  # the library divides by 0 negatives
        n, k = len(users[0][0]), random.Random(seed).randint(1, 3)
        lists = [sorted(range(n), key=lambda item, user=user: -user[0][item])[:k] for user in users]
        test = sparse.csr_matrix(np.array([user[1] for user in users]))
        found = evaluation.ranking_metrics_at_k(Model(lists), test * 0, test, K=k, show_progress=False)
        listed = [(u, item, place) for u, items in enumerate(lists) for place, item in enumerate(items, 1)]
        wanted = [(u, item) for u, user in enumerate(users) for item, grade in enumerate(user[1]) if grade]
        tables = {
            "recommendations": dict(zip(("user", "item", "rank"), map(list, zip(*listed, strict=True)), strict=True)),
            "test": dict(zip(("user", "item"), map(list, zip(*wanted, strict=True)), strict=True)),
            "items": {"item": list(range(n))},
        }
        names = {f"precision@{k}": "precision", f"map@{k}": "map", f"ndcg@{k}": "ndcg", "auc": "auc"}
        expected = {measure: found[name] for measure, name in names.items()}
        assert_near(values(users, "implicit", list(expected), **tables), expected, users)


def lightfm(user: User, seen: set[int], k: int) -> dict[str, float]:
    """Return the values of LightFM for one user, by the definition: the rank is the number of other items with at least the score."""
    scores, wanted = user[0], [item for item, grade in enumerate(user[1]) if grade and item not in seen]
    open_items = [item for item in range(len(scores)) if item not in seen]
    ranks = sorted(sum(scores[other] >= scores[item] for other in open_items if other != item) for item in wanted)
    negatives = len(open_items) - len(wanted)
    hits = sum(rank < k for rank in ranks)
    right = [1 - max(rank - i, 0) / negatives if negatives else 1.0 for i, rank in enumerate(ranks)]
    return {
        f"precision_at_k@{k}": hits / k,
        f"recall_at_k@{k}": hits / len(wanted),
        "reciprocal_rank": 1 / (ranks[0] + 1),
        "auc_score": sum(right) / len(right),
    }


def lightfm_worlds() -> Iterator[tuple[list[User], list[set[int]], int, dict[str, Any]]]:
    """Yield worlds in which each user with a relevant item has a negative: users, their items in train, a cut-off and the tables."""
    for seed, users in enumerate(worlds(least=2)):
        chance = random.Random(seed)
        n, k = len(users[0][0]), chance.randint(1, 3)
        seen = [{item for item, grade in enumerate(user[1]) if not grade and chance.random() < 0.3} for user in users]
        counted = [(user, own) for user, own in zip(users, seen, strict=True) if any(user[1])]
        if not counted or any(n - len(own) == sum(map(bool, user[1])) for user, own in counted):
            continue  # the AUC of a user without negatives is not a number in the library
        wanted = [(u, item) for u, user in enumerate(users) for item, grade in enumerate(user[1]) if grade]
        tables = {
            "test": dict(zip(("user", "item"), map(list, zip(*wanted, strict=True)), strict=True)),
            "train": {
                "user": [u for u, own in enumerate(seen) for _ in own] + [-1] * n,
                "item": [item for own in seen for item in sorted(own)] + list(range(n)),
            },
        }
        yield users, seen, k, tables


def test_lightfm_counts_ties_against_the_model():
    compared = 0
    for users, seen, k, tables in lightfm_worlds():
        every = [lightfm(user, own, k) for user, own in zip(users, seen, strict=True) if any(user[1])]
        expected = {measure: float(np.mean([row[measure] for row in every])) for measure in every[0]}
        assert_near(values(users, "lightfm", list(expected), **tables), expected, (users, seen), near=1e-7)
        compared += 1
    assert compared > WORLDS // 3


def test_lightfm_and_receval_give_the_same_values():
    library, sparse = pytest.importorskip("lightfm"), pytest.importorskip("scipy.sparse")
    evaluation = pytest.importorskip("lightfm.evaluation")
    compared = 0
    for users, seen, k, tables in lightfm_worlds():
        scores = np.array([user[0] for user in users], dtype=np.float32)
        if len(users) == 1:
            continue  # the functions fail for a matrix of one row
        model = library.LightFM(no_components=len(users)).fit(sparse.csr_matrix(scores.shape), epochs=0)
        model.user_embeddings, model.item_embeddings = np.eye(len(users), dtype=np.float32), np.ascontiguousarray(scores.T)
        test = sparse.csr_matrix(np.array([user[1] for user in users], dtype=np.float32))
        train = sparse.csr_matrix(np.array([[item in own for item in range(scores.shape[1])] for own in seen], dtype=np.float32))
        expected = {f"{name}@{k}": getattr(evaluation, name)(model, test, train, k=k) for name in ("precision_at_k", "recall_at_k")}
        expected |= {name: getattr(evaluation, name)(model, test, train) for name in ("reciprocal_rank", "auc_score")}
        means = {measure: float(np.mean(found, dtype=np.float64)) for measure, found in expected.items()}
        assert_near(values(users, "lightfm", list(means), **tables), means, (users, seen), near=1e-7)
        compared += 1
    assert compared > WORLDS // 5
