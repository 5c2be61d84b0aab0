"""Differences between documents and programs of other systems, and the meaning of bare metric names: worked by hand."""

from __future__ import annotations

import math

import pytest
from receval import load_config, run
from receval.support.errors import ConfigError

from tests.conftest import table, values

UNRANKED = ("user", "item")


def rated(*rows):
    return table(("user", "item", "rating"), rows)


def listed(*rows):
    return table(("user", "item", "score") if len(rows[0]) == 3 else UNRANKED, rows)


def test_difference_1_rprecision_divides_by_the_rated_items_listed_under_clayrs_docs(evaluate):
    test = rated((1, 1, 5), (1, 2, 5), (1, 3, 1))  # the mean is 3.67: R = 2
    lists = listed((1, 9), (1, 1), (1, 2))  # of the first two, 9 and 1, only 1 is rated, and it is relevant
    assert values(evaluate(test, lists, convention="clayrs", metrics=["RPrecision"])) == {"RPrecision": 0.5}
    assert values(evaluate(test, lists, convention="clayrs-docs", metrics=["RPrecision"])) == {"RPrecision": 1.0}
    lists = listed((1, 3), (1, 1), (1, 2))  # 3 is rated below the mean
    assert values(evaluate(test, lists, convention="clayrs-docs", metrics=["RPrecision"])) == {"RPrecision": 0.5}
    lists = listed((1, 9), (1, 8), (1, 2))  # none of the first two is rated
    assert values(evaluate(test, lists, convention="clayrs-docs", metrics=["RPrecision"])) == {"RPrecision": 0.0}


TRAIN = table(UNRANKED, [(1, 4), (2, 1), (2, 2), (2, 3)])
TIED = {"tied above": [(1, 1, 0.5), (1, 2, 0.5), (1, 3, 0.1)], "tied below": [(1, 2, 0.5), (1, 1, 0.5), (1, 3, 0.1)]}


@pytest.mark.parametrize("order", TIED)
@pytest.mark.parametrize("name", ["AUC", "GAUC", "LAUC@3"])
def test_difference_2_a_tied_pair_adds_nothing_to_auc_under_warprec_docs_at_any_rank(evaluate, order, name):
    """Negatives of user 1 are 2 and 3; only 3 has a lower score than 1."""
    test, lists = rated((1, 1, 1)), listed(*TIED[order])
    docs = evaluate(test, lists, train=TRAIN, convention="warprec-docs", metrics=[name])
    assert list(values(docs).values()) == [0.5]
    of_ties = [f"{name.partition('@')[0]}(ties={ties}){name[4:]}" for ties in ("strict", "half")]
    both = evaluate(test, lists, train=TRAIN, metrics=of_ties)
    assert list(values(both).values()) == [0.5, 0.75]
    unscored = lists.drop("score")
    by_place = {"tied above": 1.0, "tied below": 0.5}[order]  # without scores the rank decides
    assert set(values(evaluate(test, unscored, train=TRAIN, metrics=[name, *of_ties])).values()) == {by_place}


def test_difference_2_r04_has_bounds_for_auc_and_gauc(evaluate):
    """Users 1 and 2 have the negatives 2 and 3; user 2 has one more relevant item, which is not tied."""
    test = rated((1, 1, 1), (2, 1, 1), (2, 5, 1))
    lists = listed(*TIED["tied above"], (2, 5, 0.9), (2, 1, 0.5), (2, 2, 0.5), (2, 3, 0.1))
    train = table(UNRANKED, [(1, 4), (1, 5), (2, 4), (3, 1), (3, 2), (3, 3)])
    result = evaluate(test, lists, train=train, metrics=["AUC", "GAUC", "AUC(ties=strict)"], health={"R04": "warn"})
    (finding,) = [finding for finding in result.findings if finding.check == "R04"]
    assert finding.details["bounds"] == {
        # (1/2 + 1 + 1/2)/3, (3/4 + 1 + 3/4)/3, 1
        "AUC (micro)": {"least": pytest.approx(2 / 3), "expected": pytest.approx(2.5 / 3), "most": 1.0},
        # the users have 1/2 and (1 + 1/2)/2, 3/4 and 7/8, 1 and 1
        "GAUC": {"least": 0.625, "expected": 0.8125, "most": 1.0},
    }


