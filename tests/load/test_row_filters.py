"""The rows that a filter keeps, worked by hand; the same ones in every format."""

import json
import operator
import random

import polars as pl
import pytest
import receval
from hypothesis import given
from hypothesis import strategies as st
from receval.load.row_filters import compared_with_numbers, kept_rows, no_number, text_comparisons
from receval.support.errors import ConfigError, DataError
from receval.syntax.row_filter import parse_filter

TEXTS = pl.DataFrame(
    {
        "event": ["buy", "view", "", None, "buy"],
        "rating": ["3", " 4.5 ", "NA", "", "1e1"],
        "new": ["true", "False", "TRUE", None, "no"],
        "time": ["2024-01-01T10:00:00", "2024-01-01 12:00:00", "2024-01-02", "", None],
    }
)


def kept(text: str, frame: pl.DataFrame = TEXTS, **options) -> list[int]:
    return (
        frame.with_row_index().filter(kept_rows(parse_filter(text), {name: name for name in frame.columns}, **options))["index"].to_list()
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("event == 'buy'", [0, 4]),
        ("event != 'buy'", [1]),
        ("not event == 'buy'", [1]),
        ("event in ('buy', 'view')", [0, 1, 4]),
        ("event not in ('view', 'other')", [0, 4]),
        ("event is null", [2, 3]),
        ("event is not null", [0, 1, 4]),
        ("event < 'c'", [0, 4]),
        ("rating >= 4", [1, 4]),
        ("rating == 3.0", [0]),
        ("rating == '3'", [0]),
        ("rating in (3, 10)", [0, 4]),
        ("rating > '3'", [2]),
        ("not rating > 3", [0]),
        ("new == true", [0, 2]),
        ("new == false", [1, 4]),
        ("time >= '2024-01-01T12:00'", [1, 2]),
        ("time < '2024-01-01 12:00'", [0]),
        ("time >= '2024-01-02'", [2]),
        ("event == 'buy' and rating > 3", [4]),
        ("event == 'view' or rating > 3", [1, 4]),
        ("event == 'buy' or new == true", [0, 2, 4]),
        ("not (event == 'buy' or rating > 4)", []),
        ("not (event == 'buy' and rating > 4)", [0, 1]),
    ],
)
def test_a_filter_keeps_rows_for_which_it_is_true_and_missing_values_only_with_is_null(text, rows):
    assert kept(text) == rows


def test_a_filter_with_very_many_values_and_parts_is_evaluated():
    assert kept(f"rating in ({'7, ' * 3_000}3)") == [0]
    assert kept("rating=7 or " * 700 + "rating=3") == [0]
    assert kept("rating>3 and " * 700 + "rating>3") == [1, 4]


def test_decimals_may_follow_a_comma():
    frame = pl.DataFrame({"rating": ["3,5", "2", "1,25"]})
    assert kept("rating >= 2", frame, decimal_comma=True) == [0, 1]
    assert frame.select(no_number("rating", decimal_comma=True))["rating"].to_list() == [False, False, False]
    assert frame.select(no_number("rating"))["rating"].to_list() == [True, False, True]


def test_columns_compared_with_numbers_must_have_numbers():
    assert compared_with_numbers(parse_filter("a > 1 and (b == 'x' or not c in ('x', 2)) and d is null and e == true")) == {"a", "c"}


LOG = [
    {
        "user": f"u{n % 7}",
        "item": n % 11,
        "rating": n % 5 + 1,
        "event": ("view", "cart", None)[n % 3],
        "time": f"2024-01-{n % 28 + 1:02d}T08:00:00",
    }
    for n in range(80)
]
FILTER = "event == 'view' and rating >= 3 and time < '2024-01-20'"
KEPT = [row for row in LOG if row["event"] == "view" and row["rating"] >= 3 and row["time"] < "2024-01-20"]
LISTS = {f"u{user}": [(user + step) % 11 for step in range(5)] for user in range(7)}


def write(rows, folder, form):
    frame = pl.DataFrame(rows, schema_overrides={"event": pl.String})
    path = folder / f"log.{form.removeprefix('typed.')}"
    if form in ("csv", "tsv"):
        frame.write_csv(path, separator="\t" if form == "tsv" else ",")
    elif form == "ndjson":
        frame.write_ndjson(path)
    elif form == "json":
        path.write_text(json.dumps(rows))
    elif form == "parquet":
        frame.write_parquet(path)
    elif form == "typed.parquet":
        frame.with_columns(pl.col("time").str.to_datetime(), pl.col("event").cast(pl.Categorical)).write_parquet(path)
    elif form == "arrow":
        frame.write_ipc(path)
    elif form == "dat":
        path.write_text(
            "user::item::rating::event::time\n"
            + "".join("::".join("" if v is None else str(v) for v in row.values()) + "\n" for row in rows)
        )
    return path


