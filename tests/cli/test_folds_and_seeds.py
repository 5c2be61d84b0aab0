"""What people read of models that were trained with several seeds on several folds: values first, one line per check."""

from __future__ import annotations

import json
import re

import pytest

MODELS, FOLDS, SEEDS = ("als", "knn"), (1, 2, 3), (0, 1)
CONFIG = """
data:
  folds: [1, 2, 3]
  test: test_{fold}.csv
  recommendations:
    als: {runs: ["als_{fold}_0.csv", "als_{fold}_1.csv"]}
    knn: {runs: ["knn_{fold}_0.csv", "knn_{fold}_1.csv"]}
evaluation: {metrics: [nDCG@2, Recall@2]}
output: {dir: out}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with lists in which an item is repeated for some users, so that a check finds something in each."""
    folder = tmp_path_factory.mktemp("folds")
    for fold in FOLDS:
        users = range(40 * fold, 40 * fold + 40)
        (folder / f"test_{fold}.csv").write_text("user,item\n" + "".join(f"u{user},i{user % 5}\n" for user in users))
        for number, model in enumerate(MODELS):
            for seed in SEEDS:
                lists = (f"u{user},i{(user + (user % (3 + number + seed) == 0)) % 5},1\nu{user},i{7 + user % 2},2\n" for user in users)
                odd = f"u{40 * fold},i7,3\n" * (fold + seed)
                (folder / f"{model}_{fold}_{seed}.csv").write_text("user,item,rank\n" + "".join(lists) + odd)
    (folder / "config.yaml").write_text(CONFIG)
    return folder


@pytest.fixture
def inside(files, monkeypatch):
    monkeypatch.chdir(files)
    return files


def test_values_stand_before_findings_on_the_screen_in_markdown_on_the_page_and_in_latex(inside, receval):
    command = ("run", "config.yaml", "-o", "x.html", "-o", "x.md", "-o", "x.tex", "--set", "report.latex.document=true")
    code, out, _ = receval(*command)
    assert code == 1  # items are repeated
    texts = {"screen": out, **{name: (inside / f"x.{name}").read_text() for name in ("html", "md", "tex")}}
    texts["html"] = texts["html"].partition("<main>")[2]
    for form, text in texts.items():
        assert -1 < text.index("0.7083") < text.index("R01"), form


def test_check_and_run_have_one_line_for_each_check_over_folds_and_runs(inside, receval):
    repeated = r"error R01  \d+ findings in als and knn, 3 folds, 2 runs \(1\.2 to 4\.8 %\), such as als \(run 1\), fold 3: 4 of 84 rows"
    for command in ("check", "run"):
        out = receval(command, "config.yaml")[1]
        heads = [line for line in out.splitlines() if re.match(r"(error|warning|note) [A-Z]\d\d ", line)]
        assert len(heads) == len({line.split()[1] for line in heads}), command
        assert re.search(repeated, " ".join(out.split("\n"))), command
    advice = "list each item once"
    assert advice in receval("check", "config.yaml")[1]


def test_verbose_has_one_line_for_each_check_too_with_advice_and_says_where_each_finding_is(inside, receval):
    out = receval("run", "config.yaml", "-v")[1]
    heads = [line.split()[1] for line in out.splitlines() if re.match(r"(error|warning|note) [A-Z]\d\d ", line)]
    assert len(heads) == len({*heads}) > 2
    assert "  list each item once" in out
    assert "\n--format json has each of them\n" in out
    short = receval("run", "config.yaml")[1]
    assert "receval run -v shows what to do, --format json each of them" in short or "receval run -v shows all" in short


def test_runs_are_called_by_the_seeds_in_the_names_of_their_files(inside, receval):
    out = receval("run", "config.yaml", "-v")[1]
    assert re.findall(r"^  als +1 +(\S+)", out, re.MULTILINE)[: len(SEEDS) + 1] == [*map(str, SEEDS), "mean"]


def test_latex_describes_many_files_in_one_table_with_a_row_for_each_model(inside, receval):
    receval("run", "config.yaml", "-q", "-o", "x.tex", "--set", "report.latex.document=true")
    text = (inside / "x.tex").read_text()
    data = text[text.index("Sources, with the numbers of their files") :].partition(r"\bottomrule")[0]
    rows = [line.split(" & ") for line in data.splitlines() if " & " in line]
    assert [row[:2] for row in rows] == [["source", "files"], ["test", "3"], ["als", "6"], ["knn", "6"]]
    assert rows[1][2] == "40"
    assert rows[2][2] == "81 to 84"
    assert "als_1_0.csv" not in text


def test_the_headline_is_data_in_json(inside, receval):
    out = receval("run", "config.yaml", "--format", "json", "-q")[1]
    assert json.loads(out)["headline"][0].startswith("No model is clearly best on any of 2 measures.")
