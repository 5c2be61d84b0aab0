"""The axes on which metric definitions differ, with the values each may take."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final

from ..naming import Scalar


@dataclass(frozen=True)
class Axis:
    """One choice a definition leaves open: its name, what it decides, and its allowed values (empty: a number above 1)."""

    name: str
    decides: str
    values: tuple[str, ...] = ()

    def read(self, value: Scalar) -> Scalar:
        """Return `value` if this axis allows it; raise `ValueError` with the allowed values otherwise."""
        if not self.values:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value < float("inf"):
                raise ValueError(f"{self.name} is a number above 1, not {value!r}")
            return float(value)
        if value not in self.values:
            close = difflib.get_close_matches(str(value), self.values, n=1)
            hint = f" — did you mean '{close[0]}'?" if close else ""
            raise ValueError(f"{self.name} is one of {', '.join(self.values)}, not {value!r}{hint}")
        return value


AXES: Final[dict[str, Axis]] = {
    axis.name: axis
    for axis in (
        Axis("tie_order", "the order of items with equal scores", ("item_asc", "item_desc")),
        Axis(
            "duplicates",
            "an item that stands twice in a list: counted once, at its best rank, its other places being misses; or each time",
            ("unique_hits", "each_counts"),
        ),
        Axis("missing_lists", "users with relevant items and no list: they count 0, or are left out", ("zero", "drop")),
        Axis("precision_denominator", "what Precision divides by", ("k", "list_length")),
        Axis("map_denominator", "what AP divides by", ("min_r_k", "r", "k", "list_length", "hits")),
        Axis("mar_denominator", "what AR divides by", ("min_r_k", "r", "k", "list_length", "hits")),
        Axis("ndcg_gain", "the gain of relevance r: 1, r, 2^r - 1 or 2^(r+1) - 1", ("binary", "linear", "exp2", "exp2_plus1")),
        Axis("ndcg_log_base", "the base of the logarithm in the rank discount"),
        Axis("auc_norm", "the number of negatives an AUC divides by: all, or one more", ("n_negatives", "n_negatives_plus_1")),
    )
}
