"""The files beside the test file and the lists: found when they are needed, in every format, with the columns that are asked for."""

from __future__ import annotations

import io
from contextlib import ExitStack

import polars as pl
import pytest
import yaml
from receval import load, load_config
from receval.engine.polars import PolarsEngine
from receval.errors import DataError
from receval.evaluation.inputs import look_at_everything

USERS = pl.DataFrame({"user": [1, 2, 3], "age": [30, None, 7], "member": [True, False, None], "height": [1.5, 2.25, None]})
ITEMS = "item,genres,year\n10,Action|Comedy,1999\n10,Drama,\n11,,2001\n"
FILES = {
    "t.csv": "user,item\n1,10\n",
    "als.csv": "user,item,score\n1,10,1\n",
    "bpr.csv": "user,item,score\n1,11,1\n",
    "train.csv": "user,item\n2,10\n",
    "items.csv": ITEMS,
    "users.csv": "user,age,group\n1,30,x\n2,,y\n",
    "base.csv": "user,item,rank\n1,10,1\n",
    "policy.csv": "item,score\n10,3\n",
    "pred.csv": "user,item,prediction\n1,10,4.5\n",
    "dist.csv": "item,other,distance\n10,11,0.5\n",
}
EVERYTHING = {"train": "train.csv", "items": {"path": "items.csv", "categories": "genres"}, "users": "users.csv", "baseline": "base.csv",
              "previous_policy": "policy.csv", "predictions": "pred.csv", "distances": "dist.csv"}  # fmt: skip
MODELS = {"als": "als.csv", "bpr": "bpr.csv"}


def written(frame: pl.DataFrame, format: str) -> bytes:
    file = io.BytesIO()
    getattr(frame, f"write_{format}")(file)
    return file.getvalue()


def rows(source: load.Source, engine=None) -> list[dict]:
    """The rows of a source, without faults, under the canonical names."""
    engine = engine or PolarsEngine()
    frame = engine.scan(source.scan)
    (counts,) = engine.collect(load.counted(frame, source)).rows(named=True)
    load.refuse(source, counts)
    columns = list(source.scan.names)
    return engine.collect(frame.sort("row").select(columns)).rows(named=True)


@pytest.fixture
def look(write, tmp_path):
    """Look at one file: `look("people", "u.csv", content, labels=[…])`."""

    def look(table, name, content, **options):
        return load.look(f"data.{table}", table, [name], [write(name, content)], **options)

    return look


@pytest.fixture
def inputs(write, tmp_path):
    """The inputs of a config with these keys of `data`, as far as `needed`."""

    def inputs(*needed, recommendations=MODELS, **data):
        for name, content in FILES.items():
            if not (tmp_path / name).exists():
                write(name, content)
        config = {"data": {"test": "t.csv", "recommendations": recommendations, **data}, "evaluation": {"metrics": ["nDCG"]}}
        loaded = load_config(write("config.yaml", yaml.safe_dump(config)))
        with ExitStack() as stack:
            return look_at_everything(loaded, frozenset(needed), stack)

    return inputs


@pytest.mark.parametrize("format", ["csv", "ndjson", "parquet", "ipc"])
def test_labels_are_text_whatever_the_format_and_may_be_missing(format, look):
    source = look("people", f"u.{format}", written(USERS, format), labels=["member", "age", "height"])
    assert source.labels == {"member": "label_0", "age": "label_1", "height": "label_2"}
    found = rows(source)
    assert [row["label_0"] for row in found] == ["true", "false", None]
    assert [row["label_1"] for row in found] == ["30", None, "7"]
    assert [row["label_2"] for row in found] == ["1.5", "2.25", None]


@pytest.mark.spark
@pytest.mark.parametrize("format", ["csv", "ndjson", "parquet", "ipc"])
def test_both_engines_read_the_same_labels(format, look, spark):
    from receval.engine.spark import SparkEngine

    source = look("people", f"u.{format}", written(USERS, format), labels=["member", "age", "height"])
    engine = SparkEngine(master=spark["master"])
    assert rows(source, engine) == rows(source)


