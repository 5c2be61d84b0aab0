"""Values that a convention defines are not errors: users without a relevant item count 0, ratings that are all 0, lists without hits."""

from __future__ import annotations

import polars as pl
import pytest
import receval
import yaml
from receval import load_config, run
from receval.support.errors import ConfigError, DataError

from tests.conftest import table, values

UNLIKED = table(["user", "item", "rating"], [(1, 1, 0.0), (2, 2, 0.0)])
LISTS = table(["user", "item", "score"], [(1, 1, 1.0), (2, 3, 1.0)])
PREDICTIONS = table(["user", "item", "prediction"], [(1, 1, 0.5), (2, 2, 1.0)])


@pytest.mark.parametrize(
    ("convention", "metrics"),
    [
        ("trec_eval", ["P_5", "map", "ndcg", "recip_rank"]),
        ("ir_measures", ["P@5", "AP", "RR", "nDCG"]),
        ("ranx", ["precision@5", "map", "mrr", "ndcg"]),
    ],
)
def test_users_without_a_relevant_item_count_0_if_the_library_counts_them(evaluate, convention, metrics):
    """pytrec_eval 0.5.11, ir_measures 0.4.3 and ranx 0.3.21 give 0 for qrels whose grades are all 0."""
    found = evaluate(UNLIKED, LISTS, convention=convention, metrics=metrics)
    assert [(row.value, row.n_users) for row in found.rows] == [(0.0, 2)] * 4


def test_a_run_without_any_value_is_refused_with_the_rule_that_excludes_all_users(evaluate):
    for metrics in (["nDCG", "Recall"], ["nDCG", "ItemCoverage"]):
        with pytest.raises(DataError, match="none of 2 users has a relevant item, that is, a rating above 0"):
            evaluate(UNLIKED, LISTS, items=pl.DataFrame({"item": [1, 2, 3]}), metrics=metrics)
    with pytest.raises(DataError, match="a rating of at least 4"):
        evaluate(UNLIKED, LISTS, metrics=["Recall"], relevance={"threshold": 4})


def test_users_with_a_list_and_no_test_row_that_count_0_are_a_value_too(evaluate):
    lists = table(["user", "item", "score"], [(1, 1, 1.0), (7, 3, 1.0)])
    (row,) = evaluate(UNLIKED, lists, metrics=["Recall(no_truth=zero)@1"]).rows
    assert (row.value, row.n_users) == (0.0, 1)


def test_errors_of_ratings_that_are_all_0_are_computed_beside_any_measure(evaluate):
    """Expect the errors 1/2 and 1."""
    for metrics in (["RMSE", "MAE", "nDCG"], ["nDCG", "MAE", "RMSE"]):
        found = values(evaluate(UNLIKED, LISTS, predictions=PREDICTIONS, metrics=metrics))
        assert found == {"RMSE": 0.75, "MAE": 0.75, "nDCG@10": None}


def test_metrics_of_lists_alone_need_no_relevant_item(evaluate):
    found = evaluate(UNLIKED, LISTS, items=pl.DataFrame({"item": [1, 2, 3]}), metrics=["ItemCoverage"])
    assert values(found) == {"ItemCoverage@10": pytest.approx(2 / 3)}


@pytest.mark.parametrize("health", ["off", {"X03": "off"}])
@pytest.mark.parametrize("stranger", [(1, 7), (7, 1)])
def test_lists_without_users_or_items_of_the_test_file_have_the_value_0_if_checks_allow_it(evaluate, health, stranger):
    test, lists = table(["user", "item"], [(1, 1), (2, 2)]), table(["user", "item", "score"], [(*stranger, 1.0)])
    assert values(evaluate(test, lists, metrics=["nDCG", "Recall"], health=health)) == {"nDCG@10": 0.0, "Recall@10": 0.0}


LIKED = table(["user", "item", "rating"], [(1, 1, 1.0), (2, 2, 1.0)])
EMPTY_RUNS = {
    "model.run": b"",
    "model.csv": b"user,item,score\n",
    "model.json": b"[]",
    "blank.run": b"\n\n",
    "model.parquet": None,
}


