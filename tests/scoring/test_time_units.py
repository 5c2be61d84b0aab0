"""The unit of times: from the type, else from most of the values, and the same for test and train."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
import receval as library
from hypothesis import given
from hypothesis import strategies as st
from receval.scoring.common_times import common_times
from receval.support.errors import DataError
from receval.tables.time_units import SECONDS, unit_of

START = datetime(2024, 5, 30, tzinfo=UTC)
PER_SECOND = {"seconds": 1, "milliseconds": 1_000, "microseconds": 1_000_000, "nanoseconds": 1_000_000_000}
LISTS = pl.DataFrame({"user": ["a", "b"], "item": [1, 2], "score": [1.0, 1.0]})
FAR = 253_402_214_400
"""9999-12-31 in seconds."""


def rows(unit: str, n: int = 40, *, start: datetime = START, odd: tuple[int, ...] = ()) -> pl.DataFrame:
    """Return test rows one day apart, with `odd` times, in seconds, at the end."""
    seconds = [int((start + timedelta(days=day)).timestamp()) for day in range(n)]
    times = [*(second * PER_SECOND[unit] for second in seconds), *odd]
    return pl.DataFrame({"user": ["a", "b"] * (len(times) // 2) + ["a"] * (len(times) % 2), "item": range(len(times)), "timestamp": times})


def evaluate(test: pl.DataFrame, **options: object) -> library.EvaluationResult:
    lists = LISTS if test["user"].dtype == pl.String else LISTS.with_columns(user=pl.Series([1, 2]))
    return library.evaluate(test=test, recommendations={"m": lists}, metrics="Recall@1", **options)


def groups(test: pl.DataFrame, by: str = "rows.timestamp:1mo", **options: object) -> list[str]:
    return [row.group for row in evaluate(test, by=by, health=False, **options).by_group]


@pytest.mark.parametrize("unit", PER_SECOND)
def test_one_far_date_a_zero_or_a_minus_one_does_not_change_how_other_times_are_read(unit):
    assert groups(rows(unit)) == ["2024-05", "2024-06", "2024-07"]
    far = FAR * PER_SECOND[unit]
    odd = (0, -1, far) if far < 2**63 else (0, -1)
    assert groups(rows(unit, odd=odd))[2:5] == ["2024-05", "2024-06", "2024-07"]


def test_dates_of_a_type_are_read_by_the_type_even_if_all_are_far_away():
    far = pl.DataFrame({"user": ["a", "b"], "item": [1, 2], "timestamp": [datetime(9999, 12, 31)] * 2})
    assert groups(far) == ["9999-12"]
    assert groups(far.with_columns(pl.col("timestamp").dt.date())) == ["9999-12"]


def test_a_time_outside_of_the_years_of_dates_is_missing():
    assert groups(rows("seconds", odd=(10**18,)))[-1] == "(missing)"


@given(st.sampled_from(list(PER_SECOND)), st.integers(1, 30), st.data())
def test_most_of_the_times_decide_the_unit_in_any_order(unit, n, data):
    usual = data.draw(st.lists(st.integers(10**8, 4 * 10**9), min_size=n, max_size=n))
    odd = data.draw(st.lists(st.sampled_from([0, -1, 1, FAR, 10**17, -5]), max_size=(n - 1) // 2))
    times = data.draw(st.permutations([*(second * PER_SECOND[unit] for second in usual), *odd]))
    found, are_dates = unit_of(pl.Series(times, dtype=pl.Float64))
    assert (found.name, are_dates) == (unit, True)


@pytest.mark.each_once
@pytest.mark.parametrize("of_test", PER_SECOND)
@pytest.mark.parametrize("of_train", PER_SECOND)
def test_train_in_another_unit_than_test_is_compared_in_one_and_the_result_says_so(of_test, of_train):
    test, early = rows(of_test), rows(of_train, 10, start=START - timedelta(days=30)).with_columns(pl.col("item") + 100)
    same = rows(of_test, 10, start=START - timedelta(days=30)).with_columns(pl.col("item") + 100)
    late = rows(of_train, 10, start=START + timedelta(days=90)).with_columns(pl.col("item") + 100)

    def found(train: pl.DataFrame) -> dict[str, int]:
        result = evaluate(test, train=train)
        said = [remark for remark in result.notes() if "they are compared in" in remark]
        assert len(said) == (of_test != of_train and train is not same)
        assert all(of_test in sentence and of_train in sentence for sentence in said)
        return {finding.check: finding.count for finding in result.findings if finding.check in ("X07", "X08", "X09")}

    assert found(early) == found(same) == {}
    assert found(late)["X08"] == 10


def test_dates_and_numbers_are_compared_in_seconds():
    test = rows("seconds").with_columns(pl.from_epoch("timestamp"))
    train = rows("milliseconds", 10, start=START - timedelta(days=30)).with_columns(pl.col("item") + 100)
    result = evaluate(test, train=train)
    sentence = "train has times in milliseconds since 1970 and test has dates: they are compared in seconds. Write both in one unit."
    assert sentence in result.notes()
    assert not {"X07", "X08"} & {finding.check for finding in result.findings}


def test_numbers_that_may_be_any_count_are_never_converted():
    clock = pl.DataFrame(
        {"user": ["a"] * 6, "item": range(6), "timestamp": [0, 2 * 10**10, 5 * 10**10, 8 * 10**10, 9 * 10**10, 10**11 - 1]}
    )
    later = clock.with_columns(pl.col("timestamp") + 2 * 10**11)
    times = common_times(later, clock)
    assert times.train is clock
    assert times.remarks == ()
    assert common_times(None, None).unit == SECONDS


def test_windows_over_other_units_than_seconds_say_the_unit():
    sentence = "The times of test are numbers of milliseconds since 1970."
    assert sentence in evaluate(rows("milliseconds"), by="rows.timestamp:1mo").notes()
    assert sentence not in evaluate(rows("seconds"), by="rows.timestamp:1mo").notes()


def test_days_of_recency_are_those_of_the_unit():
    test = pl.DataFrame({"user": ["a", "b"], "item": [1, 2]})
    train = pl.DataFrame({"user": ["a", "b", "b"], "item": [3, 4, 5]})
    days = {"a": 19_800, "b": 19_900}
    by_unit = []
    for per_second in PER_SECOND.values():
        timed = train.with_columns(timestamp=pl.Series([days["a"], days["b"], 0]) * 86_400 * per_second)
        by_unit.append(groups(test, by="recency:2", train=timed))
    assert by_unit[0] == ["0-100", "100+"]
    assert by_unit == [by_unit[0]] * len(by_unit)


@pytest.mark.parametrize(
    "times",
    [
        pl.Series([datetime(2024, 5, 30, 12).time()] * 2),
        pl.Series([True, False]),
        pl.Series([{"at": 1}, {"at": 2}]),
        pl.Series([timedelta(days=1)] * 2),
        pl.Series([b"1", b"2"]),
    ],
    ids=lambda times: str(times.dtype),
)
def test_a_time_of_day_a_boolean_a_duration_bytes_and_a_struct_are_refused_as_times(times, tmp_path, receval):
    test = pl.DataFrame({"user": [1, 2], "item": [1, 2]}).with_columns(timestamp=times)
    with pytest.raises(DataError, match=r"'timestamp' is of type .*, where dates or numbers since 1970 were expected"):
        evaluate(test)
    test.write_parquet(tmp_path / "test.parquet")
    LISTS.with_columns(user=pl.Series([1, 2])).write_csv(tmp_path / "lists.csv")
    code, _, err = receval("run", "--test", tmp_path / "test.parquet", "--recs", f"m={tmp_path}/lists.csv", "-m", "Recall@1")
    assert code == 3
    assert "were expected" in err


def test_dates_in_categories_are_read_as_their_texts_not_as_the_numbers_of_the_categories():
    test = rows("seconds").with_columns(pl.from_epoch("timestamp").dt.strftime("%Y-%m-%d").cast(pl.Categorical))
    assert groups(test) == ["2024-05", "2024-06", "2024-07"]
