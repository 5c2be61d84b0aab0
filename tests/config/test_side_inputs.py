"""Side inputs in a config: how they are named, and the messages if one is missing or misplaced."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml
from receval import load_config, metrics
from receval.config import json_schema
from receval.support.errors import ConfigError

LISTS = {"als": "als.csv", "bpr": "bpr.csv"}


@pytest.fixture
def loaded(write):
    """Return a function that loads a config with these keys of `data`, and checks it against the schema."""

    def loaded(measures=("nDCG",), recommendations=LISTS, **data):
        config = {"data": {"test": "t.csv", "recommendations": recommendations, **data}, "evaluation": {"metrics": list(measures)}}
        found = load_config(write("config.yaml", yaml.safe_dump(config)))
        jsonschema.validate(config, json.loads(json_schema()))
        return found

    return loaded


@pytest.fixture
def all_problems(loaded):
    """Return a function that gives all problems of a config in one text."""

    def all_problems(measures=("nDCG",), **data):
        with pytest.raises(ConfigError) as error:
            loaded(measures, **data)
        return "\n".join(error.value.problems)

    return all_problems


@pytest.fixture
def needing(monkeypatch):
    """Return a function that makes the metric Recall need something."""
    usual = metrics.Definition.needs.fget

    def needing(*needs):
        def patched(definition):
            return frozenset(needs) if definition.metric.name == "Recall" else usual(definition)

        monkeypatch.setattr(metrics.Definition, "needs", property(patched))

    return needing


@pytest.mark.parametrize(
    "data",
    [
        {"items": "i.csv"},
        {"items": ["a.csv", "b.csv"]},
        {"items": {"path": "i.csv", "categories": "genres", "split": "|"}},
        {"items": {"path": "i.csv", "categories": "genre"}},
        {"items": {"path": "i.csv", "categories": ["Action", "Comedy"], "columns": {"item": 1}}},
        {"users": "u.csv"},
        {"baseline": {"path": "b.csv", "columns": {"rank": "place"}}},
        {"previous_policy": {"path": "p.csv", "columns": {"score": "times"}}},
        {"predictions": "p.csv"},
        {"predictions": ["p-1.csv", "p-2.csv"]},
        {"predictions": {"path": "p.csv", "columns": {"prediction": "est"}}},
        {"predictions": {"als": "p.csv", "bpr": {"path": ["q.csv", "r.csv"], "columns": {"prediction": 3}}}},
        {"distances": {"path": "d.csv", "columns": {"item": "a", "other": "b", "distance": "d"}}},
    ],
    ids=str,
)
def test_every_form_reads_back_from_the_resolved_config(data, loaded, write):
    first = loaded(**data)
    again = load_config(write("again.yaml", first.resolved_yaml()))
    assert again.resolved() == first.resolved()
    assert again.config.data == first.config.data


def test_paths_and_columns_are_resolved_as_they_are_written(loaded):
    data = loaded(items={"path": ["i.csv"], "categories": ["A", "B"]}, predictions={"als": "p.csv"}, users="u.csv").resolved()["data"]
    assert data["items"] == {"path": "i.csv", "categories": ["A", "B"]}
    assert data["predictions"] == {"als": {"path": "p.csv"}}
    assert data["users"] == {"path": "u.csv"}


def test_categories_read_the_named_columns(loaded):
    assert loaded(items="i.csv").config.data.items.category_columns == ()
    assert loaded(items={"path": "i.csv", "categories": "genre"}).config.data.items.category_columns == ("genre",)
    assert loaded(items={"path": "i.csv", "categories": ["A", "B"]}).config.data.items.category_columns == ("A", "B")


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ({"split": "|"}, "data.items.split: split needs the column of the categories: write categories: NAME"),
        (
            {"categories": ["A", "B"], "split": "|"},
            "data.items.split: each column in the list is one category, so nothing is split: remove split, or name one column",
        ),
        ({"categories": []}, "data.items.categories: categories must be the column with an item's categories, or a list of one column per"),
        ({"categories": 0}, "per category, not 0"),
        ({"categories": True}, "per category, not True"),
        ({"categories": ["A", ""]}, "per category, not ['A', '']"),
        ({"categories": ["A", "A"]}, "data.items.categories: categories names a column twice"),
        ({"categories": "A", "split": ""}, "data.items.split"),
        ({"category": "A"}, "data.items.category: unknown key 'category' — did you mean 'categories'?"),
    ],
)
def test_wrong_categories_are_refused(items, sentence, all_problems):
    assert sentence in all_problems(items={"path": "i.csv", **items})


def test_only_the_catalogue_has_categories(all_problems):
    assert "data.users.categories: unknown key 'categories'" in all_problems(users={"path": "u.csv", "categories": "A"})


@pytest.mark.parametrize(
    ("needs", "data", "sentence"),
    [
        ("catalogue", {}, "Recall@10 needs the catalogue: give data.train or data.items"),
        ("train", {"items": "i.csv"}, "Recall@10 needs the train interactions: give data.train"),
        ("items", {"train": "t.csv"}, "Recall@10 needs the items of the catalogue: give data.items"),
        ("users", {}, "Recall@10 needs the file of users: give data.users"),
        ("baseline", {}, "Recall@10 needs the lists of a reference model: give data.baseline"),
        ("previous_policy", {}, "Recall@10 needs the scores of the policy that collected the data: give data.previous_policy"),
        ("distances", {}, "Recall@10 needs the distances between items: give data.distances"),
        ("predictions", {}, "Recall@10 needs predicted ratings: give data.predictions"),
        ("predictions", {"predictions": {}}, "Recall@10 needs predicted ratings: give data.predictions"),
        ("categories", {}, "Recall@10 needs the categories of the items: give data.items with its key categories"),
        ("categories", {"items": "i.csv"}, "Recall@10 needs the categories of the items: set data.items.categories to their column"),
        ("users.age", {}, "Recall@10 needs the column 'age' of the users: give data.users"),
        ("items.year", {}, "Recall@10 needs the column 'year' of the items: give data.items"),
    ],
)
def test_an_input_that_a_measure_needs_and_that_is_missing_is_named(needs, data, sentence, needing, all_problems):
    needing(needs)
    found = all_problems(["Recall"], **data)
    assert f"evaluation.metrics: {sentence}" in found
    assert len(found.splitlines()) == 1


def test_a_missing_input_is_named_once_for_all_cut_offs_with_settings_to_paste(all_problems):
    (found,) = all_problems(["ILD@5", "ILD@10"], items="i.csv").splitlines()
    assert "evaluation.metrics: ILD@5 needs the categories of the items: set data.items.categories" in found
    assert found.endswith(": --set data.items.categories=genres --set 'data.items.split=|'")


@pytest.mark.parametrize(
    "need", ["train", "items", "users", "baseline", "previous_policy", "distances", "predictions", "users.a", "items.b"]
)
def test_optional_inputs_and_given_inputs_are_not_missing(need, needing, loaded):
    needing(f"{need}?")
    loaded(["Recall"])
    needing(need)
    loaded(["Recall"], **{need.partition(".")[0]: "some.csv"})


def test_every_missing_input_is_named_once_and_with_the_combined_metric(needing, all_problems):
    needing("baseline", "distances")
    assert all_problems(["F1(Precision,Recall)"]).count("F1@10 needs the") == 2


def test_averaging_over_train_users_needs_train_and_the_message_names_the_alternative(all_problems):
    found = all_problems(["Recall(divisor=train_users)"])
    assert "is averaged over the users of data.train: give data.train, or write Recall(divisor=counted)" in found


def test_predictions_of_an_unknown_model_are_refused_with_a_suggestion(all_problems):
    found = all_problems(predictions={"alls": "p.csv", "bpr": "q.csv"})
    assert "data.predictions.alls: there is no model named 'alls' — did you mean 'als'?" in found
    assert "there is no model named 'x'; the models are als, bpr" in all_problems(predictions={"x": "p.csv"})


def test_a_measure_of_predictions_needs_them_for_every_model(needing, all_problems, loaded):
    loaded(["Recall"], predictions={"als": "p.csv"})
    needing("predictions?")
    loaded(["Recall"], predictions={"als": "p.csv"})
    needing("predictions")
    found = all_problems(["Recall"], predictions={"als": "p.csv"})
    assert "data.predictions: Recall@10 needs predicted ratings of every model: give those of bpr too" in found


def test_names_of_predictions_are_not_checked_if_files_name_the_models(loaded):
    loaded(recommendations="runs/*.csv", predictions={"als": "p.csv"})


@pytest.mark.parametrize(
    ("role", "key", "where"),
    [
        ("test", "score", "data.recommendations or data.baseline or data.previous_policy"),
        ("items", "rank", "data.recommendations or data.baseline"),
        ("previous_policy", "rank", "data.recommendations or data.baseline"),
        ("users", "prediction", "data.predictions"),
        ("predictions", "score", "data.recommendations or data.baseline or data.previous_policy"),
        ("baseline", "other", "data.distances"),
        ("train", "distance", "data.distances"),
    ],
)
def test_a_column_that_does_not_belong_to_a_side_input_is_refused(role, key, where, all_problems):
    source = {"path": "x.csv", "columns": {key: "c"}}
    given = {role: source}
    assert f"data.{role}.columns.{key}: this file has no column for {key}: only {where} has one" in all_problems(**given)


def test_a_column_is_refused_in_the_lists_and_predictions_of_one_model_too(all_problems):
    wrong = {"path": "x.csv", "columns": {"distance": "c"}}
    assert "data.recommendations.als.columns.distance: this file has no column for distance" in all_problems(recommendations={"als": wrong})
    assert "data.recommendations[0].columns.distance: this file has no column for distance" in all_problems(recommendations=[wrong])
    assert "data.predictions.als.columns.distance: this file has no column for distance" in all_problems(predictions={"als": wrong})


@pytest.mark.parametrize("role", ["items", "users", "baseline", "previous_policy", "predictions", "distances"])
def test_standard_input_can_be_read_by_one_source_only(role, all_problems, loaded):
    once = {role: "-"}
    loaded(**once)
    assert "standard input (-) can be read only once" in all_problems(recommendations={"als": "-"}, **once)
    several = {role: ["-", "x.csv"]}
    assert "standard input (-) can be read only once and not together with other files" in all_problems(**several)