def test_parts_may_store_a_label_in_different_types(write):
    paths = [
        write("u1.parquet", written(pl.DataFrame({"user": [1], "group": [7]}), "parquet")),
        write("u2.parquet", written(pl.DataFrame({"group": ["x"], "user": [2]}), "parquet")),
    ]
    source = load.look("data.users", "people", ["u*.parquet"], paths, labels=["group"])
    assert rows(source) == [{"user": 1, "label_0": "7"}, {"user": 2, "label_0": "x"}]


def test_a_label_that_later_parts_lack_is_missed_there(write):
    paths = [
        write("u1.parquet", written(pl.DataFrame({"user": [1], "group": [7]}), "parquet")),
        write("u2.parquet", written(pl.DataFrame({"user": [2]}), "parquet")),
    ]
    with pytest.raises(DataError, match=r"u2.parquet: no column 'group'; the columns are 'user'"):
        load.look("data.users", "people", ["u*.parquet"], paths, labels=["group"])


def test_a_label_that_is_not_there_is_refused_with_the_columns_and_the_one_that_was_meant(look):
    with pytest.raises(DataError, match=r"no column 'gruop'; the columns are 'user', 'age', 'group'") as error:
        look("people", "u.csv", FILES["users.csv"], labels=["gruop"])
    assert error.value.hint == "did you mean 'group'?"
    with pytest.raises(DataError) as error:
        look("people", "u.csv", FILES["users.csv"], labels=["country"])
    assert error.value.hint == "name one of these, or add the column to the file"


def test_a_column_of_ids_is_no_label(look):
    with pytest.raises(DataError, match="column 'user' holds the user ids and says nothing of them"):
        look("people", "u.csv", FILES["users.csv"], labels=["user"])


def test_a_file_without_a_header_has_no_labels(look):
    assert look("people", "u.csv", "1\n2\n").columns == {"user"}
    for content in ("1\n2\n", "1,7\n2,8\n"):
        with pytest.raises(DataError, match="no column is called 'age', since the file has no header") as error:
            look("people", "u.csv", content, labels=["age"])
        assert "add a first line" in error.value.hint


@pytest.mark.parametrize("format", ["ndjson", "parquet"])
def test_a_label_that_is_a_list_is_refused(format, look):
    nested = pl.DataFrame({"item": [1], "genres": [["Action", "Comedy"]]})
    with pytest.raises(DataError, match=r"genres.*where text was expected") as error:
        look("catalogue", f"i.{format}", written(nested, format), labels=["genres"])
    assert "one text in which the values are separated" in error.value.hint


def test_ids_are_still_missed_beside_labels(look):
    source = look("people", "u.csv", "user,age\n1,30\n,40\n", labels=["age"])
    with pytest.raises(DataError, match=r"line 3: no value for user \(in 1 of 2 rows\)"):
        rows(source)


def test_an_item_may_stand_in_several_rows(look):
    source = look("catalogue", "i.csv", ITEMS, labels=["genres", "year"])
    assert [(row["item"], row["label_0"]) for row in rows(source)] == [(10, "Action|Comedy"), (10, "Drama"), (11, None)]


@pytest.mark.parametrize(
    ("table", "header", "expected"),
    [
        ("predictions", "userId,movieId,est", {"user": "userId", "item": "movieId", "prediction": "est"}),
        ("predictions", "user,item,score,prediction", {"user": "user", "item": "item", "prediction": "prediction"}),
        ("predictions", "user,item,rating,score", {"user": "user", "item": "item", "prediction": "score"}),
        ("predictions", "uid,iid,Predicted_Rating", {"user": "uid", "item": "iid", "prediction": "Predicted_Rating"}),
        ("distances", "item_a,item_b,dist", {"item": "item_a", "other": "item_b", "distance": "dist"}),
        ("distances", "item1,item2,dissimilarity", {"item": "item1", "other": "item2", "distance": "dissimilarity"}),
        ("distances", "item,target_item,distance", {"item": "item", "other": "target_item", "distance": "distance"}),
        ("distances", "item,neighbour,distance", {"item": "item", "other": "neighbour", "distance": "distance"}),
        ("policy", "item_id,score", {"item": "item_id", "score": "score"}),
        ("policy", "user_id,item_id,pred", {"user": "user_id", "item": "item_id", "score": "pred"}),
    ],
)
def test_usual_names_are_recognised(table, header, expected, look):
    line = ",".join("7" for _ in header.split(","))
    assert look(table, "x.csv", f"{header}\n{line}\n").scan.names == expected


