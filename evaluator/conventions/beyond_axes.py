"""Axes of popularity, novelty, coverage, diversity, fairness, serendipity and policies."""

from __future__ import annotations

from typing import Final

from .axis import Axis

_GREEDY: Final = {
    "greedy": "the relevant items, each time the one with the largest gain",
    "greedy_text_desc": "as greedy; of items that gain the same the largest id as text is first, not the smallest id",
}
POPULARITY_AXES: Final = (
    Axis(
        "popularity_count",
        "how popular an item is",
        {
            "users": "by its number of users in data.train: duplicate rows of a user count once",
            "rows": "by its number of rows in data.train: duplicate rows of a user count each time",
        },
    ),
    Axis(
        "popularity_unit",
        "how the popularity of an item is counted",
        {
            "rows": "in rows of data.train",
            "users": "in users of data.train",
            "row_share": "as a share of all rows of data.train",
            "user_share": "as a share of all users of data.train",
        },
    ),
    Axis(
        "popularity_unseen",
        "the popularity of an item that is not in data.train",
        {"zero": "0", "one": "1, as if one user had it"},
    ),
    Axis(
        "rank_unit",
        "how items are ordered by popularity",
        {"users": "their users in data.train", "rows": "their rows in data.train"},
    ),
    Axis(
        "head_border",
        "where the short head ends",
        {
            "reaches": "with the item at which it reaches the share",
            "exceeds": "with the item at which it exceeds the share",
        },
    ),
    Axis(
        "tail_untrained",
        "an item that is not in data.train",
        {"neither": "is neither in the head nor in the tail", "tail": "is in the tail if it is in the catalogue"},
    ),
    Axis(
        "reo_numerator",
        "the recommended items of a group that equal opportunity counts",
        {"relevant": "the hits", "listed": "all, relevant or not"},
    ),
    Axis(
        "rsp_candidates",
        "the items of a group that could have been recommended",
        {
            "unseen": "its items in data.train that are not in the user's train rows, summed over users",
            "items": "all its items, the same for every user",
            "unseen_on_average": "its items times the users that count, minus its train pairs times the share of train users that count",
        },
    ),
    Axis(
        "novelty_relevance",
        "the recommended items whose novelty counts",
        {"binary": "the hits", "gain": "the hits, each by its gain", "none": "all"},
    ),
    Axis(
        "novelty_discount",
        "how much novelty at rank r counts",
        {"log": "1/log2(r + 1)", "none": "1"},
    ),
    Axis(
        "novelty_norm",
        "the ranks whose discounts divide novelty",
        {"list_length": "those that are filled, at most k", "k": "all k; without a cut-off those that are filled"},
    ),
    Axis(
        "epc_unseen",
        "the popularity of an item that is not in data.train",
        {"zero": "0: its novelty is 1", "one": "1, as if one user had it"},
    ),
    Axis(
        "efd_unseen",
        "the popularity of an item that is not in data.train",
        {"least": "that of the rarest item", "one": "1"},
    ),
    Axis(
        "surprisal_norm",
        "the divisor of the information of an item",
        {"none": "nothing: it is in bits", "log2_users": "log2 of the number of users of data.train, so that it is between 0 and 1"},
    ),
    Axis(
        "surprisal_unit",
        "the frequency that surprise is based on",
        {"users": "its share of the users of data.train", "rows": "its share of the rows of data.train"},
    ),
    Axis(
        "surprisal_unseen",
        "an item that is not in data.train",
        {"one": "counts as if it had one user (or row)", "zero": "adds nothing"},
    ),
    Axis(
        "unexpectedness_absent",
        "a user without a list of the reference model",
        {"zero": "counts 0", "one": "counts 1: nothing in the list was expected"},
    ),
    Axis(
        "unexpectedness_divisor",
        "the divisor of the number of shared items",
        {"k": "k; without a cut-off the length of the list", "list_length": "the number of listed items, at most k"},
    ),
    Axis(
        "gap_of",
        "the files in which popularity is counted",
        {"train": "data.train", "train_and_test": "data.train and data.test together"},
    ),
    Axis(
        "popular_ties",
        "the order of equally popular items, and of users with equal shares of popular items",
        {"id": "by id, smallest first", "first_row": "by their first row in data.train (then in data.test)"},
    ),
    Axis(
        "ratio_of",
        "the share of popular items",
        {
            "recommendations": "among the recommended items",
            "profile": "among the user's items in data.train",
            "difference": "among the recommended items, minus that among the user's items in data.train",
        },
    ),
    Axis(
        "correlation_items",
        "the items whose popularity and number of recommendations are compared",
        {"all": "those in data.train or in a list", "recommended": "those in a list"},
    ),
)


