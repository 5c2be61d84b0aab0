"""Groups of users by their train rows have the values of a literal reader, whatever the order of rows."""

from __future__ import annotations

import random
from itertools import pairwise

import polars as pl
import pytest
from receval.scoring.profiles import range_names

DAY = 86_400
START = 1_600_000_000


@pytest.fixture
def world(write, tmp_path):
    """Return the rows of train and the path of a config; rows are in an order of their own for each `seed`."""

    def world(seed=0, times=True):
        draw = random.Random(5)
        rows = [(f"u{user}", item, START + draw.randrange(90 * DAY)) for user in range(40) for item in draw.sample(range(30), user % 7 + 1)]
        rows += [rows[3], rows[10]]  # duplicates
        random.Random(seed).shuffle(rows)
        columns = ["user", "item", "timestamp"][: 3 if times else 2]
        pl.DataFrame([row[: len(columns)] for row in rows], schema=columns, orient="row").write_csv(tmp_path / "train.csv")
        test = pl.DataFrame([(f"u{user}", user % 30) for user in range(44)], schema=["user", "item"], orient="row")
        test.write_csv(tmp_path / "test.csv")
        test.with_columns(rank=pl.lit(1)).write_csv(tmp_path / "lists.csv")
        items = [(item, "|".join(sorted({"abcde"[item % 5], "abcde"[item % 3]}, reverse=True))) for item in range(30)]
        pl.DataFrame(items, schema=["item", "genres"], orient="row").write_csv(tmp_path / "items.csv")
        data = (
            "{test: test.csv, train: train.csv, items: {path: items.csv, categories: genres, split: '|'}, recommendations: {m: lists.csv}}"
        )
        return rows, dict(items), write("config.yaml", f"data: {data}\nevaluation: {{metrics: [Recall@5]}}\nhealth: off\n")

    return world


def read_literally(rows, genres):
    """Return mainstreamness, popular_share, recency and first_category of each user of train, without arrays."""
    pairs = {(user, item) for user, item, _ in rows}
    users = sorted({user for user, _ in pairs})
    popularity = {item: sum(other == item for _, other in pairs) for _, item in pairs}
    popular = sorted(popularity, key=lambda item: (-popularity[item], item))[: round(0.2 * len(popularity))]
    latest, found = max(time for *_, time in rows), {}
    for user in users:
        own, times = [item for name, item in pairs if name == user], [time for name, _, time in rows if name == user]
        first = min((time, item) for name, item, time in rows if name == user)[1]
        found[user] = (
            sum(popularity[item] / len(users) for item in own) / len(own),
            sum(item in popular for item in own) / len(own),
            (latest - max(times)) / DAY,
            min(genres[first].split("|")),
        )
    return found


@pytest.mark.parametrize("seed", [0, 1])
def test_groups_are_those_of_a_literal_reader(seed, world, receval, tmp_path):
    rows, genres, config = world(seed)
    names = ("mainstreamness", "popular_share", "recency", "first_category")
    by = [part for name in names for part in ("--by", name if name == "first_category" else f"{name}:3")]
    assert receval("run", config, *by, "-q", "-o", f"{tmp_path}/out/")[0] == 0
    frame = pl.read_parquet(tmp_path / "out" / "per_user.parquet")
    expected = read_literally(rows, genres)
    for user, *groups in frame.select("user", *names).iter_rows():
        if user not in expected:
            assert groups == ["(missing)"] * 4
            continue
        for value, group in zip(expected[user][:3], groups[:3], strict=True):
            low, _, high = group.rstrip("+").partition("-")
            assert float(low) * 0.99 <= value <= (float(high) * 1.01 if high else float("inf"))
        assert groups[3] == expected[user][3]
    sizes = frame.filter(pl.col("mainstreamness") != "(missing)")["mainstreamness"].value_counts()["count"].to_list()
    assert max(sizes) - min(sizes) <= 2


def test_names_of_ranges_have_the_digits_that_tell_them_apart():
    assert range_names((0.12345, 0.5)) == ["0-0.123", "0.123-0.5", "0.5+"]
    assert range_names((0.12341, 0.12349)) == ["0-0.1234", "0.1234-0.1235", "0.1235+"]
    assert all(name != other for name, other in pairwise(range_names((0.1, 0.1 + 1e-16 * 3, 0.2))))
    assert range_names(()) == ["0+"]


def test_groups_by_time_need_times_and_say_so(world, receval):
    *_, config = world(times=False)
    code, _, err = receval("run", config, "--by", "recency:3")
    assert (code, "data.train: recency needs the times of train rows" in err) == (3, True)


@pytest.mark.parametrize("text", ["mainstreamness", "recency:1", "popular_share:many", "mainstreamness:3,5"])
def test_a_grouping_without_a_number_of_groups_is_refused(text, world, receval):
    *_, config = world()
    code, _, err = receval("run", config, "--by", text)
    assert (code, f"{text.partition(':')[0]} needs a number of groups from 2 to 100" in err) == (2, True)


def test_a_user_without_a_time_or_a_category_is_in_no_group_and_all_others_keep_theirs(write, receval, tmp_path):
    write("train.csv", "user,item,timestamp\na,1,100\nb,2,\nc,3,200\nd,4,86400300\ne,1,86400400\n")
    write("items.csv", "item,genre\n1,\n2,x\n3,y\n4,z\n")
    write("test.csv", "user,item\n" + "".join(f"{user},1\n" for user in "abcdef"))
    write("lists.csv", "user,item,score\n" + "".join(f"{user},1,1\n" for user in "abcdef"))
    data = "{test: test.csv, train: train.csv, items: {path: items.csv, categories: genre}, recommendations: {m: lists.csv}}"
    config = write("config.yaml", f"data: {data}\nevaluation: {{metrics: [Recall@1], by: [first_category, 'recency:2']}}\nhealth: off\n")
    assert receval("run", config, "-q", "-o", f"{tmp_path}/out/")[0] == 0
    frame = pl.read_parquet(tmp_path / "out" / "per_user.parquet")
    groups = dict(frame.select("user", "first_category").iter_rows())
    assert groups == {"a": "(missing)", "b": "(missing)", "c": "y", "d": "z", "e": "(missing)", "f": "(missing)"}
    assert frame.filter(pl.col("recency") == "(missing)")["user"].sort().to_list() == ["b", "f"]
