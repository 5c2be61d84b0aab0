"""Tables in LaTeX: marks, alignment of numbers, and widths."""

from __future__ import annotations

import re

import polars as pl
import pytest
from msgspec.structs import replace
from receval.comparison.best_models import with_conclusions
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.config.run_sections import LatexStyle
from receval.documents.document import Alert, Cell, Code, Column, Heading, Links, Paragraph, Points, Section, Sentences, Table, Terms
from receval.documents.methods import NAMES
from receval.documents.paper import comparison_tables, marks_of, result_tables
from receval.documents.values import Formats
from receval.render.forms import rendered
from receval.render.latex import WIDTH, Page, as_latex, parts, shortened
from receval.support.outputs import output_form

from tests.comparison.conftest import rated_items

PAIRS = ComparisonOptions(all_pairs=True)


def latex_of(*given, **style):
    """Return the tables of a result in LaTeX."""
    return as_latex(result_tables(*given, **style))


def cells(latex):
    """Return the cells of all rows of values, by the first cell."""
    rows = [line.removesuffix(r" \\").split(" & ") for line in latex.splitlines() if line.endswith(r"\\")]
    return {row[0]: row[1:] for row in rows if re.search(r"\d\.\d", "".join(row[1:]))}


def test_without_a_comparison_the_best_value_is_bold_and_the_next_underlined(result):
    latex = latex_of(replace(result("a", "b", "c", "d"), conclusions=()))
    column = [row[0] for row in cells(latex).values()]
    assert sum("textbf" in cell for cell in column) == 1
    assert sum("underline" in cell for cell in column) == 1
    values = sorted((float(re.sub(r"[^0-9.]", "", cell)) for cell in column), reverse=True)
    bold, underlined = (next(cell for cell in column if mark in cell) for mark in ("textbf", "underline"))
    assert f"{values[0]:.4f}" in bold
    assert f"{values[1]:.4f}" in underlined
    assert "bold: the best value, not tested; underlined: the next value after those in bold" in latex


def test_values_not_clearly_different_from_the_best_are_bold_too(result):
    found = with_conclusions(result("a", "b", "c", "d"), ComparisonOptions())
    marks = marks_of(found, Formats.from_rows(found.rows), LatexStyle())
    for conclusion in found.conclusions:
        assert conclusion.is_tested
        of_label = {model: mark for (model, measure), mark in marks.marks.items() if measure == conclusion.measure}
        assert {model for model, mark in of_label.items() if mark == "best"} == set(conclusion.alike)
        assert {model for model, mark in of_label.items() if mark == "second"} <= set(found.models) - set(conclusion.alike)
    assert f"all that are not clearly different from it ({NAMES['t']}, Holm over 24 comparisons, 5 %)" in " ".join(marks.notes)


def test_letters_are_superscripts_of_values(result):
    found = result("a", "b", "c")
    comparison = compare({"": found}, PAIRS)
    latex = latex_of(found, comparison, style=LatexStyle(marks="letters"))
    letters = comparison.letters["nDCG@3"]
    assert cells(latex)["a"][0].endswith(rf"\rlap{{$^{{\mathrm{{{letters['a']}}}}}$}}")
    assert "models that share a letter are not clearly different" in latex


def test_daggers_mark_models_better_and_worse_than_the_base(result, evaluate, models):

    perfect = rated_items().filter(rating=5).select("user", "item", score=1.0)
    lists = models("a", "b")
    found = evaluate(rated_items(), lists | {"perfect": perfect}, metrics=["nDCG"], top_k=[3], relevance={"threshold": 4})
    comparison = compare({"": found}, ComparisonOptions(baseline="a"))
    latex = latex_of(found, comparison, style=LatexStyle(marks="dagger"))
    assert r"\dagger" in cells(latex)["perfect"][0]
    assert "dagger" not in cells(latex)["a"][0]
    assert "† better and ‡ worse than a (paired t test" in latex


def test_marks_can_be_left_out(result):
    latex = latex_of(result("a", "b", "c"), style=LatexStyle(best="none", second="none", digits=2))
    assert "textbf" not in latex
    assert "underline" not in latex
    assert re.search(r"0\.\d\d &", latex)


