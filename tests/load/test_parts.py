"""Sources of several files, odd columns, and ids that look alike."""

from __future__ import annotations

import gzip

import pytest

from tests.conftest import table, values

CONFIG = "data: {{test: test.csv, recommendations: {{m: {lists}}}}}\nevaluation: {{metrics: [MRR], top_k: 5}}\n"


@pytest.fixture
def mrr(write, receval, tmp_path):
    """Return a function that runs lists given as a YAML value: exit code, value (or `None`), standard error."""

    def mrr(lists, *options):
        write("test.csv", "user,item\n1,10\n2,13\n")
        write("config.yaml", CONFIG.format(lists=lists))
        code, out, err = receval("run", tmp_path / "config.yaml", "--format", "csv", *options)
        return code, (float(out.splitlines()[1].split(",")[10]) if code == 0 else None), err

    return mrr


def test_parts_that_do_not_have_the_same_columns_are_refused(mrr, tmp_path):
    table(["user", "item", "score"], [(1, 99, 0.1), (1, 10, 1.0)]).write_parquet(tmp_path / "k1.parquet")
    table(["user", "item"], [(2, 13)]).write_parquet(tmp_path / "k2.parquet")
    for lists in ("k*.parquet", "[k2.parquet, k1.parquet]"):
        code, _, err = mrr(lists)
        assert code == 3
        assert "would be read" in err


def test_parts_may_store_a_column_in_different_types(mrr, tmp_path):
    import polars as pl

    one = table(["user", "item", "score"], [(1, 99, 0.1), (1, 10, 1.0)])
    one.cast({"item": pl.Int32, "score": pl.Float32}).write_parquet(tmp_path / "k1.parquet")
    table(["user", "item", "score"], [(2, 13, 1)]).write_parquet(tmp_path / "k2.parquet")
    assert mrr("k*.parquet")[:2] == (0, 1.0)


def test_parts_of_ndjson_may_order_their_keys_differently(mrr, write):
    write("a.ndjson", '{"user": 1, "item": 9, "score": 1}\n{"user": 1, "item": 10, "score": 1}\n')
    write("b.ndjson", '{"score": 1.5, "item": 13, "user": 2}\n')
    assert mrr("[a.ndjson, b.ndjson]")[:2] == (0, 0.75)


def test_a_score_that_only_later_objects_have_is_missing_in_the_first(mrr, write):
    rows = [f'{{"user": 1, "item": {item}}}\n' for item in range(100, 1100)]
    write("l.ndjson", "".join(rows) + '{"user": 2, "item": 20, "score": 1}\n{"user": 2, "item": 13, "score": 5}\n')
    code, _, err = mrr("l.ndjson")
    assert code == 3
    assert "line 1: no value for score (in 1,000 of 1,002 rows)" in err


@pytest.mark.parametrize("name", ["row", "kind_of_what", "receval"])
def test_further_columns_of_any_name_are_ignored(name, mrr, write, tmp_path):
    write("l.csv", f"{name},user,item,score,{name}\n7,1,10,.5,8\n7,2,13,.5,8\n")
    assert mrr("l.csv")[:2] == (0, 1.0)
    table([name, "user", "item"], [(7, 1, 10), (7, 2, 13)]).write_parquet(tmp_path / "l.parquet")
    assert mrr("l.parquet")[:2] == (0, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('user,item,score\n1,"",0.5\n2,13,1\n', "line 2: no value for item"),
        ("user,item\r1,10\r2,13\r", "carriage return only"),
        ('user,item,score\n1,"10,0.5\n2,13,1\n', "line 2: a quoted field starts in this row and is never closed"),
    ],
)
def test_misleading_text_is_refused(content, message, mrr, write):
    write("l.csv", content)
    code, _, err = mrr("l.csv")
    assert code == 3
    assert message in err


@pytest.mark.parametrize("value", ["10.0", '{"a": 10}', "[[10]]", "[10.0]", '[{"item": {"a": 10}}]'])
def test_json_ids_are_integers_or_text(value, mrr, write):
    write("l.ndjson", f'{{"user": 1, "item": {value}, "score": 1}}\n')
    code, _, err = mrr("l.ndjson")
    assert code == 3
    assert "cannot be an id" in err


def test_a_truncated_zstd_file_is_refused(mrr, write):
    import zstandard

    write("l.csv.zst", zstandard.compress(b"user,item,score\n1,10,.5\n2,13,.5\n" * 1000)[:-9])
    code, _, err = mrr("l.csv.zst")
    assert code == 3
    assert "l.csv.zst" in err


