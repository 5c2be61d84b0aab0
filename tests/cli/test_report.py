"""`receval report` and `receval plot`, and the reports of `receval run`."""

from __future__ import annotations

import json
import os

import pytest
from receval.render import drawing
from receval.support.extras import install_command

from tests.reports import write_config

HTML = b"<!DOCTYPE html>\n"
LEVELS = ["InterpolatedPrecision", "InterpolatedPrecision(recall=1)"]


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """Make sure that tests do not run as on GitHub, and use their own folder."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of results of two models, with its config."""
    from receval.cli.main import main

    folder = tmp_path_factory.mktemp("given")
    write_config(folder, ["popular", "good"], metrics=["nDCG", "Recall", *LEVELS], top_k=[1, 3], by=["users.plan"])
    assert main(["run", str(folder / "config.yaml"), "-q", "-o", f"{folder}/out/"]) == 0
    return folder


def test_a_folder_and_its_config_give_the_same_page_as_the_run(folder, tmp_path, receval):
    assert receval("report", folder / "out", "-o", "of_folder.html", "-q")[0] == 0
    assert receval("report", folder / "config.yaml", "-o", "of_config.html", "-q")[0] == 0
    assert receval("run", folder / "config.yaml", "-o", "of_run.html", "-q")[0] == 0
    pages = {(tmp_path / f"of_{name}.html").read_bytes() for name in ("folder", "config", "run")}
    assert len(pages) == 1
    assert pages.pop().startswith(HTML)


def test_every_ending_gives_its_form(folder, tmp_path, receval):
    begins = {"r.html": HTML, "r.md": b"# Evaluation", "r.xml": b"<?xml", "r.svg": b"<svg", "r.tex": b"%"}
    code, out, err = receval("report", folder / "out", *(part for name in begins for part in ("-o", name)))
    assert (code, out) == (0, ""), err
    assert err == f"receval: wrote {', '.join(begins)} (tables for your document; -o report.tex writes a whole one)\n"
    for name, start in begins.items():
        assert (tmp_path / name).read_bytes().startswith(start)


def test_keys_of_the_report_can_be_set_for_a_folder(folder, tmp_path, receval):
    for columns in (1, 2):
        widths = ("--set", f"report.latex.columns={columns}", "--set", "report.latex.width=50")
        assert receval("report", folder / "out", "-o", f"{columns}.tex", *widths)[0] == 0
    assert "table*" not in (tmp_path / "1.tex").read_text()
    assert "table*" in (tmp_path / "2.tex").read_text()


def test_two_folders_give_the_page_of_their_comparison(folder, tmp_path, receval):
    assert receval("report", f"main={folder}/out", f"today={folder}/out", "-o", "both.html", "--title", "Both", "-q")[0] == 0
    text = (tmp_path / "both.html").read_text()
    assert "<title>Both</title>" in text
    assert "today/good against main/good" in text
    assert "identical" in text


def test_a_form_can_be_printed(folder, receval):
    code, out, _ = receval("report", folder / "out", "--format", "md", "--title", "Printed")
    assert code == 0
    assert out.startswith("# Printed\n")


def test_a_users_own_template_is_rendered(folder, tmp_path, receval, write):
    write("t.j2", "{{ title }}{% for model in result.models %} <{{ model.model }}>{% endfor %}\n")
    assert receval("report", folder / "out", "--template", "t.j2", "-o", "x.txt", "-o", "x.html", "-q")[0] == 0
    assert (tmp_path / "x.txt").read_text() == "Evaluation of popular and good <popular> <good>\n"


