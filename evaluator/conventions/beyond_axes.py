"""The axes of popularity, novelty, coverage, diversity, fairness, serendipity and policies."""

from __future__ import annotations

from typing import Final

from .axis import Axis

POPULARITY_AXES: Final = (
    Axis(
        "popularity_count",
        "formula",
        "how popular an item is",
        {
            "users": "by its users in data.train: repeated rows of a user count once",
            "rows": "by its rows in data.train: repeated rows of a user count each time",
        },
    ),
    Axis(
        "popularity_unit",
        "formula",
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
        "formula",
        "the popularity of an item that data.train does not hold",
        {"zero": "0", "one": "1, as if one user had it"},
    ),
    Axis(
        "rank_unit",
        "formula",
        "what items are ordered by to say how popular they are",
        {"users": "their users in data.train", "rows": "their rows in data.train"},
    ),
    Axis(
        "head_border",
        "formula",
        "the item with which the short head reaches its share",
        {
            "reaches": "the head ends with the item that makes it reach the share",
            "exceeds": "the head ends with the item that makes it exceed the share",
        },
    ),
    Axis(
        "tail_untrained",
        "formula",
        "an item that data.train does not hold",
        {"neither": "is neither in the head nor in the tail", "tail": "is in the tail, if the catalogue holds it"},
    ),
    Axis(
        "reo_numerator",
        "formula",
        "the recommended items of a group that equal opportunity counts",
        {"relevant": "the hits", "listed": "all, relevant or not"},
    ),
    Axis(
        "rsp_candidates",
        "formula",
        "the items of a group that users could have been given",
        {
            "unseen": "those of the group in data.train without the user's own, summed over users",
            "items": "those of the group, the same for every user",
            "unseen_on_average": "those of the group less its users in data.train, in the proportion of users who count",
        },
    ),
    Axis(
        "novelty_relevance",
        "formula",
        "the recommended items whose novelty counts",
        {"binary": "the hits", "gain": "the hits, each by its gain", "none": "all"},
    ),
    Axis(
        "novelty_discount",
        "formula",
        "how much novelty at rank r counts",
        {"log": "1/log2(r + 1)", "none": "1"},
    ),
    Axis(
        "novelty_norm",
        "formula",
        "the places whose discounts novelty is divided by",
        {"list_length": "those that are filled, at most k", "k": "all k; without a cut-off those that are filled"},
    ),
    Axis(
        "epc_unseen",
        "formula",
        "the popularity of an item that data.train does not hold",
        {"zero": "0: its novelty is 1", "one": "1, as if one user had it"},
    ),
    Axis(
        "efd_unseen",
        "formula",
        "the popularity of an item that data.train does not hold",
        {"least": "that of the rarest item", "one": "1"},
    ),
    Axis(
        "surprisal_norm",
        "formula",
        "what the information of an item is divided by",
        {"none": "nothing: it is in bits", "log2_users": "log2 of the number of users of data.train, so that it lies between 0 and 1"},
    ),
    Axis(
        "surprisal_unit",
        "formula",
        "the frequency that makes an item surprising",
        {"users": "its share of the users of data.train", "rows": "its share of the rows of data.train"},
    ),
    Axis(
        "surprisal_unseen",
        "formula",
        "an item that data.train does not hold",
        {"one": "counts as if one user (or row) held it", "zero": "adds nothing"},
    ),
    Axis(
        "unexpectedness_absent",
        "formula",
        "a user whom the reference model does not know",
        {"zero": "counts 0", "one": "counts 1: nothing in the list was expected"},
    ),
    Axis(
        "unexpectedness_divisor",
        "formula",
        "what the shared items are divided by",
        {"k": "k; without a cut-off the length of the list", "list_length": "the items that are there, at most k"},
    ),
    Axis(
        "gap_of",
        "formula",
        "the files that say how popular an item is",
        {"train": "data.train", "train_and_test": "data.train and data.test together"},
    ),
    Axis(
        "popular_ties",
        "formula",
        "which of equally popular items, or of users with equal shares of them, comes first",
        {"id": "the one with the smaller id", "first_row": "the one that stands first in data.train (then in data.test)"},
    ),
    Axis(
        "ratio_of",
        "formula",
        "what the share of popular items is taken of",
        {
            "recommendations": "the recommended items",
            "profile": "the items of the user in data.train",
            "difference": "the recommended items, less that of the profile",
        },
    ),
    Axis(
        "correlation_items",
        "formula",
        "the items whose popularity and recommendations are compared",
        {"all": "those that data.train or a list holds", "recommended": "those that a list holds"},
    ),
)


