"""`EvaluationResult`: values by name, frames, and the table of the screen and of a notebook."""

from __future__ import annotations

import logging
import os
import re
import shutil
import warnings
from typing import Any

import polars as pl
import pytest
import receval
from receval.support import outputs

from tests.conftest import CONFIGS

TEST = {1: [1, 2], 2: [3], 3: [4]}
LISTS: dict[str, Any] = {"als": {1: [1, 3], 2: [3], 3: [5]}, "knn <b>": {1: [2, 9], 2: [8], 3: [4]}}


@pytest.fixture(scope="module")
def result() -> receval.EvaluationResult:
    return receval.evaluate(
        test=TEST, recommendations=LISTS, metrics=["nDCG", "ItemCoverage(form=count)@2"], top_k=[1, 2], items=list(range(10))
    )


def test_a_value_is_found_by_model_and_measure(result: receval.EvaluationResult):
    row = result["als", "nDCG@1"]
    assert (row.value, row.n_users, row.metric, row.k) == (2 / 3, 3, "nDCG", 1)
    assert result["als"]["nDCG@1"] == row
    assert result["als", "ndcg@1"] == result["als", "NDCGAtK@1"] == row
    assert result["als", "ItemCoverage(form=count)"].value == 3


def test_an_unknown_name_is_a_key_error_with_the_nearest_name(result: receval.EvaluationResult):
    for place, sentence in {
        ("asl", "nDCG@1"): "there is no model named 'asl': did you mean 'als'?",
        ("als", "nDCG@3"): "there is no value of 'nDCG@3': did you mean 'nDCG@2'?",
        ("als", "nDCG"): "nDCG has several values: choose one of nDCG@1, nDCG@2",
        "nDCG@1": "there is no model named 'nDCG@1'",
    }.items():
        with pytest.raises(KeyError, match=re.escape(sentence)):
            result[place]


def test_frames_have_the_rows_of_the_long_table(result: receval.EvaluationResult):
    assert result.values.equals(result.to_polars())
    assert result.values.select("model", "metric", "k", "value").row(0) == ("als", "nDCG", 1, 2 / 3)
    assert result.to_pandas()["value"].tolist() == result.values["value"].to_list()
    assert result.to_arrow().column_names == result.values.columns
    assert result.to_dict()["als"]["nDCG@1"] == 2 / 3
    assert result.per_user["als"].columns == ["user", "n_relevant", "n_recommended", "nDCG@1", "nDCG@2"]


def test_repr_is_the_table_of_the_command_line(result: receval.EvaluationResult, receval: Any, tmp_path: Any):
    code, out, _ = receval("run", CONFIGS / "quickstart.yaml")
    assert code == 0
    import receval as library

    assert repr(library.evaluate(CONFIGS / "quickstart.yaml")).splitlines() == out.rstrip("\n").splitlines()


@pytest.mark.parametrize(
    ("name", "options", "arguments"),
    [
        ("audit", ("audit", "-m", "nDCG@10"), {"metrics": "nDCG@10"}),
        ("describe", ("describe",), {}),
        ("explain", ("explain", "nDCG@10", "--user", "1", "--model", "knn"), {"measure": "nDCG@10", "user": 1, "model": "knn"}),
    ],
)
def test_a_study_prints_as_the_tables_of_its_command(name: str, options: Any, arguments: Any, receval: Any) -> None:
    data = CONFIGS / "data"
    test = data / "test.csv"
    code, out, _ = receval(*options, "--test", test, "--recs", f"knn={data / 'knn.parquet'}", "--threshold", "4")
    import receval as library

    study = getattr(library, name)(test=test, recommendations={"knn": data / "knn.parquet"}, relevance=4, **arguments)
    expected = [line for line in out.splitlines() if line and "add --why" not in line]
    assert (code, [line for line in repr(study).splitlines() if line]) == (0, expected)


