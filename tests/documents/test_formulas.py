"""Reports give the formula of each measure in every form, and only the settings that a measure reads."""

from __future__ import annotations

import itertools
import re

import pytest
from receval.metrics import METRICS
from receval.metrics.notation import GLOSSARY, symbols
from receval.metrics.registry import at
from receval.metrics.system_equation import pooled_equation
from receval.render.mathml import as_mathml

from tests.metrics.test_formulas import params_of

FORMS = ("tex", "md", "html")
MICRO = {
    "PrecisionAtK": (r"\frac{\sum_{u \in U} |L_u \cap T_u|}{\sum_{u \in U} |L_u \cap J_u|}",),
    "RecallAtK": (r"\frac{\sum_{u \in U} |L_u \cap T_u|}{\sum_{u \in U} |T_u|}",),
    "FMeasureAtK": (
        r"\mathrm{F1}@k = \frac{(1 + \beta^2)\, M_1\, M_2}{\beta^2\, M_1 + M_2}",
        r"M_1 = \frac{\sum_{u \in U} |L_u \cap T_u|}{\sum_{u \in U} |L_u \cap J_u|}",
        r"M_2 = \frac{\sum_{u \in U} |L_u \cap T_u|}{\sum_{u \in U} |T_u|}",
    ),
    "RPrecision": (r"\frac{\sum_{u \in U} \sum_{r=1}^{d} h_r}{\sum_{u \in U} b_{d}}",),
}
"""The formulas over all users of ClayRS, Σtp/(Σtp + Σfp) and the like, in our symbols: hits, rated items in the list, relevant items."""


@pytest.fixture
def reports(tmp_path, receval):
    """Return the three forms of the report on some measures of the convention clayrs-docs, and what the command printed."""
    (tmp_path / "test.csv").write_text("user,item,rating\n1,1,5\n1,2,5\n1,3,1\n2,2,4\n2,4,2\n3,5,1\n")
    (tmp_path / "lists.csv").write_text("user,item,score\n1,6,0.9\n1,3,0.8\n1,1,0.7\n2,2,0.9\n2,6,0.9\n3,6,0.2\n")

    def make(metrics, *words):
        options = ("--set", "evaluation.convention=clayrs-docs", "--set", f"evaluation.metrics={metrics}", *words)
        files = {form: tmp_path / ("report.tex" if form == "tex" else f"x.{form}") for form in FORMS}
        outputs = [word for file in files.values() for word in ("-o", str(file))]
        inputs = ("--test", str(tmp_path / "test.csv"), "--recs", f"m={tmp_path / 'lists.csv'}")
        code, output, errors = receval("run", *inputs, *options, "-o", f"{tmp_path / 'results'}/")
        assert code == 0, errors
        assert receval("report", tmp_path / "results", *outputs)[0] == 0
        return output, {form: file.read_text() for form, file in files.items()}

    return make


@pytest.mark.parametrize("name", MICRO)
def test_the_formula_of_all_users_is_in_every_form_of_the_report(reports, name):
    k = "k: 2, " if name.endswith("AtK") else ""
    _, forms = reports(f"[{{{name}: {{{k}relevant_threshold: 3, sys_average: micro}}}}]")
    for line in MICRO[name]:
        assert line in forms["tex"]
        assert line in forms["md"]
    drawn = forms["html"]
    assert as_mathml(next(line for line in forms["md"].split("\n") if MICRO[name][0] in line).removesuffix(r" \\"), "block") in drawn


def test_the_pooled_f_is_that_of_pooled_precision_and_recall_and_the_report_says_so(reports):
    output, forms = reports("[{FMeasureAtK: {k: 2, relevant_threshold: 3, sys_average: micro}}]")
    assert "0.4" in output  # 1 hit, 2 rated items in the lists, 3 relevant items: P 1/2, R 1/3
    for text in forms.values():
        assert "averaged over users" not in text
        assert "those of each user" not in text
    assert "the value is computed once from theirs" in forms["tex"]


def test_rating_errors_name_the_rule_for_users_without_a_prediction_and_no_relevance(reports):
    output, forms = reports("[MSE, RMSE, MAE]", "--set", "evaluation.relevance.threshold=3")
    assert "rating of at least" not in output
    assert "relevant item" not in output
    for text in forms.values():
        assert "rating of at least" not in text
        assert "no_relevant" not in re.sub(r'"[^"]*"|policy=[^<]*', "", text.split("All settings")[0])
        assert "denominator 0 counts 0" not in text
        assert "A user without a predicted test item has no value (NaN) and is left out" in text


def test_a_measure_that_reads_relevance_beside_rating_errors_keeps_its_own_rule(reports):
    output, forms = reports("[MSE, Recall]", "--set", "evaluation.relevance.threshold=3")
    assert "a rating of at least 3 is relevant" in output.replace("\n", " ")
    assert "rating of at least 3" in forms["tex"]


def test_a_default_is_not_among_the_settings_that_differ(reports):
    _, forms = reports("[RPrecision]")
    assert "within" not in forms["md"].split("Formulas")[0]
    assert "hit counts: inf" not in forms["tex"]


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if at(params_of(name), metric.pooled)])
def test_every_pooled_metric_has_an_equation_of_all_users(name):
    (line,) = pooled_equation(METRICS[name], params_of(name), ())
    depths = list(itertools.accumulate({"{": 1, "}": -1}.get(sign, 0) for sign in re.sub(r"\\[{}]", "", line)))
    assert depths[-1] == 0
    assert min(depths) >= 0
    own = {parameter.symbol for parameter in METRICS[name].numbers.values()}
    assert [symbol for symbol in symbols(line.partition("= ")[2]) if symbol not in GLOSSARY and symbol not in own] == []
    assert as_mathml(line, "block").startswith("<math")
