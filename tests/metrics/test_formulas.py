"""The formulas of metrics in LaTeX: every metric has one, all symbols are explained, and settings change the formula."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from receval.conventions import AXES, load
from receval.metrics import METRICS
from receval.metrics.notation import GLOSSARY, number, symbols, tex
from receval.metrics.plain_formulas import plain
from receval.metrics.registry import at

BESIDE = {
    ("MeanPopRank", "unit"),
    *((name, "count") for name in ("Serendipity", "TailPercentage")),
    *((name, "empty_group") for name in ("ItemMADRanking", "ItemMADRating")),
    *((name, "single") for name in ("ILD", "ILS")),
    *((name, "no_negatives") for name in ("AUC", "GAUC")),
    *((name, "categories_of") for name in ("SRecall", "AlphaNDCG", "PrecisionIA", "MAPIA", "NRBP")),
    *((name, "ideal") for name in ("AlphaNDCG", "ERRIA", "NRBP")),
    ("Bpref", "negative"),
    ("Bpref", "unjudged"),
    *((name, "negative") for name in ("Unjudged", "NumJudgedIrrelevant", "RBPResidual")),
    ("Rndcg", "users"),
    ("Unexpectedness", "absent"),
    *((name, "insufficient") for name in ("PartialAUC", "PAP")),
    *((name, "ties") for name in ("DeltaGap", "PopularityRatio")),
    *((name, "users") for name in ("ConcordantPairs", "DiscordantPairs")),
}
"""Settings that the formula does not show, so a report names them beside it: meanings of symbols and values of edge cases."""

WITHOUT_SYMBOL = {("DeltaGap", "popular"), ("PopularityRatio", "popular")}
"""Numbers that define a word of the formula."""


def params_of(name):
    metric = METRICS[name]
    axes = load("receval").axes_of(name)
    texts = {key: "a column" if text.default is None else text.default for key, text in metric.texts.items()}
    return (
        {key: axes[axis] for key, axis in metric.axes.items()}
        | {key: parameter.default for key, parameter in metric.numbers.items()}
        | texts
    )


def forms(name):
    """Return every combination of settings of a metric with its formula."""
    metric = METRICS[name]
    values = [AXES[axis].values or (2.0, 10.0) for axis in metric.axes.values()]
    for chosen in itertools.product(*values):
        yield chosen, at(params_of(name) | dict(zip(metric.axes, chosen, strict=True)), metric.tex)


def in_formula(name):
    """Return the parameters of a metric for which any two values give two formulas, under some setting of the others."""
    metric = METRICS[name]
    by_choice = dict(forms(name))
    for place, (key, axis) in enumerate(metric.axes.items()):
        pairs = itertools.combinations(AXES[axis].values or (2.0, 10.0), 2)
        others = {(*chosen[:place], None, *chosen[place + 1 :]) for chosen in by_choice}
        if all(
            any(
                by_choice[(*choice[:place], left, *choice[place + 1 :])] != by_choice[(*choice[:place], right, *choice[place + 1 :])]
                for choice in others
            )
            for left, right in pairs
        ):
            yield key


@pytest.mark.parametrize("name", METRICS)
def test_every_form_of_a_formula_has_balanced_braces_and_known_symbols(name):
    own = {parameter.symbol for parameter in METRICS[name].numbers.values()}
    for _, formula in forms(name):
        assert formula.strip()
        plain = re.sub(r"\\[{}]", "", formula)
        depths = list(itertools.accumulate({"{": 1, "}": -1}.get(sign, 0) for sign in plain))
        assert depths[-1] == 0
        assert min(depths) >= 0
        assert formula.count(r"\left") == formula.count(r"\right")
        assert formula.count(r"\{") == formula.count(r"\}")
        assert [symbol for symbol in symbols(formula) if symbol not in GLOSSARY and symbol not in own] == []


@pytest.mark.parametrize("name", METRICS)
def test_every_form_of_a_formula_is_text_without_latex(name):
    for line in {line.strip() for _, formula in forms(name) for line in formula.split(r"\\")}:
        text = plain(f"x = {line}")
        assert not re.search(r"[\\$<]\w|··|  ", text), text
        assert [text.count(sign) for sign in "([{⌊"] == [text.count(sign) for sign in ")]}⌋"], text


def test_a_formula_as_text_has_the_same_order_of_operations():
    assert plain(r"f = \frac{a + b}{2\,c} \sum_{r=1}^{k} \frac{h_r\,(2^{g^*_r} - 1)}{\log_2(r + 1)}") == (
        "f = (a + b) / (2·c) · Σ_{r=1..k} h_r·(2^g*_r - 1)/log2(r + 1)"
    )
    assert plain(r"f = \sum_i x_i \biggl/ \frac{a}{b}, \quad a = \sqrt{x + 1}^2") == "f = (Σ_i x_i) / (a/b), a = √(x + 1)²"
    assert plain(r"f = k \max\Bigl(|A_{i_r}|\,|B|, \frac{1}{3}\Bigr)^{r-1}") == "f = k·max(|A_{i_r}|·|B|, 1/3)^(r-1)"
    assert plain(r"f = 1 - \mathrm{mean}_{j \in L}\,d(i, j) \text{ over all}") == "f = 1 - mean_{j ∈ L} d(i, j) over all"


@pytest.mark.parametrize("name", METRICS)
def test_every_setting_is_in_the_formula_or_named_beside_it(name):
    assert {(name, key) for key in METRICS[name].axes} - {(name, key) for key in in_formula(name)} == {
        pair for pair in BESIDE if pair[0] == name
    }


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.numbers])
def test_every_number_of_a_metric_has_a_symbol_that_the_formula_uses(name):
    metric = METRICS[name]
    for key, parameter in metric.numbers.items():
        formula = at(params_of(name) | {key: 5.0 if parameter.default == math.inf else (parameter.default or 0.0) + 0.25}, metric.tex)
        assert (parameter.symbol in symbols(formula)) is ((name, key) not in WITHOUT_SYMBOL)


def test_every_symbol_of_the_glossary_is_used():
    used = {symbol for name in METRICS for _, formula in forms(name) for symbol in symbols(formula)}
    used |= set(symbols(at({**params_of("nDCG"), "weight": "rows.quantity"}, METRICS["nDCG"].tex)))
    used |= set(symbols(at({"higher_is_better": "true;false"}, METRICS["Hypervolume"].tex)))
    assert set(GLOSSARY) - used == set()


def test_symbols_with_other_indices_are_in_the_glossary():
    assert symbols(r"\sum_{q=1}^{k} \frac{h_q\,g^*_q}{\log_2(q + 1)} \text{ in words}") == ["r", "k", "h_r", "g^*_r"]
    assert symbols(r"|A_{i_r} \cap A_j|") == ["A_i"]
    assert symbols(r"\unheard_of") == [r"\unheard_o", "f"]


def test_a_template_is_filled_in_by_parameters():
    formula = tex("<gain> / <base>", gain={"one": "1", "two": "2<more>"}, more=lambda params: "x")
    assert formula({"gain": "two", "base": 2.0}) == "2x / 2"
    with pytest.raises(KeyError):
        formula({"gain": "three", "base": 2.0})


def test_small_numbers_are_written_with_powers_of_ten():
    assert number(1e-15) == r"1 \cdot 10^{-15}"
    assert number(float("inf")) == r"\infty"
    assert number(0.85) == "0.85"