def test_negative_and_very_large_ids_are_integers_where_they_fit(mrr, write, tmp_path):
    import polars as pl

    write("test.csv", "")
    lists = table(["user", "item", "score"], [(1, 9, 1.0), (1, 10, 1.0), (2, 13, 1.0), (-2, 13, 1.0)])
    lists.write_csv(tmp_path / "l.csv")
    assert mrr("l.csv")[:2] == (0, 0.75)  # 9 is before 10, as integers are
    lists.filter(pl.col("user") > 0).cast({"item": pl.UInt64}).write_parquet(tmp_path / "l.parquet")
    assert mrr("l.parquet")[:2] == (0, 0.75)
    large = pl.concat(
        [lists[:3].cast({"item": pl.UInt64}), table(["user", "item", "score"], [(3, 2**64 - 1, 1.0)]).cast({"item": pl.UInt64})]
    )
    large.write_parquet(tmp_path / "l.parquet")
    assert mrr("l.parquet")[:2] == (0, 1.0)  # as text "10" is before "9"


def test_ids_stored_as_text_in_some_files_only_have_a_note(evaluate):
    import polars as pl

    test = table(["user", "item"], [(1, 10), (2, 10)])
    numbers = table(["user", "item", "score"], [(1, 9, 1.0), (1, 10, 1.0)])
    texts = numbers.cast({"item": pl.String})
    result = evaluate(test, {"numbers": numbers, "texts": texts}, metrics=["MRR"])
    remark = "Item ids are compared as text, and tied scores are ordered by text, because data.recommendations.texts contains text."
    assert remark in result.notes()
    assert values(result, "numbers") == values(result, "texts")


def test_ratings_too_large_for_an_exponential_gain_are_refused(evaluate):
    from receval.support.errors import DataError

    test, lists = table(["user", "item", "rating"], [(1, 10, 2000), (1, 11, 4)]), table(["user", "item", "score"], [(1, 10, 1.0)])
    with pytest.raises(DataError, match="is too large for a number"):
        evaluate(test, lists, metrics=["nDCG"], relevance={"graded": True})
    assert values(evaluate(test, lists, metrics=["nDCG(gain=linear)"], relevance={"graded": True}))["nDCG(gain=linear)@10"] > 0.9


def test_many_cut_offs_give_what_few_give(evaluate):
    import random

    chance = random.Random(5)
    test = table(["user", "item"], [(user, item) for user in range(20) for item in chance.sample(range(60), 8)])
    lists = table(["user", "item", "score"], [(u, i, chance.random()) for u in range(20) for i in chance.sample(range(60), 40)])
    metrics = ["nDCG", "MAP", "MRR", "Precision", "HitRate", "RocAuc", "RPrecision"]
    few, many = (values(evaluate(test, lists, metrics=metrics, top_k=ks)) for ks in ([3, 17, "none"], [*range(1, 60), "none"]))
    assert {label: many[label] for label in few} == pytest.approx(few, abs=1e-15)


BROKEN = {
    "gzip of another length": (
        "l.csv.gz",
        b"\x1f\x8b\x08\x006\r\n\xcc\x01k\x02\xff+-N-\xd2\xc9,I\xcd\xd5)N\xce/J\xe52\xd414\xd01\xd0\xb3\x042,-",
    ),
    "gzip of nothing": ("l.csv.gz", b"\x1f\x8b\x08\x006\xcc\x01k\x02\xff<<: +-N|\xc9,I\xcd\xd5)N\xce/J\xe52\xd414\xd01\xd0\xb3\x042"),
    "gzip of JSON cut short": ("l.jsonl.gz", gzip.compress(b"".join(b'{"user": %d, "item": 2}\n' % n for n in range(400_000)))[:-40]),
    "a quotation mark at the end": ("l.csv", b'1,"[10${, 99]","'),
    "a longer row first": ("l.csv", b'1,"[10, 99]","[0.9, 0.8' + b"9" * 400 + b'1]"\n2,"[98, 12]\xff","[0.7, 0.6]",\n,2\n'),
    "nothing but a unit separator": ("l.csv", b"\x1f"),
    "a thousand blank lines": ("l.csv", b"\n" * 1500 + b"user,item\n1,10\n"),
    "brackets without end": ("l.csv", b'1,"[10,' + b"[" * 3000 + b']"\n2,"[1]"\n'),
    "brackets in JSON without end": ("l.ndjson", b'{"user": 1, "item": ' + b"[" * 100_000 + b"\n"),
}
"""Files found by fuzzing, and similar ones."""


@pytest.mark.parametrize("name", BROKEN)
def test_files_found_by_fuzzing_are_refused_in_one_sentence(name, mrr, write):
    file, content = BROKEN[name]
    write(file, content)
    assert mrr(file)[0] == 3
