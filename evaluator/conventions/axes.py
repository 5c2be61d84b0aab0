"""The axes on which metric definitions differ, with the values each may take.

An axis either belongs to the protocol, which all metrics share (in what order a list is read, what is relevant, who is
averaged over), or to the formula of some metrics, which then map a parameter to it.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final, Literal

from ..naming import Scalar

Part = Literal["lists", "truth", "users", "value", "formula"]


@dataclass(frozen=True)
class Axis:
    """One choice a definition leaves open: what part of the work it belongs to, what it decides, and its allowed values.

    Each value has a sentence; an axis without values is a number above 1.
    """

    name: str
    part: Part
    decides: str
    meanings: dict[str, str]

    @property
    def values(self) -> tuple[str, ...]:
        """The allowed values; empty where any number above 1 is allowed."""
        return tuple(self.meanings)

    def read(self, value: Scalar) -> Scalar:
        """Return `value` if this axis allows it; raise `ValueError` with the allowed values otherwise."""
        if not self.meanings:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value < float("inf"):
                raise ValueError(f"{self.name} is a number above 1, not {value!r}")
            return float(value)
        if value not in self.meanings:
            close = difflib.get_close_matches(str(value), self.values, n=1)
            hint = f" — did you mean '{close[0]}'?" if close else ""
            raise ValueError(f"{self.name} is one of {', '.join(self.values)}, not {value!r}{hint}")
        return value


AXES: Final[dict[str, Axis]] = {
    axis.name: axis
    for axis in (
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
                "each_counts": "is a hit each time",
                "each_counts_as_relevant": "is a hit each time, and each time one relevant item more",
                "drop": "stands at its best rank only, and the list closes up",
                "drop_after_cut": "stands at its best rank only; the list is cut at k before it closes up",
                "sum_scores": "stands once, with the sum of its scores",
            },
        ),
        Axis(
            "seen_items",
            "lists",
            "listed items that the train file holds for the user (without data.train nothing is known of them)",
            {
                "keep": "stay in the list",
                "drop": "are taken out, and the list closes up",
                "drop_with_unknown": "are taken out, and so are items that the train file does not hold at all",
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
                "ratings": "its rating, where the test file has ratings",
                "ones": "1",
            },
        ),
        Axis(
            "truth_duplicates",
            "truth",
            "a pair that stands more than once in the test file",
            {
                "best": "counts once, with its highest rating",
                "last": "counts once, with the rating of its last row",
                "sum": "counts once, with the sum of its ratings",
                "rows": "counts once as a hit, but every row is one relevant item more",
            },
        ),
        Axis(
            "truth_filter",
            "truth",
            "test rows that are left out",
            {
                "none": "none",
                "known": "those of users or items that data.train does not hold (items: or data.items)",
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
        Axis("missing_lists", "users", "users with relevant items and no list", {"zero": "count 0", "drop": "are left out"}),
        Axis("no_relevant", "users", "users with test rows and no relevant item", {"drop": "are left out", "zero": "count 0"}),
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
            {"float64": "double precision", "float32": "rounded to single precision"},
        ),
        Axis(
            "precision_denominator",
            "formula",
            "what Precision divides by",
            {
                "k": "k; without a cut-off the length of the list",
                "list_length": "the items that are there, at most k",
                "min_r_k": "the smaller of R and k",
                "min_r_length": "the smaller of R and the length of the list, at most k",
                "rated": "the listed items that the user's test rows hold, at most k of the list",
            },
        ),
        Axis("recall_denominator", "formula", "what Recall divides by", {"r": "R", "min_r_k": "the smaller of R and k"}),
        Axis(
            "rprecision_denominator",
            "formula",
            "what RPrecision divides by",
            {"r": "R", "min_r_length": "the smaller of R and the length of the list"},
        ),
        Axis(
            "f_weight",
            "formula",
            "how `beta` weighs the two metrics of F1",
            {"beta_squared": "by β²", "beta": "by β itself"},
        ),
        Axis(
            "map_denominator",
            "formula",
            "what AP divides by",
            {
                "min_r_k": "the smaller of R and k",
                "r": "R",
                "k": "k; without a cut-off the length of the list",
                "list_length": "the length of the list, at most k",
                "hits": "the hits among the first k",
                "min_r_length": "the smaller of R and the length of the list, at most k",
            },
        ),
        Axis(
            "map_ranks",
            "formula",
            "the ranks at which AP adds up precision",
            {"hits": "those of the hits", "all": "every rank up to k"},
        ),
        Axis(
            "mar_denominator",
            "formula",
            "what AR divides by",
            {
                "min_r_k": "the smaller of R and k",
                "r": "R",
                "k": "k; without a cut-off the length of the list",
                "list_length": "the length of the list, at most k",
                "hits": "the hits among the first k",
            },
        ),
        Axis(
            "mar_ranks",
            "formula",
            "the ranks at which AR adds up recall",
            {"hits": "those of the hits", "all": "every rank up to k"},
        ),
        Axis(
            "ndcg_gain",
            "formula",
            "the gain of a relevant item of grade g",
            {
                "binary": "1",
                "linear": "g",
                "exp2": "2^g - 1",
                "exp2_plus1": "2^(g+1) - 1",
                "exp2_offset": "2^(g-t+1) - 1 with t the threshold of relevance (0 if there is none; 1 where g is 1 for all)",
            },
        ),
        Axis(
            "ndcg_discount",
            "formula",
            "what the gain at rank r is divided by",
            {"log_r_plus_1": "log(r + 1)", "log_max_r_2": "log(max(r, 2)), so that ranks 1 and 2 weigh the same"},
        ),
        Axis("ndcg_log_base", "formula", "the base of the logarithm in the rank discount", {}),
        Axis(
            "ndcg_ideal",
            "formula",
            "the list that nDCG divides by",
            {
                "relevant": "all relevant items of the user, highest gain first, cut at k",
                "retrieved": "the hits of the list, highest gain first, cut at k",
                "k_items": "k items of gain 1, however many are relevant (without a cut-off as `relevant`)",
            },
        ),
        Axis(
            "auc_norm",
            "formula",
            "the number of negatives an AUC divides by",
            {"n_negatives": "all of them", "n_negatives_plus_1": "one more"},
        ),
        Axis(
            "auc_negatives",
            "formula",
            "how negatives are counted",
            {
                "candidates": "candidates that are not relevant, and whatever else the list holds",
                "train_items": "the items of data.train, less the user's own, less R, whatever the list holds",
            },
        ),
        Axis(
            "auc_average",
            "formula",
            "the relevant items that AUC averages over",
            {"relevant": "all; what the list leaves out counts 0", "hits": "those in the list"},
        ),
    )
}

PROTOCOL: Final = tuple(axis.name for axis in AXES.values() if axis.part != "formula")
"""The axes that every metric has."""