@pytest.mark.parametrize("name", ["table.tex", "results.CSV", "page.html"])
def test_save_refuses_the_name_of_a_file_and_says_what_writes_one(name: str, result: receval.EvaluationResult, tmp_path: Any):
    with pytest.raises(receval.ConfigError, match=f"save writes a folder, but .*{name} ends like a file") as caught:
        result.save(tmp_path / name)
    assert "result.report writes .html, .md and .tex" in str(caught.value)
    assert not (tmp_path / name).exists()
    result.save(tmp_path / "model-v1.2")
    result.save(f"{tmp_path / name}/")


def test_a_notebook_gets_a_table_without_scripts_and_with_escaped_text(result: receval.EvaluationResult):
    shown = result._repr_html_()
    assert "<script" not in shown
    assert "knn &lt;b&gt;" in shown
    assert all(name.startswith("receval-") for names in re.findall(r'class="([^"]*)"', shown) for name in names.split())
    assert " id=" not in shown
    assert result._repr_mimebundle_() == {"text/plain": repr(result), "text/html": shown}
    assert [shown.count(f"<{tag}") for tag in ("table", "tr")] == [shown.count(f"</{tag}>") for tag in ("table", "tr")]
    values = re.findall(r"([\d.]+)<", "".join(re.findall(r"<td.*</td>", shown)))
    assert values == ["0.6667", "0.6667", "0.5377", "0.5377", "3", "4"]


def test_findings_and_failure_come_from_the_checks():
    result = receval.check(test=TEST, recommendations={1: [1, 1]}, metrics="nDCG@2", health={"R01": "error"})
    assert [finding.severity for finding in result.findings if finding.check == "R01"] == ["error"]
    assert result.failed()


def test_a_single_model_needs_no_name():
    result = receval.evaluate(test=TEST, recommendations=LISTS["als"], metrics="HitRate@1", yardsticks="oracle")
    assert result["HitRate@1"].value == 2 / 3
    assert result["(oracle)", "HitRate@1"].value == 1.0


def test_nothing_is_printed_and_no_file_is_written(capfd: pytest.CaptureFixture[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    receval.evaluate(test=TEST, recommendations=LISTS, metrics="HitRate@1")
    receval.check(test=TEST, recommendations=LISTS)
    receval.describe(test=TEST, recommendations=LISTS)
    explanation = receval.explain(measure="nDCG@2", user=1, model="als", test=TEST, recommendations=LISTS)
    assert str(explanation).startswith("nDCG@2 of user 1, model als\n")
    receval.audit(test=TEST, recommendations=LISTS, metrics="nDCG@2", conventions=["ranx"])
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["ndjson", "json", "arrow", "csv", "parquet"])
def test_other_code_of_the_process_that_reads_files_is_not_affected(ending: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    lists = pl.DataFrame({"user": [1, 1, 2], "item": [10, 11, 12], "score": [0.9, 0.8, 0.7]})
    file = tmp_path / f"lists.{ending}"
    {
        "ndjson": lists.write_ndjson,
        "json": lists.write_json,
        "arrow": lists.write_ipc,
        "csv": lists.write_csv,
        "parquet": lists.write_parquet,
    }[ending](file)
    before = (dict(os.environ), pl.Config.state(), warnings.filters[:], logging.getLogger().handlers[:])
    receval.evaluate(test=TEST, recommendations=file, metrics="HitRate@1")
    assert (dict(os.environ), pl.Config.state(), warnings.filters[:], logging.getLogger().handlers[:]) == before
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    lists.write_csv(tmp_path / "own.csv")
    assert pl.read_csv("../own.csv").equals(lists)


def test_a_config_may_be_a_path_a_mapping_or_loaded(result: receval.EvaluationResult):
    frame = pl.DataFrame({"user": [1], "item": [2]})
    config = {"data": {"test": frame, "recommendations": {"m": frame, "n": {1: [3]}}}, "evaluation": {"metrics": ["HitRate@1"]}}
    assert receval.evaluate(config).to_dict() == receval.evaluate(receval.load_config(config)).to_dict()
    assert receval.run(receval.load_config(config)).config["data"]["test"] == {"frame": "polars.DataFrame"}
    assert receval.explain(config, "HitRate@1", 1, "m").value == 1.0
    assert [table.rows for table in receval.describe(config).tables] == [1, 1, 1]


def test_values_of_users_stay_when_the_folder_that_they_were_written_into_is_gone(tmp_path, monkeypatch):
    monkeypatch.setitem(outputs.PARQUET, "row_group_size", 2)
    config = {"data": {"test": TEST, "recommendations": {"als": LISTS["als"]}}, "evaluation": {"metrics": ["Recall@1"]}}
    written = receval.evaluate_config(config, outputs=[f"{tmp_path}/out/"]).result
    shutil.rmtree(tmp_path / "out")
    assert written.per_user["als"]["Recall@1"].to_list() == [0.5, 1.0, 0.0]


def test_arguments_of_a_call_become_the_config_of_the_result():
    arguments: dict[str, Any] = {"metrics": ["nDCG", "Recall@20"], "top_k": range(1, 4), "yardsticks": True, "train": {1: [7], 2: [8]}}
    result = receval.evaluate(test=TEST, recommendations=LISTS, **arguments)
    assert [row.label for row in result.rows if row.model == "als"] == ["nDCG@1", "nDCG@2", "nDCG@3", "Recall@20"]
    assert result.yardsticks == ("(oracle)", "(popularity)", "(random)")
    assert result.config["evaluation"]["top_k"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"losers": -1}, "losers must be the number of users to list, a whole number from 0, not -1"),
        ({"losers": "x"}, "losers must be the number of users to list, a whole number from 0, not 'x'"),
        ({"by": "age"}, "^by age: the results"),
        ({"cluster": "age"}, "^cluster age: the results"),
    ],
)
def test_a_wrong_argument_of_a_comparison_is_named_in_words_of_the_call(result: receval.EvaluationResult, asked: Any, message: str):
    with pytest.raises(receval.RecevalError, match=message):
        result.compare(**asked)


