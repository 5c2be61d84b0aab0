"""Descriptions of files, worked by hand, in any order of rows."""

from __future__ import annotations

import polars as pl
import pytest
import yaml
from msgspec.structs import asdict
from receval import describe, load_config, run
from receval.documents.description import plain
from receval.results.description import HistogramBin, NumberSummary, Overlap, TimeSpan

TEST = pl.DataFrame({"user": [1, 1, 2, 9], "item": [7, 8, 7, 7], "rating": [5.0, 3.0, 4.0, 5.0], "timestamp": [300.0, 200.0, None, 400.0]})
TRAIN = pl.DataFrame({"user": [1, 2, 2, 3, 3, 3], "item": [5, 5, 6, 5, 6, 8]})
LISTS = pl.DataFrame({"user": [1, 1, 2, 3], "item": [8, 6, 6, 4], "score": [0.5, 0.25, 0.25, 2.0]})


@pytest.fixture
def config(tmp_path):
    """Return a function that writes frames and their config: `config(test=…, train=…, knn=…)`; all except test and train are models."""

    def config(folder="world", **frames):
        (tmp_path / folder).mkdir(exist_ok=True)
        for name, frame in frames.items():
            frame.write_parquet(tmp_path / folder / f"{name}.parquet")
        data = {name: f"{name}.parquet" for name in ("test", "train") if name in frames}
        data["recommendations"] = {name.removeprefix("model_"): f"{name}.parquet" for name in frames if name not in data}
        content = {"data": data, "evaluation": {"metrics": ["Precision"]}, "output": {"dir": "out", "describe": True}}
        (tmp_path / folder / "config.yaml").write_text(yaml.safe_dump(content))
        return load_config(tmp_path / folder / "config.yaml")

    return config


def test_rows_users_items_and_density_are_counted(config):
    description = describe(config(test=TEST, train=TRAIN, knn=LISTS))
    counts = {table.name: (table.role, table.rows, table.users, table.items, table.density) for table in description.tables}
    assert counts == {
        "test": ("data.test", 4, 3, 2, 4 / 6),
        "train": ("data.train", 6, 3, 3, 6 / 9),
        "knn": ("data.recommendations.knn", 4, 3, 3, 4 / 9),
    }
    assert [table.left_out for table in description.tables] == [0, 0, 0]


def test_ratings_of_interactions_and_scores_of_lists_are_summarised(config):
    description = describe(config(test=TEST, train=TRAIN, knn=LISTS))
    bins = (HistogramBin(3, 3, 1), HistogramBin(4, 4, 1), HistogramBin(5, 5, 2))
    assert description.table("test").numbers == NumberSummary("rating", 3, 4.25, 5, bins)
    assert description.table("train").numbers is None
    scores = description.table("knn").numbers
    assert (scores.column, scores.least, scores.mean, scores.most) == ("score", 0.25, 0.75, 2.0)


def test_rows_per_user_and_per_item(config):
    description = describe(config(test=TEST, train=TRAIN, knn=LISTS))
    train = description.table("train")  # users have 1, 2 and 3 rows: Gini (-2·1 + 2·3) / (3·6); items 5, 6 and 8 have 3, 2 and 1
    for counts in (train.per_user, train.per_item):
        assert (counts.least, counts.quantiles["50"], counts.most, counts.mean) == (1, 2.0, 3, 2.0)
        assert (counts.gini, counts.top_1, counts.top_20) == (pytest.approx(2 / 9), 0.5, 0.5)
    test = description.table("test")  # items 7 and 8 have 3 rows and 1
    assert (test.per_item.least, test.per_item.most, test.per_item.top_20) == (1, 3, 0.75)


def test_the_time_span_leaves_out_rows_without_a_time(config):
    description = describe(config(test=TEST, train=TRAIN, knn=LISTS))
    assert description.table("test").times == TimeSpan(200.0, 400.0, untimed=1)
    assert description.table("train").times is None


