"""`receval describe`, as a user sees it."""

from __future__ import annotations

import json
import re

import pytest
import receval as library

from tests.cli.test_terminal import on_a_terminal

DATED = "user,item,rating,timestamp\n1,7,5,2024-03-01\n1,8,3,2024-03-03T12:00:00\n2,7,4,2024-03-02\n"


def test_facts_of_all_files_are_printed_side_by_side(sample, receval):
    code, out, err = receval("describe", sample / "quickstart.yaml")
    assert (code, err) == (0, "")
    assert re.search(r"^ +test +knn +popular +random$", out, re.MULTILINE)
    assert re.search(r"^  rows +4,732 +28,950 +28,950 +28,950$", out, re.MULTILINE)
    assert re.search(r"^  knn in test +358 of 579 \(61\.8 %\)", out, re.MULTILINE)
    assert re.search(r"^  4  1,920  40\.6 %  █{30}$", out, re.MULTILINE)
    assert re.search(r"^  1     14   0\.3 %  █$", out, re.MULTILINE)


def test_json_has_full_precision(sample, receval):
    content = json.loads(receval("describe", sample / "quickstart.yaml", "--format", "json")[1])
    assert content["format_version"] == 1
    test = content["tables"][0]
    assert test["density"] == 4732 / (358 * 1054)
    assert test["numbers"]["histogram"][0] == {"low": 1.0, "high": 1.0, "rows": 14}
    assert content["overlaps"][0] == {"one": "knn", "other": "test", "users": 358, "items": 430}


def test_markdown_has_tables_of_the_same_numbers(sample, receval):
    out = receval("describe", sample / "quickstart.yaml", "--format", "md")[1]
    assert "|  | test | knn | popular | random |\n|---|---:|---:|---:|---:|\n| rows | 4,732 | 28,950 | 28,950 | 28,950 |\n" in out
    assert "| 4 | 1,920 | 40.6 % | ██████████████████████████████ |" in out


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_nothing_is_cut_and_no_line_is_longer_than_the_terminal(columns, sample):
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(["describe", str(sample / "quickstart.yaml")], columns))
    assert "…" not in text
    assert max(len(line) for line in text.splitlines()) <= columns
    for name in ("test", "knn", "popular", "random"):
        assert len(re.findall(rf"│ +{name} │", text)) == 3
    assert len(re.findall("28,950", text)) == 3


def test_bars_are_ascii_if_the_encoding_has_no_blocks(sample, monkeypatch):
    text = on_a_terminal(["describe", str(sample / "quickstart.yaml")], 80, PYTHONIOENCODING="ascii")
    assert text.isascii()
    assert "####" in text


def test_times_that_may_be_dates_are_shown_as_dates(write, receval):
    write("test.csv", DATED)
    write("knn.csv", "user,item,score\n1,7,0.5\n")
    config = write("config.yaml", "data: {test: test.csv, recommendations: {knn: knn.csv}}\nevaluation: {metrics: [Precision]}")
    out = receval("describe", config)[1]
    assert re.search(r"first time +2024-03-01", out)
    assert re.search(r"last time +2024-03-03", out)
    assert re.search(r"days +2\.5", out)
    write("test.csv", "user,item,timestamp\n1,7,12\n2,8,15.5\n")
    out = receval("describe", config)[1]
    assert re.search(r"first time +12\n", out)
    assert "days" not in out


def test_the_manifest_describes_the_files_on_request(sample, receval):
    receval("run", sample / "quickstart.yaml", "-q", "-o", f"{sample}/plain/")
    assert "description" not in json.loads((sample / "plain" / "manifest.json").read_text())
    receval("run", sample / "quickstart.yaml", "-q", "-o", f"{sample}/more/", "--set", "output.describe=true")
    described = json.loads(receval("describe", sample / "quickstart.yaml", "--format", "json")[1])
    manifest = json.loads((sample / "more" / "manifest.json").read_text())
    assert manifest["description"] == {key: value for key, value in described.items() if key != "format_version"}


