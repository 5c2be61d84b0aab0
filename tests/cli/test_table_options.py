"""`receval run --sort`, `--columns`, `--digits` and `--models-as-rows`; `-q` and `-v`."""

from __future__ import annotations

import re

import pytest

from tests.conftest import CONFIGS

QUICKSTART = CONFIGS / "quickstart.yaml"


def heads(text):
    return next(re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.startswith(("  measure", "  model")))


def rows(text):
    return [line.split()[0] for line in text.splitlines() if re.search(r"\d\.\d{2}", line) and line.startswith("  ") and "from" not in line]


def test_measures_are_chosen_by_label_or_metric_in_any_case(receval):
    code, out, _ = receval("run", QUICKSTART, "--columns", "ndcg,Recall@20", "--columns", "map@5")
    assert code == 0
    assert rows(out) == ["nDCG@5", "nDCG@10", "nDCG@20", "Recall@20", "MAP@5"]


def test_sort_puts_the_best_model_first_and_reference_lists_last(receval, sample):
    arguments = ("--set", "data.train=data/train.csv", "--set", "evaluation.yardsticks=[oracle]", "--columns", "nDCG@10")
    out = receval("run", QUICKSTART, *arguments, "--sort", "nDCG@10", "--recs", f"again={CONFIGS}/data/popular.parquet")[1]
    assert rows(out)[:5] == ["knn", "popular", "again", "random", "(oracle)"]
    lower = receval("run", sample / "families.yaml", "--columns", "Gini", "--sort", "Gini", "--models-as-rows")[1]
    assert rows(lower) == ["random", "knn", "popular"]


def test_digits_and_rows_can_be_chosen(receval):
    out = receval("run", QUICKSTART, "--digits", "2", "--models-as-rows", "--columns", "nDCG")[1]
    assert heads(out) == ["model", "nDCG@5 ↑", "nDCG@10 ↑", "nDCG@20 ↑"]
    assert "350 users for each model." in out
    assert "0.20 ◂" in out
    out = receval("run", QUICKSTART, "--measures-as-rows", "--columns", "nDCG@5")[1]
    assert heads(out)[0] == "measure"


def test_markdown_has_the_chosen_measures_and_order_too(receval):
    out = receval("run", QUICKSTART, "--format", "md", "--columns", "nDCG@10", "--sort", "nDCG@10")[1]
    assert "| measure | knn | popular | random |" in out
    assert "Recall" not in out.replace("Recall@20: from", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--columns", "nDCG@10,nope"), "the result has no measure 'nope'; it has Precision@5,"),
        (("--sort", "nDGC@10"), "the result has no measure 'nDGC@10' — did you mean 'nDCG@10'?"),
        (("--digits", "2", "--format", "csv"), "--digits works only with the table, not with --format csv"),
        (("--sort", "nDCG@10", "--per-user"), "--sort works only with the table, not with --format csv"),
        (("--measures-as-rows", "--format", "md"), "--measures-as-rows works only with the table, not with --format md"),
        (("--digits", "13"), "13 is not in the range 0<=x<=12"),
        (("-q", "-v"), "-q and -v contradict each other: give only one"),
    ],
)
def test_impossible_table_options_are_refused_before_the_computation(arguments, message, receval, monkeypatch):
    from receval.evaluation import running

    monkeypatch.setattr(running, "open_inputs", None)
    code, out, err = receval("run", QUICKSTART, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_verbose_adds_findings_counted_users_and_inputs_and_quiet_prints_nothing(receval):
    plain, verbose = receval("run", QUICKSTART)[1], receval("run", QUICKSTART, "-v")[1]
    assert "note R06" in verbose
    assert "note R06" not in plain
    assert "350 count; 8 (no relevant item) left out; 221 with a list have no test row (all measures)" in verbose
    assert "the other 8 are left out" in plain
    assert "data.test                     4,732 rows: data/test.csv" in verbose
    assert receval("run", QUICKSTART, "-q") == (0, "", "")


def test_verbose_shows_the_counted_users_of_all_measures(receval):
    arguments = (
        "run",
        QUICKSTART,
        "-v",
        "--set",
        "evaluation.metrics=[nDCG,ItemCoverage]",
        "--set",
        "data.train=data/train.csv",
        "--set",
        "evaluation.top_k=[10]",
    )
    some = receval(*arguments, "--columns", "nDCG")[1]
    assert "(nDCG@10)" in some
    assert "(ItemCoverage@10)" in some


def test_quiet_says_why_a_run_fails(receval):
    code, out, err = receval("run", QUICKSTART, "-q", "--set", "health.T02=error")
    assert (code, out) == (1, "")
    assert err.startswith("error T02  8 of 358 test users")


@pytest.mark.parametrize("written", [("--format", "latex"), ("-o", "t.tex"), ("--format", "latex", "--set", "report.latex.rows=measures")])
def test_tables_in_latex_have_measures_as_rows_if_asked(written, receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    way = () if "--set" in written else ("--measures-as-rows",)
    code, out, err = receval(
        "run", QUICKSTART, *way, *written, "--set", "evaluation.metrics=[nDCG,Recall]", "--set", "evaluation.top_k=[5,10]"
    )
    assert code == 0, err
    latex = (tmp_path / "t.tex").read_text() if "-o" in written else out
    heads = [line.partition(" & ")[0] for line in latex.splitlines() if " & " in line]
    assert heads == ["", *(rf"{name} $\uparrow$" for name in ("nDCG@5", "nDCG@10", "Recall@5", "Recall@10"))]