def test_a_wide_table_is_split_without_separating_the_cut_offs_of_a_metric(result):
    metrics = ["Precision", "Recall", "nDCG", "MAP", "MRR", "HitRate", "Hits", "SetMAP"]
    latex = latex_of(result("a", "b", metrics=metrics, top_k=[1, 2, 3, 5]))
    assert latex.count(r"\begin{tabular*}{\linewidth}{@{\extracolsep{\fill}}l") > 2
    for metric in metrics:
        assert latex.count(rf"\multicolumn{{4}}{{c}}{{{metric} $\uparrow$}}") == 1
    assert len(set(re.findall(r"\\label\{([^}]*)\}", latex))) == latex.count(r"\label")


def test_a_long_table_is_split():
    names = [f"model {number}" for number in range(100)]
    rows = tuple((Cell(name), Cell("1")) for name in names)
    table = Table((Column("", "key"), Column("v", "value")), rows, "A. B.", "x", notes=("Note.",))
    made = parts(table)
    assert len(made) == 3
    assert [part.count("model ") for part in made] == [42, 42, 16]
    assert "Part 1 of 3" in made[0]
    assert r"A: part 3 of 3, as Table~\ref{tab:x-1}." in made[2]
    assert ["Note." in part for part in made] == [False, False, True]


def test_no_part_is_wider_than_the_page(result):
    metrics = ["Precision", "Recall", "nDCG", "MAP", "MRR", "HitRate"]
    found = result("a rather long name of a model", "b", metrics=metrics, top_k=[1, 2, 3, 5])
    for row in (line for line in latex_of(found).splitlines() if line.startswith("b & ")):
        assert len(re.sub(r"\\\w+|[{}\\]", "", row)) + 24 < WIDTH + 12


