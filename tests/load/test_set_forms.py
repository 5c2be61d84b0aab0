"""One random world in every form of file that a config has to describe: its values are those of plain long files."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
import yaml
from receval import Result, load, load_config, run
from receval.errors import DataError
from receval.load.opening import open_rows

from tests.load.conftest import look_at

METRICS = ["MRR@3", "nDCG(gain=linear)@3", "Recall@5"]


class World(NamedTuple):
    """Lists of a user, best first with scores, and test rows with ratings; lists have one to five items."""

    lists: dict[Any, list[tuple[Any, float]]]
    test: list[tuple[Any, Any, int]]

    @property
    def rows(self) -> list[tuple[Any, Any, float]]:
        return [(user, item, score) for user, held in self.lists.items() for item, score in held]

    @property
    def width(self) -> int:
        return max(map(len, self.lists.values()))


def world_of(seed: int, texts: bool = False) -> World:
    """Draw a world; ids are integers, or texts with zeros in front."""
    chance = random.Random(seed)
    name = (lambda number: f"{number:03}x") if texts else (lambda number: number)
    items = [*range(7, 25)]
    lists = {}
    for user in range(1, 9):
        chosen = chance.sample(items, chance.randint(1, 5))
        lists[name(user)] = [(name(item), round(9 - place + chance.random() / 2, 3)) for place, item in enumerate(chosen)]
    test = [(name(user), name(item), chance.randint(0, 3)) for user in range(1, 9) for item in chance.sample(items, 6)]
    return World(lists, test)


def csv(head: str, rows: Any, separator: str = ",") -> str:
    return (f"{head}\n" if head else "") + "".join(separator.join(map(str, row)) + "\n" for row in rows)


def parquet(rows: Any, schema: Any = None) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(file)
    return file.getvalue()


def ndjson(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def wide(world: World, filler: Any = "") -> list[list[Any]]:
    """Return the user, the items and the scores of each list, filled up to one length."""
    rows = []
    for user, held in world.lists.items():
        gap = [filler] * (world.width - len(held))
        rows.append([user, *(item for item, _ in held), *gap, *(score for _, score in held), *([0 if filler == -1 else filler] * len(gap))])
    return rows


def wide_head(world: World) -> str:
    places = range(1, world.width + 1)
    return ",".join(("user", *(f"rec_{place}" for place in places), *(f"s_{place}" for place in places)))


def names(world: World, prefix: str) -> list[str]:
    return [f"{prefix}_{place}" for place in range(1, world.width + 1)]


def wide_records(world: World) -> list[dict[str, Any]]:
    head = wide_head(world).split(",")
    return [dict(zip(head, row, strict=True)) for row in wide(world, None)]


def nested(world: World) -> list[dict[str, Any]]:
    return [
        {"input": {"userId": user}, "output": {"items": [item for item, _ in held], "scores": [score for _, score in held]}, "error": None}
        for user, held in world.lists.items()
    ]


def objects(world: World) -> list[dict[str, Any]]:
    made = [(user, [{"item_id": item, "value": score} for item, score in held]) for user, held in world.lists.items()]
    return [{"in": {"who": {"id": user}}, "out": {"recs": recs}} for user, recs in made]


PATHS = {"user": "input.userId", "item": "output.items", "score": "output.scores"}
OBJECTS = {"user": "in.who.id", "item": "out.recs.item_id", "score": "out.recs.value"}
INTEGERS = {"user": {"column": "user", "as": "integer"}, "item": {"column": "item", "as": "integer"}}


def cells(world: World, separator: str, filler: str = "") -> list[list[Any]]:
    rows = []
    for user, held in world.lists.items():
        items = [str(item) for item, _ in held] + [filler] * (world.width - len(held) if filler else 0)
        rows.append([user, separator.join(items)])
    return rows


def in_order(world: World) -> list[list[Any]]:
    return [[user, *(item for item, _ in held)] for user, held in world.lists.items()]


Form = tuple[str, Callable[[World], str | bytes], Callable[[World], dict[str, Any]]]
"""Name of a file, its content, and the keys that read it."""
LISTS: dict[str, Form] = {
    "columns side by side": ("l.csv", lambda w: csv(wide_head(w), wide(w)), lambda w: {"columns": {"item": names(w, "rec")}}),
    "a name with *": ("l.csv", lambda w: csv(wide_head(w), wide(w)), lambda w: {"columns": {"item": "rec_*"}}),
    "with scores": ("l.csv", lambda w: csv(wide_head(w), wide(w)), lambda w: {"columns": {"item": "rec_*", "score": names(w, "s")}}),
    "with * for scores": (
        "l.tsv",
        lambda w: csv(wide_head(w).replace(",", "\t"), wide(w), "\t"),
        lambda w: {"columns": {"item": "rec_*", "score": "s_*"}},
    ),
    "by position": (
        "l.csv",
        lambda w: csv("", wide(w)),
        lambda w: {
            "header": False,
            "columns": {"user": 1, "item": [*range(2, w.width + 2)], "score": [*range(w.width + 2, 2 * w.width + 2)]},
        },
    ),
    "two characters": (
        "l.txt",
        lambda w: csv(wide_head(w).replace(",", "::"), wide(w), "::"),
        lambda w: {"separator": "::", "columns": {"item": "rec_*", "score": "s_*"}},
    ),
    "side by side in Parquet": ("l.parquet", lambda w: parquet(wide_records(w)), lambda w: {"columns": {"item": "rec_*", "score": "s_*"}}),
    "side by side in NDJSON": ("l.ndjson", lambda w: ndjson(wide_records(w)), lambda w: {"columns": {"item": "rec_*", "score": "s_*"}}),
    "side by side in JSON": (
        "l.json",
        lambda w: json.dumps(wide_records(w)),
        lambda w: {"columns": {"item": names(w, "rec"), "score": "s_*"}},
    ),
    "padding in columns": (
        "l.csv",
        lambda w: csv(wide_head(w), wide(w, -1)),
        lambda w: {"columns": {"item": "rec_*", "score": "s_*"}, "padding": -1},
    ),
    "padding in cells": ("l.csv", lambda w: csv("user,item", cells(w, " ", "PAD")), lambda w: {"split": " ", "padding": ["PAD", -1]}),
    "padding in lists": (
        "l.parquet",
        lambda w: parquet(
            [(user, ([str(item) for item, _ in held] + ["-1"] * 5)[:5]) for user, held in w.lists.items()], ["user", "items"]
        ),
        lambda w: {"padding": -1},
    ),
    "padding in JSON": (
        "l.ndjson",
        lambda w: ndjson({"user": user, "items": ([item for item, _ in held] + [-1] * 5)[:5]} for user, held in w.lists.items()),
        lambda w: {"padding": -1},
    ),
    "padding in rows": (
        "l.csv",
        lambda w: csv("user,item,score", [*w.rows[:3], (w.rows[2][0], -1, 99), *w.rows[3:]]),
        lambda w: {"padding": -1},
    ),
    "less is better": (
        "l.csv",
        lambda w: csv("user,item,distance", [(u, i, -s) for u, i, s in w.rows]),
        lambda w: {"columns": {"score": {"column": "distance", "order": "ascending"}}},
    ),
    "less is better in Parquet": (
        "l.parquet",
        lambda w: parquet([(u, i, 100 - s) for u, i, s in w.rows], ["user", "item", "distance"]),
        lambda w: {"columns": {"score": {"column": "distance", "order": "ascending"}}},
    ),
    "less is better in lists": (
        "l.ndjson",
        lambda w: ndjson({"user": u, "items": [i for i, _ in held], "d": [-s for _, s in held]} for u, held in w.lists.items()),
        lambda w: {"columns": {"score": {"column": "d", "order": "ascending"}}},
    ),
    "more is better": (
        "l.csv",
        lambda w: csv("user,item,points", w.rows),
        lambda w: {"columns": {"score": {"column": "points", "order": "descending"}}},
    ),
    "nested objects": ("l.jsonl", lambda w: ndjson(nested(w)), lambda w: {"columns": PATHS}),
    "nested structs": ("l.parquet", lambda w: parquet(nested(w)), lambda w: {"columns": PATHS}),
    "lists of objects below an object": ("l.jsonl", lambda w: ndjson(objects(w)), lambda w: {"columns": OBJECTS}),
    "lists of structs below a struct": ("l.parquet", lambda w: parquet(objects(w)), lambda w: {"columns": OBJECTS}),
    "records of a document": ("l.json", lambda w: json.dumps(objects(w)), lambda w: {"columns": OBJECTS}),
    "ragged with spaces": ("l.txt", lambda w: csv("", in_order(w), " "), lambda w: {"format": "ragged"}),
    "ragged with commas": ("l.csv", lambda w: csv("", in_order(w)), lambda w: {"format": "ragged"}),
    "ragged with tabs": ("l.tsv", lambda w: csv("", in_order(w), "\t"), lambda w: {"format": "ragged", "separator": "\t"}),
    "ragged with a header": (
        "l.csv",
        lambda w: csv("user,items,and,so,on", in_order(w), ", "),
        lambda w: {"format": "ragged", "header": True},
    ),
    "ragged and filled up": (
        "l.csv",
        lambda w: csv("", [[*row, -1, ""] for row in in_order(w)]),
        lambda w: {"format": "ragged", "padding": -1},
    ),
    "a colon": (
        "l.txt",
        lambda w: csv("", [(f"{u} ", f" {held}") for u, held in cells(w, ", ")], ":"),
        lambda w: {"separator": ":", "split": ", ", "header": False},
    ),
    "a colon without spaces": ("l.txt", lambda w: csv("", cells(w, ","), ":"), lambda w: {"separator": ":", "split": ",", "header": False}),
    "the index of pandas": (
        "l.csv",
        lambda w: csv(",0,1,2", [(place, *row) for place, row in enumerate(w.rows)]),
        lambda w: {"header": True, "columns": {"user": 2, "item": 3, "score": 4}},
    ),
    "a model column": (
        "l.csv",
        lambda w: csv("Algorithm,user,item,score", [("m", *row) for row in w.rows]),
        lambda w: {"columns": {"model": "Algorithm"}},
    ),
}
FLOATS: dict[str, Form] = {
    "whole numbers with a point": (
        "l.csv",
        lambda w: csv("user,item,score", [(f"{u}.0", f"{i}.0", s) for u, i, s in w.rows]),
        lambda w: {"columns": INTEGERS},
    ),
    "in Parquet": (
        "l.parquet",
        lambda w: parquet([(float(u), float(i), s) for u, i, s in w.rows], ["user", "item", "score"]),
        lambda w: {"columns": INTEGERS},
    ),
    "in lists of Parquet": (
        "l.parquet",
        lambda w: parquet([(float(u), [float(i) for i, _ in held]) for u, held in w.lists.items()], ["user", "item"]),
        lambda w: {"columns": INTEGERS},
    ),
    "in NDJSON": (
        "l.ndjson",
        lambda w: ndjson({"user": u, "item": float(i), "score": s} for u, i, s in w.rows),
        lambda w: {"columns": INTEGERS},
    ),
    "in cells": (
        "l.csv",
        lambda w: csv("user,item", [(u, " ".join(f"{i}.0" for i, _ in held)) for u, held in w.lists.items()]),
        lambda w: {"columns": INTEGERS, "split": " "},
    ),
    "in brackets": (
        "l.csv",
        lambda w: csv("user;item", [(u, f"[{', '.join(f'{i}.0' for i, _ in held)}]") for u, held in w.lists.items()], ";"),
        lambda w: {"columns": INTEGERS},
    ),
    "side by side": (
        "l.csv",
        lambda w: csv(wide_head(w), [[row[0], *(one if one == "" else float(one) for one in row[1:])] for row in wide(w)]),
        lambda w: {"columns": {"item": {"column": "rec_*", "as": "integer"}, "score": "s_*"}},
    ),
    "side by side in Parquet": (
        "l.parquet",
        lambda w: parquet(pl.DataFrame(wide_records(w)).with_columns(pl.col("^rec_[2-9]$").cast(pl.Float64))),
        lambda w: {"columns": {"item": {"column": "rec_*", "as": "integer"}, "score": "s_*"}},
    ),
    "ragged": (
        "l.txt",
        lambda w: csv("", [map(float, row) for row in in_order(w)], " "),
        lambda w: {"format": "ragged", "columns": INTEGERS},
    ),
}
TESTS: dict[str, Form] = {
    "labels in cells": (
        "t.csv",
        lambda w: csv("user,items", [(user, " ".join(f"{i}-{r}" for u, i, r in w.test if u == user)) for user in w.lists]),
        lambda w: {"split": " ", "label_separator": "-"},
    ),
    "labels in lists": (
        "t.ndjson",
        lambda w: ndjson({"user": user, "items": [f"{i}-{r}" for u, i, r in w.test if u == user]} for user in w.lists),
        lambda w: {"label_separator": "-"},
    ),
    "labels in Parquet": (
        "t.parquet",
        lambda w: parquet([(user, [f"{i}:{r}.0" for u, i, r in w.test if u == user]) for user in w.lists], ["user", "item"]),
        lambda w: {"label_separator": ":"},
    ),
    "labels in rows": ("t.csv", lambda w: csv("user,item", [(u, f"{i}_{r}") for u, i, r in w.test]), lambda w: {"label_separator": "_"}),
    "paths": (
        "t.ndjson",
        lambda w: ndjson({"a": {"u": u}, "b": {"i": i, "r": r}} for u, i, r in w.test),
        lambda w: {"columns": {"user": "a.u", "item": "b.i", "rating": "b.r"}},
    ),
}


def evaluated(folder: Path, lists: Any, test: Any, engine: Any = "polars") -> Result:
    recommendations = lists if "model" in lists.get("columns", {}) else {"m": lists}
    data = {"test": test, "recommendations": recommendations}
    config = {"data": data, "evaluation": {"metrics": METRICS}, "health": "off", "engine": engine}
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config))
    return run(load_config(path))


def values(result: Result) -> Any:
    """Return everything that a result has but for its inputs and config."""
    users = {model: frame.with_columns(pl.col("user").cast(pl.String)).sort("user") for model, frame in result.per_user.items()}
    return [(row.label, row.model, row.value) for row in result.rows], {model: frame.rows() for model, frame in users.items()}


def compare(folder: Path, world: World, *, lists: Form | None = None, test: Form | None = None, engine: Any = "polars") -> Result:
    """Evaluate a world with a file in another form, and check that nothing differs from plain long files."""
    (folder / "long.csv").write_text(csv("user,item,score", world.rows))
    (folder / "test.csv").write_text(csv("user,item,rating", world.test))
    sources: list[Any] = [{"path": "long.csv"}, {"path": "test.csv"}]
    plain = evaluated(folder, *sources)
    for place, form in enumerate((lists, test)):
        if form is not None:
            name, content, keys = form
            made = content(world)
            (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())
            sources[place] = {"path": name, **keys(world)}
    result = evaluated(folder, *sources, engine)
    assert values(result) == values(plain)
    assert result.counts == plain.counts
    return result


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("name", LISTS)
def test_lists_in_any_form_have_the_values_of_long_ones(name, texts, seed, tmp_path):
    compare(tmp_path, world_of(seed, texts), lists=LISTS[name])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FLOATS)
def test_whole_numbers_with_a_point_are_the_integers(name, seed, tmp_path):
    result = compare(tmp_path, world_of(seed), lists=FLOATS[name])
    (of_lists,) = [source for source in result.inputs if source.role == "data.recommendations.m"]
    if name in ("in NDJSON", "in brackets"):  # in JSON, Polars reads the numbers 5.0 and 5 as the same text
        return
    assert of_lists.user_as_integer + of_lists.item_as_integer > 0
    assert any("are whole numbers written with a point (318.0)" in remark for remark in result.remarks)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("name", TESTS)
def test_test_files_in_any_form_have_the_values_of_long_ones(name, texts, seed, tmp_path):
    compare(tmp_path, world_of(seed, texts), test=TESTS[name])


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["with scores", "side by side in Parquet", "nested objects", "ragged with spaces", "padding in rows", "less is better"]
)
def test_spark_reads_the_same(name, spark_session, tmp_path):
    compare(tmp_path, world_of(1), lists=LISTS[name], engine="spark")


def source_of(folder: Path, name: str, content: str | bytes, table: str = "lists", **options: Any) -> load.Source:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load.with_conversions(look_at("data.recommendations.m", table, path, **options))


def test_what_is_padding_is_counted_and_said(tmp_path):
    source = source_of(tmp_path, "l.csv", "user,rec_1,rec_2\n1,5,\n2,-1,7\n", columns={"item": "rec_*"}, padding=("-1",))
    assert source.converted == {"padding": 2}
    assert source.scan.doubts == ("data.recommendations.m: 2 of 4 items only fill lists up (empty or -1) and are left out.",)
    assert open_rows(source.scan).select("user", "item").collect().rows() == [(1, 5), (2, 7)]


def test_the_other_sign_of_scores_is_said(tmp_path):
    options = {"columns": {"score": "distance"}, "ascending": frozenset({"score"})}
    source = source_of(tmp_path, "l.csv", "user,item,distance\n1,5,0.25\n", **options)
    (said,) = source.scan.doubts
    assert said == (
        "data.recommendations.m: less is better in column 'distance' (order: ascending), so its numbers are read with the other sign."
    )
    assert open_rows(source.scan).select("score").collect().rows() == [(-0.25,)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.csv", "user,item\n1,318.0\n2,318.5\n"),
        ("l.ndjson", '{"user": 1, "item": 318}\n{"user": 2, "item": 318.5}\n'),
        ("l.csv", "user,item\n1,7\n2,x318\n"),
        ("l.ndjson", '{"user": 1, "item": 318}\n{"user": 2, "item": true}\n'),
    ],
)
def test_what_is_no_whole_number_is_refused_with_its_line(name, content, tmp_path):
    with pytest.raises(DataError, match=r"line [23]: .* is no whole number, and columns.item is read as integers"):
        source_of(tmp_path, name, content, integers=frozenset({"item"}))


def test_a_fraction_in_any_part_of_a_source_is_refused(tmp_path):
    for number, item in enumerate((3.0, 3.5)):
        (tmp_path / f"{number}.parquet").write_bytes(parquet([(1, item)], ["user", "item"]))
    with pytest.raises(DataError, match=r"1.parquet, row 1: '3.5' is no whole number"):
        load.with_conversions(look_at("l", "lists", tmp_path / "0.parquet", tmp_path / "1.parquet", integers=frozenset({"item"})))


@pytest.mark.parametrize(("cell", "shown"), [("n7", "n7"), ("n7-x", "n7-x"), ("-1", "-1"), ("n7-nan", "n7-nan"), ("n7-", "n7-")])
def test_an_item_without_a_number_as_label_is_refused_with_its_line(cell, shown, tmp_path):
    content = f"user,item\n1,n7-0 n8-1\n2,n1-1 {cell}\n"
    with pytest.raises(DataError, match=rf"t.csv, line 3: '{shown}' is no item with a number behind '-'"):
        source_of(tmp_path, "t.csv", content, "interactions", split=" ", label_separator="-")


def test_the_last_separator_is_that_of_the_label(tmp_path):
    source = source_of(tmp_path, "t.csv", "user,item\n1,n-7-0 n-9-1.5\n", "interactions", split=" ", label_separator="-")
    assert open_rows(source.scan).select("user", "item", "rating").collect().rows() == [(1, "n-7", 0), (1, "n-9", 1.5)]


def test_columns_side_by_side_are_of_one_length(tmp_path):
    with pytest.raises(DataError, match=r"2 columns 'rec_\*', but 1 columns 's_\*'"):
        source_of(tmp_path, "l.csv", "user,rec_1,rec_2,s_1\n1,5,6,1\n", columns={"item": "rec_*", "score": "s_*"})


def test_a_column_of_the_very_name_wins(tmp_path):
    source = source_of(tmp_path, "l.csv", "user,rec_*,rec_1\n1,5,6\n", columns={"item": "rec_*"})
    assert open_rows(source.scan).select("item").collect().rows() == [(5,)]
    dotted = source_of(tmp_path, "d.ndjson", '{"user": 1, "a.b": 5, "a": {"b": 6}}\n', columns={"item": "a.b"})
    assert open_rows(dotted.scan).select("item").collect().rows() == [(5,)]


def test_numbers_in_names_are_ordered_as_numbers(tmp_path):
    head, row = (",".join(f"{start}{number}" for number in (10, 2, 1)) for start in ("rec", "9"))
    source = source_of(tmp_path, "l.csv", f"user,{head}\n1,{row}\n", columns={"item": "rec*"})
    assert open_rows(source.scan).select("item").collect().rows() == [(91,), (92,), (910,)]


@pytest.mark.parametrize("item", [["rec_1", "rec_9"], "top_*"])
def test_columns_that_are_not_there_are_refused(item, tmp_path):
    with pytest.raises(DataError, match=r"no column"):
        source_of(tmp_path, "l.csv", "user,rec_1,rec_2\n1,5,6\n", columns={"item": tuple(item) if isinstance(item, list) else item})


def test_a_path_that_leads_nowhere_is_refused_with_the_columns(tmp_path):
    with pytest.raises(DataError, match=r"no column 'output.item'; the columns are"):
        source_of(tmp_path, "l.ndjson", '{"user": 1, "output": {"items": [5]}}\n', columns={"item": "output.item"})


def test_a_key_that_is_given_twice_inside_of_an_object_is_refused(tmp_path):
    with pytest.raises(DataError, match="line 1: the key 'items' is given twice"):
        source_of(tmp_path, "l.ndjson", '{"user": 1, "output": {"items": [5], "items": [6]}}\n', columns={"item": "output.items"})


def test_fractions_side_by_side_are_no_ids_without_as(tmp_path):
    rows = pl.DataFrame({"user": [1, 2], "rec_1": [5, 6], "rec_2": [7.0, None]})
    with pytest.raises(DataError, match="'rec_2' is of type Float64 and cannot be an id") as refused:
        source_of(tmp_path, "l.parquet", parquet(rows), columns={"item": "rec_*"})
    assert "as: integer" in str(refused.value)


@pytest.mark.parametrize("words", [("True", "False"), ("true", "FALSE"), ("yes", "no")])
def test_ratings_in_words_are_one_and_zero(words, tmp_path):
    yes, no = words
    forms = {"t.csv": f"user,item,rating\n1,5,{yes}\n1,6,{no}\n1,7,\n", "t.txt": f"user::item::rating\n1::5::{yes}\n1::6::{no}\n1::7::\n"}
    forms["t.ndjson"] = (
        "".join(f'{{"user": 1, "item": {item}, "rating": "{word}"}}\n' for item, word in ((5, yes), (6, no))) + '{"user": 1, "item": 7}\n'
    )
    for name, content in forms.items():
        source = source_of(tmp_path, name, content, "interactions")
        assert open_rows(source.scan).select("rating").collect().to_series().to_list() == [1, 0, None]


def test_ratings_in_json_can_be_booleans(tmp_path):
    source = source_of(
        tmp_path, "t.ndjson", '{"user": 1, "item": 5, "rating": true}\n{"user": 1, "item": 6, "rating": false}\n', "interactions"
    )
    assert open_rows(source.scan).select("rating").collect().to_series().to_list() == [1, 0]


def test_a_column_that_is_null_is_not_there(tmp_path):
    source = source_of(tmp_path, "t.csv", "user,item,rating\n1,5,0\n", "interactions", absent=frozenset({"rating"}))
    assert source.columns == {"user", "item"}
    bare = source_of(tmp_path, "t.tsv", "1\t5\t0\n", "interactions", header=False, absent=frozenset({"rating"}))
    assert bare.columns == {"user", "item"}


def test_plain_files_are_read_with_the_same_plan(tmp_path):
    source = source_of(tmp_path, "l.csv", "user,item,score\n1,5,0.5\n")
    assert not source.scan.is_converted
    assert source.converted == {}
    assert source.scan.doubts == ()


MODELS = "Algorithm,user,item,score\nb,1,10,3\na=1,1,99,2\nb,2,12,1\na=1,2,12,5\n"


def test_a_column_of_models_gives_a_model_per_value_in_any_order_of_rows(write, tmp_path):
    found = []
    for lines in (MODELS.splitlines(), [MODELS.splitlines()[0], *MODELS.splitlines()[:0:-1]]):
        write("all.csv", "\n".join(lines) + "\n")
        write("t.csv", "user,item\n1,10\n2,12\n")
        result = evaluated(tmp_path, {"path": "all.csv", "columns": {"model": "Algorithm"}}, "t.csv")
        found.append(values(result))
        assert [source.role for source in result.inputs] == ["data.test", "data.recommendations.a=1", "data.recommendations.b"]
        assert "data.recommendations: each value of column 'Algorithm' is a model." in result.remarks
    assert found[0] == found[1]
    assert {model: value for label, model, value in found[0][0] if label == "MRR@3"} == {"a=1": 0.5, "b": 1}


def test_rows_without_a_model_are_refused_or_left_out(write, tmp_path):
    write("all.csv", f"{MODELS},2,7,1\n")
    write("t.csv", "user,item\n1,10\n2,12\n")
    lists = {"path": "all.csv", "columns": {"model": 1}}
    with pytest.raises(DataError, match="1 rows have no name of a model in column '1'"):
        evaluated(tmp_path, lists, "t.csv")
    result = evaluated(tmp_path, {**lists, "where": "not Algorithm is null"}, "t.csv")
    assert {row.model for row in result.rows} == {"a=1", "b"}


def test_models_that_differ_only_in_case_are_refused(write, tmp_path):
    write("all.csv", f"{MODELS}B,2,7,1\n")
    write("t.csv", "user,item\n1,10\n2,12\n")
    with pytest.raises(DataError, match="two models in column 'Algorithm' have names that differ only in case"):
        evaluated(tmp_path, {"path": "all.csv", "columns": {"model": "Algorithm"}}, "t.csv")