def test_a_date_is_below_the_title_if_one_is_given(folder, tmp_path, receval, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    receval("report", folder / "out", "-o", "without.html", "-q")
    assert "Date:" not in (tmp_path / "without.html").read_text()
    for given in (("--date", "2025-11-23"), ("--date", "2025-11-23", "-o", "with.md")):
        assert receval("report", folder / "out", "-o", "with.html", *given, "-q")[0] == 0
        assert "<p>Date: 2025-11-23</p>" in (tmp_path / "with.html").read_text()
    assert "Date: 2025-11-23\n" in (tmp_path / "with.md").read_text()
    assert receval("run", folder / "config.yaml", "-o", "with.html", "-q", "--set", "report.date=2025-11-24")[0] == 0
    assert "<p>Date: 2025-11-24</p>" in (tmp_path / "with.html").read_text()


def test_users_who_lose_most_are_named_only_on_request(folder, tmp_path, receval):
    receval("report", folder / "out", "-o", "without.html", "-o", "without.md", "-q")
    receval("report", folder / "out", "--baseline", "good", "--losers", "2", "-o", "with.html", "-q")
    assert "person-" not in (tmp_path / "without.html").read_text() + (tmp_path / "without.md").read_text()
    assert "person-" in (tmp_path / "with.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["report", "{}/out"], 2, "give an output file or a format:"),
        (["report", "{}/out", "-o", "x.docx"], 2, "the name of a report must end in .html"),
        (["report", "{}/none", "-o", "x.html"], 2, "there is no config or folder of results named"),
        (["report", "{}", "-o", "x.html"], 3, "is not a result folder"),
        (["report", "{}/out", "-o", "x.html", "--baseline", "goood"], 2, "did you mean 'good'"),
        (["report", "{}/out", "-o", "x.html", "--margin", "much"], 2, "--margin"),
        (["report", "{}/out", "-o", "x.html", "--date", "23.11.2025"], 2, "the date must be YYYY-MM-DD or today, not '23.11.2025'"),
        (["report", "{}/out", "-o", "x.html", "--template", "none.j2"], 2, "cannot be read"),
        (
            ["report", "{}/out", "-o", "x.tex", "--set", "report.latex.colums=2"],
            2,
            "report.latex.colums: unknown key 'colums' — did you mean",
        ),
        (["report", "{}/out", "-o", "x.tex", "--set", "evaluation.top_k=5"], 2, "has no effect on stored results; only keys of report and"),
        (["compare", "{}/out", "--set", "report.title=x"], 2, "--set report.title=x has no effect on stored results"),
        (["report", "a={}/out", "b={}/out", "-o", "x.tex"], 2, "is for one result"),
        (["plot", "over_k", "{}/out", "-o", "x.gif"], 2, "the name of a chart must end in .svg"),
        (["plot", "trade_off", "{}/out", "-o", "x.json", "--of", "nDCG@1"], 2, "two measures"),
        (["plot", "over_k", "{}/out", "-o", "x.json", "--of", "MAP"], 2, "MAP"),
        (
            ["plot", "precision_recall", "{}/out", "-o", "x.json", "--of", "nDCG@1"],
            2,
            "precision_recall shows InterpolatedPrecision, RecallAtPrecision, Precision and Recall, not nDCG@1\n  name a metric",
        ),
    ],
)
def test_an_impossible_report_is_refused_in_one_sentence(arguments, code, message, folder, receval, tmp_path):
    found, out, err = receval(*(part.replace("{}", str(folder)) for part in arguments))
    assert (found, out) == (code, ""), err
    assert message in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_run_writes_the_reports_that_its_config_names(folder, tmp_path, receval):
    files = f"report={{title: Ours, files: [{tmp_path}/r.html, {tmp_path}/r.md, {tmp_path}/r.tex], charts: [over_k]}}"
    assert receval("run", folder / "config.yaml", "-q", "--set", files)[0] == 0
    assert (tmp_path / "r.md").read_text().startswith("# Ours\n")
    html = (tmp_path / "r.html").read_text()
    assert "<title>Ours</title>" in html
    assert 'id="trade-off' not in html
    assert (tmp_path / "r.tex").read_bytes().startswith(b"%")


def test_a_run_whose_models_cannot_be_compared_says_why_in_its_report(folder, tmp_path, receval):
    assert receval("run", folder / "config.yaml", "-q", "-o", "r.md", "-o", "r.html", "--set", "compare.baseline=results/gone")[0] == 0
    assert "The models are not compared: results/gone" in (tmp_path / "r.html").read_text()


def test_a_report_does_not_overwrite_an_input(folder, receval):
    code, _, err = receval("run", folder / "config.yaml", "--set", f"report.files=[{folder}/config.yaml.md, {folder}/x.svg]", "-q")
    assert code == 0, err
    os.symlink(folder / "test.parquet", folder / "link.svg")
    code, _, err = receval("run", folder / "config.yaml", "-q", "-o", folder / "link.svg")
    assert code == 2
    assert "would overwrite" in err


