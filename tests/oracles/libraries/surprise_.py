"""Values of Surprise 1.1.5: its measures of predicted ratings, over the test pairs with a prediction."""

from __future__ import annotations

from functools import partial

from common import Values, read
from surprise import Prediction, accuracy


def main() -> None:
    """Evaluate the predicted ratings."""
    values = Values("surprise", "scikit-surprise")
    known = {(row["user_id"], row["item_id"]): row["rating"] for row in read("test")}
    both = [(row, known[pair]) for row in read("ratings_pred") if (pair := (row["user_id"], row["item_id"])) in known]
    predictions = [Prediction(row["user_id"], row["item_id"], rating, row["prediction"], {}) for row, rating in both]
    for name in ("rmse", "mse", "mae", "fcp"):
        call = partial(getattr(accuracy, name), predictions, verbose=False)
        values.add("ratings_pred", name, None, "rating values", call, note="only the pairs with a prediction")
    values.write("surprise")


if __name__ == "__main__":
    main()