CLAYRS_TEST = rated(("u1", "i1", 5), ("u1", "i2", 1), ("u1", "i3", 4), ("u2", "i1", 2), ("u3", "i5", 3), ("u3", "i6", 3))
CLAYRS_LISTS = listed(("u1", "x"), ("u1", "i2"), ("u1", "i3"), ("u1", "y"), ("u1", "i1"), ("u2", "z"), ("u3", "i5"))


def test_difference_3_ndcg_ranks_the_ratings_of_predicted_items_under_clayrs_docs(evaluate):
    """Give u1 the ratings 1 4 5 in the order of the list; u2 has none, and no value."""
    whole = evaluate(CLAYRS_TEST, CLAYRS_LISTS, convention="clayrs-docs", metrics=["NDCG", "NDCGAtK@2"])
    of_u1 = (1 + 4 / math.log2(3) + 5 / 2) / (5 + 4 / math.log2(3) + 1 / 2)
    cut = (1 + 4 / math.log2(3)) / (4 + 1 / math.log2(3))
    assert values(whole) == {"nDCG@none": pytest.approx((of_u1 + 1) / 2), "nDCG@2": pytest.approx((cut + 1) / 2)}
    assert [row.n_users for row in whole.rows] == [2, 2]
    program = evaluate(CLAYRS_TEST, CLAYRS_LISTS, convention="clayrs", metrics=["NDCG", "NDCGAtK@2"])
    of_all = (1 + 4 / math.log2(3)) / (5 + 4 / math.log2(3))  # the program divides by the best two of all three
    assert values(program) == {"nDCG@none": pytest.approx((of_u1 + 1) / 2), "nDCG@2": pytest.approx((of_all + 1) / 2)}


def test_difference_4_f1_is_computed_from_the_means_under_warprec_docs(evaluate):
    """Precision is 1 and 1, Recall 1/2 and 1: F of 1 and 3/4; the mean of 2/3 and 1 otherwise."""
    test, lists = rated((1, 1, 1), (1, 2, 1), (2, 5, 1)), listed((1, 1, 0.9), (1, 9, 0.8), (2, 5, 0.9), (2, 8, 0.8))
    result = evaluate(test, lists, convention="warprec-docs", metrics=["F1@1", "F1(of=users)@1"])
    assert list(values(result).values()) == [pytest.approx(1.5 / 1.75), pytest.approx(5 / 6)]
    ours = evaluate(test, lists, metrics=["F1(of=means,beta=2)@1", "F1@1"])
    assert list(values(ours).values()) == [pytest.approx(5 * 0.75 / (4 + 0.75)), pytest.approx(5 / 6)]


def test_difference_4_f1_of_means_is_over_the_same_users_as_its_ledger(evaluate):
    """User 3 has no list: 0 in both means; over the two others the value is as without user 3."""
    test = rated((1, 1, 1), (1, 2, 1), (2, 5, 1), (3, 7, 1))
    lists = listed((1, 1, 0.9), (1, 9, 0.8), (2, 5, 0.9), (2, 8, 0.8))
    (row,) = evaluate(test, lists, metrics=["F1(of=means)@1"]).rows
    assert row.value == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    assert row.ledger.covered_value == pytest.approx(1.5 / 1.75)