BEYOND_AXES: Final = (
    Axis(
        "coverage_form",
        "the unit of a coverage",
        {
            "share": "the share of the items of the catalogue",
            "count": "the number of items",
            "percent": "the share in percent, rounded to two decimals",
            "percent_unrounded": "the share in percent",
        },
    ),
    Axis(
        "coverage_of",
        "the catalogue that a coverage is a share of",
        {"catalogue": "the items of data.items, else of data.train", "train": "the items of data.train"},
    ),
    Axis(
        "coverage_outside",
        "recommended items outside the catalogue",
        {"ignored": "do not count", "counts": "count, so that the share may be above 1"},
    ),
    Axis(
        "sufficient_form",
        "the value of a list shorter than k",
        {"all_or_nothing": "0", "share": "its length divided by k"},
    ),
    Axis(
        "unrepeated_form",
        "the value of a list with duplicates",
        {"all_or_nothing": "0", "share": "the share of its ranks whose item is not listed above"},
    ),
    Axis(
        "list_divisor",
        "the list length that divides a sum over its items",
        {
            "list_length": "the number of listed items, at most k",
            "places": "the filled ranks, at most k, including those of duplicates that were removed after the cut",
            "k": "k; without a cut-off the length of the list",
        },
    ),
    Axis(
        "item_distance",
        "the distance of two items",
        {
            "jaccard": "1 minus the Jaccard index of their categories (common categories divided by all categories of the two)",
            "cosine": "1 minus the cosine of their categories",
            "hamming": "the number of categories that only one of them has",
            "cooccurrence": "1 minus the cosine of their users in data.train",
            "vectors": "1 minus the cosine of their vectors in data.items",
            "file": "that of data.distances",
        },
    ),
    Axis(
        "single_item",
        "a list without a pair of items that have a distance",
        {
            "zero": "counts 0",
            "one": "counts 1",
            "left_out": "is left out",
            "short_zero": "counts 0 if it has fewer than two items, and is left out otherwise",
        },
    ),
    Axis(
        "ild_norm",
        "the divisor of the distances within a list",
        {
            "pairs": "the number of its pairs",
            "items": "its length, with both orders of each pair counted; pooled over all recommended items",
            "list_length": "its length",
        },
    ),
    Axis(
        "categorical_divisor",
        "the list length that divides its number of categories",
        {"k": "k; without a cut-off the length of the list", "list_length": "the number of listed items, at most k"},
    ),
    Axis(
        "srecall_relevance",
        "the recommended items whose categories are covered",
        {"binary": "the hits", "none": "all"},
    ),
    Axis(
        "srecall_of",
        "the categories that can be covered",
        {"catalogue": "all of data.items", "train": "those of the items of data.train", "relevant": "those of the user's relevant items"},
    ),
    Axis(
        "alpha_ideal",
        "the list that α-nDCG divides by",
        {
            **_GREEDY,
            "places": "a list of the same length whose ranks have the categories of the relevant items in turn, even without such items",
            "every_category": "k items that have every category of the relevant items, even without such items",
            "none": "none: the value is α-DCG",
        },
    ),
    Axis(
        "alpha_redundancy",
        "the items above that make a category worth less",
        {"hits": "the hits of this category", "listed": "all items of this category"},
    ),
    Axis(
        "err_ia_intent",
        "the probability that the user looks for a category",
        {
            "uniform": "the same for all categories",
            "profile": "by its share among the categories of the user's items in data.train and of the relevant items",
        },
    ),
    Axis(
        "err_ia_ideal",
        "the list that ERR-IA divides by",
        {
            "none": "none: the value is the expected reciprocal rank",
            **_GREEDY,
            "every_category": "k items that have every category of the relevant items, even without such items",
        },
    ),
    Axis(
        "nrbp_ideal",
        "the list that NRBP divides by",
        {
            "every_category": "an endless list of items that have every category of the relevant items",
            **_GREEDY,
        },
    ),
    Axis(
        "rbo_form",
        "the depths that a rank-biased overlap counts",
        {
            "extrapolated": "all: below the lists the overlap at their end is assumed to go on",
            "down_to_k": "1 to k; without a cut-off to the end of the longer list",
        },
    ),
    Axis(
        "categories_of",
        "the categories of a hit",
        {
            "items": "those of the item in data.items",
            "test": "those of the user's relevant test rows of the item, in the column data.test.categories",
        },
    ),
    Axis(
        "gini_of",
        "the items whose recommendation counts are compared",
        {
            "catalogue": "those of data.items, else of data.train",
            "train": "those of data.train",
            "recommended": "those that are recommended",
        },
    ),
    Axis(
        "gini_sign",
        "the meaning of the value 1",
        {"inequality": "one item has all recommendations", "equality": "all items are recommended equally often"},
    ),
    Axis(
        "gini_divisor",
        "the divisor of the Gini sum, besides the number of recommendations",
        {"n_minus_1": "the number of items minus 1, so that a single recommended item gives 1", "n": "the number of items"},
    ),
    Axis(
        "personalization_overlap",
        "how alike two lists are",
        {"cosine": "the cosine of the lists as vectors of 0 and 1", "share": "the number of common items divided by k"},
    ),
    Axis(
        "entropy_log",
        "the base of the logarithm of an entropy",
        {"natural": "e: the entropy is in nats", "binary": "2: it is in bits"},
    ),
    Axis(
        "entropy_norm",
        "the divisor of an entropy",
        {"none": "nothing", "items": "the number of items that are recommended"},
    ),
    Axis(
        "entropy_weights",
        "the unit that has equal weight in an entropy",
        {"rows": "every recommendation", "lists": "every list, long or short"},
    ),
    Axis(
        "empty_group",
        "a group of items without recommendations",
        {
            "left_out": "is left out; fewer than two groups give no value",
            "zero": "is left out; fewer than two groups give 0",
            "undefined": "makes the value undefined",
        },
    ),
    Axis(
        "item_mad_over",
        "the lists over which the score of an item is averaged",
        {
            "listed": "all that contain it, with score 0 where it is not a hit",
            "hits": "those where it is a hit; items without a hit are left out",
        },
    ),
    Axis(
        "bias_source",
        "the rows that recommendations are compared with",
        {"train": "the rows of data.train", "test": "the relevant items"},
    ),
    Axis(
        "bias_rows",
        "the rows of a group of users that a share refers to",
        {"all": "all", "grouped": "those whose item has a group"},
    ),
    Axis(
        "bias_items",
        "the items that the share of a group refers to",
        {"grouped": "those that have a group", "catalogue": "all of the catalogue"},
    ),
    Axis(
        "serendipity_relevance",
        "the recommended items whose distance to the user's profile counts",
        {"binary": "the hits", "none": "all"},
    ),
    Axis(
        "policy_activation",
        "how the scores of both policies are transformed before they are compared",
        {"none": "nothing", "sigmoid": "1/(1 + e^-x)", "softmax": "e^x, as a share of its sum over the user's list"},
        synonyms={"logit": "sigmoid"},
    ),
    Axis(
        "softmax_over",
        "the items in the sum of a softmax",
        {"first_k": "the first k of the user's list", "list": "all of the user's list"},
    ),
    Axis(
        "category_weight",
        "how an item with several categories counts for each of them",
        {"split": "an equal share for each category of the item", "each": "as much as if it were the only one"},
    ),
    Axis(
        "featureless_items",
        "pairs of items without a distance, for example an item without categories",
        {"left_out": "are left out", "unlike": "have distance 1"},
    ),
)
