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
from receval import Result, load_config, run

from tests.sizes import each_once

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
        lambda w: csv(wide_head(w), [[row[0], *(cell if cell == "" else float(cell) for cell in row[1:])] for row in wide(w)]),
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


@pytest.mark.parametrize(("name", "texts", "seed"), each_once(LISTS, [False, True], range(3)))
def test_lists_in_any_form_have_the_values_of_long_ones(name, texts, seed, tmp_path):
    compare(tmp_path, world_of(seed, texts), lists=LISTS[name])


@pytest.mark.each_once
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FLOATS)
def test_whole_numbers_with_a_point_are_the_integers(name, seed, tmp_path):
    result = compare(tmp_path, world_of(seed), lists=FLOATS[name])
    (of_lists,) = [source for source in result.inputs if source.role == "data.recommendations.m"]
    if name in ("in NDJSON", "in brackets"):  # in JSON, Polars reads the numbers 5.0 and 5 as the same text
        return
    assert of_lists.user_as_integer + of_lists.item_as_integer > 0
    assert any("are whole numbers written with a point (318.0)" in remark for remark in result.remarks)


@pytest.mark.parametrize(("name", "texts", "seed"), each_once(TESTS, [False, True], range(3)))
def test_test_files_in_any_form_have_the_values_of_long_ones(name, texts, seed, tmp_path):
    compare(tmp_path, world_of(seed, texts), test=TESTS[name])


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["with scores", "side by side in Parquet", "nested objects", "ragged with spaces", "padding in rows", "less is better"]
)
def test_spark_reads_the_same(name, spark_session, tmp_path):
    compare(tmp_path, world_of(1), lists=LISTS[name], engine="spark")
