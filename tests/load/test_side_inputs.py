"""Side inputs, read in every format with the needed columns."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from receval import load
from receval.evaluation.files import SourceReader
from receval.support.errors import DataError

from tests.load.conftest import look_at

USERS = pl.DataFrame({"user": [1, 2, 3], "age": [30, None, 7], "member": [True, False, None], "height": [1.5, 2.25, None]})
PEOPLE = "user,age,group\n1,30,x\n2,,y\n"
ITEMS = "item,genres,year\n10,Action|Comedy,1999\n10,Drama,\n11,,2001\n"


def as_bytes(frame: pl.DataFrame, format: str) -> bytes:
    file = io.BytesIO()
    getattr(frame, f"write_{format}")(file)
    return file.getvalue()


def rows(source: load.Source) -> list[dict[str, Any]]:
    """Return the rows of a source, without faults, under the canonical names."""
    frame = SourceReader(Path(), tolerant=False).frame(source)
    return frame.sort("row").select(list(source.scan.names)).rows(named=True)


@pytest.fixture
def look(write, tmp_path):
    """Return a function that examines one file: `look("people", "u.csv", content, labels=[…])`."""

    def look(table, name, content, **options):
        return look_at(f"data.{table}", table, write(name, content), **options)

    return look


@pytest.mark.parametrize("format", ["csv", "ndjson", "parquet", "ipc"])
def test_labels_are_text_in_every_format_and_can_be_missing(format, look):
    source = look("people", f"u.{format}", as_bytes(USERS, format), labels=["member", "age", "height"])
    assert source.labels == {"member": "label_0", "age": "label_1", "height": "label_2"}
    found = rows(source)
    assert [row["label_0"] for row in found] == ["true", "false", None]
    assert [row["label_1"] for row in found] == ["30", None, "7"]
    assert [row["label_2"] for row in found] == ["1.5", "2.25", None]


def test_parts_may_store_a_label_in_different_types(write):
    paths = [
        write("u1.parquet", as_bytes(pl.DataFrame({"user": [1], "group": [7]}), "parquet")),
        write("u2.parquet", as_bytes(pl.DataFrame({"group": ["x"], "user": [2]}), "parquet")),
    ]
    source = look_at("data.users", "people", *paths, labels=["group"])
    assert rows(source) == [{"user": 1, "label_0": "7"}, {"user": 2, "label_0": "x"}]


def test_a_label_that_later_parts_lack_is_missing_there(write):
    paths = [
        write("u1.parquet", as_bytes(pl.DataFrame({"user": [1], "group": [7]}), "parquet")),
        write("u2.parquet", as_bytes(pl.DataFrame({"user": [2]}), "parquet")),
    ]
    with pytest.raises(DataError, match=r"u2.parquet: no column 'group'; the columns are 'user'"):
        look_at("data.users", "people", *paths, labels=["group"])


def test_an_unknown_label_is_refused_with_the_columns_and_a_suggestion(look):
    with pytest.raises(DataError, match=r"no column 'gruop'; the columns are 'user', 'age', 'group'") as error:
        look("people", "u.csv", PEOPLE, labels=["gruop"])
    assert error.value.hint == "did you mean 'group'?"
    with pytest.raises(DataError) as error:
        look("people", "u.csv", PEOPLE, labels=["country"])
    assert error.value.hint == "choose one of these, or add the column"


def test_an_id_column_is_refused_as_label(look):
    with pytest.raises(DataError, match="column 'user' holds the user ids, not a property of them"):
        look("people", "u.csv", PEOPLE, labels=["user"])


def test_a_file_without_a_header_has_no_labels(look):
    assert look("people", "u.csv", "1\n2\n").columns == {"user"}
    for content in ("1\n2\n", "1,7\n2,8\n"):
        with pytest.raises(DataError, match="there is no column 'age', because the file has no header") as error:
            look("people", "u.csv", content, labels=["age"])
        assert "name the column by its position, counting from 1" in error.value.hint


def test_a_label_may_be_a_position(look):
    source = look("catalogue", "i.dat", "1::Alien (1979)::Action|Horror\n2::Big (1988)::Comedy\n", labels=["3"])
    assert (source.scan.names["item"], source.scan.names["label_0"]) == ("column_1", "column_3")
    source = look("catalogue", "i.csv", "item,year,3\n1,1979,Action\n", labels=["3"])
    assert source.scan.names["label_0"] == "3"
    source = look("catalogue", "i.csv", "item,genres\n1,Action\n", labels=["2"])
    assert source.scan.names["label_0"] == "genres"


@pytest.mark.parametrize("format", ["ndjson", "parquet"])
def test_a_label_that_is_a_list_is_refused(format, look):
    nested = pl.DataFrame({"item": [1], "genres": [["Action", "Comedy"]]})
    with pytest.raises(DataError, match=r"genres.*where text was expected") as error:
        look("catalogue", f"i.{format}", as_bytes(nested, format), labels=["genres"])
    assert "one text in which the values are separated" in error.value.hint


def test_missing_ids_beside_labels_are_faults(look):
    source = look("people", "u.csv", "user,age\n1,30\n,40\n", labels=["age"])
    with pytest.raises(DataError, match=r"line 3: no value for user \(in 1 of 2 rows\)"):
        rows(source)


def test_an_item_can_have_several_rows(look):
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
def test_without_a_header_columns_are_known_by_position(table, line, expected, look):
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


def test_late_text_among_second_items_makes_item_ids_text(look):
    many = "".join(f"10,{item},0.5\n" for item in range(3000))
    source = look("distances", "d.csv", f"item,other,distance\n{many}10,007,1\n")
    assert source.scan.kinds["other"] == "integer"
    with pytest.raises(load.ReadAgain) as found:
        rows(source)
    assert found.value.everywhere
    assert found.value.change(source).scan.kinds == {"item": "text", "other": "text", "distance": "number"}
