"""Arithmetic of measures: printed formulas read back, follow Python's rules, and invalid text is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval import metrics
from receval.syntax.formula import is_formula, read
from receval.syntax.measure_strings import UNSET, MetricSpec, parse

from tests.syntax.test_measure_strings import specs

NDCG, EPC, P = MetricSpec("nDCG", k=10), MetricSpec("EPC", k=10), MetricSpec("Precision", k=5)

FORMULAS = [
    ("0.5*nDCG@10 + 0.5*EPC@10", "0.5*nDCG@10 + 0.5*EPC@10"),
    ("2*F1(beta=0.5)@5 / (Precision@5 + 1)", "2*F1(beta=0.5)@5/(Precision@5 + 1)"),
    ("-(MAP@10) + 1e-3", "-MAP@10 + 0.001"),
    ("nDCG@10", "nDCG@10"),
    ("((a + b)) + (c - d) - (e*f)", "a + b + (c - d) - e*f"),
    ("(a*b)/c/(d*e)", "a*b/c/(d*e)"),
    ("(a - b)*c/-d", "(a - b)*c/-d"),
    ("a--b", "a--b"),
    ("a - -b+--c", "a - -b + --c"),
    ("+a*+.5", "a*0.5"),
    ("-(a*b)", "-(a*b)"),
    ("1e300*nDCG@none-1", "1e+300*nDCG@none - 1"),
    ("nDCG@10-0.5", "nDCG@10 - 0.5"),
    ("nDCG@10-(1-MAP@5)", "nDCG@10 - (1 - MAP@5)"),
    ("F-Measure@5 - R-Precision", "F-Measure@5 - R-Precision"),
    ("100*11pt_avg - rbp.95", "100*11pt_avg - rbp.95"),
    (
        " nDCG ( gain = linear ) @ 5 - MAP ( convention = replay-experimental )@5",
        "nDCG(gain=linear)@5 - MAP(convention=replay-experimental)@5",
    ),
    ("M(a=-1,b='x) * (y')*2", "M(a=-1,b='x) * (y')*2"),
    ("F1(nDCG(gain=linear),MAP)@3*2", "F1(nDCG(gain=linear),MAP)@3*2"),
]


@pytest.mark.parametrize(("text", "printed"), FORMULAS)
def test_a_formula_prints_with_as_few_parentheses_as_keep_its_order(text, printed):
    assert str(read(text)) == read(text).text == printed
    assert read(printed) == read(text)


@pytest.mark.parametrize(
    "text",
    [
        *("P_10", "ndcg_cut.10", "F-Measure", "nDCG@10", "Community recall", "11pt_avg", "R-Precision", "rbp.95", "precision@10-l2"),
        *("EucDistance[Precision, Recall][1.0, -1.0]", "nDCG(exp-log2)", "nDCG(dcg='exp-log2')@10", "Rprec(rel=2)", "nDCG@none"),
        *("M(a='1 + 2')", "M(a=-1, b=x*y)", "nDCG ( gain = linear ) @ 5", "nDCG@-5", "nDCG@+5", "nDCG(", "MAP(convention=./a/b.yaml)", ""),
        *("0.5", "1e-3", "nDCG(a=')", "item-item-sim", "(nDCG@10)"),
    ],
)
def test_a_measure_in_any_spelling_is_not_a_formula(text):
    assert not is_formula(text)


def test_names_of_metrics_are_not_formulas_and_can_be_used_in_formulas():
    for entry in metrics.METRICS.values():
        for name in (entry.name, *entry.aliases):
            assert not is_formula(name)
            assert read(f"2*{name} - {name}@5").measures == (MetricSpec(name), MetricSpec(name, k=5))


@given(spec=specs, k=st.one_of(st.none(), st.integers(1, 1000), st.just(UNSET)))
def test_a_measure_string_is_not_a_formula_and_reads_back(spec, k):
    assert not is_formula(str(spec.at(k)))
    assert read(str(spec.at(k))).measures == (spec.at(k),)


@pytest.mark.parametrize(
    "text", [text for text, _ in FORMULAS if text not in ("nDCG@10", "a--b")] + ["2*3", "a ** b", "(a) - b", "a+b", "-a"]
)
def test_text_with_an_operator_is_a_formula(text):
    assert is_formula(text)


def test_the_measures_of_a_formula_are_each_named_once_in_their_order():
    assert read("nDCG@10/(EPC@10 + nDCG@10) - Precision@5").measures == (NDCG, EPC, P)


def test_a_formula_is_calculated():
    assert read("0.5*nDCG@10 + 0.5*EPC@10 - 1").value({NDCG: 0.5, EPC: 0.25}) == -0.625
    assert read("8/nDCG@10/EPC@10 - 1 - 2").value({NDCG: 2, EPC: 4}) == -2
    assert read("-nDCG@10*-(1 - EPC@10)").value({NDCG: 2, EPC: 4}) == -6


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("0*nDCG@10 + EPC@10", {NDCG: None, EPC: 1.0}, "nDCG@10 has no value"),
        ("nDCG@10 + EPC@10", {NDCG: 1.0}, "EPC@10 has no value"),
        ("nDCG@10/(2*(Precision@5 - 0.5))", {NDCG: 1.0, P: 0.5}, "the divisor 2*(Precision@5 - 0.5) is 0"),
        ("1/(1/nDCG@10)", {NDCG: -0.0}, "the divisor nDCG@10 is 0"),
        ("nDCG@10*1e308*10", {NDCG: 1.0}, "nDCG@10*1e+308*10 is not finite"),
        ("nDCG@10 - EPC@10", {NDCG: math.inf, EPC: math.inf}, "nDCG@10 - EPC@10 is not finite"),
        ("nDCG@10", {NDCG: math.nan}, "nDCG@10 is not finite"),
    ],
)
def test_a_formula_without_a_value_has_the_reason(text, values, message):
    assert read(text).value(values) is None
    assert read(text).undefined_reason(values) == message


def test_a_formula_with_a_value_has_no_undefined_part():
    assert read("nDCG@10 - 1").undefined_reason({NDCG: 1.0}) is None


def test_the_measures_of_a_formula_can_be_replaced():
    formula = read("-ndcg + 2*(1 - ndcg/EPC@10)").with_measures(lambda spec: NDCG if spec.name == "ndcg" else spec)
    assert formula == read("-nDCG@10 + 2*(1 - nDCG@10/EPC@10)")
    assert formula.measures == (NDCG, EPC)
    assert hash(formula) == hash(read(formula.text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends where a measure, a number or \\( was expected"),
        ("nDCG@10 *", "it ends where a measure"),
        ("(nDCG@10 + 1", r"it ends where \+, -, \*, / or \) was expected"),
        ("nDCG@10)", r"'\)' at character 8 found where \+, -, \* or / was expected"),
        ("nDCG@10 ** 2", r"'\*' at character 10 found where a measure, a number or \( was expected"),
        ("nDCG@10 % 2", r"'%' at character 9 found where \+, -, \* or / was expected"),
        ("nDCG@10 // 2", "'/' at character 10"),
        ("nDCG@10 − 2", "'−' at character 9"),
        ("2 nDCG@10", "'nDCG@10' at character 3 found where"),
        ("EucDistance[Precision, Recall] * 2", r"'\[Precision, Recall\]' at character 12"),
        ("log(nDCG@10)*2", "the cut-off must be at the end of the whole measure"),
        ("sqrt(a + b)*2", r"'\+' found where , was expected"),
        ("1 + nDCG(gain=", "the value of gain"),
        ("nDCG@10-MAP@10", "a cut-off must be a positive integer or none .*not '10-MAP'"),
        ("nDCG@0 * 2", "at least 1"),
        ("1e999*nDCG", "the number 1e999 is too large"),
        ("2*3", "names no measure"),
        ("(" * 21 + "a" + ")" * 21, "at most 20 deep"),
        ("-" * 21 + "a", "at most 20 deep"),
        ("F(" * 100, "deeply"),
        ("a" * 2001, "at most 2,000 characters, not 2,001"),
        ("+".join("a" * 1000), "this one has 3,997"),
    ],
)
def test_invalid_text_is_refused_with_the_reason(text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


def test_a_long_chain_and_a_deep_nesting_are_read():
    assert read("*".join("a" * 1000)).value({MetricSpec("a"): 1.0}) == 1
    assert read("(" * 20 + "a" + ")" * 20) == read("a")


@given(text=st.one_of(st.text(max_size=40), st.text("aF1.5e@()+-*/ ,='\"[]", max_size=40), st.text("a1+-*/( )", max_size=40)))
def test_any_text_is_a_formula_or_a_value_error(text):
    is_formula(text)
    try:
        formula = read(text)
    except ValueError:
        return
    assert read(formula.text) == formula
    assert (
        formula.value(dict.fromkeys(formula.measures, 0.5)) is None
        or formula.undefined_reason(dict.fromkeys(formula.measures, 0.5)) is None
    )


MEASURES = {"a": 0.25, "nDCG@10": -3.5, "R-Precision": 0.0, "F1(beta=0.5)@5": 7.125}
VALUES = {parse(name): value for name, value in MEASURES.items()}


def combined(inner):
    return st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " - ", "+", " -", "*", "/", " / "]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-{text}"),
    )


numbers = st.floats(0, 1e9).map(repr)
expressions = st.recursive(st.one_of(numbers, st.sampled_from(list(MEASURES))), combined, max_leaves=12)


@given(text=expressions)
def test_a_printed_formula_reads_back_and_equals_the_result_of_python(text):
    formula = read(f"{text} + a")
    assert read(formula.text) == formula
    python = f"{text} + a"
    for name, value in sorted(MEASURES.items(), key=lambda pair: -len(pair[0])):
        python = python.replace(name, f"({value})")
    try:
        expected = eval(python)
    except ZeroDivisionError:
        expected = None
    if expected is None or not math.isfinite(expected):
        assert formula.value(VALUES) is None
        assert formula.undefined_reason(VALUES)
    else:
        assert formula.value(VALUES) == expected