def test_storing_a_description_without_an_output_folder_is_refused(sample, receval):
    code, out, err = receval("run", sample / "quickstart.yaml", "--set", "output.describe=true")
    assert (code, out) == (2, "")
    assert "output.describe needs a folder" in err


def test_a_missing_file_is_reported_in_one_sentence(sample, receval):
    code, out, err = receval("describe", sample / "quickstart.yaml", "--set", "data.test=nothing.csv")
    assert (code, out) == (3, "")
    assert "nothing.csv" in err
    assert err.count("\n") <= 2


@pytest.mark.parametrize("role", ["test", "train", "items"])
def test_one_file_is_described_before_there_are_lists(role, sample, receval):
    code, out, err = receval("describe", f"--{role}", sample / "data" / f"{role}.csv")
    assert (code, err) == (0, "")
    assert re.search(rf"^ +{role}$", out, re.MULTILINE)
    assert ("Rows per user" in out) == (role != "items")
    assert "Overlap" not in out


def test_without_lists_the_overlap_of_test_train_and_items_is_shown(sample, receval):
    files = [option for role in ("test", "train", "items") for option in (f"--{role}", sample / "data" / f"{role}.csv")]
    out = receval("describe", *files)[1]
    assert re.search(r"^  test in train +358 of 358 \(100\.0 %\) +1,054 of 1,054 \(100\.0 %\)$", out, re.MULTILINE)
    assert re.search(r"^  test in items +1,054 of 1,054 \(100\.0 %\)$", out, re.MULTILINE)


def test_a_config_without_lists_is_described(write, receval):
    write("test.csv", DATED)
    config = write("config.yaml", "data: {test: test.csv}\nevaluation: {metrics: [Precision]}")
    assert receval("describe", config)[0] == 0
    assert receval("run", config)[0] == 2


def test_items_and_lists_are_described_without_a_test_file(sample, receval):
    out = receval("describe", "--items", sample / "data" / "items.csv", "--recs", f"knn={sample}/data/knn.parquet")[1]
    assert re.search(r"^ +items +knn$", out, re.MULTILINE)
    assert re.search(r"^  knn in items +444 of 444 \(100\.0 %\)$", out, re.MULTILINE)


def test_a_config_loaded_to_be_described_is_not_evaluated(sample):
    loaded = library.load_config({"data": {"train": f"{sample}/data/train.csv"}, "evaluation": {"metrics": "nDCG"}}, describes=True)
    assert library.describe(loaded).table("train").rows == 30084
    with pytest.raises(library.ConfigError, match="has no test set or no lists: it was loaded only to describe its files"):
        library.run(loaded)


def test_describe_without_any_file_says_which_options_give_one(sample, receval):
    assert "give a config, or --test, --train or --items FILE" in receval("describe")[2]
    code, _, err = receval("describe", sample / "data" / "test.csv")
    assert code == 2
    assert re.search(r"test.csv, --train or --items; lists with --test FILE --recs \S+test.csv\n$", err)
    lists = receval("describe", "--recs", sample / "data" / "test.csv")[2]
    assert "or --test, --train or --items FILE, and --recs NAME=FILE beside it for lists" in lists


def test_the_numbers_of_a_column_have_the_same_decimals(sample, receval):
    out = receval("describe", "--test", sample / "data" / "test.csv")[1]
    per_user = out.partition("Rows per user")[2].partition("Gini")[0]
    assert re.findall(r"(\S+)$", per_user, re.MULTILINE)[2:] == ["1.00", "3.25", "7.00", "13.00", "29.00", "103.01", "254.00", "13.22"]
    assert re.search(r"lowest rating or score +1\.00\n.*3\.99\n.*5\.00\n", out)


def test_numbers_that_are_all_whole_have_no_decimals(write, receval):
    assert (
        "."
        not in receval("describe", "--test", write("test.csv", "user,item,rating\n1,7,3\n1,8,5\n"))[1]
        .partition("Rows per user")[0]
        .partition("lowest")[2]
    )