def values(test, **more):
    config = {
        "data": {"test": test, "recommendations": {"m": LISTS}},
        "evaluation": {"metrics": ["nDCG@5", "Recall@3"], "relevance": {"threshold": 4}},
    }
    result = receval.evaluate(config, **more)
    return result.to_polars(), result


@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson", "json", "parquet", "typed.parquet", "arrow", "dat"])
def test_the_kept_rows_give_the_values_of_a_file_of_only_these_rows(tmp_path, form):
    random.Random(3).shuffle(rows := list(LOG))
    expected, _ = values(pl.DataFrame(KEPT))
    found, result = values({"path": str(write(rows, tmp_path, form)), "where": FILTER})
    assert found.equals(expected, null_equal=True)
    assert result.remarks[0] == f"data.test: {len(KEPT)} of 80 rows are used (where: {FILTER})."
    assert {source.role: source.rows for source in result.inputs}["data.test"] == len(KEPT)


@pytest.mark.parametrize(
    ("time", "where", "hint"),
    [
        ("25.10.2026 12:00:00", "time >= '2026-10-25'", "rewrite the column"),
        ("25.10.2026", "'26.10.2026' > time or user == 'b'", "rewrite the column"),
        ("2026-10-25 12:00:00", "not time < '10/25/2026'", "write the date as the column does, YYYY-MM-DD"),
        ("1788220861000", "time < '2026-10-25'", "with a number: time < 1792886400000 (2026-10-25 00:00 UTC)"),
        ("1788220861", "time >= '2026-10-25T02:30:00+02:00'", "with a number: time >= 1792888200 (2026-10-25 00:30 UTC)"),
        ("1788220861", "time >= '25.10.2026'", "with a number: time >= 1788220861"),
        ("20261025", "time >= '2026-10-25'", "with a number: time >= 20261025"),
        ("2026-10-25T12:00:00Z", "time >= '2026-10-25'", ""),
        ("2026/10/25", "time >= '2026/10'", ""),
        ("25.10.2026", "time == '25.10.2026'", ""),
        ("version 2", "time >= 'version 1'", ""),
    ],
)
def test_dates_are_ordered_only_in_one_layout_that_text_orders_by_time(time, where, hint, tmp_path):
    (tmp_path / "log.csv").write_text(f"user,item,time\na,1,\na,2,{time}\n")
    given = {"test": {"path": str(tmp_path / "log.csv"), "where": where}, "recommendations": {"a": ["2"]}, "metrics": ["Recall@1"]}
    if not hint:
        assert receval.evaluate(**given).rows[0].value == 1
        return
    with pytest.raises(
        DataError, match=r"where: time contains text such as '.*', and [<>]=? compares it with '.*' character by character"
    ) as error:
        receval.evaluate(**given)
    assert hint in error.value.hint


@pytest.mark.parametrize("rows", [pl.DataFrame(LOG), LOG])
def test_rows_in_memory_are_filtered_too(rows):
    found, _ = values({"frame": rows, "where": FILTER})
    assert found.equals(values(pl.DataFrame(KEPT))[0], null_equal=True)


def test_parts_that_store_a_column_in_different_types_and_columns_of_paths_are_filtered(tmp_path):
    for number, types in enumerate([{"rating": pl.Int64}, {"rating": pl.Float64}]):
        folder = tmp_path / "log" / f"half={number}"
        folder.mkdir(parents=True)
        pl.DataFrame(LOG[40 * number : 40 * number + 40]).cast(types).write_parquet(folder / "part.parquet")
    found, _ = values({"path": str(tmp_path / "log"), "where": f"{FILTER} and half == 1"})
    late = [row for row in LOG[40:] if row in KEPT]
    assert found.equals(values(pl.DataFrame(late))[0], null_equal=True)


