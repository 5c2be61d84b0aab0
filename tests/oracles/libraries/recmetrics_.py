"""Values of recmetrics 0.1.5: whole lists in order of score, ties in file order; precision only of users with a list."""

from __future__ import annotations

import warnings
from collections import Counter
from functools import partial

import pandas as pd
import recmetrics
from common import KS, MODELS, SIDE_MODELS, Values, genres, ordered_lists, read, truth_rows


def novelty(lists: list[list[str]], popularity: dict[str, int], n_users: int, k: int) -> float:
    """Return the mean over lists, which the library returns beside the value of each."""
    return float(recmetrics.novelty(lists, popularity, n_users, k)[0])


def beyond(values: Values) -> None:
    """Evaluate the metrics that read only lists, the items file and the train rows."""
    catalogue, train = [row["item_id"] for row in read("items")], read("train")
    pairs, users = {(row["user_id"], row["item_id"]) for row in train}, {row["user_id"] for row in train}
    popularity = dict.fromkeys((row["item_id"] for model in SIDE_MODELS for row in read(model)), 1) | Counter(item for _, item in pairs)
    found = genres()
    names = sorted({name for some in found.values() for name in some})
    features = pd.DataFrame({name: [float(name in some) for some in found.values()] for name in names}, index=list(found))
    for model in SIDE_MODELS:
        lists = list(ordered_lists(model).values())
        values.add(model, "prediction_coverage", None, "none", partial(recmetrics.prediction_coverage, lists, catalogue))
        values.add(model, "personalization", None, "none", partial(recmetrics.personalization, lists))
        several = [items for items in lists if len(items) > 1]  # the value of a single item is nan
        call = partial(recmetrics.intra_list_similarity, several, features)
        values.add(model, "intra_list_similarity", None, "none", call, note="only lists of two items or more")
        for k in KS:
            cut = [items[:k] for items in lists]
            call = partial(novelty, cut, popularity, len(users), k)
            values.add(model, "novelty", k, "none", call, note="K1; 1 user for items without a train row")


def main() -> None:
    """Evaluate every model, and the predicted ratings."""
    warnings.simplefilter("ignore")
    values = Values("recmetrics")
    for relevance in ("all", "rating>=4"):
        wanted: dict[str, list[str]] = {}
        for row in truth_rows(relevance):
            wanted.setdefault(row["user_id"], []).append(row["item_id"])
        for model in MODELS:
            lists = ordered_lists(model)
            actual, predicted = list(wanted.values()), [lists.get(user, []) for user in wanted]
            for k in KS:
                values.add(model, "mark", k, relevance, partial(recmetrics.mark, actual, predicted, k))
            values.add(model, "recommender_recall", None, relevance, partial(recmetrics.recommender_recall, predicted, actual))
            listed = [(lists[user], items) for user, items in wanted.items() if user in lists]
            call = partial(recmetrics.recommender_precision, *map(list, zip(*listed, strict=True)))
            values.add(model, "recommender_precision", None, relevance, call, params={"truth": "only users with a list"})
    beyond(values)
    known = {(row["user_id"], row["item_id"]): row["rating"] for row in read("test")}
    both = [(known[pair], row["prediction"]) for row in read("ratings_pred") if (pair := (row["user_id"], row["item_id"])) in known]
    for name in ("mse", "rmse"):
        call = partial(getattr(recmetrics, name), *map(list, zip(*both, strict=True)))
        values.add("ratings_pred", name, None, "rating values", call, note="only the pairs with a prediction")
    values.write("recmetrics")


if __name__ == "__main__":
    main()