def test_difference_4_f1_of_means_cannot_be_pooled(write):
    write("test.csv", "user,item\n1,1\n")
    write("lists.csv", "user,item\n1,1\n")
    path = write(
        "config.yaml",
        "data: {test: test.csv, recommendations: {m: lists.csv}}\nevaluation: {metrics: [F1(of=means)], aggregates: [micro]}\n",
    )
    with pytest.raises(ConfigError, match="cannot be pooled"):
        load_config(path)


def test_difference_5_a_softmax_of_ncis_is_over_the_first_k_or_over_the_whole_list(evaluate):
    """Of a and b (k = 2), a is relevant. e^score is now 4 3 1, before 1 1 22."""
    test = table(UNRANKED, [(1, "a")])
    lists = listed((1, "a", math.log(4)), (1, "b", math.log(3)), (1, "c", 0.0))
    policy = table(("user", "item", "score"), [(1, "a", 0.0), (1, "b", 0.0), (1, "c", math.log(22))])

    def under(convention):
        metric = "NCISPrecision(activation=softmax)@2"
        (value,) = values(evaluate(test, lists, previous_policy=policy, convention=convention, metrics=[metric])).values()
        return value

    # the first two: shares 4/7 and 3/7 now, 1/2 and 1/2 before: 8/7 and 6/7
    assert under("replay-experimental") == pytest.approx(8 / 14)
    # the whole list: 4/8 and 3/8 now, 1/24 and 1/24 before: 12, which is clipped to 10, and 9
    assert under("replay-docs") == pytest.approx(10 / 19)


def test_difference_6_relison_docs_divides_by_the_length_of_the_list_and_is_graded(evaluate):
    test, lists = rated(("a", "x", 3), ("a", "y", 1)), listed(("a", "x"), ("a", "q"))
    docs = evaluate(test, lists, convention="relison-docs", metrics=["Precision", "nDCG", "MAP", "Recall"], top_k=5)
    assert values(docs) == {
        "Precision@5": 0.5,
        "nDCG@5": pytest.approx(3 / (3 + 1 / math.log2(3))),
        "MAP@5": 0.5,
        "Recall@5": 0.5,
    }
    program = evaluate(test, lists, convention="relison", metrics=["Precision", "nDCG"], top_k=5)
    assert values(program) == {"Precision@5": 0.2, "nDCG@5": pytest.approx(1 / (1 + 1 / math.log2(3)))}


def test_difference_7_mrr_is_averaged_over_all_lists_under_clayrs_docs(evaluate):
    """With the threshold 4 the users 1 to 3 have a relevant item, at the ranks 1 1 2; 4 and 5 have none."""
    test = rated((1, "a", 5), (2, "a", 4), (3, "a", 4), (4, "a", 1), (5, "a", 2))
    lists = listed((1, "a"), (2, "a"), (3, "x"), (3, "a"), (4, "a"), (5, "a"))
    result = evaluate(test, lists, metrics=["MRR(convention=clayrs,relevant_threshold=4)@5", "MRR(convention=clayrs-docs,threshold=4)@5"])
    assert [(row.value, row.n_users) for row in result.rows] == [(pytest.approx(2.5 / 3), 3), (0.5, 5)]


def test_row_10_the_threshold_can_be_the_mean_of_all_ratings(evaluate):
    """Use the test ratings 5 3 1 with the mean 3; with the train ratings 4 4 4 it is 3.5."""
    test, lists = rated((1, 1, 5), (1, 2, 3), (2, 3, 1)), listed((1, 1), (1, 2), (2, 3))
    measure = "Recall(threshold=all_mean)@1"
    alone = evaluate(test, lists, metrics=[measure])
    assert [(row.value, row.n_users) for row in alone.rows] == [(0.5, 1)]  # 5 and 3 of user 1
    train = rated((7, 1, 4), (7, 2, 4), (8, 1, 4))
    with_train = evaluate(test, lists, train=train, metrics=[measure])
    assert [(row.value, row.n_users) for row in with_train.rows] == [(1.0, 1)]  # 5 alone
    assert "Convention receval: a rating of at least 3.5 (the mean of all ratings) is relevant." in with_train.notes()
    assert {row.protocol.relevance for row in alone.rows} == {"a rating of at least 3 (the mean of all ratings)"}
    assert values(evaluate(test, lists, train=train.drop("rating"), metrics=[measure])) == values(alone)


