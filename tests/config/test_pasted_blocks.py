"""Blocks of other programs mean the same wherever they are pasted, and one note names the convention."""

from __future__ import annotations

import json

import pytest

DATA = "data:\n  test: test.csv\n  train: train.csv\n  recommendations: {m: lists.csv}\n"
NAMES = ("MAP", "nDCG", "Precision", "Recall")
GRID = "{0}{1}:\n{0}  cutoff:\n{0}    type: int\n{0}    values: [1,5,10]\n"
"""A block of the documents of RELISON, below an indent."""
NOTE = "this config is written for RELISON: read under the convention relison; write convention: … to choose another"


def placed(where, names):
    """Return a config with the blocks of some metrics at a place."""
    if where == "at the top":
        return DATA + "".join(GRID.format("", name) for name in names)
    if where == "under evaluation":
        return DATA + "evaluation:\n" + "".join(GRID.format("  ", name) for name in names)
    return DATA + "evaluation:\n  metrics:\n" + "".join(GRID.format("    ", name) for name in names)


PLACES = ("at the top", "under evaluation", "under metrics")


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.csv").write_text("user,item,rating\n1,1,5\n1,2,5\n1,3,1\n2,2,4\n2,4,2\n3,5,1\n")
    (tmp_path / "train.csv").write_text("user,item,rating\n1,4,5\n2,1,3\n2,3,5\n3,2,4\n3,4,2\n4,6,4\n")
    (tmp_path / "lists.csv").write_text("user,item,score\n1,6,0.9\n1,3,0.8\n1,1,0.7\n2,2,0.9\n2,6,0.9\n3,5,0.7\n3,6,0.2\n")
    return tmp_path


def values(receval, world, text, *words):
    (world / "config.yaml").write_text(text)
    code, out, err = receval("run", "config.yaml", "--format", "json", "--set", "health=off", *words)
    assert code == 0, err
    rows = json.loads(out)["results"]
    return {(row["metric"], row["k"]): row["value"] for row in rows}, err


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), NAMES], ids=" ".join)
def test_a_block_of_relison_gives_the_same_numbers_at_every_place_with_one_note(receval, world, names):
    found = [values(receval, world, placed(where, names)) for where in PLACES]
    assert all(one == found[0][0] for one, _ in found)
    assert len(found[0][0]) == 3 * len(names)
    for _, err in found:
        assert err.count("read under the convention") == 1
        assert NOTE in err


@pytest.mark.parametrize("where", PLACES)
def test_the_converted_block_gives_the_same_numbers(receval, world, where):
    wanted, _ = values(receval, world, placed(where, NAMES))
    code, _, err = receval("init", "--from", "config.yaml", "-o", "ours.yaml")
    assert code == 0, err
    text = (world / "ours.yaml").read_text()
    assert "convention: relison" in text
    assert values(receval, world, text)[0] == wanted


@pytest.mark.parametrize("where", PLACES)
def test_another_convention_counts_at_every_place(receval, world, where):
    found, err = values(receval, world, placed(where, NAMES), "--set", "evaluation.convention=relison-docs")
    plain = {name: {"cutoff": [1, 5, 10]} for name in NAMES}
    ours, _ = values(receval, world, DATA + f"evaluation: {json.dumps({'convention': 'relison-docs', 'metrics': plain})}\n")
    assert found == ours
    assert "read under the convention" not in err


def test_an_error_in_a_block_at_the_top_names_its_own_place(receval, world):
    (world / "config.yaml").write_text(DATA + GRID.format("", "MAP").replace("[1,5,10]", "[0]"))
    code, _, err = receval("run", "config.yaml")
    assert code == 2
    assert "config.yaml:6:3: MAP" in err