@pytest.mark.parametrize("name", EMPTY_RUNS)
@pytest.mark.parametrize(
    ("convention", "metrics"),
    [("ir_measures", ["P@5", "AP", "RR"]), ("ranx", ["precision@5", "mrr"]), ("rectools", ["Precision@5", "PAP@5", "PartialAUC@5"])],
)
def test_a_run_without_any_list_is_0_under_a_convention_that_counts_users_without_a_list(write, tmp_path, name, convention, metrics):
    """ir_measures 0.4.3 gives 0 for {}, ranx 0.3.21 with make_comparable=True for Run(), RecTools 0.19.0 for a frame without rows."""
    config = config_of_empty_run(write, tmp_path, name, convention, metrics)
    result = run(load_config(config))
    assert [(row.value, row.n_users) for row in result.rows] == [(0.0, 2)] * len(metrics)
    (lists,) = [source for source in result.inputs if source.role.startswith("data.recommendations")]
    assert (lists.rows, [file.path for file in lists.files]) == (0, [name])
    assert "X01" in {finding.check for finding in result.findings}  # 2 of 2 users have no list


@pytest.mark.parametrize("name", EMPTY_RUNS)
@pytest.mark.parametrize(("convention", "metric"), [("trec_eval", "P_5"), ("clayrs", "Precision"), ("receval", "nDCG")])
def test_a_run_without_any_list_is_refused_by_default_and_if_its_value_is_undefined(write, tmp_path, name, convention, metric):
    with pytest.raises(DataError, match=rf"{name}: .*(no rows|is empty)"):
        run(load_config(config_of_empty_run(write, tmp_path, name, convention, [metric])))


def config_of_empty_run(write, tmp_path, name, convention, metrics):
    if EMPTY_RUNS[name] is None:
        LISTS.clear().write_parquet(tmp_path / name)
    else:
        write(name, EMPTY_RUNS[name])
    LIKED.write_csv(tmp_path / "test.csv")
    data = {"test": "test.csv", "recommendations": {"model": name}}
    return write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"convention": convention, "metrics": metrics}}))


def config_of_predictions(write, evaluation, predictions, **more):
    LIKED.write_csv(write("test.csv", ""))
    PREDICTIONS.write_csv(write("als.csv", ""))
    data = {"test": "test.csv", "predictions": predictions, **more}
    return write("config.yaml", yaml.safe_dump({"data": data, "evaluation": evaluation}))


@pytest.mark.parametrize(("predictions", "name"), [("als.csv", "als"), ({"knn": "als.csv"}, "knn")])
def test_errors_of_predictions_need_no_lists(write, predictions, name):
    """Expect the errors 1/2 and 0; models have the names of their predictions, and no message reports missing lists."""
    result = run(load_config(config_of_predictions(write, {"metrics": ["RMSE", "MAE"]}, predictions)))
    assert values(result, name) == {"RMSE": 0.25, "MAE": 0.25}
    assert not {"X01", "X03"} & {finding.check for finding in result.findings}
    assert result.unmade["X01"] == "no lists"
    assert not any("list" in note for note in result.notes())
    again = yaml.safe_dump(dict(result.config))  # the resolved config reads back
    assert values(run(load_config(write("resolved.yaml", again))), name) == values(result, name)


def test_measures_of_lists_need_lists_even_with_predictions(write):
    path = config_of_predictions(write, {"metrics": ["RMSE", "nDCG@5"]}, "als.csv")
    with pytest.raises(ConfigError, match=r"data.recommendations: nDCG@5 needs the lists of the models: give name: path"):
        load_config(path)
    path = config_of_predictions(write, {"metrics": ["RMSE"]}, "als.csv", recommendations={})
    assert values(run(load_config(path)), "als") == {"RMSE": 0.25}


def test_evaluate_accepts_predictions_without_lists():
    result = receval.evaluate(test=LIKED, predictions={"a": PREDICTIONS, "b": PREDICTIONS.head(1)}, metrics=["MAE"], health=False)
    assert [(row.model, row.value, row.n_users) for row in result.rows] == [("a", 0.25, 2), ("b", 0.5, 1)]
    with pytest.raises(ConfigError, match="recommendations is missing"):
        receval.evaluate(test=LIKED, metrics=["MAE"])