def test_rows_with_lists_are_filtered_before_the_lists_are_split(tmp_path):
    lists = [{"user": user, "items": items, "model": model} for model in ("a", "b") for user, items in LISTS.items()]
    lists = [{**row, "items": row["items"][::-1]} if row["model"] == "b" else row for row in lists]
    for path, form in ((tmp_path / "l.parquet", "write_parquet"), (tmp_path / "l.ndjson", "write_ndjson")):
        getattr(pl.DataFrame(lists), form)(path)
        source = {"path": str(path), "where": "model == 'a'"}
        result = receval.evaluate(test=pl.DataFrame(KEPT), recommendations={"m": source}, metrics=["nDCG@5"])
        assert result.to_polars().equals(
            receval.evaluate(test=pl.DataFrame(KEPT), recommendations={"m": LISTS}, metrics=["nDCG@5"]).to_polars(), null_equal=True
        )
        assert "recommendations.m: 35 of 70 rows are used (where: model == 'a')." in result.remarks
        with pytest.raises(DataError, match=r"column .items. (holds lists|is of type List)|.items. is \["):
            receval.evaluate(test=pl.DataFrame(KEPT), recommendations={"m": {**source, "where": "items == 3"}}, metrics=["nDCG@5"])


def test_a_filter_can_name_columns_by_role_if_names_differ_or_there_is_no_header(tmp_path):
    path = tmp_path / "u.data"
    path.write_text("".join(f"{n % 7}\t{n % 11}\t{n % 5 + 1}\t{880000000 + n}\n" for n in range(50)))
    lists = dict(enumerate(LISTS.values()))
    for where in ("rating >= 4", "column_3 >= 4", "timestamp >= 880000000 and rating >= 4"):
        result = receval.evaluate(test={"path": str(path), "where": where}, recommendations={"m": lists}, metrics=["nDCG@5"])
        assert result.remarks[0] == f"test: 20 of 50 rows are used (where: {where})."


def test_words_for_missing_values_and_blank_lines_are_missing_in_numeric_filters(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("user,item,price\n1,2,3\n\n1,3,NA\n1,4,\n2,5,9\n2,6,-\n")
    run = {"recommendations": {"m": {1: [2, 3, 4], 2: [5]}}, "metrics": ["Recall@3"]}
    result = receval.evaluate(test={"path": str(path), "where": "price > 1", "null_values": "-"}, **run)
    assert result.remarks[0] == "test: 2 of 5 rows are used (where: price > 1)."
    with pytest.raises(
        DataError, match=r"t.csv: where compares price with a number, but 1 row has a text that is not a number, first '-'\n.*price == '-'"
    ):
        receval.evaluate(test={"path": str(path), "where": "price > 1"}, **run)


def test_a_wrong_filter_is_refused_in_one_sentence(tmp_path):
    path = write(LOG, tmp_path, "csv")
    with pytest.raises(DataError, match=r"test: .*: where: no column 'evnt'; the columns are .*\n.*did you mean 'event'"):
        values({"path": str(path), "where": "evnt == 'view'"})
    with pytest.raises(
        DataError, match=r"none of 80 rows is kept by where: event == 'x'\n  .*event: cart \(27\), view \(27\), no value \(26\)"
    ):
        values({"path": str(path), "where": "event == 'x'"})
    with pytest.raises(ConfigError, match=r"test.where: cannot read the filter 'event == view': 'view' at character 10"):
        values({"path": str(path), "where": "event == view"})
    with pytest.raises(ConfigError, match="where does not work on tables and DataFrames of Spark"):
        receval.load_config({"data": {"test": {"table": "a.b", "where": "x == 1"}, "recommendations": "l.csv"}, "engine": "spark"})


def test_the_order_of_rows_does_not_matter(tmp_path):
    expected, _ = values({"path": str(write(LOG, tmp_path, "csv")), "where": FILTER})
    for seed in range(3):
        random.Random(seed).shuffle(rows := list(LOG))
        found, _ = values({"path": str(write(rows, tmp_path, "csv")), "where": FILTER})
        assert found.equals(expected, null_equal=True)


LARGE = (2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, 2**63, 2**64 - 1, -(2**53) - 1, -(2**53), -(2**63), 0, 7)
OPERATORS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("value", LARGE)
def test_integers_of_any_size_compare_as_integers(sign, value):
    frame = pl.DataFrame({"user": [*map(str, LARGE), "", "nan", "NA"]})
    fits = [index for index, number in enumerate(LARGE) if OPERATORS[sign](number, value)]
    assert kept(f"user {sign} {value}", frame) == fits
    assert kept(f"user {sign} {value}.0", frame) == fits
    if sign == "==":
        assert kept(f"user in (5, {value})", frame) == fits
        assert kept(f"user not in (5, {value})", frame) == [index for index in range(len(LARGE)) if index not in fits]


@given(st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=8), st.data())
def test_integers_compare_as_python_compares_them(numbers, data):
    value = data.draw(st.sampled_from([*numbers, numbers[0] + 1, numbers[0] - 1]))
    frame = pl.DataFrame({"user": [*map(str, numbers)]})
    for sign, compare in OPERATORS.items():
        assert kept(f"user {sign} {value}", frame) == [index for index, number in enumerate(numbers) if compare(number, value)]


