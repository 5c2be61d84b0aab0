"""A run that would overwrite or remove one of its inputs is refused before it reads anything."""

from __future__ import annotations

import os

import pytest

CONFIG = """data:
  test: test.csv
  recommendations: {m: lists/m.csv}
evaluation: {convention: receval, metrics: [MRR]}
health: off
"""
TEST, LISTS = "user,item\n1,10\n", "user,item,score\n1,10,1\n1,11,0.5\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a config, a test file, and a model's lists in a folder `lists`."""
    (tmp_path / "lists").mkdir()
    for name, content in {"config.yaml": CONFIG, "test.csv": TEST, "lists/m.csv": LISTS}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ("lists/m.csv", ["-o", "test.csv"], "-o test.csv would overwrite test.csv, which is data.test"),
        ("lists/m.csv", ["-o", "link.csv"], "-o link.csv would overwrite test.csv, which is data.test"),
        ("link.csv", ["-o", "lists/../lists/m.csv"], "-o lists/../lists/m.csv would overwrite link.csv, which is data.recommendations.m"),
        ("results.csv", ["--set", "output.dir=."], "output.dir: . would overwrite or remove results.csv, which is data.recommendations.m"),
        ("r*.csv", ["-o", "./"], "-o ./ would overwrite or remove results.csv, which is data.recommendations.m"),
        ("link.csv", ["-o", "out/"], "-o out/ would overwrite or remove link.csv, which is data.recommendations.m"),
        ("d/T01.parquet", ["--store-failures", "d"], "--store-failures d would overwrite or remove d/T01.parquet, which is data."),
        ("lists", ["-o", "lists/m.csv"], "-o lists/m.csv: the next run would read the results as input"),
        ("lists", ["--set", "output.dir=lists/out"], "because lists is the folder of data.recommendations.m"),
        ("lists", ["--store-failures", "lists"], "--store-failures lists: the next run would read the results as input"),
        ("{path: lists/m.csv}, n: lists/n.csv", ["-o", "lists/n.csv"], "-o lists/n.csv would overwrite lists/n.csv, which is data."),
    ],
)  # fmt: skip
def test_a_run_that_would_overwrite_an_input_is_refused_with_both_names(lists, options, message, folder, receval):
    (folder / "d").mkdir()
    (folder / "out").mkdir()
    for name in ("results.csv", "d/T01.parquet", "out/results.csv", "lists/n.csv"):
        (folder / name).write_text("not to be read")
    leads_to = {"-o": "test.csv" if options[1] == "link.csv" else "lists/m.csv"}.get(options[0], "lists/m.csv")
    (folder / "link.csv").symlink_to("out/results.csv" if options[1] == "out/" else leads_to)
    (folder / "config.yaml").write_text(CONFIG.replace("lists/m.csv", lists))
    before = contents(folder)
    code, out, err = receval("run", "config.yaml", *options)
    assert (code, out) == (2, ""), err
    assert message in err
    assert len(err.splitlines()) == 2
    assert contents(folder) == before


def test_check_refuses_to_store_rows_over_an_input(folder, receval):
    os.rename("test.csv", "R01.parquet")
    (folder / "config.yaml").write_text(CONFIG.replace("test.csv", "R01.parquet"))
    code, out, err = receval("check", "config.yaml", "--store-failures", ".")
    assert (code, out) == (2, "")
    assert "--store-failures . would overwrite or remove R01.parquet, which is data.test" in err


def test_a_config_is_not_overwritten_by_its_result(folder, receval):
    os.rename("config.yaml", "config.json")
    code, _, err = receval("run", "config.json", "-o", "config.json")
    assert code == 2
    assert "-o config.json would overwrite config.json, which is the config" in err


@pytest.mark.parametrize("options", [["-o", "./"], ["-o", "lists/"], ["-o", "lists/results.csv", "--store-failures", "."]])
def test_results_can_be_written_beside_inputs(options, folder, receval):
    code, _, err = receval("run", "config.yaml", *options)
    assert code == 0, err
    assert {name: content for name, content in contents(folder).items() if name in ("config.yaml", "test.csv", "lists/m.csv")} == {
        "config.yaml": CONFIG.encode(), "test.csv": TEST.encode(), "lists/m.csv": LISTS.encode()
    }  # fmt: skip


def test_results_can_be_written_into_a_hidden_folder_among_the_parts_of_an_input(folder, receval):
    (folder / "config.yaml").write_text(CONFIG.replace("lists/m.csv", "lists"))
    assert receval("run", "config.yaml", "-o", "lists/_results/")[0] == 0
    assert receval("run", "config.yaml", "-o", "lists/_results/")[0] == 0
