"""Values of LibRecommender 1.5.2: the functions of evaluation/metrics.py, loaded without the package, which imports TensorFlow."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from common import KS, MODELS, REPEATING, Values, ordered_lists, truth_rows


def functions() -> dict[str, object]:
    """Return the functions by the names that `evaluate` takes."""
    package = importlib.util.find_spec("libreco")
    assert package is not None
    (folder,) = package.submodule_search_locations or ()
    spec = importlib.util.spec_from_file_location("libreco_metrics", Path(folder) / "evaluation" / "metrics.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = {"precision": "precision_at_k", "recall": "recall_at_k", "map": "average_precision_at_k", "ndcg": "ndcg_at_k"}
    return {name: getattr(module, function) for name, function in names.items()} | {"mean": module.listwise_scores}


def main() -> None:
    """Evaluate the models whose lists do not repeat an item; a test user without a list has an empty one."""
    values, found = Values("librecommender", "LibRecommender"), functions()
    mean = found.pop("mean")
    for relevance in ("all", "rating>=4"):
        wanted: dict[str, dict[str, None]] = {}
        for row in truth_rows(relevance):
            wanted.setdefault(row["user_id"], {})[row["item_id"]] = None
        test = {user: list(items) for user, items in wanted.items()}
        for model in (model for model in MODELS if model not in REPEATING):
            lists = ordered_lists(model)
            for k in KS:
                first = {user: lists.get(user, [])[:k] for user in test}
                for name, function in found.items():
                    values.add(model, name, k, relevance, mean(function, test, first, list(test), k), users=len(test))  # type: ignore[operator]
    values.write("librecommender")


if __name__ == "__main__":
    main()