BEYOND_AXES: Final = (
    Axis(
        "coverage_form",
        "formula",
        "what a coverage says",
        {
            "share": "the share of the items of the catalogue",
            "count": "the number of items",
            "percent": "the share in percent, rounded to two decimals",
        },
    ),
    Axis(
        "coverage_of",
        "formula",
        "the catalogue that a coverage is a share of",
        {"catalogue": "the items of data.items, else of data.train", "train": "the items of data.train"},
    ),
    Axis(
        "coverage_outside",
        "formula",
        "recommended items outside the catalogue",
        {"ignored": "do not count", "counts": "count, so that the share may be above 1"},
    ),
    Axis(
        "sufficient_form",
        "formula",
        "what a list shorter than k counts",
        {"all_or_nothing": "0", "share": "its length divided by k"},
    ),
    Axis(
        "unrepeated_form",
        "formula",
        "what a list with repeated items counts",
        {"all_or_nothing": "0", "share": "the share of its places whose item does not stand further up"},
    ),
    Axis(
        "list_divisor",
        "formula",
        "the length of a list that a sum over its items is divided by",
        {
            "list_length": "the items that are there, at most k",
            "places": "the places that the list fills, at most k, also those of repeated items that were taken out after the cut",
            "k": "k; without a cut-off the length of the list",
        },
    ),
    Axis(
        "item_distance",
        "formula",
        "the distance of two items",
        {
            "jaccard": "1 less the share of common categories among those of either",
            "cosine": "1 less the cosine of their categories",
            "hamming": "the number of categories that one has and the other has not",
            "cooccurrence": "1 less the cosine of their users in data.train",
            "file": "that of data.distances",
        },
    ),
    Axis(
        "single_item",
        "formula",
        "a list without a pair of items that have a distance",
        {
            "zero": "counts 0",
            "one": "counts 1",
            "left_out": "is left out",
            "short_zero": "counts 0 if it has less than two items, and is left out otherwise",
        },
    ),
    Axis(
        "ild_norm",
        "formula",
        "what the distances within a list are divided by",
        {"pairs": "the number of its pairs", "items": "its length, ordered pairs being counted; pooled over all recommended items"},
    ),
    Axis(
        "categorical_divisor",
        "formula",
        "the length of a list that its categories are divided by",
        {"k": "k; without a cut-off the length of the list", "list_length": "the items that are there, at most k"},
    ),
    Axis(
        "srecall_relevance",
        "formula",
        "the recommended items whose categories are covered",
        {"binary": "the hits", "none": "all"},
    ),
    Axis(
        "srecall_of",
        "formula",
        "the categories that could be covered",
        {"catalogue": "all of data.items", "train": "those of the items of data.train", "relevant": "those of the user's relevant items"},
    ),
    Axis(
        "alpha_ideal",
        "formula",
        "the list that α-nDCG divides by",
        {
            "greedy": "the relevant items, each time the one that gains most",
            "places": "as many places as the list has, the categories of the relevant items taking turns, whatever items have them",
        },
    ),
    Axis(
        "alpha_redundancy",
        "formula",
        "what makes a category worth less further down",
        {"hits": "the hits above that have it", "listed": "all items above that have it"},
    ),
    Axis(
        "err_ia_intent",
        "formula",
        "how likely the user looks for a category",
        {
            "uniform": "as likely as for any other",
            "profile": "by its share among the categories of the user's items in data.train and of the relevant items",
        },
    ),
    Axis(
        "gini_of",
        "formula",
        "the items whose recommendation counts are compared",
        {
            "catalogue": "those of data.items, else of data.train",
            "train": "those of data.train",
            "recommended": "those that are recommended",
        },
    ),
    Axis(
        "gini_sign",
        "formula",
        "what 1 means",
        {"inequality": "one item has all recommendations", "equality": "all items are recommended equally often"},
    ),
    Axis(
        "gini_divisor",
        "formula",
        "what the Gini sum is divided by beside the recommendations",
        {"n_minus_1": "the number of items less 1, so that one item alone gives 1", "n": "the number of items"},
    ),
    Axis(
        "entropy_log",
        "formula",
        "the base of the logarithm of an entropy",
        {"natural": "e: the entropy is in nats", "binary": "2: it is in bits"},
    ),
    Axis(
        "entropy_norm",
        "formula",
        "what an entropy is divided by",
        {"none": "nothing", "items": "the number of items that are recommended"},
    ),
    Axis(
        "entropy_weights",
        "formula",
        "what weighs the same in an entropy",
        {"rows": "every recommendation", "lists": "every list, however long"},
    ),
    Axis(
        "empty_group",
        "formula",
        "a group of items of which none is recommended",
        {
            "left_out": "is left out, and less than two groups leave no value",
            "zero": "is left out, and less than two groups give 0",
            "undefined": "leaves no value",
        },
    ),
    Axis(
        "item_mad_over",
        "formula",
        "the lists over which the score of an item is averaged",
        {
            "listed": "all that hold it, its score counting 0 where it is no hit",
            "hits": "those where it is a hit; an item without a hit is left out",
        },
    ),
    Axis(
        "bias_source",
        "formula",
        "what recommendations are compared with",
        {"train": "the rows of data.train", "test": "the relevant items"},
    ),
    Axis(
        "bias_rows",
        "formula",
        "the rows of a group of users that a share is taken of",
        {"all": "all", "grouped": "those whose item has a group"},
    ),
    Axis(
        "bias_items",
        "formula",
        "the items of which a group is a share",
        {"grouped": "those that have a group", "catalogue": "all of the catalogue"},
    ),
    Axis(
        "serendipity_relevance",
        "formula",
        "the recommended items whose distance to what the user knows counts",
        {"binary": "the hits", "none": "all"},
    ),
    Axis(
        "policy_activation",
        "formula",
        "what is done with the scores of both policies before they are compared",
        {"none": "nothing", "sigmoid": "1/(1 + e^-x)", "softmax": "e^x, as a share of its sum over the user's list"},
        synonyms={"logit": "sigmoid"},
    ),
    Axis(
        "softmax_over",
        "formula",
        "the items whose scores a softmax adds up",
        {"first_k": "the first k of the user's list", "list": "all of the user's list"},
    ),
    Axis(
        "category_weight",
        "formula",
        "what a category gains by an item that has several",
        {"split": "its share of the item: all categories of an item have the same", "each": "as much as if it were the only one"},
    ),
    Axis(
        "featureless_items",
        "formula",
        "pairs of items that have no distance, such as one without categories",
        {"left_out": "are left out", "unlike": "are at distance 1"},
    ),
)
