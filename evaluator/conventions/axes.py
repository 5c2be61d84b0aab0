"""All axes on which metric definitions differ, with their allowed values; here those of the protocol, which every metric has.

An axis belongs either to the protocol, which all metrics share (the order of a list, relevance, the users to average over), or to the
formula of some metrics, which map a parameter to it.
"""

from __future__ import annotations

from typing import Final

from .accuracy_axes import FORMULA_AXES, JUDGED_AXES
from .axis import Axis
from .beyond_axes import BEYOND_AXES, POPULARITY_AXES

PROTOCOL_AXES: Final = (
    Axis(
        "list_order",
        "the column that orders a list",
        {
            "rank": "the rank; without one the score, highest first; without either the file order",
            "score": "the score, highest first, even if there is a rank; without a score the rank, then the file order",
            "file": "the order of the rows in the file",
        },
        part="lists",
    ),
    Axis(
        "tie_order",
        "the order of items with equal rank or score",
        {
            "item_asc": "by item id, smallest first",
            "item_desc": "by item id, largest first",
            "text_asc": "by item id as text, smallest first, so that 10 comes before 9",
            "text_desc": "by item id as text, largest first, so that 9 comes before 10",
            "file": "the order of the rows in the file",
            "worst": "relevant items last, the highest grade at the very end: no order gives the model less",
            "best": "relevant items first, the highest grade at the top: no order gives the model more",
        },
        part="lists",
    ),
    Axis(
        "score_type",
        "the precision in which scores are compared",
        {"float64": "double precision", "float32": "single precision: scores that are equal in it are tied"},
        part="lists",
    ),
    Axis(
        "duplicates",
        "an item that is more than once in a list",
        {
            "unique_hits": "is one hit, at its best rank; its other ranks are misses",
            "keep_all": "is a hit each time",
            "keep_all_as_relevant": "is a hit each time, and each time counts as one more relevant item",
            "keep_best_rank": "is kept only at its best rank; later items move up",
            "keep_best_rank_after_cut": "is kept only at its best rank; the list is cut at k before later items move up",
            "keep_last_row": "is kept once, with the score (without scores the rank) of its last row in the file, and among ties in the "
            "position of its first",
            "sum_scores": "is kept once, with the sum of its scores; in a file without scores, at its best rank",
        },
        part="lists",
        guesses=dict.fromkeys(("drop", "remove", "dedupe", "deduplicate", "unique", "first", "keep_first", "best", "max"), "keep_best_rank")
        | {"last": "keep_last_row", "keep_last": "keep_last_row", "sum": "sum_scores", "keep": "keep_all"},
    ),
    Axis(
        "seen_items",
        "listed items that are in the user's train rows (unknown without data.train)",
        {
            "keep": "stay in the list",
            "drop": "are removed after the list is cut at k: the list gets shorter",
            "drop_and_refill": "are removed before the list is cut at k: later items move up",
        },
        part="lists",
    ),
    Axis(
        "identical_ids",
        "a listed item with the id of its user, such as a query that is a document too",
        {"keep": "stays in the list", "drop_and_refill": "is removed before the list is cut at k: later items move up"},
        part="lists",
    ),
    Axis(
        "unknown_items",
        "listed items that are in neither the train file nor the items file (unknown without both)",
        {
            "keep": "stay in the list",
            "drop": "are removed after the list is cut at k: the list gets shorter",
            "drop_and_refill": "are removed before the list is cut at k: later items move up",
            "drop_and_refill_untrained": "are removed before the list is cut at k, with all items that are not in the train "
            "file, even those of the items file",
        },
        part="lists",
    ),
    Axis(
        "relevance_rule",
        "which test rows are relevant if no threshold is given (without ratings: every row)",
        {
            "above_zero": "a rating above 0",
            "above_half": "a rating above 0.5",
            "all_rows": "every row",
            "at_least_zero": "a rating of at least 0",
            "at_least_one": "a rating of at least 1",
            "user_mean": "a rating of at least the mean of the user's test ratings",
            "all_mean": "a rating of at least the mean of all ratings in the test file and, if it has ratings, in data.train",
        },
        part="truth",
    ),
    Axis(
        "threshold",
        "whether the threshold of the config applies",
        {
            "applies": "yes: a rating of at least the threshold is relevant",
            "ignored": "no: `relevance_rule` applies, whatever the threshold",
        },
        part="truth",
    ),
    Axis(
        "grades",
        "the grade of a relevant item",
        {
            "configured": "its rating if the config says relevance.graded, else 1",
            "ratings": "its rating if the test file has ratings; below 0 it counts as 0",
            "ones": "1",
        },
        part="truth",
    ),
    Axis(
        "truth_duplicates",
        "a user-item pair that is more than once in the test file",
        {
            "best": "counts once, with its highest rating",
            "first": "counts once, with the rating of its first row",
            "last": "counts once, with the rating of its last row",
            "sum": "counts once, with the sum of its ratings",
            "rows": "counts once as a hit, but every row counts as one more relevant item",
            "rows_count": "counts as often as it appears, as a hit and as a relevant item",
        },
        part="truth",
        guesses=dict.fromkeys(("drop", "remove", "dedupe", "deduplicate", "unique", "max"), "best"),
    ),
    Axis(
        "truth_filter",
        "test rows that are left out",
        {
            "none": "none",
            "known": "rows of users that are not in data.train, and of items that are not in data.items (else data.train)",
            "known_unseen": "the same rows, and pairs that are in data.train",
        },
        part="truth",
    ),
    Axis(
        "positions",
        "the rank of a hit",
        {
            "real": "its position in the list",
            "among_rated": "its position among the listed items that are in the user's test rows; k also cuts by this position",
            "among_judged": "the same, among those with a rating of at least 0",
            "as_written": "its rank as the file gives it, with gaps and ties; k cuts at rank ≤ k. Without whole ranks from 1: its position",
            "ties_last": "the last position of the items with the same rank or score, for each of them; k cuts at this position",
            "ties_first": "the first position of the items with the same rank or score, for each of them; k cuts at this position",
        },
        part="lists",
    ),
    Axis(
        "hit_scores",
        "the score of a listed item that can be a hit",
        {"any": "any", "positive": "above 0: other items keep their ranks and are misses; in a list without scores any item can be a hit"},
        part="lists",
    ),
    Axis(
        "population",
        "which users count",
        {
            "own": "the metric's own: users of the test file if it uses relevance, all users with a list if it uses only lists",
            "test": "users of the test file, according to missing_lists, no_relevant and no_truth",
            "tested": "all users of the test file, with or without a relevant item or a list",
            "lists": "all users with a list, even if they are not in the test file",
            "tested_lists": "all users with a list and a row in the test file",
            "lists_at_k": "all users with an item at a rank of at most k, even if they are not in the test file",
            "train": "all users of the train file, with or without a list",
            "baseline": "all users with a list of the reference model, with or without a list of the model",
        },
        part="users",
    ),
    Axis(
        "missing_lists",
        "users with relevant items and no list",
        {"zero": "count 0", "drop": "are left out", "undefined": "have no defined value, so a mean that includes them has none either"},
        part="users",
    ),
    Axis(
        "no_relevant",
        "users with test rows and no relevant item",
        {
            "drop": "are left out",
            "zero": "count 0",
            "one": "count 1, the best value, for metrics of one user with a best value of 1, and 0 for others",
        },
        part="users",
    ),
    Axis(
        "empty_truth",
        "test users with an empty list of items (possible in a dict, not in rows)",
        {
            "as_no_relevant": "are users without a relevant item: see no_relevant",
            "zero": "count 0",
            "undefined": "have no defined value, so a mean that includes them has none either",
        },
        part="users",
    ),
    Axis("no_truth", "users with a list and no test row", {"drop": "are left out", "zero": "count 0"}, part="users"),
    Axis(
        "no_hits",
        "users without a hit, for metrics that need one",
        {
            "zero": "count 0",
            "drop": "are left out",
            "drop_or_zero": "are left out; if no user has a hit, the mean over all users is 0",
            "drop_if_undefined": "are left out if the metric divides by 0, and count 0 otherwise",
        },
        part="users",
    ),
    Axis(
        "divisor",
        "the divisor of the sum over users",
        {"counted": "the number of users that count", "train_users": "the number of users in data.train"},
        part="users",
    ),
    Axis(
        "average",
        "how per-user values are combined if the config has no aggregates",
        {
            "own": "the metric's own way: the mean for all but AUC",
            "mean": "the mean over users (macro)",
            "micro": "numerators and denominators are summed over users first (pooled)",
            "sum": "the sum over users",
            "weighted": "the mean over users, weighted by evaluation.weights",
            "geometric": "the geometric mean, with values below 0.00001 counted as 0.00001",
        },
        part="value",
    ),
    Axis("std_ddof", "the divisor of a standard deviation", {"sample": "n - 1 (ddof 1)", "population": "n (ddof 0)"}, part="value"),
    Axis(
        "float_type",
        "the precision of a user's value",
        {
            "float64": "double precision",
            "float32": "rounded to single precision",
            "decimals5": "rounded to five decimals",
            "decimals4": "rounded to four decimals",
        },
        part="value",
    ),
)


AXES: Final[dict[str, Axis]] = {axis.name: axis for axis in (*PROTOCOL_AXES, *FORMULA_AXES, *POPULARITY_AXES, *BEYOND_AXES, *JUDGED_AXES)}

PROTOCOL: Final = tuple(axis.name for axis in PROTOCOL_AXES)
"""Names of the axes that every metric has."""
