"""`receval user`: the words that name a user and a config or a folder, the forms, and what is said if files are gone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

CONFIG = """
data:
  test: test.csv
  train: train.csv
  items: items.csv
  recommendations: {old: old.csv, new: lists/new.csv}
evaluation: {metrics: ["nDCG@2", "MRR@2"], by: [cold]}
"""
FILES = {
    "config.yaml": CONFIG,
    "test.csv": "user,item,rating,timestamp\nana,x,5,1700000000\nana,y,4,1700086400\nbob,x,5,1700000000\n-5,z,5,1700000000\n",
    "train.csv": "user,item,timestamp\nana,a,1600000000\nana,b,1650000000\nana,c,1610000000\nbob,y,1600000000\n-5,x,1600000000\n",
    "old.csv": "user,item,score\nana,x,3\nana,a,2\nana,y,1\nbob,b,2\nbob,x,1\n-5,z,1\n",
    "lists/new.csv": "user,item,score\nana,a,3\nana,x,2\nbob,x,2\nbob,b,1\n-5,z,1\n",
    "items.csv": "item,title\nx,The Xylophone of the very long title\ny,Yellow\na,Ants\nb,<script>alert(1)</script>\n",
}  # fmt: skip


@pytest.fixture
def place(folder: Any) -> Path:
    made: Path = folder(FILES)
    return made


def test_everything_is_on_one_screen(receval, place):
    code, out, err = receval("user", "ana", "config.yaml", "--show", "2")
    assert (code, err) == (0, "")
    assert out.startswith("User ana\n\n2 relevant items in 2 test rows (relevant: a rating above 0); 3 train rows; cold: warm.\n")
    sections = ("History, newest first", "Test rows", "Lists", "Values", "What was done with odd data", "Findings of checks")
    assert [out.index(title) for title in sections] == sorted(out.index(title) for title in sections)
    history = out.partition("History")[2].partition("Test rows")[0]
    assert history.index("<script>") < history.index("c  ") < history.index("1 more train row; --show 3 shows all.")
    assert "2022-04-15" in history
    assert "• Ants" in out
    assert (
        "  -  old: rows with an item of the user's train rows, 1 of 3. Listed items that are in the user's train rows stay in the list"
        in out
    )
    assert "✔ The Xylophone of the very long title" in out


def test_the_config_here_and_the_results_here_need_no_name(receval, place, monkeypatch):
    there = receval("user", "ana")[1]
    assert there == receval("user", "ana", "config.yaml")[1]
    assert receval("run", "config.yaml", "-q", "-o", "out/")[0] == 0
    assert receval("user", "ana", "out")[1] == there
    monkeypatch.chdir(place / "out")
    assert receval("user", "ana")[1] == there


def test_values_of_forms_are_those_of_per_user(receval, place):
    receval("run", "config.yaml", "-q", "--per-user", "-o", "users.jsonl")
    rows = [json.loads(line) for line in (place / "users.jsonl").read_text().splitlines()]
    body = json.loads(receval("user", "ana", "config.yaml", "--format", "json")[1])
    found = {(value["measure"], value["model"]): value["value"] for value in body["values"]}
    assert found == {(label, row["model"]): row[label] for row in rows if row["user"] == "ana" for label in ("nDCG@2", "MRR@2")}
    assert body["titles"]["y"] == "Yellow"
    assert "| rank | old | new |" in receval("user", "ana", "config.yaml", "--format", "md")[1]
    assert receval("user", "ana", "config.yaml", "-q", "-o", "u.md", "-o", "u.json")[:2] == (0, "")
    assert json.loads((place / "u.json").read_text()) == body


def test_a_folder_without_its_files_has_values_and_says_so(receval, place, tmp_path_factory, monkeypatch):
    receval("run", "config.yaml", "-q", "-o", "out/")
    away = tmp_path_factory.mktemp("away") / "a" / "b" / "out"
    shutil.copytree(place / "out", away)
    monkeypatch.chdir(away.parent)
    code, out, _ = receval("user", "ana", "out")
    assert (code, "Values" in out, "Test rows" in out) == (0, True, False)
    assert "Only values: the files of these results are not here (test.csv, train.csv," in out
    assert "did you mean 'ana'?" in receval("user", "anna", "out")[2]
    monkeypatch.chdir(place)
    receval("run", "config.yaml", "-q", "-o", "bare/", "--set", "output.per_user=[]")
    (place / "test.csv").unlink()
    code, _, err = receval("user", "ana", "bare")
    assert code == 3
    assert "has no per-user values, and the files of these results are not here (test.csv)" in err


def test_lists_that_are_gone_are_read_from_the_folder_if_it_has_them(receval, place):
    receval("run", "config.yaml", "-q", "-o", "out/", "--set", "output.enriched=true")
    before = receval("user", "ana", "out")[1]
    (place / "old.csv").unlink()
    assert receval("user", "ana", "out")[1] == before


def test_values_that_changed_since_the_results_are_named(receval, place):
    receval("run", "config.yaml", "-q", "-o", "out/")
    (place / "old.csv").write_text("user,item,score\nana,a,2\nana,y,1\nbob,b,2\nbob,x,1\n-5,z,1\n")
    out = receval("user", "ana", "out")[1]
    assert "Not the values of the results any more: old nDCG@2, MRR@2. The files, or receval, have changed since." in out


def test_quick_reads_only_this_user(receval, place):
    out = receval("user", "ana", "config.yaml", "--quick")[1]
    assert ("mean" in out, "beats" in out, "Findings" in out) == (False, False, False)
    assert "• Ants" in out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["zzz", "config.yaml"], 3, "no file contains the user 'zzz'"),
        (["Ana", "config.yaml"], 3, "did you mean 'ana'?"),
        (
            ["dfd3f3da060f", "config.yaml"],
            3,
            "if it is the hash that receval diff shows instead of an id, add --show-users there to see ids",
        ),
        (["-5", "config.yaml"], 2, "Write -- before a negative id: receval user -- -5 CONFIG"),
        (["config.yaml", "ana"], 2, "The id comes first: receval user ana config.yaml"),
        (["ana", "no.yaml"], 2, "there is no config file no.yaml"),
        (["ana", "config.yaml", "--model", "ol"], 2, "there is no model named 'ol': did you mean 'old'?"),
        (["ana", "config.yaml", "-o", "u.csv"], 2, "the name of a file must end in .json, .md"),
        (["ana", "lists"], 3, "this is not a result folder"),
        ([], 2, "Missing argument 'ID'"),
    ],
)
def test_wrong_words_get_a_sentence(words, code, said, receval, place):
    found, out, err = receval("user", *words)
    assert (found, out, said in err) == (code, "", True), err


def test_a_negative_id_and_files_without_a_config(receval, place):
    assert receval("user", "--", "-5", "config.yaml")[1].startswith("User -5\n")
    code, out, _ = receval("user", "bob", "--test", "test.csv", "--recs", "old.csv", "-m", "MRR@2", "--model", "old")
    assert (code, "MRR@2" in out) == (0, True)


def test_a_folder_without_a_config_says_how_to_name_one(receval, folder):
    folder({"a.yaml": "", "b.yaml": ""})
    assert "name one of the configs here (a.yaml, b.yaml): receval user 'a b' a.yaml" in receval("user", "a b")[2]
    folder({})
    for name in ("a.yaml", "b.yaml"):
        Path(name).unlink()
    assert "there is no config here: receval user ID CONFIG, or receval user ID DIR" in receval("user", "ana")[2]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_screen(width, receval, place, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    out = receval("user", "ana", "config.yaml")[1]
    assert max(map(len, out.splitlines())) <= width


def test_results_of_folds_say_how_to_choose_one(receval, place):
    for fold in "12":
        shutil.copy("test.csv", f"test_{fold}.csv")
    (place / "folds.yaml").write_text(
        "data: {folds: [1, 2], test: 'test_{fold}.csv', recommendations: old.csv}\nevaluation: {metrics: [MRR@2]}\n"
    )
    assert receval("run", "folds.yaml", "-q", "-o", "of folds/")[0] == 0
    code, _, err = receval("user", "ana", "of folds")
    assert code == 3
    assert "give the config and choose a fold: receval user ana CONFIG --set 'data.folds=[NAME]'" in err
    code, _, err = receval("user", "ana", "folds.yaml")
    assert code == 2
    assert "choose one by its name, such as --set 'data.folds=[1]'" in err
    assert receval("user", "ana", "folds.yaml", "--set", "data.folds=[1]")[0] == 0


def test_the_sample_has_a_config_that_is_found_without_its_name(receval, place, monkeypatch):
    assert receval("init", "--demo", "demo")[0] == 0
    monkeypatch.chdir(place / "demo")
    code, out, err = receval("user", "259", "--quick")
    assert code == 0, err
    assert out.startswith("User 259")
