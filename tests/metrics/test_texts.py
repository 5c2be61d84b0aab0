"""Texts of the metric pages: a first sentence to choose by, only used symbols, plain words, and values on the sample."""

from __future__ import annotations

import re

import pytest
from receval.metrics import METRICS, catalogue

from tests.tree import parts_on_metrics
from tests.words import IN_METRICS, RETIRED, retired_in

ENTRIES = {entry.name: entry for entry in catalogue.read().metrics}
PAGES = parts_on_metrics()
WITHOUT_MEANING = {"log", "log_b", "log2", "ln", "sqrt", "min", "max", "mean", "Var"}
"""Functions of formulas that need no explanation."""


@pytest.mark.parametrize("name", METRICS)
def test_the_first_sentence_is_one_line_on_what_the_value_means_and_when_to_use_it(name):
    first, *rest = METRICS[name].doc.splitlines()
    assert rest[:1] == [""]
    assert len(first) <= 130
    assert re.fullmatch(r"[A-Z][^.]*[^.\s]\.", first), "one sentence with a capital letter"
    assert re.search(r"; (use|the default choice|rarely useful)\b", first), "when to use it"


def test_no_two_metrics_have_the_same_first_sentence():
    sentences = [entry.summary for entry in ENTRIES.values()]
    assert len(set(sentences)) == len(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_the_texts_use_no_retired_words(name):
    entry = ENTRIES[name]
    texts = (METRICS[name].doc, *entry.terms.values(), *(number.means for number in METRICS[name].numbers.values()))
    assert [found for text in texts for found in retired_in(text, RETIRED | IN_METRICS)] == []


@pytest.mark.parametrize("name", METRICS)
def test_every_symbol_of_the_formula_has_a_meaning(name):
    entry = ENTRIES[name]
    texts = " ".join((*entry.text, *entry.edge_cases))
    right = entry.formula.partition("=")[2]
    symbols = set(re.findall(r"(?<!\w)(?:[A-Za-z]\w*(?=\()|[A-Z](?![\w(]))", right)) - WITHOUT_MEANING
    for symbol in symbols - {term.partition("(")[0] for term in entry.terms}:
        in_formula = rf"(?<!\w){symbol.rstrip('_')}(?:\([^()]*\))? = |\bthe {symbol} "
        assert re.search(rf"(?<!\w){symbol}(?!\w)", texts) or re.search(in_formula, entry.formula), symbol


def test_terms_are_only_those_that_a_text_uses():
    assert list(ENTRIES["MAP"].terms) == ["R", "h(r)", "found(r)"]
    assert list(ENTRIES["MRR"].terms) == ["h(r)"]
    assert list(ENTRIES["ItemCoverage"].terms) == ["L_u(k)", "N"]
    assert list(ENTRIES["NumRelevant"].terms) == ["R"]
    assert list(ENTRIES["nDCG"].terms) == ["v(r)"]
    assert list(ENTRIES["PopREO"].terms) == ["hits_u(k)", "std", "tail", "head"], "the head explains the tail"


@pytest.mark.parametrize("name", METRICS)
def test_a_page_shows_values_of_the_sample_or_why_there_are_none(name):
    section = PAGES[name].partition("\n### A good value\n")[2].partition("\n### ")[0]
    reason = "Not computed on the sample: it needs " in section
    rows = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)
    assert reason is (name in ("LogLoss", "MeanPredictionDistance") or METRICS[name].family == "value")
    if not reason:
        head, *values = (row.split(" | ") for row in rows)
        assert head == ["measure", "random", "popular", "knn"]
        assert values
        assert all(row[0].startswith(name) and all(re.fullmatch(r"-?[\d,.]+|none", cell) for cell in row[1:]) for row in values)


def test_a_page_warns_where_a_less_accurate_model_has_the_better_value():
    assert "Here `random` beats `knn`, which is more accurate" in PAGES["Gini"]
    assert " beats " not in PAGES["nDCG"].partition("### A good value")[2].partition("### In a config")[0]
    assert "A random order of all candidates scores about 0.5." in PAGES["GAUC"]


def test_a_page_explains_only_the_symbols_of_its_equation():
    listed = re.findall(r"^- \$`(.*?)`\$: ", PAGES["nDCG"], re.MULTILINE)
    assert listed == ["r", "k", "h_r", "g_r", "h^*_r", "g^*_r"]
    assert "- $`p`$: the parameter `p`" in PAGES["RBP"]