@pytest.mark.parametrize(
    ("table", "line", "expected"),
    [
        ("predictions", "1,10,4.5", ("user", "item", "prediction")),
        ("distances", "10,11,0.5", ("item", "other", "distance")),
        ("policy", "10,0.5", ("item", "score")),
        ("policy", "1,10,0.5", ("user", "item", "score")),
        ("people", "1", ("user",)),
    ],
)
def test_without_a_header_the_position_says_which_column_is_which(table, line, expected, look):
    assert tuple(look(table, "x.csv", f"{line}\n{line}\n").scan.names) == expected


@pytest.mark.parametrize(
    ("table", "line", "sentence", "hint"),
    [
        ("predictions", "1,10", "2 columns and no header, where user, item, prediction was expected", "columns: {user: 1, item: 2, …}"),
        ("distances", "1,10", "2 columns and no header, where item, other, distance was expected", "columns: {item: 1, other: 2, …}"),
        ("policy", "1", "where item, score or user, item, score was expected", "columns: {user: 1, item: 2, …}"),
        ("people", "1,2", "2 columns and no header, where user was expected", "columns: {user: 1, …}"),
    ],
)
def test_a_file_without_a_header_and_with_other_columns_is_refused(table, line, sentence, hint, look):
    with pytest.raises(DataError, match=sentence) as error:
        look(table, "x.csv", f"{line}\n{line}\n")
    assert hint in error.value.hint


@pytest.mark.parametrize(
    ("table", "header", "missing"),
    [
        ("people", "name,age", "user"),
        ("policy", "item,name", "score"),
        ("predictions", "user,item,name", "prediction"),
        ("distances", "item,distance", "other"),
        ("distances", "item,other", "distance"),
    ],
)
def test_a_required_column_that_is_missing_is_named_with_its_key(table, header, missing, look):
    with pytest.raises(DataError, match=f"no {missing} column") as error:
        look(table, "x.csv", f"{header}\n1,2,3\n")
    assert f"columns: {{{missing}: NAME}}" in error.value.hint


@pytest.mark.parametrize(("table", "column"), [("predictions", "prediction"), ("distances", "distance"), ("policy", "score")])
def test_predictions_distances_and_scores_are_finite_numbers(table, column, look):
    columns = {"predictions": "user,item,prediction", "distances": "item,other,distance", "policy": "user,item,score"}[table]
    with pytest.raises(DataError, match=rf"line 3: {column} is not a finite number \(in 1 of 2 rows\)"):
        rows(look(table, "x.csv", f"{columns}\n1,2,0.5\n1,3,inf\n"))


def test_the_second_item_of_a_pair_is_compared_as_items_are(inputs, write):
    whole = inputs("distances", distances="dist.csv")
    assert load.common_kinds(whole.all()) == {"user": "integer", "item": "integer", "other": "integer"}
    write("als.csv", "user,item,score\n1,x,1\n")
    mixed = inputs("distances", distances="dist.csv")
    kinds = load.common_kinds(mixed.all())
    assert kinds == {"user": "integer", "item": "text", "other": "text"}
    assert rows(mixed.with_kinds(kinds).distances) == [{"item": "10", "other": "11", "distance": 0.5}]
    assert load.as_text({"user": "integer", "item": "integer", "other": "integer"}, ["item"])["other"] == "text"


def test_text_among_the_second_items_makes_all_items_text(inputs, write):
    write("dist.csv", "item,other,distance\n10,x,0.5\n")
    found = inputs("distances", distances="dist.csv")
    assert load.common_kinds(found.all()) == {"user": "integer", "item": "text", "other": "text"}
    assert load.remarks(found.all()) == (
        "Item ids are compared as text, in text order where scores tie, because data.distances holds text.",
    )