def test_row_10_the_mean_of_all_ratings_does_not_depend_on_the_order_of_rows(evaluate):
    """Use 0.1, 0.2 and 0.3, whose float sum depends on the order; their mean is always 0.2, and an item rated 0.2 is relevant."""
    rows = [(1, 1, 0.1), (1, 2, 0.2), (1, 3, 0.3)]
    for test in (rows, rows[::-1], [rows[1], rows[0], rows[2]]):
        assert values(evaluate(rated(*test), listed((1, 2)), metrics=["Recall(threshold=all_mean)@1"])) == {
            "Recall(threshold=all_mean)@1": 0.5
        }


@pytest.mark.parametrize("written", ["NDCG(discount_log=log10)", {"NDCG": {"discount_log": "np.log10"}}])
def test_row_54_discount_log_alone_is_read_under_clayrs(evaluate, written):
    assert list(values(evaluate(CLAYRS_TEST, CLAYRS_LISTS, convention="clayrs", metrics=[written]))) == ["nDCG(log_base=10)@none"]


def test_row_54_a_block_with_discount_log_is_recognised_as_clayrs(write):
    write("test.csv", "user,item,rating\n1,1,5\n")
    write("lists.csv", "user,item\n1,1\n")
    path = write("config.yaml", "data: {test: test.csv, recommendations: {m: lists.csv}}\nevaluation: [NDCG: {discount_log: np.log}]\n")
    loaded = load_config(path)
    assert loaded.config.evaluation.convention == "clayrs"
    assert values(run(loaded), "m") == {"nDCG(log_base=2.718281828459045)@none": 1.0}


@pytest.mark.parametrize(
    ("convention", "written", "meant"),
    [
        ("clayrs", ["Precision", "NDCG", "MRR", "FMeasure"], ["Precision@none", "nDCG@none", "MRR@none", "F1@none"]),
        ("clayrs-docs", ["Recall"], ["Recall@none"]),
        ("ranx", ["ndcg", "mrr", "ndcg@3"], ["nDCG@none", "MRR@none", "nDCG@3"]),
        ("ir_measures", ["AP", "nDCG", "P@5"], ["MAP@none", "nDCG@none", "Precision@5"]),
        ("trec_eval", ["map", "ndcg", "P_5"], ["MAP@none", "nDCG@none", "Precision@5"]),
        ("lenskit", ["NDCG", "RecipRank"], ["nDCG@none", "MRR@none"]),
        ("rs_metrics", ["precision", "coverage"], ["Precision@10", "ItemCoverage@none"]),
        ("receval", ["nDCG"], ["nDCG@10"]),
    ],
)
def test_row_67_a_bare_name_has_the_meaning_of_its_library(write, convention, written, meant):
    write("test.csv", "user,item\n1,1\n")
    write("lists.csv", "user,item,score\n1,1,1\n")
    path = write(
        "config.yaml",
        "data: {test: test.csv, train: test.csv, recommendations: {m: lists.csv}}\n"
        f"evaluation: {{convention: {convention}, metrics: [{', '.join(written)}]}}\n",
    )
    assert [definition.label for definition in load_config(path).config.evaluation.definitions] == meant