def test_a_time_that_is_not_finite_is_missing(config):
    timed = TEST.with_columns(timestamp=pl.Series([300.0, float("inf"), float("nan"), None]))
    assert describe(config(test=timed, knn=LISTS)).table("test").times == TimeSpan(300.0, 300.0, untimed=3)


def test_users_and_items_in_common(config):
    description = describe(config(test=TEST, train=TRAIN, knn=LISTS))
    assert description.overlaps == (
        Overlap("test", "train", users=2, items=1),  # users 1 and 2, item 8
        Overlap("knn", "test", users=2, items=1),
        Overlap("knn", "train", users=3, items=2),  # items 6 and 8
    )


def test_without_train_only_lists_and_test_are_compared(config):
    description = describe(config(test=TEST, knn=LISTS))
    assert [table.name for table in description.tables] == ["test", "knn"]
    assert [(overlap.one, overlap.other) for overlap in description.overlaps] == [("knn", "test")]


@pytest.mark.parametrize("ids", [pl.Int64, pl.String])
def test_the_order_of_rows_changes_no_byte(config, ids):
    frames = {name: frame.with_columns(pl.col("user").cast(ids)) for name, frame in {"test": TEST, "train": TRAIN, "knn": LISTS}.items()}
    many = pl.DataFrame({"user": range(500), "item": range(500)}).with_columns(pl.col("user").cast(ids), score=(pl.col("item") * 0.1).sin())
    expected = plain(describe(config("plain", **frames, model_many=many)))
    for seed in range(3):
        shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed) for name, frame in frames.items()}
        again = config(f"shuffled{seed}", **shuffled, model_many=many.sample(fraction=1, shuffle=True, seed=seed))
        assert plain(describe(again)) == expected


def test_rows_with_missing_values_are_left_out_and_counted(config):
    holes = LISTS.with_columns(score=pl.Series([0.5, None, float("nan"), 2.0]))
    knn = describe(config(test=TEST, knn=holes)).table("knn")
    assert (knn.rows, knn.left_out, knn.users, knn.items) == (2, 2, 2, 2)
    assert (knn.numbers.least, knn.numbers.mean, knn.numbers.most) == (0.5, 1.25, 2.0)


def test_ids_are_compared_as_text_if_one_file_stores_text(config):
    text = LISTS.with_columns(pl.col("user").cast(pl.String), pl.Series("item", ["8", "6", "6", "x"]))
    description = describe(config(test=TEST, knn=text))
    assert description.overlaps == (Overlap("knn", "test", users=2, items=1),)
    assert any("compared as text" in remark for remark in description.remarks)


def test_a_model_called_test_is_not_mixed_up_with_the_test_file(config):
    description = describe(config(test=TEST, model_test=LISTS))
    assert [table.name for table in description.tables] == ["test", "test (model)"]
    assert description.overlaps == (Overlap("test (model)", "test", users=2, items=1),)


def test_text_files_are_read_as_they_are_in_a_run(tmp_path):
    (tmp_path / "test.csv").write_text("user,item,rating\n001,7,NA\n1,8,4\n\n1,9,2\n")
    (tmp_path / "knn.csv").write_text("user,item,score\n1,8,0.5\n")
    (tmp_path / "config.yaml").write_text(
        "data: {test: test.csv, recommendations: {knn: knn.csv}}\nevaluation: {metrics: [Precision], top_k: 1}"
    )
    test = describe(load_config(tmp_path / "config.yaml")).table("test")
    assert (test.rows, test.left_out, test.users, test.numbers.mean) == (2, 1, 1, 3.0)


def test_a_run_describes_its_files_on_request_only(config):
    loaded = config(test=TEST, train=TRAIN, knn=LISTS)
    assert run(loaded).description is None
    description = run(loaded, describes=True).description
    assert description is not None
    assert asdict(description) == asdict(describe(loaded))
