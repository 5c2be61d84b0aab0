"""XGBoost, LightGBM and TensorFlow Ranking on random worlds: tied scores, queries without a relevant document, grades.

Each test needs its library and is skipped without it.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.conventions.scored import User, assert_near, values, worlds

K = (1, 2, 3, 10)


def flat(users: list[User]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return the scores and grades of all documents, and the number of documents of each query."""
    scores, grades = (np.array([value for user in users for value in user[side]], dtype=np.float64) for side in (0, 1))
    return scores, grades, [len(user[0]) for user in users]


def test_xgboost_and_receval_give_the_same_values():
    xgboost = pytest.importorskip("xgboost")
    for graded in (True, False):
        names = ["ndcg", *(f"ndcg@{k}" for k in K), "ndcg-", *(f"ndcg@{k}-" for k in K)]
        if not graded:
            names += [name.replace("ndcg", "map") for name in names] + ["pre", *(f"pre@{k}" for k in K)]
        for users in worlds(graded=graded):
            scores, grades, sizes = flat(users)
            data = xgboost.DMatrix(np.zeros((len(scores), 1)), label=grades, group=sizes, base_margin=scores)
            booster = xgboost.Booster({"objective": "rank:ndcg", "base_score": 0.0, "eval_metric": names}, [data])
            printed = booster.eval_set([(data, "test")]).split("\t")[1:]
            expected = {name: float(line.rpartition(":")[2]) for name, line in zip(names, printed, strict=True)}
            assert_near(values(users, "xgboost", names), expected, users)


def test_lightgbm_and_receval_give_the_same_values():
    lightgbm = pytest.importorskip("lightgbm")
    for users in (*worlds(), *worlds(graded=False)):
        scores, grades, sizes = flat(users)
        quiet = {"verbose": -1, "feature_pre_filter": False}
        data = lightgbm.Dataset(np.zeros((len(scores), 1)), label=grades, group=sizes, init_score=scores, params=quiet)
        booster = lightgbm.Booster({"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": list(K), **quiet}, data)
        expected = {metric: float(value) for _, metric, value, *_ in map(tuple, booster.eval_train())}
        assert_near(values(users, "lightgbm", list(expected)), expected, users)


def test_labels_of_half_and_less_are_not_relevant_in_map_of_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    labels = [0.0, 0.3, 0.5, 0.75]
    for users in ([(scores, [labels[grade] for grade in grades]) for scores, grades in world] for world in worlds()):
        scores, grades, sizes = flat(users)
        quiet = {"verbose": -1, "feature_pre_filter": False}
        data = lightgbm.Dataset(np.zeros((len(scores), 1)), label=grades, group=sizes, init_score=scores, params=quiet)
        booster = lightgbm.Booster({"objective": "none", "metric": ["map"], "eval_at": list(K), **quiet}, data)
        expected = {metric: float(value) for _, metric, value, *_ in map(tuple, booster.eval_train())}
        assert_near(values(users, "lightgbm", list(expected)), expected, users)


def tensorflow_ranking() -> Any:
    """Return the module of its metrics, without the package around it, whose estimators newer versions of TensorFlow do not have."""
    pytest.importorskip("tensorflow")
    spec = importlib.util.find_spec("tensorflow_ranking")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("needs tensorflow_ranking")
    for name, below in (("tensorflow_ranking", ""), ("tensorflow_ranking.python", "/python")):
        package = ModuleType(name)
        package.__path__ = [place + below for place in spec.submodule_search_locations]
        sys.modules[name] = package
    return importlib.import_module("tensorflow_ranking.python.metrics_impl")


def test_tensorflow_ranking_and_receval_give_the_same_values():
    library = tensorflow_ranking()
    import tensorflow

    names = {"NDCG": "NDCG", "DCG": "DCG", "MRR": "MRR", "Hits": "Hits", "Precision": "Precision", "Recall": "Recall", "PWA": "PWA"}
    names["MeanAveragePrecision"] = "MeanAveragePrecision"
    whole = {"ARPMetric": "ARPMetric", "OPAMetric": "OPAMetric", "BPrefMetric": "BPrefMetric"}
    for users in worlds(tied=False, least=2):
        scores, grades = ([list(map(float, user[side])) for user in users] for side in (0, 1))

        def value(metric: Any, scores: Any = scores, grades: Any = grades) -> float:
            found, weights = metric.compute(tensorflow.constant(grades), tensorflow.constant(scores))
            total = float(np.sum(weights))
            return float(np.sum(np.asarray(found) * np.asarray(weights)) / total) if total else 0.0

        expected = {f"{name}Metric@{k}": value(getattr(library, f"{name}Metric")("m", topn=k)) for name in names for k in K}
        for name in whole:
            more = {"topn": None} if name == "BPrefMetric" else {}
            expected[name] = value(getattr(library, name)("m", **more))
        expected["BPrefMetric(use_trec_version=false)"] = value(library.BPrefMetric("m", topn=None, use_trec_version=False))
        if not any(any(user[1]) for user in users):
            expected.pop("ARPMetric")  # 0 in the library; a mean over no item has no value here
        if all(len(set(user[1])) == 1 for user in users):
            expected.pop("OPAMetric")
        found = values(users, "tf-ranking", list(expected))
        assert_near(found, expected, users, near=1e-6)
