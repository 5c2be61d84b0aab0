"""Tables in LaTeX: what is marked, how numbers are aligned, and how wide they are."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from receval.comparison.comparing import compare
from receval.comparison.questions import Questions
from receval.config.reporting import LatexStyle
from receval.output.cells import Formats
from receval.output.latex import comparison_as_latex, tables_as_latex
from receval.output.latex.marks import marks_of
from receval.output.latex.numbers import in_latex
from receval.output.latex.tabular import WIDTH, LatexColumn, LatexTable, names_in_full, parts, shortened, text_column

from tests.comparison.conftest import truth

PAIRS = Questions(all_pairs=True)


def cells(latex):
    """The cells of all rows of values, by the first cell."""
    rows = [line.removesuffix(r" \\").split(" & ") for line in latex.splitlines() if line.endswith(r"\\")]
    return {row[0]: row[1:] for row in rows if re.search(r"\d\.\d", "".join(row[1:]))}


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("", "--"),
        ("-0.50", "$-$0.50"),
        ("1,234.5", "1,234.5"),
        ("inf", r"$\infty$"),
        ("-inf", r"$-$$\infty$"),
        ("3e-09", r"3$\cdot 10^{-9}$"),
    ],
)
def test_numbers_are_written_for_latex(text, latex):
    assert in_latex(text) == latex


def test_without_a_comparison_the_best_value_is_bold_and_the_next_underlined(result):
    latex = tables_as_latex(replace(result("a", "b", "c", "d"), conclusions=())).decode()
    column = [row[0] for row in cells(latex).values()]
    assert sum("textbf" in cell for cell in column) == 1
    assert sum("underline" in cell for cell in column) == 1
    values = sorted((float(re.sub(r"[^0-9.]", "", cell)) for cell in column), reverse=True)
    bold, underlined = (next(cell for cell in column if mark in cell) for mark in ("textbf", "underline"))
    assert f"{values[0]:.4f}" in bold
    assert f"{values[1]:.4f}" in underlined
    assert "bold: the best value, not tested; underlined: the next value" in latex


def test_what_is_not_clearly_different_from_the_best_value_is_bold_too(result):
    found = result("a", "b", "c", "d")
    comparison = compare({"": found}, PAIRS)
    marks = marks_of(found, Formats.of(found.rows), LatexStyle(), comparison)
    for label in found.labels():
        best = max(found.models, key=lambda model: found.by_model()[model][label].value)
        real = [one.subject for one in comparison.differences if one.real and one.subject.measure == label]
        told = {one.model for one in real if one.base == best} | {one.base for one in real if one.model == best}
        assert {model for model, measure in marks.best if measure == label} == set(found.models) - told
        assert not {model for model, measure in marks.second if measure == label} & (set(found.models) - told)
    assert "all that are not clearly different from it (paired t test, Holm over 24 comparisons, 5 %)" in " ".join(marks.notes)


def test_letters_stand_raised_behind_values(result):
    found = result("a", "b", "c")
    comparison = compare({"": found}, PAIRS)
    latex = tables_as_latex(found, comparison, style=LatexStyle(marks="letters")).decode()
    letters = comparison.letters["nDCG@3"]
    assert cells(latex)["a"][0].endswith(rf"\rlap{{$^{{\mathrm{{{letters['a']}}}}}$}}")
    assert "models that share a letter are not clearly different" in latex


def test_daggers_say_what_is_better_and_worse_than_the_base(result, evaluate, models):

    perfect = truth().filter(rating=5).select("user", "item", score=1.0)
    lists = models("a", "b")
    found = evaluate(truth(), lists | {"perfect": perfect}, metrics=["nDCG"], top_k=[3], relevance={"threshold": 4})
    comparison = compare({"": found}, Questions(baseline="a"))
    latex = tables_as_latex(found, comparison, style=LatexStyle(marks="dagger")).decode()
    assert r"\dagger" in cells(latex)["perfect"][0]
    assert "dagger" not in cells(latex)["a"][0]
    assert "† better and ‡ worse than a (paired t test" in latex


def test_marks_can_be_left_out(result):
    latex = tables_as_latex(result("a", "b", "c"), style=LatexStyle(best="none", second="none", digits=2)).decode()
    assert "textbf" not in latex
    assert "underline" not in latex
    assert re.search(r"0\.\d\d &", latex)


def test_a_wide_table_comes_in_parts_that_keep_the_cut_offs_of_a_metric_together(result):
    metrics = ["Precision", "Recall", "nDCG", "MAP", "MRR", "HitRate", "Hits", "SetMAP"]
    latex = tables_as_latex(result("a", "b", metrics=metrics, top_k=[1, 2, 3, 5])).decode()
    assert latex.count(r"\begin{tabular}{@{}l") > 2
    for metric in metrics:
        assert latex.count(rf"\multicolumn{{4}}{{c}}{{{metric} $\uparrow$}}") == 1
    assert len(set(re.findall(r"\\label\{([^}]*)\}", latex))) == latex.count(r"\label")


def test_a_long_table_comes_in_parts():
    names = [f"model {number}" for number in range(100)]
    table = LatexTable("A. B.", "tab:x", (text_column("", names),), (LatexColumn("v", tuple("1" for _ in names), 1),), notes=("Note.",))
    made = parts(table)
    assert len(made) == 3
    assert [part.count("model ") for part in made] == [42, 42, 16]
    assert "Part 1 of 3" in made[0]
    assert r"A: part 3 of 3, as Table~\ref{tab:x-1}." in made[2]
    assert ["Note." in part for part in made] == [False, False, True]


def test_no_part_is_wider_than_the_page(result):
    metrics = ["Precision", "Recall", "nDCG", "MAP", "MRR", "HitRate"]
    found = result("a rather long name of a model", "b", metrics=metrics, top_k=[1, 2, 3, 5])
    for row in (line for line in tables_as_latex(found).decode().splitlines() if line.startswith("b & ")):
        assert len(re.sub(r"\\\w+|[{}\\]", "", row)) + 24 < WIDTH + 12


def test_long_names_lose_their_middle_and_stay_different():
    long = ["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40]
    first, second = shortened(long)
    assert first != second
    assert len(first) <= 30
    assert names_in_full([*long, "short"]) == [f"{first} is {long[0]}.", f"{second} is {long[1]}."]


def test_counts_have_no_decimals(result):
    latex = tables_as_latex(result("a", "b", metrics=["NumRetrieved", "nDCG"], top_k=[1, 5])).decode()
    assert re.search(r"^a & 1 & 5 & ", latex, re.MULTILINE)


def test_a_comparison_is_a_table_with_a_heading_per_pair(result):
    comparison = compare({"": result("a", "b", "c")}, Questions(baseline="a"))
    latex = comparison_as_latex(comparison).decode()
    assert r"\emph{b against a}" in latex
    assert r"\emph{c against a}" in latex
    assert "95 \\% interval" in latex
    assert "60 users, paired by id" in latex
    for one in comparison.differences:
        assert f"{abs(one.difference):.4f}" in latex


def test_all_pairs_of_many_models_are_letters_alone(result):
    comparison = compare({"": result("a", "b", "c", "d")}, PAIRS)
    latex = comparison_as_latex(comparison).decode()
    assert "against" not in latex
    assert "Models that share a letter are not clearly different." in latex


def test_the_order_of_differences_changes_no_byte_of_the_marks(result):
    found = result("a", "b", "c")
    comparison = compare({"": found}, PAIRS)
    turned = replace(comparison, differences=tuple(reversed(comparison.differences)))
    formats = Formats.of(found.rows)
    assert marks_of(found, formats, LatexStyle(), comparison) == marks_of(found, formats, LatexStyle(), turned)