def test_large_numbers_in_other_spellings_compare_as_integers():
    texts = [
        "9007199254740993.0",
        " 9007199254740993 ",
        "+9007199254740993",
        "9007199254740993.",
        "9007199254740992.0",
        "1e300",
        "-inf",
        "inf",
    ]
    frame = pl.DataFrame({"user": texts})
    assert kept("user == 9007199254740993", frame) == [0, 1, 2, 3]
    assert kept("user > 9007199254740993", frame) == [5, 7]
    assert kept("user < 9007199254740993", frame) == [4, 6]
    assert kept("user == 9007199254740993", pl.DataFrame({"user": ["9007199254740993,0", "9007199254740992,0"]}), decimal_comma=True) == [0]
    assert kept(f"user < {10**60}", frame) == [0, 1, 2, 3, 4, 6]


@pytest.mark.parametrize("type", ["csv", "parquet"])
def test_a_filter_tells_ids_apart_that_are_one_number_in_double_precision(type, tmp_path):
    ids = [9007199254740992, 9007199254740993, 2**63 + 11, 2**63 + 12]
    test = pl.DataFrame({"user": pl.Series(ids, dtype=pl.UInt64), "item": [1, 2, 3, 4]})
    (test.write_csv if type == "csv" else test.write_parquet)(tmp_path / f"test.{type}")

    def users(where: str) -> int:
        given = {"path": str(tmp_path / f"test.{type}"), "where": where}
        return (
            receval.evaluate(test=given, recommendations=pl.DataFrame({"user": test["user"], "item": [1, 2, 3, 4]}), metrics="Recall@1")
            .rows[0]
            .n_users
        )

    assert users("user == 9007199254740993") == 1
    assert users("user in (9007199254740993, 9223372036854775819)") == 2
    assert users("user != 9223372036854775819") == 3
    assert users("user > 9223372036854775819") == 1


MIXED = "user,item,time\na,1,2024-07-01\na,2,\na,3,01.07.2024\na,4,2024-07-02\n"


@pytest.mark.parametrize(
    "where",
    [
        "time >= '2024-07-01'",
        "'2024-07-01' < time",
        "time == '2024-07-01'",
        "time in ('2024-07-01', '2024-07-02')",
        "not time < '2024-07-01'",
        "time >= '2024'",
    ],
)
def test_a_date_in_another_layout_is_refused_with_its_row_wherever_it_is(where, tmp_path):
    (tmp_path / "log.csv").write_text(MIXED)
    with pytest.raises(DataError, match=r"log\.csv, line 4: where: time contains text such as '01\.07\.2024' \(1 of 3 values\)") as error:
        receval.evaluate(test={"path": str(tmp_path / "log.csv"), "where": where}, recommendations={"a": ["2"]}, metrics="Recall@1")
    assert where[:4] != "time" or "rewrite" in (error.value.hint or "")


@pytest.mark.parametrize("odd", ["01.07.2024", "2024/07/01", "2024-7-1", "1719792000", "soon", "NA"])
def test_every_value_is_checked_in_every_file_and_format(odd, tmp_path):
    rows = [("a", index, f"2024-07-{1 + index % 28:02}") for index in range(60)]
    first = pl.DataFrame(rows, schema=["user", "item", "time"], orient="row")
    second = pl.concat([first, pl.DataFrame({"user": ["a"], "item": [99], "time": [odd]})])
    for write, ending, place in (
        ("write_csv", "csv", "line 62"),
        ("write_parquet", "parquet", "row 61"),
        ("write_ndjson", "ndjson", "line 61"),
    ):
        folder = tmp_path / ending
        folder.mkdir()
        getattr(first, write)(folder / f"1.{ending}")
        getattr(second, write)(folder / f"2.{ending}")
        with pytest.raises(DataError) as error:
            receval.evaluate(test={"path": str(folder), "where": "time >= '2024-07-02'"}, recommendations={"a": ["2"]}, metrics="Recall@1")
        assert f"2.{ending}, {place}: where: time contains text such as {odd!r} (1 of 121 values)" in error.value.message


def test_text_that_is_no_date_is_ordered_as_written_even_if_one_value_looks_like_a_date():
    frame = pl.DataFrame({"title": ["Alien", "1-2-2024 remix", "Zorro"]})
    assert not frame.select(next(iter(text_comparisons(parse_filter("title < 'M'")))).wrong("title")).to_series().any()
