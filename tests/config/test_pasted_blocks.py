"""Blocks of other programs mean the same wherever they are pasted, and one note names the convention."""

from __future__ import annotations

import json
from textwrap import indent

import pytest

from tests.sizes import FULL

DATA = "data:\n  test: test.csv\n  train: train.csv\n  recommendations: {m: lists.csv}\n"
NAMES = ("MAP", "nDCG", "Precision", "Recall")
GRID = "{0}:\n  cutoff:\n    type: int\n    values: [1,5,10]\n"
"""A block of the documents of RELISON."""
LISTED = ("F1", "HitRate", "LAUC", "MAP", "MAR", "MRR", "nDCG", "nDCGRendle2020", "Precision", "Recall")
OF_TWO = """\
evaluation:
    top_k: [10, 20, 50]
    complex_metrics:
        - name: F1
          params:
              metric_name_1: nDCG
              metric_name_2: MAP
              beta: 0.5
"""
BLOCKS = {
    **{f"RELISON {name}": GRID.format(name) for name in NAMES},
    **{f"WarpRec {name}": f"evaluation:\n    top_k: [10, 20, 50]\n    metrics: [{name}]\n" for name in LISTED},
    **{f"WarpRec {name}": f"evaluation:\n    metrics: [{name}]\n" for name in ("AUC", "GAUC")},
    "WarpRec Extended-F1": OF_TWO,
}
"""Every block of YAML in the documents of docs/seeds.md, by its system and what it computes."""
NOTE = "this config is written for RELISON: read under the convention relison; write convention: … to choose another"
PLACES = {"at the top": "", "under evaluation": "evaluation:\n", "under metrics": "evaluation:\n  metrics:\n"}


def placed(where, *blocks):
    """Return a config with blocks at a place."""
    return DATA + PLACES[where] + indent("".join(blocks), "  " * PLACES[where].count("\n"))


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


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_the_documents_gives_the_same_numbers_at_every_place_and_converted_with_one_note(receval, world, block):
    number = [*BLOCKS].index(block)
    places = PLACES if FULL else [[*PLACES][(number + turn) % len(PLACES)] for turn in range(2)]
    found = [values(receval, world, placed(where, BLOCKS[block])) for where in places]
    numbers, program = found[0][0], block.split()[0]
    assert len(numbers) == (1 if "AUC" in block and "LAUC" not in block else 3)

    def has_one_note(said):
        named = f"convention: {program.lower()}" in said or f"under the convention {program.lower()}" in said
        return (said.count(program), named) == (1, True)

    for turn, (where, (at_place, said)) in enumerate(zip(places, found, strict=True)):
        assert at_place == numbers
        assert has_one_note(said)
        if turn and not FULL:
            continue  # each place is converted with every third block
        (world / "config.yaml").write_text(placed(where, BLOCKS[block]))
        code, _, err = receval("init", "--from", "config.yaml", "-o", f"{where}.yaml")
        assert code == 0, err
        text = (world / f"{where}.yaml").read_text()
        assert has_one_note(text)
        assert values(receval, world, text) == (numbers, "")


def test_all_blocks_of_relison_together_give_the_same_numbers_at_every_place_with_one_note(receval, world):
    found = [values(receval, world, placed(where, *(GRID.format(name) for name in NAMES))) for where in PLACES]
    assert all(numbers == found[0][0] for numbers, _ in found)
    assert len(found[0][0]) == 3 * len(NAMES)
    assert all((err.count(NOTE), err.count("read under the convention")) == (1, 1) for _, err in found)


@pytest.mark.parametrize("where", PLACES)
def test_the_converted_block_gives_the_same_numbers(receval, world, where):
    wanted, _ = values(receval, world, placed(where, *(GRID.format(name) for name in NAMES)))
    code, _, err = receval("init", "--from", "config.yaml", "-o", "ours.yaml")
    assert code == 0, err
    text = (world / "ours.yaml").read_text()
    assert "convention: relison" in text
    assert values(receval, world, text)[0] == wanted


@pytest.mark.parametrize("where", PLACES)
def test_another_convention_counts_at_every_place(receval, world, where):
    found, err = values(
        receval, world, placed(where, *(GRID.format(name) for name in NAMES)), "--set", "evaluation.convention=relison-docs"
    )
    plain = {name: {"cutoff": [1, 5, 10]} for name in NAMES}
    ours, _ = values(receval, world, DATA + f"evaluation: {json.dumps({'convention': 'relison-docs', 'metrics': plain})}\n")
    assert found == ours
    assert "read under the convention" not in err


def test_an_error_in_a_block_at_the_top_names_its_own_place(receval, world):
    (world / "config.yaml").write_text(DATA + GRID.format("MAP").replace("[1,5,10]", "[0]"))
    code, _, err = receval("run", "config.yaml")
    assert code == 2
    assert "config.yaml:6:3: MAP" in err