def test_on_github_a_run_adds_its_summary_and_annotates_failures(folder, tmp_path, receval, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    code, out, err = receval("run", folder / "config.yaml", "-q", "--set", "health.R06=error")
    assert code == 1
    assert out == ""
    assert "::error file=" in err
    assert "title=R06" in err
    assert (tmp_path / "summary.md").read_text().startswith("# Evaluation of popular and good\n\n- ✖ ")
    receval("run", folder / "config.yaml", "-q", "--ci", "none")
    assert (tmp_path / "summary.md").read_text().count("# Evaluation of") == 1


def test_for_gitlab_two_files_are_written(folder, tmp_path, receval):
    assert receval("report", folder / "out", "--ci", "gitlab", "-q")[0] == 0
    assert isinstance(json.loads((tmp_path / "gl-code-quality-report.json").read_text()), list)
    assert (tmp_path / "receval-junit.xml").read_bytes().startswith(b"<?xml")


@pytest.mark.each_once
@pytest.mark.parametrize("chart", ["over_k", "over-k", "precision_recall", "differences", "trade_off", "distribution", "groups"])
@pytest.mark.parametrize("ending", ["json", "svg"])
def test_a_chart_can_be_written_alone(chart, ending, folder, tmp_path, receval):
    if ending == "svg" and not drawing.can_draw():
        pytest.skip("the extra report is not installed")
    code, out, err = receval("plot", chart, folder / "out", "-o", f"x.{ending}")
    assert (code, out, err) == (0, "", f"receval: wrote x.{ending}\n")
    content = (tmp_path / f"x.{ending}").read_bytes()
    assert json.loads(content)["$schema"].startswith("https://vega.github.io/") if ending == "json" else content.startswith(b"<svg")


def test_without_the_extra_a_chart_is_refused_before_the_evaluation(folder, receval, monkeypatch):
    monkeypatch.setattr(drawing, "can_draw", lambda: False)
    code, _, err = receval("plot", "over_k", folder / "gone", "-o", "x.svg")
    assert code == 4
    assert install_command("report") in err


@pytest.mark.parametrize(
    "command",
    [
        "run {0}/config.yaml -o x.html",
        "run {0}/config.yaml --set report.files=[x.html]",
        "report {0}/out -o x.html",
        "report {0}/out --format html",
        "compare {0}/config.yaml -o x.html",
        "gate {0}/out --rule nDCG@1>=0 -o x.html",
    ],
)
def test_without_the_extra_one_line_on_standard_error_and_one_in_the_page_say_how_to_get_other_charts(
    command, folder, tmp_path, receval, monkeypatch
):
    monkeypatch.setattr("receval.render.html.can_draw", lambda: False)
    monkeypatch.setattr("receval.render.drawing.can_draw", lambda: False)
    code, out, err = receval(*command.format(folder).split())
    others = "without over_k, precision_recall, gamma_curve, distribution, trade_off, groups"
    why = f"because the extra report is not installed: {install_command('report')}"
    line = f"receval: warning: the page has charts of values and differences only, {others}, {why}"
    assert code == 0, err
    assert err.splitlines().count(line) == 1
    place = folder if "report.files" in command else tmp_path
    page = out if "--format" in command else (place / "x.html").read_text()
    assert page.count("missing, because the extra report was not installed") == 1
    assert '<figure id="values-chart">' in page
    if "report.files" not in command:
        assert "extra report" not in receval(*command.format(folder).split(), "-q")[2]


def test_the_measures_of_a_chart_can_be_named(folder, tmp_path, receval):
    assert receval("plot", "trade_off", folder / "out", "-o", "x.json", "--of", "recall@3", "--of", "nDCG@1")[0] == 0
    assert json.loads((tmp_path / "x.json").read_text())["description"] == "nDCG@1 against Recall@3 of 2 models"


RULES = "gates={rules: ['nDCG@1 >= 0.9', 'Recall@1 >= 0.01'], models: [good]}"


def test_gates_of_a_run_come_first_in_its_reports_and_are_junit_suites(folder, tmp_path, receval):
    assert receval("run", folder / "config.yaml", "-q", "-o", "r.html", "-o", "r.xml", "-o", "r.svg", "--set", RULES)[0] == 1
    assert "✖ 1 of 2 gates failed." in (tmp_path / "r.html").read_text()
    assert '<testsuite name="gates" tests="2" failures="1" errors="0"' in (tmp_path / "r.xml").read_text()
    assert "gates: 1 of 2 failed" in (tmp_path / "r.svg").read_text()


def test_a_report_of_a_config_judges_its_gates_as_a_run_does(folder, tmp_path, receval):
    names = ("html", "md", "xml", "svg")
    given = [part for name in names for part in ("-o", f"of_report.{name}")]
    code, out, err = receval("report", folder / "config.yaml", *given, "-q", "--ci", "github-comment", "--set", RULES)
    assert (code, out) == (0, "")
    assert err == "receval: 1 of 2 gates failed; a report exits with 0, receval run and receval gate with 1\n"
    assert "- ✖ 1 of 2 gates failed." in (tmp_path / "receval-comment.md").read_text()
    receval("run", folder / "config.yaml", "-q", "--set", RULES, *[part.replace("of_report", "of_run") for part in given])
    for name in ("html", "xml", "svg"):
        assert (tmp_path / f"of_report.{name}").read_bytes() == (tmp_path / f"of_run.{name}").read_bytes()


def test_a_report_of_a_config_whose_baseline_is_missing_says_how_to_make_it_without_gates(folder, receval):
    rules = ("--set", "gates={rules: [nDCG@1 max_loss 2%], baseline: no/where}")
    code, out, err = receval("report", folder / "config.yaml", "--format", "md", *rules)
    assert (code, out) == (3, "")
    assert "; a report without gates: --set 'gates.rules=[]'; or set gates.baseline.if_missing to warn or pass" in err
    assert "--if-missing" not in err
    assert receval("report", folder / "config.yaml", "--format", "md", *rules, "--set", "gates.rules=[]")[0] == 0


def test_receval_gate_can_write_reports_too(folder, tmp_path, receval, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    rules = ("--rule", "nDCG@1 >= 0.9", "--rule", "Recall@1 >= 0.01")
    code, _, err = receval("gate", folder / "out", *rules, "-o", "g.xml", "-o", "g.html", "--ci", "github", "-q")
    assert code == 1
    assert "::error title=nDCG@1 ≥ 0.9 " in err
    assert 'failures="2"' in (tmp_path / "g.xml").read_text()
    assert "✖ 2 of 4 gates failed." in (tmp_path / "g.html").read_text()
    assert "- ✖ 2 of 4 gates failed." in (tmp_path / "summary.md").read_text()


def test_a_report_of_a_folder_has_the_gates_that_were_judged(folder, tmp_path, receval):
    receval("run", folder / "config.yaml", "-q", "-o", "judged/", "--set", RULES)
    assert receval("report", "judged", "--format", "md", "-q")[1].splitlines()[2] == "- ✖ 1 of 2 gates failed."


def test_a_pull_request_comment_is_written_with_its_marker(folder, tmp_path, receval, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    os.symlink(folder / "out", "to day--> x")
    code, out, err = receval("report", "to day--> x", "--ci", "github-comment")
    assert (code, out, err) == (0, "", "receval: wrote receval-comment.md\n")
    text = (tmp_path / "receval-comment.md").read_text()
    assert text.startswith("<!-- receval to-day-x -->\n# Evaluation of popular and good\n")
    assert not (tmp_path / "summary.md").exists()
    assert receval("report", "to day--> x", "--format", "github-comment", "--ci", "none")[1] == text


def test_gates_of_one_model_in_two_results_have_the_names_of_the_results(folder, tmp_path, receval):
    for name, rule in (("main", "nDCG@3 >= 0.9"), ("today", "nDCG@3 >= 0.01")):
        receval("run", folder / "config.yaml", "-q", "-o", f"{name}/", "--set", f"gates.rules=['{rule}']", "--set", "gates.models=[good]")
    text = receval("report", "main", "today", "--format", "md")[1]
    assert "| main | nDCG@3 ≥ 0.9 |" in text
    assert "| today | nDCG@3 ≥ 0.01 |" in text
    assert "| good | nDCG@3" not in receval("report", "main", "--format", "md")[1]


def test_a_baseline_with_more_measures_is_no_error_of_a_chart(folder, tmp_path, receval):
    few = ("--set", "evaluation.metrics=[Recall]", "--set", "evaluation.top_k=[1]", "--models", "good", "-q", "-o", f"{tmp_path}/few/")
    assert receval("run", folder / "config.yaml", *few)[0] == 0
    code, out, err = receval("report", tmp_path / "few", "--baseline", folder / "out", "--baseline-model", "popular", "--format", "md")
    assert (code, "Recall@1" in out) == (0, True), err
