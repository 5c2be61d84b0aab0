"""Templates for LaTeX have delimiters of their own, and `my_dict` shows a result as templates of ClayRS have it."""

from __future__ import annotations

import pytest

CLAYRS = r"""% a comment of LaTeX
\BLOCK{if my_dict['metrics']['RPrecision'] is defined }
R-Precision
\BLOCK{elif my_dict['metrics']['FMeasureAtK'] is defined}
\[ F = \frac{P}{R} \]
threshold: \BLOCK{if my_dict.get('metrics', {}).get('FMeasureAtK', {}).get('relevant_threshold') is not none}
\textbf{\VAR{my_dict['metrics']['FMeasureAtK']['relevant_threshold']}}
\BLOCK{else}
\textbf{\VAR{dict['interactions']['mean_score']|default('no relevant threshold used')}}
\BLOCK{endif}
\item K: \VAR{my_dict['metrics']['FMeasureAtK']['k']|safe_text}
\item beta: \VAR{my_dict['metrics']['FMeasureAtK']['beta']|safe_text}
\item average: \VAR{my_dict['metrics']['FMeasureAtK']['sys_average']|safe_text}
\item other: \VAR{my_dict['metrics']['MRRAtK']['k']|safe_text}
users: \VAR{my_dict['interactions']['n_users']}
\BLOCK{endif}
"""


@pytest.fixture
def rendered(receval, tmp_path, monkeypatch):
    """Return a function that renders a template on a result of clayrs-docs: exit code, text and messages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.csv").write_text("user,item,rating\n1,1,5\n1,2,5\n1,3,1\n2,2,4\n")
    (tmp_path / "lists.csv").write_text("user,item,score\n1,6,0.9\n1,1,0.7\n2,2,0.9\n")

    def rendered(template, metric="{FMeasureAtK: {k: 2, beta: 2, sys_average: micro}}"):
        (tmp_path / "own.tex").write_text(template)
        changes = ("--set", "evaluation.convention=clayrs-docs", "--set", f"evaluation.metrics=[{metric}]")
        assert receval("run", "--test", "test.csv", "--recs", "m_1=lists.csv", *changes, "-o", "results/", "-q")[0] == 0
        code, _, err = receval("report", "results", "-o", "x.tex", "--template", "own.tex")
        return code, (tmp_path / "x.tex").read_text() if code == 0 else "", err

    return rendered


def test_a_template_with_the_delimiters_of_clayrs_is_rendered_with_my_dict(rendered):
    code, text, err = rendered(CLAYRS)
    assert (code, "warning" in err) == (0, False)
    assert "BLOCK" not in text
    assert "VAR" not in text
    assert r"\[ F = \frac{P}{R} \]" in text
    for line in (r"\textbf{no relevant threshold used}", r"\item K: 2", r"\item beta: 2", r"\item average: micro", "users: 2"):
        assert line in text
    assert r"\item other: not given" in text


def test_a_threshold_of_the_config_is_in_my_dict(rendered):
    assert r"\textbf{3}" in rendered(CLAYRS, "{FMeasureAtK: {k: 2, relevant_threshold: 3}}")[1]
    assert rendered(CLAYRS, "RPrecision")[1].split() == ["%", "a", "comment", "of", "LaTeX", "R-Precision"]


def test_a_first_line_names_the_delimiters(rendered):
    _, text, err = rendered("% delimiters: <% %> << >>\n<% for row in result.results %><< row.model|safe_text >>: {{ kept }}<% endfor %>")
    assert text == r"m\_1: {{ kept }}"
    assert "warning" not in err


def test_an_unknown_variable_is_refused_under_all_delimiters(rendered):
    code, _, err = rendered(r"\VAR{my_dict['metrics']['Nope']['k']}")
    assert code == 2
    assert "--template own.tex" in err


def test_a_template_without_an_expression_gets_a_warning(rendered):
    code, text, err = rendered("\\section{Results}\n")
    assert (code, text) == (0, "\\section{Results}\n")
    assert "warning: --template own.tex: it has no expression, so that the output is a copy of it" in err


def test_jinjas_own_delimiters_stay_the_default(rendered):
    assert rendered("{% for row in result.results %}{{ row.k }}{% endfor %}")[1] == "2"


def test_the_numbers_of_the_interactions_are_in_my_dict_for_a_config(receval, rendered, tmp_path):
    rendered("x")
    data = "data:\n  test: test.csv\n  recommendations: {m: lists.csv}\nevaluation:\n  metrics: [Recall@2]\n"
    (tmp_path / "config.yaml").write_text(data)
    names = ("n_users", "n_items", "total_interactions", "sparsity", "min_score", "mean_score", "max_score")
    values = " ".join(rf"\VAR{{my_dict['interactions']['{name}']}}" for name in names)
    (tmp_path / "own.tex").write_text(values)
    assert receval("report", "config.yaml", "-o", "x.tex", "--template", "own.tex")[0] == 0
    numbers = [float(number) for number in (tmp_path / "x.tex").read_text().split()]
    assert numbers == [2, 3, 4, pytest.approx(1 - 4 / 6), 1, 3.75, 5]


def test_a_rendered_template_of_clayrs_compiles(rendered, compiled):
    whole = "\\documentclass{article}\n\\begin{document}\n\\begin{itemize}\n\\item of receval\n" + CLAYRS
    assert "average: micro" in compiled(rendered(whole + "\\end{itemize}\n\\end{document}\n")[1])
