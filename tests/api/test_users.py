"""`result.user(id)` and `receval.user`: the values of a run to the last bit, ids of every type, and what policies and checks did."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from typing import Any

import polars as pl
import pytest
import receval
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.studies.user_viewing import view_user
from receval.support.errors import ConfigError, DataError

from tests.sizes import draws
from tests.variants import PROTOCOLS, VARIANTS
from tests.worlds import measured, worlds

TEST = {"a": ["i", "j"], "b": ["k"]}
LISTS = {"m": {"a": ["i", "x", "i"], "c": ["k"]}, "n": {"b": ["k"]}}
TRAIN = {"a": ["q", "x"]}


def evaluated(**more: Any) -> receval.EvaluationResult:
    return receval.evaluate(**{"test": TEST, "recommendations": LISTS, "train": TRAIN, "metrics": "nDCG@2,Recall@2", **more})


def values_by_measure(view: receval.UserResult) -> dict[tuple[str, str], Any]:
    return {(value.measure, value.model): value.value for value in view.values}


def known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


@settings(max_examples=draws(1, 6))
@given(world=worlds(), first=st.sampled_from([3, 0, 1, 2, 4, 5, 6]))
def test_values_are_those_of_the_run_to_the_last_bit(world, first, evaluate, tmp_path):
    metrics = [*VARIANTS][first::7]
    result = measured(evaluate, world, [*metrics, *(PROTOCOLS if not first else ())])
    loaded = receval.load_config(tmp_path / "config.yaml")
    (model,) = result.per_user
    for row in result.per_user[model].rows(named=True)[:3]:
        view = view_user(loaded, row["user"], result=result)
        assert values_by_measure(view) == {(label, model): known(row[label]) for label, _ in values_by_measure(view)}
        assert {label for label, _ in values_by_measure(view)} == {
            value_row.measure for value_row in result.rows if value_row.measure in row
        }
        assert all(value.mean is not None for value in view.values if value.measure.startswith("nDCG@"))
        assert view.n_relevant == row["n_relevant"]
        assert not any("Not the values" in note for note in view.notes)


def test_the_place_among_all_users_counts_worse_values():
    lists = {user: ["x"] * rank + ["i"] for user, rank in zip("abcde", (0, 1, 1, 2, 3), strict=True)}
    result = receval.evaluate(
        test={user: ["i"] for user in "abcde"}, recommendations={"m": lists}, metrics="MRR,NumRetrieved", health=False
    )
    (value,) = (value_of_user for value_of_user in result.user("b").values if value_of_user.measure.startswith("MRR"))
    assert (value.n_lower, value.n_equal, value.n_valued, value.better_than) == (2, 2, 5, 0.4)
    assert value.mean == result["m"][value.measure].value


def test_history_test_rows_and_lists_have_their_marks():
    view = evaluated(health=False).user("a")
    assert view.history["item"].to_list() == ["x", "q"]
    assert view.test.rows() == [("i", True, 1, None), ("j", True, None, None)]
    assert view.lists["m"].select("item", "rank", "relevant", "in_train").rows()[:2] == [("i", 1, True, False), ("x", 2, False, True)]
    assert view.lists["n"].is_empty()


def test_policies_and_findings_are_those_of_the_user():
    result = evaluated()
    view = result.user("a")
    assert {(policy.axis, policy.model, policy.n) for policy in view.policies} == {
        ("duplicates", "m", 1), ("seen_items", "m", 1), ("missing_lists", "n", None),
    }  # fmt: skip
    assert {(finding.check, finding.model) for finding in view.findings} >= {("R01", "m"), ("X01", "n"), ("X05", "m")}
    assert [finding.examples for finding in view.findings if finding.check == "X05"] == [("item x",)]
    assert {finding.check for finding in result.findings} > {finding.check for finding in result.user("b").findings}
    assert not [finding for finding in result.user("b").findings if finding.check in ("R01", "X05")]


def test_rows_that_a_filter_or_a_missing_value_leaves_out_are_counted(tmp_path):
    (tmp_path / "test.csv").write_text("user,item,event\na,i,buy\na,j,view\nb,k,buy\na,,buy\n")
    (tmp_path / "lists.csv").write_text("user,item,score\na,i,2\na,x,2\nb,k,1\n")
    config = {
        "data": {
            "test": {"path": str(tmp_path / "test.csv"), "where": "event == 'buy'"},
            "recommendations": {"m": str(tmp_path / "lists.csv")},
        },
        "evaluation": {"metrics": ["nDCG@2"], "policy": {"missing_values": "drop"}},
        "health": "off",
    }  # fmt: skip
    view = receval.user("a", config, quick=True)
    effects = {(policy.axis or "filter"): (policy.n, policy.total) for policy in view.policies}
    assert effects == {"missing_values": (1, None), "filter": (1, 2), "tie_order": (2, 2)}
    assert len(view.test) == 1


@pytest.mark.parametrize(
    ("ids", "asked"),
    [
        ([3, -4], -4),
        (["x|1", "y"], "x|1"),
        ([2**63 - 1, 5], 2**63 - 1),
        (pl.Series([2**63 + 5, 7], dtype=pl.UInt64), 2**63 + 5),
        (["<b>x</b>", "y"], "<b>x</b>"),
        ([3, 4], 3.0),
    ],
)
def test_ids_of_every_type_are_found(ids, asked):
    rows = pl.DataFrame({"user": ids, "item": [1, 2]})
    result = receval.evaluate(test=rows, recommendations={"m": rows}, metrics="nDCG@1", health=False)
    view = result.user(asked)
    assert values_by_measure(view) == {("nDCG@1", "m"): 1.0}
    assert str(view.user) == str(asked).removesuffix(".0")
    assert "<b>" not in view._repr_html_()


def test_several_columns_that_name_a_user_are_a_tuple():
    rows = pl.DataFrame({"shop": ["x|y", "x", "y"], "customer": [1, 2, 1], "item": [1, 2, 3]})
    columns = {"user": ["shop", "customer"]}
    result = receval.evaluate(test=rows, recommendations={"m": rows}, metrics="nDCG@1", columns=columns, health=False)
    assert result.user(("x|y", 1)).test["item"].to_list() == [1]
    assert result.user(("x", 2)).test["item"].to_list() == [2]


@pytest.mark.parametrize(("asked", "near"), [("Ana", "did you mean 'ana'"), (" bob", "did you mean 'bob'"), ("anna", "did you mean 'ana'")])
def test_an_unknown_id_gets_similar_ones(asked, near):
    rows = {"ana": [1], "bob": [2]}
    result = receval.evaluate(test=rows, recommendations={"m": rows}, metrics="nDCG@1", health=False)
    with pytest.raises(DataError, match=f"no file contains the user '{asked}'\n  {near}"):
        result.user(asked)


@pytest.mark.parametrize("asked", ["zz", "1_0", "²", "9" * 40, "", "5.5"])
def test_an_id_that_no_integer_is_gets_a_sentence(asked):
    rows = {1: [1], 10: [2]}
    with pytest.raises(DataError, match=r"users of the test set are, for example|did you mean"):
        receval.user(asked, test=rows, recommendations={"m": rows})


def test_a_user_without_test_rows_or_lists_gets_the_reasons():
    view = evaluated(health=False).user("c")
    reasons = {value.model: value.reason for value in view.values}
    assert reasons == {"m": "the user has no relevant item in the test file, and is left out", "n": "the user is in no file of this model"}
    assert "No value: nDCG@2, Recall@2 under n" in repr(view)


def test_groups_of_users_are_shown():
    people = pl.DataFrame({"user": ["a", "b"], "plan": ["free", "paid"]})
    result = evaluated(users=people, by=["users.plan", "cold"], health=False)
    assert result.user("a").groups == {"users.plan": "free", "cold": "warm"}


def test_a_formula_and_reference_lists_have_the_values_of_the_run():
    result = evaluated(metrics=["nDCG@2", "Recall@2", "0.5 * nDCG@2 + 0.5 * Recall@2"], yardsticks="popularity", health=False)
    view = result.user("b")
    rows = {model: frame.filter(pl.col("user") == "b").to_dicts()[0] for model, frame in result.per_user.items()}
    assert {model for _, model in values_by_measure(view)} == set(result.models)
    assert all(known(rows[model][label]) == value for (label, model), value in values_by_measure(view).items())
    assert any("0.5" in label for label, _ in values_by_measure(view))


def test_a_result_from_a_folder_has_values_and_says_what_is_missing(tmp_path):
    result = evaluated(health=False)
    result.save(tmp_path / "out")
    view = receval.load_results(tmp_path / "out").user("a")
    assert values_by_measure(view) == values_by_measure(result.user("a"))
    assert (view.history, view.test, dict(view.lists)) == (None, None, {})
    assert "Only values" in view.notes[0]
    assert "Only values: its tables were in memory" in receval.user("a", tmp_path / "out").notes[0]
    with pytest.raises(DataError, match=r"did you mean|for example"):
        receval.load_results(tmp_path / "out").user("zz")


def test_wrong_models_and_rows_are_refused():
    result = evaluated(health=False)
    with pytest.raises(ConfigError, match="there is no model named 'mm': did you mean 'm'"):
        result.user("a", models="mm")
    with pytest.raises(ConfigError, match="show must be the number of train and test rows"):
        result.user("a", show=-1)


def test_values_are_a_frame_and_plain_values():
    view = evaluated(health=False).user("a")
    assert view.table.columns[:3] == ["measure", "model", "value"]
    body = view.to_dict()
    assert json.loads(json.dumps(body)) == body
    assert body["values"][0]["value"] == view.table["value"][0]


def test_a_user_of_train_alone_has_a_history_and_no_values():
    view = receval.user("z", test=TEST, recommendations=LISTS, train={**TRAIN, "z": ["q"]}, metrics="nDCG@2")
    assert (view.history["item"].to_list(), [value.value for value in view.values]) == (["q"], [None, None])


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.filterwarnings("default")  # of the kernel
@pytest.mark.skipif(not all(map(find_spec, ("nbclient", "ipykernel"))), reason="needs nbclient and ipykernel")
def test_a_notebook_shows_one_user_and_two_lists():
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    tables = f"test={TEST}, recommendations={LISTS}, train={TRAIN}"
    code = (
        f"import receval\nresult = receval.evaluate({tables}, metrics='nDCG@2')",
        "result.user('a')",
        "result.diff('m', 'n', show_users=True)",
    )
    notebook = new_notebook(cells=[new_code_cell(text) for text in code])
    NotebookClient(notebook, timeout=240).execute()
    user, diff = (cell.outputs[-1].data["text/html"] for cell in notebook.cells[1:])
    assert [title in user for title in ("<h3>User a</h3>", "<h4>Lists</h4>", "<h4>Values</h4>", "<script")] == [True, True, True, False]
    assert all(title in diff for title in ("Why relevant items were missed", "Largest losses", "user b"))
    assert "<script" not in diff