@pytest.mark.parametrize(("convention", "name"), [("clayrs", "PrecisionAtK"), ("trec_eval", "P"), ("ir_measures", "Success")])
def test_row_67_a_name_that_its_library_refuses_without_a_cutoff_is_refused(write, convention, name):
    write("test.csv", "user,item\n1,1\n")
    write("lists.csv", "user,item\n1,1\n")

    def config(more):
        return write(
            "config.yaml",
            "data: {test: test.csv, recommendations: {m: lists.csv}}\n"
            f"evaluation: {{convention: {convention}, metrics: [{name}]{more}}}\n",
        )

    with pytest.raises(ConfigError, match=f"{name} needs k, the number of items it uses: write {name}@10, or give top_k$"):
        load_config(config(""))
    assert [definition.k for definition in load_config(config(", top_k: [3]")).config.evaluation.definitions] == [3]


def test_row_92_extended_f1_of_a_whole_model_is_refused_with_the_equivalent_arithmetic(evaluate):
    test, lists = rated((1, 1, 1)), listed((1, 1))
    with pytest.raises(ConfigError, match=r"this is 5\*nDCG@3\*Gini@3/\(4\*nDCG@3 \+ Gini@3\)"):
        evaluate(test, lists, train=TRAIN, metrics=["F1(nDCG,Gini,beta=2)@3"])
    formula = "2*nDCG@1*ItemCoverage@1/(nDCG@1 + ItemCoverage@1)"
    assert values(evaluate(test, lists, train=TRAIN, metrics=[formula])) == {formula: pytest.approx(2 * 0.25 / 1.25)}


@pytest.mark.parametrize(
    ("first", "second"),
    [("AUC", "GAUC"), ("F1", "MAP"), ("nDCG", "ItemCoverage"), ("nDCG", "Gini"), ("Precision", "Recall"), ("MAP", "MRR")],
)
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_row_92_extended_f1_under_the_documents_is_the_f_of_the_two_values_of_the_table(evaluate, first, second, beta):
    test = rated((1, 1, 5), (1, 2, 5), (1, 3, 1), (2, 2, 4), (2, 4, 2), (3, 5, 1))
    train = rated((1, 4, 5), (2, 1, 3), (2, 3, 5), (3, 2, 4), (3, 4, 2), (4, 6, 4), (5, 2, 1), (5, 5, 1))
    lists = listed((1, 6, 0.9), (1, 1, 0.8), (1, 4, 0.7), (2, 2, 0.9), (2, 6, 0.8), (3, 5, 0.7), (3, 6, 0.2))
    combined = {"name": "F1", "params": {"metric_name_1": first, "metric_name_2": second, "beta": beta}, "k": 2}
    alone = [name if name in ("AUC", "GAUC") else f"{name}@2" for name in (first, second)]
    found = evaluate(test, lists, train=train, convention="warprec-docs", metrics=[*alone, combined])
    by_label = values(found)
    p, r, f = (by_label[label] for label in found.labels())
    assert f == pytest.approx((1 + beta**2) * p * r / (beta**2 * p + r))


def test_an_f_of_each_users_values_says_so_beside_a_pooled_part(evaluate):
    test = rated((1, 1, 5), (1, 2, 5), (2, 2, 4), (3, 5, 1))
    lists = listed((1, 6, 0.9), (1, 1, 0.7), (2, 2, 0.9), (3, 5, 0.7))
    said = " ".join(evaluate(test, lists, train=TRAIN, metrics=["F1(AUC,GAUC)", "AUC"]).notes())
    assert "F1(AUC,GAUC) is the mean of each user's value; AUC alone is pooled over users (micro)." in said
    assert "each user's value" not in " ".join(evaluate(test, lists, train=TRAIN, metrics=["F1@2", "AUC"]).notes())


def test_row_200_logit_is_another_name_of_sigmoid_and_a_wrong_one_is_named_by_its_parameter(evaluate):
    test, lists = table(UNRANKED, [(1, "a")]), listed((1, "a", 2.0), (1, "b", 1.0))
    policy = table(("item", "score"), [("a", 1.0), ("b", 1.0)])
    for convention in ("receval", "replay-experimental"):
        metrics = [f"NCISPrecision(activation={name})@2" for name in ("logit", "sigmoid")]
        result = evaluate(test, lists, previous_policy=policy, convention=convention, metrics=metrics)
        assert list(values(result)) == ["NCISPrecision(activation=sigmoid)@2"]
    with pytest.raises(ConfigError, match="activation must be one of none, sigmoid, softmax, not 'softmx' — did you mean 'softmax'"):
        evaluate(test, lists, previous_policy=policy, metrics=["NCISPrecision(activation=softmx)"])


