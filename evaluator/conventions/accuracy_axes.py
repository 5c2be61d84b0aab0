"""Axes of formulas, and of metrics of judged items, patient readers, correlation of scores with ratings, and predicted ratings."""

from __future__ import annotations

from typing import Final

from .axis import Axis

FORMULA_AXES: Final = (
    Axis(
        "precision_denominator",
        "formula",
        "the divisor of Precision",
        {
            "k": "k; without a cut-off the length of the list",
            "list_length": "the number of listed items, at most k",
            "min_r_k": "the smaller of R and k",
            "min_r_length": "the smaller of R and the length of the list, at most k",
            "rated": "the listed items that are in the user's test rows, at most k of the list",
        },
    ),
    Axis(
        "recall_denominator",
        "formula",
        "the divisor of Recall",
        {
            "r": "R",
            "min_r_k": "the smaller of R and k",
            "min_r_k_eleven_at_10": "the smaller of R and k; if k is 10 the hits of the first eleven ranks are divided by it",
        },
    ),
    Axis(
        "rprecision_denominator",
        "formula",
        "the divisor of RPrecision",
        {
            "r": "R",
            "min_r_length": "the smaller of R and the length of the list",
            "rated": "the listed items that are in the user's test rows, among the first R of the list",
        },
    ),
    Axis(
        "f_weight",
        "formula",
        "how `beta` weights the two metrics of F1",
        {"beta_squared": "by β²", "beta": "by β itself"},
    ),
    Axis(
        "f_of",
        "formula",
        "the values that F1 combines",
        {
            "users": "those of each user; F1 is then averaged over users",
            "means": "the means of the two metrics over users, where users are averaged over",
        },
    ),
    Axis(
        "map_denominator",
        "formula",
        "the divisor of AP",
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
        "map_ties",
        "formula",
        "hits with the same score as other listed items, in AP",
        {
            "list_order": "count at their own rank",
            "together": "count at the last rank of these items, with all hits down to it: an equal score is one threshold",
        },
    ),
    Axis(
        "mar_denominator",
        "formula",
        "the divisor of AR",
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
        "the divisor of the gain at rank r",
        {"log_r_plus_1": "log(r + 1)", "log_max_r_2": "log(max(r, 2)), so that ranks 1 and 2 weigh the same"},
    ),
    Axis("ndcg_log_base", "formula", "the base of the logarithm in the rank discount", {}),
    Axis(
        "ndcg_ideal",
        "formula",
        "the list that nDCG divides by",
        {
            "relevant": "all relevant items of the user, highest gain first, cut at k",
            "relevant_eleven_at_10": "all relevant items of the user, highest gain first, cut at k; if k is 10 the hits of the first "
            "eleven ranks are divided by it",
            "retrieved": "the hits of the list, highest gain first, cut at k",
            "retrieved_at_k": "the hits among the first k, highest gain first",
            "k_items": "k items of gain 1, however many are relevant (without a cut-off as `relevant`)",
        },
    ),
    Axis(
        "fallout_of",
        "formula",
        "the irrelevant items that FallOut divides by",
        {"catalogue": "those of the catalogue", "listed": "those of the whole list of the user"},
    ),
    Axis(
        "ndcg_ties",
        "formula",
        "hits with the same score as other listed items, in DCG and nDCG",
        {
            "list_order": "count at their own rank",
            "averaged": "count with the mean discount of the ranks of these items: the mean over all their orders",
        },
    ),
    Axis(
        "iprec_rounding",
        "formula",
        "the number of hits at which InterpolatedPrecision and ElevenPointPrecision count a recall as reached",
        {"plus_0_9": "the integer part of recall · R + 0.9", "nearest": "recall · R, rounded to the nearest integer, a half up"},
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
            "candidates": "candidates that are not relevant, and any other listed item",
            "train_items": "the items of data.train, minus the user's own, minus R, regardless of the list",
            "unseen_items": "the items of the catalogue, minus those that the user has in data.train, minus R, regardless of the list",
            "items": "the items of the catalogue, minus R, even those that the user has in data.train",
        },
    ),
    Axis(
        "auc_ties",
        "formula",
        "listed negatives with the same score as a relevant item (none without scores)",
        {
            "list_order": "count as right if they are below it in the list",
            "strict": "count as wrong at any rank",
            "half": "count as half right at any rank",
        },
    ),
    Axis(
        "auc_unlisted",
        "formula",
        "a pair of a relevant item and a negative that are both not listed",
        {"wrong": "counts as wrong", "half": "counts as half right"},
    ),
    Axis(
        "auc_no_negatives",
        "formula",
        "a user without negatives",
        {"counts": "counts the share of the relevant items that are listed", "left_out": "is left out"},
    ),
    Axis(
        "auc_average",
        "formula",
        "the relevant items that AUC averages over",
        {"relevant": "all; relevant items that are not listed count 0", "hits": "those in the list"},
    ),
)