def test_an_audit_takes_the_name_of_one_convention():
    one = receval.audit(test=TEST, recommendations=LISTS["als"], metrics="nDCG@2", conventions="elliot")
    assert one.conventions == receval.audit(test=TEST, recommendations=LISTS["als"], metrics="nDCG@2", conventions=["elliot"]).conventions


def test_a_run_is_found_by_the_name_that_findings_give_it():
    lists = {"BPR": {"runs": [{1: [1, 2]}, {1: [2, 1]}]}}
    repeated = receval.evaluate(test={1: [1]}, recommendations=lists, metrics=["MRR@2"], health=False)
    assert [repeated[f"BPR (run {run})", "MRR@2"].value for run in (1, 2)] == [1.0, 0.5]
    with pytest.raises(KeyError, match="there is no model named 'BPR \\(run 3\\)'"):
        repeated["BPR (run 3)", "MRR@2"]


def test_a_result_has_a_length_rows_and_members_and_a_row_is_a_number(result: receval.EvaluationResult):
    rows = list(result)
    assert len(result) == len(rows) > 0
    row = rows[0]
    assert (row in result, (row.model, row.label) in result, row.model in result, "nothing" in result) == (True, True, True, False)
    assert not any(place in result for place in (5, None, 0.5, ("als",), ("als", 5), ("als", "nDCG@10", "users"), ["als"]))
    assert float(row) == row.value
    assert repr(row) == f"Row({row.model!r}, {row.label!r}, value={row.value!r}, n_users={row.n_users})"


def test_a_table_in_latex_is_a_text_that_says_who_lacks_lists(tmp_path: Any):
    test, whole = {user: [user % 7] for user in range(100)}, {user: [user % 7, 9] for user in range(100)}
    some = {user: whole[user] for user in range(60)}
    result = receval.evaluate(test=test, recommendations={"a": whole, "bpr": some}, metrics="nDCG@2", health=False)
    text = result.to_latex(names={"a": "ALS", "bpr": "BPR", "nDCG": "NDCG"})
    assert "Users without a list: a 0 of 100; BPR 40 of 100. They count 0." in text
    assert [line for line in text.splitlines() if line.startswith(("ALS &", "BPR &"))]
    assert "NDCG@2" in text
    result.report(tmp_path / "t.tex")
    assert (tmp_path / "t.tex").read_text() == result.to_latex()
    assert result.to_markdown().startswith("# Evaluation of a, bpr\n")
