"""Side inputs → columns of items and of users: popularity, categories, groups."""

from .categories import category_pairs, with_masks
from .groups import codes, groups, labelled
from .popularity import by_share, counts_of_items, dense_rank, in_tail, mean_rank, most_popular

__all__ = [
    "by_share",
    "category_pairs",
    "codes",
    "counts_of_items",
    "dense_rank",
    "groups",
    "in_tail",
    "labelled",
    "mean_rank",
    "most_popular",
    "with_masks",
]
