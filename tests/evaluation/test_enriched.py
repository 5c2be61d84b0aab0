"""`output.enriched`: the lists with rank, score, hits, gains, and the popularity and seen items of train."""

from __future__ import annotations

import hashlib
import json
import random
from functools import partial

import polars as pl
import pytest
import yaml
from receval import enriched as enriched_in_python
from receval.evaluation import running

from tests.conftest import table

TEST = table(("user", "item", "rating"), [("b", "x", 5), ("a", "x", 4), ("a", "y", 2), ("c", "y", 4), ("d", "z", 5)])
TRAIN = table(("user", "item"), [("a", "q"), ("b", "y")])
# With a threshold of 4 and graded relevance a has x (gain 4), b has x (5), c has y (4); a's y is rated 2, below the threshold.
LISTS = table(
    ("user", "item", "score"),
    [("b", "y", 1.0), ("b", "x", 1.0), ("a", "q", 0.9), ("a", "y", 0.8), ("a", "x", 0.7), ("c", "r", 0.5), ("e", "x", 0.5)],
)
EXPECTED = [  # b's ties are ordered by item; e has a list and no test row; d has no list
    ("a", "q", 1, 0.9, False, 0.0, True),
    ("a", "y", 2, 0.8, False, 0.0, False),
    ("a", "x", 3, 0.7, True, 4.0, False),
    ("b", "x", 1, 1.0, True, 5.0, False),
    ("b", "y", 2, 1.0, False, 0.0, True),
    ("c", "r", 1, 0.5, False, 0.0, False),
    ("e", "x", 1, 0.5, False, 0.0, False),
]
COLUMNS = ["user", "item", "rank", "score", "relevant", "gain", "in_train"]
EVALUATION = {"metrics": ["nDCG"], "relevance": {"threshold": 4, "graded": True}}
WHOLE_USERS = running.whole_users


@pytest.fixture
def enriched(tmp_path, receval):
    """Return a function that runs and reads the files: `enriched(test, {model: lists}, train)`."""

    def enriched(test, lists, train=None, **evaluation):
        data = {"test": "test.parquet", "recommendations": {model: f"{number}.parquet" for number, model in enumerate(lists)}}
        frames = {"test": test} | {str(number): frame for number, frame in enumerate(lists.values())}
        if train is not None:
            data["train"], frames["train"] = "train.parquet", train
        for name, frame in frames.items():
            frame.write_parquet(tmp_path / f"{name}.parquet")
        config = {"data": data, "evaluation": EVALUATION | evaluation, "health": "off", "output": {"dir": "out", "enriched": True}}
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
        code, _, err = receval("run", tmp_path / "config.yaml", "-q")
        assert (code, err) == (0, "")
        return {path.name: path for path in sorted((tmp_path / "out").glob("enriched.*"))}

    return enriched


def test_each_row_has_its_columns_from_test_and_train(enriched):
    (file,) = enriched(TEST, {"knn": LISTS}, TRAIN).values()
    frame = pl.read_parquet(file)
    assert file.name == "enriched.knn.parquet"
    assert (frame.columns, frame.rows()) == (COLUMNS, EXPECTED)


def test_without_train_and_scores_their_columns_are_missing(enriched):
    (file,) = enriched(TEST, {"knn": LISTS.drop("score")}).values()
    frame = pl.read_parquet(file)
    assert frame.columns == ["user", "item", "rank", "relevant", "gain"]
    assert frame.rows()[3:5] == [("b", "y", 1, False, 0.0), ("b", "x", 2, True, 5.0)]


def test_without_graded_relevance_the_gain_of_a_hit_is_1(enriched):
    (file,) = enriched(TEST, {"knn": LISTS}, relevance={"threshold": 4}).values()
    assert pl.read_parquet(file).filter("relevant")["gain"].to_list() == [1.0, 1.0]


