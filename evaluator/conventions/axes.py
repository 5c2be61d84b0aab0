"""The axes on which metric definitions differ, with the values each may take; and those that every metric has.

An axis either belongs to the protocol, which all metrics share (in what order a list is read, what is relevant, who is
averaged over), or to the formula of some metrics, which then map a parameter to it.
"""

from __future__ import annotations

from typing import Final

from .accuracy_axes import FORMULA_AXES, JUDGED_AXES
from .axis import Axis
from .beyond_axes import BEYOND_AXES, POPULARITY_AXES

PROTOCOL_AXES: Final = (
    Axis(
        "list_order",
        "lists",
        "which column orders a list",
        {
            "rank": "the rank; without one the score, highest first; without either the order of the file",
            "score": "the score, highest first, whatever the rank says; without one the rank, then the order of the file",
            "file": "the order of the rows in the file",
        },
    ),
    Axis(
        "tie_order",
        "lists",
        "the order of items that the list's order leaves equal",
        {
            "item_asc": "by item id, smallest first",
            "item_desc": "by item id, largest first",
            "text_asc": "by item id as text, smallest first, so that 10 comes before 9",
            "text_desc": "by item id as text, largest first, so that 9 comes before 10",
            "file": "the order of the rows in the file",
        },
    ),
    Axis(
        "score_type",
        "lists",
        "the precision in which scores are compared",
        {"float64": "double precision", "float32": "single precision: scores that differ less are tied"},
    ),
    Axis(
        "duplicates",
        "lists",
        "an item that stands more than once in a list",
        {
            "unique_hits": "is one hit, at its best rank; its other places are misses",
            "keep_all": "is a hit each time",
            "keep_all_as_relevant": "is a hit each time, and each time one relevant item more",
            "keep_best_rank": "stands at its best rank only, and the list closes up",
            "keep_best_rank_after_cut": "stands at its best rank only; the list is cut at k before it closes up",
            "keep_last_row": "stands once, with the score (without scores the rank) of its last row in the file, and among ties at the "
            "place of its first",
            "sum_scores": "stands once, with the sum of its scores; in a file without scores at its best rank",
        },
    ),
    Axis(
        "seen_items",
        "lists",
        "listed items that the train file holds for the user (without data.train nothing is known of them)",
        {
            "keep": "stay in the list",
            "drop": "are taken out after the list is cut at k: it is shorter",
            "drop_and_refill": "are taken out before the list is cut at k: what stood below moves up",
        },
    ),
    Axis(
        "unknown_items",
        "lists",
        "listed items that neither the train nor the items file holds (without both nothing is known of them)",
        {
            "keep": "stay in the list",
            "drop": "are taken out after the list is cut at k: it is shorter",
            "drop_and_refill": "are taken out before the list is cut at k: what stood below moves up",
            "drop_and_refill_untrained": "are taken out so, as are all that the train file does not hold, whatever the items file says",
        },
    ),
    Axis(
        "relevance_rule",
        "truth",
        "which test rows are relevant where no threshold is given (without ratings: every row)",
        {
            "above_zero": "a rating above 0",
            "all_rows": "every row",
            "at_least_zero": "a rating of at least 0",
            "at_least_one": "a rating of at least 1",
            "user_mean": "a rating of at least the mean of the user's test ratings",
            "all_mean": "a rating of at least the mean of all ratings, those of the test file and of data.train, where it has ratings",
        },
    ),
    Axis(
        "threshold",
        "truth",
        "whether the threshold of the config applies",
        {"applies": "relevant is a rating of at least the threshold", "ignored": "`relevance_rule` holds, whatever the threshold"},
    ),
    Axis(
        "grades",
        "truth",
        "the grade of a relevant item",
        {
            "configured": "its rating if the config says relevance.graded, else 1",
            "ratings": "its rating, where the test file has ratings; below 0 it counts as 0",
            "ones": "1",
        },
    ),
    Axis(
        "truth_duplicates",
        "truth",
        "a pair that stands more than once in the test file",
        {
            "best": "counts once, with its highest rating",
            "first": "counts once, with the rating of its first row",
            "last": "counts once, with the rating of its last row",
            "sum": "counts once, with the sum of its ratings",
            "rows": "counts once as a hit, but every row is one relevant item more",
            "rows_count": "counts as often as it stands there, as a hit and as a relevant item",
        },
    ),
    Axis(
        "truth_filter",
        "truth",
        "test rows that are left out",
        {
            "none": "none",
            "known": "those of users that data.train does not hold, and of items that data.items (else data.train) does not hold",
            "known_unseen": "those, and those that data.train holds",
        },
    ),
    Axis(
        "positions",
        "lists",
        "the rank of a hit",
        {
            "real": "its position in the list",
            "among_rated": "its position among the listed items that the user's test rows hold, which is also what k cuts",
        },
    ),
    Axis(
        "population",
        "users",
        "whose users count",
        {
            "own": "the metric's own: those of the test file where it looks at relevance, all with a list where it looks at lists only",
            "test": "those of the test file, as missing_lists, no_relevant and no_truth say",
            "tested": "all of the test file, with or without a relevant item or a list",
            "lists": "all with a list, whatever the test file holds",
            "tested_lists": "all with a list and a row of the test file",
            "train": "all of the train file, with or without a list",
            "baseline": "all of the reference model's lists, with or without a list",
        },
    ),
    Axis(
        "missing_lists",
        "users",
        "users with relevant items and no list",
        {"zero": "count 0", "drop": "are left out", "undefined": "have no defined value, and a mean over them and others has none either"},
    ),
    Axis("no_relevant", "users", "users with test rows and no relevant item", {"drop": "are left out", "zero": "count 0"}),
    Axis(
        "empty_truth",
        "users",
        "users of the test set whose list of items is empty, which a dict can hold and rows cannot",
        {
            "as_no_relevant": "are users without a relevant item, as no_relevant says",
            "zero": "count 0",
            "undefined": "have no defined value, and a mean over them and others has none either",
        },
    ),
    Axis("no_truth", "users", "users with a list and no test row", {"drop": "are left out", "zero": "count 0"}),
    Axis(
        "no_hits",
        "users",
        "users without a hit where the metric looks for one",
        {
            "zero": "count 0",
            "drop": "are left out",
            "drop_if_undefined": "are left out where the metric divides by 0, and count 0 otherwise",
        },
    ),
    Axis(
        "divisor",
        "users",
        "what the sum over users is divided by",
        {"counted": "the number of users who count", "train_users": "the number of users in data.train"},
    ),
    Axis(
        "average",
        "value",
        "how users are combined where the config asks for no aggregates",
        {
            "own": "the metric's own way: the mean for all but AUC",
            "mean": "the mean over users (macro)",
            "micro": "numerators and denominators are summed over users first (pooled)",
            "sum": "the sum over users",
            "geometric": "the geometric mean, values below 0.00001 counting as that",
        },
    ),
    Axis("std_ddof", "value", "the divisor of a standard deviation", {"sample": "n - 1 (ddof 1)", "population": "n (ddof 0)"}),
    Axis(
        "float_type",
        "value",
        "the precision of a user's value",
        {"float64": "double precision", "float32": "rounded to single precision", "decimals5": "rounded to five decimals"},
    ),
)


AXES: Final[dict[str, Axis]] = {axis.name: axis for axis in (*PROTOCOL_AXES, *FORMULA_AXES, *POPULARITY_AXES, *BEYOND_AXES, *JUDGED_AXES)}

PROTOCOL: Final = tuple(axis.name for axis in PROTOCOL_AXES)
"""The axes that every metric has."""
