"""The notes below the numbers: their definitions, and the setting that changes a value."""

from __future__ import annotations

import csv
import io
import json

import receval
from receval.render.forms import rendered
from receval.results.row import Protocol, protocol_sentences, sentences_with_models, shortened
from receval.support.outputs import output_form

from tests.conftest import table

TEST = table(("user", "item", "rating"), [(1, 10, 5.0), (1, 11, 2.0), (2, 10, 1.0), (3, 12, 4.0)])
LISTS = table(("user", "item", "score"), [(1, 10, 2.0), (1, 12, 1.0), (2, 10, 1.0)])


def test_every_format_names_the_convention_the_relevance_and_the_source_of_the_cut_off(evaluate):
    result = evaluate(TEST, LISTS, relevance={"threshold": 4}, metrics=["Precision", "Recall@3", "ItemCoverage"], items=TEST)
    said = "Convention receval: a rating of at least 4 is relevant (evaluation.relevance.threshold)."
    default = (
        "The cut-off of Precision@10, ItemCoverage@10 is the default: evaluation.top_k is not given; Precision@none reads the whole list."
    )
    assert result.notes()[:2] == (said, default)
    assert f"- {said}\n- {default}\n" in rendered(output_form("md", "result"), result).decode()
    content = json.loads(rendered(output_form("json", "result"), result))
    assert content["notes"][:2] == [said, default]
    columns = ("metric", "convention", "relevance", "cutoff_from")
    expected = [
        ("Precision", "receval", "a rating of at least 4", "default"),
        ("Recall", "receval", "a rating of at least 4", "measure"),
        ("ItemCoverage", "receval", "", "default"),
    ]
    assert [tuple(row[name] for name in columns) for row in content["results"]] == expected
    rows = csv.DictReader(io.StringIO(rendered(output_form("csv", "result"), result).decode()))
    assert [(row["metric"], row["convention"]) for row in rows] == [row[:2] for row in expected]


def test_each_measure_has_its_own_relevance(evaluate):
    measures = ["nDCG@2", "nDCG(threshold=2)@2", "nDCG(convention=trec_eval)@2", "Recall(convention=clayrs)@2"]
    result = evaluate(TEST, LISTS, relevance={"graded": True}, metrics=measures)
    assert [row.protocol.relevance for row in result.rows] == [
        "a rating above 0 (graded)",
        "a rating of at least 2 (graded)",
        "a rating above 0 (graded)",
        "a rating of at least the mean of the user's test ratings",
    ]
    assert [row.protocol.cutoff_from for row in result.rows] == ["measure"] * 4


def test_without_ratings_every_row_is_relevant_and_a_given_top_k_is_not_a_default(evaluate):
    result = evaluate(TEST.drop("rating"), LISTS, top_k=2, metrics=["Recall"])
    assert result.notes()[0] == "Convention receval: every row is relevant."
    assert not any("default" in note for note in result.notes())
    assert result.rows[0].protocol == Protocol("receval", "every row", "top_k")


def test_measures_under_other_conventions_or_rules_are_named():
    rule, every = "a rating above 0", "every row"
    protocols = {
        "nDCG@1": Protocol("receval", rule, "measure"),
        "MAP@1": Protocol("receval", every, "measure"),
        "MRR@1": Protocol("receval", rule, "measure"),
        "ItemCoverage@1": Protocol("elliot", "", "measure"),
    }
    assert list(protocol_sentences(protocols)) == [
        "Convention receval: a rating above 0 is relevant; for MAP@1 every row is.",
        "Convention elliot for ItemCoverage@1.",
    ]


def test_arithmetic_has_the_definitions_of_its_measures(evaluate):
    result = evaluate(TEST, LISTS, metrics=["Recall@1 + Recall(convention=trec_eval)@1"])
    assert result.rows[0].protocol == Protocol("receval, trec_eval", "a rating above 0; a rating of at least 1 (graded)", "measure")


def test_a_note_on_several_models_appears_once(evaluate):
    few = LISTS.filter(user=1)
    result = evaluate(TEST, {"a": LISTS, "b": few, "c": LISTS}, relevance={"threshold": 4}, metrics=["Recall@1"])
    unlisted = [note for note in result.notes() if "have no list" in note or "has no list" in note]
    assert unlisted == ["a, b, c: 1 of these users has no list and counts 0 (evaluation.policy.missing_lists)."]
    assert sentences_with_models([("a", "x"), ("b", "y"), ("c", "x")]) == ["a, c: x", "b: y"]
    assert shortened("abcd") == "a, b, c, d"
    assert shortened("abcde") == "a, b, c and 2 more"


def test_a_value_that_is_missing_because_of_a_user_without_a_list_has_a_note_with_the_setting(evaluate):
    result = evaluate(TEST.filter(user=1).vstack(TEST.filter(user=3)), LISTS, convention="rs_metrics", metrics=["Precision@1"])
    (note,) = [note for note in result.notes() if "no value" in note]
    assert "Precision@1 has no value: 1 user without a list has none; missing_lists=drop leaves such users out" in note
    given = evaluate(
        TEST.filter(user=1).vstack(TEST.filter(user=3)), LISTS, convention="rs_metrics", metrics=["Precision(missing_lists=drop)@1"]
    )
    assert given.rows[0].value == 1.0


def test_a_measure_over_other_users_has_one_sentence_with_both_settings():
    tested, listed = {user: [1] for user in range(4)}, {user: [1] for user in (1, 2, 8, 9, 10)}
    result = receval.evaluate(test=tested, recommendations=listed, items=[1], metrics=["nDCG@1", "ItemCoverage@1"], health=False)
    (note,) = [note for note in result.notes() if "computed over" in note]
    assert note.endswith(
        "ItemCoverage@1 is computed over 5 users (all users with a list, also without a test row; population=test leaves these out; "
        "missing_lists=zero counts users without a list)."
    )


def test_a_standard_deviation_and_an_interval_have_no_direction(evaluate):
    result = evaluate(TEST, LISTS, metrics=["Recall@1"], aggregates=["mean", "median", "std", "ci95", "bootstrap95"])
    assert {row.aggregate: row.higher_is_better for row in result.rows} == {
        "mean": True,
        "median": True,
        "std": None,
        "ci95": None,
        "bootstrap95 low": None,
        "bootstrap95 high": None,
    }


def test_measures_of_whole_lists_by_default_have_a_note():
    whole, cut = Protocol("ranx", "every row", "default"), Protocol("ranx", "every row", "measure")
    assert list(protocol_sentences({"nDCG@none": whole, "MRR@none": whole, "nDCG@5": cut})) == [
        "Convention ranx: every row is relevant.",
        "nDCG@none, MRR@none use whole lists, the default: evaluation.top_k is not given.",
    ]
