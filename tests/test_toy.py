"""Five libraries on clean and dirty input: each convention gives the values of its library, or the difference is listed."""

from __future__ import annotations

import json
import runpy
import shutil

import pytest
import yaml
from receval import load_config, run

from tests.conftest import ROOT

TOY = ROOT / "tests" / "toy"
FLAWS = runpy.run_path(str(TOY / "ask.py"))["FLAWS"]
ANSWERS = {path.stem: json.loads(path.read_text())["answers"] for path in sorted((TOY / "reference").glob("*.json"))}
SPELLINGS = {
    "ranx": ("precision", "recall", "ndcg", "map"),
    "ir_measures": ("P", "R", "nDCG", "AP"),
    "rectools": ("Precision", "Recall", "NDCG", "MAP"),
    "replay": ("Precision", "Recall", "NDCG", "MAP"),
    "recommenders": ("precision_at_k", "recall_at_k", "ndcg_at_k", "map_at_k"),
}
DIFFERENT = {
    ("recommenders", "rows twice in the lists", "nDCG"): "ndcg_at_k joins repeated rows with each other",
    ("recommenders", "a row twice in the truth", "nDCG"): "ndcg_at_k joins repeated rows with each other",
    ("recommenders", "a row twice in the truth", "MAP"): "its precision at a rank counts repeated rows",
    ("rectools", "a row twice in the truth", "MAP"): "its precision at a rank counts repeated rows",
}
"""Differences between receval and the library; see the notes of the convention."""


def evaluated(library, flaw, folder):
    truth, lists, _ = FLAWS[flaw]
    for name in (truth, lists):
        shutil.copy(TOY / f"{name}.csv", folder)
    asked = {"convention": library, "metrics": list(SPELLINGS[library]), "top_k": [3]}
    config = {"data": {"test": f"{truth}.csv", "recommendations": {"model": f"{lists}.csv"}}, "evaluation": asked}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    result = run(load_config(folder / "config.yaml"))
    return dict(zip(("P", "R", "nDCG", "MAP"), (row.value for row in result.rows), strict=True))


@pytest.mark.parametrize("library", SPELLINGS)
@pytest.mark.parametrize("flaw", FLAWS)
def test_the_convention_of_a_library_gives_the_values_of_the_library(library, flaw, tmp_path):
    found = evaluated(library, flaw, tmp_path)
    for measure, answer in ANSWERS[library][flaw].items():
        if "value" in answer:  # receval continues if a library raises an error
            same = found[measure] == pytest.approx(answer["value"], abs=1e-9)
            assert same is ((library, flaw, measure) not in DIFFERENT), (measure, found[measure], answer)


def test_every_library_was_run_on_every_flaw():
    assert ANSWERS.keys() == SPELLINGS.keys()
    for library, answers in ANSWERS.items():
        assert list(answers) == list(FLAWS), library
        asked = [flaw for flaw, found in answers.items() if found]
        assert [flaw for flaw in FLAWS if flaw not in asked] == ([f for f in FLAWS if "tied" in f] if library == "rectools" else [])


def test_integer_ids_match_text_ids_of_another_file(tmp_path):
    import polars as pl

    pl.read_csv(TOY / "truth.csv").write_parquet(tmp_path / "truth.parquet")
    pl.read_csv(TOY / "clean.csv", schema_overrides={"user": pl.String, "item": pl.String}).write_parquet(tmp_path / "lists.parquet")
    config = {"data": {"test": "truth.parquet", "recommendations": {"model": "lists.parquet"}}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config | {"evaluation": {"metrics": ["nDCG"], "top_k": [3]}}))
    (row,) = run(load_config(tmp_path / "config.yaml")).rows
    assert row.value == pytest.approx(ANSWERS["ranx"]["clean"]["nDCG"]["value"])
