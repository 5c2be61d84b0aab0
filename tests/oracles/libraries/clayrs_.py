"""Values of ClayRS 0.5.1, through `EvalModel`.

ClayRS has its own relevance threshold, so the test rows are never filtered: 0 for `all`, 4 for `rating>=4`, none for the user's mean.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from common import KS, MODELS, SIDE_MODELS, Values, ordered_rows, read, truth_rows

SKIPPED = ("clayrs.recsys", "clayrs.content_analyzer", "clayrs.content_analyzer.ratings_manager")
THRESHOLDS = {"all": 0.0, "rating>=4": 4.0, "rating>=user mean": None}


def skip_package_imports() -> None:
    """Import these packages without their __init__, which needs some 25 packages that the evaluation does not use."""
    spec = find_spec("clayrs")
    assert spec is not None
    assert spec.origin is not None
    for name in SKIPPED:
        package = ModuleType(name)
        package.__path__ = [str(Path(spec.origin).parent.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package


skip_package_imports()

from clayrs import evaluation  # noqa: E402
from clayrs.content_analyzer.ratings_manager.ratings import Prediction, Rank, Ratings  # noqa: E402
from clayrs.evaluation.metrics.ranking_metrics import MAPAtK  # noqa: E402


def thresholded() -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Yield name, k and options of the metrics that have a relevance threshold."""
    for average in ({"sys_average": "macro"}, {"sys_average": "micro"}):
        yield from ((name, None, average) for name in ("Precision", "Recall", "RPrecision"))
        yield from (("FMeasure", None, average | {"beta": beta}) for beta in (1, 2))
        for k in KS:
            yield from ((name, k, average) for name in ("PrecisionAtK", "RecallAtK"))
            yield from (("FMeasureAtK", k, average | {"beta": beta}) for beta in (1, 2))
    yield from ((name, None, {}) for name in ("MAP", "MRR"))
    yield from ((name, k, {}) for name in ("MAPAtK", "MRRAtK") for k in KS)


def graded() -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Yield name, k and options of the metrics that read the rating itself."""
    for gains in ("linear", "exponential"):
        yield "NDCG", None, {"gains": gains}
        yield from (("NDCGAtK", k, {"gains": gains}) for k in KS)


def evaluate(name: str, k: int | None, options: dict[str, Any], lists: Rank, truth: Ratings) -> tuple[float, int | None, int]:
    """Return the system's value, the number of users with a value (if the library gives it) and the number of users in both files."""
    made = (MAPAtK if name == "MAPAtK" else getattr(evaluation, name))(**({"k": k} if k else {}), **options)
    system, users = evaluation.EvalModel([lists], [truth], [made]).fit()
    both = len(set(lists.user_id_column) & set(truth.user_id_column))
    counted = None if name.startswith("MRR") else int(users.iloc[:, 0].notna().sum()) if users.shape[1] else 0
    return float(system.iloc[-1, 0]), counted, both


GROUPS = {"popular_users": 0.2, "medium_popular_users": 0.6, "low_popular_users": 0.2}


def rated(rows: list[dict[str, Any]], field: str) -> list[tuple[str, str, float]]:
    """Return rows in the form of the library."""
    return [(row["user_id"], row["item_id"], row[field]) for row in rows]


def system(made: Any, lists: Rank, truth: Ratings) -> dict[str, float]:
    """Return the system's values by column, rounded because the order of a sum changes from run to run."""
    return {str(name): round(float(value), 12) for name, value in evaluation.EvalModel([lists], [truth], [made]).fit()[0].iloc[-1].items()}