REPEATED = listed(("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0))


@pytest.mark.parametrize(("convention", "names"), [("ranx", ("ndcg@3", "mrr")), ("ir_measures", ("nDCG@3", "RR"))])
def test_the_last_of_repeated_rows_counts_under_ranx_and_ir_measures(evaluate, convention, names):
    """Expect the dictionaries of both libraries to have a 1 from a 3, b 2, a 1, so that the relevant a is second."""
    result = evaluate(table(("user", "item", "rating"), [("q", "a", 1)]), REPEATED, convention=convention, metrics=list(names))
    assert list(values(result).values()) == [pytest.approx(1 / math.log2(3)), 0.5]


def test_a_repeated_row_that_ties_keeps_the_position_of_its_first_row(evaluate):
    """Expect the last scores a 1 and b 1, where a was put into the dictionary first."""
    lists = listed(("q", "a", 3.0), ("q", "b", 1.0), ("q", "a", 1.0))
    assert values(evaluate(table(UNRANKED, [("q", "a")]), lists, convention="ranx", metrics=["mrr"])) == {"MRR@none": 1.0}


def test_a_repeated_row_without_scores_has_the_rank_of_its_last_row(evaluate):
    lists = table(("user", "item", "rank"), [("q", "a", 1), ("q", "b", 2), ("q", "a", 3)])
    test = table(UNRANKED, [("q", "a")])
    assert values(evaluate(test, lists, metrics=["MRR(duplicates=keep_last_row)@3"])) == {"MRR(duplicates=keep_last_row)@3": 0.5}


def test_elliot_counts_a_repeated_item_once_in_head_and_tail_and_at_every_rank_elsewhere(evaluate):
    """Of 27 train rows h has 24, more than 80 %: it is the head, and a, b, c are the tail. User 1 has c in train; relevant are a and h."""
    train = table(UNRANKED, [*((user, "h") for user in range(2, 26)), (1, "c"), (2, "a"), (2, "b")])
    test = rated((1, "a", 5), (1, "h", 5))
    lists = listed((1, "a", 0.9), (1, "a", 0.8), (1, "h", 0.7), (1, "b", 0.6))
    result = evaluate(test, lists, train=train, convention="elliot", metrics=["ACLT", "APLT", "PopREO", "PopRSP", "Precision"], top_k=3)
    found = values(result)
    assert found["ACLT@3"] == 1.0
    assert found["APLT@3"] == pytest.approx(1 / 3)
    assert found["PopREO@3"] == 0.0  # 1/1 of the head, 1/1 of the tail
    # 1/1 of the head, 1/2 of the tail, a and b: (1/4)/(3/4)
    assert found["PopRSP@3"] == pytest.approx(1 / 3)
    assert found["Precision@3"] == 1.0


def test_elliot_limits_auc_to_the_first_k_items_including_those_that_are_not_in_train(evaluate):
    """Of 5 train items user 1 has one in train and one relevant: 5 - 1 - 1 + 1 = 4 negatives; z is ranked above the hit."""
    train = table(UNRANKED, [(1, "c"), (2, "a"), (2, "b"), (2, "d"), (2, "e")])
    lists = listed((1, "z", 0.9), (1, "a", 0.8), (1, "b", 0.7))
    result = evaluate(rated((1, "a", 5)), lists, train=train, convention="elliot", metrics=["LAUC@1", "LAUC@2"])
    assert values(result) == {"LAUC@1": 0.0, "LAUC@2": 0.75}