JUDGED_AXES: Final = (
    Axis(
        "judged_negative",
        "formula",
        "a test row with a rating below 0",
        {"judged": "is judged, and not relevant", "pooled": "counts as not judged"},
    ),
    Axis(
        "bpref_divisor",
        "formula",
        "the divisor of the judged misses above a hit",
        {
            "min_r_n": "the smaller of the numbers of relevant items and of judged items that are not relevant, as in trec_eval",
            "r": "the number of relevant items, R",
        },
    ),
    Axis(
        "bpref_unjudged",
        "formula",
        "a user without a judged item that is not relevant",
        {
            "counts": "counts 1 for every relevant item that is listed",
            "undefined": "has no value if a relevant item is listed or the user has no relevant item; then the mean over "
            "users has no value either",
        },
    ),
    Axis(
        "rndcg_users",
        "formula",
        "a user with no grade that reaches the threshold of the config",
        {"any_grade": "counts like other users if a grade is above 0", "threshold": "counts 0"},
    ),
    Axis(
        "rbp_gain",
        "formula",
        "the gain of a hit",
        {"binary": "1", "grade": "its grade, as it is", "share": "its grade as a share of the largest grade of the user's relevant items"},
    ),
    Axis(
        "rbp_norm",
        "formula",
        "the divisor of the sum over the hits",
        {
            "none": "the sum over all ranks, 1/(1 - p)",
            "ideal": "the sum over as many ranks as there are relevant items, at most the length of the list, at most k",
        },
    ),
    Axis(
        "compatibility_norm",
        "formula",
        "the divisor of the rank-biased overlap with the ideal list",
        {"ideal": "the overlap of the ideal list with itself", "none": "the sum of the weights of all depths"},
    ),
    Axis(
        "percentile_form",
        "formula",
        "the form of PercentileRank",
        {"share": "from 0 to 1", "percent": "in percent"},
    ),
    Axis(
        "precision_ia_over",
        "formula",
        "the divisor of PrecisionIA, beside the number of categories",
        {"k": "k; without a cut-off the length of the list", "list_length": "the number of listed items, at most k"},
    ),
    Axis(
        "pauc_insufficient",
        "formula",
        "a user whose list lacks a relevant item and has fewer than k misses",
        {"counts": "counts as if the missing items were below all others", "excluded": "is left out"},
    ),
    Axis(
        "correlation_method",
        "formula",
        "how scores and ratings are compared",
        {
            "pearson": "by their linear correlation",
            "kendall": "by the pairs of items that both order the same way (tau-b)",
            "spearman": "by the linear correlation of their ranks, with the mean rank for ties",
        },
    ),
    Axis(
        "error_over",
        "formula",
        "the ratings over which an error is averaged",
        {
            "predicted": "the user's test ratings with a prediction",
            "predicted_relevant": "the user's relevant test ratings with a prediction",
            "relevant": "the user's relevant test items; one without a prediction adds no error, but counts in the divisor",
        },
    ),
    Axis(
        "pair_users",
        "formula",
        "the users over whom concordant pairs, and discordant pairs, are averaged",
        {"all": "all with a test rating", "with_pairs": "those with at least one such pair, who may be others for the two kinds of pairs"},
    ),
)