def test_text_that_is_found_late_among_the_second_items_is_told_as_an_item(look):
    many = "".join(f"10,{item},0.5\n" for item in range(3000))
    source = look("distances", "d.csv", f"item,other,distance\n{many}10,007,1\n")
    assert source.scan.kinds["other"] == "integer"
    with pytest.raises(load.IdsAreText) as found:
        rows(source)
    assert found.value.columns == ("item",)


def test_only_what_is_needed_is_looked_at(inputs):
    assert [source.role for source in inputs(**EVERYTHING).all()] == ["data.test", "data.recommendations.als", "data.recommendations.bpr"]
    needs = {
        "catalogue": {"train", "items"}, "known": {"train", "items"}, "train": {"train"}, "items": {"items"}, "categories": {"items"},
        "items.year": {"items"}, "users": {"users"}, "users.age": {"users"}, "baseline": {"baseline"},
        "previous_policy": {"previous_policy"}, "predictions": {"predictions"}, "distances": {"distances"},
    }  # fmt: skip
    for need, expected in needs.items():
        for spelling in (need, f"{need}?"):
            found = inputs(spelling, **EVERYTHING)
            assert {role for role in EVERYTHING if getattr(found, role)} == expected, spelling


def test_what_is_used_where_it_is_given_may_be_missing(inputs):
    found = inputs("train?", "items?", "users.age?", "predictions?", "baseline?")
    assert [source.role for source in found.all()] == ["data.test", "data.recommendations.als", "data.recommendations.bpr"]


def test_labels_are_the_columns_that_are_needed_sorted_and_once_and_then_the_categories(inputs):
    found = inputs("users.group", "users.age", "items.year", "items.genres", "categories", **EVERYTHING)
    assert list(found.users.labels) == ["age", "group"]
    assert list(found.items.labels) == ["genres", "year"]
    several = EVERYTHING | {"items": {"path": "items.csv", "categories": ["year", "genres"]}}
    assert list(inputs("categories", **several).items.labels) == ["year", "genres"]
    assert list(inputs("items", **several).items.labels) == []


def test_one_file_of_predictions_is_that_of_every_model_and_read_once(inputs):
    found = inputs("predictions", predictions="pred.csv")
    again = found.with_kinds(load.common_kinds(found.all()))
    for each in (found, again):
        assert each.predictions["als"] is each.predictions["bpr"]
        assert [source.role for source in each.all()].count("data.predictions") == 1
    assert list(found.single("als").predictions) == ["als"]


def test_predictions_may_have_a_file_per_model(inputs):
    found = inputs("predictions", predictions={"als": "pred.csv", "bpr": "pred.csv"})
    assert [source.role for source in found.predictions.values()] == ["data.predictions.als", "data.predictions.bpr"]
    assert list(inputs("predictions?", predictions={"als": "pred.csv"}).predictions) == ["als"]


def test_predictions_are_of_models_that_the_files_named(inputs):
    named = {"als": "pred.csv", "bpr": "pred.csv"}
    assert list(inputs("predictions", recommendations=["als.csv", "bpr.csv"], predictions=named).predictions) == ["als", "bpr"]
    with pytest.raises(DataError, match=r"data.predictions: no model is called 'alls' — did you mean 'als'\?"):
        inputs("predictions", recommendations=["als.csv", "bpr.csv"], predictions={"alls": "pred.csv", "bpr": "pred.csv"})
    with pytest.raises(DataError, match="there are no predicted ratings of the model bpr"):
        inputs("predictions", recommendations=["als.csv", "bpr.csv"], predictions={"als": "pred.csv"})


def test_every_source_is_listed_in_the_order_of_the_config(inputs):
    needs = ("train", "items", "users", "baseline", "previous_policy", "predictions", "distances")
    roles = [source.role.removeprefix("data.") for source in inputs(*needs, **EVERYTHING).all()]
    assert roles == ["test", *needs, "recommendations.als", "recommendations.bpr"]
