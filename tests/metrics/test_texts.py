"""Texts of the metric pages: a first sentence to choose by, only used symbols, plain words, and values on the sample."""

from __future__ import annotations

import re

import pytest
from receval.metrics import METRICS, catalogue
from receval.metrics.notation import symbols
from receval.metrics.plain_formulas import plain

from tests.tree import parts_on_metrics
from tests.words import IN_METRICS, RETIRED, retired_in

ENTRIES = {entry.name: entry for entry in catalogue.read().metrics}
PAGES = parts_on_metrics()


@pytest.mark.parametrize("name", METRICS)
def test_the_first_sentence_is_one_line_on_what_the_value_means_and_when_to_use_it(name):
    first, *rest = METRICS[name].doc.splitlines()
    assert rest[:1] in ([], [""])
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
def test_the_formula_is_that_in_latex_as_text_with_each_of_its_symbols(name):
    entry = ENTRIES[name]
    assert entry.formula.splitlines() == list(map(plain, entry.tex))
    right = " ".join(line.partition(" = ")[2] for line in entry.tex)
    assert [plain(symbol) for symbol in symbols(right) if plain(symbol) not in entry.terms] == []


def test_terms_are_only_those_that_a_text_uses():
    assert list(ENTRIES["MRR"].terms) == ["r", "k", "h_r"]
    assert list(ENTRIES["ItemCoverage"].terms) == ["u", "U", "L_u", "I"]
    assert list(ENTRIES["NumRelevant"].terms) == ["T_u"]
    assert "v_r" in ENTRIES["nDCG"].terms, "the text names the weight of a rank"
    assert ENTRIES["Precision"].terms["R"] == "|T_u|, the number of relevant items", "the settings name it"
    assert ENTRIES["UserCoverage"].terms["[…]"] == "1 if the condition is true, else 0"


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


def test_a_page_explains_only_the_symbols_of_its_equation_and_its_text():
    listed = re.findall(r"^- \$`(.*?)`\$: ", PAGES["nDCG"], re.MULTILINE)
    assert listed == ["r", "k", "h_r", "g_r", "h^*_r", "g^*_r", "v_r"]
    assert "- $`p`$: the parameter `p`" in PAGES["RBP"]
