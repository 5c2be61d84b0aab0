"""Values of ClayRS 0.5.1, through `EvalModel`.

ClayRS has its own relevance threshold, so the truth is never filtered: 0 stands for `all`, 4 for `rating>=4`, none for the user's mean.
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

from common import KS, MODELS, Values, ordered_rows, truth_rows

SKIPPED = ("clayrs.recsys", "clayrs.content_analyzer", "clayrs.content_analyzer.ratings_manager")
THRESHOLDS = {"all": 0.0, "rating>=4": 4.0, "rating>=user mean": None}


def skip_package_imports() -> None:
    """Open these packages without running their __init__, which wants some 25 packages that the evaluation does not use."""
    spec = find_spec("clayrs")
    assert spec is not None
    assert spec.origin is not None
    for name in SKIPPED:
        package = ModuleType(name)
        package.__path__ = [str(Path(spec.origin).parent.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package


skip_package_imports()

from clayrs import evaluation  # noqa: E402
from clayrs.content_analyzer.ratings_manager.ratings import Rank, Ratings  # noqa: E402
from clayrs.evaluation.metrics.ranking_metrics import MAPAtK  # noqa: E402


def thresholded() -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Name, k and options of the metrics that have a relevance threshold."""
    for average in ({"sys_average": "macro"}, {"sys_average": "micro"}):
        yield from ((name, None, average) for name in ("Precision", "Recall", "RPrecision"))
        yield from (("FMeasure", None, average | {"beta": beta}) for beta in (1, 2))
        for k in KS:
            yield from ((name, k, average) for name in ("PrecisionAtK", "RecallAtK"))
            yield from (("FMeasureAtK", k, average | {"beta": beta}) for beta in (1, 2))
    yield from ((name, None, {}) for name in ("MAP", "MRR"))
    yield from ((name, k, {}) for name in ("MAPAtK", "MRRAtK") for k in KS)


def graded() -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Name, k and options of the metrics that read the rating itself."""
    for gains in ("linear", "exponential"):
        yield "NDCG", None, {"gains": gains}
        yield from (("NDCGAtK", k, {"gains": gains}) for k in KS)


def evaluate(name: str, k: int | None, options: dict[str, Any], lists: Rank, truth: Ratings) -> tuple[float, int | None, int]:
    """The system's value, the number of users with a value (where the library tells) and the number of users in both."""
    made = (MAPAtK if name == "MAPAtK" else getattr(evaluation, name))(**({"k": k} if k else {}), **options)
    system, users = evaluation.EvalModel([lists], [truth], [made]).fit()
    both = len(set(lists.user_id_column) & set(truth.user_id_column))
    counted = None if name.startswith("MRR") else int(users.iloc[:, 0].notna().sum()) if users.shape[1] else 0
    return float(system.iloc[-1, 0]), counted, both


def fail(error: Exception) -> float:
    """Raise an error once more."""
    raise error


def main() -> None:
    """Evaluate every model; the mean is over the users that have truth, a list and a relevant item."""
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
            except Exception as error:  # noted by `add`, which wants a call that fails
                values.add(model, name, k, relevance, partial(fail, error), params=params)
                continue
            gaps = both - users if users is not None else 0
            note = f"{gaps} of {both} users have no value and are left out of the mean" if gaps else None
            values.add(model, name, k, relevance, value, users=users, params=params, note=note)
    values.write("clayrs")


if __name__ == "__main__":
    main()
