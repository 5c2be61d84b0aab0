"""The LaTeX document names the definitions and the data."""

from __future__ import annotations

import polars as pl
import pytest
from msgspec.structs import replace
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.conventions import AXES, load
from receval.documents.formulas import definitions, formula_of
from receval.documents.paper import paper_document, result_tables
from receval.evaluation.plan import in_full
from receval.metrics import METRICS, resolve
from receval.metrics.notation import GLOSSARY
from receval.render.latex import PREAMBLE, as_latex, documented
from receval.syntax.measure_strings import parse

from tests.comparison.conftest import rated_items
from tests.metrics.test_formulas import BESIDE, forms
from tests.papers import HOSTILE


def test_a_document_defines_every_measure_with_formula_and_settings(result):
    latex = as_latex(paper_document(result("a", "b", metrics=["nDCG(gain=linear)", "RBP", "0.5*nDCG@3 + 0.5*Recall@3"])))
    assert r"\subsection*{nDCG(gain=linear)}" in latex
    assert r"\mathrm{nDCG}@k(u) = \sum_{r=1}^{k} \frac{h_r\,g_r}{\log_{2}(r + 1)}" in latex
    assert r"\mathrm{nDCG}@k = \frac{1}{|U|} \sum_{u \in U} \mathrm{nDCG}@k(u)" in latex
    assert documented("`gain` = `linear`: the gain of a relevant item of grade g: g") in latex
    assert r"$p$, \texttt{p} = 0.8" in latex
    assert r"\subsection*{0.5{*}nDCG@3 + 0.5{*}Recall@3}" in latex
    assert r"\subsection*{Recall}" in latex, "what a formula combines is defined too"
    assert "Cut-offs: 3, 5." in latex
    assert "Relevant: a rating of at least 4." in latex
    assert rf"\item[$T_u$] {GLOSSARY['T_u']}" in latex


@pytest.mark.parametrize(("name", "key"), sorted(BESIDE))
def test_a_setting_that_the_formula_does_not_show_is_named_beside_it(result, name, key):
    needs = {"by": "plan"} if "by" in METRICS[name].texts else {}
    definition = resolve(parse(name if not needs else f"{name}(by=plan)"), load("receval"))
    found = replace(result("a"), definitions={name: in_full(definition)}, rows=())
    text = as_latex(tuple(definitions(found)))
    axis = AXES[METRICS[name].axes[key]]
    value = definition.params[key]
    assert documented(f"`{key}` = `{value}`: {axis.decides}: {axis.meanings[str(value)]}") in text


def test_formulas_of_means_and_of_models_differ_from_those_of_a_user(result):
    latex = as_latex(paper_document(result("a", "b", metrics=["F1(of=means)", "Gini(of=recommended)"], top_k=[3])))
    assert r"\mathrm{F1}@k = \frac{(1 + \beta^2)\, \bar{M}_1" in latex
    assert "$M_1$ is Precision@3, $M_2$ is Recall@3" in latex or "$M_1$ is Precision" in latex
    assert r"\mathrm{Gini}@k = \frac" in latex


def test_the_same_result_gives_the_same_bytes(result):
    found = result("a", "b", "c")
    comparison = compare({"": found}, ComparisonOptions(all_pairs=True))
    assert as_latex(paper_document(found, comparison)) == as_latex(paper_document(found, comparison))
    assert as_latex(result_tables(found, comparison)) == as_latex(result_tables(found, comparison))


def test_a_document_names_no_user(evaluate, models):
    renamed = rated_items().with_columns(user=pl.format("user-{}-x", "user"))
    lists = {name: frame.with_columns(user=pl.format("user-{}-x", "user")) for name, frame in models("a").items()}
    lists["a"] = lists["a"].filter(pl.col("user") != "user-7-x")
    found = evaluate(renamed, lists, metrics=["nDCG"], top_k=[3], health={})
    assert any("user-7-x" in example for finding in found.findings for example in finding.examples)
    assert "user-7-x" not in as_latex(paper_document(found))


def test_a_document_of_hostile_names_compiles(result, compiled):
    users = pl.DataFrame({"user": range(1, 61), "plan": [r"50% \off_{x}", "free"] * 30})
    metrics = ["nDCG(gain=linear,discount=log_max_r_2)", "Recall", "GAUC(negatives=train_items)", "0.5*nDCG@3"]
    train = pl.DataFrame({"user": [1, 2], "item": [3, 4]})
    found = result(*HOSTILE, users=users, train=train, by=["users.plan"], metrics=metrics, health={})
    comparison = compare({"": found}, ComparisonOptions(all_pairs=True))
    text = compiled(as_latex(paper_document(found, comparison, title=HOSTILE[1])))
    assert r"\input{/etc/passwd}" in text
    assert "100% #1 a_b {x} ~ ^ & $y$" in text
    assert r"50% \off_{x}, 30 users" in text
    assert "root:" not in text


def test_every_form_of_every_formula_compiles(compiled):
    formulas = dict.fromkeys(formula for name in METRICS for _, formula in forms(name))
    text = "\n".join(rf"\begin{{gather*}} x = {formula} \end{{gather*}}" for formula in formulas)
    compiled(f"{PREAMBLE}\\begin{{document}}\n{text}\n\\end{{document}}")


def test_a_stored_number_without_bounds_is_read_again():
    definition = in_full(resolve(parse("RPrecision(within=7)"), load("receval")))
    assert r"\min(d, w)" in formula_of(definition)
    assert r"\min(d, w)" not in formula_of(in_full(resolve(parse("RPrecision"), load("receval"))))


def test_meanings_of_symbols_are_text_outside_of_their_formulas(result):
    definition = in_full(resolve(parse("NCISPrecision"), load("receval")))
    latex = as_latex(tuple(definitions(replace(result("a"), definitions={"NCISPrecision": definition}, rows=()))))
    assert r"\item[$s'_r$] the score of the same user and item in data.\allowbreak{}previous\_\allowbreak{}policy" in latex
    assert r"\item[$h_r$] 1 if the item at rank $r$ is relevant, else 0" in latex
