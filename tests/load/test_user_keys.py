"""Users whose id is several columns: the same values as with one column of the joined text, in every format, and no two with one id."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import receval
from hypothesis import given
from hypothesis import strategies as st
from receval import load
from receval.load.opening import open_rows
from receval.support.errors import ConfigError, DataError

KEY = ["session", "step"]
CHANCE = random.Random(4)
TEST = pl.DataFrame(
    [
        (f"s{n % 7}", n // 7, item, CHANCE.randint(1, 5), n % 4)
        for n in range(20)
        for item in CHANCE.sample(range(12), CHANCE.randint(1, 4))
    ],
    schema=["session", "step", "item", "rating", "buyer"],
    orient="row",
)
TRAIN = TEST.with_columns(item=pl.col("item") + 3)
LISTS = pl.DataFrame(
    [(f"s{n % 7}", n // 7, item, rank) for n in range(20) for rank, item in enumerate(CHANCE.sample(range(12), 5), 1)],
    schema=["session", "step", "item", "rank"],
    orient="row",
)
MEASURES: dict[str, Any] = {"metrics": ["nDCG@5", "Recall@3", "ARP@3"], "relevance": 3}


def joined(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.concat_str("session", pl.col("step").cast(pl.String), separator="|").alias("user"), pl.exclude(*KEY))


def ids(rows: Any, columns: Any = KEY, **options: Any) -> list[Any]:
    source = load.look_at_frame(
        "data.test", "interactions", rows, load.ReadOptions(columns=load.flat_columns({"user": columns}), **options)
    )
    return open_rows(source.scan).collect()["user"].to_list()


def write(frame: pl.DataFrame, path: Any, form: str) -> Any:
    if form == "frame":
        return frame
    if form == "pandas":
        return frame.to_pandas()
    if form == "records":
        return frame.to_dicts()
    if form == "parts":
        folder = path.with_suffix("")
        folder.mkdir()
        frame.head(6).write_parquet(folder / "1.parquet")
        frame.slice(6).cast({"step": pl.Int16}).write_parquet(folder / "2.parquet")
        return str(folder)
    if form == "paths":
        folder = path.with_suffix("")
        for (session,), rows in frame.group_by("session", maintain_order=True):
            (folder / f"session={session}").mkdir(parents=True)
            rows.drop("session").write_csv(folder / f"session={session}" / "rows.csv")
        return str(folder)
    file = path.with_suffix(f".{form}")
    if form in ("csv", "tsv"):
        frame.write_csv(file, separator="\t" if form == "tsv" else ",")
    elif form == "dat":
        lines = ("::".join(map(str, row)) for row in (frame.columns, *frame.rows()))
        file.write_text("\n".join(lines) + "\n")
    elif form == "json":
        file.write_text(json.dumps(frame.to_dicts()))
    else:
        getattr(frame, {"parquet": "write_parquet", "ndjson": "write_ndjson", "arrow": "write_ipc"}[form])(file)
    return str(file)


EXPECTED = receval.evaluate(test=joined(TEST), train=joined(TRAIN), recommendations={"m": joined(LISTS)}, **MEASURES)


@pytest.mark.parametrize(
    "form", ["csv", "tsv", "dat", "parquet", "ndjson", "json", "arrow", "parts", "paths", "frame", "pandas", "records"]
)
def test_the_values_are_those_of_one_column_with_the_joined_text(form, tmp_path):
    files = {role: write(frame, tmp_path / role, form) for role, frame in (("test", TEST), ("train", TRAIN), ("lists", LISTS))}
    result = receval.evaluate(
        test=files["test"], train=files["train"], recommendations={"m": files["lists"]}, columns={"user": KEY}, **MEASURES
    )
    assert result.to_polars().equals(EXPECTED.to_polars(), null_equal=True)
    assert result.truths == EXPECTED.truths
    assert result.per_user["m"].equals(EXPECTED.per_user["m"])


@given(st.lists(st.tuples(*[st.text(alphabet="a|\\ é", min_size=1, max_size=4)] * 3), unique=True, min_size=1))
def test_different_values_never_have_the_same_id(values):
    frame = pl.DataFrame(values, schema=["a", "b", "c"], orient="row").with_columns(item=pl.lit(1))
    found = ids(frame, ["a", "b", "c"])
    assert len(set(found)) == len(values)
    assert [key.replace("\\\\", "\0").replace("\\|", "\1").count("|") for key in found] == [2] * len(values)


def test_an_id_is_the_texts_with_bars_between_them_which_are_escaped_in_the_texts():
    frame = pl.DataFrame({"a": ["x", "a|b", "a", "\\"], "b": ["12", "c", "b|c", "|"], "item": [1, 2, 3, 4]})
    assert ids(frame, ["a", "b"]) == ["x|12", "a\\|b|c", "a|b\\|c", "\\\\|\\|"]
    assert ids(frame, ["b", "a"])[0] == "12|x"


@pytest.mark.each_once
@pytest.mark.parametrize("missing", [None, ""])
@pytest.mark.parametrize("column", KEY)
def test_a_row_that_lacks_a_value_in_one_of_the_columns_has_no_user(column, missing, tmp_path):
    texts = TEST.with_columns(pl.col("step").cast(pl.String))
    rows = texts.with_columns(pl.when(pl.int_range(pl.len()) != 4).then(column).otherwise(pl.lit(missing)))
    arguments = {"recommendations": {"m": LISTS}, "columns": {"user": KEY}, "metrics": ["Recall@3"]}
    with pytest.raises(DataError, match=rf"row 5: no value for user \(in 1 of {len(TEST)} rows\)"):
        receval.evaluate(test=rows, **arguments)
    rows.write_csv(tmp_path / "test.csv")
    with pytest.raises(DataError, match=rf"line 6: no value for user \(in 1 of {len(TEST)} rows\)"):
        receval.evaluate(test=str(tmp_path / "test.csv"), **arguments)
    left = receval.evaluate(test=rows, policy={"missing_values": "drop"}, **arguments)
    whole = receval.evaluate(test=rows.filter(pl.int_range(pl.len()) != 4), **arguments)
    assert left.rows[0].value == whole.rows[0].value


def test_words_for_missing_values_apply_to_each_of_the_columns():
    frame = pl.DataFrame({"session": ["a", "-", "b"], "step": ["1", "2", "-"], "item": [1, 2, 3]})
    assert ids(frame, nulls=("-",)) == ["a|1", None, None]


@pytest.mark.parametrize(
    ("columns", "problem", "hint"),
    [
        (["session", "stap"], "no column 'stap'; the columns are 'session', 'step', 'item', 'rating', 'buyer'", "did you mean 'step'?"),
        ([1, 9], "there is no column 9, only 5", "columns.user counts from 1"),
        (["session", "item"], "column 'item' is part of the user id and has another role", ""),
    ],
)
def test_a_column_of_the_key_that_cannot_be_used_is_named(columns, problem, hint):
    with pytest.raises(DataError) as caught:
        receval.evaluate(test={"frame": TEST, "columns": {"user": columns}}, recommendations={"m": {"s0|0": [1]}}, metrics=["MRR@3"])
    assert problem in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize("columns", [["session"], [], ["session", "session"]])
def test_fewer_than_two_different_columns_are_no_key(columns):
    with pytest.raises(ConfigError, match=r"the columns that name a user together must be two or more different ones"):
        receval.evaluate(test=TEST, recommendations={"m": LISTS}, columns={"user": columns}, metrics=["MRR@3"])


def test_a_value_that_cannot_be_an_id_is_refused_in_each_of_the_columns(tmp_path):
    arguments = {"recommendations": {"m": LISTS}, "columns": {"user": KEY}, "metrics": ["Recall@3"]}
    with pytest.raises(DataError, match=r"0\.25 in column 'step' cannot be an id"):
        receval.evaluate(test=TEST.with_columns(step=pl.col("step") / 4), **arguments)
    TEST.with_columns(step=pl.col("step") / 4).write_parquet(tmp_path / "test.parquet")
    with pytest.raises(DataError, match="column 'step' is of type Float64 and cannot be an id"):
        receval.evaluate(test=str(tmp_path / "test.parquet"), **arguments)
    (tmp_path / "test.ndjson").write_text('{"session": "s1", "step": 1, "item": 3}\n{"session": "s1", "step": 1.5, "item": 3}\n')
    with pytest.raises(DataError, match=r"line 2: 1\.5 cannot be an id"):
        receval.evaluate(test=str(tmp_path / "test.ndjson"), **arguments)


def test_numbers_of_pandas_with_missing_values_are_whole_numbers_in_an_id():
    rows = pd.DataFrame({"session": ["a", "b", "c"], "step": [1, None, 3], "item": [1, 2, 3]})
    config: Mapping[str, Any] = {"metrics": ["HitRate@1"], "policy": {"missing_values": "drop"}, "columns": {"test": {"user": KEY}}}
    assert receval.evaluate(test=rows, recommendations={"m": {"a|1": [1], "c|3": [3]}}, **config).rows[0].value == 1.0


def test_columns_of_all_files_apply_to_files_that_have_one_of_them_and_a_file_may_differ(tmp_path):
    items = pl.DataFrame({"item": range(15), "step": range(15)})
    arguments: dict[str, Any] = {"test": TEST, "items": items, "metrics": ["ItemCoverage@3"]}
    shared = receval.evaluate(recommendations={"m": LISTS}, columns={"user": KEY}, **arguments)
    own = receval.evaluate(recommendations={"m": joined(LISTS)}, columns={"user": KEY, "recommendations": {"user": "user"}}, **arguments)
    assert shared.rows[0].value == own.rows[0].value
    with pytest.raises(DataError, match="no column 'session'; the columns are 'step', 'item', 'rank'"):
        receval.evaluate(recommendations={"m": LISTS.drop("session")}, columns={"user": KEY}, **arguments)
    with pytest.raises(DataError, match="columns: no file or table has a column 'stop' for the user"):
        receval.evaluate(test={"a|1": [1]}, recommendations={"m": {"a|1": [1]}}, columns={"user": ["stop", "start"]}, metrics=["MRR@3"])


def test_a_column_of_the_key_is_no_time_unless_it_is_named_as_one_and_a_filter_may_name_it():
    frame = pl.DataFrame({"client": ["a", "a", "b"], "date": ["2024-01-01", "2024-01-02", "2024-01-01"], "item": [1, 2, 3]})
    options = {"recommendations": {"m": {"a|2024-01-01": [1], "a|2024-01-02": [2], "b|2024-01-01": [9]}}, "metrics": ["HitRate@1"]}
    columns = {"user": ["client", "date"]}
    assert receval.evaluate(test={"frame": frame, "columns": columns}, **options).rows[0].value == 2 / 3
    kept = receval.evaluate(test={"frame": frame, "columns": columns, "where": "date < '2024-01-02'"}, **options)
    assert kept.rows[0].value == 0.5
    with pytest.raises(DataError, match="where: no column 'user'"):
        receval.evaluate(test={"frame": frame, "columns": columns, "where": "user == 'a'"}, **options)


def test_the_test_file_as_users_gives_groups_and_clusters_by_its_columns(tmp_path):
    test, lists = str(tmp_path / "test.csv"), str(tmp_path / "lists.csv")
    TEST.write_csv(test)
    LISTS.write_csv(lists)
    config: dict[str, Any] = {
        "data": {"test": test, "users": test, "recommendations": {"a": lists, "b": test}, "columns": {"user": KEY}},
        "evaluation": {"metrics": ["Recall@3"], "by": ["users.buyer"]},
        "compare": {"cluster": "users.buyer"},
    }
    plain = {"users": joined(TEST).unique("user", maintain_order=True), "test": joined(TEST)}
    expected = {**config, "data": {**plain, "recommendations": {"a": joined(LISTS), "b": joined(TEST)}}}
    found, wanted = receval.evaluate(config), receval.evaluate(expected)
    assert len({row.group for row in found.by_group}) == 4
    assert [row.value for row in found.by_group] == [row.value for row in wanted.by_group]
    one, other = (result.compare(cluster="users.buyer").to_dict()["comparisons"] for result in (found, wanted))
    assert one == other
    by_session = receval.evaluate({**config, "compare": {"cluster": "users.session"}}).compare(cluster="users.session")
    assert by_session.to_dict()["comparisons"][0]["difference"] == one[0]["difference"]
    assert by_session.to_dict()["comparisons"] != one


def test_an_evaluator_takes_batches_with_the_columns_of_the_key():
    evaluator = receval.Evaluator(test=TEST, columns={"user": KEY}, metrics=["Recall@3"])
    once = receval.evaluate(test=TEST, recommendations={"m": LISTS}, columns={"user": KEY}, metrics=["Recall@3"])
    assert next(iter(evaluator(LISTS).values())) == once.rows[0].value


def test_tuples_name_users_in_dicts_and_matrices():
    lists = {user: rows["item"].to_list() for user, rows in LISTS.sort("rank").group_by(KEY, maintain_order=True)}
    odd = {("a|b", "c\\"): [1, 2], ("a", "b|c\\"): [3]}
    users = sorted(lists, key=str)
    scores = np.zeros((len(users), 15))
    for row, user in enumerate(users):
        scores[row, lists[user]] = range(5, 0, -1)
    matrix = receval.Matrix(scores, users=users, items=range(15))
    forms = (LISTS, lists, matrix)
    asked = {"test": TEST, "columns": {"user": KEY}, "metrics": ["Recall@3", "nDCG@3"]}
    values = [[row.value for row in receval.evaluate(recommendations={"m": form}, **asked).rows] for form in forms]
    assert values[0] == values[1] == values[2]
    assert values[0][0] > 0
    table = pl.DataFrame([(*user, item) for user, items in odd.items() for item in items], schema=[*KEY, "item"], orient="row")
    result = receval.evaluate(test=table, recommendations={"m": odd}, columns={"user": KEY}, metrics=["Recall@3"])
    assert (result.rows[0].value, result.rows[0].n_users) == (1, 2)


@pytest.mark.parametrize("users", [[(1, 2), 3], [(1, 2), (1, 2, 3)], [(1, 2), (1, 2.5)]])
def test_tuples_of_different_kinds_are_refused(users):
    message = r"recommendations\.m: dict: ids of users are tuples of different kinds\s+give each user as many integers or texts"
    with pytest.raises(DataError, match=message):
        receval.evaluate(test=TEST, columns={"user": KEY}, recommendations={"m": {user: ["x"] for user in users}}, metrics=["Recall@3"])
