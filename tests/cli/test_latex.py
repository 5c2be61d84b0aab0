"""`receval run -o FILE.tex`, and docs/latex.md."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml
from receval.config.run_sections import ReportConfig

from tests.conftest import CONFIGS, ROOT

PAGE = (ROOT / "docs" / "latex.md").read_text()


@pytest.fixture
def config(sample):
    return sample / "quickstart.yaml"


def test_the_example_of_the_latex_page_is_the_output_of_the_command(receval, monkeypatch):
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"^```console\n\$ receval (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    code, out, _ = receval(*shlex.split(block[0]))
    assert code == 0
    assert out.endswith(block[1])
    assert all(line.startswith("%") for line in out.removesuffix(block[1]).strip().splitlines())


def test_the_settings_of_the_page_are_valid():
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert ReportConfig.model_validate(yaml.safe_load(block)["report"]).latex.marks == "letters"


def test_tables_and_a_document_are_written_with_the_same_bytes_twice(receval, config, tmp_path):
    outputs = [tmp_path / "tables.tex", tmp_path / "report.tex"]
    written = []
    for _ in range(2):
        code, out, err = receval("run", config, "-q", *(part for path in outputs for part in ("-o", path)))
        assert (code, out, err) == (0, "", "")
        written.append([path.read_bytes() for path in outputs])
    assert written[0] == written[1]
    tables, document = (content.decode() for content in written[0])
    assert "\\documentclass" not in tables
    assert "paired t test" in tables
    assert document.startswith("\\documentclass")
    assert "Content of the files." in document
    assert "knn is best on all" in document


def test_the_line_on_written_files_says_which_one_is_a_whole_document(receval, config, tmp_path):
    outputs = [part for name in ("tables.tex", "report.tex", "r.csv") for part in ("-o", tmp_path / name)]
    err = " ".join(receval("run", config, *outputs)[2].split())
    assert "tables.tex (tables for your document; -o report.tex writes a whole one), " in err
    assert "report.tex (a whole document), " in err
    assert "r.csv\n" in f"{err}\n"
    said = " ".join(receval("run", "--help")[1].split())
    assert "report.tex is a whole LaTeX document, any other .tex file has the tables only." in said


def test_every_file_is_a_complete_document_if_the_config_says_so(receval, config, tmp_path):
    receval("run", config, "-q", "-o", tmp_path / "a.tex", "--set", "report.latex.document=true")
    assert (tmp_path / "a.tex").read_text().startswith("\\documentclass")


def test_the_config_sets_the_marks(receval, config):
    assert "that share a letter" in receval("run", config, "--format", "latex", "--set", "report.latex.marks=letters")[1]
    out = receval("run", config, "--format", "latex", "--set", "report.latex.marks=dagger", "--set", "compare.baseline=popular")[1]
    assert "better and ‡ worse than popular" in out


def test_a_mark_that_does_not_exist_is_refused(receval, config):
    code, _, err = receval("run", config, "--set", "report.latex.marks=stars")
    assert code == 2
    assert "report.latex.marks" in err


def test_one_model_has_a_table_too(receval):
    code, out, _ = receval(
        "run", CONFIGS / "quickstart.yaml", "--format", "latex", "--replace", "--recs", f"knn={CONFIGS}/data/knn.parquet"
    )
    assert code == 0
    assert "knn &" in out


def test_the_tables_of_a_comparison_follow_the_columns_of_the_config(config, receval):
    for columns, environment in ((1, "table"), (2, "table*")):
        out = receval("compare", config, "--format", "latex", "--set", f"report.latex.columns={columns}")[1]
        assert f"\\begin{{{environment}}}" in out


def test_names_of_a_paper_replace_those_of_models_and_measures_in_reports_only(receval, config):
    names = ("--set", "report.names={nDCG: NDCG, Recall@20: R@20, knn: Item-KNN}", "-m", "nDCG,Recall", "-k", "10,20", "-q")
    latex, markdown, table, values = (receval("run", config, *names, "--format", form)[1] for form in ("latex", "md", "table", "csv"))
    assert r" & @10 & @20 & Recall@10 $\uparrow$ & R@20 $\uparrow$ \\" in latex
    assert r"\multicolumn{2}{c}{NDCG $\uparrow$}" in latex
    assert "Item-KNN & " in latex
    assert "NDCG: gain 1" in latex
    assert "Item-KNN is best on" in markdown
    assert not any(name in table + values for name in ("NDCG", "R@20", "Item-KNN"))
    page = receval("run", config, *names, "--format", "html")[1]
    assert (">Item-KNN<" in page, ">NDCG<" in page, ">nDCG<" in page, ">knn<" in page) == (True, True, False, False)


@pytest.mark.parametrize("kind", ["differences", "over_k", "distribution", "trade_off", "groups"])
def test_charts_have_the_names_of_a_paper(kind, receval, config, tmp_path):
    names = "report.names={nDCG: NDCG, knn: Item-KNN, popular: '@pop', random: Random}"
    chosen = ("--set", "compare.baseline=popular", "--set", "evaluation.metrics=[nDCG, Recall]", "--set", "evaluation.top_k=[5, 10]")
    groups = ("--set", "data.train=data/train.csv", "--set", "evaluation.by=cold")
    assert receval("plot", kind, config, "-o", tmp_path / "c.json", "--set", names, *chosen, *groups)[0] == 0
    spec = (tmp_path / "c.json").read_text("utf-8")
    assert ("NDCG" in spec, "Item-KNN" in spec, re.search('"knn|nDCG|knn"', spec)) == (True, True, None)


@pytest.mark.parametrize(("name", "hint"), [("Recall@200", "Recall@20"), ("kn", "knn")])
def test_a_name_for_what_the_config_does_not_have_is_refused_with_the_closest(name, hint, receval, config):
    code, _, err = receval("run", config, "-q", "--set", f"report.names={{{name}: X}}")
    assert code == 2
    assert err == f"receval: report.names: there is no model or measure '{name}'\n  did you mean '{hint}'?\n"
