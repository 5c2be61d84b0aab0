"""The axes of: popularity and novelty."""

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
