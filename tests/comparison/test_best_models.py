"""Conclusions about the models of a result: marks, sentence and JSON agree with `compare --users common`."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.comparison.best_models import conclusions_of, with_conclusions
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.config.run_sections import LatexStyle
from receval.documents.best_values import best_values
from receval.documents.headline import closing_sentences
from receval.documents.methods import NAMES
from receval.documents.paper import marks_of
from receval.documents.values import Formats
from receval.render.forms import rendered
from receval.support.outputs import output_form
from receval.syntax.short_names import Margin

from tests.comparison.conftest import change_lists, lists_of, rated_items
from tests.sizes import draws

DROP = {"missing_lists": "drop"}


@pytest.fixture
def other_users(evaluate):
    """Return lists: A has those of the 20 users whose first relevant item is easy to find; B has those of all 200, and both relevant
    items of those 20.
    """
    test = {user: [user % 7, 10 + user % 5] for user in range(200)}
    easy = {user: [user % 7, 30 + user % 3] for user in range(20)}
    both = {user: [user % 7, 10 + user % 5] if user < 20 and user % 4 else [user % 7 if user < 20 else 99, 98] for user in range(200)}
    found = evaluate(rows(test), {"A": rows(easy), "B": rows(both)}, metrics=["Recall@2"], top_k=[2], policy=DROP)
    return with_conclusions(found, ComparisonOptions())


def rows(lists):
    content = [(user, item, float(-rank)) for user, items in lists.items() for rank, item in enumerate(items)]
    return pl.DataFrame(content, schema=["user", "item", "score"], orient="row")


def test_models_that_count_different_users_are_compared_on_common_users_and_the_sentence_says_so(other_users):
    """Expect for the 20 users 1/2 each from A; 1 for 15 and 1/2 for 5 from B: 0.875; over all its users B has 0.0875 and A 0.5."""
    values = {row.model: row.value for row in other_users.rows}
    assert values == pytest.approx({"A": 0.5, "B": 0.0875})
    (said,) = closing_sentences(other_users.conclusions)
    start, end = "Recall@2: A and B count different users (20 and 200); on the 20 in common B is higher by 0.38 (95 % interval ", ")."
    assert said.startswith(start)
    assert re.fullmatch(r"0\.\d\d to 0\.\d\d", said.removeprefix(start).removesuffix(end))
    (one,) = compare({"": other_users}, ComparisonOptions(common=True)).differences
    assert (one.verdict, one.difference) == ("better", pytest.approx(0.375))


def test_every_mark_is_at_the_model_that_is_best_on_common_users(other_users):
    formats = Formats.from_rows(other_users.rows)
    marked = best_values(other_users, formats)
    assert (marked.tested, marked.untested) == (frozenset({("B", "Recall@2")}), frozenset())
    assert marks_of(other_users, formats, LatexStyle()).marks == {("B", "Recall@2"): "best"}
    assert r"\textbf{0.0875}" in rendered(output_form("latex", "latex"), other_users).decode()
    assert "**0.0875**" in rendered(output_form("md", "result"), other_users).decode()
    assert "**0.5000**" not in rendered(output_form("md", "result"), other_users).decode()


def test_a_conclusion_is_data_in_the_json_form(other_users):
    content = json.loads(rendered(output_form("json", "result"), other_users))
    assert content["format_version"] == 7
    (one,) = content["conclusions"]
    assert (one["measure"], one["models"], one["best"], one["users"]) == ("Recall@2", ["A", "B"], "B", {"A": 20, "B": 200})
    assert (one["family"], one["correction"], one["level"], one["test"]) == (1, "holm", 0.95, "t")
    (rival,) = one["rivals"]
    assert (rival["model"], rival["verdict"], rival["n_users"], rival["n_unpaired"]) == ("A", "better", 20, 180)
    assert rival["low"] < rival["difference"] < rival["high"]


@settings(max_examples=draws(8, 40))
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 59), st.integers(0, 40)), min_size=2, max_size=4), st.integers(0, 99))
def test_no_mark_and_no_sentence_contradicts_the_comparison_on_common_users(evaluate, models, seed):
    lists = {}
    for place, (n, first, n_changed) in enumerate(models):
        users = [1 + (first + i) % 60 for i in range(n)]
        lists[f"x{place}"] = change_lists(lists_of(users, seed), users[:n_changed], seed + place + 1)
    found = evaluate(rated_items(), lists, metrics=["nDCG@3"], relevance={"threshold": 4}, policy=DROP)
    found = with_conclusions(found, ComparisonOptions())
    compared = {(difference.subject.base, difference.subject.model): difference.verdict for difference in _pair_differences(found)}
    for conclusion in found.conclusions:
        for rival in conclusion.rivals:
            opposite = {(conclusion.best, rival.model): "better", (rival.model, conclusion.best): "worse"}
            same = {(conclusion.best, rival.model): "worse", (rival.model, conclusion.best): "better"}
            assert all(compared.get(pair) != verdict for pair, verdict in opposite.items())
            if rival.verdict == "better":  # corrected for more comparisons than the single pair
                assert any(compared.get(pair) == verdict for pair, verdict in same.items())
        marked = {model for model, _ in best_values(found, Formats.from_rows(found.rows)).tested}
        assert marked == set(conclusion.alike)


def _pair_differences(found):
    """Return the differences of `compare --users common` between the best model and each other one with common users."""
    for conclusion in found.conclusions:
        for rival in conclusion.rivals:
            if rival.n_users:
                counts = {model: found.counts[model] for model in (rival.model, conclusion.best)}
                yield from compare({"": replace(found, counts=counts)}, ComparisonOptions(common=True)).differences


def test_a_model_that_is_equivalent_in_compare_is_not_called_beaten(result):
    base = lists_of(range(1, 61), seed=2)
    made = result(models={"one": base, "two": change_lists(base, range(1, 41), seed=3)})
    plain = {rival.verdict for conclusion in conclusions_of(made, ComparisonOptions()) for rival in conclusion.rivals}
    wide = ComparisonOptions(margins={"default": Margin.read(0.9)})
    found = with_conclusions(made, wide)
    assert {rival.verdict for conclusion in found.conclusions for rival in conclusion.rivals} == {"equivalent"} != plain
    assert {difference.verdict for difference in compare({"": made}, replace(wide, all_pairs=True)).differences} == {"equivalent"}
    assert re.fullmatch(
        r"nDCG@3: (one|two) and (one|two) are equivalent within 0\.9\.",
        closing_sentences(found.conclusions)[0].removeprefix("No model is clearly best on any of 4 measures. "),
    )
    (legend,) = best_values(found, Formats.from_rows(found.rows)).legend("◂")
    assert legend.startswith(
        f"◂ best; several in a measure: equivalent to the best or not clearly different from it ({NAMES['t']}, Holm, 5 %"
    )


def _alone(evaluate, users, metrics=("Recall@5",)):
    """Return the marks of a good model over some users and of others over their own users."""
    good = rated_items().filter(rated_items()["rating"] >= 4).rename({"rating": "score"}).cast({"score": pl.Float64})
    lists = {name: lists_of(some, 4, length=1) for name, some in users.items()} | {
        "one": good.filter(good["user"].is_in(list(users["one"])))
    }
    found = evaluate(rated_items(), lists, metrics=list(metrics), relevance={"threshold": 4}, policy=DROP, items=_items())
    found = with_conclusions(found, ComparisonOptions())
    return found, best_values(found, Formats.from_rows(found.rows))


def test_untested_values_have_their_own_mark_with_the_reason(evaluate):
    found, marked = _alone(evaluate, {"one": range(1, 2), "two": range(1, 2)})
    assert (marked.tested, marked.untested) == (frozenset(), frozenset({("one", "Recall@5")}))
    assert marked.legend("◂") == ["◃ best value printed, not tested (Recall@5: one user)."]
    assert closing_sentences(found.conclusions) == []


def test_models_without_a_common_user_get_no_mark_not_even_on_values_of_whole_models(evaluate):
    found, marked = _alone(evaluate, {"one": range(1, 31), "two": range(31, 36)}, ("Recall@5", "ItemCoverage@5"))
    assert dict(marked.marks()) == {}
    assert marked.legend("◂") == ["No mark in ItemCoverage@5, Recall@5: models have no user in common."]
    assert closing_sentences(found.conclusions) == []


def test_a_model_without_common_users_with_the_best_one_gets_no_mark(evaluate):
    _, marked = _alone(evaluate, {"one": range(1, 31), "three": range(31, 61), "two": range(1, 31)})
    assert dict(marked.marks()) == {("one", "Recall@5"): "best"}
    assert marked.legend("◂")[1:] == ["No mark: three has no user in common with the best model."]


def test_measures_of_whole_models_are_not_tested(result):
    found = with_conclusions(result(metrics=["nDCG@5", "ItemCoverage@5"], items=_items()), ComparisonOptions())
    marked = best_values(found, Formats.from_rows(found.rows))
    assert {label for _, label in marked.tested} == {"nDCG@5"}
    assert {label for _, label in marked.untested} <= {"ItemCoverage@5"}
    assert [conclusion.is_tested for conclusion in found.conclusions] == [True, False]


def _items():
    return pl.DataFrame({"item": range(12)})
