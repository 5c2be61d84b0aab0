"""Values of implicit 0.7.3: `ranking_metrics_at_k` of fixed lists; lists in order of score, ties in file order."""

from __future__ import annotations

import numpy as np
from common import KS, MODELS, REPEATING, Values, ordered_lists, read, truth_rows
from implicit.evaluation import ranking_metrics_at_k
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


class Lists:
    """A model with fixed lists; a list that is too short ends with -1, which is no item."""

    def __init__(self, lists: list[list[int]]) -> None:
        """Take the list of each user."""
        self.lists = lists

    def recommend(self, users: NDArray[np.int32], user_items: object, N: int = 10) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # noqa: N803, the library's name
        """Return the first items of the lists of users."""
        found = np.full((len(users), N), -1, dtype=np.int32)
        for row, user in enumerate(users):
            own = self.lists[user][:N]
            found[row, : len(own)] = own
        return found, np.zeros(found.shape)


def main() -> None:
    """Evaluate the models whose lists do not repeat an item; a test user without a list has an empty one."""
    values = Values("implicit")
    for relevance in ("all", "rating>=4"):
        wanted = {(row["user_id"], row["item_id"]) for row in truth_rows(relevance)}
        users = sorted({user for user, _ in wanted})
        for model in (model for model in MODELS if model not in REPEATING):
            lists = ordered_lists(model)
            every = (
                {item for _, item in wanted}
                | {row["item_id"] for row in read("items")}
                | {item for ranking in lists.values() for item in ranking}
            )
            items = {item: place for place, item in enumerate(sorted(every))}
            places = [users.index(user) for user, _ in wanted], [items[item] for _, item in wanted]
            test = csr_matrix((np.ones(len(wanted)), places), shape=(len(users), len(items)))
            for k in KS:
                fixed = Lists([[items[item] for item in lists.get(user, [])] for user in users])
                found = ranking_metrics_at_k(fixed, test * 0, test, K=k, show_progress=False)
                for name in ("precision", "map", "ndcg"):
                    values.add(model, name, k, relevance, float(found[name]), users=len(users))
    values.write("implicit")


if __name__ == "__main__":
    main()
