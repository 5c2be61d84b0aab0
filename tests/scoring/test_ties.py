"""Bounds over the orders of tied scores equal those over every order, tried one by one, for any parts."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.conventions.axes import AXES
from receval.scoring import tie_bounds
from receval.scoring.finishing import finish
from receval.scoring.measuring import measure_users
from receval.scoring.partial import merge_partials
from receval.scoring.per_user import Scorer
from receval.tables.ids import Ids
from receval.tables.rows import PartData

from tests.scoring.small import frame, prepared, task
from tests.sizes import draws

MEASURES = [
    "Precision", "Precision(denominator=list_length)", "Precision(denominator=min_r_k)", "Recall", "Recall(denominator=min_r_k)", "HitRate",
    "HitRate(at_least=2)", "SetMAP",
    "Hits", "F1", "F1(beta=0.5)", "RPrecision", "RPrecision(multiple=0.5)", "Utility(worth=2)", "MAP", "MAP(denominator=r)",
    "MAP(denominator=list_length)", "MAP(denominator=k,ranks=all)", "MAR", "MRR", "DCG", "nDCG", "nDCG(gain=linear)",
    "nDCG(discount=log_max_r_2)", "nDCG(ideal=k_items)", "nDCGRendle2020", "BinG", "nDCG(float_type=float32)",
    "GAUC", "GAUC(norm=n_negatives_plus_1)", "LAUC", "LAUC(norm=n_negatives_plus_1)",
]  # fmt: skip
CUTOFFS = [1, 3, None]


def parts_of(frames, n_parts):
    """Return the frames of parts; users with the same remainder are in one part."""
    return [{name: rows.filter(pl.col("user") % n_parts == part) for name, rows in frames.items()} for part in range(n_parts)]


def finished(chosen, parts):
    """Return the partial of all parts, and the rows of every measure."""
    measures = tie_bounds.TieMeasures.from_definitions(chosen.definitions, chosen.aggregates)

    def measured(frames):
        scorer = Scorer.for_part(chosen.prepared, PartData(frames))
        users = measure_users(chosen, scorer)
        return users.partial.with_more({"ties": tie_bounds.tie_sums(scorer, measures, users.values)})

    partial = merge_partials(measured(frames) for frames in parts)
    done = finish(chosen, partial, "model", n_train_users=None, schemas={}, predicted=frozenset())
    return partial, done


def bounds_of(chosen, parts):
    """Return the label of each measure → its bounds."""
    partial, done = finished(chosen, parts)
    measures = tie_bounds.TieMeasures.from_definitions(chosen.definitions, chosen.aggregates)
    return tie_bounds.bounds(measures, partial.more["ties"], partial.moments, dict(enumerate(done.rows)), partial.ratios)


def orders(scored):
    """Return every order of a list of (item, score) that its scores allow."""
    ranked = sorted(scored, key=lambda pair: -pair[1])
    runs = [[item for item, _ in run] for _, run in groupby(ranked, key=lambda pair: pair[1])]
    return [[item for run in chosen for item in run] for chosen in product(*(permutations(run) for run in runs))]


def bounds_over_orders(chosen, scored, truths, weights=None):
    """Return the label of each measure → its bounds, from the values of every order that the (item, score) of each user allow.

    With `weights`, one for each user, they are those of the weighted mean.
    """
    every = [orders(rows) for rows in scored]
    owners = [number for number, tried in enumerate(every) for _ in tried]
    ranked = [order for tried in every for order in tried]
    test = [(place, item, rating) for place, number in enumerate(owners) for item, rating in truths[number].items()]
    lists = [(place, item, rank) for place, order in enumerate(ranked) for rank, item in enumerate(order, 1)]
    _, tried = finished(chosen, [{"lists": frame("user item position", lists), "test": frame("user item rating", test)}])
    assert tried.user_values is not None
    bounds = {}
    for index, definition in enumerate(chosen.definitions):
        of_order = tried.user_values[f"v{index}"].to_numpy()
        by_user = [of_order[np.asarray(owners) == number] for number in range(len(truths))]
        ends = ([end(values) for values in by_user] for end in (np.min, np.max, np.mean))
        least, most, mean = (np.average(values, weights=weights) for values in ends)
        within = 1e-6 if definition.axes["float_type"] != "float64" else 1e-12
        label = definition.label if weights is None else f"{definition.label} (weighted)"
        bounds[label] = pytest.approx((least, mean, most), abs=within)
    return bounds


worlds = st.lists(
    st.tuples(
        st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=6),
        st.dictionaries(st.integers(0, 7), st.integers(1, 3), min_size=1, max_size=5),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=draws(5, 25))
@given(users=worlds, graded=st.booleans(), n_parts=st.integers(1, 3))
def test_bounds_equal_those_over_all_orders(users, graded, n_parts):
    chosen = task(prepared(catalogue=range(8)), MEASURES, CUTOFFS, relevance={"graded": graded}, keeps_values=True)
    test = [(number, item, rating) for number, (_, truth) in enumerate(users) for item, rating in truth.items()]
    lists = [(number, item, score) for number, (scores, _) in enumerate(users) for item, score in enumerate(scores)]
    frames = {"lists": frame("user item score", lists), "test": frame("user item rating", test)}
    found = bounds_of(chosen, parts_of(frames, n_parts))

    every = bounds_over_orders(chosen, [list(enumerate(scores)) for scores, _ in users], [truth for _, truth in users])
    assert found == every


@settings(max_examples=draws(4, 10))
@given(users=worlds, n_parts=st.integers(1, 3))
def test_bounds_of_weighted_means_are_weighted_too(users, n_parts):
    weights = [2.5, 0.0, 1.25][: len(users)]
    known = replace(prepared(catalogue=range(8)), user_weights=(Ids(pl.Series("user", range(len(users)))), np.asarray(weights)))
    made = task(known, ["Recall", "nDCG", "F1", "nDCG(float_type=float32)"], CUTOFFS, weights={"users": "users.weight"}, keeps_values=True)
    chosen = replace(made, pooled=frozenset(range(len(made.definitions))))
    test = [(number, item, rating) for number, (_, truth) in enumerate(users) for item, rating in truth.items()]
    lists = [(number, item, score) for number, (scores, _) in enumerate(users) for item, score in enumerate(scores)]
    found = bounds_of(chosen, parts_of({"lists": frame("user item score", lists), "test": frame("user item rating", test)}, n_parts))
    scored, truths = [list(enumerate(scores)) for scores, _ in users], [truth for _, truth in users]
    everyone = replace(known, user_weights=(Ids(pl.Series("user", range(5000))), np.ones(5000)))
    assert found == bounds_over_orders(replace(chosen, prepared=everyone), scored, truths, weights)


repeating_worlds = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1.0, 2.0])), min_size=1, max_size=6),
        st.dictionaries(st.integers(0, 4), st.integers(1, 3), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=draws(5, 25))
@given(users=repeating_worlds, graded=st.booleans(), policy=st.sampled_from(sorted(AXES["duplicates"].values)), n_parts=st.integers(1, 2))
def test_bounds_of_lists_that_repeat_items_equal_those_over_all_orders_of_their_rows(users, graded, policy, n_parts):
    """Try each order of the rows that the policy leaves; a measure without bounds says why."""
    options = {"relevance": {"graded": graded}, "policy": {"duplicates": policy}}
    chosen = task(prepared(catalogue=range(8)), MEASURES, CUTOFFS, **options, keeps_values=True)
    test = [(number, item, rating) for number, (_, truth) in enumerate(users) for item, rating in truth.items()]
    lists = [(number, *row) for number, (rows, _) in enumerate(users) for row in rows]
    frames = {"lists": frame("user item score", lists), "test": frame("user item rating", test)}
    found = bounds_of(chosen, parts_of(frames, n_parts))
    one_row = {
        "keep_best_rank": lambda scores: max(scores), "keep_last_row": lambda scores: scores[-1], "sum_scores": sum,
    }  # fmt: skip
    left = [rows for rows, _ in users]
    if policy in one_row:
        left = [
            [(item, one_row[policy]([score for other, score in rows if other == item])) for item in {other for other, _ in rows}]
            for rows in left
        ]

    for label, bounds in bounds_over_orders(chosen, left, [truth for _, truth in users]).items():
        if label in found:
            assert found[label] == bounds, label
        else:
            assert policy in ("unique_hits", "keep_all", "keep_all_as_relevant", "keep_best_rank_after_cut"), label


@settings(max_examples=draws(5, 25))
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 9), st.sampled_from([1.0, 2.0])),
        min_size=1,
        max_size=120,
        unique_by=lambda row: row[:2],
    ),
    n_parts=st.integers(2, 6),
)
def test_parts_do_not_change_a_bit(rows, n_parts):
    chosen = task(prepared(), ["nDCG", "MAP", "Recall(score_type=float32)"], [2, 5, None], aggregates=("mean", "sum"))
    frames = {"lists": frame("user item score", rows), "test": frame("user item", [(user, (user * 7) % 10) for user in range(21)])}
    whole, _ = finished(chosen, [frames])
    cut, _ = finished(chosen, parts_of(frames, n_parts)[::-1])
    whole, cut = whole.more["ties"], cut.more["ties"]
    assert (whole.plain, *whole.orders, *whole.unbounded) == (cut.plain, *cut.orders, *cut.unbounded)


def test_a_run_of_a_hundred_equal_scores_has_the_mean_of_chance():
    frames = {
        "test": frame("user item", [(1, item) for item in range(7)]),
        "lists": frame("user item score", [(1, item, 0.5) for item in range(100)]),
    }
    found = bounds_of(task(prepared(), ["Precision", "HitRate"]), [frames])
    chance = 1.0
    for drawn in range(10):
        chance *= (93 - drawn) / (100 - drawn)
    assert found["Precision@10"] == pytest.approx((0.0, 0.07, 0.7), abs=1e-12)
    assert found["HitRate@10"] == pytest.approx((0.0, 1 - chance, 1.0), abs=1e-12)


def test_many_ranks_are_computed_in_chunks(monkeypatch):
    frames = {
        "test": frame("user item", [(user, item) for user in range(6) for item in range(4)]),
        "lists": frame("user item score", [(user, item, float(user == 9)) for user in range(8) for item in range(30)]),
    }
    chosen = task(prepared(), ["MAP", "RPrecision"], [None])
    whole = bounds_of(chosen, [frames])
    monkeypatch.setattr(tie_bounds, "_MOST_RANKS", 500)
    assert bounds_of(chosen, [frames]) == whole
    assert whole["RPrecision"] == pytest.approx((0.0, 4 / 30, 1.0), abs=1e-9)


def test_ties_below_dropped_items_get_their_ranks():
    train = frame("user item", [(1, 1), (2, 3), (2, 4), (2, 5), (3, 9), (3, 8)])  # item 2 is unknown, 1 is seen
    frames = {
        "test": frame("user item", [(1, 3), (1, 5), (2, 9)]),
        "lists": frame("user item score", [(1, 1, 9), (1, 2, 8), (1, 3, 5), (1, 4, 5), (1, 5, 5), (2, 9, 1), (2, 8, 0)]),
        "train": train,
    }
    policy = {"seen_items": "drop_and_refill", "unknown_items": "drop_and_refill"}
    found = bounds_of(task(prepared(train), ["Precision"], [2], policy=policy), [frames])
    # User 1 has 3, 4, 5 in any order at ranks 1 to 3, two of them relevant: 1, 2 or 4/3 hits on average; user 2 has one hit.
    assert found["Precision@2"] == pytest.approx((0.5, (2 / 3 + 0.5) / 2, 0.75), abs=1e-12)


def test_measures_that_cut_lists_before_they_drop_rows_have_no_bounds():
    train = frame("user item", [(2, 1)])
    frames = {
        "test": frame("user item", [(1, 0), (2, 0)]),
        "lists": frame("user item score", [(user, item, 1.0) for user in (1, 2) for item in range(3)]),
        "train": train,
    }
    chosen = task(prepared(train), ["Precision(seen_items=drop)", "Recall"], [2])
    assert bounds_of(chosen, parts_of(frames, 2)).keys() == {"Recall@2"}


def test_an_auc_with_a_cutoff_has_no_bounds_if_items_that_are_not_candidates_tie():
    train = frame("user item", [(2, item) for item in range(5)])
    lists = [(1, 0, 2.0), (1, 7, 1.0), (1, 1, 1.0), (1, 2, 1.0)]  # train does not have 7
    frames = {"test": frame("user item", [(1, 1)]), "train": train}
    chosen = task(prepared(train), ["LAUC", "GAUC", "Recall"], [2])
    assert bounds_of(chosen, [frames | {"lists": frame("user item score", lists)}]).keys() == {"GAUC", "Recall@2"}
    apart = [(user, item, score + (item == 7)) for user, item, score in lists[1:]]
    found = bounds_of(chosen, [frames | {"lists": frame("user item score", apart)}])
    assert found["LAUC@2"] == pytest.approx((0.0, 0.4, 0.8), abs=1e-12)  # of 4 candidates and item 7, only the latter is above


def test_an_auc_over_items_of_train_has_no_bounds_with_a_cutoff():
    train = frame("user item", [(2, item) for item in range(5)])
    frames = {"test": frame("user item", [(1, 1)]), "train": train, "lists": frame("user item score", [(1, 0, 1.0), (1, 1, 1.0)])}
    chosen = task(prepared(train), ["LAUC(negatives=train_items)", "GAUC(negatives=train_items)"], [2])
    assert bounds_of(chosen, [frames]).keys() == {"GAUC(negatives=train_items)"}


def test_duplicate_test_rows_that_count_several_times_have_no_bounds():
    lists = frame("user item score", [(1, item, 1.0) for item in range(3)])
    chosen = task(prepared(), ["Recall(truth_duplicates=rows_count)", "Recall"], [2])
    repeated = frame("user item", [(1, 0), (2, 0), (2, 0)])
    assert bounds_of(chosen, parts_of({"lists": lists, "test": repeated}, 2)).keys() == {"Recall@2"}
    single = frame("user item", [(1, 0), (2, 0)])
    assert len(bounds_of(chosen, parts_of({"lists": lists, "test": single}, 2))) == 2


def test_duplicates_of_one_item_and_equal_scores_that_are_not_adjacent_are_not_ties():
    chosen = task(prepared(), ["Recall"], [1])
    test = frame("user item", [(1, 1), (2, 1)])
    repeated = frame("user item score", [(1, 0, 1.0), (1, 1, 2.0), (1, 0, 1.0), (2, 1, 2.0)])
    assert bounds_of(chosen, [{"lists": repeated, "test": test}])["Recall@1"] == (1, 1, 1)
    apart = frame("user item score position", [(1, 0, 1.0, 1), (1, 1, 1.0, 2), (1, 2, 5.0, 3), (1, 3, 1.0, 4), (2, 1, 2.0, 1)])
    assert bounds_of(chosen, [{"lists": apart, "test": test}])["Recall@1"] == (0.5, 0.5, 0.5)


def test_sampled_candidates_with_one_score_have_the_bounds_of_chance_though_negatives_repeat():
    drawn = np.random.default_rng(0).integers(1, 40, (50, 100))
    lists = [(user, int(item), 0.0) for user in range(50) for item in (0, *drawn[user])]
    frames = {"lists": frame("user item score", lists), "test": frame("user item", [(user, 0) for user in range(50)])}
    assert bounds_of(task(prepared(), ["HitRate"]), parts_of(frames, 3))["HitRate@10"] == pytest.approx((0, 10 / 101, 1), abs=1e-12)
    twice = frame("user item score", [*lists, *((user, 0, 0.0) for user in range(50))])
    found = bounds_of(task(prepared(), ["HitRate"]), [frames | {"lists": twice}])["HitRate@10"]
    assert found == pytest.approx((0, 1 - 92 * 91 / (102 * 101), 1), abs=1e-12)  # one of two rows is enough


@pytest.mark.parametrize(("metric", "reason"), [
    ("Recall", "a list repeats one of several relevant items with the same score"),
    ("GAUC", "each repeat of an item in a list counts as a negative"),
])  # fmt: skip
def test_a_repeated_item_that_leaves_no_exact_bounds_is_the_reason(metric, reason):
    chosen = task(prepared(catalogue=range(9)), [metric], [2])
    lists = frame("user item score", [(1, item, 1.0) for item in (0, 1, 0, 2, 3)])
    partial, done = finished(chosen, [{"lists": lists, "test": frame("user item", [(1, 0), (1, 1)])}])
    measures = tie_bounds.TieMeasures.from_definitions(chosen.definitions, chosen.aggregates)
    assert list(tie_bounds.unbounded(measures, partial.more["ties"], dict(enumerate(done.rows))).values()) == [reason]


def test_scores_that_single_precision_ties_have_bounds_where_it_is_what_compares():
    frames = {"test": frame("user item", [(1, 0)]), "lists": frame("user item score", [(1, 0, 1.0), (1, 1, 1.0 + 1e-12)])}
    found = bounds_of(task(prepared(), ["Recall", "Recall(score_type=float32)"], [1]), [frames])
    assert found == {"Recall@1": (0.0, 0.0, 0.0), "Recall(score_type=float32)@1": (0.0, 0.5, 1.0)}


@pytest.mark.parametrize("copies", [2, 3, 5])
@pytest.mark.parametrize("rest", ["rows", "rows_count"])
def test_duplicate_test_rows_that_count_as_more_relevant_items_leave_no_bounds_with_the_reason(copies, rest):
    """Give one user such rows: measures that count them have no bounds, others keep theirs, and no value is out of range."""
    chosen = task(prepared(), ["MAP", "Recall", f"MAP(truth_duplicates={rest})", f"nDCG(truth_duplicates={rest})"], [2, None])
    lists = [(1, 0, 2.0), (1, 1, 2.0), (2, 2, 2.0), (2, 3, 2.0), (2, 0, 1.0)]
    test = [*[(1, 0)] * copies, (1, 1), (2, 2)]
    frames = {"lists": frame("user item score", lists), "test": frame("user item", test)}
    found = bounds_of(chosen, [frames])
    # user 1 has two relevant items in a run of two: 1 in every order; user 2 one in a run of two, at rank 1 or 2
    assert found == {
        "MAP@2": pytest.approx((0.75, 0.875, 1)),
        "MAP@none": pytest.approx((0.75, 0.875, 1)),
        "Recall@2": pytest.approx((1, 1, 1)),
        "Recall@none": pytest.approx((1, 1, 1)),
    }
    measures = tie_bounds.TieMeasures.from_definitions(chosen.definitions, chosen.aggregates)
    for parts in ([frames], parts_of(frames, 2)):
        partial, done = finished(chosen, parts)
        why = tie_bounds.unbounded(measures, partial.more["ties"], dict(enumerate(done.rows)))
        names = (f"MAP(truth_duplicates={rest})", f"nDCG(truth_duplicates={rest})")
        assert why == {f"{name}@{k}": "a duplicate test row counts as one more relevant item" for name in names for k in (2, "none")}
