"""`receval diff`: the words that name two lists, the filters, and what is shown of users."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from receval.documents.model_diff import user_hash

TEST = "user,item,rating\nana,x,5\nana,y,4\nbob,x,5\ncem,z,5\n"
OLD = "user,item,score\nana,x,3\nana,a,2\nana,y,1\nbob,b,2\nbob,x,1\ncem,z,1\n"
NEW = "user,item,score\nana,a,3\nana,x,2\nbob,x,2\nbob,b,1\ncem,z,1\n"
CONFIG = """
data:
  test: test.csv
  train: train.csv
  items: items.csv
  recommendations: {old: old.csv, new: new.csv}
evaluation: {metrics: ["nDCG@2", "MRR@2"]}
health: off
"""
FILES = {
    "test.csv": TEST, "old.csv": OLD, "new.csv": NEW, "config.yaml": CONFIG, "train.csv": "user,item\nana,a\nbob,y\ncem,x\n",
    "items.csv": "item,title\nx,The Xylophone\ny,Yellow\na,Ants\n",
}  # fmt: skip


@pytest.fixture
def place(folder: Any) -> Path:
    made: Path = folder(FILES)
    return made


@pytest.mark.parametrize("words", [["config.yaml", "old", "new"], ["config.yaml"], ["old", "new"], [], ["config.yaml", "old"]])
def test_two_models_of_a_config_are_named_in_full_or_not(receval, place, words):
    code, out, err = receval("diff", *words)
    assert (code, err) == (0, "")
    assert out.startswith("new beside old\n")
    assert "nDCG@2 ↑" in out


@pytest.mark.parametrize("words", [["config.json", "old", "new"], ["config.json"], ["config.json", "old"]])
def test_a_config_in_json_is_read_as_one_in_yaml(words, receval, place):
    of_yaml = receval("diff", "config.yaml", "old", "new")
    (place / "config.json").write_text(json.dumps(yaml.safe_load(CONFIG)))
    assert receval("diff", *words) == of_yaml
    assert of_yaml[0] == 0


def test_two_json_files_are_lists_and_no_configs(receval, place):
    for name, lists in {"a.json": OLD, "b.json": NEW}.items():
        pl.read_csv(lists.encode()).write_json(place / name)
    code, out, err = receval("diff", "a.json", "b.json", "--test", "test.csv", "-m", "nDCG@2")
    assert (code, out.splitlines()[0]) == (0, "b beside a"), err
    code, _, err = receval("diff", "a.json", "b.json")
    assert (code, "two files of lists need the test file: add --test FILE" in err) == (2, True)


def test_the_first_model_is_the_base(receval, place):
    there, back = (json.loads(receval("diff", *words, "--format", "json")[1]) for words in (["old", "new"], ["new", "old"]))
    assert there["measures"][0]["difference"] == -back["measures"][0]["difference"]
    assert there["missed"]["lost"] == back["missed"]["gained"]


def test_two_files_need_the_test_file(receval, place):
    (place / "config.yaml").unlink()
    code, out, _ = receval("diff", "old.csv", "new.csv", "--test", "test.csv", "-m", "nDCG@2")
    assert (code, out.splitlines()[0]) == (0, "new beside old")
    code, _, err = receval("diff", "old.csv", "new.csv")
    assert code == 2
    assert "two files of lists need the test file: add --test FILE" in err
    code, out, _ = receval("diff", "left=old.csv", "right=new.csv", "--test", "test.csv", "-m", "nDCG@2")
    assert out.startswith("right beside left\n")


def test_folders_of_results_have_the_lists_if_they_are_stored(receval, place):
    for name, lists in (("main", "old.csv"), ("today", "new.csv")):
        models = f"data.recommendations={{als: {lists}}}"
        receval("run", "config.yaml", "--set", models, "--set", "output.enriched=true", "-q", "-o", f"results/{name}/")
    code, out, err = receval("diff", "results/main", "results/today", "--format", "json")
    assert code == 0, err
    of_folders, of_config = json.loads(out), json.loads(receval("diff", "old", "new", "--format", "json")[1])
    assert of_folders["measures"] == of_config["measures"]
    assert of_folders["missed"] == of_config["missed"]
    assert (of_folders["base"], of_folders["model"]) == ("main", "today")
    receval("run", "config.yaml", "-q", "-o", "plain/")
    code, _, err = receval("diff", "plain", "old", "new")
    assert code == 3
    assert "plain has no lists of old" in err
    assert "output.enriched: true" in err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["old", "old"], 2, "old is named twice"),
        (["old", "knn"], 2, "there is no model named 'knn': the models are old, new"),
        (["old", "new", "third"], 2, "give two models, not old new third"),
        (["old.csv", "lost.csv"], 3, "there is no file lost.csv"),
        (["old", "new", "--group", "cold"], 2, "write a grouping and one of its groups, such as cold=warm or users.plan=free, not 'cold'"),
        (["old", "new", "--group", "cold=ice"], 3, "cold has no group 'ice': its groups are cold, warm"),
        (["old", "new", "--relevant", "many"], 2, "write a number of relevant items, such as 1, 2-4 or 5+, not 'many'"),
        (["old", "new", "--relevant", "9+"], 3, "no user has a value of nDCG@2 with these filters"),
        (["old", "new", "--measure", "ItemCoverage@2"], 2, "is one value per model, so users have no difference in it"),
        (["old", "new", "--persistence", "1"], 2, "1.0 is not in the range 0<x<1"),
        (["old", "new", "-o", "x.docx"], 2, "the name of a file must end in .json, .csv, .parquet, .md"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(receval, place, words, code, sentence):
    done, out, err = receval("diff", *words)
    assert (done, out) == (code, "")
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err


def test_a_folder_without_a_config_or_with_several_is_named(receval, place):
    (place / "config.yaml").rename(place / "one.yaml")
    assert receval("diff", "old", "new")[0] == 0
    (place / "two.yaml").write_text(CONFIG)
    code, _, err = receval("diff", "old", "new")
    assert code == 2
    assert "name one of the configs here (one.yaml, two.yaml): receval diff one.yaml old new" in err
    for name in ("one.yaml", "two.yaml"):
        (place / name).unlink()
    assert "there is no config here, and old and new names no file" in receval("diff", "old", "new")[2]


def test_users_are_shown_by_a_hash_unless_ids_are_asked_for(receval, place):
    for form in ("table", "json", "csv", "md"):
        hidden, shown = (receval("diff", "--format", form, *more)[1] for more in ([], ["--show-users"]))
        assert "ana" not in hidden
        assert user_hash("ana") in hidden
        assert "ana" in shown
    receval("diff", "-q", "-o", "users.parquet")
    assert pl.read_parquet("users.parquet")["user"].to_list() == [user_hash(user) for user in ("ana", "bob", "cem")]


def test_items_have_their_titles(receval, place):
    out = receval("diff", "--show-users")[1]
    assert "✔ The Xylophone" in out
    assert "Difference by item: The Xylophone −0.3691" in " ".join(out.split()) or "The Xylophone" in out
    assert json.loads(receval("diff", "--format", "json")[1])["titles"] == {"a": "Ants", "x": "The Xylophone", "y": "Yellow"}


def test_only_users_of_a_group_or_with_some_relevant_items_are_taken(receval, place):
    one = json.loads(receval("diff", "--relevant", "2+", "--format", "json", "--show-users")[1])
    assert [user["user"] for user in one["users"]] == ["ana"]
    assert [user["user"] for user in json.loads(receval("diff", "--relevant", "1", "--format", "json", "--show-users")[1])["users"]] == [
        "bob",
        "cem",
    ]
    warm = receval("diff", "--group", "cold=warm", "--show", "0")[1]
    assert "3 users with a value under both models (cold=warm)." in warm


def test_every_order_shows_as_many_users_as_asked_for(receval, place):
    out = json.loads(receval("diff", "--order", "relevant", "--order", "random", "--show", "2", "--show-users", "--format", "json")[1])
    assert {order: len(users) for order, users in out["shown"].items()} == {"relevant": 2, "random": 2}
    assert [user["user"] for user in out["shown"]["relevant"]] == ["ana", "bob"]
    (loss,) = json.loads(receval("diff", "--order", "loss", "--show-users", "--format", "json")[1])["shown"]["loss"]
    assert loss["user"] == "ana"
    assert [(row["item"], row["rank"], row["other_rank"], row["relevant"]) for row in loss["lists"]["base"]] == [
        ("x", 1, 2, True), ("a", 2, 1, False), ("y", 3, None, True),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_screen_of_any_width_shows_both_lists(receval, place, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = receval("diff", "old", "new")
    assert code == 0
    assert max(map(len, out.splitlines())) <= width
    assert re.search(r"rank +old", out)


def test_lists_with_long_titles_stay_side_by_side_on_a_narrow_screen(receval, place, monkeypatch):
    (place / "items.csv").write_text("item,title\nx,A very long title of an item: the first\na,A very long title of an item: the second\n")
    for width, shown in ((60, "✔ A very long titl…     A very long titl…"), (200, "✔ A very long title of an item: the first")):
        monkeypatch.setenv("COLUMNS", str(width))
        assert shown in receval("diff", "old", "new")[1]


def test_hostile_names_and_ids_are_only_text(receval, folder):
    bad = "\x1b[31m<script>[bold]|`*"
    old, new = (text.replace("ana", f'"{bad}"').replace(",x,", f',"{bad}",') for text in (OLD, NEW))
    folder({"test.csv": TEST.replace("ana", f'"{bad}"').replace(",x,", f',"{bad}",'), "old.csv": old, "new.csv": new})
    code, out, err = receval("diff", "old.csv", "new.csv", "--test", "test.csv", "-m", "nDCG@2", "--show-users", "--set", "health=off")
    assert code == 0, err
    assert "\x1b" not in out
    assert "<script>" in out
    markdown = receval("diff", "old.csv", "new.csv", "--test", "test.csv", "-m", "nDCG@2", "--show-users", "--format", "md")[1]
    assert "<script>" not in markdown.replace("\\<", "")
