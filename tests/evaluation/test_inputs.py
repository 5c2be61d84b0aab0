"""The files of the data section that a run reads, their roles, and the type of their ids."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml
from receval import load, load_config
from receval.evaluation.files import SourceReader
from receval.evaluation.inputs import look_at_everything
from receval.support.errors import DataError

FILES = {
    "t.csv": "user,item\n1,10\n",
    "als.csv": "user,item,score\n1,10,1\n",
    "bpr.csv": "user,item,score\n1,11,1\n",
    "train.csv": "user,item\n2,10\n",
    "items.csv": "item,genres,year\n10,Action|Comedy,1999\n10,Drama,\n11,,2001\n",
    "users.csv": "user,age,group\n1,30,x\n2,,y\n",
    "base.csv": "user,item,rank\n1,10,1\n",
    "policy.csv": "item,score\n10,3\n",
    "pred.csv": "user,item,prediction\n1,10,4.5\n",
    "dist.csv": "item,other,distance\n10,11,0.5\n",
}
EVERYTHING = {"train": "train.csv", "items": {"path": "items.csv", "categories": "genres"}, "users": "users.csv", "baseline": "base.csv",
              "previous_policy": "policy.csv", "predictions": "pred.csv", "distances": "dist.csv"}  # fmt: skip
MODELS = {"als": "als.csv", "bpr": "bpr.csv"}


@pytest.fixture
def inputs(write, tmp_path):
    """Return a function that gives the inputs of a config with these keys of `data`, as far as they are `needed`."""

    def inputs(*needed, recommendations=MODELS, **data):
        for name, content in FILES.items():
            if not (tmp_path / name).exists():
                write(name, content)
        config = {"data": {"test": "t.csv", "recommendations": recommendations, **data}, "evaluation": {"metrics": ["nDCG"]}}
        loaded = load_config(write("config.yaml", yaml.safe_dump(config)))
        with ExitStack() as stack:
            return look_at_everything(loaded, frozenset(needed), stack)

    return inputs


def test_the_second_item_of_a_pair_has_the_id_type_of_items(inputs, write):
    whole = inputs("distances", distances="dist.csv")
    assert load.common_kinds(whole.all()) == {"user": "integer", "item": "integer", "other": "integer"}
    write("als.csv", "user,item,score\n1,x,1\n")
    mixed = inputs("distances", distances="dist.csv")
    kinds = load.common_kinds(mixed.all())
    assert kinds == {"user": "integer", "item": "text", "other": "text"}
    assert SourceReader(Path(), tolerant=False).frame(mixed.with_common_kinds().source("distances")).drop("row").rows(named=True) == [
        {"item": "10", "other": "11", "distance": 0.5}
    ]
    assert whole.source("distances").with_kinds({"item": "text", "other": "text"}).scan.kinds == {
        "item": "text",
        "other": "text",
        "distance": "number",
    }


def test_text_among_the_second_items_makes_all_items_text(inputs, write):
    write("dist.csv", "item,other,distance\n10,x,0.5\n")
    found = inputs("distances", distances="dist.csv")
    assert load.common_kinds(found.all()) == {"user": "integer", "item": "text", "other": "text"}
    assert load.remarks(found.all()) == (
        "Item ids are compared as text, and tied scores are ordered by text, because data.distances contains text.",
    )


def test_only_needed_inputs_are_read(inputs):
    assert [source.role for source in inputs(**EVERYTHING).all()] == ["data.test", "data.recommendations.als", "data.recommendations.bpr"]
    needs = {
        "catalogue": {"train", "items"}, "known": {"train", "items"}, "train": {"train"}, "items": {"items"}, "categories": {"items"},
        "items.year": {"items"}, "users": {"users"}, "users.age": {"users"}, "baseline": {"baseline"},
        "previous_policy": {"previous_policy"}, "predictions": {"predictions"}, "distances": {"distances"},
    }  # fmt: skip
    for need, expected in needs.items():
        for spelling in (need, f"{need}?"):
            found = inputs(spelling, **EVERYTHING)
            assert {role for role in EVERYTHING if found.by_role.get(role)} == expected, spelling


def test_an_optional_input_may_be_missing(inputs):
    found = inputs("train?", "items?", "users.age?", "predictions?", "baseline?")
    assert [source.role for source in found.all()] == ["data.test", "data.recommendations.als", "data.recommendations.bpr"]


def test_labels_are_the_needed_columns_sorted_without_duplicates_and_then_the_categories(inputs):
    found = inputs("users.group", "users.age", "items.year", "items.genres", "categories", **EVERYTHING)
    assert list(found.source("users").labels) == ["age", "group"]
    assert list(found.source("items").labels) == ["genres", "year"]
    several = EVERYTHING | {"items": {"path": "items.csv", "categories": ["year", "genres"]}}
    assert list(inputs("categories", **several).source("items").labels) == ["year", "genres"]
    assert list(inputs("items", **several).source("items").labels) == []


def test_one_file_of_predictions_applies_to_every_model_and_is_read_once(inputs):
    found = inputs("predictions", predictions="pred.csv")
    again = found.with_common_kinds()
    for each in (found, again):
        assert each.predictions["als"] is each.predictions["bpr"]
        assert [source.role for source in each.all()].count("data.predictions") == 1
    assert list(found.single("als").predictions) == ["als"]


def test_predictions_can_have_one_file_per_model(inputs):
    found = inputs("predictions", predictions={"als": "pred.csv", "bpr": "pred.csv"})
    assert [source.role for source in found.predictions.values()] == ["data.predictions.als", "data.predictions.bpr"]
    assert list(inputs("predictions?", predictions={"als": "pred.csv"}).predictions) == ["als"]


def test_predictions_belong_to_the_models_that_files_name(inputs):
    named = {"als": "pred.csv", "bpr": "pred.csv"}
    assert list(inputs("predictions", recommendations=["als.csv", "bpr.csv"], predictions=named).predictions) == ["als", "bpr"]
    with pytest.raises(DataError, match=r"data.predictions: there is no model named 'alls' — did you mean 'als'\?"):
        inputs("predictions", recommendations=["als.csv", "bpr.csv"], predictions={"alls": "pred.csv", "bpr": "pred.csv"})
    with pytest.raises(DataError, match="there are no predicted ratings of the model bpr"):
        inputs("predictions", recommendations=["als.csv", "bpr.csv"], predictions={"als": "pred.csv"})


def test_every_source_is_listed_in_the_order_of_the_config(inputs):
    needs = ("train", "items", "users", "baseline", "previous_policy", "predictions", "distances")
    roles = [source.role.removeprefix("data.") for source in inputs(*needs, **EVERYTHING).all()]
    assert roles == ["test", *needs, "recommendations.als", "recommendations.bpr"]
