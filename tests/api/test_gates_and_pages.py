"""`receval.gate`, `result.report` and `result.chart`: the functions of the command line, on results in memory."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import receval
from msgspec.structs import force_setattr

MORE = {user: [user % 7, 7 + user % 5, 20] for user in range(200)}
GOOD = [*range(150)]


@pytest.fixture(scope="module")
def result() -> receval.EvaluationResult:
    """Evaluate two models: `new` has the relevant item first for 150 of 200 users, `old` only at rank 3."""
    new = {user: items if user in GOOD else items[::-1] for user, items in MORE.items()}
    lists = {"old": {user: items[::-1] for user, items in MORE.items()}, "new": new}
    test = {user: [user % 7] for user in MORE}
    return receval.evaluate(test=test, recommendations=lists, metrics=["nDCG", "HitRate"], top_k=[1, 3], health=False)


def test_rules_are_judged_and_passed_is_the_outcome(result: receval.EvaluationResult):
    verdicts = result.gate(["HitRate@1 >= 0.5", {"measure": "nDCG@3", "min_gain": 0.1}], baseline="old")
    assert [(verdict.model, verdict.outcome, verdict.base) for verdict in verdicts] == [("new", "pass", None), ("new", "pass", "old")]
    assert verdicts.passed
    worse = result.gate("HitRate@1 max_loss 1%", baseline="new")
    assert (worse.passed, worse.summary(), len(worse)) == (False, "the only gate failed", 1)
    assert repr(worse).splitlines()[0] == "gates · old against new · 200 users, paired · one-sided 95 % bounds"
    assert repr(worse).splitlines()[-1] == "the only gate failed"
    assert worse.to_polars().select("model", "outcome").row(0) == ("old", "fail")


def test_a_baseline_is_a_result_a_folder_or_a_model(result: receval.EvaluationResult, tmp_path: Path):
    result.save(tmp_path / "main")
    rule = "nDCG@3 max_loss 0"
    in_memory = result.gate(rule, baseline={"main": result})
    assert in_memory == result.gate(rule, baseline=tmp_path / "main") == receval.gate(tmp_path / "main", rule, baseline={"main": result})
    assert {gate.base for gate in in_memory} == {"main/old", "main/new"}
    missing = result.gate(rule, baseline=str(tmp_path / "none"), if_missing="warn")
    assert {(gate.outcome, gate.consequence) for gate in missing} == {("skipped", "warn")}


def test_an_anchor_is_a_result_or_a_folder(result: receval.EvaluationResult, tmp_path: Path):
    result.save(tmp_path / "spring")
    for anchor in ({"spring": result}, tmp_path / "spring"):
        verdicts = result.gate("HitRate@1 max_loss 20%", baseline="old", anchor=anchor, models="new")
        assert [(verdict.outcome, verdict.anchor.base, verdict.anchor.outcome) for verdict in verdicts] == [("pass", "spring/new", "pass")]
        assert verdicts.to_dict()["gates"][0]["anchor"]["base"] == "spring/new"


def test_a_baseline_model_of_another_name_can_be_chosen(result: receval.EvaluationResult):
    verdicts = result.gate("HitRate@1 max_loss 90%", baseline={"main": result}, baseline_model="old", models="new")
    assert [(verdict.base, verdict.outcome) for verdict in verdicts] == [("main/old", "pass")]


def test_the_rules_of_the_config_are_judged_by_default(result: receval.EvaluationResult, tmp_path: Path):
    config = {**result.config, "gates": {"rules": ["HitRate@1 >= 0.9"], "models": "new"}}
    stored = receval.EvaluationResult.of(result)
    force_setattr(stored, "config", config)
    assert [gate.outcome for gate in stored.gate()] == ["fail"]
    assert [gate.outcome for gate in stored.gate("HitRate@1 >= 0.7")] == ["pass"]


def test_an_argument_says_when_a_margin_fails_unless_its_rule_does(result: receval.EvaluationResult):
    margin, own = "nDCG@3 max_loss 0", {"measure": "nDCG@3", "max_loss": 0, "fail": "shown_beyond"}
    found = result.gate([margin, own], baseline="new", models="old", fail="value")
    assert [gate["fail"] for gate in found.to_dict()["gates"]] == ["value", "shown_beyond"]
    assert [gate.fail for gate in result.gate(margin, baseline="new", models="old").gates] == ["shown_worse"]


@pytest.mark.parametrize(
    ("rules", "asked", "sentence"),
    [
        ([], {}, "there are no rules to judge"),
        ("nDCG@3 >>> 1", {}, "rule nDCG@3 >>> 1: a rule has >= or <="),
        ({"measure": "nDCG@3", "maxx": 1}, {}, "unknown key 'maxx' — did you mean 'max'?"),
        ("nDCG@9 >= 1", {}, "the results have no measure 'nDCG@9'"),
        ("nDCG@3 max_loss 2%", {}, "give baseline, or against in the rule"),
        ("nDCG@3 max_loss 2%", {"baseline": 3}, "give a result"),
        ("nDCG@3 max_loss 2%", {"baseline": "no/folder"}, "create it with result.save, or set if_missing"),
        ("nDCG@3 >= 1", {"inconclusive": "maybe"}, "inconclusive"),
        ("nDCG@3 >= 1", {"fail": "maybe"}, "fail"),
    ],
)
def test_a_rule_that_cannot_be_judged_is_refused_in_one_sentence(result: receval.EvaluationResult, rules: Any, asked: Any, sentence: str):
    with pytest.raises(receval.RecevalError) as failure:
        result.gate(rules, **asked)
    assert sentence in str(failure.value)
    assert "--" not in str(failure.value)


def test_a_comparison_has_the_same_report_and_charts_as_on_the_command_line(result: receval.EvaluationResult, tmp_path: Path):
    from click.testing import CliRunner
    from receval.cli.commands import cli

    result.save(tmp_path / "result")
    receval.compare(result, result).report(tmp_path / "twice.html")
    assert "baseline/new" in (tmp_path / "twice.html").read_text("utf-8")
    comparison = result.compare("old", margin="1%")
    for name in ("page.html", "page.md", "table.tex", "junit.xml"):
        comparison.report(tmp_path / name, title="Home page")
        folder, made = str(tmp_path / "result"), str(tmp_path / f"made-{name}")
        asked = ["--baseline", "old", "--margin", "1%"] + ([] if name == "table.tex" else ["--title", "Home page"])
        done = CliRunner().invoke(cli, ["compare" if name == "table.tex" else "report", folder, "-o", made, "-q", *asked])
        assert done.exit_code == 0, done.output
        same = Path(made).read_text("utf-8").replace(folder, "").splitlines()
        own = (tmp_path / name).read_text("utf-8").splitlines()
        assert sum(line not in same for line in own) <= len(own) // 20, name
    assert comparison.chart("differences", of="nDCG@3").spec == result.chart("differences", of="nDCG@3", baseline="old", margin="1%").spec
    with pytest.raises(receval.ConfigError, match=r"the name of a report must end in \.html"):
        comparison.report(tmp_path / "page.doc")


def test_a_comparison_is_a_frame_of_polars_and_of_pandas(result: receval.EvaluationResult):
    comparison = result.compare()
    of_pandas, of_polars = comparison.to_pandas(), comparison.to_polars()
    assert list(of_pandas.columns) == of_polars.columns
    assert of_pandas["difference"].tolist() == of_polars["difference"].to_list()


def test_a_report_has_the_form_of_its_file_name_ending(result: receval.EvaluationResult, tmp_path: Path):
    verdicts = result.gate("HitRate@1 >= 0.9")
    for name in ("page.html", "page.md", "report.tex", "junit.xml", "badge.svg"):
        result.report(tmp_path / "reports" / name, title="Home page", gates=verdicts)
    read = {path.name: path.read_text("utf-8") for path in (tmp_path / "reports").iterdir()}
    assert "<title>Home page</title>" in read["page.html"]
    assert "HitRate@1 ≥ 0.9" in read["page.md"]
    assert read["report.tex"].startswith("\\documentclass")
    assert ElementTree.fromstring(read["junit.xml"]).find(".//failure") is not None
    with pytest.raises(receval.ConfigError, match=r"the name of a report must end in \.html"):
        result.report(tmp_path / "page.doc")
    assert len(read) == 5


def test_a_report_has_the_names_of_a_paper(result: receval.EvaluationResult, tmp_path: Path):
    result.report(tmp_path / "paper.tex", names={"new": "Ours", "nDCG": "NDCG"})
    text = (tmp_path / "paper.tex").read_text("utf-8")
    assert ("Ours &" in text, "{NDCG" in text, "nDCG" in text) == (True, True, False)
    with pytest.raises(receval.ConfigError, match=r"^names must map models, metrics or measures to other names"):
        result.report(tmp_path / "paper.tex", names={"new": 1})


def test_a_report_compares_with_another_result(result: receval.EvaluationResult, tmp_path: Path):
    result.report(tmp_path / "page.md", baseline=result, margin="1%")
    result.save(tmp_path / "main")
    result.report(tmp_path / "folder.md", baseline=f"baseline={tmp_path / 'main'}", margin="1%")
    assert "against baseline" in (tmp_path / "page.md").read_text("utf-8")
    assert (tmp_path / "page.md").read_bytes() == (tmp_path / "folder.md").read_bytes()


def test_a_chart_is_a_picture_and_a_specification(result: receval.EvaluationResult, tmp_path: Path):
    chart = result.chart("over_k", of="nDCG")
    assert chart._repr_svg_().startswith("<svg")
    assert "nDCG" in chart.svg
    assert "HitRate" not in chart.svg
    for form in ("svg", "png", "pdf", "json"):
        chart.save(tmp_path / f"chart.{form}")
    assert json.loads((tmp_path / "chart.json").read_text()) == chart.spec
    assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(receval.ConfigError, match=r"the name of a chart must end in \.svg, \.png, \.pdf, \.json"):
        chart.save(tmp_path / "chart.gif")


def test_an_impossible_chart_is_refused_in_one_sentence(result: receval.EvaluationResult):
    with pytest.raises(
        receval.ConfigError,
        match="a chart must be one of differences, over_k, precision_recall, gamma_curve, distribution, trade_off, groups, not 'pie'",
    ):
        result.chart("pie")  # type: ignore[arg-type]
    alone = receval.evaluate(test={1: [1]}, recommendations={1: [1]}, metrics="nDCG@1", health=False)
    with pytest.raises(receval.ConfigError, match="there is no chart over_k of this result: no metric has values at several cut-offs"):
        alone.chart("over_k")


@pytest.mark.parametrize("name", ["compare", "gate"])
def test_a_method_of_a_result_has_the_arguments_of_the_function_of_its_name(name: str):
    method, function = (inspect.signature(getattr(place, name)) for place in (receval.EvaluationResult, receval))
    (_, *own), (_, *others) = method.parameters.values(), function.parameters.values()
    assert [(parameter.name, parameter.default, parameter.kind) for parameter in own] == [
        (parameter.name, parameter.default, parameter.kind) for parameter in others
    ]


def test_measures_that_count_different_users_are_named_with_the_argument_of_python():
    lists = {"a": {1: [1], 2: [2], 3: [4]}, "b": {1: [1], 2: [3]}}
    given: Any = {"test": {1: [1], 2: [2], 3: [3]}, "recommendations": lists, "metrics": ["HitRate@1", "Precision@1"]}
    result = receval.evaluate(**given, policy={"missing_lists": "drop"}, health=False)
    with pytest.raises(receval.DataError) as raised:
        result.compare("a")
    assert (raised.value.hint or "").startswith("common=True compares users that count for both; ")
    assert result.compare("a", common=True).differences