def test_rows_that_the_first_measure_drops_are_left_out(enriched):
    (file,) = enriched(TEST, {"knn": LISTS}, TRAIN, policy={"seen_items": "drop_and_refill"}).values()
    expected = [("a", "y", 1), ("a", "x", 2), ("b", "x", 1), ("c", "r", 1), ("e", "x", 1)]
    assert pl.read_parquet(file).select("user", "item", "rank").rows() == expected


def test_ranks_are_ranks_of_the_whole_list_if_a_measure_ranks_rated_items_only(enriched):
    (file,) = enriched(TEST, {"knn": LISTS}, metrics=["nDCG(positions=among_rated)"]).values()
    assert pl.read_parquet(file).filter("relevant").select("user", "rank").rows() == [("a", 3), ("b", 1)]


def test_each_model_has_its_own_file(enriched):
    models = {"a/b": LISTS, "a_b": LISTS.head(2), "a%2Fb": LISTS.head(1), "ü.1": LISTS}
    files = enriched(TEST, models)
    assert {name: pl.read_parquet(path).height for name, path in files.items()} == {
        "enriched.a%2Fb.parquet": 7,
        "enriched.a_b.parquet": 2,
        "enriched.a%252Fb.parquet": 1,
        "enriched.ü.1.parquet": 7,
    }


@pytest.mark.release
@pytest.mark.parametrize("text_ids", [False, True])
def test_orders_of_rows_and_parts_change_no_byte(enriched, monkeypatch, text_ids):
    draw = random.Random(3)
    rows = [(user, item, draw.randint(0, 9) / 4) for user in range(60) for item in draw.sample(range(50), draw.randint(1, 12))]
    lists = table(("user", "item", "score"), rows)
    test = table(
        ("user", "item", "rating"), [(user, item, draw.randint(1, 5)) for user in range(0, 70, 2) for item in draw.sample(range(50), 9)]
    )
    if text_ids:
        lists, test = (frame.with_columns(pl.format("u{}", "user").alias("user")) for frame in (lists, test))
    found = set()
    for rows_per_part, seed in ((1_000_000, None), (1_000_000, 1), (100, None), (100, 2), (1, 1)):
        monkeypatch.setattr(running, "whole_users", partial(WHOLE_USERS, rows_per_part=rows_per_part))
        shuffled = lists if seed is None else lists.sample(fraction=1.0, shuffle=True, seed=seed)
        (file,) = enriched(test, {"knn": shuffled}).values()
        found.add(file.read_bytes())
    assert len(found) == 1
    assert pl.read_parquet(file).height == len(rows)
    assert pl.read_parquet(file)["user"].is_sorted()


def test_the_manifest_has_size_and_hash_of_the_lists(enriched):
    (file,) = enriched(TEST, {"knn": LISTS}).values()
    outputs = {entry["path"]: entry for entry in json.loads((file.parent / "manifest.json").read_text())["outputs"]}
    content = file.read_bytes()
    assert outputs[file.name] == {"path": file.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_enriched_lists_without_an_output_folder_are_refused(sample, receval):
    code, out, err = receval("run", sample / "quickstart.yaml", "--set", "output.enriched=true")
    assert (code, out) == (2, "")
    assert "output.enriched needs a folder" in err


def test_the_frames_in_python_equal_the_files(enriched, tmp_path):
    models = {"knn": LISTS, "few": LISTS.head(2)}
    files = enriched(TEST, models, TRAIN)
    asked = {"metrics": "nDCG", "relevance": {"threshold": 4, "graded": True}}
    for frames in (
        enriched_in_python(test=TEST, train=TRAIN, recommendations=models, **asked),
        enriched_in_python(test=TEST.to_pandas(), train=TRAIN.to_dicts(), recommendations=models, **asked),
        enriched_in_python(tmp_path / "config.yaml"),
    ):
        assert set(frames) == {"knn", "few"}
        assert all(frame.equals(pl.read_parquet(files[f"enriched.{name}.parquet"])) for name, frame in frames.items())
    assert frames["knn"].rows() == EXPECTED
