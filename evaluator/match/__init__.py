"""Lists × truth → the tables that the metrics read: who counts, what was found, what could have been."""

from .candidates import Candidates, outside, wanted_outside, with_candidates, with_unseen
from .lists import (
    Found,
    among_rated,
    closed_up,
    hits,
    moved_up,
    one_per_item,
    repeats,
    wanted,
    wanted_repeaters,
    wanted_repeats,
    wanted_seen,
    wanted_unknown,
    with_summed_scores,
)
from .truth import PAIR, Known, TruthTables, each_copy, in_best_order, rated_pairs, relevant_items, truth_tables

__all__ = [
    "PAIR",
    "Candidates",
    "Found",
    "Known",
    "TruthTables",
    "among_rated",
    "closed_up",
    "each_copy",
    "hits",
    "in_best_order",
    "moved_up",
    "one_per_item",
    "outside",
    "rated_pairs",
    "relevant_items",
    "repeats",
    "truth_tables",
    "wanted",
    "wanted_outside",
    "wanted_repeaters",
    "wanted_repeats",
    "wanted_seen",
    "wanted_unknown",
    "with_candidates",
    "with_summed_scores",
    "with_unseen",
]