def beyond(values: Values) -> None:
    """Evaluate coverage, Gini, the popularity gap, correlation and the errors of the predicted ratings.

    The users are those in both the lists and the test rows; the errors and the correlation are means of per-user values.
    """
    stack = np.hstack
    np.hstack = lambda rows: stack(list(rows))  # DeltaGap with top_n passes a generator, which this numpy refuses
    tests, trains = rated(read("test"), "rating"), rated(read("train"), "rating")
    truth, profiles = Ratings.from_list(tests), Ratings.from_list(trains)
    origins = {"train": profiles, "train + test": Ratings.from_list(trains + tests)}
    catalog, told = {row["item_id"] for row in read("items")}, {"catalog": "items file"}
    for model in SIDE_MODELS:
        lists = Rank.from_list(rated(ordered_rows(model), "score"))
        for k in (*KS, None):
            top = {"top_n": k} if k else {}
            gini = partial(system, evaluation.GiniIndex(**top), lists, truth)
            values.add(model, "GiniIndex", k, "none", lambda gini=gini: next(iter(gini().values())), params=top or None)
            share = evaluation.CatalogCoverage(catalog, **top) if k else evaluation.PredictionCoverage(catalog)
            cover = partial(system, share, lists, truth)
            values.add(model, type(share).__name__, k, "none", lambda cover=cover: next(iter(cover().values())), params=told | top)
            for origin, ratings in origins.items() if k in (5, 10, None) else ():
                params = {"user_groups": GROUPS, "user_profiles": "train", "original_ratings": origin, "top_n": k, "pop_percentage": 0.2}
                gap = partial(evaluation.DeltaGap, GROUPS, profiles, ratings, top_n=k, pop_percentage=0.2)
                try:
                    found: dict[str, Any] = system(gap(), lists, truth)
                except Exception as error:  # noted by `add`
                    found = {f"DeltaGap | {group}": partial(fail, error) for group in GROUPS}
                for group in GROUPS:
                    name = next((name for name in found if name.startswith("DeltaGap") and name.split("| ")[1].startswith(group)), None)
                    note = "no value for the group" if name is None else "np.hstack is given a list" if k else None
                    number = found[name] if name else float("nan")
                    values.add(model, f"DeltaGap | {group}", k, "none", number, params=params, note=note)
        for method in ("pearson", "kendall", "spearman"):
            for k in (5, 10, None):
                correlate(values, model, lists, truth, {"method": method} | ({"top_n": k} if k else {}), k)
    predicted = Prediction.from_list(rated(read("ratings_pred"), "prediction"))
    for metric in ("MSE", "RMSE", "MAE"):
        made = getattr(evaluation, metric)()
        try:
            total, users = evaluation.EvalModel([predicted], [truth], [made]).fit()
            value, count = float(total.iloc[-1, 0]), int(users.iloc[:, 0].notna().sum())
            values.add("ratings_pred", metric, None, "rating values", value, users=count)
        except Exception as error:  # noted by `add`
            values.add("ratings_pred", metric, None, "rating values", partial(fail, error))
    for method in ("pearson", "kendall", "spearman"):
        correlate(values, "ratings_pred", predicted, truth, {"method": method}, None)


def correlate(values: Values, model: str, lists: Any, truth: Ratings, params: dict[str, Any], k: int | None) -> None:
    """Add a correlation of scores and ratings."""
    try:
        total, users = evaluation.EvalModel([lists], [truth], [evaluation.Correlation(**params)]).fit()
        counted = int(users.iloc[:, 0].notna().sum()) if users.shape[1] else 0
        both = len(set(lists.user_id_column) & set(truth.user_id_column))
        gaps = f"{both - counted} of {both} users have no value and are left out of the mean" if counted < both else None
        values.add(model, "Correlation", k, "graded", float(total.iloc[-1, 0]), users=counted, params=params, note=gaps)
    except Exception as error:  # noted by `add`
        values.add(model, "Correlation", k, "graded", partial(fail, error), params=params)


def fail(error: Exception) -> float:
    """Raise an error again."""
    raise error


def main() -> None:
    """Evaluate every model; the mean is over the users with test rows, a list and a relevant item."""
    warnings.simplefilter("ignore")
    values = Values("clayrs")
    truth = Ratings.from_list([(row["user_id"], row["item_id"], row["rating"]) for row in truth_rows("all")])
    asked = [(relevance, {"relevant_threshold": threshold}, row) for relevance, threshold in THRESHOLDS.items() for row in thresholded()]
    asked += [("graded", {}, row) for row in graded()]
    for model in MODELS:
        lists = Rank.from_list([(row["user_id"], row["item_id"], row["score"]) for row in ordered_rows(model)])
        for relevance, more, (name, k, options) in asked:
            params = more | options
            try:
                value, users, both = evaluate(name, k, params, lists, truth)
            except Exception as error:  # noted by `add`, which needs a call that fails
                values.add(model, name, k, relevance, partial(fail, error), params=params)
                continue
            gaps = both - users if users is not None else 0
            note = f"{gaps} of {both} users have no value and are left out of the mean" if gaps else None
            values.add(model, name, k, relevance, value, users=users, params=params, note=note)
    beyond(values)
    values.write("clayrs")


if __name__ == "__main__":
    main()
