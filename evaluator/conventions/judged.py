"""The axes of metrics that look at judged items, at a patient reader, at scores beside ratings, and at predicted ratings."""

from __future__ import annotations

from typing import Final

from .axis import Axis

JUDGED_AXES: Final = (
    Axis(
        "judged_negative",
        "formula",
        "a test row with a rating below 0",
        {"judged": "is judged, and not relevant", "pooled": "was looked at but not judged: it counts as not judged"},
    ),
    Axis(
        "bpref_unjudged",
        "formula",
        "a user without a judged item that is not relevant",
        {
            "counts": "counts 1 for every relevant item that is listed",
            "undefined": "has no value if a relevant item is listed, or none is there, and the mean over users then has none either",
        },
    ),
    Axis(
        "rndcg_users",
        "formula",
        "a user none of whose grades reaches the threshold of the config",
        {"any_grade": "counts like others, if one grade is above 0", "threshold": "counts 0"},
    ),
    Axis(
        "rbp_gain",
        "formula",
        "what a hit adds",
        {"binary": "1", "grade": "its grade, as it is", "share": "its grade as a share of the largest grade of the user's relevant items"},
    ),
    Axis(
        "rbp_norm",
        "formula",
        "what the sum over the hits is divided by",
        {
            "none": "the sum over all places, 1/(1 - p)",
            "ideal": "the sum over as many places as there are relevant items, at most the length of the list, at most k",
        },
    ),
    Axis(
        "pauc_insufficient",
        "formula",
        "a user whose list lacks a relevant item and has less than k misses",
        {"counts": "counts as if the missing items stood below all others", "excluded": "is left out"},
    ),
    Axis(
        "correlation_method",
        "formula",
        "how scores and ratings are compared",
        {
            "pearson": "by their linear correlation",
            "kendall": "by the pairs of items that they order alike (tau-b)",
            "spearman": "by the linear correlation of their ranks, equal ones sharing the mean of theirs",
        },
    ),
    Axis(
        "error_over",
        "formula",
        "the ratings that an error is a mean over",
        {
            "predicted": "the user's test ratings with a prediction",
            "predicted_relevant": "those of them that are relevant",
            "relevant": "the user's relevant test items; one without a prediction adds no error, but counts in the divisor",
        },
    ),
)
