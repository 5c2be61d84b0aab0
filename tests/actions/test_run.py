"""`receval.evaluate_config` does the same as `receval run`, and returns a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import receval as library
import yaml

from tests.cli.gate_place import CONFIG, SIDE, TEST, lists
from tests.conftest import CONFIGS

QUICKSTART = CONFIGS / "quickstart.yaml"


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def config(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that writes a config of two models into a folder, with changed sections."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("test", TEST), ("users", SIDE), ("home", lists(lambda u: u % 2)), ("worse", lists(lambda u: u % 3 == 1))):
        write(f"{name}.csv", text)
    data = {"test": "test.csv", "recommendations": {"home": "home.csv", "worse": "worse.csv"}}
    plain = {key: section for key, section in {**CONFIG, "data": data}.items() if key != "gates"}

    def config(**sections: Any) -> Path:
        return Path(write("config.yaml", yaml.safe_dump({**plain, **sections})))

    return config


EVERYTHING = {
    "gates": {"rules": ["nDCG@2 >= 0.1", "Recall@1 >= 0.9"]},
    "report": {"files": ["report.html", "tables.tex", "junit.xml"]},
    "output": {"dir": "results", "per_user": ["csv", "parquet"], "enriched": True, "describe": True},
    "track": [{"dvc": {"dir": "dvc"}}],
}


def test_a_run_from_python_writes_the_bytes_of_the_command_line(config, receval, tmp_path):
    path = config(**EVERYTHING)
    code, _, err = receval("run", path, "-q", "-o", "values.csv", "-o", "badge.svg", "--store-failures", "failed")
    written = files_of(tmp_path)
    for name in written:
        if Path(name).suffix not in (".yaml",) and name not in ("test.csv", "users.csv", "home.csv", "worse.csv"):
            (tmp_path / name).unlink()
    record = library.evaluate_config(path, outputs=["values.csv", "badge.svg"], store_failures="failed")
    assert files_of(tmp_path) == written
    assert code == record.exit_code == 1
    assert record.verdicts.failed()
    assert "1 of" in err or record.gate_summary in err
    assert {str(written_path) for written_path in record.written} >= {"values.csv", "badge.svg"}
    assert [outcome.name for outcome in record.tracked] == ["dvc"]


def test_the_record_has_the_conclusions_and_sentences_of_the_command(config, receval):
    path = config()
    record = library.evaluate_config(path)
    assert record.result.conclusions
    (sentence,) = record.sentences
    assert sentence in " ".join(receval("run", path)[1].split())
    assert record.result["home", "nDCG@2"].value == library.evaluate(path)["home", "nDCG@2"].value
    assert (record.exit_code, record.failure, record.written, record.report) == (0, None, (), None)


def test_gates_that_cannot_be_judged_are_the_failure_of_the_record_and_values_are_written(config, tmp_path):
    path = config(gates={"baseline": "kept", "rules": ["nDCG@2 max_loss 2%"]})
    library.evaluate_config(config(data={"test": "home.csv", "recommendations": {"home": "home.csv"}}), outputs="kept/")
    record = library.evaluate_config(config(gates={"baseline": "kept", "rules": ["nDCG@2 max_loss 2%"]}), outputs="values.json")
    assert path.is_file()
    assert isinstance(record.failure, library.DataError)
    assert record.exit_code == 3
    assert json.loads((tmp_path / "values.json").read_text())["results"]


def test_wrong_outputs_are_refused_before_anything_is_read(config):
    path = config(data={"test": "gone.csv", "recommendations": {"home": "home.csv"}})
    with pytest.raises(library.ConfigError, match=r"x\.docx: the name of a file must end in \.csv, .*, or in / for a folder"):
        library.evaluate_config(path, outputs="x.docx")
    with pytest.raises(library.ConfigError, match="an output has no file name"):
        library.evaluate_config(path, outputs=" ")
    with pytest.raises(library.ConfigError, match=r"output\.enriched needs a folder"):
        library.evaluate_config(config(output={"enriched": True}))


def test_evaluate_config_evaluate_and_the_command_line_have_the_same_conclusions(config, receval, tmp_path):
    path = config()
    assert receval("run", path, "-q", "-o", "kept/")[0] == 0
    kept = library.load_results("kept").conclusions
    assert library.run(library.load_config(path)).conclusions == library.evaluate(path).conclusions == kept
    assert kept
    assert library.run(library.load_config(path), keep_users=False).conclusions == ()


def test_progress_is_passed_to_a_callback(config):
    told: list[library.Progress] = []
    library.evaluate_config(config(), progress=told.append)
    assert [progress.model for progress in told if progress.n_rows == 0][:2] == ["home", "worse"]


def test_warnings_of_a_config_are_python_warnings(config):
    data = {"test": "test.csv", "train": "test.csv", "recommendations": {"home": "home.csv"}}
    path = config(data=data, evaluation={"metrics": ["Gini@2"], "aggregates": ["median"]})
    with pytest.warns(UserWarning, match="every measure is one value per model, not per user"):
        library.evaluate_config(path)


def test_a_mapping_with_frames_is_a_config_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lists = pl.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
    data = {"test": {"frame": pl.DataFrame({"user": [1, 2], "item": ["a", "b"]})}, "recommendations": {"one": {"frame": lists}}}
    record = library.evaluate_config({"data": data, "evaluation": {"metrics": ["nDCG@2"]}}, outputs=["kept/", "values.md"])
    assert record.result["nDCG@2"].value == library.load_results("kept")["nDCG@2"].value == 0.5
    assert record.written == (Path("values.md"), Path("kept/"))