def test_long_names_lose_their_middle_and_stay_different():
    long = ["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40]
    first, second = shortened(long)
    assert first != second
    assert len(first) <= 30
    rows = tuple((Cell(name), Cell("1")) for name in (*long, "short"))
    (latex,) = parts(Table((Column("", "name"), Column("v", "value")), rows, "A.", "x"))
    notes = latex.partition("raggedright ")[2].partition("\n")[0].replace(r"\allowbreak{}", "")
    assert notes == f"{first} is {long[0]}. {second} is {long[1]}."


def test_counts_have_no_decimals(result):
    latex = latex_of(result("a", "b", metrics=["NumRetrieved", "nDCG"], top_k=[1, 5]))
    assert re.search(r"^a & 1 & 5 & ", latex, re.MULTILINE)


def test_a_comparison_is_a_table_with_a_heading_per_pair(result):
    comparison = compare({"": result("a", "b", "c")}, ComparisonOptions(baseline="a"))
    latex = as_latex(comparison_tables(comparison))
    assert r"\emph{b against a}" in latex
    assert r"\emph{c against a}" in latex
    assert "95~\\% interval" in latex
    assert "60 users, paired by id" in latex
    for difference in comparison.differences:
        assert f"{abs(difference.difference):.4f}" in latex


def test_all_pairs_of_many_models_are_shown_by_letters_only(result):
    comparison = compare({"": result("a", "b", "c", "d")}, PAIRS)
    latex = as_latex(comparison_tables(comparison))
    assert "against" not in latex
    assert "Models that share a letter are not clearly different." in latex


def test_the_order_of_differences_changes_no_byte(result):
    found = result("a", "b", "c")
    comparison = compare({"": found}, PAIRS)
    turned = replace(comparison, differences=tuple(reversed(comparison.differences)))
    for marks in ("letters", "dagger"):
        assert (
            latex_of(found, comparison, style=LatexStyle(marks=marks)).partition("tab:comparison")[0]
            == (latex_of(found, turned, style=LatexStyle(marks=marks)).partition("tab:comparison")[0])
        )


def test_the_settings_of_measures_are_explained_below_the_table(result):
    latex = latex_of(result("a", "b", metrics=["nDCG(gain=linear)", "MAP"], top_k=[3]))
    note = latex.partition("raggedright ")[2].partition("\n")[0].replace(r"\allowbreak{}", "")
    assert "nDCG(gain=linear): gain 1 (binary relevance); the gain at rank r is divided by log(r + 1)" in note
    assert "MAP: the precisions are divided by the smaller of R and k; the ranks at which AP adds up precision: those of the hits." in note
    assert note.endswith("R is the number of relevant items of the user.")
    assert not re.search("log.?_r_plus|min.?_r", note.replace("\\", ""))


@pytest.mark.parametrize(
    ("metric", "graded", "words"),
    [
        ("nDCG", False, "gain 1 (binary relevance)"),
        ("nDCG", True, r"an item of grade g has gain 2\textasciicircum{}g - 1"),
        ("nDCG(gain=exp2_plus1)", False, r"an item of grade g has gain 2\textasciicircum{}(g+1) - 1"),
        ("DCG(gain=exp2_offset)", False, "gain 1 (binary relevance)"),
    ],
)
def test_the_formula_of_a_gain_is_given_only_where_grades_differ(metric, graded, words, result):
    latex = latex_of(result("a", "b", metrics=[metric], top_k=[3], relevance={"threshold": 4, "graded": graded}))
    assert words in latex.replace(r"\allowbreak{}", "")


def test_the_groups_of_a_run_have_a_table_of_their_own(result):
    users = pl.DataFrame({"user": range(1, 61), "plan": ["free", "paid"] * 30})
    latex = latex_of(result("a", "b", users=users, metrics=["nDCG"], top_k=[3], by=["users.plan"]))
    (table,) = latex.split(r"\label{tab:groups-1}")[1:]
    assert r"\caption{Results by users.plan.}" in latex
    assert len(re.findall(r"^(?:a|b) & ", table, re.MULTILINE)) == 2 * len(re.findall(r"\\emph\{[^}]* users\}", table)) > 2


def test_on_a_two_column_page_a_table_uses_one_column_if_it_fits():
    def table(n_columns):
        return Table(
            (Column("", "name"), *(Column(f"m{n}", "value") for n in range(n_columns))), ((Cell("a"), *[Cell("0.1234")] * n_columns),)
        )

    page = Page(columns=2)
    assert page.room_of_column == 44
    narrow, wide, several = (parts(table(n), page=page) for n in (4, 8, 16))
    assert (len(narrow), len(wide), len(several)) == (1, 1, 2)
    assert narrow[0].startswith(r"\begin{table}[htbp]")
    assert all(table.startswith(r"\begin{table*}[tp]") and table.endswith(r"\end{table*}") for table in (*wide, *several))
    assert [part.startswith(r"\begin{table}[htbp]") for part in parts(table(8))] == [True]


def test_the_page_width_decides_the_number_of_tables():
    table = Table((Column("", "name"), *(Column(f"m{n}", "value") for n in range(12))), ((Cell("a"), *[Cell("0.1234")] * 12),))
    assert [len(parts(table, page=Page(width))) for width in (50, 92, 120)] == [3, 2, 1]
    first, second = parts(table, page=Page(92))
    assert r"\smallskip % in parts, because it is wider than 92 characters: report.latex.width sets the width" in first
    assert "report.latex.width" not in second + "".join(parts(table, page=Page(120)))


def test_a_wide_table_takes_the_width_of_the_text_unless_the_width_of_the_page_is_known():
    tables = {
        n: Table((Column("", "name"), *(Column(f"m{k}", "value") for k in range(n))), ((Cell("a"), *[Cell("0.1234")] * n),)) for n in (8, 9)
    }
    (narrow,), (wide,), (known,) = parts(tables[8]), parts(tables[9]), parts(tables[9], page=Page(92))
    assert r"\begin{tabular}{@{}lrrrrrrrr@{}}" in narrow
    assert "\\setlength{\\tabcolsep}{2pt}\n\\begin{tabular*}{\\linewidth}{@{\\extracolsep{\\fill}}lrrrrrrrrr@{}}" in wide
    assert r"\end{tabular*}" in wide
    assert "tabular*" not in known


def test_the_config_sets_the_page_width_and_columns(result):
    found = result("a", "b", metrics=["nDCG", "Recall", "MAP"], top_k=[1, 3, 5])
    two = replace(found, config={**found.config, "report": {"latex": {"columns": 2, "width": 100}}})
    row = output_form("latex", "latex")
    assert r"\begin{table*}" not in rendered(row, found).decode()
    assert rendered(row, two).decode().count(r"\begin{table*}") == 1


def test_marks_spreads_notes_and_arrows_of_a_table_are_written():
    columns = (Column("model", "key"), Column("@5", "value", True, "nDCG"), Column("@10", "value", True, "nDCG"), Column("p", "p"))
    rows = (
        (Cell("a_b"), Cell("0.5", "0.1", "best", "ab"), Cell("-1", mark="second", note="†"), Cell("<0.001")),
        (Cell("c", direction=False), Cell("–"), Cell("2", mark="untested", note="few!"), Cell()),
        (Cell("users"), Cell("5"), Cell("6"), Cell()),
    )
    (latex,) = parts(Table(columns, rows, "50 %", "x", {1: "below & here"}, apart=1))
    assert r"\caption{50~\%}\label{tab:x}" in latex
    assert r"& \multicolumn{2}{c}{nDCG $\uparrow$} &" in latex
    assert r"model & @5 & @10 & p \\" in latex
    raised = r"\rlap{$^{\mathrm{ab}}$} & \underline{$-$1}\rlap{$^{\dagger}$}"
    assert rf"a\_b & \textbf{{0.5}}{{\scriptsize\,$\pm$\,0.1}}{raised} & \textless{{}}0.001 \\" in latex
    assert r"\midrule" + "\n" + r"\multicolumn{4}{@{}l}{\emph{below \& here}} \\" in latex
    assert r"c $\downarrow$ & -- & \textbf{2}\rlap{$^{\text{few!}}$} &  \\" + "\n" + r"\midrule" in latex


def test_a_document_with_a_title_has_sections_lists_and_findings():
    document = (
        Heading("Title_1"),
        Section(
            "one",
            "One & two",
            (
                Heading("Below", 3),
                Paragraph("Set `a_b`."),
                Points(("A `x`", "B")),
                Sentences(("quoted `x`",)),
                Terms((("k", "cut-off"),), "About:"),
                Terms((("$`u`$", "a user"), (r"$`[\ldots]`$", "1 or 0")), code=False),
                Code("a  b"),
                Links("Metrics", ("nDCG",)),
                Alert("warn", "warning X01", "Odd", details=("5 rows",), advice="remove them"),
                Alert("info", "note X02", "Fine."),
            ),
        ),
    )
    latex = as_latex(document)
    start, *texts, end = latex[latex.index(r"\title") :].rstrip().split("\n\n")
    assert start.splitlines()[0] == r"\title{Title\_1}"
    assert end == r"\end{document}"
    assert texts == [
        "\\begin{document}\n\\maketitle",
        r"\section{One \& two}",
        r"\subsection*{Below}",
        r"Set \texttt{a\_b}.",
        "\\begin{points}\n\\item A \\texttt{x}\n\\item B\n\\end{points}",
        "\\begin{points}\n\\item quoted \\textasciigrave{}x\\textasciigrave{}\n\\end{points}",
        "About:",
        "\\begin{description}\n\\item[\\texttt{k}] cut-off\n\\end{description}",
        texts[8],
        r"\texttt{a  b}",
        "\\begin{description}\n\\item[warning X01] Odd 5 rows. Remove them.\n\\item[note X02] Fine.\n\\end{description}",
    ]
    assert texts[8].endswith("\\item[$u$] a user\n\\item[{$[\\ldots]$}] 1 or 0\n\\end{list}")


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        ("nDCG(convention=recbole)@10", ["nDCG(", "convention=", "recbole)@10"]),
        ("Serendipity@10", ["Serendipity", "@10"]),
        ("ItemCoverage@10", ["Item", "Coverage", "@10"]),
        ("x" * 20 + "@5", ["x" * 18, "xx@5"]),
    ],
)
def test_a_head_is_broken_inside_a_word_only_if_the_word_alone_is_too_wide(head, lines):
    (latex,) = parts(Table((Column("model", "name"), Column(head, "value")), ((Cell("als"), Cell("0.5")),), "Values"))
    assert r" \\ ".join(lines) + r"\end" in latex
